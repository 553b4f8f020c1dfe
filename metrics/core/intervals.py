"""Confidence intervals of measures: one method for each kind of measure, chosen by simulation (`benchmarks/coverage.py`)."""

import math
from collections.abc import Mapping
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from .bootstrap import resampled_values
from .exact_sums import exact_sums, rounded_sums
from .groups import Groups
from .measures import Measure, Rows, TermMeasure, exact_sum

INTERVAL_METHODS = ("auto", "percentile")
_ROUNDING = 1e-24  # variances this small, of values of size 1, are rounding


class _Ends(NamedTuple):
    low: float
    high: float


class Interval(_Ends):
    """The ends of an interval, a pair of floats, and `method`, how it was found.

    Methods: "wilson" (Wilson's score interval of a share), "effective wilson" (the same for the sample size that gives a
    share its variance), "t" (Student's t), "percentile" (of the bootstrap), "none" (the measure applies to no example).
    """

    method: str

    def __new__(cls, low: float, high: float, method: str = "percentile") -> "Interval":
        made = super().__new__(cls, low, high)
        made.method = method
        return made

    def __getnewargs__(self) -> tuple[float, float, str]:
        return (self.low, self.high, self.method)


def intervals_of(
    measures: Mapping[str, Measure],
    every: Mapping[str, Measure],
    rows: Rows,
    groups: Groups | None,
    level: float,
    n_resamples: int,
    seed: int,
    method: str,
    of_runs: "Mapping[str, RunSpread]" = MappingProxyType({}),
) -> dict[str, Interval]:
    """The interval of each measure; (0.0, 0.0) where it applies to no example.

    Args:
        every: all measures of the examples, which decide what resamples draw.
        groups: drawn whole; None: every example by itself.
        of_runs: how measures that are means over runs vary with the runs, beside the examples.
    """
    groups = None if groups is not None and groups.are_single else groups
    found: dict[str, Interval] = {}
    spreads: dict[str, Spread] = {}
    for name, measure in measures.items():
        if method == "auto" and isinstance(measure, TermMeasure):
            spreads[name] = jackknife(measure, rows, groups)
    drawn = {name: measure for name, measure in measures.items() if name not in spreads}
    reading = [measure for measure in every.values() if measure.has_interval]
    for name, values in resampled_values(drawn, rows, groups, n_resamples, seed, reading).items() if drawn else ():
        values = values[~np.isnan(values)]
        if method == "percentile":
            found[name] = percentile_interval(values, level)
        else:
            spreads[name] = bootstrap_spread(measures[name], rows, groups, values)
    for name, spread in spreads.items():
        measure = measures[name]
        spread = with_runs(spread, of_runs[name]) if name in of_runs else spread
        share = groups is None and is_plain_share(measure, rows)
        found[name] = spread_interval(measure.bounds, measure.value_once(rows), spread, level, share)
    return {name: found[name] for name in measures}


class Spread(NamedTuple):
    """How a measure varies: its variance over draws of as many examples, and how many independent units were drawn."""

    variance: float
    units: float


class RunSpread(NamedTuple):
    """How a mean over runs varies with the runs.

    Attributes:
        variance: what other runs add to its variance, beside what the examples explain.
        observed: the variance between the runs divided by their number, from which that was estimated.
        runs: how many there are.
    """

    variance: float
    observed: float
    runs: int


def with_runs(spread: Spread, of_runs: RunSpread) -> Spread:
    """The spread over draws of examples and of runs, with the degrees of freedom of Satterthwaite (1946)."""
    variance = spread.variance + of_runs.variance
    if spread.units < 2 or not of_runs.observed:
        return spread._replace(variance=variance)
    inverse = spread.variance**2 / (spread.units - 1) + of_runs.observed**2 / (of_runs.runs - 1)
    return Spread(variance, 1 + min(spread.units - 1, max(1.0, variance**2 / inverse)))


def percentile_interval(values: np.ndarray, level: float) -> Interval:
    """Quantiles of resampled values (Efron and Tibshirani, 1993); (0.0, 0.0) where there are none."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(values, tails) if len(values) else (0.0, 0.0)
    return Interval(float(low), float(high), "percentile" if len(values) else "none")


def jackknife(measure: TermMeasure, rows: Rows, groups: Groups | None) -> Spread:
    """The variance of a function of sums by leaving out each example, or each group, once; exact for means.

    The order of the examples does not change a bit of it.
    """
    terms, counts = measure.terms(rows), measure.applies(rows) & (rows.weights > 0)
    if groups is not None:
        n_groups = len(groups.labels)
        terms = [rounded_sums(exact_sums(term, groups.codes, n_groups), n_groups) for term in terms]
        counts = np.bincount(groups.codes, counts, n_groups) > 0
    units = int(counts.sum())
    if units < 2:
        return Spread(0.0, units)
    without = measure.value_of([exact_sum(term) - term[counts] for term in terms])
    without = without[~np.isnan(without)]
    deviations = without - exact_sum(without) / max(1, len(without))
    return Spread((units - 1) / units * exact_sum(np.square(deviations)), units)


def bootstrap_spread(measure: Measure, rows: Rows, groups: Groups | None, values: np.ndarray) -> Spread:
    """The variance of resampled values, for as many units as were drawn."""
    counts = measure.applies(rows) & (rows.weights > 0)
    units = int(counts.sum()) if groups is None else len(np.unique(groups.codes[counts]))
    if units < 2 or len(values) < 2:
        return Spread(0.0, units)
    return Spread(float(np.var(values, ddof=1)) * units / (units - 1), units)


def is_plain_share(measure: Measure, rows: Rows) -> bool:
    """Whether a measure is the share of examples, all of the same weight, that have the larger one of two values."""
    if not measure.is_mean or measure.bounds is None:
        return False
    weights, values = rows.weights, measure.by_example(rows)
    if values is None or not len(weights) or weights.min() != weights.max():
        return False
    values = values[~np.isnan(values)]
    return bool(np.isin(values, measure.bounds).all())


def spread_interval(
    bounds: tuple[float, float] | None, value: float, spread: Spread, level: float, is_share: bool
) -> Interval:
    """The interval of a value that varies so much, within its bounds."""
    variance, units = spread
    if not units:
        return Interval(0.0, 0.0, "none")
    if bounds is None:
        half = student_quantile(level, units - 1) * math.sqrt(variance)
        return Interval(value - half, value + half, "t")
    low, size = bounds[0], bounds[1] - bounds[0]
    share, variance = min(1.0, max(0.0, (value - low) / size)), variance / size**2
    if is_share:
        ends, method = wilson_interval(share, units, NormalDist().inv_cdf((1 + level) / 2)), "wilson"
    else:
        inside = share * (1 - share)
        effective = inside / variance if variance > _ROUNDING and inside > 0 else units
        ends, method = wilson_interval(share, effective, student_quantile(level, units - 1)), "effective wilson"
    return Interval(low + size * ends[0], low + size * ends[1], method)


def wilson_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval (1927) of a share of n examples.

    Example:
        >>> low, high = wilson_interval(1.0, 20, 1.959964)
        >>> round(low, 4), high
        (0.8389, 1.0)
    """
    if math.isinf(quantile):
        return 0.0, 1.0
    square = quantile**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = quantile * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def student_quantile(level: float, degrees: float) -> float:
    """The two-sided quantile of Student's t; infinite without a degree of freedom."""
    if degrees < 1:
        return math.inf
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))
