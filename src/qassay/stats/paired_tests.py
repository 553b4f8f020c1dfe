"""Paired tests of the values of examples or groups, the paired bootstrap test, and corrections for several tests."""

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.intervals import Spread
from ..core.rounding import ROUNDING
from .pairs import changes_of

PAIRED_TESTS = ("permutation", "bootstrap", "t", "wilcoxon", "mcnemar")
CORRECTIONS = ("holm", "bonferroni", "benjamini-hochberg", "none")
REPLACED_BY = (
    "t over runs",
    "t of skewed",
    "rule of three",
)  # tests that replace a requested test where their p is larger
# `PairedOutcome.test` -> its name below a table; for other tests, the key is the name.
TEST_NAMES = {
    "t": "Student's t test",
    "t over runs": "Student's t test over questions and runs",
    "t of skewed": "Student's t test corrected for skewness",
    "rule of three": "the rule of three",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "mcnemar": "McNemar's exact test",
}
# `PairedOutcome.test` -> what it does.
TEST_MEANINGS = {
    "permutation": "swaps the answers of the two systems at random, by example or by group; the default",
    "exact permutation": "the permutation test where it makes every different swap, because there are few",
    "bootstrap": "counts how often a difference of resampled examples is as far from the observed one as that is from 0",
    "t": "Student's t-test of the mean difference; with groups the variance is from the jackknife by group",
    "t over runs": "Student's t-test over other questions and other runs, for systems with several runs; it replaces the "
    "requested test where its p is larger",
    "t of skewed": "Student's t-test corrected for skewness (Hall, 1992), of few and skewed differences; it replaces the "
    "permutation test where its p is larger",
    "rule of three": "the chance that a sample has none of the rare changes that would cancel the difference, where no example "
    "changes against it by a tenth of the range; it replaces the permutation test where its p is larger",
    "wilcoxon": "Wilcoxon's signed-rank test of the examples that differ",
    "mcnemar": "McNemar's exact test of right and wrong answers",
}


class PairedOutcome(NamedTuple):
    """The result of a test: the two-sided p-value and the name of the test."""

    p_value: float
    test: str


def bootstrap_test(differences: np.ndarray, observed: float, changed: int, slack: float = 0.0) -> PairedOutcome:
    """The paired bootstrap test: how often a resampled difference deviates from the observed one by at least its
    distance from 0.

    A few examples say too little about other examples, so p is at least the smallest p of a sign test of `changed` examples.

    Args:
        differences: differences of resamples, NaN if there was none; see `Pairs.bootstrap_differences`.
        changed: the number of examples or groups that differ between the systems.
        slack: the tolerance for rounding of a difference.

    Source: Efron and Tibshirani (1993), 16.4; in use since Koehn (2004).
    """
    differences = differences[~np.isnan(differences)]
    hits = int(as_extreme(differences - observed, observed, slack).sum())
    return PairedOutcome(max((hits + 1) / (len(differences) + 1), sign_p_value(changed)), "bootstrap")


def student_t_test(first: np.ndarray, second: np.ndarray) -> PairedOutcome:
    """Student's t-test of pairs; p is 1 with fewer than two examples or without any difference.

    If all differences are equal, t would be infinite, so p comes from a sign test.

    Example:
        >>> student_t_test(np.array([0.0, 0.5, 0.2]), np.array([0.5, 0.9, 1.0])).p_value.__round__(4)
        0.0422
    """
    changes = changes_of(first, second)
    if len(first) < 2 or not changes.any():
        return PairedOutcome(1.0, "t")
    if (changes == changes[0]).all():
        return PairedOutcome(sign_p_value(len(changes)), "t")
    n, variance = len(first), float(np.var(second - first, ddof=1))
    return spread_t_test(float(np.mean(second - first)), Spread(variance / n, n, n - 1))


def spread_t_test(difference: float, spread: Spread, test: str = "t", n_equal: int = 0) -> PairedOutcome:
    """Student's t-test of a difference, from its variance and the degrees of freedom of the variance.

    Args:
        spread: the spread of the difference; with groups, from the jackknife, which is also valid for groups of unequal
            sizes.
        test: the name of the test.
        n_equal: the number of units with the same difference; if the variance is 0, p comes from a sign test of these.

    Source: MacKinnon, Nielsen and Webb (2023) for the jackknife by group.

    Example:
        >>> spread_t_test(0.5, Spread(0.04, 10, 9.0)).p_value.__round__(4)
        0.0339
    """
    if not spread.variance or spread.degrees < 1:
        return PairedOutcome(sign_p_value(n_equal) if n_equal > 1 else 1.0, test)
    from scipy.special import stdtr

    p_value = 2 * float(stdtr(spread.degrees, -abs(difference) / math.sqrt(spread.variance)))
    return PairedOutcome(max(p_value, sys.float_info.min), test)


def larger_p(tested: PairedOutcome, other: PairedOutcome) -> PairedOutcome:
    """The result with the larger p-value; the first if they are equal."""
    return other if other.p_value > tested.p_value else tested


def sign_p_value(n: int) -> float:
    """The p-value of a sign test for n differences with the same sign."""
    return max(min(1.0, 2.0 ** (1 - n)), sys.float_info.min)


def wilcoxon_test(first: np.ndarray, second: np.ndarray) -> PairedOutcome:
    """Wilcoxon's signed-rank test without ties between the systems, as in scipy."""
    changes = changes_of(first, second)
    if not changes.any():
        return PairedOutcome(1.0, "wilcoxon")
    from scipy.stats import wilcoxon

    return PairedOutcome(float(wilcoxon(changes).pvalue), "wilcoxon")


def mcnemar_test(first: np.ndarray, second: np.ndarray) -> PairedOutcome:
    """McNemar's test for right-or-wrong measures: the exact binomial test of the examples that only one system has
    right.
    """
    from scipy.special import bdtr

    changes = changes_of(first, second)
    better, worse = int((changes > 0).sum()), int((changes < 0).sum())
    return PairedOutcome(min(1.0, 2 * float(bdtr(min(better, worse), better + worse, 0.5))), "mcnemar")


def as_extreme(differences: np.ndarray, observed: float, slack: float) -> np.ndarray:
    """Which differences are at least as far from 0 as the observed one, with the tolerance `slack` for rounding."""
    return abs(differences) >= abs(observed) - max(slack, ROUNDING * abs(observed))


def corrected_p_values(p_values: Sequence[float], correction: str) -> list[float]:
    """The p-values of several tests, corrected so that false findings are as rare as in one test.

    Args:
        correction: "holm" or "bonferroni" (control the chance of any false finding), "benjamini-hochberg" (controls the
            share of false findings), or "none".

    Example:
        >>> corrected_p_values([0.01, 0.04, 0.03], "holm")
        [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, np.float64)
    order, ranks = np.argsort(given, kind="stable"), np.arange(len(given))
    rising = given[order]
    if correction == "holm":
        rising = np.maximum.accumulate(rising * (len(given) - ranks))
    elif correction == "bonferroni":
        rising = rising * len(given)
    elif correction == "benjamini-hochberg":
        rising = np.minimum.accumulate((rising * len(given) / (ranks + 1))[::-1])[::-1]
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(1.0, rising)
    return list(corrected.tolist())
