"""Wrong calls and broken files: one line that says what is wrong, exit code 2."""

from pathlib import Path

import pytest

from qassay.cli.errors import WRITTEN

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "answers"
GOLD, SMALL = (str(SAMPLES / f"{name}.json") for name in ("gold", "small_model"))


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((SMALL, GOLD), "small_model.json: this looks like predictions"),
        ((GOLD,), "gold.json: this has gold data of answer_match only"),
        ((GOLD, "nothing.json"), "nothing.json: no such file"),
        ((GOLD, SMALL, "--option", "references=max"), "answer_match has no option 'references'"),
        ((GOLD, SMALL, "--option", "top_k"), "has no value"),
        ((GOLD, SMALL, "--option", "top_k=a"), "needs numbers separated by commas"),
        ((GOLD, SMALL, "--measures", "f2"), "no measure 'f2'"),
        ((GOLD, SMALL, "--seed", "1", "--seed", "2"), "--seed is given twice; give it once"),
        ((GOLD, SMALL, "--by", "langage"), "(did you mean 'language'?)"),
        ((GOLD, SMALL, "--confidence", "95"), "confidence must be between 0 and 1"),
        ((GOLD, SMALL, "--columns", "key=id"), "no role 'key' of columns; available: "),
        ((GOLD, SMALL, "--columns", "key"), "ROLE=NAME"),
        ((GOLD, SMALL, "--format", "xml"), "invalid choice: 'xml'"),
        ((GOLD, SMALL, "--pass-at", "1", "x"), "--pass-at takes integers, such as 1,5; got 1 x"),
        ((GOLD, SMALL, "--confidence", "0.9", "3"), "unrecognized arguments: 3; see qassay"),
        ((), "required: GOLD"),
    ],
)
def test_wrong_calls_say_what_is_wrong_in_one_line(fail, arguments, words):
    assert words in fail("score", *arguments)


@pytest.mark.parametrize(
    "gold, predictions, named, words",
    [
        (None, '{"other": "x"}', "p.json", "no prediction has the id of a reference"),
        (None, '{"lighthouse-1": "a", "lighthouse-1": "b"}', "p.json", "duplicate key 'lighthouse-1'"),
        ('{"id": "a", "answers": ["x"]}\n{"id": "b", "answers": 5}\n', '{"a": "x", "b": "y"}', "gold.jsonl", "column answers: references[1]"),
    ],
)  # fmt: skip
def test_bad_files_are_named(put, fail, gold, predictions, named, words):
    files = GOLD if gold is None else put("gold.jsonl", gold), put("p.json", predictions)
    error = fail("score", *files)
    assert error.startswith("qassay: error: ") and f"{named}: " in error and words in error


# --- files behind an option that takes every value after it -------------------------------------------------------------


@pytest.mark.parametrize("option, value", [("--by", "lang"), ("--columns", "ids=id"), ("--no-answer-probabilities", "na.json")])  # fmt: skip
def test_files_behind_an_option_with_several_values_are_refused_with_the_right_order(fail, put, option, value):
    gold, system = put("gold.json", {"1": ["a"]}), put("system.json", {"1": "a"})
    value = put(value, {"1": 0.5}) if value.endswith(".json") else value
    error = fail("score", "--seed", 3, option, value, gold, system)
    assert "files come first" in error


def test_a_slice_may_have_the_name_of_a_file_without_an_ending(run, put, monkeypatch, tmp_path):
    table = put("t.csv", "id,lang,prediction,gold\n1,en,x,x\n")
    put("lang", "")
    monkeypatch.chdir(tmp_path)
    assert "en" in run("score", table, "--by", "lang", "--no-intervals")


def test_how_options_are_written_follows_a_message_that_names_one(fail, put):
    gold = put("gold.json", {"1": ["a"]})
    told = fail("score", gold, put("ranked.json", {"1": ["a", "b"]}))
    assert "the option top_k=(1, 5)" in told and f"\n{WRITTEN}--option top_k=VALUE)\n" in told
    assert f"{WRITTEN}--columns ROLE=NAME, --metric NAME)" in fail("score", put("odd.csv", "id,body\n1,a\n"))
    assert f"{WRITTEN}--option missing=VALUE)" in fail("score", gold, gold, "--option", "missing=nil")
    assert f"{WRITTEN}--resamples N)" in fail("score", gold, put("p.json", {"1": "a"}), "--resamples", "0")
    assert WRITTEN not in fail("score", gold, "mine=none.json")
    assert WRITTEN not in fail("score", gold, gold, "--format", "xml")
