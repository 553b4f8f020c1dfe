"""Decides whether a system is at most a margin worse than another."""

import dataclasses
import math
import numbers
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from ..core.align import align_scores, require_comparable
from ..core.columns import counted
from ..core.interval_settings import Intervals
from ..core.options import check_choice
from ..core.rounding import TINY
from ..core.scores import Scores
from ..core.shown import shown
from .answered import absent_answers, answered_by_all, lacking_by_system, not_in_scores
from .cautions import OF_FEW, told_of
from .compare import Comparison, compare_scores
from .compared import groups_of
from .difference import POWER, ComparisonSettings, Difference

_SHOWN_LOSSES = 3


@dataclasses.dataclass(frozen=True)
class MarginVerdict:
    """The verdict on a difference and a margin, from the interval of the difference.

    Attributes:
        difference: the difference of the measure, the second system minus the first.
        margin: how much worse the second system may be, in units of the measure.
        confidence: of the two-sided interval, such as 0.95: a second system that is worse by exactly the margin passes with a
            probability of about (1 - confidence) / 2.
        losses: the examples with the largest losses, as pairs of id and change; () if examples have no values.
    """

    difference: Difference
    margin: float
    confidence: float
    losses: tuple[tuple[Any, float], ...] = ()

    @property
    def gains(self) -> tuple[float, float]:
        """The interval of the difference, with reversed sign if lower is better."""
        low, high = self.difference.interval
        return (-high, -low) if self.difference.lower_is_better else (low, high)

    @property
    def is_not_worse(self) -> bool:
        """Whether the whole interval is above minus the margin."""
        return self.gains[0] >= -self.margin

    @property
    def is_worse(self) -> bool:
        """Whether the whole interval is below minus the margin; if neither holds, there are too few examples to
        decide.
        """
        return self.gains[1] < -self.margin

    @property
    def n_needed(self) -> int | None:
        """How many examples would show in 4 of 5 cases that the second system is not worse, if the difference stays the
        same; None if no number would.
        """
        found = self.difference
        room: float = (-found.difference if found.lower_is_better else found.difference) + self.margin
        half = room - (self.gains[0] + self.margin)
        if room <= TINY:
            return None
        of_level = NormalDist().inv_cdf((1 + self.confidence) / 2)
        wider = 1 + NormalDist().inv_cdf(POWER) / of_level  # at the room of `half` alone, every second time shows it
        return max(found.n, math.ceil(found.n * (half / room * wider) ** 2))

    @property
    def has_no_change(self) -> bool:
        """Whether all examples have the same value in both systems."""
        return self.difference.n > 0 and self.difference.wins == 0 == self.difference.losses

    @property
    def headline(self) -> str:
        """The decision in words, on one line."""
        found = self.difference
        if self.is_not_worse:
            told = "is not worse"
        else:
            told = "is worse" if self.is_worse else "may be worse"
        return f"{found.measure}: {found.second} {told} than {found.first} by more than {self.margin:g}"

    @property
    def numbers(self) -> str:
        """The values, their difference with its interval, and the number of examples, on one line."""
        found = self.difference
        (first, second), (low, high) = found.values, found.interval
        return (
            f"{found.first} {first:.4f}, {found.second} {second:.4f}, difference {found.difference:+.4f}, "
            f"{100 * self.confidence:g} % interval {low:+.4f} to {high:+.4f}, {counted(found.n, 'examples')}"
            + (f" in {counted(found.n_groups, 'groups')}" if found.n_groups is not None else "")
        )

    @property
    def told_of_n(self) -> str:
        """How many examples would settle an undecided verdict; "" if it is decided, or if no number would."""
        if self.is_not_worse or self.is_worse or self.n_needed is None:
            return ""
        return (
            f"about {self.n_needed:,} examples would show in 4 of 5 cases that it is not worse, if the difference stays"
        )

    @property
    def cautions(self) -> list[str]:
        """Why the interval may be too narrow, a sentence each."""
        of_few = (code for code in OF_FEW if code in self.difference.cautions)
        return [told_of(self.confidence)[code] for code in of_few]

    def __str__(self) -> str:
        lines = [self.headline, self.numbers]
        if self.losses:
            losses = ", ".join(f"{shown(identifier)} {change:+.4f}" for identifier, change in self.losses)
            lines.append(f"largest losses: {losses}")
        return "\n".join([*lines, *filter(None, [self.told_of_n]), *self.cautions])


def judge_margin(
    old: tuple[str, Scores],
    new: tuple[str, Scores],
    measure: str,
    margin: float,
    intervals: Intervals = Intervals(),
    *,
    groups: Any = None,
    common: bool = False,
    count_absent: bool = False,
    examples_name: str = "examples",
) -> MarginVerdict:
    """Decide whether a new system is at most a margin worse than an old one.

    Args:
        old, new: name and Scores, with the same metric, options and gold answers.
        measure: a measure that `qassay.compare` accepts.
        margin: in units of the measure, 0 or more; 0 asks for proof that the new system is better.
        intervals: the settings of the intervals.
        groups: as in `qassay.compare`.
        common: True: judge by the examples that both systems answered and to which the measure applies in both. False:
            refuse systems that lack answers or differ in them: a new system could have omitted the hard examples, and
            an old system without some answers would be too easy to beat.
        count_absent: an absent answer to an example in the gold data scores 0 instead of being refused.
        examples_name: the word for the examples in messages.

    Raises:
        TypeError, ValueError: as in `qassay.compare`; a margin that is not a finite number of at least 0 or covers the
            whole range of the measure, systems that did not answer the same examples, or a measure without an interval.
    """
    is_number = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin < math.inf:
        raise ValueError(f"margin must be a number of at least 0, such as 0.01; got {shown(margin)}")
    check_choice("common", common, (False, True))
    systems = dict([old, new])
    if len(systems) < 2:
        raise ValueError(f"both systems are called {old[0]}; give them different names")
    systems, groups = _of_same_examples(systems, groups, common, count_absent, examples_name)
    found = compare_scores(systems, [measure], settings=ComparisonSettings("t", intervals=intervals), groups=groups)
    (difference,) = found.differences
    measure = difference.measure
    bounds = new[1].measures[measure].bounds
    if bounds is not None and margin >= bounds[1] - bounds[0]:
        raise ValueError(
            f"margin {margin:g} is the whole range of {measure}, {bounds[0]:g} to {bounds[1]:g}, so that every system would "
            f"pass; give it in units of {measure}"
        )
    if not common:
        _refuse_other_uses(difference)
    if difference.p_value is None or math.isnan(difference.interval.low):
        raise ValueError(
            f"{measure} applies to {counted(difference.n, 'examples')} of {old[0]} and {new[0]} and its difference has no interval, "
            "so that nothing can be decided; choose another measure, or score more examples"
        )
    return MarginVerdict(difference, float(margin), intervals.confidence, _losses(found, measure))


def judge_margins(
    old: tuple[str, Scores],
    new: tuple[str, Scores],
    margins: Sequence[tuple[str, float]],
    intervals: Intervals = Intervals(),
    **settings: Any,
) -> list[MarginVerdict]:
    """Decide whether a new system is at most a margin worse than an old one, for each of several measures.

    A new system is accepted if it passes for all measures. Each decision is at the full level: a system that is worse
    by the margin of one measure must also pass that decision, so it is accepted no more often than by that measure
    alone (an intersection-union test, Berger 1982).

    Args:
        margins: measure -> margin.
        intervals, settings: as in `judge_margin`.

    Raises:
        TypeError, ValueError: as in `judge_margin`; no measure, or a duplicate measure.
    """
    if not margins:
        raise ValueError("no measure is given, so that nothing can be decided; name one")
    verdicts = [judge_margin(old, new, measure, margin, intervals, **settings) for measure, margin in margins]
    names = [verdict.difference.measure for verdict in verdicts]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise ValueError(f"the measure {twice} is given twice; give it once, with one margin")
    return verdicts


def margins_by_slice(
    old: tuple[str, Scores],
    new: tuple[str, Scores],
    verdicts: Sequence[MarginVerdict],
    by: Mapping[str, Sequence[Any]],
    intervals: Intervals = Intervals(),
) -> dict[str, dict[str, list[MarginVerdict]]]:
    """Apply the same margins to each slice: slice -> label -> a verdict for each measure that applies there.

    Verdicts are not corrected for the number of slices: among many slices, some appear worse by chance.

    Args:
        old, new: with the same examples in the same order.
        verdicts: over all examples.
        by: slice -> a label for each example.
        intervals: as in `judge_margin`.
    """
    if not by:
        return {}
    margins = {verdict.difference.measure: verdict.margin for verdict in verdicts}
    found = compare_scores(dict([old, new]), list(margins), by, ComparisonSettings("t", intervals=intervals))
    return {
        name: {
            label: [MarginVerdict(one, margins[one.measure], intervals.confidence) for one in differences]
            for label, differences in labels.items()
        }
        for name, labels in found.slices.items()
    }


def answered_examples(
    systems: Mapping[str, Scores], *, common: bool = False, count_absent: bool = False, examples_name: str = "examples"
) -> tuple[dict[str, Scores], dict[str, int]]:
    """The two systems with the examples of the decision, in the same order, and how many others each answered.

    Args:
        common, count_absent, examples_name: as in `judge_margin`.

    Raises:
        TypeError, ValueError: systems that cannot be compared; absent answers, which are counted and named.
    """
    require_comparable(systems)
    aligned, unmatched = align_scores(systems)
    lacking = not_in_scores(systems) if count_absent else lacking_by_system(systems)
    absent = {name: ids for name, ids in lacking.items() if ids}
    if not absent:
        return aligned, unmatched
    if not common:
        told = absent_answers(absent, systems, examples_name)
        by_common = f"common=True to judge by the {examples_name} that both answered"
        if count_absent:
            raise ValueError(f"{told}, or {by_common}")
        raise ValueError(f"{told}, {by_common}, or count_absent=True to score an absent answer 0")
    return (aligned, unmatched) if count_absent else answered_by_all(systems)


def _of_same_examples(
    systems: Mapping[str, Scores], groups: Any, common: bool, count_absent: bool, examples_name: str
) -> tuple[dict[str, Scores], Any]:
    """The systems with the examples of the decision, and their groups by id, if given."""
    require_comparable(systems)
    first = next(iter(systems.values()))
    given = None if groups is None else groups_of(groups, systems)
    if given is not None:
        groups = dict(zip(first.ids, given.listed(), strict=True))
        systems = {name: scores.with_groups(None) for name, scores in systems.items()}
    found, _ = answered_examples(systems, common=common, count_absent=count_absent, examples_name=examples_name)
    kept = next(iter(found.values())).ids
    return found, None if given is None else {identifier: groups[identifier] for identifier in kept}


def _refuse_other_uses(difference: Difference) -> None:
    """Refuse a measure that applies to some examples in only one of the systems."""
    if difference.left_out:
        raise ValueError(
            f"{difference.measure} applies to {counted(difference.left_out, 'examples')} with one of the "
            "systems only; score both with the same gold data, or give common=True to judge by the examples "
            "that both have"
        )


def _losses(found: Comparison, measure: str) -> tuple[tuple[Any, float], ...]:
    try:
        ids, changes = found.changes(measure)
    except ValueError:  # this measure has no values for single examples
        return ()
    sign = 1 if found.differences[0].lower_is_better else -1
    return tuple(
        (identifier, change)
        for identifier, change in zip(ids[:_SHOWN_LOSSES], changes[:_SHOWN_LOSSES].tolist(), strict=True)
        if sign * change > 0
    )
