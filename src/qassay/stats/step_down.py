"""Tests all pairs of systems jointly: p-values are corrected step by step with the largest random differences.

The correction accounts for the correlation of differences that share a system, so it is more powerful than Holm's, and
its p-values are not bounded by the number of pairs divided by the number of draws. Sources: Westfall and Young (1993),
algorithm 2.8; Romano and Wolf (2005), "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing"; Romano
and Wolf (2016).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.rounding import ROUNDING

_CELLS_AT_ONCE = 1 << 19  # differences per block, small enough for the processor's cache


class CorrectedPairs(NamedTuple):
    """The corrected p-values of all pairs of systems, (systems, systems) each; NaN on the diagonal.

    Attributes:
        of_all: corrected for all pairs; symmetric.
        of_each: corrected only for the pairs of the system of the row, which determine its rank; never larger than
            `of_all`.
    """

    of_all: np.ndarray
    of_each: np.ndarray


def step_down(
    sizes: np.ndarray, variances: np.ndarray, moved: Iterable[np.ndarray], shares: np.ndarray | None = None
) -> CorrectedPairs:
    """The two-sided p-values of all pairs of systems, corrected step by step.

    The pairs are ordered by the size of their differences. The p-value of a pair is the share of random draws in which
    the largest difference among this pair and all smaller ones reaches its own difference, and at least the p-value of
    the preceding pair.

    Args:
        sizes: the absolute differences in standard deviations, (systems, systems); a pair with NaN has the p-value 1.
        variances: the variances of the differences, (systems, systems); if 0, random differences are 0.
        moved: blocks of (b, systems), the random changes of values if all systems are equally good.
        shares: the probability of each row, if the blocks enumerate all outcomes; None: rows are random draws.
    """
    k, (first, second) = len(sizes), np.triu_indices(len(sizes), 1)
    order = np.argsort(-sizes[first, second], kind="stable")
    first, second = first[order], second[order]
    of_each = [np.flatnonzero((first == system) | (second == system)) for system in range(k)]
    sets: Sequence[np.ndarray | slice] = [slice(None), *of_each]
    limits = (sizes[first, second] * (1 - ROUNDING))[:, None]
    factors = inverse_deviations(variances)[first, second][:, None]
    hits, done = [np.zeros(len(limits[index])) for index in sets], 0
    step = max(1, _CELLS_AT_ONCE // max(1, len(first)))
    for part in (block[start : start + step].T for block in moved for start in range(0, len(block), step)):
        chance = part[first]
        chance -= part[second]
        chance *= factors
        np.abs(chance, out=chance)
        size = chance.shape[1]
        weights = np.ones(size) if shares is None else shares[done : done + size]
        for found, index in zip(hits, sets, strict=True):
            largest = np.maximum.accumulate(chance[index][::-1], axis=0)[::-1]  # among each pair and all smaller ones
            found += ~(largest < limits[index]) @ weights  # always true for NaN
        done += size
    p_values = [
        np.minimum(1.0, np.maximum.accumulate((found + 1) / (done + 1) if shares is None else found)) for found in hits
    ]
    of_all, of_one = np.full((k, k), np.nan), np.full((k, k), np.nan)
    of_all[first, second] = of_all[second, first] = p_values[0]
    for system, (index, found) in enumerate(zip(of_each, p_values[1:], strict=True)):
        of_one[system, first[index] + second[index] - system] = found
    return CorrectedPairs(of_all, of_one)


def inverse_deviations(variances: np.ndarray) -> np.ndarray:
    """1 divided by the square root of each variance; 0 for a variance of 0."""
    with np.errstate(divide="ignore"):
        return np.where(variances > 0, 1 / np.sqrt(variances), 0.0)
