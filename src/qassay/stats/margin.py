"""Decides whether one system is worse than another by no more than a margin."""

import dataclasses
import math
import numbers
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from ..core.columns import counted
from ..core.interval_settings import Intervals
from ..core.rounding import TINY
from ..core.scores import Scores
from ..core.shown import shown
from .cautions import OF_FEW, caution_texts
from .compare import Comparison, compare_scores
from .difference import ComparisonSettings, Difference
from .sample_size import deviations_needed

_SHOWN_LOSSES = 3


@dataclasses.dataclass(frozen=True)
class MarginVerdict:
    """Whether one system is worse than another by no more than a margin, from the interval of their difference.

    Attributes:
        difference: the difference of the measure, the second system minus the first.
        margin: how much worse the second system may be, in units of the measure.
        confidence: the confidence of the two-sided interval, such as 0.95: a second system that is worse by exactly the
            margin passes with a probability of about (1 - confidence) / 2.
        losses: the examples with the largest losses, as pairs of id and change; () if examples have no values.
    """

    difference: Difference
    margin: float
    confidence: float
    losses: tuple[tuple[Any, float], ...] = ()

    @property
    def gains(self) -> tuple[float, float]:
        """The interval of the gain: of the difference, with the sign reversed if lower values are better."""
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
        """The number of examples that would show in 4 of 5 cases that the second system is not worse, if the difference
        stays the same; None if no number would.
        """
        found = self.difference
        room: float = (-found.difference if found.lower_is_better else found.difference) + self.margin
        half = room - (self.gains[0] + self.margin)
        if room <= TINY:
            return None
        of_level = NormalDist().inv_cdf((1 + self.confidence) / 2)
        wider = deviations_needed(self.confidence) / of_level  # with `half` alone, every second sample shows it
        return max(found.n, math.ceil(found.n * (half / room * wider) ** 2))

    @property
    def has_no_change(self) -> bool:
        """Whether all examples have the same value in both systems."""
        return self.difference.n > 0 and self.difference.better == 0 == self.difference.worse

    @property
    def headline(self) -> str:
        """The decision in words, on one line."""
        found, verdict = self.difference, "is worse" if self.is_worse else "may be worse"
        verdict = "is not worse" if self.is_not_worse else verdict
        return f"{found.measure}: {found.second} {verdict} than {found.first} by more than {self.margin:g}"

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
    def needed_text(self) -> str:
        """The number of examples that would settle the verdict, in words; "" if it is decided, or if no number would."""
        if self.is_not_worse or self.is_worse or self.n_needed is None:
            return ""
        return (
            f"about {self.n_needed:,} examples would show in 4 of 5 cases that it is not worse, if the difference stays"
        )

    @property
    def cautions(self) -> list[str]:
        """The reasons why the interval may be too narrow, one sentence each."""
        return [caution_texts(self.confidence)[code] for code in OF_FEW if code in self.difference.cautions]

    def __str__(self) -> str:
        lines = [self.headline, self.numbers]
        if self.losses:
            losses = ", ".join(f"{shown(identifier)} {change:+.4f}" for identifier, change in self.losses)
            lines.append(f"largest losses: {losses}")
        return "\n".join([*lines, *filter(None, [self.needed_text]), *self.cautions])


def judge_margins(
    systems: Mapping[str, Scores],
    margins: Sequence[tuple[str, float]],
    intervals: Intervals = Intervals(),
    *,
    common: bool = False,
) -> list[MarginVerdict]:
    """Decide for each measure whether a new system is worse than an old one by no more than a margin.

    A new system is accepted if it passes for all measures. Each decision is at the full level: a system that is worse
    by the margin of one measure must also pass for that measure, so it is accepted no more often than by that measure
    alone (an intersection-union test, Berger 1982).

    Args:
        systems: the old system and the new one, as from `systems.answered_examples`.
        margins: measures that `qassay.compare` accepts, each with a margin in units of the measure, 0 or more; 0 requires
            proof that the new system is better.
        intervals: the settings of the intervals.
        common: as in `systems.answered_examples`.

    Returns:
        The verdicts, one per measure.

    Raises:
        TypeError, ValueError: as in `qassay.compare`; no measure, or a duplicate one; a margin that is not a finite number of
            at least 0 or covers the whole range of the measure; a measure without an interval, or, unless `common`, a
            measure that applies to an example in only one of the systems.
    """
    (old, first), (new, _) = systems.items()
    margin_of: dict[str, float] = {}
    for requested, margin in margins:
        _check_margin(margin)
        for name in first.measure_names([requested]):
            if name in margin_of:
                raise ValueError(f"the measure {name} is given twice; give it once, with one margin")
            margin_of[name] = float(margin)
    if not margin_of:
        raise ValueError("no measure is given, so nothing can be decided; give one")
    # Each decision is at the full level, whatever the number of measures: p is not corrected.
    found = compare_scores(systems, list(margin_of), None, ComparisonSettings("t", "none", intervals))
    for one in found.differences:
        name, margin, bounds = one.measure, margin_of[one.measure], first.measures[one.measure].bounds
        if bounds is not None and margin >= bounds[1] - bounds[0]:
            raise ValueError(
                f"margin {margin:g} is the whole range of {name}, {bounds[0]:g} to {bounds[1]:g}, so every system would "
                f"pass; give it in units of {name}"
            )
        if one.left_out and not common:
            raise ValueError(
                f"{name} applies to {counted(one.left_out, 'examples')} with one of the systems only; score both with "
                "the same gold data, or give common=True to judge by the examples that both have"
            )
        if one.p_value is None or math.isnan(one.interval.low):
            raise ValueError(
                f"{name} applies to {counted(one.n, 'examples')} of {old} and {new} and its difference has no interval, "
                "so nothing can be decided; choose another measure, or score more examples"
            )
    return [
        MarginVerdict(one, margin_of[one.measure], intervals.confidence, _losses(found, one))
        for one in found.differences
    ]


def _check_margin(margin: Any) -> None:
    is_number = isinstance(margin, numbers.Real) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin < math.inf:
        raise ValueError(f"margin must be a number of at least 0, such as 0.01; got {shown(margin)}")


def _losses(found: Comparison, difference: Difference) -> tuple[tuple[Any, float], ...]:
    """The examples with the largest losses, as pairs of id and change; none if examples have no values."""
    if difference.worse is None:
        return ()
    ids, changes = found.changes(difference.measure)
    sign = 1 if difference.lower_is_better else -1
    return tuple(
        (identifier, change)
        for identifier, change in zip(ids[:_SHOWN_LOSSES], changes[:_SHOWN_LOSSES].tolist(), strict=True)
        if sign * change > 0
    )
