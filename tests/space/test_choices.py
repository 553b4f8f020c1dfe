"""Visitors choose what changes numbers, and nothing that makes the server fetch, run or read; pasted text is as a file of it."""

import dataclasses

import pytest

from qassay.core.interval_settings import Intervals
from qassay.pages.limits import MAX_RESAMPLES, MAX_TEXT, InputError
from qassay.registry import get_family
from qassay.space.analysis import analyze
from qassay.space.choices import MODELS_VARIABLE, allowed_models, chosen_columns, read_choices
from qassay.space.inputs import find_inputs
from qassay.space.pasted import read_pasted

SAFE = {"model", "raw", "normalizer", "thresholds", "top_k", "extract", "unextracted", "missing", "duplicates"}


def test_options_measures_and_numbers_are_read():
    choices = read_choices("answer_match", "missing = skip\n\nseed=7\nn_resamples=50", "f1, exact_match\ncontains", 0.9)
    assert choices.options == ("missing=skip",) and choices.measures == ("f1", "exact_match", "contains")
    assert choices.settings.intervals == Intervals(0.9, n_resamples=50, seed=7)
    assert read_choices("label_metrics", "k=1, 3,5").options == ("k=1, 3,5",)


_, _SIMILARITY = get_family("semantic_answer_similarity").load()


def test_options_that_fetch_run_or_read_are_refused():
    closed = [f.name for f in dataclasses.fields(_SIMILARITY) if f.init and f.name not in SAFE]
    assert {"device", "trust_remote_code", "revision"} <= {*closed}
    for name in closed:
        for metric in ("semantic_answer_similarity", "answer_match", None):
            with pytest.raises(InputError, match=name):
                read_choices(metric, f"{name}=x")
    with pytest.raises(InputError, match="labels needs an integer, at most 1,000,000"):
        read_choices("label_metrics", "labels=1000001")
    for name in ("answer_match", "factoid_accuracy", "retriever_reader", "semantic_answer_similarity"):
        assert "top_k=3" in read_choices(name, "top_k=3").options
    for metric in ("answer_match", "answer_equivalence", None):
        assert "extract=json:answer" in read_choices(metric, "extract=json:answer").options
        with pytest.raises(InputError, match="regular expression"):
            read_choices(metric, "extract=regex:(a+)+$")


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "../x", "LITE"])
def test_only_models_of_the_operator_are_allowed(model, monkeypatch):
    monkeypatch.delenv(MODELS_VARIABLE, raising=False)
    assert allowed_models() == ["lite"]
    for given in ({"options": f"model={model}"}, {"model": model}):
        with pytest.raises(InputError, match="lite"):
            read_choices("semantic_answer_similarity", **given)
    monkeypatch.setenv(MODELS_VARIABLE, f" one/model, {model},")
    assert read_choices("semantic_answer_similarity", model=model).options == (f"model={model}",)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("label_counts=/etc/passwd", "label_counts"),
        (f"n_resamples={MAX_RESAMPLES + 1}", "10,000"),
        ("n_resamples=1e3", "n_resamples"),
        ("k=1,1000000000", "3,000"),
        ("missing", "'missing'"),
        ("model=lite", "semantic_answer_similarity"),
        ("seed=-1", "seed"),
        ("missing=skip\nmissing=zero", "missing .*twice"),
        ("a=" + "x" * 2_000, "2,002"),
    ],
)
def test_other_options_are_refused(options, named):
    with pytest.raises(InputError, match=named):
        read_choices(None, options)


def test_levels_are_between_0_and_1_and_a_column_has_one_role():
    for level in (0, 1, -0.5, 95, float("nan")):
        with pytest.raises(InputError, match="level"):
            read_choices(level=level)
    for given in ({"predictions": "a", "references": ["b", "a"]}, {"ids": ["a", "b"]}):
        with pytest.raises(ValueError, match="'a' .*predictions and references|ids .*a and b"):
            chosen_columns(given)


# --- pasted -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def score(tmp_path):
    """A function of the boxes -> the exact match, or the first measure, of what they hold."""

    def call(predictions, gold, separator=" | ", metric=None):
        found = find_inputs(read_pasted(predictions, gold, separator, str(tmp_path), metric), metric=metric)
        analysis = analyze(found.inputs)
        return next(iter(analysis.report.systems[analysis.systems[0]].values())).value

    return call


def test_pasted_lines_also_those_that_look_like_tables_or_numbers(score):
    assert score("Paris\nRome\n\nfour", "Lyon | Paris\nMilan\n\nfour\n") == 75
    assert score("Paris\r\n", "in Lyon;Paris", ";") == 100
    assert score("a | b\rc", "a | b\nc", "") == 100
    assert score("Paris, France\nRome, Italy", "Paris, France\nRome") == 50
    assert score("1\n2\n3", "1\n2\n4") == pytest.approx(200 / 3)


@pytest.mark.parametrize(
    ("predictions", "gold"),
    [
        ('{"a": "x"}', '{"a": ["x"]}'),
        ("id\tprediction\n1\tx\n", "id\tgold\n1\tx\n"),
        (
            '{"id": 1, "prediction": "x"}\n{"id": 2, "prediction": "y"}',
            '{"id": 1, "gold": "x"}\n{"id": 2, "gold": "y"}',
        ),
        ("", "prediction,gold\nx,x\n"),
    ],
)
def test_pasted_json_tables_and_runs_are_told_as_files_are(score, predictions, gold):
    assert score(predictions, gold) == 100


@pytest.mark.parametrize(
    ("predictions", "gold", "named"),
    [
        ("a\nb", "a", "2 .*1"),
        ("", "a", "pasted gold"),
        ("{", "x", "pasted predictions"),
        ("x" * (MAX_TEXT + 1), "x", "2,000,001"),
    ],
)
def test_pasted_texts_that_do_not_go_together_are_refused(score, predictions, gold, named):
    with pytest.raises(InputError, match=named):
        score(predictions, gold)
