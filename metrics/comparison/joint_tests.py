"""All pairs of systems tested by one measure at a time, corrected together; how they are, is in `ranking.rank_systems`."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..core.intervals import RunSpread, Spread, effective_units, unit_sizes, with_runs
from ..core.rounding import TINY
from .joint_sample import JointSample, turned
from .paired_tests import sign_p_value
from .pairs import without_rounding
from .step_down import CorrectedPairs, inverse_deviations, step_down


class JointOutcome(NamedTuple):
    """The tests of all pairs of systems.

    Attributes:
        p_values: corrected.
        test: how they were found.
        skews: the skewness of what units add to each difference over the root of their number, (systems, systems); 0 where
            it is not known.
    """

    p_values: CorrectedPairs
    test: str
    skews: np.ndarray


def joint_test(
    sample: JointSample,
    name: str,
    values: np.ndarray,
    drawn: np.ndarray,
    of_runs: Sequence[RunSpread | None],
    n_permutations: int,
    seed: int,
) -> JointOutcome:
    """The corrected p-values of all pairs by a measure.

    Args:
        values: of the systems, (systems,).
        drawn: those of resamples, (b, systems).
        of_runs: how each system varies with its runs; None of one run.
    """
    parts = sample.parts(name)
    has_runs = any(spread is not None and spread.observed for spread in of_runs)
    if parts is None:
        p_values = _by_resamples(sample, name, values, drawn, of_runs, seed)
        return JointOutcome(p_values, "bootstrap", np.zeros_like(p_values.of_all))
    moved, shares = turned(parts, n_permutations, seed, may_be_all=not has_runs)
    variances = _apart(parts)
    p_values = step_down(_in_deviations(values, variances), variances, moved, shares)
    if has_runs:  # as in `compare`: where other runs make p larger
        centred, n = parts - parts.mean(axis=0), sample.n_units
        moved, _ = turned(centred, n_permutations, seed, may_be_all=False)
        of_examples = _apart(centred) * n / max(1, n - 1)
        p_values = _larger(p_values, _over_runs(sample, name, values, of_examples, moved, of_runs, seed))
    return JointOutcome(p_values, "sign flips" if shares is None else "exact sign flips", _skews(parts))


def _in_deviations(values: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """The sizes of the differences of values in standard deviations, (systems, systems); 0 where there is no variance."""
    sizes: np.ndarray = abs(np.subtract.outer(values, values)) * inverse_deviations(variances)
    return sizes


def _larger(first: CorrectedPairs, second: CorrectedPairs) -> CorrectedPairs:
    return CorrectedPairs(*(np.maximum(one, other) for one, other in zip(first, second, strict=True)))


def _apart(columns: np.ndarray) -> np.ndarray:
    """The sums of squared differences of columns (n, systems), (systems, systems); 0 of columns that only rounding parts."""
    noise = TINY * float(np.sqrt((columns**2).sum(axis=0).max(initial=0.0)))
    squares = np.stack([((columns - own[:, None]) ** 2).sum(axis=0) for own in columns.T])
    return np.where(squares > noise**2, squares, 0.0)


def _by_resamples(
    sample: JointSample,
    name: str,
    values: np.ndarray,
    drawn: np.ndarray,
    of_runs: Sequence[RunSpread | None],
    seed: int,
) -> CorrectedPairs:
    """p-values of a measure whose parts are not known: from differences of resamples around the observed ones.

    Resamples in which a system has no value are omitted. p is at least what a sign test of the examples that differ can
    give, as in `paired_tests.bootstrap_test`.
    """
    moved = (drawn - values)[~np.isnan(drawn).any(axis=1)]
    n, draws = sample.n_units, max(1, len(moved))
    variances = _apart(moved - moved.sum(axis=0) / draws) / max(1, draws - 1) * n / max(1, n - 1)
    found = _over_runs(sample, name, values, variances, [moved], of_runs, seed)
    signs = np.vectorize(sign_p_value, otypes=[np.float64])(sample.n_changed())
    return _larger(found, CorrectedPairs(signs, signs))


def _over_runs(
    sample: JointSample,
    name: str,
    values: np.ndarray,
    variances: np.ndarray,
    moved: Iterable[np.ndarray],
    of_runs: Sequence[RunSpread | None],
    seed: int,
) -> CorrectedPairs:
    """p-values from Student's t of each difference over other examples and other runs.

    A difference is as large as a normal one with the same p-value; chance adds normal deviations for other runs. A
    difference that does not vary at all is larger than any that chance makes: signs of examples decide about it.

    Args:
        variances: of the differences by examples, which have as many degrees of freedom as there are units but one.
    """
    measure, units = sample.measures[0][name], sample.units(0)
    effective = effective_units(unit_sizes(measure, units), units.counts)
    scarce = measure.scarce(units.rows, units.row_counts)
    degrees = max(1.0, effective - 1 if scarce is None else min(effective - 1, scarce))
    spreads = {
        (first, second): functools.reduce(
            with_runs,
            [own for own in (of_runs[first], of_runs[second]) if own is not None],
            Spread(float(variances[first, second]), effective, degrees),
        )
        for first in range(len(values))
        for second in range(first)
    }
    in_all, freedom = np.zeros_like(variances), np.full_like(variances, degrees)
    for (first, second), spread in spreads.items():
        in_all[first, second] = in_all[second, first] = spread.variance or 0.0
        freedom[first, second] = freedom[second, first] = spread.degrees
    deviations = np.sqrt([0.0 if own is None else own.variance for own in of_runs])
    sizes = _normal_sizes(_in_deviations(values, in_all), freedom)
    rounded = without_rounding(values)
    sizes = np.where((in_all == 0) & (rounded[:, None] != rounded), np.inf, sizes)
    return step_down(sizes, in_all, _with_deviations(moved, deviations, seed))


def _with_deviations(moved: Iterable[np.ndarray], deviations: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng([seed, 1])
    for block in moved:
        yield block + deviations * rng.standard_normal(block.shape) if deviations.any() else block


def _normal_sizes(sizes: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """The sizes that normal deviates have with the same probability as Student's t."""
    from scipy.special import ndtri, stdtr

    tails = np.maximum(stdtr(degrees, -sizes), np.finfo(float).tiny)
    normal: np.ndarray = np.maximum(0.0, -ndtri(tails))
    return normal


def _skews(parts: np.ndarray) -> np.ndarray:
    """The skewness of what units add to the difference of two systems over the root of their number, (systems, systems)."""
    centred = parts - parts.mean(axis=0)
    crossed = (centred**2).T @ centred  # sums of a^2 b
    cubes, products = np.diag(crossed), centred.T @ centred
    squares = np.diag(products)[:, None] + np.diag(products) - 2 * products
    thirds = cubes[:, None] - cubes - 3 * crossed + 3 * crossed.T
    with np.errstate(divide="ignore", invalid="ignore"):
        skews: np.ndarray = np.where(squares > TINY * squares.max(initial=0.0), abs(thirds) / squares**1.5, 0.0)
    return skews
