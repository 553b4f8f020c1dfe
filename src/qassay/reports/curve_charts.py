"""Curves as inline SVG: lines over a number, and reliability diagrams.

As the charts of `charts.py`, they are 360 units wide, need the same CSS, have a description as aria-label, and
distinguish series by dashes, shapes and colour.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .chart_parts import (
    MOST_POINTS,
    WIDTH,
    downsample,
    draw_legend,
    draw_shape,
    draw_svg,
    draw_x_ticks,
    draw_y_axis,
    escaped,
    fit_axis,
    link_mark,
    round_ticks,
    text_width,
    tick_labels,
    true_minus,
)
from .palette import system_class

_HEIGHT = 190  # of the plot
_DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 2")  # 5 against 6 colours: the first 30 series all differ
_SPOKEN = 11  # points of a line in its text alternative
_HOVERED = 40  # points of a line that have a tooltip
_DRAWN = 12  # linked points of a line, up to which they are drawn
_SAMPLE = 26  # width of a line in the legend


class ChartLine(NamedTuple):
    """One line of a chart.

    Attributes:
        x, y: (n,) numbers; points that are not finite are omitted.
        mark: (x, y) of a marked point, or None.
        note: the meaning of the mark, such as "best".
        href: address of the line and its mark; "" without a link.
        at: place of a point in x and y -> its address, "" without a link; None: points have no links. Up to 12 linked points are
            drawn.
        mark_href: address of the mark, where it is not the address of the line.
    """

    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    mark: tuple[float, float] | None = None
    note: str = ""
    href: str = ""
    at: Callable[[int], str] | None = None
    mark_href: str = ""


def line_chart(
    lines: Mapping[str, ChartLine],
    *,
    title: str,
    x_label: str,
    y_label: str,
    x_limits: tuple[float, float] | None = None,
    y_limits: tuple[float, float] | None = None,
    steps: bool = False,
    write_x: Callable[[float], str] = "{:.2f}".format,
    write_y: Callable[[float], str] = "{:.3f}".format,
    systems: Sequence[str] = (),
) -> str:
    """Lines over a number, as SVG.

    At most 600 points of a line are drawn, with its ends, its highest and its lowest point.

    Args:
        lines: name -> line; a legend is drawn for more than one.
        title: what it shows; begins the text alternative.
        x_limits, y_limits: of the axes; None: of the points.
        steps: a value holds until the next point.
        systems: all systems in order, if the lines are of some only: each system keeps its colour.

    Raises:
        ValueError: no finite point, more or fewer x than y, or points outside the limits.
    """
    finite = {name: _finite_points(name, line) for name, line in lines.items()}
    points = {name: (x, y) for name, (x, y, _) in finite.items()}
    marks = [line.mark for line in lines.values() if line.mark is not None]
    xs = np.concatenate([*(x for x, _ in points.values()), [x for x, _ in marks]])
    ys = np.concatenate([*(y for _, y in points.values()), [y for _, y in marks]])
    places = _places(lines, systems)
    legend, top = draw_legend(
        [(name, system_class(place), _sample(place)) for place, name in zip(places, lines, strict=True)],
        len(lines),
        mark_width=_SAMPLE,
    )
    plot = _Plot.of(xs, ys, x_limits, y_limits, top)
    body, words = plot.frame(x_label, y_label), [f"{title}. {y_label} by {x_label}."]
    drawn_marks = []
    for place, (name, line) in zip(places, lines.items(), strict=True):
        x, y = points[name]
        if not len(x):
            words.append(f"{name}: no value.")
            continue
        kept = _kept(y)
        curve = (
            f'<g class="{system_class(place)}"><path class="curve"{_dashes(place)} '
            f'd="{plot.path(x[kept], y[kept], steps)}"><title>{escaped(name)}</title></path></g>'
        )
        body.append(link_mark(curve, name, line.href))

        def write_point(x: float, y: float) -> str:
            return true_minus(f"{write_y(y)} at {write_x(x)}")

        to = [line.at(place) if line.at else "" for place in finite[name][2][downsample(len(x), _HOVERED)].tolist()]
        is_drawn = any(to) and len(x) <= _DRAWN
        for spot, href in zip(downsample(len(x), _HOVERED), to, strict=True):
            tip = f"{name}: {write_point(x[spot], y[spot])}"
            where = plot.x(x[spot]), plot.y(y[spot])
            if is_drawn:
                mark = f'<g class="{system_class(place)}"><title>{escaped(tip)}</title>{draw_shape(place, *where, "mark")}</g>'
            else:
                mark = (
                    f'<circle fill="none" pointer-events="all" cx="{where[0]:.1f}" cy="{where[1]:.1f}" r="5">'
                    f"<title>{escaped(tip)}</title></circle>"
                )
            body.append(link_mark(mark, tip, href, reached=is_drawn))
        told = ", ".join(write_point(x[spot], y[spot]) for spot in downsample(len(x), _SPOKEN))
        if line.mark is not None:
            tip = f"{line.note}{' ' if line.note else ''}{write_point(*line.mark)}"
            shape = draw_shape(place, plot.x(line.mark[0]), plot.y(line.mark[1]), "mark")
            drawn = f'<g class="{system_class(place)}"><title>{escaped(f"{name}: {tip}")}</title>{shape}</g>'
            drawn_marks.append(link_mark(drawn, f"{name}: {tip}", line.mark_href or line.href))
            told += f"; {tip}"
        words.append(f"{name}: {told}.")
    return draw_svg(plot.height, " ".join(words), [*legend, *body, *drawn_marks])


class _Plot(NamedTuple):
    """The plot: ticks, and the places of numbers."""

    x: Callable[[float], float]
    y: Callable[[float], float]
    x_ticks: list[float]
    y_ticks: list[float]
    left: float
    top: float

    @classmethod
    def of(
        cls,
        xs: np.ndarray,
        ys: np.ndarray,
        x_limits: tuple[float, float] | None,
        y_limits: tuple[float, float] | None,
        top: float,
    ) -> "_Plot":
        if not len(xs):
            raise ValueError("no finite point to draw; omit the chart")
        for axis, values, limits in (("x", xs, x_limits), ("y", ys, y_limits)):
            if limits and (values.min() < limits[0] or values.max() > limits[1]):
                raise ValueError(
                    f"{axis} from {values.min():g} to {values.max():g} does not fit the limits {limits}; widen them"
                )
        low, high = (float(ys.min()), float(ys.max())) if y_limits is None else y_limits
        ticks = round_ticks(low, high, 5)
        if y_limits is None:
            low, high = min(low, ticks[0]), max(high, ticks[-1])
        ticks = [tick for tick in ticks if low - 1e-9 * (high - low) <= tick <= high + 1e-9 * (high - low)]
        top += 24  # the label of the y axis
        left = max(map(text_width, tick_labels(ticks)), default=0) + 8

        def y(value: float) -> float:
            return top + _HEIGHT * (high - value) / (high - low)

        x_axis, x_ticks = fit_axis([*(x_limits or (float(xs.min()), float(xs.max())))], left + 6, WIDTH - 16)
        return cls(x_axis, y, x_ticks, ticks, left, top)

    @property
    def height(self) -> float:
        """The height of the drawing."""
        return self.top + _HEIGHT + 50

    def frame(self, x_label: str, y_label: str) -> list[str]:
        """Grid, ticks and labels."""
        bottom = self.top + _HEIGHT
        parts = [f'<text class="faint" x="0" y="{self.top - 10:g}">{escaped(y_label)}</text>']
        parts += draw_y_axis(self.y_ticks, self.y, self.left)
        for at in map(self.x, self.x_ticks):
            parts.append(f'<line class="grid" x1="{at:.1f}" y1="{self.top:g}" x2="{at:.1f}" y2="{bottom:g}"/>')
        parts += draw_x_ticks(self.x_ticks, self.x, bottom + 18)
        middle = (self.left + WIDTH) / 2
        parts.append(
            f'<text class="faint" x="{middle:.1f}" y="{bottom + 40:g}" text-anchor="middle">{escaped(x_label)}</text>'
        )
        return parts

    def diagonal(self) -> str:
        """A line from the lower left to the upper right corner of the ticks."""
        (x0, x1), (y0, y1) = (
            (axis(ticks[0]), axis(ticks[-1])) for axis, ticks in ((self.x, self.x_ticks), (self.y, self.y_ticks))
        )
        return f'<line class="zero" stroke-dasharray="2 4" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>'

    def path(self, x: np.ndarray, y: np.ndarray, steps: bool = False) -> str:
        """The line through points; steps go first along, then up or down."""
        if not len(x):
            return ""
        spots = [f"{self.x(a):.1f} {self.y(b):.1f}" for a, b in zip(x, y, strict=True)]
        if not steps:
            return "M" + "L".join(spots)
        pairs = [spot.split() for spot in spots]
        return f"M{spots[0]}" + "".join(f"H{a}V{b}" for a, b in pairs[1:])


def _finite_points(name: str, line: ChartLine) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The finite points of a line, x and y, and their places."""
    x, y = np.asarray(line.x, float), np.asarray(line.y, float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"line {name!r} has {x.size} x for {y.size} y; give one of each for every point")
    finite = np.isfinite(x) & np.isfinite(y)
    return x[finite], y[finite], np.flatnonzero(finite)


def _kept(values: np.ndarray) -> np.ndarray:
    """The places of the points that are drawn."""
    if len(values) <= MOST_POINTS:
        return np.arange(len(values))
    return np.unique([*downsample(len(values), MOST_POINTS - 2), values.argmax(), values.argmin()])


def _places(lines: Iterable[str], systems: Sequence[str]) -> list[int]:
    """The place of the colour of each line."""
    return [systems.index(name) if name in systems else place for place, name in enumerate(lines)]


def _dashes(place: int) -> str:
    pattern = _DASHES[place % len(_DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def _sample(place: int) -> str:
    return f'<path class="curve"{_dashes(place)} d="M0 0H{_SAMPLE}"/>'
