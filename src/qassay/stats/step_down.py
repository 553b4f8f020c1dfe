"""Tests all pairs of systems jointly: p-values are corrected step by step with the largest random differences.

The correction accounts for the correlation of differences that share a system, so it is more powerful than Holm's, and
its p-values are not bounded by the number of pairs divided by the number of draws. Sources: Westfall and Young (1993),
algorithm 2.8; Romano and Wolf (2005), "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing"; Romano
and Wolf (2016).
"""

from collections.abc import Iterable, Iterator, Sequence
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


class _Ordered(NamedTuple):
    """Pairs of systems, largest studentised difference first.

    Attributes:
        first, second: the systems of each pair, (pairs,).
        sizes: the studentised differences.
        of_each: the indices of the pairs of each system in this order.
    """

    first: np.ndarray
    second: np.ndarray
    sizes: np.ndarray
    of_each: list[np.ndarray]

    @classmethod
    def of(cls, sizes: np.ndarray) -> "_Ordered":
        first, second = np.triu_indices(len(sizes), 1)
        order = np.argsort(-sizes[first, second], kind="stable")
        first, second = first[order], second[order]
        of_each = [np.flatnonzero((first == system) | (second == system)) for system in range(len(sizes))]
        return cls(first, second, sizes[first, second], of_each)


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
    pairs, k = _Ordered.of(sizes), len(sizes)
    sets: Sequence[np.ndarray | slice] = [slice(None), *pairs.of_each]
    limits = (pairs.sizes * (1 - ROUNDING))[:, None]
    hits, done = [np.zeros(len(pairs.sizes[index])) for index in sets], 0
    for chance in _by_chance(pairs, variances, moved):
        size = chance.shape[1]
        weights = np.ones(size) if shares is None else shares[done : done + size]
        for found, index in zip(hits, sets, strict=True):
            found += ~(_largest_from(chance[index]) < limits[index]) @ weights  # always true for NaN
        done += size
    p_values = [_as_p_values(found, done if shares is None else None) for found in hits]
    of_all, of_each = np.full((k, k), np.nan), np.full((k, k), np.nan)
    of_all[pairs.first, pairs.second] = of_all[pairs.second, pairs.first] = p_values[0]
    for system, (index, found) in enumerate(zip(pairs.of_each, p_values[1:], strict=True)):
        of_each[system, pairs.first[index] + pairs.second[index] - system] = found
    return CorrectedPairs(of_all, of_each)


def _by_chance(pairs: _Ordered, variances: np.ndarray, moved: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """The random differences of the pairs in standard deviations, in blocks of (pairs, b)."""
    first, second = pairs.first, pairs.second
    factors = inverse_deviations(variances)[first, second][:, None]
    step = max(1, _CELLS_AT_ONCE // max(1, len(first)))
    for part in (block[start : start + step].T for block in moved for start in range(0, len(block), step)):
        chance = part[first]
        chance -= part[second]
        chance *= factors
        yield np.abs(chance, out=chance)


def inverse_deviations(variances: np.ndarray) -> np.ndarray:
    """1 divided by the square root of each variance; 0 for a variance of 0."""
    with np.errstate(divide="ignore"):
        return np.where(variances > 0, 1 / np.sqrt(variances), 0.0)


def _largest_from(chance: np.ndarray) -> np.ndarray:
    """The largest value among each row and all later rows, for (pairs, b)."""
    largest: np.ndarray = np.maximum.accumulate(chance[::-1], axis=0)[::-1]
    return largest


def _as_p_values(hits: np.ndarray, n_draws: int | None) -> np.ndarray:
    """The p-values of pairs in order, from how often random differences reached them; n_draws None: hits are
    probabilities.
    """
    p_values = hits if n_draws is None else (hits + 1) / (n_draws + 1)
    stepped: np.ndarray = np.minimum(1.0, np.maximum.accumulate(p_values))
    return stepped
