"""Charts as SVG for notebooks and files: values with intervals, and the curves of a result document.

Text has the colour of the page around the chart. A chart has its numbers in words as aria-label and as tooltips.
"""

import html
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.shown import visible

_WIDTH = 520
_HEIGHT = 220  # of the plot of a curve
_CHARACTER = 7.3  # width of a character of 13 px
_LONGEST = 30  # characters of a label
_COLORS = {"value": "#8459cf", "better": "#198a58", "worse": "#d2473b", "same": "#7c8494"}  # on white and on black
_MOST_BARS = 40

Write = Callable[[float], str]


class Mark(NamedTuple):
    """A value with its interval on a line of a chart.

    Attributes:
        low, high: None without an interval.
        tone: "value", "better", "worse" or "same".
        is_open: drawn hollow, for a value that could be chance.
        note: added to the tooltip.
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    tone: str = "value"
    is_open: bool = False
    note: str = ""


def interval_chart(marks: Sequence[Mark], title: str, write: Write, zero: bool = False) -> str:
    """A line for each mark, the first on top.

    Args:
        zero: with a line at 0.

    Raises:
        ValueError: no mark has a finite value.
    """
    marks = [mark for mark in marks if math.isfinite(mark.value)]
    if not marks:
        raise ValueError("no value can be drawn")
    ends = [end for mark in marks for end in (mark.value, *_ends(mark)) if math.isfinite(end)] + ([0.0] if zero else [])
    left = _label_width([mark.label for mark in marks])
    x, ticks = _axis(min(ends), max(ends), left, _WIDTH - 70)
    bottom = 28 * len(marks) + 6
    parts = _grid(x, ticks, 0, bottom)
    if zero:
        parts.append(f'<path stroke="currentColor" d="M{x(0):.1f} 0V{bottom}"/>')
    words = []
    for place, mark in enumerate(marks):
        y, color = 28 * place + 17, _COLORS[mark.tone]
        low, high = _ends(mark)
        has_ends = math.isfinite(low) and math.isfinite(high)
        interval = f" ({write(low)} to {write(high)})" if has_ends else ""
        tip = f"{mark.label}: {write(mark.value)}{interval}{f', {mark.note}' if mark.note else ''}"
        whisker = f"M{x(low):.1f} {y - 4}v8m0 -4H{x(high):.1f}m0 -4v8" if has_ends else ""
        fill = "none" if mark.is_open else color
        parts.append(
            f'<g stroke="{color}" stroke-width="2" fill="{fill}"><title>{_escaped(tip)}</title><path d="{whisker}"/>'
            f'<circle cx="{x(mark.value):.1f}" cy="{y}" r="5"/></g>'
        )
        parts += [_text(0, y + 4, _short(mark.label)), _text(_WIDTH, y + 4, write(mark.value), "end")]
        words.append(tip)
    return _svg(bottom + 24, f"{title}. {'; '.join(words)}", parts)


def curve_chart(curve: Mapping[str, Any]) -> str:
    """A curve as `curves` of a result document has it: steps, a line, points or bars.

    Raises:
        ValueError: no point is known.
    """
    points = [(x, y) for x, y in zip(curve["x"], curve["y"], strict=True) if x is not None and y is not None]
    if not points:
        raise ValueError(f"{curve['title']}: no point is known")
    return _bars(curve, points) if curve["draw"] == "bars" else _line(curve, points)


def _bars(curve: Mapping[str, Any], every: Sequence[tuple[Any, float]]) -> str:
    """The first bars, and how many there are besides."""
    points = every[:_MOST_BARS]
    labels = [str(label) for label, _ in points]
    left = _label_width(labels)
    x, _ = _axis(0.0, max(1e-9, *(value for _, value in points)), left, _WIDTH - 60)
    parts, words = [], []
    for place, (label, (_, value)) in enumerate(zip(labels, points, strict=True)):
        y, number = 22 * place, f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
        words.append(f"{label}: {number}")
        parts.append(
            f'<rect fill="{_COLORS["value"]}" x="{left}" y="{y + 4}" width="{x(value) - left:.1f}" height="15">'
            f"<title>{_escaped(words[-1])}</title></rect>"
        )
        parts += [_text(0, y + 16, _short(label)), _text(x(value) + 6, y + 16, number)]
    if len(every) > len(points):
        words.append(f"and {len(every) - len(points):,} more")
        parts.append(_text(0, 22 * len(points) + 16, words[-1]))
    return _svg(22 * len(points) + 28, f"{curve['title']}. {'; '.join(words)}", parts)


def _line(curve: Mapping[str, Any], points: Sequence[tuple[float, float]]) -> str:
    xs, ys = zip(*points, strict=True)
    (x_low, x_high), (y_low, y_high) = (
        curve[name] or (min(values), max(values)) for name, values in (("x_range", xs), ("y_range", ys))
    )
    y, y_ticks = _axis(y_low, y_high, 24 + _HEIGHT, 24)
    left = round(max(len(f"{tick:g}") for tick in y_ticks) * _CHARACTER) + 8
    x, x_ticks = _axis(x_low, x_high, left, _WIDTH - 16)
    bottom = 24 + _HEIGHT
    parts = [_text(0, 13, curve["y_title"]), *_grid(x, x_ticks, 24, bottom)]
    for tick in y_ticks:
        parts += [_rule(f"M{left} {y(tick):.1f}H{_WIDTH - 16}"), _text(left - 6, y(tick) + 4, f"{tick:g}", "end")]
    parts.append(_text((left + _WIDTH) / 2, bottom + 40, curve["x_title"], "middle"))
    color = _COLORS["value"]
    if curve["draw"] == "points":
        parts.append(_rule(f"M{x(x_ticks[0]):.1f} {y(y_ticks[0]):.1f}L{x(x_ticks[-1]):.1f} {y(y_ticks[-1]):.1f}"))
        parts += [f'<circle fill="{color}" cx="{x(a):.1f}" cy="{y(b):.1f}" r="4"/>' for a, b in points]
    else:
        steps = curve["draw"] == "steps"
        path = "".join(f"H{x(a):.1f}V{y(b):.1f}" if steps else f"L{x(a):.1f} {y(b):.1f}" for a, b in points[1:])
        start = f"M{x(xs[0]):.1f} {y(ys[0]):.1f}"
        parts.append(f'<path fill="none" stroke="{color}" stroke-width="2" d="{start}{path}"/>')
    words = f"{curve['title']}. {curve['y_title']} from {min(ys):.3g} to {max(ys):.3g}"
    mark = curve["mark"]
    if mark is not None and mark["y"] is not None:
        tip = f"{mark['title']}: {mark['y']:.3g} at {mark['x']:.3g}"
        parts.append(f'<circle fill="{color}" cx="{x(mark["x"]):.1f}" cy="{y(mark["y"]):.1f}" r="5">'
                     f"<title>{_escaped(tip)}</title></circle>")  # fmt: skip
        words += f"; {tip}"
    return _svg(bottom + 48, words, parts)


def _axis(low: float, high: float, start: float, end: float) -> tuple[Callable[[float], float], list[float]]:
    """Where numbers lie between two places of the drawing, and round numbers around them."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / 5))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= span / 5 * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = [round(step * number, 12) for number in range(first, last + 1)]

    def place(value: float) -> float:
        return start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0])

    return place, ticks


def _grid(x: Callable[[float], float], ticks: Sequence[float], top: float, bottom: float) -> list[str]:
    lines = [_rule(f"M{x(tick):.1f} {top}V{bottom}") for tick in ticks]
    return lines + [_text(x(tick), bottom + 18, f"{tick:g}", "middle") for tick in ticks]


def _rule(path: str) -> str:
    return f'<path stroke="currentColor" opacity=".2" d="{path}"/>'


def _ends(mark: Mark) -> tuple[float, float]:
    return (math.nan if mark.low is None else mark.low, math.nan if mark.high is None else mark.high)


def _label_width(labels: Sequence[str]) -> int:
    return round(_CHARACTER * max(len(_short(label)) for label in labels)) + 12


def _short(label: str) -> str:
    line = " ".join(label.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _svg(height: float, words: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" style="max-width:{_WIDTH}px" role="img" '
        f'aria-label="{_escaped(words)}" font-family="system-ui,sans-serif" font-size="13" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )
