"""Visitors choose what changes numbers, and nothing that makes the server fetch, run or read."""

import dataclasses

import pytest

from qassay.core.interval_settings import Intervals
from qassay.registry import get_family
from qassay.space.choices import MODELS_VARIABLE, Choices, allowed_models, read_choices
from qassay.space.limits import MAX_RESAMPLES

SAFE = {"model", "raw", "normalizer", "thresholds", "top_k", "extract", "unextracted", "missing", "duplicates"}


def test_options_measures_columns_and_numbers_are_read():
    text = "metric = answer_match\nmissing = skip\n\nseed=7\nn_resamples=50\nmeasures=f1, exact_match,contains"
    choices = read_choices(
        f"{text}\nnames=small, large\nby=topic\nconfidence=0.9\ncolumns = references = a b\ncolumns=references=c"
    )
    assert choices.metric == "answer_match" and choices.options == ("missing=skip",)
    assert choices.measures == ("f1", "exact_match", "contains") and choices.names == ("small", "large")
    assert choices.columns == {"references": ("a b", "c")} and choices.by == ("topic",)
    assert choices.intervals == Intervals(0.9, n_resamples=50, seed=7)
    assert read_choices("k=1, 3,5").options == ("k=1, 3,5",) and read_choices() == Choices()
    preset = read_choices("preset=nq_open")
    assert (preset.metric, preset.options) == ("answer_match", ("preset=nq_open",))


_, _SIMILARITY = get_family("semantic_answer_similarity").load()


def test_options_that_fetch_run_or_read_are_refused():
    closed = [f.name for f in dataclasses.fields(_SIMILARITY) if f.init and f.name not in SAFE]
    assert {"device", "trust_remote_code", "revision"} <= {*closed}
    for name in closed:
        for metric in ("metric=semantic_answer_similarity\n", "metric=answer_match\n", ""):
            with pytest.raises(ValueError, match=name):
                read_choices(f"{metric}{name}=x")
    for name in ("answer_match", "factoid_accuracy", "retriever_reader", "semantic_answer_similarity"):
        assert "top_k=3" in read_choices(f"metric={name}\ntop_k=3").options
    for metric in ("metric=answer_match\n", "metric=answer_equivalence\n", ""):
        assert "extract=json:answer" in read_choices(f"{metric}extract=json:answer").options
        with pytest.raises(ValueError, match="regular expression"):
            read_choices(f"{metric}extract=regex:(a+)+$")


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "../x", "LITE"])
def test_only_models_of_the_operator_are_allowed(model, monkeypatch):
    monkeypatch.delenv(MODELS_VARIABLE, raising=False)
    assert allowed_models() == ["lite"]
    text = f"metric=semantic_answer_similarity\nmodel={model}"
    with pytest.raises(ValueError, match="lite"):
        read_choices(text)
    monkeypatch.setenv(MODELS_VARIABLE, f" one/model, {model},")
    assert read_choices(text).options == (f"model={model}",)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (f"n_resamples={MAX_RESAMPLES + 1}", "10,000"),
        ("n_resamples=1e3", "n_resamples"),
        ("missing", "'missing'"),
        ("model=lite", "semantic_answer_similarity"),
        ("seed=-1", "seed"),
        ("missing=skip\nmissing=zero", "missing .*twice"),
        ("a=" + "x" * 2_000, "2,002"),
        ("confidence=95", "confidence must be .*got 95"),
        ("confidence=nan", "confidence"),
        ("seed=0.5", "seed"),
        ("confidence=0", "confidence must be .*got 0"),
        ("confidence=high", "'high'"),
        ("columns=gold", "'gold'"),
        ("columns=weights=a\ncolumns=weights=b", "weights .*a and b"),
        ("metric=gone", "gone"),
        ("interval_method=gone", "gone"),
    ],
)
def test_other_options_are_refused(options, named):
    with pytest.raises(ValueError, match=named):
        read_choices(options)
