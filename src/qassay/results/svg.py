"""Charts as SVG for notebooks and files: values with intervals, bars, and the curves of a result document.

Text has the colour of the page around the chart. A chart has its numbers in words as aria-label and as tooltips.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .writers import cut_text, escaped

_WIDTH = 520
_HEIGHT = 220  # of the plot of a curve
_ROW = 28  # height of a row of a chart
_CHARACTER = 7.3  # width of a character of 13 px
_LONGEST = 30  # characters of a label
_MOST_BARS = 40
_COLORS = {"value": "#8459cf", "better": "#198a58", "worse": "#d2473b", "same": "#7c8494"}  # on white and on black


class Mark(NamedTuple):
    """A row of a chart: a value, which may have an interval.

    Attributes:
        low, high: None without an interval.
        tone: "value", "better", "worse" or "same".
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    tone: str = "value"


def row_chart(
    title: str, marks: Sequence[Mark], write: Callable[[float], str], *, zero: bool = False, bars: bool = False
) -> str:
    """A row for each mark, the first on top: a dot with its interval, or a bar from 0.

    Args:
        write: a value -> its text.
        zero: with a line at 0; bars have it too, and are at most 40.

    Raises:
        ValueError: no mark has a finite value.
    """
    every = [mark for mark in marks if math.isfinite(mark.value)]
    marks = every[:_MOST_BARS] if bars else every
    if not marks:
        raise ValueError("no value can be drawn")
    numbers = [number for mark in marks for number in mark[1:4] if number is not None] + [0.0] * (zero or bars)
    labels = [cut_text(mark.label, _LONGEST) for mark in marks]
    left, bottom = _CHARACTER * max(map(len, labels)) + 12, _ROW * len(marks) + 6
    x, ticks = _axis(min(numbers), max(numbers), left, _WIDTH - 70)
    parts = _grid(x, ticks, 0, bottom)
    parts += [f'<path stroke="currentColor" d="M{x(0):.1f} 0V{bottom}"/>'] * (zero or bars)
    words = []
    for index, (label, mark) in enumerate(zip(labels, marks, strict=True)):
        y, color = _ROW * index + 17, _COLORS[mark.tone]
        text = write(mark.value)
        interval = "" if mark.low is None or mark.high is None else f" ({write(mark.low)} to {write(mark.high)})"
        words.append(f"{mark.label}: {text}{interval}")
        drawn = f'<circle fill="{color}" cx="{x(mark.value):.1f}" cy="{y}" r="5"/>'
        if bars:
            drawn = f'<path stroke="{color}" stroke-width="15" d="M{x(0):.1f} {y}H{x(mark.value):.1f}"/>'
        elif mark.low is not None and mark.high is not None:
            drawn += f'<path stroke="{color}" stroke-width="2" d="M{x(mark.low):.1f} {y}H{x(mark.high):.1f}"/>'
        parts.append(f"<g><title>{escaped(words[-1])}</title>{drawn}</g>")
        parts += [_text(0, y + 4, label), _text(_WIDTH, y + 4, text, "end")]
    words += [f"and {len(every) - len(marks):,} more"] if len(every) > len(marks) else []
    return _svg(bottom + 24, f"{title}. {'; '.join(words)}", parts)


def curve_chart(curve: Mapping[str, Any]) -> str:
    """A curve as `curves` of a result document has it: steps, a line, points or bars.

    Raises:
        ValueError: no point is known.
    """
    points = [(x, y) for x, y in zip(curve["x"], curve["y"], strict=True) if x is not None and y is not None]
    if not points:
        raise ValueError(f"{curve['title']}: no point is known")
    if curve["draw"] == "bars":
        return row_chart(
            curve["title"], [Mark(str(label), value) for label, value in points], "{:,.4g}".format, bars=True
        )
    xs, ys = zip(*points, strict=True)
    (x_low, x_high), (y_low, y_high) = (curve["x_range"] or (min(xs), max(xs)), curve["y_range"] or (min(ys), max(ys)))
    top, bottom, right = 24, 24 + _HEIGHT, _WIDTH - 16
    y, y_ticks = _axis(y_low, y_high, bottom, top)
    left = _CHARACTER * max(len(f"{tick:g}") for tick in y_ticks) + 8
    x, x_ticks = _axis(x_low, x_high, left, right)
    parts = _grid(x, x_ticks, top, bottom)
    for tick in y_ticks:
        parts += [_rule(f"M{left:.1f} {y(tick):.1f}H{right}"), _text(left - 6, y(tick) + 4, f"{tick:g}", "end")]
    parts += [_text(0, 13, curve["y_title"]), _text((left + right) / 2, bottom + 40, curve["x_title"], "middle")]
    color, places = _COLORS["value"], [(f"{x(a):.1f}", f"{y(b):.1f}") for a, b in points]
    if curve["draw"] == "points":
        parts.append(_rule(f"M{left:.1f} {bottom}L{right} {top}"))
        parts += [f'<circle fill="{color}" cx="{a}" cy="{b}" r="4"/>' for a, b in places]
    else:
        lines = [f"H{a}V{b}" if curve["draw"] == "steps" else f"L{a} {b}" for a, b in places[1:]]
        path = f"M{' '.join(places[0])}{''.join(lines)}"
        parts.append(f'<path fill="none" stroke="{color}" stroke-width="2" d="{path}"/>')
    words = f"{curve['title']}. {curve['y_title']} from {min(ys):.3g} to {max(ys):.3g}"
    mark = curve["mark"]
    if mark is not None and mark["y"] is not None:
        words += f"; {mark['title']}: {mark['y']:.3g} at {mark['x']:.3g}"
        parts.append(f'<circle fill="{color}" cx="{x(mark["x"]):.1f}" cy="{y(mark["y"]):.1f}" r="5"/>')
    return _svg(bottom + 48, words, parts)


def _axis(low: float, high: float, start: float, end: float) -> tuple[Callable[[float], float], list[float]]:
    """Where numbers lie between two places of the drawing, and round numbers around them."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / 5))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= span / 5 * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(step * number, 12) for number in range(first, max(last, first + 1) + 1)]
    return lambda value: start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0]), ticks


def _grid(x: Callable[[float], float], ticks: Sequence[float], top: float, bottom: float) -> list[str]:
    lines = [_rule(f"M{x(tick):.1f} {top}V{bottom}") for tick in ticks]
    return lines + [_text(x(tick), bottom + 18, f"{tick:g}", "middle") for tick in ticks]


def _rule(path: str) -> str:
    return f'<path stroke="currentColor" opacity=".2" d="{path}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def _svg(height: float, words: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" style="max-width:{_WIDTH}px" role="img" '
        f'aria-label="{escaped(words)}" font-family="system-ui,sans-serif" font-size="13" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )
