"""Marks that lead to their examples: bars of differences, counts in a row of parts, as HTML; each is a real link."""

from collections.abc import Sequence
from typing import NamedTuple

from ..reports.chart_parts import escaped, is_finite
from ..reports.html_parts import breakable, go
from ..reports.palette import system_class
from .analysis import Analysis

_WIDE = 200  # units of a bar
_SHARE = 0.06  # of the width, below which a part has no room for its number


class Scale:
    """Where numbers lie on the bars of some differences, which share it; zero is always on it."""

    def __init__(self, numbers: Sequence[float | None]):
        finite = [number for number in numbers if is_finite(number)]
        self.low, self.high = min([0.0, *finite]), max([0.0, *finite])
        self.span = (self.high - self.low) or 1.0

    def x(self, number: float) -> float:
        """A number in units of the bar, at its edge where it lies beyond."""
        return 2 + (_WIDE - 4) * (min(max(number, self.low), self.high) - self.low) / self.span

    def whisker(self, low: float, high: float) -> str:
        """The path of an interval, with a bar at each end that lies within the scale."""
        ends = "".join(f"M{self.x(end):.1f} 4v8" for end in (low, high) if self.low <= end <= self.high)
        return f"M{self.x(low):.1f} 8H{self.x(high):.1f}{ends}"


def difference_bar(
    value: float, ends: Sequence[float | None] | None, scale: Scale, *, certain: bool, towards: float = 1.0
) -> str:
    """A bar from zero to a difference with its interval, as SVG that fills its cell.

    Args:
        ends: of the interval; None for none.
        certain: False draws the bar hollow, as open marks of charts: the difference could be chance.
        towards: -1.0 where a lower value is better.
    """
    tone = "better" if towards * value > 0 else "worse" if value else "same"
    zero, at = scale.x(0.0), scale.x(value)
    whisker = ""
    if ends is not None and all(map(is_finite, ends)):
        whisker = f'<path d="{scale.whisker(*ends)}"/>'  # type: ignore[misc]
    return (
        f'<svg class="gap-bar {tone}{"" if certain else " open"}" viewBox="0 0 {_WIDE} 16" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect x="{min(zero, at):.1f}" y="3" width="{max(abs(at - zero), 0.5):.1f}" height="10"/>'
        f'{whisker}<path class="axis" d="M{zero:.1f} 0v16"/></svg>'
    )


class Part(NamedTuple):
    """A part of all examples: its name as HTML, how many, the class of its colour, and where it leads ("" for nowhere)."""

    name: str
    count: int
    tone: str
    href: str = ""


def parts_bar(parts: Sequence[Part]) -> str:
    """A bar divided by the sizes of parts, and the parts below it by name, each a link to its examples."""
    total = sum(part.count for part in parts) or 1
    there = [part for part in parts if part.count]
    pieces = "".join(_piece(part, f"{part.count:,}" if part.count >= _SHARE * total else "") for part in there)
    names = "".join(
        f'<li><i class="swatch {part.tone}"></i>'
        + go(f"{part.name} <strong>{part.count:,}</strong>", part.href if part.count else "")
        + f' <span class="faint">{100 * part.count / total:.0f}&nbsp;%</span></li>'
        for part in parts
    )
    return f'<div class="parts"><div class="whole" aria-hidden="true">{pieces}</div><ul>{names}</ul></div>'


def _piece(part: Part, number: str) -> str:
    """A part of the bar, which the pointer can follow to its examples; for the keyboard the name below does the same."""
    size = f'style="flex-grow:{part.count}"'
    if not part.href:
        return f'<span class="piece {part.tone}" {size}>{number}</span>'
    return f'<a class="go piece {part.tone}" {size} href="{escaped(part.href)}" tabindex="-1">{number}</a>'


def system_head(analysis: Analysis, system: str) -> str:
    """The name of a system with its colour, for the head of a column or row."""
    return f'<i class="dot {system_class(analysis.systems.index(system))}"></i>{breakable(system)}'
