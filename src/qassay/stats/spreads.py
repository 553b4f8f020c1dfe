"""The variance of the difference of two systems, and its interval.

The formula is as in `core.intervals`, for a value between minus and plus the range of the measure. The variance comes
from the jackknife over examples or groups. It is increased if few of them differ between the systems, and, in each
system, by the missing variance of classes of a macro average that are all right or all wrong.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.bootstrap import Units
from ..core.intervals import (
    Interval,
    RunSpread,
    Spread,
    bootstrap_spread,
    edge_of,
    jackknife_spread,
    spread_interval,
    unit_sizes,
    values_without,
    with_runs,
)
from ..core.measures import Measure
from ..core.rounding import ROUNDING_OF_SUMS
from .paired_tests import PairedOutcome, spread_t_test
from .pairs import Pairs


class DifferenceSpread(NamedTuple):
    """The spread of a difference.

    Attributes:
        spread: its variance and degrees of freedom.
        n_units: the number of examples or groups that the measure applies to in both systems.
        n_changed: how many of these differ between the systems in the columns that the measure reads.
        skew: the skewness of their contributions to the difference, divided by the square root of `n_units`; None if
            unknown.
    """

    spread: Spread
    n_units: int
    n_changed: int
    skew: float | None


class DifferenceWithout(NamedTuple):
    """The leave-one-out differences of a measure over units that it applies to in both systems.

    Attributes:
        units: units with the rows of the first system.
        without: the differences, (units,); None if unknown.
        edge: the missing variance of both systems (`Measure.edge_variance`).
    """

    units: Units
    without: np.ndarray | None
    edge: float


def differences_without(pairs: Pairs, names: Sequence[str]) -> dict[str, DifferenceWithout]:
    """Measure -> the leave-one-out differences; None if a measure is not a function of sums, or of too many sums."""
    alike: dict[bytes, dict[str, Measure]] = {}
    for name in names:
        alike.setdefault(pairs.applies(pairs.measures[name]).tobytes(), {})[name] = pairs.measures[name]
    found = {}
    for measures in alike.values():
        both = pairs.units(next(iter(measures.values())))
        first, second = (values_without(measures, units) for units in both)
        row_counts = [units.row_counts for units in both]
        for name, measure in measures.items():
            edges = (
                edge_of(measure, units, counts, unit_sizes(measure, units))
                for units, counts in zip(both, row_counts, strict=True)
            )
            without = second[name] - first[name] if name in first else None
            found[name] = DifferenceWithout(both[0], without, sum(edges))
    return {name: found[name] for name in names}


def difference_spread(
    pairs: Pairs, name: str, found: DifferenceWithout, values: tuple[float, float], drawn: np.ndarray
) -> DifferenceSpread:
    """The spread of the difference of a measure.

    Args:
        values: of the first and the second system.
        drawn: differences of resamples, for a measure without leave-one-out differences.
    """
    measure, units = pairs.measures[name], found.units
    sizes = unit_sizes(measure, units)
    counts = units.counts * (sizes > 0)
    n_units, skew = int(counts.sum()), None
    if found.without is None:
        spread = bootstrap_spread(drawn, sizes, units.counts, measure.scarce(units.rows, units.row_counts))
    else:
        difference = values[1] - values[0]
        changes = difference - np.where(np.isnan(found.without), difference, found.without)
        changes[abs(changes) <= ROUNDING_OF_SUMS * max(map(abs, values)) / max(1, n_units)] = 0.0
        spread = jackknife_spread(difference - changes, difference, sizes, units.counts)
        skew = _skew(changes, counts)
    spread = spread._replace(variance=(spread.variance or 0.0) + found.edge)
    n_changed = max(pairs.count_changed(measure), int(values[0] != values[1]))  # runs may be reordered within examples
    return DifferenceSpread(spread, n_units, n_changed, skew)


def difference_interval(
    measure: Measure, difference: float, found: DifferenceSpread, confidence: float, of_runs: Sequence[RunSpread] = ()
) -> Interval:
    """The interval of a difference; the whole range if there is only one example or group.

    If nothing differs between the systems, the variance is computed as if two units differed in opposite directions.

    Args:
        of_runs: the variation between runs, for systems with several runs.
    """
    spread, bounds = found.spread, measure.bounds
    size = None if bounds is None else bounds[1] - bounds[0]
    variance = spread.variance or 0.0
    if found.n_changed:
        variance *= (found.n_changed + 1) / found.n_changed
    elif size is not None and np.isfinite(size):
        variance, degrees = 2 * (size / (spread.effective + 2)) ** 2, spread.effective - 1
        spread = spread._replace(degrees=degrees)
    ends = None if size is None else (-size, size)
    spread = functools.reduce(with_runs, of_runs, spread._replace(variance=variance))
    return spread_interval(ends, difference, spread, confidence)


def p_over_runs(difference: float, spread: Spread, of_runs: Sequence[RunSpread]) -> PairedOutcome | None:
    """Student's t-test of a difference over other examples and other runs of the systems; None if the runs do not
    differ.
    """
    if not any(run_spread.observed for run_spread in of_runs):
        return None
    return spread_t_test(difference, functools.reduce(with_runs, of_runs, spread), "t over runs")


def _skew(changes: np.ndarray, counts: np.ndarray) -> float | None:
    n = counts.sum()
    if n < 2:
        return None
    deviations = changes - counts @ changes / n
    second, third = (float(counts @ deviations**power / n) for power in (2, 3))
    return abs(third) / second**1.5 / float(np.sqrt(n)) if second > 0 else None
