"""Warnings for texts that are probably not compared as meant; none for healthy ones."""

import re
import time
import warnings

import pytest

import qassay
from qassay.cli import main

LITE = {"model": "lite"}
FAMILIES = {"answer_match": {}, "answer_equivalence": LITE, "semantic_answer_similarity": LITE, "factoid_accuracy": {}}
PROSE = ["He was tired; the train had gone, and the next one was due in the morning.", "It rained; he slept for hours."]


def told(answers, golds, metric="answer_match", **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qassay.score(metric, answers, golds, **options)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("mark", ["|", "||", "[SEP]", ";", "; ", "\t"])
def test_a_separator_between_gold_answers_is_named(mark):
    golds, answers = [f"Paris{mark}City of Light", f"Oslo{mark}Kristiania", "Rome"] * 3, ["Paris", "x", ""] * 3
    (line,) = told(answers, golds)
    named = repr(mark.strip(" ") if ";" in mark or "|" in mark else mark)[1:-1]
    assert f'text.split("{named}")' in line and f'columns={{"separator": "{named}"}}' in line
    assert not told(answers, [gold.split(mark) for gold in golds])
    assert not told([f"Lyon{mark}Paris", f"b{mark}c", ""] * 3, golds), "answers have it too: it is a part of them"
    assert not told(answers, [golds[0], "Oslo", "Rome"] * 3), "few have it"
    assert not told(answers[:6], golds[:6]), "fewer than five rows have it"


def test_prose_and_lists_with_commas_have_no_separator():
    for golds in (PROSE, ["Paris, France", "Oslo, Norway"], ["\n".join(PROSE)] * 2, ["(a|b)", "x", "y"], ["x", "|"]):
        assert not told(["a"] * len(golds), golds)


@pytest.mark.parametrize("metric", FAMILIES)
def test_every_metric_of_texts_tells_of_separators_and_numbers(metric):
    options = FAMILIES[metric]
    ranked = (lambda text: [text]) if metric == "factoid_accuracy" else str
    golds = [["Paris|City of Light"], ["Oslo|Kristiania"]] * 3
    assert f"metric={metric} for files" in told([ranked("Paris"), ranked("x")] * 3, golds, metric, **options)[0]
    numbers = {"q1": "1914.0", "q2": "2.0", "q3": "Rome"}
    answers = {name: ranked(number) for name, number in numbers.items()}
    (line,) = told(answers, {"q1": ["1914"], "q2": ["in 2"], "q3": ["Rome"]}, metric, **options)
    assert "such as '1914.0' beside '1914'; " in line and "dtype=str" in line


@pytest.mark.parametrize(
    ("predictions", "references", "numbers"),
    [
        (["1.0", "0.0"], ["1", "0"], "predictions and not in the references, such as '0.0' beside '0'"),
        (["1", "x", "2"], ["0.0", "x", "1.0"], "references and not in the predictions, such as '1.0' beside '1'"),
        ([["1.0"], []], [["1", "2"], ["2"]], "predictions and not in the references, such as '1.0' beside '1'"),
        (["1.0", "2.0"], ["1.0", "2.0"], None),
        (["1.0", "2"], ["1", "2"], None),
        (["1.0", "x"], ["x", "2"], None),
    ],
)
def test_labels_that_pandas_wrote_are_told_of(predictions, references, numbers):
    found = told(predictions, references, "label_metrics", task="multi" if isinstance(predictions[0], list) else "auto")
    assert [f'whole numbers end in ".0" in the {numbers}; pandas' in line for line in found] == [True] * bool(numbers)


def test_texts_of_pipelines_are_told_of_unless_positions_are_compared():
    number = "in the references and not in the predictions, such as '1914.0' beside '1914'"
    for *texts, line in (("1914", "1914.0", number), ("东京都", "东京都府", "count as one token")):
        for place, lines in (({}, 1), ({"start": 0, "end": 3}, 0)):
            rows = ([{"documents": ["d"], "answers": [{"text": text, "document_id": "d", **place}]}] for text in texts)
            found = told(*rows, "retriever_reader")
            assert len(found) == lines and all(re.search(line, one) for one in found)


def test_many_ranked_answers_and_gold_answers_are_looked_at_once():
    answers = [f"{number}.0" for number in range(12_000)]
    began = time.process_time()
    (line,) = told([answers], [[[f"in {answer[:-2]}" for answer in answers[::-1]]]], "factoid_accuracy", top_k=1)
    assert "'0.0' beside '0'" in line and time.process_time() - began < 2


@pytest.mark.parametrize(
    ("answers", "golds", "options"),
    [
        (["1914.0"], ["1914.0"], {}),
        (["1914.0", "3"], ["1914", "3"], {}),  # not all have it: no column of pandas
        (["1914.0"], ["1914"], {"preset": "gaia"}),  # compares numbers
        (["1914.0"], ["1914"], {"preset": "drop"}),
        (["version 2.0", ""], ["version 2", "x"], {}),
        (["3.0"], ["13.05"], {}),
    ],
)
def test_numbers_that_are_meant_are_not_told_of(answers, golds, options):
    assert not told(answers, golds, **options)


def test_files_tell_on_the_command_line_and_the_advice_helps(save_table, capsys):
    rows = [f"{n},Paris,Paris|City\n{n + 1},Oslo,Kristiania|Oslo\n{n + 2},1914,1914.0|in 1914\n" for n in (1, 4)]
    path = str(save_table("id,prediction,gold\n" + "".join(rows), "t.csv"))
    command = ["score", path, "--no-intervals", "--measures", "exact_match", "--metric", "answer_match"]
    assert main(command) == 0
    err = capsys.readouterr().err
    assert 'columns={"separator": "|"} and metric=answer_match' in err and "Traceback" not in err
    assert main([*command, "--columns", "separator=|"]) == 0
    out, err = capsys.readouterr()
    assert "0.6667" in out and "separator" not in err and "'1914.0' beside '1914'" in err


@pytest.mark.parametrize(
    ("answer", "gold", "splits"),
    [
        ("越南罗马天主教枢机", "天主教枢机", {"normalizer": "cjk"}),
        ("カトリック", "カトリック教会", {"normalizer": "cjk"}),
        ("กรุงเทพมหานคร", "กรุงเทพ", {"unit": "character"}),
    ],
)
def test_texts_without_spaces_count_as_one_token(answer, gold, splits):
    (line,) = told([answer], [gold])
    assert re.search("one token.*normalizer=cjk.*Chinese and Japanese.*unit=character splits all", line)
    assert not told([answer], [gold], **splits)
    assert not told([answer] * 3, [gold, "Bangkok", "Rome"]) and not told(["서울 시"], ["서울특별시"])
    assert not told([answer], [gold], "semantic_answer_similarity", **LITE)
