"""All pairs of systems tested together: p-values corrected by the largest differences that chance makes, step by step.

The correction takes into account that differences of the same systems go together, so it finds more than Holm's, and its
p-values are not bounded by the number of pairs over the number of draws. Sources: Westfall and Young (1993), algorithm 2.8;
Romano and Wolf (2005), "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing"; Romano and Wolf (2016).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..core.rounding import ROUNDING

_CELLS_AT_ONCE = 1 << 19  # differences held at a time, few enough for the processor's cache


class RunNoise(NamedTuple):
    """How the values of systems vary with their runs: the variance that other runs add, and of how many runs, (systems,) each."""

    variances: np.ndarray
    runs: np.ndarray


class CorrectedPairs(NamedTuple):
    """The corrected p-values of all pairs of systems, (systems, systems) each; NaN on the diagonal.

    Attributes:
        of_all: corrected for all pairs; symmetric.
        of_each: corrected for the pairs of one system, that of the row: what its rank follows from. They are nowhere larger
            than those of all.
    """

    of_all: np.ndarray
    of_each: np.ndarray


class _Ordered(NamedTuple):
    """Pairs of systems, the largest studentised difference first.

    Attributes:
        first, second: their systems, (pairs,).
        sizes: the differences.
        of_each: the places of the pairs of each system here.
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
    values: np.ndarray,
    variances: np.ndarray,
    moved: Iterable[np.ndarray],
    shares: np.ndarray | None = None,
    runs: RunNoise | None = None,
    seed: int = 0,
) -> CorrectedPairs:
    """p-values of all pairs of systems, two-sided, corrected step by step.

    The pairs are ordered by their studentised differences. The p-value of a pair is how often the largest of its own and all
    smaller ones is by chance as large as its own, and at least the p-value of the pair before it.

    Args:
        values: of the systems, (systems,).
        variances: of their differences by examples, (systems, systems); two systems with 0 are equal.
        moved: blocks of (b, systems), what chance does to the values where all systems are equally good.
        shares: how probable each row of the one block is, where the block has all that can be; None: rows are draws.
        runs: how the systems vary with their runs besides; None: not at all.
        seed: of the chance of the runs.
    """
    k = len(values)
    of_runs = np.zeros(k) if runs is None else runs.variances
    pairs = _Ordered.of(_studentised(values[:, None] - values, variances + of_runs[:, None] + of_runs))
    sets: Sequence[np.ndarray | slice] = [slice(None), *pairs.of_each]
    limits = (pairs.sizes * (1 - ROUNDING))[:, None]
    hits, done = [np.zeros(len(pairs.sizes[own])) for own in sets], 0
    for chance in _by_chance(pairs, variances, moved, runs, np.random.default_rng([seed, 1])):
        size = chance.shape[1]
        weights = np.ones(size) if shares is None else shares[done : done + size]
        for found, own in zip(hits, sets, strict=True):
            found += (_largest_from(chance[own]) >= limits[own]) @ weights
        done += size
    p_values = [_as_p_values(found, done if shares is None else None) for found in hits]
    of_all, of_each = np.full((k, k), np.nan), np.full((k, k), np.nan)
    of_all[pairs.first, pairs.second] = of_all[pairs.second, pairs.first] = p_values[0]
    for system, (own, found) in enumerate(zip(pairs.of_each, p_values[1:], strict=True)):
        of_each[system, pairs.first[own] + pairs.second[own] - system] = found
    return CorrectedPairs(of_all, of_each)


def _by_chance(
    pairs: _Ordered,
    variances: np.ndarray,
    moved: Iterable[np.ndarray],
    runs: RunNoise | None,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """The studentised differences of the pairs that chance makes, in blocks of (pairs, b)."""
    first, second, of_examples = pairs.first, pairs.second, variances[pairs.first, pairs.second][:, None]
    step = max(1, _CELLS_AT_ONCE // max(1, len(first)))
    for part in (block[start : start + step].T for block in moved for start in range(0, len(block), step)):
        if runs is None:
            yield _studentised(part[first] - part[second], of_examples)
            continue
        shape = (part.shape[1], len(runs.runs))
        apart = (rng.standard_normal(shape) * np.sqrt(runs.variances)).T
        degrees = np.maximum(1, runs.runs - 1)
        seen = (rng.chisquare(degrees, shape) / degrees * runs.variances).T
        part = part + apart
        yield _studentised(part[first] - part[second], of_examples + seen[first] + seen[second])


def _studentised(differences: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """The size of differences in standard deviations; 0 where there is no variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variances > 0, abs(differences) / np.sqrt(variances), 0.0)


def _largest_from(chance: np.ndarray) -> np.ndarray:
    """The largest from each row on, of (pairs, b)."""
    largest: np.ndarray = np.maximum.accumulate(chance[::-1], axis=0)[::-1]
    return largest


def _as_p_values(hits: np.ndarray, n_draws: int | None) -> np.ndarray:
    """p-values of pairs in their order, of how often chance came up to them; n_draws None: hits are probabilities."""
    p_values = hits if n_draws is None else (hits + 1) / (n_draws + 1)
    stepped: np.ndarray = np.minimum(1.0, np.maximum.accumulate(p_values))
    return stepped
