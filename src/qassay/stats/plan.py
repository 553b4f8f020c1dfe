"""Plans a test set: the number of questions for an interval of a given width, or for detecting a difference."""

import dataclasses
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.align import require_comparable
from ..core.interval_settings import Intervals, check_confidence
from ..core.intervals import Spread, spread_interval, spreads_of
from ..core.options import check_whole
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
    """The width of the interval and the detectable difference with a number of questions.

    Attributes:
        n: the number of questions; n_groups: the number of groups of questions, None without groups.
        width: the width of the interval of a system's value, from end to end.
        detectable: the difference that a test finds with the requested power.
        power: the probability that a test finds the planned difference; None without one.
    """

    n: int
    n_groups: int | None
    width: float
    detectable: float
    power: float | None


@dataclasses.dataclass(frozen=True)
class Plan(Shown):
    """The number of questions that a test set needs; `qassay.plan` returns it.

    Attributes:
        n: the number of questions needed; n_groups: the number of groups of questions, None without groups.
        wish: what is planned: "width" or "difference"; size: its size.
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
        """The width and the detectable difference with n questions, rounded up to whole groups."""
        units = max(1, math.floor((n - 1) / self.group_size) + 1)
        n = math.ceil(units * self.group_size - 1e-9)
        (least, most), variance = self.bounds, self.deviation**2
        of_share = (self.value - least) * (most - self.value) * (self.design_effect or 1.0)
        is_share = math.isclose(variance, of_share) and self.group_size == 1
        spread = Spread(variance / n, units, math.inf if is_share else units - 1)
        low, high = spread_interval(self.bounds, self.value, spread, self.confidence)
        detectable = deviations_needed(self.confidence, self.power) * self.difference_deviation / math.sqrt(n)
        effect = self.size / self.difference_deviation if self.wish == "difference" else None
        power = None if effect is None else power_of(effect, self.confidence, n)
        return PlanPoint(n, units if self.group_size > 1 else None, high - low, detectable, power)

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
        pilot: known scores: Scores of a system, or {name: Scores} of two, whose difference is planned. None: give a share.
        share: without a pilot, the expected share of right answers of a system, between 0 and 1.
        width: the required width of the interval of its value, from end to end.
        difference: the difference of two systems that a paired test is to find. Give one of these two, in units of the measure.
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
        TypeError, ValueError: neither or both of width and difference, an option out of its range,
            a pilot with fewer than 10 questions or groups or without variance, or a plan that needs more than a thousand million questions.

    Example:
        >>> import qassay
        >>> qassay.plan(share=0.7, width=0.1).n
        320
        >>> qassay.plan(share=0.7, difference=0.05).n
        625
    """
    if (width is None) == (difference is None):
        raise ValueError("give width or difference, one of them: what the questions are for")
    wish = "difference" if width is None else "width"
    size: Any = difference if width is None else width
    confidence = check_confidence(confidence)
    _check("power", power, 0, 1)
    for name, value, least in (
        ("correlation", correlation, -1),
        ("group_correlation", group_correlation, 0),
        ("run_share", run_share, 0),
    ):
        _check(name, value, least, 1, closed=True)
    runs = check_whole("runs", runs, 1, kind="")
    if (pilot is None) == (share is None):
        raise ValueError("give a pilot or a share, such as share=0.7: what the systems are expected to reach")
    if share is None:
        known = _of_pilot(pilot, measure)
    else:
        _check("share", share, 0, 1)
        known = _Known("share", (0.0, 1.0), share, share * (1 - share))
    low, high = known.bounds
    _check(wish, size, 0, high - low)
    group_size, effect = _groups(group_sizes, group_correlation)
    if known.group_size is not None:
        if effect != 1:
            raise ValueError("the pilot has groups; omit group_sizes")
        group_size = known.group_size
    by_run = 1 - run_share + run_share / runs
    of_difference = known.of_difference and known.of_difference * by_run
    if of_difference is None:
        second, at_least = known.variance, 0.0
        if share is not None and wish == "difference":
            other = share + size if share + size < 1 else share - size
            second = other * (1 - other) if 0 < other < 1 else known.variance
            at_least = size - size**2  # as at least `size` of the answers differ
        of_difference = (known.variance + second) * by_run - 2 * correlation * math.sqrt(known.variance * second)
        of_difference = max(of_difference, at_least) if share is not None else of_difference
    if not of_difference > 0:
        raise ValueError(
            f"correlation must be below {by_run:g}, because other answers differ by chance; got {correlation:g}"
        )
    found = Plan(
        n=0,
        n_groups=None,
        wish=wish,
        size=float(size),
        value=known.value,
        deviation=math.sqrt(known.variance * by_run * effect),
        difference_deviation=math.sqrt(of_difference * effect),
        correlation=float(correlation) if known.of_difference is None else None,
        design_effect=effect if known.group_size is None else None,
        measure=known.measure,
        bounds=known.bounds,
        group_size=group_size,
        runs=runs,
        confidence=confidence,
        power=power,
    )
    if wish == "difference":
        n = n_needed_for(size / found.difference_deviation, confidence, group_size, 1, power)[0]
        if n is not None and known.span is not None:
            n = max(n, math.ceil(group_size * n_without_tail(size / (high - low) / known.span, confidence)))
    else:
        units = least_enough(lambda units: found.at(units * group_size).width <= size, 2, int(_MOST / group_size))
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


def _of_pilot(pilot: Any, measure: str | None) -> _Known:
    systems = dict(pilot) if isinstance(pilot, Mapping) else {"pilot": pilot}
    if not all(isinstance(scores, Scores) for scores in systems.values()):
        raise TypeError(
            f"a pilot is Scores, or {{name: Scores}} of two systems; got {shown(pilot)}; qassay.scores_of takes numbers"
        )
    if len(systems) > 2:
        raise ValueError(f"a pilot has one system, or two; got {len(systems)}: {', '.join(map(str, systems))}")
    if len(systems) == 2:
        require_comparable(systems)
        systems, _ = align_in_groups(systems, None)
    first, *others = systems.values()
    name = first.measure_names([measure])[0] if measure is not None else usual_measures(first)[0]
    of = first.measures[name]
    if of.bounds is None or math.isinf(of.bounds[0]) or math.isinf(of.bounds[1]):
        raise ValueError(f"{name} has no bounds, so nothing can be planned; choose another measure")
    pairs = Pairs(first.rows, (others or [first])[0].rows, {name: of}, first.groups)
    without = differences_without(pairs, [name])[name]
    n, settings = float(of.sizes(first.rows).sum()), Intervals()
    n_units = round(float(without.units.counts.sum()))
    if n_units < _LEAST_UNITS:
        raise ValueError(f"a pilot needs {_LEAST_UNITS} questions or groups; got {n_units}; give a share instead")
    variance = (spreads_of({name: of}, without.units, settings)[name].variance or 0.0) * n
    value, of_difference, span = float(of.value_once(first.rows)), None, None
    if others:
        values, drawn = (value, float(of.value_once(others[0].rows))), np.zeros(0)
        if without.without is None:
            drawn = pairs.bootstrap_differences([name], settings.n_resamples, settings.seed)[name]
        found = difference_spread(pairs, name, without, values, drawn)
        of_difference = (found.spread.variance or 0.0) * n
        if found.changes is not None and found.changes.lacks_tail(values[0] - values[1]):
            span = found.changes.span
    if not variance or of_difference == 0:
        raise ValueError(
            f"{name} does not vary in the pilot, so it says nothing about other questions; give a share instead"
        )
    return _Known(name, of.bounds, value, variance, of_difference, n / n_units if pairs.groups else None, span)


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


def _check(name: str, value: Any, low: float, high: float, closed: bool = False) -> None:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not (low <= value <= high if closed else low < value < high):
        between = f"from {low:g} to {high:g}" if closed else f"above {low:g} and below {high:g}"
        share = f"; {value:g} per cent is {value / 100:g}" if is_number and high <= 2 and high < value <= 100 else ""
        raise ValueError(f"{name} must be a number {between}; got {shown(value)}{share}")
