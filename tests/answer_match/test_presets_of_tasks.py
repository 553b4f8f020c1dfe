"""Presets with separate rules: cases that the golden numbers of tests/contract/test_presets.py do not cover."""

import numpy as np
import pytest

import qassay
from qassay.answer_match import cmrc
from qassay.answer_match.docvqa import edit_distance
from qassay.answer_match.error_kinds import answer_error_kinds


def score(preset, predictions, references, **columns):
    return qassay.score("answer_match", predictions, references, preset=preset, **columns)


def test_domains_of_coqa_are_slices():
    scores = score("coqa", ["a cat", "dog", "no"], [["cat", "cats"], ["dog"], ["yes", "no", "no"]])
    by_domain = scores.by(["news", "news", "science"])
    assert [table["f1"] for table in by_domain.values()] == [0.75, 1.0]


@pytest.mark.parametrize("preset", ["coqa", "quac", "docvqa"])
def test_rules_that_need_gold_answers(preset):
    with pytest.raises(ValueError, match=rf"references\[1\] .*has no gold answer; {preset} needs at least one"):
        score(preset, {"1_q#0": "a", "1_q#1": "b"}, {"1_q#0": ["a"], "1_q#1": []})


def test_a_disputed_question_of_quac_does_not_count_without_an_answer_to_extract():
    """Also with a wrong answer; without a prediction it counts."""
    golds = {"1_q#0": ["x", "y"], "2_q#0": ["z"]}
    for first, f1 in (("<answer>q</answer>", 1.0), ("q", 1.0), (None, 0.5)):
        scores = score("quac", {"1_q#0": first, "2_q#0": "<answer>z</answer>"}, golds, extract="answer_tag")
        assert (scores["f1"], scores["heq_q"], scores["unfiltered_f1"]) == (f1, f1, 0.5)


def test_dialogs_of_quac():
    golds = [["a b", "a b"], ["c"], ["d"], ["e"]]
    given = ["a b", "c", "x", "e"]
    with pytest.raises(ValueError, match=r"quac needs the dialog of each question; give gold_details="):
        score("quac", given, golds)
    scores = score("quac", given, golds, gold_details={"dialog": ["m", "n", "m", "o"]})
    assert scores["heq_d"] == 2 / 3
    joined = type(scores).concat([scores.take(np.array(rows)) for rows in ([0, 1], [2, 3])])
    assert joined["heq_d"] == 2 / 3  # the dialog m is in both parts
    assert scores["heq_q"] == 0.75 and answer_error_kinds(scores) == ["correct", "correct", "no shared word", "correct"]
    with pytest.raises(ValueError, match="predicted_details has 'yesno', and gold_details lacks it"):
        score("quac", {"1_q#0": "a"}, {"1_q#0": ["a"]}, predicted_details={"yesno": ["y"]})
    assert (
        "yesno_accuracy" not in score("quac", {"1_q#0": "a"}, {"1_q#0": ["a"]}, gold_details={"yesno": ["y"]}).measures
    )


def test_dialogs_are_resampled_whole():
    dialogs = [dialog for dialog in range(40) for _ in range(3)]
    given = [("x" if dialog % 4 else "y") if turn == 1 else "x" for dialog in range(40) for turn in range(3)]
    scores = score("quac", given, [["x"]] * 120, gold_details={"dialog": dialogs})
    interval = scores.interval(names=["heq_d"], n_resamples=200)["heq_d"]
    assert scores["heq_d"] == 0.75 and 0.55 < interval.low < 0.65 and 0.85 < interval.high < 0.9


@pytest.mark.parametrize("seed", range(3))
def test_edits_match_the_usual_table(seed):
    random = np.random.default_rng(seed)
    for _ in range(60):
        first, second = ("".join(random.choice(list("abcé"), random.integers(0, 80))) for _ in range(2))
        row = list(range(len(second) + 1))
        for place, left in enumerate(first, 1):
            last, row[0] = row[0], place
            for at, right in enumerate(second, 1):
                last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (left != right))
        assert edit_distance(first, second) == row[-1]


def test_half_of_a_text_is_enough_in_docvqa():
    assert score("docvqa", ["ab", "abc", "İ"], [["ac"], ["a"], ["i̇"]]).columns["anls"].tolist() == [0.5, 0.0, 1.0]


def test_tokens_of_nltk_need_nltk(monkeypatch):
    assert score("cmrc2018", ["约3.5%"], [["3.5%"]])["f1"] == 0.8
    monkeypatch.setitem(__import__("sys").modules, "nltk", None)
    with pytest.raises(
        ImportError, match="'mr. li', which the script of CMRC 2018 splits with NLTK; run `pip install nltk`"
    ):
        score("cmrc2018", ["Mr. Li"], [["李"]])


def test_words_match_nltk():
    nltk = pytest.importorskip("nltk")
    for text in ["1,000 m", "a%b", "3.5%", "a,1 (b)", "cannot", "No.5", "it's", "x\u3000y"]:
        assert cmrc._words(text) == nltk.word_tokenize(text, preserve_line=True)


@pytest.mark.parametrize(
    "row, told",
    [
        (
            ["a"],
            r"references\[0\]\[0\] must be a list of short answers, got str: 'a'; give a list of short answers for each",
        ),
        ([], r"references\[0\] has no sub-question"),
        ("a", r"references\[0\] must be a list of sub-questions, got str: 'a'"),
    ],
)
def test_sub_questions_of_asqa(row, told):
    with pytest.raises((TypeError, ValueError), match=told):
        score("asqa", ["a"], [row])
    pairs = {"qa_pairs": [{"short_answers": ["Rome", "Roma"]}, {"short_answers": ["Oslo"]}]}
    assert score("asqa", ["Rome [1] and\nOslo"], [pairs]).summary(["str_em", "str_hit"]) == {
        "str_em": 0.5,
        "str_hit": 0.0,
    }


def test_spans_of_a_missing_answer_count():
    scores = score("multispanqa", {"a": ["x", "y"]}, {"a": ["x", "y"], "b": ["z"], "c": []})
    found = scores.summary(["exact_precision", "exact_recall", "exact_f1", "exact_match"])
    assert found == {"exact_precision": 0.5, "exact_recall": 0.5, "exact_f1": 0.5, "exact_match": 1 / 3}
    assert answer_error_kinds(scores) == ["correct", "no prediction", "no prediction"]


def tatqa(answer, gold, kind="arithmetic", scales=("million", "million")):
    details = {
        "gold_details": {"scale": [scales[0]], "answer_type": [kind]},
        "predicted_details": {"scale": [scales[1]]},
    }
    return score("tatqa", [answer], [gold], **details).summary(["exact_match", "f1", "scale_accuracy"])


def test_amounts_of_tatqa():
    right = {"exact_match": 1.0, "f1": 1.0, "scale_accuracy": 1.0}
    assert tatqa(12.5, ["12.50"]) == tatqa("$12.5", 12.5) == right
    assert tatqa("0.2342", "23.42", scales=("percent", "")) == {**right, "scale_accuracy": 0.0}
    assert tatqa("12.5", "12.5", scales=("million", "thousand"))["exact_match"] == 0.0
    assert tatqa(["cash", "debt"], ["debt", "cash"], "multi-span", ("", "")) == right
    assert tatqa("3", "3.0", "count", ("", "")) == right


@pytest.mark.parametrize(
    "columns, told",
    [
        ({"answer": [1, 2], "gold": "1"}, r"predictions\[0\]\[0\] must be a string"),
        ({"answer": "1", "gold": [1, 2]}, r"references\[0\] must be a list of spans, a text or a number"),
        ({"answer": "1", "gold": "two", "kind": "count"}, r"references\[0\] is the answer of a count"),
        ({"answer": "1", "gold": "1", "scales": ("", None)}, r"predicted_details\['scale'\]\[0\] must be a text"),
        ({"answer": "9" * 400, "gold": "1"}, "row 0 has a number that is too large"),
    ],
)
def test_bad_amounts(columns, told):
    with pytest.raises((TypeError, ValueError), match=told):
        tatqa(**columns)


def test_what_tatqa_and_kilt_need():
    with pytest.raises(ValueError, match=r"predicted_details lacks 'scale'; give predicted_details="):
        score("tatqa", ["1"], [["1"]], gold_details={"scale": [""], "answer_type": ["span"]})
    with pytest.raises(ValueError, match=r"gold_details lacks 'pages'"):
        score("kilt", ["1"], [["1"]], predicted_details={"pages": [["p"]]})
    with pytest.raises(TypeError, match=r"gold_details\['pages'\]\[0\] must be a list of ids of pages, got str: 'p'"):
        score("kilt", ["1"], [["1"]], gold_details={"pages": ["p"]}, predicted_details={"pages": [["p"]]})


def test_pages_of_kilt():
    pages = {
        "gold_details": {"pages": [["7"], [["1", "2"], ["3"]]]},
        "predicted_details": {"pages": [[7, 8], ["2", "x"]]},
    }
    scores = score("kilt", ["a b", "c"], [["A B!"], ["c"]], **pages)
    assert scores.columns["r_precision"].tolist() == [1.0, 0.5]
    assert scores.columns["kilt_exact_match"].tolist() == [1.0, 0.0] and scores["exact_match"] == 1.0
    assert scores.columns["accuracy"].tolist() == [0.0, 1.0] and scores["kilt_accuracy"] == 0.0


def test_paragraphs_that_gold_answers_do_not_name():
    with pytest.raises(ValueError, match=r"references\[0\] has the gold answer '3', which does not name a paragraph"):
        score("longbench:retrieval", ["3"], [["3"]])


@pytest.mark.parametrize("preset", ["docvqa", "cmrc2018", "tatqa", "longbench:count", "gaia"])
def test_rules_that_normalise_by_themselves_take_no_normalizer(preset):
    with pytest.raises(ValueError, match="does not have the option normalizer"):
        score(preset, ["a"], [["a"]], normalizer="squad")
