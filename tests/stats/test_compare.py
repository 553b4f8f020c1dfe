"""Comparisons of Scores: matching, differences, tests, remarks and what cannot be compared; see also test_slices.py."""

import dataclasses
import math
import warnings

import numpy as np
import pytest

import qassay
from qassay.answer_match.scoring import AnswerMatchOptions
from qassay.core.measures import GeometricMean, Mean
from qassay.stats.paired_tests import CORRECTIONS, PAIRED_TESTS, corrected_p_values

from .some_scores import compare_all, table

every_test = pytest.mark.parametrize("test", PAIRED_TESTS)


def compared(first, second, **more):
    """The one difference of two lists of values."""
    (found,) = compare_all({"a": table(x=first), "b": table(x=second)}, **more).differences
    return found


def test_a_difference_by_hand():
    found = compared([0, 0, 1, 0.5], [1, 0, 1, 1.0])
    assert (found.values, found.difference, found.winner) == ((0.375, 0.75), 0.375, "b")
    assert (found.better, found.equal, found.worse) == (2, 2, 0)
    assert found.p_value == found.p_corrected == pytest.approx(0.5)  # of 1 and 0.5: 2 of 4 signs
    assert found.intervals == tuple(
        scores.interval()["x"] for scores in (table(x=[0, 0, 1, 0.5]), table(x=[1, 0, 1, 1.0]))
    )
    assert found.effect_size == pytest.approx(0.375 / np.std([1, 0, 0, 0.5], ddof=1))


# Matching.


def test_examples_are_matched_by_id_and_the_others_counted():
    systems = {
        "a": table(ids=["q1", "q2", "q3", "q4"], x=[0, 1, 1, 0]),
        "b": table(ids=["q4", "q9", "q2", "q1"], x=[1, 1, 0, 0]),
        "c": table(ids=["q2", "q4", "q1"], x=[1, 1, 1]),
    }
    found = compare_all(systems)
    assert found.unmatched == {"a": 1, "b": 1, "c": 0}
    assert [scores.ids for scores in found.systems.values()] == [["q1", "q2", "q4"]] * 3
    assert [(one.first, one.second, one.n) for one in found.differences] == [
        ("a", "b", 3),
        ("a", "c", 3),
        ("b", "c", 3),
    ]
    assert found.differences[0].values == pytest.approx((1 / 3, 1 / 3))
    assert (found.differences[0].better, found.differences[0].worse) == (1, 1)


def test_examples_without_a_value_in_one_system_are_omitted_from_both():
    nan = math.nan
    first, second = [0.0, 1.0, nan, 0.5, nan, 0.25], [1.0, nan, 0.5, 0.5, nan, 0.5]
    whole = compared(first, second)
    part = compared([0.0, 0.5, 0.25], [1.0, 0.5, 0.5])
    assert (whole.n, whole.left_out) == (3, 2)
    assert (part.n, part.left_out) == (3, 0)
    same = ("values", "difference", "p_value", "better", "equal", "worse", "intervals", "effect_size", "n_needed")
    assert [getattr(whole, name) for name in same] == [getattr(part, name) for name in same]


def test_measures_that_only_one_system_has_are_named():
    first, second = table(x=[0, 1], y=[1, 1]), table(x=[1, 1], z=[0, 0])
    found = compare_all({"a": first, "b": second})
    assert [one.measure for one in found.differences] == ["x"]
    assert found.remarks == ["not compared, because a system does not have it: y, z"]
    assert compare_all({"a": first, "b": second}, ["x"]).remarks == []
    assert [one.measure for one in compare_all({"a": first, "b": first}, "y").differences] == ["y"]


# Tests, corrections, levels.


@pytest.mark.parametrize("why", ["weights", "no mean", "not right or wrong"])
def test_a_test_that_does_not_fit_is_replaced_with_a_remark(why):
    values = [[0, 1, 1, 0, 1, 0], [1, 1, 1, 0, 0, 1]]
    more = {"weights": [1, 2, 1, 1, 1, 1]} if why == "weights" else {}
    if why == "no mean":
        more["measures"] = {"gm": GeometricMean("x", smallest=0.01)}
    if why == "not right or wrong":
        values[0][0] = 0.5
    systems = {name: table(x=x, **more) for name, x in zip("ab", values, strict=True)}
    for test in ("t", "wilcoxon", "mcnemar"):
        found = compare_all(systems, test=test)
        fits = why == "not right or wrong" and test != "mcnemar"
        assert found.differences[0].test == (test if fits else "exact permutation")
        assert [line.endswith(found.differences[0].measure) for line in found.remarks] == [True] * (not fits)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_all_pairs_and_measures_are_corrected_together(correction):
    rng = np.random.default_rng(1)
    systems = {name: table(x=rng.random(12), y=rng.random(12)) for name in "abc"}
    found = compare_all(systems, by={"half": [0, 1] * 6}, correction=correction, test="t", n_resamples=5)
    groups = [found.differences, [one for group in found.slices["half"].values() for one in group]]
    for group, size in zip(groups, (6, 12), strict=True):
        assert len(group) == size
        assert [one.p_corrected for one in group] == corrected_p_values([one.p_value for one in group], correction)
        assert all(one.p_corrected >= one.p_value for one in group)


@pytest.mark.parametrize(("level", "least"), [(0.5, 3), (0.95, 6), (0.99, 8)])
def test_n_needed_is_enough_for_a_sign_test(level, least):
    """n differences of one sign have p = 2 / 2 ** n, which must be below 1 - level."""
    first = np.zeros(40)
    second = first + np.where(np.arange(40) % 2, 1.0, 1.001)  # always better by about the same amount
    found = compared(first, second, confidence=level, n_permutations=50)
    assert found.n_needed == least
    assert 2 / 2**least < 1 - level <= 2 / 2 ** (least - 1) + 1e-12


def test_golden_effect_size_and_n_needed():
    """Differences of 1 and 0 in turn: mean 1/2, standard deviation 0.5 * sqrt(20 / 19)."""
    found = compared(np.zeros(20), np.tile([1.0, 0.0], 10), n_resamples=10, n_permutations=10)
    assert found.effect_size == pytest.approx(math.sqrt(19 / 20), rel=1e-12)
    assert found.n_needed == 9  # (1.95996 + 0.84162) ** 2 / 0.95 = 8.26


def test_the_interval_of_a_difference_allows_for_a_class_that_is_never_found():
    """Three of 100 labels are rare, and neither system finds them. Finding 30 % of these gains .15 macro F1."""
    gold = ["a"] * 50 + ["b"] * 47 + ["rare"] * 3
    systems = {}
    for name, wrong in (("first", range(0, 97, 5)), ("second", range(1, 97, 5))):
        found = [*gold[:97], "a", "b", "a"]
        for place in wrong:
            found[place] = "b" if gold[place] == "a" else "a"
        systems[name] = qassay.score("label_metrics", found, gold)
    low, high = qassay.compare(systems, ["macro_f1"], n_permutations=1).differences[0].interval
    assert low < -0.15 and high > 0.15


# Bad and unusual input.


@every_test
def test_one_question_proves_nothing(test):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compared([0.25], [0.75], test=test)
    assert (found.n, found.p_value, found.difference, found.interval) == (1, 1.0, 0.5, (-1, 1))
    assert (found.better, found.effect_size, found.n_needed) == (1, None, None)


FRENCH = AnswerMatchOptions(normalizer="french")
OTHERS = {  # what a system with the ids q1, q2 and q3 is compared with, and what the message names
    ValueError: [
        (lambda a: {}, "got 1: a"),
        (lambda a: {"b": table(ids=["x", "y"], x=[0, 1])}, "'q1'.*'x'"),
        (lambda a: {"b": a.take([0]), "c": table(ids=["x"], x=[0])}, "a .*'q1', c .*'x'"),
        (lambda a: {"b": dataclasses.replace(a, weights=np.array([1.0, 2, 1]))}, "'q2' .*weight in b"),
        (lambda a: {"b": dataclasses.replace(a, options=FRENCH)}, "normalizer=squad against french"),
        (lambda a: {"b": qassay.score("retrieval_ranking", {"q1": ["d"]}, {"q1": ["d"]})}, "a and b"),
        (lambda a: {"b": dataclasses.replace(a, measures={"x": Mean("x", scale=100.0)})}, "x of a and of b"),
    ],
    TypeError: [(lambda a: {"b": a.summary()}, "'b'")],
}


@pytest.mark.parametrize(
    ("error", "others", "message"), [(error, *row) for error, rows in OTHERS.items() for row in rows]
)
def test_systems_that_cannot_be_compared(others, error, message):
    first = table(ids=["q1", "q2", "q3"], x=[0, 1, 1])
    with pytest.raises(error, match=message):
        qassay.compare({"a": first, **others(first)}, measures="all")


@pytest.mark.parametrize(
    "given",
    [
        {"test": "fisher"},
        {"baseline": "c"},
        {"by": {"s": [1]}},
        {"by": {"s": {"q1": 1, "q2": 2}}},
    ],
    ids=str,
)
def test_arguments_that_cannot_be_used(given):
    """The message names the argument, or the slice and the id without a label."""
    scores = table(ids=["q1", "q2", "q3"], x=[0, 1, 1])
    messages = {"by": "slice 's' has .*(3 examples|'q3')"}
    (name,) = given
    with pytest.raises(ValueError, match=messages.get(name, name)):
        compare_all({"a": scores, "b": scores}, **given)
