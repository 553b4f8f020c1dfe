"""Wrong calls and broken files: one line that says what is wrong, exit code 2."""

from pathlib import Path

import pytest
from pyarrow import parquet

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "answers"
GOLD, SMALL = (str(SAMPLES / f"{name}.json") for name in ("gold", "small_model"))


@pytest.mark.parametrize(
    "arguments, words",
    [
        (
            (SMALL, GOLD),
            "small_model.json: this looks like predictions ({id: text}), not a gold file; the gold file comes first",
        ),
        ((GOLD,), "gold.json: this has gold answers only; give predictions too"),
        ((GOLD, "nothing.json"), "nothing.json: no such file"),
        ((GOLD, str(SAMPLES)), "answers: this folder has files of several kinds"),
        (
            (GOLD, SMALL, "--option", "references=max"),
            "answer_match has no option 'references'; it has: preset, task, norm",
        ),
        ((GOLD, SMALL, "--option", "top_k"), "has no value"),
        ((GOLD, SMALL, "--option", "top_k=a"), "needs numbers separated by commas"),
        ((GOLD, SMALL, "--option", "empty_f1=x"), "empty_f1 needs a number"),
        ((GOLD, SMALL, "--measures", "f2"), "no measure 'f2'"),
        (
            (GOLD, SMALL, "--by", "langage"),
            "no slice 'langage' (did you mean 'language'?); available: question_word, error_kind",
        ),
        ((GOLD, SMALL, "--level", "95"), "level must be between 0 and 1"),
        ((GOLD, SMALL, "--resamples", "0"), "n_resamples must be an integer of at least 1"),
        ((GOLD, SMALL, "--per-example", "x.xls"), "must end with one of: .parquet, .csv, .jsonl"),
        (
            (GOLD, SMALL, "--columns", "key=id"),
            "must be ROLE=NAME, or FILE:ROLE=NAME with one of the roles: predictions, references",
        ),
        ((GOLD, SMALL, "--format", "xml"), "invalid choice: 'xml'"),
        ((GOLD, SMALL, "--level", "x"), "invalid float value"),
        ((GOLD, SMALL, "--output", str(SAMPLES / "no" / "folder.txt")), "samples/answers/no; make it first"),
        ((), "required: GOLD"),
    ],
)
def test_wrong_calls_say_what_is_wrong_in_one_line(fail, arguments, words):
    assert words in fail("score", *arguments)


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "this file is empty"),
        ('{"other": "x"}', "no prediction has the id of a reference"),
        ('{"lighthouse-1": ["a", "b"]}', "top_k"),
        ('{"lighthouse-1": "a", "lighthouse-1": "b"}', "repeats the id 'lighthouse-1'"),
    ],
)
def test_bad_predictions_name_the_file(tmp_path, fail, content, words):
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    error = fail("score", GOLD, path)
    assert error.startswith(f"qassay: error: {path}: ")
    assert words in error


def test_bad_references_name_the_gold_file(tmp_path, fail):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "a", "answers": ["x"]}\n{"id": "b", "answers": null}\n', encoding="utf-8")
    predictions = tmp_path / "p.json"
    predictions.write_text('{"a": "x", "b": "y"}', encoding="utf-8")
    error = fail("score", gold, predictions)
    assert error.startswith(f"qassay: error: {gold}: references[1]") and "None" in error


def test_a_parquet_without_the_named_column(tmp_path, fail):
    import pyarrow as pa

    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"id": [1], "guess": ["x"], "gold": [["x"]]}), path)
    assert "there is no column 'gess' (did you mean 'guess'?); it has: id, guess, gold" in fail(
        "score", path, "--columns", "predictions=gess"
    )
    assert "not predictions; name its column of predictions with --columns predictions=NAME" in fail("score", path)


def test_slices_need_few_labels_and_question_words_need_questions(tmp_path, fail):
    path = tmp_path / "t.csv"
    path.write_text("id,prediction,gold,note\n" + "".join(f"{i},x,x,n{i}\n" for i in range(1001)), encoding="utf-8")
    assert "note has 1001 different values" in fail("score", path, "--by", "note", "--no-intervals")
    assert "because the gold file has no questions" in fail("score", path, "--by", "question_word")


# --- files behind an option that takes every value after it -------------------------------------------------------------


@pytest.mark.parametrize("option, value", [("--by", "lang"), ("--measures", "f1"), ("--option", "missing=zero"),
                                           ("--columns", "ids=id"), ("--no-answer-probabilities", "na.json")])  # fmt: skip
def test_files_consumed_by_an_option_get_the_right_order_in_the_message(fail, put, option, value):
    gold, system = put("gold.json", {"1": ["a"]}), put("system.json", {"1": "a"})
    value = put(value, {"1": 0.5}) if value.endswith(".json") else value
    error = fail("score", "--seed", 3, option, value, gold, system)
    assert f"{option} takes every value after it, and took the file " in error
    assert "; files come first: qassay score " in error and f"--seed 3 {option}" in error
    if option != "--no-answer-probabilities":
        assert (
            f"took the file {gold}; files come first: qassay score {gold} {system} --seed 3 {option} {value}\n" in error
        )
        assert f"{option} takes every value after it, and took the file {system}" in fail(
            "score", gold, option, value, system
        )


def test_a_slice_may_have_the_name_of_a_file_without_an_ending(run, put, monkeypatch, tmp_path):
    table = put("t.csv", "id,lang,prediction,gold\n1,en,x,x\n")
    put("lang", "")
    monkeypatch.chdir(tmp_path)
    assert "en" in run("score", table, "--by", "lang", "--no-intervals")


def test_messages_show_values_of_options_as_typed(fail, put):
    gold = put("gold.json", {"1": ["a"]})
    assert "the option duplicates=first or last\n" in fail("score", gold, put("twice.json", '{"1": "a", "1": "b"}'))
    assert "the option top_k, for example top_k=1,5\n" in fail("score", gold, put("ranked.json", {"1": ["a", "b"]}))
    assert "option missing=nil is unknown" in fail("score", gold, gold, "--option", "missing=nil")
    with pytest.raises(TypeError, match=r"for example top_k=\(1, 5\)"):
        qassay.score("answer_match", {"1": ["a", "b"]}, {"1": ["a"]})
