"""Paired tests against every swap written out, scipy and statsmodels; see also test_paired_swaps.py."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.measures import Mean
from qassay.core.scores import Scores
from qassay.stats.paired_tests import (
    bootstrap_test,
    corrected_p_values,
    mcnemar_test,
    student_t_test,
    wilcoxon_test,
)
from qassay.stats.pairs import Pairs, changes_of
from qassay.stats.permutation import permutation_tests

from .some_scores import table

FAST = settings(max_examples=60, deadline=None)
TESTS = (student_t_test, wilcoxon_test, mcnemar_test)


def pairs_of(first: Scores, second: Scores) -> Pairs:
    return Pairs(first.rows, second.rows, first.measures)


def permuted(first, second, n_permutations=10_000, seed=0, weights=None):
    """The permutation test of the means of two lists."""
    pairs = pairs_of(table(weights=weights, x=first), table(weights=weights, x=second))
    return permutation_tests(pairs, ["x"], n_permutations, seed)["x"]


def brute_force(first, second, weights=None) -> float:
    """p over all 2^n swaps of examples between two systems, by (weighted) means; NaN pairs are omitted."""
    weights = np.ones(len(first)) if weights is None else np.asarray(weights, float)
    rows = [
        (a, b, weight)
        for a, b, weight in zip(first, second, weights, strict=True)
        if not math.isnan(a) and not math.isnan(b)
    ]
    total = sum(weight for _, _, weight in rows)

    def difference(swaps):
        mine = sum((b if swap else a) * weight for swap, (a, b, weight) in zip(swaps, rows, strict=True))
        theirs = sum((a if swap else b) * weight for swap, (a, b, weight) in zip(swaps, rows, strict=True))
        return (theirs - mine) / total

    seen = abs(difference([False] * len(rows)))
    ways = [abs(difference(swaps)) >= seen - 1e-9 for swaps in itertools.product((False, True), repeat=len(rows))]
    return sum(ways) / len(ways)


VALUES = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, math.nan])
ROWS = st.lists(st.tuples(VALUES, VALUES, st.sampled_from([0.5, 1.0, 1.0, 2.0])), min_size=1, max_size=8).filter(
    lambda rows: any(not math.isnan(a) and not math.isnan(b) for a, b, _ in rows)
)


@FAST
@given(ROWS, st.booleans())
def test_exact_permutation_is_brute_force(rows, weighted):
    first, second, weights = map(list, zip(*rows, strict=True))
    weights = weights if weighted else None
    found = permuted(first, second, weights=weights)
    assert found.test == "exact permutation"
    assert found.p_value == pytest.approx(brute_force(first, second, weights), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_no_difference_of_signed_values_is_not_decided_by_rounding(seed):
    """The same values in another order: the means are equal except for rounding, and often near 0."""
    rng = np.random.default_rng(seed)
    first = np.round(rng.normal(size=8), 1)
    second = rng.permutation(first - first.mean())
    first = first - first.mean()
    assert permuted(first, second).p_value == pytest.approx(brute_force(first, second), abs=1e-12)
    assert permuted(first, second).p_value == 1.0


def test_many_permutations_are_drawn_in_blocks(monkeypatch):
    rng = np.random.default_rng(4)
    first, second = rng.random(50), rng.random(50)
    whole = permuted(first, second, 2000)
    monkeypatch.setattr("qassay.stats.permutation.CELLS_AT_ONCE", 700)
    assert permuted(first, second, 2000) == whole


def test_each_measure_is_tested_as_if_alone():
    rng = np.random.default_rng(5)
    columns = [{"x": rng.random(30), "y": rng.random(30) < 0.5, "z": rng.random(30).round(1)} for _ in range(2)]
    pairs = pairs_of(*(table(**one) for one in columns))
    together = permutation_tests(pairs, ["x", "y", "z"], 500, 3)
    drawn = pairs.bootstrap_differences(["x", "y", "z"], 50, 3)
    assert list(together) == ["x", "y", "z"]
    assert {one.test for one in together.values()} == {"permutation", "exact permutation"}
    for name in "zyx":
        assert permutation_tests(pairs, [name], 500, 3)[name] == together[name]
        assert (pairs.bootstrap_differences([name], 50, 3)[name] == drawn[name]).all()


@pytest.mark.parametrize("kind", ["continuous", "ties", "right or wrong"])
@pytest.mark.parametrize("n", [7, 300])
def test_t_and_wilcoxon_match_scipy(kind, n):
    from scipy import stats

    rng = np.random.default_rng(n)
    first, second = rng.random(n), rng.random(n) + 0.05
    if kind != "continuous":
        first, second = (np.round(values, 1 if kind == "ties" else 0) for values in (first, second))
    assert student_t_test(first, second).p_value == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-12)
    # scipy ranks 0.7 - 0.6 and 0.6 - 0.5 apart, which only rounding parts.
    assert wilcoxon_test(first, second).p_value == stats.wilcoxon(np.round(second - first, 11)).pvalue
    change = second - first
    t = change.mean() / (change.std(ddof=1) / math.sqrt(n))
    assert student_t_test(first, second).p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-9)


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (5, 5), (3, 9), (40, 22), (300, 260)])
def test_mcnemar_is_the_binomial_test(better, worse):
    from scipy import stats

    first = np.repeat([0.0, 1.0, 1.0, 0.0], [better, worse, 11, 4])
    second = np.repeat([1.0, 0.0, 1.0, 0.0], [better, worse, 11, 4])
    found = mcnemar_test(first, second).p_value
    assert found == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=1e-9)
    assert mcnemar_test(second, first).p_value == pytest.approx(found, rel=1e-12)


def test_golden_bootstrap_test():
    # Seen 0.3: of the four, -0.1 and 0.6 are 0.3 or more away from it; NaN is not a draw.
    found = bootstrap_test(np.array([0.2, -0.1, 0.6, 0.31, math.nan]), 0.3, changed=9)
    assert found == (3 / 5, "bootstrap")


def test_the_bootstrap_claims_no_more_than_signs_of_few_examples_can():
    drawn = np.full(9999, 0.5)
    assert bootstrap_test(drawn, 0.5, changed=100).p_value == 1e-4
    assert [bootstrap_test(drawn, 0.5, changed).p_value for changed in (0, 1, 2, 5)] == [1.0, 1.0, 0.5, 0.0625]


def test_rounding_is_not_a_difference():
    """1/3 as F1 of (1/4, 1/2) and of (1/10, 1/2 + ...) may differ in the last bit: no test may take that for one."""
    third = [1 / 3, np.nextafter(1 / 3, 1)]
    pairs = pairs_of(table(x=[third[0]] * 20), table(x=[third[1]] * 20))
    first, second = pairs.by_example(Mean("x"))
    assert (first != second).all() and not changes_of(first, second).any()
    assert [test(first, second).p_value for test in TESTS] == [1.0, 1.0, 1.0]
    assert permutation_tests(pairs, ["x"], 1000, 0)["x"].p_value == 1.0


def test_differences_within_rounding_are_one_kind():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 9, 40) / 10
    found = permutation_tests(pairs_of(table(x=base), table(x=base + 0.1)), ["x"], 1000, 0)["x"]
    assert found.test == "exact permutation" and found.p_value == pytest.approx(2.0**-39, rel=1e-9)
    first, second = pairs_of(table(x=base), table(x=base + 0.1)).by_example(Mean("x"))
    assert set(changes_of(first, second).tolist()) == {0.1}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("correction", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("benjamini-hochberg", "fdr_bh")]
)
def test_corrections_match_statsmodels(correction, theirs):
    multitest = pytest.importorskip(
        "statsmodels.stats.multitest", reason='needs statsmodels: pip install -e ".[test-all]"'
    )
    rng = np.random.default_rng(8)
    for size in (1, 2, 5, 12):
        p_values = np.round(rng.random(size) ** 3, 2)  # rounded: some are equal
        expected = multitest.multipletests(p_values, method=theirs)[1]
        assert corrected_p_values(p_values.tolist(), correction) == pytest.approx(expected.tolist(), abs=1e-12)


def test_golden_corrections():
    p_values = [0.04, 0.01, 0.03, 0.02]
    assert corrected_p_values(p_values, "holm") == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert corrected_p_values(p_values, "benjamini-hochberg") == pytest.approx([0.04, 0.04, 0.04, 0.04])


def test_permutation_of_right_and_wrong_is_mcnemar():
    rng = np.random.default_rng(3)
    first, second = (rng.random(3000) < 0.7).astype(float), (rng.random(3000) < 0.72).astype(float)
    found = permuted(first, second)
    assert found.test == "exact permutation"
    assert found.p_value == pytest.approx(mcnemar_test(first, second).p_value, rel=1e-9)
