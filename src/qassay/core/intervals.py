"""Confidence intervals of measures: one formula, chosen by simulations, for all measures with bounds.

The variance of a value comes from the jackknife, which omits each example, or each group, once. The interval is
Wilson's score interval for the sample size at which a share has this variance, with the quantile of Student's t for the
degrees of freedom of the examples that carry the variance. For plain shares it is Wilson's interval itself.
`benchmarks/coverage.py` has the
simulations. Sources: Wilson (1927); Korn and Graubard (1998) and Kott and Carr (1997) for the effective sample size; Kish
(1965) for groups of unequal sizes; Satterthwaite (1946); MacKinnon, Nielsen and Webb (2023) for the jackknife by group.
"""

import math
from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .bootstrap import CELLS_AT_ONCE, Units, resampled_values, units_of
from .groups import Groups
from .interval_settings import Intervals
from .measures import Measure, Rows, SumMeasure, TermMeasure
from .rounding import TINY
from .student import student_quantile

FEW_UNITS = 30  # smallest number of examples, or of groups of similar size (Kish), for which intervals and tests hold in simulations
FEW_DEGREES = 10  # smallest degrees of freedom, in the same sense
FEW_OF_CLASS = 5  # true examples
_MOST_CELLS = 1 << 24  # largest number of leave-one-out sums; above it, resampling is faster
_MODIFIED, _FEWEST_MODIFIED, _MOST_MODIFIED = 3, 20, 100  # of `share_interval`: right or wrong answers, of how many
_LIMIT_HALVINGS = 60
PER_CARRIER = 2.5  # degrees of freedom of a unit with an equal part of the variance

# The words for an interval whose `few_vary`, after its measures.
FEW_VARY = "few {units} vary; {its} interval may be too narrow"

# `Interval.method` -> what it is for. From "adjusted t" on: intervals of values corrected by human labels.
INTERVAL_MEANINGS = {
    "wilson": "Wilson's score interval, of a plain share of right and wrong, without groups or weights",
    "modified wilson": "Wilson's interval of a plain share with exactly three right or three wrong answers of 20 to 100: "
    "the limit next to 0 or 1 comes from the Poisson distribution",
    "effective wilson": "Wilson's interval for an effective number of examples: that at which a share would have the variance of "
    "this value; for every other bounded measure",
    "t": "Student's t with the variance of the value, of a measure without an upper bound such as DCG",
    "percentile": "quantiles of the bootstrap, on request",
    "none": "there is no interval: the measure applies to no example, or has no bounds and equal values only",
    "Tango": "Tango's score interval (1998), of the difference of two right-or-wrong measures without groups, weights and runs",
    "Hall": "for differences of few, skewed changes: at each end the wider of effective Wilson and Hall's correction for "
    "skewness (1992)",
    "rule of three": "of a difference whose sample lacks a tail: no example changes upwards, or none downwards, by a tenth of the "
    "range of values, so that end allows for changes by the whole range in one example of 20",
    "shifted wilson": "effective Wilson moved down by what chance adds to a calibration error, as resampling shows it, of qassay "
    "agreement",
    "raised percentile": "quantiles of the bootstrap, the upper one raised by what resampling takes from a rank correlation, twice",
    "adjusted t": "PPI++ of qassay calibrate with half a verdict added in each corner, and quantiles of Student's t",
    "adjusted t by groups": "PPI++ of qassay calibrate with groups, half a verdict added in each corner, and quantiles of "
    "Student's t",
    "Lang-Reiczigel": "Rogan-Gladen of qassay calibrate with labels added for sensitivity and specificity",
    "Lang-Reiczigel by groups": "Rogan-Gladen of qassay calibrate with groups, and labels added for sensitivity and "
    "specificity",
}
# `Interval.method` -> its words in reports.
INTERVAL_WORDS = {name: name for name in INTERVAL_MEANINGS} | {
    "wilson": "Wilson",
    "modified wilson": "modified Wilson",
    "effective wilson": "effective Wilson",
    "t": "Student's t",
    "percentile": "percentiles of the bootstrap",
    "shifted wilson": "effective Wilson less the bias",
    "raised percentile": "raised percentiles of the bootstrap",
}


class _Ends(NamedTuple):
    low: Any  # a float, or None
    high: Any


class Interval(_Ends):
    """The ends of an interval, a pair of floats, with its method and sample size.

    Attributes:
        method: such as "wilson"; `INTERVAL_MEANINGS` and `qassay.explain` say what each is. "none": there is no
            interval, and the ends are None where the measure applies to no example, and NaN where a measure without
            bounds has only equal values. "" in copies of the two ends made by libraries.
        effective: the effective number of examples or groups of equal size (Kish); None if unknown.
        degrees: degrees of freedom of its variance; None if unknown.
        rarest: how many true examples the rarest class of a macro average has; None for other measures, and for
            `PartialSums` of examples whose weights differ.
    """

    method: str
    effective: float | None
    degrees: float | None
    rarest: int | None

    def __new__(
        cls,
        low: float | None,
        high: float | None,
        method: str = "",
        effective: float | None = None,
        degrees: float | None = None,
        rarest: int | None = None,
    ) -> "Interval":
        made = super().__new__(cls, *(None if end is None else float(end) for end in (low, high)))
        if method and method not in INTERVAL_WORDS:
            raise ValueError(f"no method of intervals {method!r}; available: {', '.join(INTERVAL_WORDS)}")
        made.method, made.effective, made.degrees, made.rarest = method, effective, degrees, rarest
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.low, self.high, self.method, self.effective, self.degrees, self.rarest)

    @property
    def few_vary(self) -> bool:
        """Whether it may be too narrow, because few examples or groups carry its variance, or a class is very rare."""
        few_carry = self.degrees is not None and self.degrees < FEW_DEGREES
        return self.method != "none" and (few_carry or self.rarest is not None and self.rarest < FEW_OF_CLASS)


def intervals_of(
    measures: Mapping[str, Measure],
    every: Mapping[str, Measure],
    rows: Rows,
    groups: Groups | None,
    settings: Intervals,
    of_runs: "Mapping[str, RunSpread]" = MappingProxyType({}),
) -> dict[str, Interval]:
    """The interval of each measure; (None, None) where it applies to no example.

    Args:
        every: all measures of the examples, which determine the units of resampling.
        groups: groups to draw as units; None: each example is a unit.
        of_runs: how measures that are means over runs vary with the runs, in addition to the examples.
    """
    alone: dict[str, Measure] = {}  # groups have no effect on these
    if groups is not None and not groups.are_single:
        alone = {name: one for name, one in measures.items() if groups.are_single_in(one.applies(rows))}
    rest = {name: measure for name, measure in measures.items() if name not in alone}
    found: dict[str, Interval] = {}
    for part, units_are in ((alone, None), (rest, groups)):
        if not part:
            continue
        units = units_of(rows, units_are, [measure for measure in every.values() if measure.has_interval])
        if settings.method == "percentile":
            for name, values in resampled_values(part, units, settings).items():
                effective = effective_units(unit_sizes(part[name], units), units.counts)
                is_empty = part[name].is_empty(rows)
                nothing = Interval(None, None, "none")
                found[name] = nothing if is_empty else percentile_interval(values, settings.confidence, effective)
        else:
            for name, spread in spreads_of(part, units, settings).items():
                measure, of_other_runs = part[name], of_runs.get(name, _NO_RUNS)
                spread = with_runs(known_of_share(spread, measure, units, of_other_runs), of_other_runs)
                value = measure.value_once(rows)
                found[name] = spread_interval(measure.bounds, value, spread, settings.confidence)
        row_counts = units.row_counts
        for name, measure in part.items():
            found[name].rarest = measure.rarest(units.rows, row_counts)
    return {name: found[name] for name in measures}


def percentile_interval(values: np.ndarray, confidence: float, effective: float | None = None) -> Interval:
    """Quantiles of resampled values without NaN (Efron and Tibshirani, 1993); (None, None) if there are none."""
    values = values[~np.isnan(values)]
    if not len(values):
        return Interval(None, None, "none", effective)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), "percentile", effective)


class Spread(NamedTuple):
    """How a value varies from sample to sample.

    Attributes:
        variance: the variance of the value; None for a plain share, whose value determines it.
        effective: the effective number of units (Kish); the number of units if all have the same size.
        degrees: degrees of freedom of the variance; infinite if the variance is known.
    """

    variance: float | None
    effective: float
    degrees: float


class RunSpread(NamedTuple):
    """The variance of a mean over runs due to the runs.

    Attributes:
        variance: the variance added by other runs, in addition to the variance due to examples.
        observed: the variance between runs divided by their number, from which `variance` was estimated.
        runs: the number of runs.
    """

    variance: float
    observed: float
    runs: int


_NO_RUNS = RunSpread(0.0, 0.0, 1)


def with_runs(spread: Spread, of_runs: RunSpread) -> Spread:
    """The spread due to both examples and runs, with the degrees of freedom of Satterthwaite (1946)."""
    if spread.variance is None or not of_runs.observed or not spread.degrees:
        return spread
    variance = spread.variance + of_runs.variance
    inverse = spread.variance**2 / spread.degrees + of_runs.observed**2 / (of_runs.runs - 1)
    return spread._replace(variance=variance, degrees=max(1.0, variance**2 / inverse))


def spreads_of(measures: Mapping[str, Measure], units: Units, settings: Intervals) -> dict[str, Spread]:
    """The spread of each measure: by the jackknife if it is a function of sums, else by the bootstrap."""
    without = values_without(measures, units)
    others = {name: measure for name, measure in measures.items() if name not in without}
    drawn = resampled_values(others, units, settings)
    spreads, row_counts = {}, units.row_counts
    once = row_counts[None].astype(np.float64)
    for name, measure in measures.items():
        sizes = unit_sizes(measure, units)
        edge = edge_of(measure, units, row_counts, sizes)
        value = float(np.ravel(measure.value(units.rows, once))[0]) if edge or name in without else math.nan
        if name in without:
            spread = jackknife_spread(without[name], value, sizes, units.counts)
        else:
            spread = bootstrap_spread(drawn[name], sizes, units.counts, measure.scarce(units.rows, row_counts))
        # Equal units count as this many examples.
        if edge and not (spread.variance or 0.0) > (TINY * value) ** 2:
            low, high = measure.bounds or (value, value)
            edge = max(edge, (value - low) * (high - value) / max(1.0, spread.effective))
        spreads[name] = spread._replace(variance=(spread.variance or 0.0) + edge)
    return spreads


def edge_of(measure: Measure, units: Units, row_counts: np.ndarray, sizes: np.ndarray) -> float:
    """`Measure.edge_variance` for as many examples as there are units, so that copies of an example within its group
    add nothing.

    Args:
        row_counts: of the units.
        sizes: `unit_sizes` of the measure.
    """
    total = float(units.counts @ sizes)
    share = effective_units(sizes, units.counts * (sizes > 0)) / total if total else 1.0
    return measure.edge_variance(units.rows, row_counts * share)


def unit_sizes(measure: Measure, units: Units) -> np.ndarray:
    """The weight of the examples of each unit that a measure applies to, (units,)."""
    return units.sums([measure.weights_of(units.rows)])[:, 0]


def values_without(measures: Mapping[str, Measure], units: Units) -> dict[str, np.ndarray]:
    """The leave-one-out values of each function of sums, (units,); NaN if nothing is left.

    Measures with a very large number of sums, such as macro averages of thousands of classes, are omitted.
    """
    rows, members = units.rows, units.members
    found: dict[str, np.ndarray] = {}
    others: dict[Hashable, dict[str, SumMeasure]] = {}
    last_key, left = None, np.zeros(0)
    for name, measure in measures.items():
        if isinstance(measure, TermMeasure):
            if measure.sums_key != last_key:  # measures of the same classes are adjacent
                sums = units.sums(measure.terms(rows))
                last_key, left = measure.sums_key, (units.counts @ sums - sums).T
            found[name] = measure.value_of(left)
        elif isinstance(measure, SumMeasure):
            others.setdefault(measure.sums_key, {})[name] = measure
    if not others:
        return found
    if members is None:
        group, entries = np.arange(len(units.counts)), rows
    else:
        order = np.argsort(members.group, kind="stable")
        order = np.repeat(order, members.times[order].astype(np.int64))  # some sums count examples regardless of weight
        group, entries = members.group[order], rows.take(members.row[order])
    totals = {
        key: next(iter(same.values())).sums(rows, units.row_counts[None].astype(np.float64))
        for key, same in others.items()
    }
    width = sum(map(len, totals.values()))
    if width * len(units.counts) > _MOST_CELLS:
        return found
    found |= {name: np.empty(len(units.counts)) for same in others.values() for name in same}
    step = max(1, CELLS_AT_ONCE // max(1, width))
    for first in range(0, len(units.counts), step):
        some = np.arange(*np.searchsorted(group, [first, first + step]))
        part, index, size = entries.take(some), group[some] - first, min(step, len(units.counts) - first)
        for key, same in others.items():
            rest = totals[key] - next(iter(same.values())).sums_by(part, index, size)
            for name, measure in same.items():
                found[name][first : first + size] = measure.value_of(rest)
    return found


def jackknife_spread(without: np.ndarray, value: float, sizes: np.ndarray, counts: np.ndarray) -> Spread:
    """The jackknife variance of a value, around the value itself, and its degrees of freedom.

    The degrees of freedom count the units that carry the variance: one group with all the errors says little about
        other groups.

    Args:
        without: the leave-one-out values, (units,).
        sizes: the weight of each unit, (units,); units of weight 0 are not counted.
        counts: how many units of each kind there are, (units,).
    """
    counts = counts * (sizes > 0)
    n_units, effective = counts.sum(), effective_units(sizes, counts)
    if n_units < 2 or math.isnan(value):
        return Spread(0.0, effective, 0.0)
    without = np.where(np.isnan(without), value, without)
    changes = counts @ without / n_units - without
    squares, fourths = counts @ changes**2, counts @ changes**4
    carriers = squares**2 / fourths if fourths > 0 else math.inf
    degrees = max(1.0, min(effective - 1, PER_CARRIER * carriers))
    return Spread(float((n_units - 1) / n_units * (counts @ (without - value) ** 2)), effective, float(degrees))


def bootstrap_spread(values: np.ndarray, sizes: np.ndarray, counts: np.ndarray, scarce: int | None) -> Spread:
    """The variance of resampled values, without NaN.

    Args:
        sizes, counts: as in `jackknife_spread`.
        scarce: the number of examples of the scarce kind, such as positives; None: the measure has no scarce kind.
    """
    counts, values = counts * (sizes > 0), values[~np.isnan(values)]
    n_units, effective = counts.sum(), effective_units(sizes, counts)
    degrees = effective - 1
    if scarce is not None:  # one positive at the top of a curve counts as one example
        effective, degrees = min(effective, max(1, scarce)), min(degrees, scarce)
    if n_units < 2 or len(values) < 2:
        return Spread(0.0, effective, 0.0)
    return Spread(float(np.var(values, ddof=1) * n_units / (n_units - 1)), effective, max(1.0, float(degrees)))


def effective_units(sizes: np.ndarray, counts: np.ndarray) -> float:
    """The effective number of units, for `counts` units of these sizes (Kish, 1965)."""
    used = sizes[counts > 0]
    if not len(used) or used.min() == used.max():
        return float(counts.sum())
    return float((counts @ sizes) ** 2 / (counts @ sizes**2))


def known_of_share(spread: Spread, measure: Measure, units: Units, of_runs: RunSpread) -> Spread:
    """The spread; without groups and runs, the value of a plain share determines it."""
    if units.members is None and not of_runs.observed and is_plain_share(measure, units.rows):
        return spread._replace(variance=None, degrees=math.inf)
    return spread


def is_plain_share(measure: Measure, rows: Rows) -> bool:
    """Whether a measure is the share of examples with the larger of two values, and all examples have the same
    weight.
    """
    if measure.is_share:
        weight = common_weight(measure.weights_of(rows))
        return weight is not None and not math.isnan(weight)
    values = measure.by_example(rows) if measure.is_mean else None
    if values is None:
        return False
    weight = common_weight(rows.weights[~np.isnan(values)])
    return weight is not None and not math.isnan(weight) and are_at_bounds(measure, values[rows.weights > 0])


def common_weight(weights: np.ndarray) -> float | None:
    """The common weight of all examples with a weight; NaN if weights differ, None if there is no such example."""
    weights = weights[weights > 0]
    if not len(weights):
        return None
    return float(weights[0]) if weights.min() == weights.max() else math.nan


def are_at_bounds(measure: Measure, values: np.ndarray) -> bool:
    """Whether each value, except NaN, is at a bound of the measure."""
    if measure.bounds is None:
        return False
    low, high = measure.bounds
    return bool(((values == low) | (values == high) | np.isnan(values)).all())


def spread_interval(bounds: tuple[float, float] | None, value: float, spread: Spread, confidence: float) -> Interval:
    """The interval of a value with this spread, within its bounds; if a bound is infinite, Student's t is used.

    A value at a bound, or one that did not vary, is treated as a share of all units.
    """
    variance, effective, degrees = spread
    if not effective:
        return Interval(None, None, "none")
    low, high = bounds or (-math.inf, math.inf)
    if not low - TINY <= value <= high + TINY:  # such as BioASQ's MAP, which divides by ten, for longer lists
        low, high = -math.inf, math.inf
    if math.isinf(low) or math.isinf(high):
        if not variance:
            return Interval(math.nan, math.nan, "none", effective)
        half = student_quantile(confidence, degrees) * math.sqrt(variance)
        return Interval(max(low, value - half), min(high, value + half), "t", effective, degrees)
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    inside = share * (1 - share)
    if variance is None:
        lower, upper, method = share_interval(share, effective, confidence)
    else:
        variance, method = variance / (high - low) ** 2, "effective wilson"
        if inside < TINY or variance <= TINY**2:
            size, degrees = effective, effective - 1
        else:
            size = inside / variance
        lower, upper = wilson_interval(share, size, student_quantile(confidence, degrees))
    lower, upper = low + (high - low) * lower, low + (high - low) * upper
    return Interval(min(value, lower), max(value, upper), method, effective, degrees)


def share_interval(share: float, n: float, confidence: float) -> tuple[float, float, str]:
    """The interval of a share of n examples and its method: Wilson's, modified for three right or wrong of 20 to 100.

    There Wilson's limit next to the bound covers too rarely (a share of .02 of 50 examples in 92.2 % of samples, .05 of 20
    in 92.4 %), and the limit of a Poisson variable takes its place, as in Brown, Cai and DasGupta (2001), who modify the
    limits of one and two as well; for 20 examples that covers too often.

    Example:
        >>> low, high, method = share_interval(0.94, 50, 0.95)
        >>> round(low, 4), round(high, 4), method
        (0.8378, 0.9836, 'modified wilson')
    """
    low, high = wilson_interval(share, n, student_quantile(confidence, math.inf))
    rarer = min(share, 1 - share) * n
    if not (_FEWEST_MODIFIED <= n <= _MOST_MODIFIED and abs(rarer - _MODIFIED) < TINY * n):
        return low, high, "wilson"
    limit = poisson_limit(_MODIFIED, confidence) / n
    return (min(low, limit), high, "modified wilson") if share < 0.5 else (low, max(high, 1 - limit), "modified wilson")


def poisson_limit(count: int, confidence: float) -> float:
    """The lower limit, at this one-sided level, for the mean of a Poisson variable with the observed value `count`.

    Example:
        >>> round(poisson_limit(3, 0.95), 4)
        0.8177
    """
    low, high = 0.0, float(count)
    for _ in range(_LIMIT_HALVINGS):
        mean = (low + high) / 2
        below = math.exp(-mean) * sum(mean**k / math.factorial(k) for k in range(count))
        low, high = (mean, high) if below > confidence else (low, mean)
    return low


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
    return (0.0 if share == 0 else max(0.0, middle - half)), (1.0 if share == 1 else min(1.0, middle + half))
