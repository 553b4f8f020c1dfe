"""What holds for comparisons of examples in groups, in every family."""

import dataclasses

import pytest

import qassay
from qassay.core.measures import SumMeasure

from .test_scores_of_families import every_case

FEW = {"n_resamples": 20, "n_permutations": 40}


def systems_of(case, copies=1, wrong=(0, 1), **more):
    """A system with all rows of a case right, and a system with some wrong; each row is repeated."""
    n = len(case.rows)
    rows = [*range(n)] * copies
    places = [place + n * copy for copy in range(copies) for place in wrong]
    return {"a": case.score(rows=rows, **more), "b": case.score(rows=rows, wrong=places, **more)}


@pytest.mark.parametrize("method", ["auto", "percentile"])
@every_case
def test_groups_of_one_example_change_no_difference(case, method):
    labels = [f"g{row}" for row in reversed(range(len(case.rows)))]
    plain, single = (
        qassay.compare(systems_of(case, groups=groups), "all", **FEW, interval_method=method).differences
        for groups in (None, labels)
    )
    for one, other in zip(single, plain, strict=True):
        assert one.groups_needed == other.n_needed
        assert dataclasses.replace(one, n_groups=None, groups_needed=None) == other
        assert one.interval.method == other.interval.method


@every_case
def test_groups_of_one_in_the_examples_of_a_measure_change_no_difference(case):
    labels = ["g0", "g0", *range(2, 2 * len(case.rows))]
    plain, found = (systems_of(case, copies=2, groups=groups) for groups in (None, labels))
    differences = {one.measure: one for one in qassay.compare(plain, "all", **FEW).differences}
    for one in qassay.compare(found, "all", **FEW).differences:
        applies = [scores.measures[one.measure].applies(scores.rows) for scores in found.values()]
        if found["a"].groups.are_single_in(applies[0] & applies[1]):
            alone = dataclasses.replace(one, n_groups=None, groups_needed=None, p_adjusted=0)
            assert alone == dataclasses.replace(differences[one.measure], p_adjusted=0)
        else:
            assert one.n_groups == one.n - 1


@every_case
def test_copies_of_examples_in_groups_change_no_test_and_no_interval(case):
    once = systems_of(case)
    twice = systems_of(case, copies=2, groups=[f"g{row}" for row in range(len(case.rows))] * 2)
    plain = {one.measure: one for one in qassay.compare(once, "all", **FEW).differences}
    for found in qassay.compare(twice, "all", **FEW).differences:
        other = plain[found.measure]
        assert (found.n, found.n_groups) == (2 * other.n, other.n)
        assert found.test == other.test == "exact permutation"
        assert found.p_value == pytest.approx(other.p_value, rel=1e-9), found.measure
        if isinstance(once["a"].measures[found.measure], SumMeasure):
            assert found.interval == pytest.approx(other.interval, abs=1e-9), found.measure
