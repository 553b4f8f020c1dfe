"""Outlier slices: real outliers are found, and hardly any slice by chance."""

import numpy as np
import pytest

import qassay
from qassay.core.scores import Scores
from qassay.reports.outlier_slices import outlier_slices


def scored(right):
    """Scores with exact match 1 or 0 for each example."""
    return qassay.score("answer_match", ["a" if one else "b" for one in right], [["a"]] * len(right))


def test_outlying_slices_are_found_on_both_sides():
    right = [True] * 80 + [False] * 20 + [True] * 10 + [False] * 90 + [True] * 45 + [False] * 55
    scores = scored(right)
    found = outlier_slices(scores, ["easy"] * 100 + ["hard"] * 100 + ["as all"] * 100, "exact_match")
    assert [(one.label, one.value, one.n, one.is_better) for one in found] == [
        ("easy", 0.8, 100, True),
        ("hard", 0.1, 100, False),
    ]
    for one in found:
        assert one.interval[0] < one.value < one.interval[1]
        assert (one.interval[0] > 0.45) == one.is_better


def test_the_level_is_corrected_for_the_number_of_slices():
    right = [True] * 60 + [False] * 40 + [True] * 36 + [False] * 64
    alone = ["one"] * 100 + ["two"] * 100
    first = outlier_slices(scored(right), alone, "exact_match")
    assert [one.label for one in first] == ["one", "two"]
    many, labels = right * 1, list(alone)
    for number in range(20):  # twenty slices more, each like all
        many += [True] * 48 + [False] * 52
        labels += [f"more {number:02}"] * 100
    assert outlier_slices(scored(many), labels, "exact_match") == []
    narrow = outlier_slices(scored(right), alone, "exact_match", level=0.5)
    assert narrow[0].interval[0] > first[0].interval[0] and narrow[0].interval[1] < first[0].interval[1]


def test_slices_are_rarely_outliers_by_chance():
    times = 0
    for seed in range(40):
        draw = np.random.default_rng(seed)
        scores = scored(draw.random(800) < 0.5)
        times += bool(outlier_slices(scores, [f"{label:02}" for label in draw.integers(0, 16, 800)], "exact_match"))
    assert times <= 5  # of 40 a twentieth is 2; uncorrected it is about half of them


def test_small_slices_are_not_looked_at():
    right = [True] * 100 + [False] * 29
    labels = ["many"] * 100 + ["few"] * 29
    assert "few" not in [one.label for one in outlier_slices(scored(right), labels, "exact_match")]
    found = outlier_slices(scored(right), labels, "exact_match", fewest=29)
    assert [one.label for one in found if not one.is_better] == ["few"]


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_a_slice_without_a_single_error_may_be_chance(method):
    def found(right):
        labels = ["all right"] * 35 + ["other"] * 365
        return [one.label for one in outlier_slices(scored(right), labels, "exact_match", interval_method=method)]

    assert found([True] * 375 + [False] * 25) == []  # 0.94 ** 35 is 0.11
    assert found([True] * 35 + [False] * 365) == ["all right", "other"]


def test_resamples_of_the_tails_are_drawn_for_quantiles_only(monkeypatch):
    drawn = []
    interval = Scores.interval
    monkeypatch.setattr(
        Scores, "interval", lambda of, *given, **named: drawn.append(given[1]) or interval(of, *given, **named)
    )
    scores, labels = scored([True] * 60 + [False] * 60), ["one"] * 60 + ["two"] * 60
    for method, most in (("auto", 100), ("percentile", 800)):
        drawn.clear()
        assert len(outlier_slices(scores, labels, "exact_match", n_resamples=100, interval_method=method)) == 2
        assert max(drawn) == most


def test_outliers_by_examples_may_not_be_outliers_by_groups():
    right = [True] * 70 + [False] * 30 + [True] * 40 + [False] * 60
    labels = ["one"] * 100 + ["two"] * 100
    assert len(outlier_slices(scored(right), labels, "exact_match")) == 2
    in_tens = scored(right).with_groups([row // 34 for row in range(200)])
    assert outlier_slices(in_tens, labels, "exact_match") == []


def test_lower_may_be_better():
    scores = qassay.score("label_metrics", ["x", "y"] * 40, ["x"] * 80)
    assert scores.measures["error_rate"].lower_is_better
    for measure, better in (("error_rate", False), ("accuracy", True)):
        found = outlier_slices(scores, ["a", "b"] * 40, measure)
        assert [(one.label, one.value == better, one.is_better) for one in found] == [
            ("a", True, True),
            ("b", False, False),
        ]


def test_bad_input():
    with pytest.raises(ValueError, match="no measure 'f'"):
        outlier_slices(scored([True] * 3), ["a"] * 3, "f")
    with pytest.raises(ValueError, match="one value per example"):
        outlier_slices(scored([True] * 3), ["a"], "f1")
    assert outlier_slices(scored([True] * 40), ["a"] * 40, "total") == []
