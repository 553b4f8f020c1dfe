"""Visitors choose what changes numbers, and nothing that makes the server fetch, run or read; pasted text is as a file of it."""

import dataclasses

import pytest

from qassay.core.interval_settings import Intervals
from qassay.pages.limits import MAX_RESAMPLES, MAX_TEXT, InputError
from qassay.registry import get_family
from qassay.space.analysis import analyze
from qassay.space.choices import MODELS_VARIABLE, Choices, allowed_models, read_choices
from qassay.space.inputs import find_inputs
from qassay.space.pasted import read_pasted

SAFE = {"model", "raw", "normalizer", "thresholds", "top_k", "extract", "unextracted", "missing", "duplicates"}


def test_options_measures_columns_and_numbers_are_read():
    text = "metric = answer_match\nmissing = skip\n\nseed=7\nn_resamples=50\nmeasures=f1, exact_match,contains"
    choices = read_choices(f"{text}\nnames=small, large\ncolumns = references = a b\ncolumns=references=c", 0.9)
    assert choices.metric == "answer_match" and choices.options == ("missing=skip",)
    assert choices.measures == ("f1", "exact_match", "contains") and choices.names == ("small", "large")
    assert choices.columns == {"references": ("a b", "c")}
    assert choices.settings.intervals == Intervals(0.9, n_resamples=50, seed=7)
    assert (
        read_choices("confidence=0.8", 0.95).settings.intervals.confidence == 0.8
        and read_choices("", None, 7.0).settings.intervals.seed == 7
    )
    assert read_choices("k=1, 3,5").options == ("k=1, 3,5",) and read_choices() == Choices()
    preset = read_choices("preset=nq_open")
    assert (preset.metric, preset.options) == ("answer_match", ("preset=nq_open",))


_, _SIMILARITY = get_family("semantic_answer_similarity").load()


def test_options_that_fetch_run_or_read_are_refused():
    closed = [f.name for f in dataclasses.fields(_SIMILARITY) if f.init and f.name not in SAFE]
    assert {"device", "trust_remote_code", "revision"} <= {*closed}
    for name in closed:
        for metric in ("metric=semantic_answer_similarity\n", "metric=answer_match\n", ""):
            with pytest.raises(InputError, match=name):
                read_choices(f"{metric}{name}=x")
    with pytest.raises(InputError, match="labels needs an integer, at most 1,000,000"):
        read_choices("metric=label_metrics\nlabels=1000001")
    for name in ("answer_match", "factoid_accuracy", "retriever_reader", "semantic_answer_similarity"):
        assert "top_k=3" in read_choices(f"metric={name}\ntop_k=3").options
    for metric in ("metric=answer_match\n", "metric=answer_equivalence\n", ""):
        assert "extract=json:answer" in read_choices(f"{metric}extract=json:answer").options
        with pytest.raises(InputError, match="regular expression"):
            read_choices(f"{metric}extract=regex:(a+)+$")


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "../x", "LITE"])
def test_only_models_of_the_operator_are_allowed(model, monkeypatch):
    monkeypatch.delenv(MODELS_VARIABLE, raising=False)
    assert allowed_models() == ["lite"]
    text = f"metric=semantic_answer_similarity\nmodel={model}"
    with pytest.raises(InputError, match="lite"):
        read_choices(text)
    monkeypatch.setenv(MODELS_VARIABLE, f" one/model, {model},")
    assert read_choices(text).options == (f"model={model}",)


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
        ("confidence=95", "confidence: 95"),
        ("confidence=high", "'high'"),
        ("columns=gold", "'gold'"),
        ("columns=predictions=a\ncolumns=references=b\ncolumns=references=a", "'a' .*predictions and references"),
        ("columns=ids=a\ncolumns=ids=b", "ids .*a and b"),
        ("metric=gone", "gone"),
        ("interval_method=gone", "gone"),
    ],
)
def test_other_options_are_refused(options, named):
    with pytest.raises(ValueError, match=named):
        read_choices(options)


def test_confidence_and_seed_have_bounds_and_are_given_once():
    for level in (0, 1, -0.5, 95, float("nan")):
        with pytest.raises(InputError, match="confidence"):
            read_choices(confidence=level)
    for seed in (-1, 0.5, 1e12):
        with pytest.raises(InputError, match="seed"):
            read_choices(seed=seed)
    for name, box in (("confidence", {"confidence": 0.9}), ("seed", {"seed": 3})):
        with pytest.raises(InputError, match=f"{name} has a separate box"):
            read_choices(f"{name}=0.5", **box)


# --- pasted -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def score(tmp_path):
    """A function of the boxes -> the exact match, or the first measure, of what they hold."""

    def call(predictions, gold, separator=" | ", metric=None):
        found = find_inputs(read_pasted(predictions, gold, separator, str(tmp_path), metric), Choices(metric))
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
