"""Tests all pairs of systems by one measure at a time; `ranking.rank_systems` describes the method.

The p-values of all pairs are corrected step by step with the largest random differences. The correction accounts for the
correlation of differences that share a system, so it is more powerful than Holm's, and its p-values are not bounded by the
number of pairs divided by the number of draws. Sources: Westfall and Young (1993), algorithm 2.8; Romano and Wolf (2005),
"Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing"; Romano and Wolf (2016).
"""

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..core.intervals import (
    PER_CARRIER,
    RunSpread,
    Spread,
    edge_of,
    effective_units,
    unit_sizes,
    with_runs,
)
from ..core.measures import Measure
from ..core.rounding import ROUNDING, TINY
from .joint_sample import JointSample, row_keys
from .paired_tests import sign_p_value
from .pairs import without_rounding
from .permutation import every_swap, swap_counts
from .spreads import FEWEST, SKEWED, Changes, p_without_tail, with_skew

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

    def raised(self, other: "CorrectedPairs") -> "CorrectedPairs":
        """The larger p-value of each pair."""
        return CorrectedPairs(*(np.maximum(one, at_least) for one, at_least in zip(self, other, strict=True)))


class JointOutcome(NamedTuple):
    """The tests of all pairs of systems.

    Attributes:
        p_values: the corrected p-values.
        test: the name of the test.
        skews: the skewness of the contributions of units to each difference, divided by the square root of their
            number, (systems, systems); 0 if unknown, or if p is corrected for it.
        degrees: degrees of freedom of the variance of each difference over units, (systems, systems).
        lacks_tail: whether some p was raised because no example changes against a difference by a tenth of the range.
    """

    p_values: CorrectedPairs
    test: str
    skews: np.ndarray
    degrees: np.ndarray
    lacks_tail: bool = False


def joint_test(
    sample: JointSample,
    name: str,
    values: np.ndarray,
    drawn: np.ndarray,
    of_runs: Sequence[RunSpread | None],
    n_permutations: int,
    seed: int,
) -> JointOutcome:
    """The corrected p-values of all pairs for a measure.

    Args:
        values: the values of the systems, (systems,).
        drawn: the values of resamples, (b, systems).
        of_runs: the variation of each system between its runs; None for a single run.
    """
    parts = sample.parts(name)
    has_runs = any(spread is not None and spread.observed for spread in of_runs)
    in_all = _degrees_in_all(sample, name)
    if parts is None:
        p_values = _by_resamples(sample, in_all, values, drawn, of_runs, seed)
        zeros = np.zeros_like(p_values.of_all)
        return JointOutcome(p_values, "bootstrap", zeros, zeros + in_all)
    moved, shares = turned(parts, n_permutations, seed, may_be_all=not has_runs)
    variances = _apart(parts)
    p_values = step_down(_in_deviations(values, variances), variances, moved, shares)
    centred, n = parts - parts.mean(axis=0), sample.n_units
    skews, carriers = _shapes(centred)
    degrees = np.clip(PER_CARRIER * carriers, 1.0, in_all)
    by_example, lacks_tail = _by_example(sample, name), False
    if by_example is not None:
        are_whole, of_tails = _small_samples(by_example, sample.measures[name], values)
        skewed = (abs(skews) >= SKEWED) & ~are_whole & (n >= FEWEST)
        if skewed.any():
            over_examples = _apart(centred) * n / max(1, n - 1)
            t = with_skew(np.subtract.outer(values, values) * inverse_deviations(over_examples), skews)
            sizes = np.where(skewed, _normal_sizes(abs(t), np.full_like(t, in_all)), np.inf)
            moved, _ = turned(centred, n_permutations, seed, may_be_all=False)
            p_values = p_values.raised(step_down(sizes, over_examples, moved))
        without_tails = p_values.raised(of_tails)
        lacks_tail = bool((without_tails.of_all > p_values.of_all).any())
        p_values, skews = without_tails, np.zeros_like(skews)
    # Runs as in `compare`; contributions of units to measures other than means are only approximate.
    if has_runs or not sample.measures[name].is_mean:
        moved, _ = turned(centred, n_permutations, seed, may_be_all=False)
        over_examples = _apart(centred) * n / max(1, n - 1) + _edges(sample, name)
        p_values = p_values.raised(_by_t(values, over_examples, degrees, moved, of_runs, seed))
    return JointOutcome(p_values, "sign flips" if shares is None else "exact sign flips", skews, degrees, lacks_tail)


def _by_example(sample: JointSample, name: str) -> np.ndarray | None:
    """The value of each example in each system, (n, systems), for a mean over examples that count alike; None for others."""
    measure, weights = sample.measures[name], sample.rows[0].weights
    if sample.members is not None or not measure.is_mean or weights.min(initial=math.inf) < weights.max(initial=0.0):
        return None
    columns = [measure.by_example(rows) for rows in sample.rows]
    return None if any(column is None for column in columns) else np.column_stack(columns)  # type: ignore[arg-type]


def _small_samples(by_example: np.ndarray, measure: Measure, values: np.ndarray) -> tuple[np.ndarray, CorrectedPairs]:
    """Whether all changes of a pair are by the whole range of the measure, (systems, systems); and the p-values of pairs
    whose examples lack a tail (`spreads.p_without_tail`), corrected by Bonferroni; 0 for others.
    """
    n, k = by_example.shape
    are_whole, p_values = np.ones((k, k), bool), np.zeros((k, k))
    for pair in itertools.combinations(range(k), 2):
        (first, second), rise = by_example[:, pair].T, values[pair[1]] - values[pair[0]]
        changes = Changes.of(second - first, first, second, measure)
        are_whole[pair] = are_whole[pair[::-1]] = changes.rises is not None
        p_values[pair] = p_values[pair[::-1]] = p_without_tail(changes, rise, n, measure)
    of_all, of_each = (np.minimum(1.0, p_values * tests) for tests in (k * (k - 1) // 2, k - 1))
    return are_whole, CorrectedPairs(of_all, of_each)


def _in_deviations(values: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """The absolute differences of values in standard deviations, (systems, systems); 0 if there is no variance."""
    sizes: np.ndarray = abs(np.subtract.outer(values, values)) * inverse_deviations(variances)
    return sizes


def _apart(columns: np.ndarray) -> np.ndarray:
    """The sums of squared differences of columns (n, systems), (systems, systems); 0 for columns that differ only by
    rounding.
    """
    noise = TINY * float(np.sqrt((columns**2).sum(axis=0).max(initial=0.0)))
    squares = np.stack([((columns - column[:, None]) ** 2).sum(axis=0) for column in columns.T])
    return np.where(squares > noise**2, squares, 0.0)


def _by_resamples(
    sample: JointSample,
    degrees: float,
    values: np.ndarray,
    drawn: np.ndarray,
    of_runs: Sequence[RunSpread | None],
    seed: int,
) -> CorrectedPairs:
    """p-values of a measure with unknown contributions: from differences of resamples around the observed differences.

    Resamples in which a system has no value are omitted. p is at least the smallest p of a sign test of the examples
    that differ, as in `paired_tests.bootstrap_test`.
    """
    moved = (drawn - values)[~np.isnan(drawn).any(axis=1)]
    n, draws = sample.n_units, max(1, len(moved))
    variances = _apart(moved - moved.sum(axis=0) / draws) / max(1, draws - 1) * n / max(1, n - 1)
    found = _by_t(values, variances, np.full_like(variances, degrees), [moved], of_runs, seed)
    signs = np.vectorize(sign_p_value, otypes=[np.float64])(sample.n_changed())
    return found.raised(CorrectedPairs(signs, signs))


def _degrees_in_all(sample: JointSample, name: str) -> float:
    """The degrees of freedom from the number of units, limited by the number of scarce examples of the measure."""
    measure, units = sample.measures[name], sample.units(0)
    effective = effective_units(unit_sizes(measure, units), units.counts)
    scarce = measure.scarce(units.rows, units.row_counts)
    return max(1.0, effective - 1 if scarce is None else min(effective - 1, scarce))


def _shapes(centred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The skewness of the contributions of units to each difference, divided by the square root of their number, and the
    number of units that carry the variance, (systems, systems) each. Without variance they are 0 and inf.

    Args:
        centred: the contribution of each unit to each system, minus the mean, (units, systems).
    """
    squared, products = centred**2, centred.T @ centred
    squares = np.diag(products)[:, None] + np.diag(products) - 2 * products  # as `_apart`, but faster and less accurate
    squares = np.where(squares > TINY * squares.max(initial=0.0), squares, 0.0)
    crossed, cubed = squared.T @ centred, (squared * centred).T @ centred  # sums of a^2 b and of a^3 b
    cubes, of_each = np.diag(crossed), (squared**2).sum(axis=0)
    thirds = cubes[:, None] - cubes - 3 * crossed + 3 * crossed.T
    fourths = of_each[:, None] + of_each - 4 * (cubed + cubed.T) + 6 * squared.T @ squared
    with np.errstate(divide="ignore", invalid="ignore"):
        skews = np.where(squares > 0, thirds / squares**1.5, 0.0)
        carriers = np.where((squares > 0) & (fourths > 0), squares**2 / fourths, np.inf)
    return skews, carriers


def _edges(sample: JointSample, name: str) -> np.ndarray:
    """The missing parts of the variances of the differences (`Measure.edge_variance`), (systems, systems)."""
    measure, each = sample.measures[name], [sample.units(system) for system in range(len(sample.rows))]
    of_each = np.array([edge_of(measure, units, units.row_counts, unit_sizes(measure, units)) for units in each])
    edges: np.ndarray = of_each[:, None] + of_each
    return edges


def _by_t(
    values: np.ndarray,
    variances: np.ndarray,
    degrees: np.ndarray,
    moved: Iterable[np.ndarray],
    of_runs: Sequence[RunSpread | None],
    seed: int,
) -> CorrectedPairs:
    """p-values from Student's t for each difference over other examples and other runs.

    Each difference is converted to the normal deviate with the same p-value; random draws add normal deviations for other
    runs. A difference without variance exceeds every random one, so the signs of examples decide.

    Args:
        variances: variances of the differences over examples; degrees: their degrees of freedom.
    """
    in_all, freedom = np.zeros_like(variances), np.ones_like(variances)
    for first, second in itertools.combinations(range(len(values)), 2):
        spread = functools.reduce(
            with_runs,
            [of for of in (of_runs[first], of_runs[second]) if of is not None],
            Spread(float(variances[first, second]), 0.0, float(degrees[first, second])),
        )
        in_all[first, second] = in_all[second, first] = spread.variance or 0.0
        freedom[first, second] = freedom[second, first] = spread.degrees
    deviations = np.sqrt([0.0 if of is None else of.variance for of in of_runs])
    sizes = _normal_sizes(_in_deviations(values, in_all), freedom)
    rounded = without_rounding(values)
    sizes = np.where((in_all == 0) & (rounded[:, None] != rounded), np.inf, sizes)
    return step_down(sizes, in_all, _with_deviations(moved, deviations, seed))


def _with_deviations(moved: Iterable[np.ndarray], deviations: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng([seed, 1])
    for block in moved:
        yield block + deviations * rng.standard_normal(block.shape) if deviations.any() else block


def _normal_sizes(sizes: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """The normal deviates with the same tail probability as values of Student's t."""
    from scipy.special import ndtri, stdtr

    tails = np.maximum(stdtr(degrees, -sizes), np.finfo(float).tiny)
    normal: np.ndarray = np.maximum(0.0, -ndtri(tails))
    return normal


def turned(
    parts: np.ndarray, n_permutations: int, seed: int, may_be_all: bool = True
) -> tuple[Iterable[np.ndarray], np.ndarray | None]:
    """The sums of the contributions of each system (units, systems) under random sign changes of units.

    A unit changes its sign in all systems together, with probability 1/2. For two systems, this is the effect of
    swapping their answers on the difference.

    Args:
        may_be_all: whether to return all distinct sums if there are at most n_permutations.

    Returns:
        Blocks of (b, systems), n_permutations rows in total, and None; or all distinct sums, if there are at most that
        many, with their probabilities.
    """
    middle = parts.mean(axis=1, keepdims=True)
    parts = np.where(np.ptp(parts, axis=1, keepdims=True) > 0, parts - middle, 0.0)
    parts = without_rounding(parts[parts.any(axis=1)])
    lead = parts[np.arange(len(parts)), np.argmax(parts != 0, axis=1)]
    # Units whose contributions are equal, up to a common sign, are one kind.
    parts = parts * np.sign(lead)[:, None]
    _, first, counts = np.unique(row_keys(parts.T), return_index=True, return_counts=True)
    kinds = parts[first]
    total = counts @ kinds
    every = every_swap(counts, n_permutations) if may_be_all else None
    if every is not None:
        return [total - 2 * (every[0] @ kinds)], every[1]
    return (total - 2 * (block @ kinds) for block in swap_counts(counts, n_permutations, seed)), None


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
