"""Pasted text is what a file of it would be, or else lines."""

import pytest

from qassay.pages.limits import MAX_TEXT, InputError
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.inputs import find_inputs
from qassay.spaces_app.pasted import lines_of, read_pasted, split_golds


@pytest.fixture
def score(tmp_path):
    """A function of the boxes -> the exact match, or the first measure, of what they hold."""

    def call(predictions, gold, separator=" | ", metric=None):
        found = find_inputs(read_pasted(predictions, gold, separator, str(tmp_path), metric), metric=metric)
        analysis = analyze(found.inputs)
        return next(iter(analysis.report.systems[analysis.systems[0]].values())).value

    return call


def test_lines_with_several_golds_and_empty_ones(score):
    assert score("Paris\nRome\n\nfour", "Lyon | Paris\nMilan\n\nfour\n") == 75
    assert score("Paris\n", "in Lyon;Paris", ";") == 100
    assert score("a | b\nc", "a | b\nc", "") == 100


def test_lines_that_look_like_tables_or_numbers_stay_lines(score):
    assert score("Paris, France\nRome, Italy", "Paris, France\nRome") == 50
    assert score("1\n2\n3", "1\n2\n4") == pytest.approx(200 / 3)
    assert score("a\nb", "a\nb", metric="label_metrics") == 100


@pytest.mark.parametrize(
    ("predictions", "gold"),
    [
        ('{"a": "x"}', '{"a": ["x"]}'),
        ('["x"]', '[["x"]]'),
        ("id,prediction\n1,x\n", "id,gold\n1,x\n"),
        ("id\tprediction\n1\tx\n", "id\tgold\n1\tx\n"),
        (
            '{"id": 1, "prediction": "x"}\n{"id": 2, "prediction": "y"}',
            '{"id": 1, "gold": "x"}\n{"id": 2, "gold": "y"}',
        ),
        ("prediction,gold\nx,x\n", ""),
        ("", "prediction,gold\nx,x\n"),
        ("q Q0 d 1 2.5 run", "q 0 d 1"),
        ("q 0 d 1", "q Q0 d 1 2.5 run"),
    ],
)
def test_json_tables_and_runs_are_told_as_files_are(score, predictions, gold):
    assert score(predictions, gold) == 100


@pytest.mark.parametrize(
    ("predictions", "gold", "message"),
    [
        ("a\nb", "a", "2 lines of predictions and 1 of gold answers"),
        ("a", "", "pasted predictions has lines, which belong to lines of gold answers"),
        ("", "a", "pasted gold has lines, which belong to lines of predictions"),
        ('{"a": "x"}', "x", "the other box has lines"),
        ("{", "x", "pasted predictions: this is not valid JSON"),
        ("[" * 100_000, "x", "pasted predictions: .*nested too deeply"),
        ("x" * (MAX_TEXT + 1), "x", "2,000,001 characters are too many"),
    ],
)
def test_what_does_not_go_together_is_told(score, predictions, gold, message):
    with pytest.raises(InputError, match=message):
        score(predictions, gold)


def test_lines_end_as_any_system_ends_them():
    assert lines_of("a\r\nb\r\n") == lines_of("a\nb") == lines_of("a\rb") == ["a", "b"]
    assert lines_of("\n\n") == ["", ""]
    assert split_golds("a|b | c | ") == split_golds("a|b | c | ", " | ") == ["a", "b", "c"]
