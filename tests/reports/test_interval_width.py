"""How many examples an interval of a wanted width needs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qassay
from qassay.reports.interval_width import examples_for_width, interval_half_width


def test_four_times_the_examples_for_half_the_width():
    assert examples_for_width(100, 2.0, 1.0) == 400
    assert examples_for_width(64, 12.1, 1.0) == 9_400  # 64 * 12.1^2 = 9370.24
    assert examples_for_width(50, 0.5, 0.01) == 130_000  # 125,000


def test_narrow_intervals_need_no_more_examples():
    assert examples_for_width(11_873, 0.8, 1.0) == 11_873
    assert examples_for_width(7, 1.0, 1.0) == 7


@pytest.mark.parametrize("width", [0.0, math.nan, math.inf, -1.0])
def test_invalid_widths_give_none(width):
    assert examples_for_width(10, width, 1.0) is None
    assert examples_for_width(0, 1.0, 1.0) is None


@pytest.mark.parametrize("target", [0, -1.0, math.nan])
def test_a_target_must_be_above_zero(target):
    with pytest.raises(ValueError, match="target must be above 0"):
        examples_for_width(10, 1.0, target)


@given(st.integers(1, 100_000), st.floats(0.01, 100), st.floats(0.01, 10))
def test_never_too_few_and_at_most_a_tenth_too_many(n, width, target):
    needed = examples_for_width(n, width, target)
    exact = max(n, n * (width / target) ** 2)
    assert needed >= exact * (1 - 1e-6)
    assert needed <= exact * 1.1 + 1


def test_groups_count_instead_of_examples():
    """Two copies of each example in groups of two need as many groups as single examples."""
    answers = ["x"] * 30 + ["y"] * 70
    scores = qassay.score("answer_match", answers, [["x"]] * 100)
    twice = qassay.score("answer_match", answers * 2, [["x"]] * 200).with_groups([*range(100), *range(100)])
    half_widths = [interval_half_width(*one.interval(names=["f1"])["f1"]) for one in (scores, twice)]
    assert half_widths[0] == pytest.approx(half_widths[1], rel=0.03)
    needed = [examples_for_width(100, width, 0.03) for width in half_widths]
    assert needed[0] == pytest.approx(needed[1], rel=0.1)


def test_the_hint_holds_for_real_intervals():
    """Of a share of 0.3 the half width at the number it names is close to the target."""
    small = [1] * 30 + [0] * 70
    scores = qassay.score("answer_match", ["x" if right else "y" for right in small], [["x"]] * 100)
    low, high = scores.interval(0.95, 1000, 0, ["exact_match"])["exact_match"]
    needed = examples_for_width(100, interval_half_width(low, high), 0.03)
    assert 1.96 * math.sqrt(0.3 * 0.7 / needed) == pytest.approx(0.03, rel=0.15)
