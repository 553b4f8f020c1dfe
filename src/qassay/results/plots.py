"""Charts of scores and comparisons as SVG, for notebooks and files.

Text has the colour of the page around the chart. A chart has its numbers in words as aria-label and as tooltips.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.options import check_choice, did_you_mean
from ..core.scores import Scores
from ..core.shown import shown
from ..core.writing import write_whole
from ..registry import family_of
from ..stats.compare import Comparison
from ..stats.values import values_of
from .curves import curves_of
from .writers import cut_text, escaped

_NOTHING = "only rates from 0 to 1 are drawn; counts and thresholds have no common scale"
_WIDTH = 520
_HEIGHT = 220  # of the plot of a curve
_ROW = 28  # height of a row
_CHARACTER = 7.3  # width of a character of 13 px
_LONGEST = 30  # characters of a label
_MOST_BARS = 40
_COLORS = {"value": "#8459cf", "better": "#198a58", "worse": "#d2473b", "same": "#7c8494"}  # on white and on black


class Plot:
    """A chart as SVG: notebooks show it, `save` writes it.

    Attributes:
        svg: the drawing, whose text has the colour of the text around it.
    """

    def __init__(self, svg: str):
        self.svg = svg

    def __repr__(self) -> str:
        return f"<Plot of {len(self.svg):,} characters of SVG; save it with .save('plot.svg')>"

    def _repr_svg_(self) -> str:
        """The drawing on white, since an image does not know the colours around it."""
        return self.svg.replace('style="', 'style="color:#1d2330;background:#fff;', 1)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the chart as a separate SVG file.

        Raises:
            ValueError: the name does not end with .svg. OSError: the file cannot be written.
        """
        if os.path.splitext(os.fspath(path))[1].lower() != ".svg":
            raise ValueError(f"save writes SVG: the name must end with .svg; got {os.fspath(path)}")
        write_whole(path, f"{self._repr_svg_()}\n")


def plot_scores(scores: Scores, kind: str | None, measures: Sequence[str] | str | None, label: Any) -> Plot:
    """The chart of `Scores.plot`."""
    names = [measures] if isinstance(measures, str) else measures
    if names is not None:
        scores.summary(names)  # refuses an unknown measure
    if kind in (None, "values"):
        cells = values_of({"": scores}, names).systems[""]
        bars = [Bar(name, cell.value, *(cell.interval or ())) for name, cell in cells.items() if cell.is_rate]
        return Plot(bar_chart("Values with 95 % intervals", bars, "{:.3f}".format))
    about = family_of(scores).about
    curves = curves_of(about, {"": scores}, [*scores.measures], 1)
    check_choice("kind", kind, dict.fromkeys(["values", *(curve["name"] for curve in curves)]))
    found = [curve for curve in curves if curve["name"] == kind and (label is None or curve["label"] == str(label))]
    if not found:
        raise ValueError(f"no class {shown(label)} with a curve")
    lead = [*(names or ()), *filter(scores.measures.__contains__, about.main_measures(scores)), ""][0]
    return Plot(curve_chart(next((of for of in found if of["measure"] in (lead, lead.partition("@")[0])), found[0])))


def plot_comparison(comparison: Comparison, measures: Sequence[str] | str | None) -> Plot:
    """The chart of `Comparison.plot`: significant differences are green or red."""
    names = [measures] if isinstance(measures, str) else measures
    there = dict.fromkeys(found.measure for found in comparison.differences)
    for name in names or ():
        if name not in there:
            raise ValueError(f"no measure {shown(name)}{did_you_mean(name, there)}; compared are: {', '.join(there)}")
    pairs = {(found.first, found.second) for found in comparison.differences}
    bars = []
    for found in comparison.decided_differences():
        if found.is_rate and (names is None or found.measure in names):
            tone = "better" if found.winner == found.second else "worse"
            tone = tone if found.is_significant(comparison.settings.intervals.confidence) else "same"
            name = f"{found.measure}: {found.second} − {found.first}" if len(pairs) > 1 else found.measure
            bars.append(Bar(name, found.difference, *found.interval, tone))
    pair = ", {1} minus {0}".format(*pairs.pop()) if len(pairs) == 1 else ""
    return Plot(bar_chart(f"Differences{pair}", bars, "{:+.3f}".format))


# --- SVG --------------------------------------------------------------------------------------------------------------


class Bar(NamedTuple):
    """A value, which may have an interval; `tone` is a key of `_COLORS`."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    tone: str = "value"


def bar_chart(title: str, bars: Iterable[Bar], write: Callable[[float], str]) -> str:
    """Bars from 0 with their numbers and intervals, the first on top; of more than 40 the first ones.

    Args:
        write: a value -> its text.

    Raises:
        ValueError: no bar has a finite value.
    """
    every = [bar for bar in bars if math.isfinite(bar.value)]
    kept = every[:_MOST_BARS]
    if not kept:
        raise ValueError(_NOTHING)
    numbers = [0.0, *(number for bar in kept for number in bar[1:4] if number is not None)]
    labels = [cut_text(bar.label, _LONGEST) for bar in kept]
    x = _scale(min(numbers), max(numbers), _CHARACTER * max(map(len, labels)) + 12, _WIDTH - 70)
    parts, words = [f'<path stroke="currentColor" d="M{x(0)} 0V{_ROW * len(kept)}"/>'], []
    for index, (label, bar) in enumerate(zip(labels, kept, strict=True)):
        y, color, text = _ROW * index + 14, _COLORS[bar.tone], write(bar.value)
        drawn = f'<path stroke="{color}" stroke-width="14" opacity=".7" d="M{x(0)} {y}H{x(bar.value)}"/>'
        words.append(f"{bar.label}: {text}")
        if bar.low is not None and bar.high is not None:
            drawn += f'<path stroke="currentColor" stroke-width="2" d="M{x(bar.low)} {y}H{x(bar.high)}"/>'
            words[-1] += f" ({write(bar.low)} to {write(bar.high)})"
        parts.append(f"<g><title>{escaped(words[-1])}</title>{drawn}</g>")
        parts += [_text(0, y + 4, label), _text(_WIDTH, y + 4, text, "end")]
    words += [f"and {len(every) - len(kept):,} more"] if len(every) > len(kept) else []
    return _svg(_ROW * len(kept), f"{title}. {'; '.join(words)}", parts)


def curve_chart(curve: Mapping[str, Any]) -> str:
    """A curve as `curves` of a result document has it: bars, steps, or a line.

    Raises:
        ValueError: no point is known.
    """
    points = [(x, y) for x, y in zip(curve["x"], curve["y"], strict=True) if x is not None and y is not None]
    if curve["draw"] == "bars":
        return bar_chart(curve["title"], [Bar(str(label), value) for label, value in points], "{:,.4g}".format)
    if not points:
        raise ValueError(f"{curve['title']}: no point is known")
    xs, ys = zip(*points, strict=True)
    (x_low, x_high), (y_low, y_high) = curve["x_range"] or (min(xs), max(xs)), curve["y_range"] or (min(ys), max(ys))
    left, right, top, bottom = 56, _WIDTH - 16, 24, 24 + _HEIGHT
    x, y = _scale(x_low, x_high, left, right), _scale(y_low, y_high, bottom, top)
    parts = [_text(0, 13, curve["y_title"]), _text((left + right) / 2, bottom + 40, curve["x_title"], "middle")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        across, up = x_low + share * (x_high - x_low), y_low + share * (y_high - y_low)
        grid = f"M{x(across)} {top}V{bottom}M{left} {y(up)}H{right}"
        parts.append(f'<path stroke="currentColor" opacity=".2" d="{grid}"/>')
        parts += [
            _text(x(across), bottom + 18, f"{across:.3g}", "middle"),
            _text(left - 6, y(up) + 4, f"{up:.3g}", "end"),
        ]
    steps = "H{0}V{1}" if curve["draw"] == "steps" else "L{0} {1}"
    path = f"M{x(xs[0])} {y(ys[0])}" + "".join(steps.format(x(a), y(b)) for a, b in points[1:])
    parts.append(f'<path fill="none" stroke="{_COLORS["value"]}" stroke-width="2" d="{path}"/>')
    words = f"{curve['title']}. {curve['y_title']} from {min(ys):.3g} to {max(ys):.3g}"
    if curve["mark"] is not None and curve["mark"]["y"] is not None:
        words += "; {title}: {y:.3g} at {x:.3g}".format(**curve["mark"])
    return _svg(bottom + 48, words, parts)


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """A function from numbers to positions in the drawing."""
    return lambda value: round(start + (end - start) * (value - low) / (high - low or 1), 1)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def _svg(height: float, words: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" style="max-width:{_WIDTH}px" role="img" '
        f'aria-label="{escaped(words)}" font-family="system-ui,sans-serif" font-size="13" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )
