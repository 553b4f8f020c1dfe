"""Comparisons of examples in groups: swaps and draws of whole groups, against the formulas; cautions."""

import dataclasses
import math
from statistics import NormalDist

import numpy as np
import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.core.measures import Mean

from .some_scores import compare_all
from .some_scores import of_three_kinds as table

FEW = {"n_resamples": 40, "n_permutations": 60}


def mean_of(first, second, groups, **more):
    """The difference of the means of two lists."""
    (found,) = compare_all({"a": table(first), "b": table(second)}, ["mean"], groups=groups, **more).differences
    return found


def two_lists(n: int, n_groups: int, seed: int, shift: float = 0.1):
    """Values of two systems, and groups that share a part of the difference; every group has an example."""
    rng = np.random.default_rng(seed)
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, n - n_groups))
    first = rng.random(n)
    second = first + rng.normal(shift, 0.2, n) + rng.normal(0, 0.3, n_groups)[groups]
    return first, np.clip(second, 0, 1), groups


# Groups of one.


@pytest.mark.parametrize(("test", "method"), [("permutation", "auto"), ("bootstrap", "percentile"), ("t", "auto")])
def test_groups_of_one_change_no_bit(test, method):
    first, second, _ = two_lists(25, 5, 0)
    first[3], second[4] = math.nan, math.nan
    systems = {"a": table(first), "b": table(second)}
    more = {"by": {"half": [0, 1] * 12 + [1]}, "test": test, "method": method}
    plain = compare_all(systems, **more, **FEW)
    single = compare_all(systems, groups=[f"g{place * 7 % 25}" for place in range(25)], **more, **FEW)
    assert single.remarks == plain.remarks
    both = [
        [*of.differences, *(one for group in of.slices["half"].values() for one in group)] for of in (single, plain)
    ]
    for one, other in zip(*both, strict=True):
        assert (one.n_groups, one.groups_needed) == (one.n, one.n_needed)
        assert dataclasses.replace(one, n_groups=None, groups_needed=None) == other
        assert one.interval.method == other.interval.method


# Intervals, n needed.


@pytest.mark.parametrize("grouped", [False, True])
def test_golden_interval_of_a_difference(grouped):
    """By the formulas of the docstrings, from the changes alone."""
    from scipy import stats

    first, second, groups = two_lists(30, 8, 8)
    second[groups == 3] = first[groups == 3]
    groups = groups if grouped else np.arange(30)
    found = mean_of(first, second, groups if grouped else None, confidence=0.9)
    changes, n_units = second - first, len(np.unique(groups))
    without = np.array([changes[groups != unit].mean() for unit in range(n_units)])
    sizes, influences = np.bincount(groups), without.mean() - without
    carriers = (influences**2).sum() ** 2 / (influences**4).sum()
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    k = len(np.unique(groups[changes != 0]))
    variance = (n_units - 1) / n_units * ((without - changes.mean()) ** 2).sum()
    share = (changes.mean() + 1) / 2
    n = share * (1 - share) / (variance * (k + 1) / k / 4)
    q = stats.t.ppf(0.95, max(1, min(effective - 1, 2.5 * carriers)))
    centre, half = share + q * q / 2 / n, q * math.sqrt(share * (1 - share) / n + q * q / 4 / n / n)
    ends = [2 * (centre + side * half) / (1 + q * q / n) - 1 for side in (-1, 1)]
    assert found.interval == pytest.approx(ends, rel=1e-9)
    assert found.interval.method == "effective wilson"
    if grouped:
        spread = math.sqrt(variance * n_units)
        needed = ((NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.8)) / (changes.mean() / spread)) ** 2
        assert found.groups_needed == max(5, math.ceil(needed))
        assert found.n_needed == math.ceil(found.groups_needed * 30 / 8)
        assert found.effect_size == pytest.approx(changes.mean() / math.sqrt(variance * 30), rel=1e-9)


def test_measures_without_bounds_have_the_interval_of_t():
    from scipy import stats

    measures = {"gain": Mean("x", is_rate=False)}
    first, second, _ = two_lists(12, 12, 8)
    systems = {name: dataclasses.replace(table(x), measures=measures) for name, x in (("a", first), ("b", 40 * second))}
    found = compare_all(systems, **FEW).differences[0]
    changes = 40 * second - first
    assert found.interval.method == "t"
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(changes.mean())
    least = stats.t.ppf(0.975, 11) * changes.std(ddof=1) / math.sqrt(12) * math.sqrt(13 / 12)
    assert least * (1 - 1e-9) <= (high - low) / 2 < 1.5 * least
    # Equal differences have no variance.
    same = compare_all({"a": systems["a"], "b": systems["a"]}, **FEW)
    assert math.isnan(same.differences[0].interval.low)
    assert same.differences[0].interval.method == "none"


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "t"])
def test_a_slice_of_one_group_proves_nothing(test):
    first, second, groups = two_lists(20, 4, 13)
    systems = {"a": table(first), "b": table(second)}
    found = compare_all(systems, ["mean", "best"], {"one": groups == 0}, groups=groups, test=test, **FEW)
    for one in found.slices["one"]["True"]:
        assert (one.n_groups, one.p_value, one.interval, one.n_needed) == (1, 1.0, (-1.0, 1.0), None)
        assert "too_few_groups" in one.cautions
    assert any(line.startswith("in one: ") and line.endswith(": False, True") for line in found.remarks)


def test_groups_that_do_not_fit():
    x, ids = [0.0, 1.0, 1.0, 0.0], ["q1", "q2", "q3", "q4"]
    plain = table(x, ids=ids)
    one, other = plain.with_groups(["r", "r", "s", "s"]), plain.with_groups(["r", "s", "s", "r"])
    summed = PartialSums.of(qassay.score("answer_match", ["a", "b"], [["a"], ["c"]]))
    for first, second, groups, message in (
        (one, other, None, "'q2' is in group 'r' in a and in group 's' in b"),
        (plain, one, None, "b has groups"),
        (one, one.take([0, 1]), None, "all 2 examples are in one group, 'r'"),
        (plain, plain, {"q1": 1, "q2": 2}, "'q3'"),
        (plain, plain, "article", "'article'"),
        (summed, summed, ["r", "s"], "buckets"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_all({"a": first, "b": second}, groups=groups)


# Remarks and cautions.


def cautions(first, second, groups=None, **more):
    found = compare_all({"a": table(first), "b": table(second)}, ["mean"], groups=groups, **more)
    return found.differences[0].cautions, found.remarks


def test_unreliable_tests_get_a_remark_if_they_are_significant():
    first = np.full(20, 0.5)
    skewed = first + np.append(np.full(18, 0.2), np.full(2, -0.25))  # a few large losses among small gains
    less = first + np.append(np.full(16, 0.1), np.full(4, -0.4))
    groups = list(map(str, range(20))) * 2
    found = compare_all({"a": table(first), "b": table(skewed)}, ["mean"]).differences[0]
    assert found.test == "t of skewed" and "skewed" not in found.cautions
    for test in ("t", "wilcoxon", "bootstrap"):  # as requested
        found = compare_all({"a": table(first), "b": table(skewed)}, ["mean"], test=test).differences[0]
        assert found.test == test and "skewed" in found.cautions
    for test in ("permutation", "t", "bootstrap"):  # examples in groups are not corrected
        codes, remarks = cautions(np.tile(first, 2), np.append(skewed, skewed + 0.01), groups, test=test)
        assert "skewed" in codes and len([line for line in remarks if "skewed" in line]) == 1
    assert "few_for_bootstrap" in cautions(first, less, test="bootstrap")[0]
    codes, remarks = cautions(np.tile(first, 2), np.append(less, less + 0.01), groups)
    assert "skewed" in codes and not any("skewed" in line for line in remarks)  # no difference is claimed
    rng = np.random.default_rng(16)
    assert cautions(first, first + rng.normal(0, 0.1, 20))[0] == ()
