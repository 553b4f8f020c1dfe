"""The decision whether a system is not worse than another by more than a margin."""

import math

import numpy as np
import pytest

import qassay
from qassay.registry import get_family
from qassay.stats.margin import judge_margins
from qassay.stats.systems import answered_examples

from .some_scores import of_three_kinds

GOLD = {f"q{number}": ["Rome"] for number in range(100)}
RIGHT = qassay.score("answer_match", dict.fromkeys(GOLD, "Rome"), GOLD)


def answers(n_wrong, answer="Oslo"):
    given = {identifier: answer if row < n_wrong else "Rome" for row, identifier in enumerate(GOLD)}
    return qassay.score("answer_match", given, GOLD)


def judged(first, second, measure="f1", margin=0.1, groups=None, common=False, count_absent=False):
    examples = {"groups": groups, "common": common, "count_absent": count_absent}
    systems, _ = answered_examples({"old": first, "new": second}, **examples)
    (verdict,) = judge_margins(systems, [(measure, margin)], common=common)
    return verdict


@pytest.mark.parametrize(
    ("n_wrong", "margin", "is_not_worse", "is_worse"),
    [
        (2, 0.1, True, False),
        (7, 0.1, False, False),
        (30, 0.1, False, True),
        (30, 0.5, True, False),
    ],
)
def test_the_interval_decides(n_wrong, margin, is_not_worse, is_worse):
    verdict = judged(RIGHT, answers(n_wrong), margin=margin)
    assert (verdict.is_not_worse, verdict.is_worse) == (is_not_worse, is_worse)
    interval = qassay.compare({"old": RIGHT, "new": answers(n_wrong)}, ["f1"]).differences[0].interval
    assert verdict.difference.interval == interval
    assert is_not_worse == (interval.low >= -margin) and is_worse == (interval.high < -margin)


def test_the_margin_may_be_the_worse_end():
    low = judged(RIGHT, answers(7)).difference.interval.low
    assert judged(RIGHT, answers(7), margin=-low).is_not_worse
    assert not judged(RIGHT, answers(7), margin=math.nextafter(-low, 0)).is_not_worse


def test_where_lower_is_better_a_rise_is_worse():
    truth = [0, 1] * 50
    good, bad = (qassay.score("label_metrics", given, truth) for given in (truth, [1] * 40 + truth[40:]))
    found = {measure: judged(good, bad, measure) for measure in ("accuracy", "error_rate")}
    assert all(verdict.is_worse and not verdict.is_not_worse for verdict in found.values())
    assert found["accuracy"].gains == pytest.approx(found["error_rate"].gains)
    assert judged(bad, good, "error_rate", 0).is_not_worse
    changes = [[change for _, change in verdict.losses] for verdict in found.values()]
    assert changes == [[-1.0] * 3, [1.0] * 3]


def test_margin_0_asks_for_proof():
    assert not judged(RIGHT, RIGHT, margin=0).is_not_worse
    assert judged(answers(30), RIGHT, margin=0).is_not_worse


def test_a_margin_is_a_number_of_at_least_0_and_below_the_range_of_the_measure():
    for wrong in (1, -0.1, math.nan, True):
        with pytest.raises(ValueError, match="margin"):
            judged(RIGHT, RIGHT, margin=wrong)
    columns = {"predictions": ["Rome"] * 100, "references": ["Rome"] * 100}
    percent = get_family("answer_match").score_config("squad", columns, {})
    assert judged(percent, percent, margin=20).is_not_worse


def test_a_measure_without_values_of_examples_has_no_losses():
    truth = [0, 1] * 50
    good, bad = (qassay.score("label_metrics", given, truth) for given in (truth, [1] * 40 + truth[40:]))
    verdict = judged(good, bad, "macro_f1")
    assert not verdict.is_not_worse and verdict.losses == ()


def test_absent_answers_are_refused_omitted_or_counted_as_asked():
    """An old system without answers is easy to beat, and questions without answers of both reduce the difference."""
    half = qassay.score("answer_match", dict.fromkeys(list(GOLD)[:50], "Rome"), GOLD)
    with pytest.raises(ValueError, match="old lacks 50 of 100"):
        judged(half, answers(30))
    with pytest.raises(ValueError, match="new lacks 50 of 100 .'q50', 'q51'"):
        judged(RIGHT, half)
    with pytest.raises(ValueError, match="old lacks 50 .*, new lacks 50"):
        judged(half, half)
    common = judged(half, answers(30), common=True)
    assert common.is_worse and common.difference.values == (1.0, 0.4) and common.difference.n == 50
    counted = judged(half, answers(30), count_absent=True)
    assert counted.is_not_worse and counted.difference.values == (0.5, 0.7)
    groups = [row // 2 for row in range(100)]
    in_groups = judged(half, answers(30), common=True, groups=groups).difference
    assert (in_groups.n, in_groups.n_groups) == (50, 25)
    by_place = [qassay.score("answer_match", column, ["Rome"] * 4) for column in (["Rome", None] * 2, ["Rome"] * 4)]
    assert judged(*by_place, common=True).difference.n == 2


def test_a_measure_of_other_examples_is_refused_unless_requested():
    """A system cannot pass by a measure of only the examples that it chose."""
    values = np.array([1.0, 0.0] * 50)
    old, new = (of_three_kinds(column) for column in (values, np.where(values == 0, np.nan, values)))
    with pytest.raises(ValueError, match="^mean applies to 50 examples"):
        judged(old, new, "mean")
    assert judged(old, new, "mean", common=True).difference.values == (1.0, 1.0)


def test_a_measure_of_no_example_decides_nothing():
    unanswerable = qassay.score("answer_match", [""] * 40, [[]] * 40)
    with pytest.raises(ValueError, match="has_answer_f1"):
        judged(unanswerable, unanswerable, "has_answer_f1")
