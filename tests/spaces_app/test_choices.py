"""Visitors choose what changes numbers, and nothing that makes the server fetch, run or read."""

import dataclasses

import pytest

from qassay.pages.limits import MAX_RESAMPLES, InputError
from qassay.registry import all_presets, get_family
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.choices import (
    MODELS_VARIABLE,
    allowed_models,
    chosen_columns,
    metric_choices,
    preset_choices,
    read_choices,
)
from qassay.spaces_app.inputs import sample_with

SAFE = {"model", "raw", "normalizer", "thresholds", "top_k", "extract", "unextracted", "missing", "duplicates"}


def test_nothing_chosen_leaves_all_to_the_files():
    choices = read_choices()
    assert (choices.metric, choices.options, choices.measures) == (None, (), None)
    assert choices.settings.level == 0.95


@pytest.mark.parametrize(
    "text",
    ["f1,map(rel=2, x=1)@10", "f1 map(rel=2, x=1)@10", " f1;map(rel=2, x=1)@10; ", "f1\r\n\n map(rel=2, x=1)@10"],
)
def test_measures_are_separated_as_people_write_them(text):
    assert read_choices(measures=text).measures == ("f1", "map(rel=2, x=1)@10")
    assert not read_choices(measures=" ; ,").measures
    assert read_choices(measures="p@5, 10 ndcg@3; 20").measures == ("p@5", "p@10", "ndcg@3", "ndcg@20")


def test_an_unknown_measure_is_told_with_the_near_name():
    inputs, _ = sample_with("answers", None, (), read_choices(measures="f1 exact_mach").measures, "")
    with pytest.raises(ValueError, match="no measure 'exact_mach'.*did you mean.*exact_match"):
        analyze(inputs)


def test_options_measures_and_numbers_are_read():
    choices = read_choices("answer_match", "missing = skip\n\nseed=7\nn_resamples=50", "f1, exact_match\ncontains", 0.9)
    assert choices.options == ("missing=skip",)
    assert choices.measures == ("f1", "exact_match", "contains")
    assert choices.settings[:2] == (0.9, 50) and choices.settings.seed == 7


def test_meaning_adds_similarity_by_lite():
    assert read_choices(meaning=True)[:2] == ("all", ("model=lite",))
    assert read_choices("semantic_answer_similarity").options == ("model=lite",)
    assert read_choices("retrieval_ranking", meaning=True)[:2] == ("retrieval_ranking", ())


_, _SIMILARITY = get_family("semantic_answer_similarity").load()


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(_SIMILARITY) if f.init and f.name not in SAFE])
def test_options_that_fetch_or_run_are_refused(name):
    for metric in ("semantic_answer_similarity", "answer_match", None):
        with pytest.raises(InputError, match=f"options: {name} cannot be chosen on this page"):
            read_choices(metric, f"{name}=x")


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "/etc", "../x", "LITE"])
def test_only_models_of_the_operator_are_allowed(model, monkeypatch):
    monkeypatch.delenv(MODELS_VARIABLE, raising=False)
    assert allowed_models() == ["lite"]
    with pytest.raises(InputError, match="cannot be chosen on this page; it has: lite"):
        read_choices("semantic_answer_similarity", f"model={model}")
    with pytest.raises(InputError, match="cannot be chosen"):
        read_choices("semantic_answer_similarity", model=model)
    monkeypatch.setenv(MODELS_VARIABLE, f" one/model, {model},")
    assert allowed_models() == ["lite", "one/model", model]
    assert read_choices("semantic_answer_similarity", model=model).options == (f"model={model}",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("label_counts=/etc/passwd", "label_counts needs numbers"),
        ("inverse_propensities=train.txt", "inverse_propensities needs numbers"),
        (f"n_resamples={MAX_RESAMPLES + 1}", "at most 10,000 here"),
        ("n_resamples=0", "needs an integer"),
        ("n_resamples=1e3", "needs an integer"),
        ("k=1,1000000000", "k needs integers up to 3,000"),
        ("k=1_000", "k needs integers"),
        ("seed=-1", "needs an integer"),
        ("missing", "'missing' has no value"),
        ("missing=skip\nmissing=zero", "missing is given twice"),
        ("model=lite", "model belongs to semantic_answer_similarity"),
        ("a=" + "x" * 2_000, "2,002 characters are too many"),
    ],
)
def test_other_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        read_choices(None, options)


def test_numbers_for_labels_are_no_files():
    assert read_choices("label_metrics", "label_counts={1: 3}\nn_train=9").options == (
        "label_counts={1: 3}",
        "n_train=9",
    )
    assert read_choices("label_metrics", "k=1, 3,5").options == ("k=1, 3,5",)
    assert read_choices("label_metrics", "label_counts=3, 0, 1.5e2").options == ("label_counts=3, 0, 1.5e2",)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_levels_are_between_0_and_1(level):
    with pytest.raises(InputError, match="level"):
        read_choices(level=level)


def test_unknown_metrics_are_refused():
    with pytest.raises(ValueError, match="no metric 'bleu'"):
        read_choices("bleu")
    for _, value in metric_choices():
        assert read_choices(value).metric == (value or None)


def test_a_column_has_one_role():
    assert chosen_columns({"predictions": "a", "ids": None, "question": " "}) == {"predictions": "a"}
    with pytest.raises(InputError, match="'a' cannot be both predictions and references"):
        chosen_columns({"predictions": "a", "references": "a"})
    with pytest.raises(InputError, match="'a' cannot be both predictions and references"):
        chosen_columns({"predictions": "a", "references": ["b", "a"]})


def test_gold_answers_may_have_several_columns():
    assert chosen_columns({"references": ["a", " b", "a"], "ids": ["c"]}) == {"references": ("a", "b"), "ids": "c"}
    with pytest.raises(ValueError, match="the role ids takes one column, but is given a and b; give one of them"):
        chosen_columns({"ids": ["a", "b"]})


def test_a_preset_brings_its_metric():
    assert read_choices(preset="search_r1")[:2] == ("answer_match", ("preset=search_r1",))
    assert read_choices("answer_match", "preset=mrqa\nempty_f1=1", preset="mrqa").options == (
        "preset=mrqa",
        "empty_f1=1",
    )
    assert {name for _, name in preset_choices()} == {"", *all_presets()}
    with pytest.raises(InputError, match="preset=mrqa is not the benchmark that is chosen, xquad; keep one of them"):
        read_choices(options="preset=mrqa", preset="xquad")
    with pytest.raises(ValueError, match=r"no preset 'xqaud' \(did you mean 'xquad'\?\)"):
        read_choices(preset="xqaud")


def test_no_pattern_that_may_never_end():
    assert read_choices("answer_match", "extract=json:answer").options == ("extract=json:answer",)
    for metric in ("answer_match", "answer_equivalence", None):
        with pytest.raises(InputError, match="a regular expression cannot be chosen on this page"):
            read_choices(metric, "extract=regex:(a+)+$")
