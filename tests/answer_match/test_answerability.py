"""Withholding answers: the sweep compared with scoring at each threshold, and calibration with numbers worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.answer_match.answerability import (
    has_no_answer_probabilities,
    reliability,
    swept_measures,
    threshold_curve,
)

ANSWERS = ["in France", "", "Rome", "Lyon"]
QUESTIONS = st.lists(
    st.tuples(
        st.sampled_from(ANSWERS),
        st.sampled_from([[], ["France"], ["Rome", "Lyon"]]),
        st.sampled_from([0.0, 0.125, 0.3, 0.5, 0.9, 1.0]),
        st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    ),
    min_size=1,
    max_size=12,
).filter(lambda rows: any(row[3] for row in rows))


def scored(rows, **options):
    answers, golds, doubts, weights = map(list, zip(*rows, strict=True))
    return qassay.score("answer_match", answers, golds, no_answer_probabilities=doubts, weights=weights, **options)


@given(QUESTIONS)
@settings(max_examples=60, deadline=None)
def test_a_point_of_the_curve_is_the_score_with_that_threshold(rows):
    scores = scored(rows)
    assert swept_measures(scores) == ["exact_match", "f1"]
    for name in ("exact_match", "f1"):
        curve = threshold_curve(scores, name)
        assert curve.thresholds.tolist() == [-math.inf, *sorted({row[2] for row in rows})]
        for threshold, value in zip(curve.thresholds.tolist(), curve.values, strict=True):
            with_it = scored(rows, no_answer_threshold=threshold).summary([name])[name]
            assert value == pytest.approx(with_it, abs=1e-12)
        assert curve.values.max() == pytest.approx(scores.summary([f"best_{name}"])[f"best_{name}"], abs=1e-12)
        best = scores.summary([f"best_{name}_threshold"])[f"best_{name}_threshold"]
        at_best = curve.values[np.searchsorted(curve.thresholds, best, "right") - 1]
        assert at_best == pytest.approx(curve.values.max(), abs=1e-12)
        assert curve.answered[0] == 0 and curve.answered[-1] == pytest.approx(1)
        assert (np.diff(curve.answered) >= 0).all()


def test_reliability_by_hand():
    rows = [("a", [], 0.0, 1), ("a", ["b"], 0.1, 1), ("a", [], 0.3, 1), ("a", [], 0.3, 1), ("a", ["b"], 1.0, 1)]
    found = reliability(scored(rows))
    assert found.n.tolist() == [1, 1, 0, 2, 0, 0, 0, 0, 0, 1]  # 0.3 is in the bin that begins there
    assert found.edges.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert found.observed[[0, 1, 3, 9]].tolist() == [1, 0, 1, 0]
    assert found.predicted[[0, 1, 3, 9]].tolist() == [0.0, 0.1, 0.3, 1.0]
    assert np.isnan(found.predicted[2]) and np.isnan(found.observed[2])
    assert found.error == pytest.approx((1 + 0.1 + 2 * 0.7 + 1) / 5)


def test_reliability_is_scikit_learns():
    from sklearn.calibration import calibration_curve

    draw = np.random.default_rng(3)
    doubts = draw.random(500)
    none = draw.random(500) < doubts**2
    scores = scored([("a", [] if no else ["a"], float(p), 1.0) for no, p in zip(none, doubts, strict=True)])
    observed, predicted = calibration_curve(none, doubts, n_bins=10)
    found = reliability(scores)
    np.testing.assert_allclose(found.observed, observed)
    np.testing.assert_allclose(found.predicted, predicted)
    assert found.error == pytest.approx(np.average(abs(observed - predicted), weights=found.n))


def test_what_cannot_be_told_is_refused():
    plain, known = qassay.score("answer_match", ["a"], [[]]), scored([("a", [], 0.5, 1)])
    assert has_no_answer_probabilities(known) and not has_no_answer_probabilities(plain)
    for ask in (threshold_curve, reliability):
        with pytest.raises(ValueError, match="no-answer probabilities"):
            ask(plain)
    with pytest.raises(ValueError, match="exact_match_threshold"):
        threshold_curve(known, "exact_match_threshold")
    with pytest.raises(ValueError, match="n_bins"):
        reliability(known, 0)
    with pytest.raises(ValueError, match="-2 to 3"):
        reliability(scored([("a", [], -2.0, 1), ("a", [], 3.0, 1)]))
    for ask in (threshold_curve, reliability):
        with pytest.raises(ValueError, match="no question"):
            ask(known.subset(np.array([False])))


def test_the_sweep_ignores_withholding():
    scores = scored([("Rome", ["Rome"], 0.4, 1), ("Rome", ["Rome"], 0.8, 1)], no_answer_threshold=0.5)
    assert threshold_curve(scores).values.tolist() == [0, 0.5, 1]
