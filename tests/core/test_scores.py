"""Scores: one mechanism for values, intervals, slices and merging."""

import dataclasses
import math
from typing import ClassVar

import numpy as np
import pytest

import qassay
from qassay.core.measures import Count, Mean
from qassay.core.options import Options
from qassay.core.scores import Scores


@dataclasses.dataclass(frozen=True)
class ToyOptions(Options):
    family: ClassVar[str] = "toy"
    size: int = dataclasses.field(default=1, metadata={"key": "size", "always": True})
    mode: str = dataclasses.field(default="a", metadata={"key": "mode"})
    silent: bool = False


MEASURES = {"f1": Mean("f1"), "odd_f1": Mean("f1", "odd"), "total": Count(), "odd_total": Count("odd")}


def make(values, ids=None, odd=None, weights=None, notes=None, options=None):
    values = np.array(values, float)
    odd = np.arange(len(values)) % 2 == 1 if odd is None else np.array(odd, bool)
    weights = None if weights is None else np.array(weights, float)
    ids = range(len(values)) if ids is None else ids
    return Scores(
        ids=ids,
        columns={"f1": values},
        subsets={"odd": odd},
        measures=MEASURES,
        options=options or ToyOptions(),
        notes=notes or {},
        weights=weights,
    )


def test_nan_does_not_apply():
    scores = make([1, math.nan, 0.5])
    assert scores.summary(["f1", "odd_f1", "total"]) == {"f1": 0.75, "odd_f1": None, "total": 3}
    assert scores.counts() == {"f1": 2, "odd_f1": 0, "total": 3, "odd_total": 1}


def test_a_measure_of_an_empty_subset_is_none_with_count_zero():
    scores = make([1, 1], odd=[False, False])
    assert scores.summary(["odd_f1", "odd_total"]) == {"odd_f1": None, "odd_total": 0}
    assert scores.interval()["odd_f1"] == (None, None)
    assert scores.subset("odd").summary() == {"f1": None, "odd_f1": None, "total": 0, "odd_total": 0}
    assert scores.subset("odd").interval() == {"f1": (None, None), "odd_f1": (None, None)}


def test_concat_refuses_what_does_not_belong_together():
    with pytest.raises(ValueError, match="at least one"):
        Scores.concat([])
    with pytest.raises(ValueError, match="part 1 has other options: size=2 against 1"):
        Scores.concat([make([1]), make([1], options=ToyOptions(2))])
    with pytest.raises(ValueError, match="repeats the id 'a' of row 0"):
        Scores.concat([make([1], ["a"]), make([0], ["a"])])
    other = dataclasses.replace(make([1]), columns={"f2": np.ones(1)})
    with pytest.raises(ValueError, match="part 1 has other columns"):
        Scores.concat([make([1]), other])
    with pytest.raises(ValueError, match="part 1 has other measures"):
        Scores.concat([make([1]), dataclasses.replace(make([1]), measures={"f1": Mean("f1")})])


def test_concat_adds_notes_and_fills_weights():
    joined = Scores.concat(
        [make([1], notes={"unmatched": 1}, weights=[2]), make([0], notes={"unmatched": 2, "new": 1})]
    )
    assert joined.notes == {"unmatched": 3, "new": 1}
    assert joined.weights.tolist() == [2, 1]


def test_unequal_scores():
    scores = make([1, 0.5], ["a", "b"])
    assert scores != make([1, 0.25], ["a", "b"])
    assert scores != make([1, 0.5], ["a", "c"])
    assert scores != make([1, 0.5], ["a", "b"], weights=[1, 2])
    assert scores != make([1, 0.5], ["a", "b"], options=ToyOptions(2))
    assert scores != make([1], ["a"])
    assert (scores == 3) is False
    assert make([math.nan]) == make([math.nan])
    two = dataclasses.replace(scores, columns={"f1": scores.columns["f1"], "x": 1 - scores.columns["f1"]})
    turned = dict(reversed(two.columns.items()))
    assert dataclasses.replace(two, columns=turned) == two, "columns in another order"
    assert dataclasses.replace(two, columns=dict(zip(two.columns, turned.values(), strict=True))) != two


def test_what_is_handed_out_cannot_change_the_scores():
    scores = make([1, 0])
    with pytest.raises(ValueError, match="read-only"):
        scores.per_example()["f1"] *= 100
    assert scores.summary(["f1"]) == {"f1": 0.5}


def test_slices():
    scores = make([1, 0.5, 0], ["a", "b", "c"], notes={"unmatched": 1}, weights=[1, 1, 2])
    slices = scores.by(np.array(["x", "y", "x"]))
    assert list(slices) == ["x", "y"]
    assert slices["x"].ids == ["a", "c"]
    assert slices["x"].summary(["f1"]) == {"f1": 1 / 3}
    assert slices["x"].notes == {"unmatched": 0}
    assert list(slices["x"].summary()) == list(scores.summary())
    assert list(scores.by([1, None, "1"])) == [None, 1, "1"]
    assert list(scores.by([math.nan, "x", float("nan")])) == [None, "x"]
    for values in (["x", "y"], ["x", "y", "x", "y"]):
        with pytest.raises(ValueError, match=f"got {len(values)} values for 3 examples"):
            scores.by(values)
    with pytest.raises(TypeError, match=r"slices\[1\] .* list"):
        scores.by(["x", ["y"], "z"])
    with pytest.raises(ValueError, match="slices must be a column"):
        scores.by("xyz")
    assert scores.subset("odd").ids == ["b"]
    assert scores.subset([True, False, True]).ids == ["a", "c"]
    with pytest.raises(ValueError, match=r"no subset 'od' \(did you mean 'odd'\?\)"):
        scores.subset("od")
    with pytest.raises(ValueError, match="needs 3 booleans"):
        scores.subset([0, 1, 2])


def test_levels_and_draws_that_are_wrong():
    scores = make([1, 0, 1])
    for confidence in (0, 1, -0.1, 95, math.nan, "0.95", None, True):
        with pytest.raises(ValueError, match="confidence"):
            scores.interval(confidence=confidence)
    for wrong in ({"seed": -1}, {"seed": 0.5}, {"seed": True}, {"n_resamples": 0}, {"n_resamples": "9"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
            scores.interval(**wrong, method="percentile")
    with pytest.raises(ValueError, match="wald"):
        scores.interval(method="wald")


LETTERS = ["x", "y", "z", "q"], ["x", "a", "z", "b"]  # the first and the third answer are right


def test_slices_and_masks_by_id(pd):
    """A dict by id, or a series with the ids as its index, counts by id, whatever its order."""
    scores = qassay.score("answer_match", *LETTERS, ids=["1", "2", "3", "4"])
    langs = {"4": "fr", "3": "fr", "2": "en", "1": "en"}
    numbers = pd.Series(list(langs.values()), index=map(int, langs))  # 1 and "1" are one id
    for labels in (langs, pd.Series(langs), numbers, list(langs.values())[::-1], pd.Series(["en", "en", "fr", "fr"])):
        assert {label: part["em"] for label, part in scores.by(labels).items()} == {"en": 0.5, "fr": 0.5}
    right = {"3": True, "1": True, "2": False, "4": False}
    for mask in (right, pd.Series(right), [True, False, True, False]):
        assert scores.subset(mask)["em"] == 1.0
    with pytest.raises(ValueError, match="has no value for the id '4'"):
        scores.by({key: "en" for key in "123"})
    with pytest.raises(ValueError, match="some of the ids"):
        scores.by(pd.Series(list("abcd"), index=list("1235")))


def test_an_index_that_may_mean_two_orders_is_refused(pd):
    """Numbers of the examples in another order, without ids; numbers that may count rows or be ids. Part of a larger table has no such doubt."""
    scores = qassay.score("answer_match", *LETTERS)
    langs = pd.Series(["en", "fr", "fr", "en"], index=[2, 0, 1, 3])
    compare = lambda labels: qassay.compare({"a": scores, "b": scores}, by={"lang": labels})  # noqa: E731
    for by in (scores.by, scores.subset, compare):
        with pytest.raises(ValueError, match="numbers of the examples in another order"):
            by(langs)
    assert list(scores.by(langs.sort_index())) == list(scores.by(langs.tolist())) == ["en", "fr"]
    langs.index = [2, 0, 7, 3]
    assert {label: part["em"] for label, part in scores.by(langs).items()} == {"en": 0.5, "fr": 0.5}
    for ids in ([3, 0, 2, 1], list("3021")):
        scores = qassay.score("answer_match", *LETTERS, ids=ids)
        series = pd.Series([1, 0, 0, 1])
        for by in (scores.by, scores.subset, scores.with_groups):
            with pytest.raises(ValueError, match="give series.tolist"):
                by(series)
        assert scores.with_groups(series.to_dict()).groups.listed() == ["1", "1", "0", "0"]
    named = qassay.score("answer_match", *LETTERS, ids=list("wxyz"))
    with pytest.raises(ValueError, match="give series.tolist"):  # rows in another order, and no ids to see it
        named.by(pd.Series([1, 0, 0, 1]).iloc[::-1])
