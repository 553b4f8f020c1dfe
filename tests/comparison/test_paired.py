"""Paired tests against every swap written out, scipy, statsmodels and ranx; see also test_paired_swaps.py."""

import inspect
import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.answer_match.scoring import AnswerMatchOptions
from qassay.comparison.corrections import CORRECTIONS, corrected_p_values
from qassay.comparison.paired_tests import bootstrap_test, mcnemar_test, student_t_test, wilcoxon_test
from qassay.comparison.pairs import Pairs, SumsByOwner, changes_of, without_rounding
from qassay.comparison.permutation import permutation_tests
from qassay.core.measures import Mean
from qassay.core.scores import Scores

FAST = settings(max_examples=60, deadline=None)
TESTS = (student_t_test, wilcoxon_test, mcnemar_test)


def table(weights=None, **columns) -> Scores:
    """Scores with a mean of each column."""
    columns = {name: np.asarray(values, float) for name, values in columns.items()}
    n = len(next(iter(columns.values())))
    weights = None if weights is None else np.asarray(weights, float)
    return Scores(range(n), columns, {}, {name: Mean(name) for name in columns}, AnswerMatchOptions(), weights=weights)


def pairs_of(first: Scores, second: Scores) -> Pairs:
    return Pairs(first.rows, second.rows, first.measures)


def permuted(first, second, n_permutations=10_000, seed=0, weights=None):
    """The permutation test of the means of two lists."""
    pairs = pairs_of(table(weights, x=first), table(weights, x=second))
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


def test_pairs_hold_every_row_once():
    first, second = table(x=[0.5, 0.0, 0.5, math.nan]), table(x=[0.5, 1.0, 0.0, 0.5])
    pairs = pairs_of(first, second)
    assert pairs.rows.columns["x"][:3].tolist() == [0.0, 0.5, 1.0]
    assert len(pairs.rows.weights) == 4
    for scores, places in ((first, pairs.first), (second, pairs.second)):
        assert np.array_equal(pairs.rows.columns["x"][places], scores.columns["x"], equal_nan=True)
    a, b = pairs.by_example(Mean("x"))
    assert (a.tolist(), b.tolist()) == ([0.0, 0.5, 0.5], [1.0, 0.0, 0.5])


@FAST
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12), st.integers(5, 7))
def test_sums_by_owner(owners, size):
    into, from_ = (np.array([pair[side] for pair in owners], np.int64) for side in (0, 1))
    columns = np.arange(2.0 * len(owners)).reshape(2, -1)
    expected = np.zeros((2, size))
    np.add.at(expected, (slice(None), into), columns)
    assert SumsByOwner(into, size).of(columns).tolist() == expected.tolist()
    np.subtract.at(expected, (slice(None), from_), columns)
    assert SumsByOwner(into, size, from_).of(columns).tolist() == expected.tolist()


def test_golden_exact_permutation():
    # Differences 1, 1, 1, -1: their sum is 2. Of 16 signs 2 give 4 or -4, and 8 give 2 or -2.
    found = permuted([0, 0, 0, 1], [1, 1, 1, 0])
    assert found.p_value == pytest.approx(10 / 16, rel=1e-12)
    assert found.test == "exact permutation"
    # Differences 3, 2, 1: only all plus and all minus reach 6.
    assert permuted([0, 0, 0], [3, 2, 1]).p_value == pytest.approx(2 / 8)


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


@pytest.mark.parametrize("seed", range(10))
def test_no_difference_of_signed_values_is_not_decided_by_rounding(seed):
    """The same values in another order: the means are equal except for rounding, and often near 0."""
    rng = np.random.default_rng(seed)
    first = np.round(rng.normal(size=8), 1)
    second = rng.permutation(first - first.mean())
    first = first - first.mean()
    assert permuted(first, second).p_value == pytest.approx(brute_force(first, second), abs=1e-12)
    assert permuted(first, second).p_value == 1.0


def test_exact_permutation_matches_scipy():
    from scipy import stats

    rng = np.random.default_rng(0)
    for _ in range(5):
        first, second = rng.normal(size=10), rng.normal(0.4, 1, size=10)
        theirs = stats.permutation_test(
            (first, second), lambda a, b: b.mean() - a.mean(), permutation_type="samples", n_resamples=np.inf
        )
        found = permuted(first, second)
        assert found.test == "exact permutation"
        assert found.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_monte_carlo_permutation_matches_scipy():
    """Both draw 9,999 times; their difference is within 4.5 standard errors except for 1 of 100,000 seeds."""
    from scipy import stats

    seeded = "rng" if "rng" in inspect.signature(stats.permutation_test).parameters else "random_state"  # before 1.15
    rng = np.random.default_rng(1)
    for shift in (0.0, 0.1, 0.25):
        first = rng.random(60)
        second = first + rng.normal(shift, 0.8, size=60)
        theirs = stats.permutation_test(
            (first, second), lambda a, b, axis: (b - a).mean(axis), permutation_type="samples", vectorized=True,
            n_resamples=9999, **{seeded: np.random.default_rng(2)},
        )  # fmt: skip
        ours = permuted(first, second, 9999)
        assert ours.test == "permutation"
        error = math.sqrt(2 * ours.p_value * (1 - ours.p_value) / 9999)
        assert ours.p_value == pytest.approx(theirs.pvalue, abs=4.5 * error)


def test_permutation_of_right_and_wrong_is_mcnemar():
    rng = np.random.default_rng(3)
    first, second = (rng.random(3000) < 0.7).astype(float), (rng.random(3000) < 0.72).astype(float)
    found = permuted(first, second)
    assert found.test == "exact permutation"
    assert found.p_value == pytest.approx(mcnemar_test(first, second).p_value, rel=1e-9)


def test_many_permutations_are_drawn_in_blocks(monkeypatch):
    from qassay.core import bootstrap as statistics

    rng = np.random.default_rng(4)
    first, second = rng.random(50), rng.random(50)
    whole = permuted(first, second, 2000)
    monkeypatch.setattr(statistics, "CELLS_AT_ONCE", 700)
    assert permuted(first, second, 2000) == whole


@pytest.mark.parametrize("seed", range(5))
def test_one_draw_gives_a_half_or_one(seed):
    assert permuted([0.1, 0.2], [0.5, 0.9], n_permutations=1, seed=seed).p_value in (0.5, 1.0)


@FAST
@given(ROWS, st.randoms(), st.integers(1, 40))
def test_neither_order_nor_side_matters(rows, random, n_permutations):
    first, second, weights = map(list, zip(*rows, strict=True))
    expected = permuted(first, second, n_permutations, seed=7, weights=weights)
    assert 0 < expected.p_value <= 1
    assert permuted(second, first, n_permutations, seed=7, weights=weights) == expected
    random.shuffle(rows)
    first, second, weights = map(list, zip(*rows, strict=True))
    assert permuted(first, second, n_permutations, seed=7, weights=weights) == expected


@FAST
@given(ROWS)
def test_a_system_beside_itself(rows):
    values = [row[0] for row in rows]
    for found in (permuted(values, values), permuted(values, values, 3)):
        assert found.p_value == 1.0
    known = np.array([value for value in values if not math.isnan(value)])
    assert [test(known, known).p_value for test in TESTS] == [1.0, 1.0, 1.0]
    same = pairs_of(table(x=values), table(x=values)).bootstrap_differences(["x"], 20, 0)["x"]
    assert set(same[~np.isnan(same)]) <= {0.0}
    assert bootstrap_test(same, 0.0, changed=0).p_value == 1.0


def test_a_measure_without_a_common_example():
    pairs = pairs_of(table(x=[math.nan, 0.5]), table(x=[0.5, math.nan]))
    assert permutation_tests(pairs, ["x"], 100, 0)["x"].p_value == 1.0
    drawn = pairs.bootstrap_differences(["x"], 100, 0)["x"]
    assert np.isnan(drawn).all()
    assert bootstrap_test(drawn, 0.0, changed=0).p_value == 1.0


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
@pytest.mark.parametrize("n", [7, 40, 300])
def test_t_and_wilcoxon_match_scipy(kind, n):
    from scipy import stats

    rng = np.random.default_rng(n)
    first, second = rng.random(n), rng.random(n) + 0.05
    if kind != "continuous":
        first, second = (np.round(values, 1 if kind == "ties" else 0) for values in (first, second))
    assert student_t_test(first, second).p_value == stats.ttest_rel(first, second).pvalue
    # scipy ranks 0.7 - 0.6 and 0.6 - 0.5 apart, which only rounding parts.
    assert wilcoxon_test(first, second).p_value == stats.wilcoxon(np.round(second - first, 11)).pvalue
    change = second - first
    t = change.mean() / (change.std(ddof=1) / math.sqrt(n))
    assert student_t_test(first, second).p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-9)


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (1, 0), (5, 5), (3, 9), (12, 3), (40, 22), (300, 260)])
def test_mcnemar_matches_statsmodels_and_the_binomial_test(better, worse):
    from scipy import stats

    tables = pytest.importorskip("statsmodels.stats.contingency_tables", reason="the peer statsmodels is not installed")
    first = np.repeat([0.0, 1.0, 1.0, 0.0], [better, worse, 11, 4])
    second = np.repeat([1.0, 0.0, 1.0, 0.0], [better, worse, 11, 4])
    found = mcnemar_test(first, second).p_value
    assert found == pytest.approx(tables.mcnemar([[11, worse], [better, 4]], exact=True).pvalue, rel=1e-12)
    assert found == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=1e-9)
    assert mcnemar_test(second, first).p_value == pytest.approx(found, rel=1e-12)


def test_ranx_has_the_same_t_test(ranx):
    """ranx compares rankings; its Student's t uses the same vectors."""
    import qassay

    rng = np.random.default_rng(6)
    gold = {f"q{i}": {f"d{rng.integers(10)}": 1} for i in range(60)}
    runs = [{q: {f"d{d}": 1.0 + float(s) for d, s in enumerate(rng.random(10))} for q in gold} for _ in range(2)]
    report = ranx.compare(
        ranx.Qrels(gold), [ranx.Run(run, name=name) for name, run in zip("ab", runs, strict=True)],
        metrics=["mrr"], stat_test="student",
    )  # fmt: skip
    theirs = report.comparisons["a", "b"]["mrr"]["p_value"]
    systems = {name: qassay.score("retrieval_ranking", run, gold) for name, run in zip("ab", runs, strict=True)}
    ours = qassay.compare(systems, measures=["mrr"], test="t").differences[0]
    assert ours.p_value == pytest.approx(theirs, rel=1e-9)


def test_constant_differences_neither_crash_nor_warn():
    rising = np.linspace(0, 0.5, 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for first, second in (([0.1] * 12, [0.8] * 12), (rising, rising + 0.3)):
            first, second = np.array(first), np.array(second)
            assert student_t_test(first, second).p_value == 2 / 2**12  # t is infinite: a sign test
            assert wilcoxon_test(first, second).p_value == pytest.approx(2 / 2**12)
            assert permuted(first, second).p_value == pytest.approx(2 / 2**12)


@pytest.mark.parametrize("test", TESTS)
def test_one_example_proves_nothing(test):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert test(np.array([0.0]), np.array([1.0])).p_value == 1.0
        assert test(np.zeros(0), np.zeros(0)).p_value == 1.0


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


def test_values_without_rounding_are_unchanged():
    values = np.array([0.0, 1 / 3, 2 / 3, 1.0, math.nan, -0.25])
    found = without_rounding(values)
    assert found == pytest.approx(values, abs=1e-12, nan_ok=True)
    assert found[[0, 3, 5]].tolist() == [0.0, 1.0, -0.25]
    assert without_rounding(np.zeros((0, 2)), axis=0).shape == (0, 2)


def test_bootstrap_differences_match_means():
    """The standard error of a mean is known; 20,000 draws have it within 4.5 of their own standard errors."""
    rng = np.random.default_rng(7)
    first = rng.random(80)
    second = first + rng.normal(0.1, 0.3, 80)
    second[:10] = math.nan
    drawn = pairs_of(table(x=first), table(x=second)).bootstrap_differences(["x"], 20_000, 0)["x"]
    change = (second - first)[10:]
    error = change.std() / math.sqrt(70)
    # The number of applicable examples varies between draws: slightly wider than with a constant 70.
    assert drawn.mean() == pytest.approx(change.mean(), abs=4.5 * error / math.sqrt(20_000))
    assert drawn.std() == pytest.approx(error, rel=4.5 / math.sqrt(40_000) + 1 / 70)


P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.01, 0.04]), min_size=1, max_size=8)
METHODS = {"holm": "holm", "bonferroni": "bonferroni", "benjamini-hochberg": "fdr_bh"}


def test_all_corrections_have_a_peer():
    assert {*METHODS, "none"} == set(CORRECTIONS)


@pytest.mark.parametrize("correction", METHODS)
def test_corrections_match_statsmodels(correction):
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="the peer statsmodels is not installed")
    rng = np.random.default_rng(8)
    for size in (1, 2, 5, 12):
        p_values = np.round(rng.random(size) ** 3, 2)  # rounded: some are equal
        theirs = multitest.multipletests(p_values, method=METHODS[correction])[1]
        assert corrected_p_values(p_values.tolist(), correction) == pytest.approx(theirs.tolist(), abs=1e-12)


@pytest.mark.parametrize("correction", [*METHODS, "none"])
def test_corrected_p_values(correction):
    assert corrected_p_values([], correction) == []
    assert corrected_p_values([0.03], correction) == [0.03]

    @settings(max_examples=100, deadline=None)
    @given(P_VALUES, st.randoms())
    def properties(p_values, random):
        found = corrected_p_values(p_values, correction)
        assert all(type(one) is float for one in found)
        assert all(raw <= adjusted <= 1 for raw, adjusted in zip(p_values, found, strict=True))
        order = sorted(range(len(p_values)), key=p_values.__getitem__)
        assert all(found[a] <= found[b] for a, b in itertools.pairwise(order))
        random.shuffle(order)
        assert corrected_p_values([p_values[place] for place in order], correction) == [found[place] for place in order]

    properties()


def test_golden_corrections():
    p_values = [0.04, 0.01, 0.03, 0.02]
    assert corrected_p_values(p_values, "holm") == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert corrected_p_values(p_values, "bonferroni") == pytest.approx([0.16, 0.04, 0.12, 0.08])
    assert corrected_p_values(p_values, "benjamini-hochberg") == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert corrected_p_values(p_values, "none") == p_values
