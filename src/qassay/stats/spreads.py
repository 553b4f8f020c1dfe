"""The variance of the difference of two systems, and its interval.

The formula is as in `core.intervals`, for a value between minus and plus the range of the measure. The variance comes
from the jackknife over examples or groups. It is increased if few of them differ between the systems, and, in each
system, by the missing variance of classes of a macro average that are all right or all wrong. Right-or-wrong measures have
Tango's score interval. Other differences are corrected where the sample is small for their skewness (Hall), or lacks a
tail (rule of three). `benchmarks/coverage_pairs.py` has the simulations.
"""

import functools
import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

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
from ..core.student import student_quantile
from .paired_tests import PairedOutcome, larger_p, spread_t_test
from .pairs import Pairs

SKEWED = 0.2  # the least skewness of a difference, divided by the square root of the number of units, that is corrected
TAIL = 0.1  # the least change of an example, as a share of the range of values, that shows the tail on its side
RARE = 0.05  # the least share of examples with a change that a sample is expected to show; rarer changes are not allowed for
AS_REQUESTED = ("t", "bootstrap", "wilcoxon")  # tests that are not corrected for small samples
FEWEST = 10  # units for the correction for skewness; with fewer, the ends of the interval can reach any bound
_HALVINGS = 50


class Changes(NamedTuple):
    """The changes of a mean over examples that count alike, as shares of the range of its measure.

    Attributes:
        least, most: the smallest and the largest change of an example; infinite without a range.
        rises, falls: how many examples change by plus and by minus the whole range; None if some examples change by a part of it.
        span: the range of the values of both systems. For similarities from 0.8 to 1 it is 0.2: no rare change is larger.
    """

    least: float
    most: float
    rises: int | None = None
    falls: int | None = None
    span: float = 1.0

    @classmethod
    def of(cls, changes: np.ndarray, first: np.ndarray, second: np.ndarray, measure: Measure) -> "Changes":
        """From the change of each unit and the values of the examples in both systems."""
        size = range_of(measure)
        if size is None or not len(changes):
            return cls(-math.inf, math.inf)
        shares = changes / size
        least, most = float(shares.min()), float(shares.max())
        if ((shares == 0) | (abs(shares) == 1)).all():
            return cls(least, most, int(np.count_nonzero(shares > 0)), int(np.count_nonzero(shares < 0)))
        span = max(first.max(), second.max()) - min(first.min(), second.min())
        return cls(least, most, span=float(span) / size)

    def lacks_tail(self, sign: float) -> bool:
        """Whether no example changes by `TAIL` or more upwards (sign 1) or downwards (sign -1).

        False for right-or-wrong measures, whose changes all have one size.
        """
        return self.rises is None and (self.most if sign > 0 else -self.least) < TAIL * self.span


class DifferenceSpread(NamedTuple):
    """The spread of a difference.

    Attributes:
        spread: its variance and degrees of freedom.
        n_units: the number of examples or groups that the measure applies to in both systems.
        n_changed: how many of these differ between the systems in the columns that the measure reads.
        skew: the skewness of their contributions to the difference, divided by the square root of `n_units`; 0 if
            unknown.
        changes: the result of `Pairs.unit_changes`; None if unknown.
    """

    spread: Spread
    n_units: int
    n_changed: int
    skew: float
    changes: Changes | None = None

    @property
    def corrects_skew(self) -> bool:
        """Whether its interval and tests are corrected for skewness; never for right-or-wrong measures."""
        is_mean = self.changes is not None and self.changes.rises is None
        return is_mean and self.n_units >= FEWEST and abs(self.skew) >= SKEWED


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
    """Measure -> the leave-one-out differences; None if a measure is not a function of sums, or is one of too many sums."""
    alike: dict[bytes, dict[str, Measure]] = {}
    for name in names:
        measure = pairs.measures[name]
        alike.setdefault(measure.applies(pairs.rows).tobytes(), {})[name] = measure
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


def range_of(measure: Measure) -> float | None:
    """The size of the range of a measure; None if it has no bounds."""
    size = math.inf if measure.bounds is None else measure.bounds[1] - measure.bounds[0]
    return size if math.isfinite(size) else None


def difference_spread(
    pairs: Pairs, name: str, found: DifferenceWithout, values: tuple[float, float], drawn: np.ndarray
) -> DifferenceSpread:
    """The spread of the difference of a measure.

    Args:
        values: the values of the first and the second system.
        drawn: differences of resamples, for a measure without leave-one-out differences.
    """
    measure, units = pairs.measures[name], found.units
    sizes = unit_sizes(measure, units)
    counts = units.counts * (sizes > 0)
    n_units, skew = int(counts.sum()), 0.0
    if found.without is None:
        spread = bootstrap_spread(drawn, sizes, units.counts, measure.scarce(units.rows, units.row_counts))
    else:
        difference = values[1] - values[0]
        steps = difference - np.where(np.isnan(found.without), difference, found.without)
        steps[abs(steps) <= ROUNDING_OF_SUMS * max(map(abs, values)) / max(1, n_units)] = 0.0
        spread = jackknife_spread(difference - steps, difference, sizes, units.counts)
        skew = _skew(steps, counts)
    spread = spread._replace(variance=(spread.variance or 0.0) + found.edge)
    n_changed = max(pairs.count_changed(measure), int(values[0] != values[1]))  # runs may be reordered within examples
    changes = pairs.unit_changes(measure)
    of_units = None if changes is None else Changes.of(*changes, measure)
    return DifferenceSpread(spread, n_units, n_changed, skew, of_units)


def difference_interval(
    measure: Measure, difference: float, found: DifferenceSpread, confidence: float, of_runs: Sequence[RunSpread] = ()
) -> Interval:
    """The interval of a difference; the whole range if there is only one example or group.

    If nothing differs between the systems, the variance is computed as if two units differed in opposite directions.

    Args:
        of_runs: the variation between runs, for systems with several runs.
    """
    spread, size, changes = found.spread, range_of(measure), found.changes
    has_runs = any(run_spread.observed for run_spread in of_runs)
    if (
        size
        and changes
        and changes.rises is not None
        and changes.falls is not None
        and found.n_units > 1
        and not has_runs
    ):
        low, high = tango_interval(changes.rises, changes.falls, found.n_units, confidence)
        return Interval(min(difference, size * low), max(difference, size * high), "Tango", spread.effective, math.inf)
    variance = spread.variance or 0.0
    if found.n_changed:
        variance *= (found.n_changed + 1) / found.n_changed
    elif size is not None:
        variance, degrees = 2 * (size / (spread.effective + 2)) ** 2, spread.effective - 1
        spread = spread._replace(degrees=degrees)
    ends = None if measure.bounds is None else (-math.inf, math.inf) if size is None else (-size, size)
    spread = functools.reduce(with_runs, of_runs, spread._replace(variance=variance))
    interval = spread_interval(ends, difference, spread, confidence)
    least, most = ends or (-math.inf, math.inf)
    method, low, high = interval.method, *interval
    if found.corrects_skew and spread.variance and spread.effective > 1:
        deviation, quantile = math.sqrt(spread.variance), student_quantile(confidence, spread.effective - 1)
        of_hall = [difference - deviation * without_skew(t, found.skew) for t in (quantile, -quantile)]
        method, low, high = "Hall", max(least, min(low, of_hall[0])), min(most, max(high, of_hall[1]))
    unseen = 1 - (1 - confidence) ** (1 / found.n_units)  # the largest share that may be absent from a sample
    if size and changes and unseen > RARE:
        reach = size * changes.span * unseen
        lower, upper = max(least, difference - reach), min(most, difference + reach)
        if changes.lacks_tail(-1) and lower < low:
            method, low = "rule of three", lower
        if changes.lacks_tail(1) and upper > high:
            method, high = "rule of three", upper
    return Interval(low, high, method, interval.effective, interval.degrees)


@functools.lru_cache(maxsize=4096)  # slices have few distinct counts
def tango_interval(rises: int, falls: int, n: int, confidence: float) -> tuple[float, float]:
    """Tango's score interval (1998, Statistics in Medicine 17) of the difference of two shares of the same n examples.

    Args:
        rises, falls: how many examples only the second and only the first system has right.

    Example:
        >>> low, high = tango_interval(7, 3, 50, 0.95)
        >>> round(low, 4), round(high, 4)
        (-0.0502, 0.2159)
    """
    quantile = student_quantile(confidence, math.inf)

    def score(delta: float) -> float:
        linear = (2 * n - rises + falls) * delta - rises - falls
        root = math.sqrt(max(0.0, linear**2 + 8 * n * falls * delta * (1 - delta)))
        variance = (root - linear) / 2 + n * delta * (1 - delta)  # with the most likely share of falls, given delta
        distance = rises - falls - n * delta
        return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance)

    def end(low: float, high: float, target: float) -> float:
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if score(middle) > target else (low, middle)
        return low

    difference = (rises - falls) / n
    return (
        -1.0 if falls == n else end(-1.0, difference, quantile),
        1.0 if rises == n else end(difference, 1.0, -quantile),
    )


def with_skew(t: Any, skew: Any) -> Any:
    """Student's t of skewed data as a value with about Student's distribution (Hall, 1992, Journal of the Royal Statistical
    Society B 54).

    Args:
        t: a float or an array; skew: as in `DifferenceSpread`, with the sign of the longer tail.
    """
    return t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / 6


def without_skew(corrected: float, skew: float) -> float:
    """The t that `with_skew` corrects to this value.

    Example:
        >>> round(with_skew(without_skew(2.0, 0.5), 0.5), 12)
        2.0
    """
    cube = 1 + skew * (corrected - skew / 6)
    return 3 / skew * (math.copysign(abs(cube) ** (1 / 3), cube) - 1)


def small_sample_test(
    tested: PairedOutcome, measure: Measure, difference: float, found: DifferenceSpread
) -> PairedOutcome:
    """The test of a difference, or one with a larger p that accounts for skewed changes or for a tail that the sample lacks.

    A test of `AS_REQUESTED` is returned unchanged.
    """
    if tested.test in AS_REQUESTED or not difference:
        return tested
    variance, effective, _ = found.spread
    if found.corrects_skew and variance and effective > 1:
        t = with_skew(difference / math.sqrt(variance), found.skew)
        tested = larger_p(tested, spread_t_test(t, Spread(1.0, effective, effective - 1), "t of skewed"))
    if p_value := p_without_tail(found.changes, difference, found.n_units, measure):
        tested = larger_p(tested, PairedOutcome(p_value, "rule of three"))
    return tested


def p_without_tail(changes: Changes | None, difference: float, n: int, measure: Measure) -> float:
    """The probability that n examples lack the rare changes that would cancel a difference; 0 if they have the tail.

    A rare change is one by the whole range of the measure.

    The rule of three: what is in none of n examples may still be in three of n (Hanley and Lippman-Hand, 1983). Changes
    are assumed to concern one example in twenty (`RARE`) or more, so 95 % of samples of 59 have them.
    """
    size = range_of(measure)
    if not size or not changes or not difference or not changes.lacks_tail(-difference):
        return 0.0
    share = max(abs(difference) / size / changes.span, RARE)
    return max(max(0.0, 1 - share) ** n, sys.float_info.min)


def n_without_tail(share: float, confidence: float) -> int:
    """The number of units with which a difference of this share is found although the sample lacks the tail.

    Example:
        >>> n_without_tail(0.02, 0.95), n_without_tail(0.2, 0.95)
        (59, 14)
    """
    return math.ceil(math.log(1 - confidence) / math.log(1 - min(max(share, RARE), 1 - RARE)))


def _skew(changes: np.ndarray, counts: np.ndarray) -> float:
    n = counts.sum()
    if n < 2:
        return 0.0
    deviations = changes - counts @ changes / n
    second, third = (float(counts @ deviations**power / n) for power in (2, 3))
    return third / second**1.5 / float(np.sqrt(n)) if second > 0 else 0.0
