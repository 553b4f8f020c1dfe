"""Plans a test set: the number of questions for an interval of a given width, or for detecting a difference."""

import dataclasses
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.align import require_comparable
from ..core.interval_settings import Intervals, check_confidence
from ..core.intervals import Interval, Spread, spread_interval, spreads_of
from ..core.presenting import Shown
from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import usual_measures
from .pairs import Pairs
from .sample_size import POWER, deviations_needed, least_enough, n_needed_for, power_of
from .spreads import difference_spread, differences_without, n_without_tail
from .systems import align_in_groups

_MOST = 10**9  # questions
_STEPS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)  # rows of the table, as multiples of the number needed
_LEAST_UNITS = 10  # a pilot has at least so many groups or examples


@dataclasses.dataclass(frozen=True)
class PlanPoint:
    """The widths of intervals and the detectable difference with a number of questions.

    Attributes:
        n: the number of questions; n_groups: the number of groups of questions, None without groups.
        width: the width of the interval of a system's value, from end to end; difference_width: the same for the difference of
            two systems.
        detectable: the difference that a test finds with the requested power.
        power: the probability that a test finds the planned difference; None without one.
    """

    n: int
    n_groups: int | None
    width: float
    difference_width: float
    detectable: float
    power: float | None


@dataclasses.dataclass(frozen=True)
class Plan(Shown):
    """The number of questions that a test set needs; `qassay.plan` returns it.

    Attributes:
        n: the number of questions needed; n_groups: the number of groups of questions, None without groups.
        wish: what is planned: "width", "difference width" or "difference"; size: its size.
        value: the expected value of a system.
        deviation: the standard deviation of one question's value, including design effect and runs.
        difference_deviation: the same for the difference of two systems.
        correlation: the assumed correlation of the answers of two systems; None with a pilot of two systems.
        design_effect: how many times larger groups make the variance; None with a pilot, whose deviations contain it.
        measure, bounds: the measure of the values, and its range.
        group_size, runs: the number of questions in a group, and of answers to each question.
        confidence, power: the confidence of intervals and tests, and how often a test finds the difference.
        curve: the results with a quarter to four times as many questions.
    """

    n: int
    n_groups: int | None
    wish: str
    size: float
    value: float
    deviation: float
    difference_deviation: float
    correlation: float | None
    design_effect: float | None
    measure: str
    bounds: tuple[float, float]
    group_size: float
    runs: int
    confidence: float
    power: float
    curve: tuple[PlanPoint, ...] = ()

    def at(self, n: float) -> PlanPoint:
        """The widths and the detectable difference with n questions, rounded up to whole groups."""
        units = max(1, math.floor((n - 1) / self.group_size) + 1)
        n = math.ceil(units * self.group_size - 1e-9)
        difference = self.size if self.wish == "difference" else None
        low, high = self._ends(n, units)
        below, above = self._difference_ends(n, units)
        return PlanPoint(
            n,
            units if self.group_size > 1 else None,
            high - low,
            above - below,
            deviations_needed(self.confidence, self.power) * self.difference_deviation / math.sqrt(n),
            None if difference is None else power_of(difference / self.difference_deviation, self.confidence, n),
        )

    def _ends(self, n: int, units: int) -> Interval:
        low, high = self.bounds
        of_share = (self.value - low) * (high - self.value)
        is_share = math.isclose(self.deviation**2, of_share * (self.design_effect or 1.0))
        degrees = math.inf if is_share and self.group_size == 1 else units - 1
        return spread_interval(self.bounds, self.value, Spread(self.deviation**2 / n, units, degrees), self.confidence)

    def _difference_ends(self, n: int, units: int) -> Interval:
        size = self.bounds[1] - self.bounds[0]
        expected = min(self.size, size) if self.wish == "difference" else 0.0
        spread = Spread(self.difference_deviation**2 / n, units, units - 1)
        return spread_interval((-size, size), expected, spread, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain numbers, lists and dicts."""
        plain = dataclasses.asdict(self)
        return {**plain, "bounds": list(self.bounds), "curve": list(plain["curve"])}


@public
def plan(
    pilot: Any = None,
    *,
    share: float | None = None,
    width: float | None = None,
    difference: float | None = None,
    difference_width: float | None = None,
    measure: str | None = None,
    correlation: float = 0.5,
    group_sizes: float | Sequence[float] = 1,
    group_correlation: float = 0.1,
    runs: int = 1,
    run_share: float = 0.0,
    confidence: float = 0.95,
    power: float = POWER,
) -> Plan:
    """The number of questions that a test set needs.

    Args:
        pilot: known scores: Scores of a system, {name: Scores} of two, whose difference is planned, or
            numbers from 0 to 1, one per question. None: give a share.
        share: without a pilot, the expected share of right answers of a system, between 0 and 1.
        width: the required width of the interval of its value, from end to end.
        difference: the difference of two systems that a paired test is to find.
        difference_width: the required width of the interval of their difference. Give one of these three, in units of the measure.
        measure: the measure of the pilot; None: its first usual measure.
        correlation: the correlation of the answers of the two systems over questions, from -1 to 1; a pilot of two has it.
        group_sizes: the number of questions of each group, such as an article, or a list of such numbers, if the claim is
            about new groups; a pilot with groups has them.
        group_correlation: the correlation of two questions in a group.
        runs: the number of answers of a system to each question, whose mean is its value.
        run_share: the share of the variance of one answer that another answer to the same question would not repeat.
        confidence: the confidence of intervals, and 1 minus the level of tests.
        power: how often the test is to find the difference.

    Raises:
        TypeError, ValueError: none or several of width, difference and difference_width, an option out of its range,
            a pilot with fewer than 10 questions or groups or without variance, or a plan that needs more than a thousand million questions.

    Example:
        >>> import qassay
        >>> qassay.plan(share=0.7, width=0.1).n
        320
        >>> qassay.plan(share=0.7, difference=0.05).n
        625
    """
    wish, size = _wish(width=width, difference=difference, difference_width=difference_width)
    confidence = check_confidence(confidence)
    _check("power", power, 0, 1)
    _check("correlation", correlation, -1, 1, closed=True)
    _check("group_correlation", group_correlation, 0, 1, closed=True)
    _check("run_share", run_share, 0, 1, closed=True)
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise ValueError(f"runs must be an integer of at least 1; got {shown(runs)}")
    group_size, effect = _groups(group_sizes, group_correlation)
    if (pilot is None) == (share is None):
        raise ValueError("give a pilot or a share, such as share=0.7: what the systems are expected to reach")
    if share is not None:
        _check("share", share, 0, 1)
        known = _Known("share", (0.0, 1.0), share, share * (1 - share))
    else:
        known = _known(pilot, measure)
    low, high = known.bounds
    _check(wish.replace(" ", "_"), size, 0, (high - low) * (1 if wish != "difference width" else 2))
    if known.group_size is not None:
        if effect != 1:
            raise ValueError("the pilot has groups; omit group_sizes")
        group_size, effect = known.group_size, 1.0
    by_run = 1 - run_share + run_share / runs
    variance = known.variance * by_run
    if known.of_difference is not None:
        of_difference = known.of_difference * by_run
    else:
        second = known.variance
        if share is not None and wish == "difference":
            other = share + size if share + size < 1 else share - size
            second = other * (1 - other) if 0 < other < 1 else known.variance
        of_difference = (known.variance + second) * by_run - 2 * correlation * math.sqrt(known.variance * second)
        if share is not None:  # at least `size` of the answers differ
            of_difference = max(of_difference, size - size**2 if wish == "difference" else 0.0)
    if not of_difference > 0:
        raise ValueError(
            f"correlation must be below {by_run:g}, because other answers differ by chance; got {correlation:g}"
        )
    found = Plan(
        0,
        None,
        wish,
        float(size),
        known.value,
        math.sqrt(variance * effect),
        math.sqrt(of_difference * effect),
        float(correlation) if known.of_difference is None else None,
        None if share is None and known.group_size is not None else effect,
        known.measure,
        known.bounds,
        group_size,
        runs,
        confidence,
        power,
    )
    if wish == "difference":
        n = n_needed_for(size / found.difference_deviation, confidence, group_size, 1, power)[0]
        if n is not None and known.span is not None:
            share = size / (high - low) / known.span
            n = max(n, math.ceil(group_size * n_without_tail(share, confidence)))
    else:
        name = wish.replace(" ", "_")
        units = least_enough(
            lambda units: getattr(found.at(units * group_size), name) <= size, 2, int(_MOST / group_size)
        )
        n = None if units is None else math.ceil(units * group_size)
    if n is None or n > _MOST:
        raise ValueError(f"{wish} {size:g} needs more than {_MOST:,} questions; give a larger {wish}")
    point = found.at(n)
    curve = {of.n: of for of in (found.at(max(2, n * step)) for step in _STEPS)}
    return dataclasses.replace(found, n=point.n, n_groups=point.n_groups, curve=tuple(curve.values()))


@dataclasses.dataclass(frozen=True)
class _Known:
    """The value, and the variances of one question's value and difference, as known from a share or a pilot."""

    measure: str
    bounds: tuple[float, float]
    value: float
    variance: float
    of_difference: float | None = None
    group_size: float | None = None
    span: float | None = None  # `Changes.span`, if no change in the pilot is against the difference


def _known(pilot: Any, measure: str | None) -> _Known:
    systems = dict(pilot) if isinstance(pilot, Mapping) else {"pilot": pilot}
    if not all(isinstance(scores, Scores) for scores in systems.values()):
        return _of_numbers(pilot)
    if len(systems) > 2:
        raise ValueError(f"a pilot has one system, or two; got {len(systems)}: {', '.join(map(str, systems))}")
    if len(systems) == 2:
        require_comparable(systems)
        systems, _ = align_in_groups(systems, None)
    first, *others = systems.values()
    name = first.measure_names([measure])[0] if measure is not None else usual_measures(first)[0]
    of, sizes = first.measures[name], first.measures[name].sizes(first.rows)
    if of.bounds is None or math.isinf(of.bounds[0]) or math.isinf(of.bounds[1]):
        raise ValueError(f"{name} has no bounds, so nothing can be planned; choose another measure")
    pairs = Pairs(first.rows, (others or [first])[0].rows, {name: of}, first.groups)
    without = differences_without(pairs, [name])[name]
    n, settings = float(sizes.sum()), Intervals()
    spread = spreads_of({name: of}, without.units, settings)[name]
    n_units = round(float(without.units.counts.sum()))
    if n_units < _LEAST_UNITS:
        raise ValueError(f"a pilot needs {_LEAST_UNITS} questions or groups; got {n_units}; give share= instead")
    value, of_difference, span = float(of.value_once(first.rows)), None, None
    if others:
        values = value, float(of.value_once(others[0].rows))
        drawn = np.zeros(0)
        if without.without is None:
            drawn = pairs.bootstrap_differences([name], settings.n_resamples, settings.seed)[name]
        found = difference_spread(pairs, name, without, values, drawn)
        of_difference = (found.spread.variance or 0.0) * n
        if found.changes is not None and found.changes.lacks_tail(values[0] - values[1]):
            span = found.changes.span
    variance = (spread.variance or 0.0) * n
    if not variance or of_difference == 0:
        raise ValueError(
            f"{name} does not vary in the pilot, so it says nothing about other questions; give share= instead"
        )
    size = n / n_units if pairs.groups is not None else None
    return _Known(name, of.bounds, value, variance, of_difference, size, span)


def _of_numbers(pilot: Any) -> _Known:
    try:
        values = np.asarray(pilot, np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise TypeError(
            "a pilot is Scores, {name: Scores} of two systems, or numbers from 0 to 1, one per question; got "
            f"{shown(pilot)}"
        )
    if len(values) < _LEAST_UNITS or not values.var():
        raise ValueError(
            f"a pilot needs {_LEAST_UNITS} numbers that are not all equal; got {len(values)}; give share= instead"
        )
    return _Known("score", (0.0, 1.0), float(values.mean()), float(values.var(ddof=1)))


def _groups(sizes: float | Sequence[float], correlation: float) -> tuple[float, float]:
    """The mean size of a group, and the design effect of groups of these sizes (Kish, 1965)."""
    try:
        each = np.atleast_1d(np.asarray(sizes, np.float64))
    except (TypeError, ValueError):
        each = np.zeros(1)
    if each.ndim != 1 or not len(each) or not ((each >= 1) & np.isfinite(each)).all():
        raise ValueError(f"group_sizes must be numbers of at least 1; got {shown(sizes)}")
    effective = float((each**2).sum() / each.sum())
    return float(each.mean()), 1 + (effective - 1) * correlation


def _wish(**wishes: float | None) -> tuple[str, float]:
    given = {name.replace("_", " "): size for name, size in wishes.items() if size is not None}
    if len(given) != 1:
        names = ", ".join(wishes)
        raise ValueError(f"give one of {names}: what the questions are for; got {', '.join(given) or 'none'}")
    return next(iter(given.items()))


def _check(name: str, value: Any, low: float, high: float, closed: bool = False) -> None:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not (low <= value <= high if closed else low < value < high):
        between = f"from {low:g} to {high:g}" if closed else f"above {low:g} and below {high:g}"
        share = f"; {value:g} per cent is {value / 100:g}" if is_number and high <= 2 and high < value <= 100 else ""
        raise ValueError(f"{name} must be a number {between}; got {shown(value)}{share}")
