"""Measures: sums to the last digit, and the sweep over no-answer thresholds."""

import dataclasses
import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.best_threshold import BestThreshold
from qassay.core.measures import Mean, Share, exact_parts, exact_sum
from qassay.core.options import Options
from qassay.core.scores import Scores

FAST = settings(max_examples=100, deadline=None)
UNIT = st.floats(0, 1)


@dataclasses.dataclass(frozen=True)
class NoOptions(Options):
    family: ClassVar[str] = "toy"


FLOATS = st.one_of(
    UNIT, st.floats(-1e6, 1e6), st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(FLOATS))
def test_exact_sum_is_the_rounded_true_sum(values):
    right = float(sum(map(Fraction, values)))
    for array in (np.array(values), np.array(values[::-1])):
        assert exact_sum(array) == math.fsum(exact_parts(array)) == right


@pytest.mark.parametrize("n", [256, 257])
def test_few_and_many_values_have_equal_sums(n):
    values = np.random.default_rng(0).random(n) * 10.0 ** np.arange(n).clip(0, 20)
    assert exact_sum(values) == float(sum(map(Fraction, values)))


def naive_sweep(answered, withheld, probability):
    """Every threshold tried one by one."""
    found = []
    for threshold in [-math.inf, *sorted(set(probability))]:
        total = sum(w if p > threshold else a for a, w, p in zip(answered, withheld, probability, strict=True))
        found.append((total / len(answered), threshold))
    return found


def sweep_scores(rows):
    columns = {
        name: np.array([row[i] for row in rows], float) for i, name in enumerate(("answered", "withheld", "doubt"))
    }
    fields = ("answered", "withheld", "doubt")
    measures = {
        "best": BestThreshold(*fields),
        "threshold": BestThreshold(*fields, threshold=True),
        "f1": Mean("answered"),
    }
    return Scores(ids=range(len(rows)), columns=columns, measures=measures, options=NoOptions())


SWEEP_ROWS = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 1]), st.sampled_from([0, 0.1, 0.5, 0.9])),
    min_size=1,
)


@FAST
@given(SWEEP_ROWS, st.randoms(use_true_random=False))
def test_best_threshold_equals_trying_all(rows, random):
    tried = naive_sweep(*zip(*rows, strict=True))
    best = sweep_scores(rows).summary()
    assert best["best"] == pytest.approx(max(value for value, _ in tried), abs=1e-12)
    assert {t: v for v, t in tried}[best["threshold"]] == pytest.approx(best["best"], abs=1e-12)
    assert best["best"] >= best["f1"]  # without a threshold
    random.shuffle(rows)
    assert sweep_scores(rows).summary() == best


@FAST
@given(SWEEP_ROWS, st.lists(st.integers(0, 3), min_size=30, max_size=30))
def test_best_threshold_with_weights_equals_repeated_rows(rows, weights):
    rows = rows[:30]
    weights = weights[: len(rows)]
    weighted = dataclasses.replace(sweep_scores(rows), weights=np.array(weights, float))
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    expected = pytest.approx(sweep_scores(repeated).summary()["best"], abs=1e-12) if repeated else None
    assert weighted.summary()["best"] == expected


def test_best_threshold_omits_what_does_not_apply():
    scores = sweep_scores([(1, 0, 0.2), (math.nan, 0, 0.1), (0, 1, 0.9)])
    assert scores.summary(["best", "threshold"]) == {"best": 1.0, "threshold": 0.2}
    assert scores.counts()["best"] == 2


def test_script_sums_follow_the_rows():
    values = [0.1] * 10 + [1e16, -1e16]
    measures = {"m": Mean("f1"), "script": Mean("f1", as_script=True)}
    plain = Scores(ids=range(12), columns={"f1": np.array(values)}, measures=measures, options=NoOptions()).summary()
    assert plain["m"] == math.fsum(values) / 12
    assert plain["script"] == sum(values) / 12


@FAST
@given(st.lists(st.one_of(st.just(math.nan), st.sampled_from([0, 0.25, 0.5, 1])), min_size=1), st.randoms())
def test_a_share_is_the_mean_of_what_is_at_least_the_threshold(values, random):
    column, weights = np.array(values, float), np.array([random.randint(0, 3) for _ in values], float)
    scores = Scores(
        ids=range(len(values)),
        columns={"x": column},
        measures={"share": Share("x", least=0.5)},
        options=NoOptions(),
        weights=weights,
    )
    known = ~np.isnan(column)
    total = weights[known].sum()
    wanted = pytest.approx(weights[known & (column >= 0.5)].sum() / total, abs=1e-15) if total else None
    assert scores.summary() == {"share": wanted}
    assert scores.counts() == {"share": int(known.sum())}
