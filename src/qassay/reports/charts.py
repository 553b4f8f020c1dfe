"""Charts as inline SVG: intervals of values or differences, changes per example, kinds of errors, histograms.

A chart is a string for a page that also holds `CSS` (or `CSS_BY_CLASS`) of chart_parts.py. Its drawing is 360 units
wide and fills the available width. Its aria-label describes it in words, marks have tooltips and may be links, and no
two marks differ by colour alone.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .chart_parts import (
    LINE_HEIGHT,
    WIDTH,
    draw_label,
    draw_legend,
    draw_shape,
    draw_svg,
    draw_x_ticks,
    escaped,
    fit_axis,
    is_finite,
    link_mark,
    on_one_line,
    text_width,
    true_minus,
)
from .palette import system_class

_LABEL_ROOM = 150
_ABSENT = "–"


class Mark(NamedTuple):
    """A value in a chart.

    Attributes:
        low, high: the ends of its interval, or None.
        tone: "better", "worse" or "same" instead of the colour of its system.
        certain: False draws it hollow.
        note: further text for its tooltip and the text alternative.
        href: its address; "" without a link.
        few: its interval is dashed, because it rests on few examples.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    tone: str | None = None
    certain: bool = True
    note: str = ""
    href: str = ""
    few: bool = False


class Row(NamedTuple):
    """A row of a chart: its label, a mark or None per series, and the number of examples behind each; if few, all intervals are dashed."""

    label: str
    marks: Sequence[Mark | None]
    n: Sequence[int] | None = None
    few: bool = False

    def size(self, place: int | None = None) -> str:
        """The number of examples in words, of one series or of the row; "" without one."""
        if self.n is None:
            return ""
        own = zip(self.n, self.marks, strict=True)
        drawn = [n for n, mark in own if mark is not None and is_finite(mark.value)] or self.n
        counts = sorted({min(drawn), max(drawn)}) if place is None else [self.n[place]]
        return f"n = {' to '.join(f'{n:,}' for n in counts)}{', few' if self.few else ''}"


def interval_chart(
    rows: Sequence[Row],
    series: Sequence[str],
    *,
    title: str,
    zero: bool = False,
    write: Callable[[float], str] = "{:.3f}".format,
) -> str:
    """A forest plot as SVG: values with their intervals, one per row.

    Args:
        rows: from top to bottom; each with a mark or None per series.
        series: their names; a legend is drawn for more than one.
        title: the subject; begins the text alternative.
        zero: draws a line at zero, for differences.
        write: number -> text.

    Raises:
        ValueError: no row, or a row with more or fewer marks than series.
    """
    if not rows:
        raise ValueError("a chart needs at least one row")
    for row in rows:
        if len(row.marks) != len(series):
            raise ValueError(
                f"row {row.label!r} has {len(row.marks)} marks for {len(series)} series; give one for each"
            )
    legend, top = draw_legend([(name, system_class(place), place) for place, name in enumerate(series)], len(series))
    written = [[_written(mark, write) for mark in row.marks] for row in rows]
    sizes = [row.size() for row in rows]
    left = min(_LABEL_ROOM, max(text_width(text) for text in [*(on_one_line(row.label) for row in rows), *sizes])) + 12
    right = WIDTH - max(text_width(text) for texts in written for text in texts) - 10
    scale, ticks = fit_axis(_numbers(rows, zero), left + 6, right - 6, signed=zero)
    body, y = [], top
    for row, texts, size in zip(rows, written, sizes, strict=True):
        height = max(LINE_HEIGHT * len(series), LINE_HEIGHT * (2 if size else 1)) + 10
        middle = y + height / 2
        body.append(f'<line class="grid" x1="0" y1="{y:g}" x2="{WIDTH}" y2="{y:g}"/>')
        body.append(draw_label(row.label, 0, middle + (-4 if size else 5), left - 12))
        if size:
            body.append(f'<text class="faint" x="0" y="{middle + 13:g}">{size}</text>')
        for place, (mark, text) in enumerate(zip(row.marks, texts, strict=True)):
            at = middle + (place - (len(series) - 1) / 2) * LINE_HEIGHT
            body.append(f'<text x="{WIDTH}" y="{at + 5:g}" text-anchor="end">{escaped(text)}</text>')
            if mark is not None and is_finite(mark.value):
                name = f"{row.label}, {series[place]}" if len(series) > 1 else row.label
                tip = f"{name}: {_spoken(mark, write)}{size and f', {row.size(place)}'}"
                drawn = _interval_mark(mark, place, at, scale, tip, row.few or mark.few)
                body.append(link_mark(drawn, tip, mark.href))
        y += height
    grid = [f'<line class="grid" x1="{scale(t):.1f}" y1="{top:g}" x2="{scale(t):.1f}" y2="{y:g}"/>' for t in ticks]
    if zero:
        grid.append(f'<line class="zero" x1="{scale(0):.1f}" y1="{top:g}" x2="{scale(0):.1f}" y2="{y:g}"/>')
    grid.append(f'<line class="grid" x1="0" y1="{y:g}" x2="{WIDTH}" y2="{y:g}"/>')
    words = [_row_in_words(row, series, write) for row in rows]
    return draw_svg(y + 22, f"{title}. {' '.join(words)}", [*legend, *grid, *body, *draw_x_ticks(ticks, scale, y + 16)])


def histogram(
    values: Mapping[str, Sequence[float] | np.ndarray],
    *,
    title: str,
    bins: int = 10,
    limits: tuple[float, float] | None = None,
) -> str:
    """A histogram with bins of equal width as SVG: a bar per bin and series, lowest bin on top.

    Args:
        values: series -> numbers; values that are not finite are omitted.
        limits: of the bins, such as (0, 1); None: of the values. The last bin includes its upper end.

    Raises:
        ValueError: no finite number, fewer than one bin, or values outside the limits.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    columns = {name: np.asarray(column, float) for name, column in values.items()}
    finite = {name: column[np.isfinite(column)] for name, column in columns.items()}
    pooled = np.concatenate([*finite.values(), np.empty(0)])
    if not len(pooled):
        raise ValueError("no finite number to draw; omit the chart")
    if limits and (pooled.min() < limits[0] or pooled.max() > limits[1]):
        raise ValueError(f"values from {pooled.min():g} to {pooled.max():g} do not fit the limits {limits}; widen them")
    edges = np.histogram_bin_edges(pooled, bins, limits)
    counts = {name: np.histogram(column, edges)[0] for name, column in finite.items()}
    labels = [true_minus(f"{low:g}–{high:g}") for low, high in itertools.pairwise(edges)]
    return count_bars(labels, counts, title=title)


def count_bars(labels: Sequence[str], counts: Mapping[str, Sequence[int] | np.ndarray], *, title: str) -> str:
    """How often each label occurs as SVG: a bar per label and series, first label on top.

    Args:
        labels: what was counted.
        counts: series -> one count per label.

    Raises:
        ValueError: no label, no series, or more or fewer counts than labels.
    """
    if not labels or not counts:
        raise ValueError("nothing was counted; omit the chart")
    for name, column in counts.items():
        if len(column) != len(labels):
            raise ValueError(f"series {name!r} has {len(column)} counts for {len(labels)} labels; give one for each")
    classes = [system_class(place) for place in range(len(counts))]
    legend, y = draw_legend([(name, color, None) for name, color in zip(counts, classes, strict=True)], len(counts))
    left = min(_LABEL_ROOM, max(map(text_width, labels))) + 10
    most = max(1, max(int(max(column)) for column in counts.values()))
    room = WIDTH - left - text_width(f"{most:,}") - 8
    body, words = [], []
    for place, label in enumerate(labels):
        height = 16 * len(counts) + 8
        body.append(draw_label(label, 0, y + height / 2 + 4.5, left - 10))
        for number, (name, column) in enumerate(counts.items()):
            count, at = int(column[place]), y + 4 + 16 * number
            width = room * count / most
            tip = f"{name}, {label}: {count:,}"
            bar = (
                f'<g class="{classes[number]}"><rect class="bar" x="{left:g}" y="{at + 1:g}" '
                f'width="{max(width, 0.5 if count else 0):.2f}" height="14"><title>{escaped(tip)}</title></rect></g>'
            )
            body.append(bar)
            body.append(f'<text class="faint" x="{left + width + 6:.2f}" y="{at + 13:g}">{count:,}</text>')
        words.append(f"{label}: {', '.join(f'{int(column[place]):,}' for column in counts.values())}")
        y += height
    names = f" Counts of {', '.join(counts)}." if len(counts) > 1 else ""
    return draw_svg(y, f"{title}.{names} {'; '.join(words)}.", [*legend, *body])


def _interval_mark(mark: Mark, place: int, y: float, scale: Callable[[float], float], tip: str, few: bool) -> str:
    whisker = ""
    if is_finite(mark.low) and is_finite(mark.high):
        low, high = scale(mark.low), scale(mark.high)
        whisker = (
            f'<path class="whisker" d="M{low:.1f} {y:g}H{high:.1f}"/>'
            f'<path class="whisker" d="M{low:.1f} {y - 4:g}v8M{high:.1f} {y - 4:g}v8"/>'
        )
    dot = draw_shape(place, scale(mark.value), y, "mark" if mark.certain else "mark open")  # type: ignore[arg-type]
    color = f"{mark.tone or system_class(place)}{' few' if few else ''}"
    # The rectangle makes the tooltip easy to hit.
    ends = [scale(end) for end in (mark.value, mark.low, mark.high) if is_finite(end)]
    area = (
        f'<rect fill="none" pointer-events="all" x="{min(ends) - 6:.1f}" y="{y - 8:g}" '
        f'width="{max(ends) - min(ends) + 12:.1f}" height="16"/>'
    )
    return f'<g class="{color}"><title>{escaped(tip)}</title>{whisker}{dot}{area}</g>'


def _row_in_words(row: Row, series: Sequence[str], write: Callable[[float], str]) -> str:
    size = row.size() and f" ({row.size()})"
    told = [
        f"{f'{name} ' if len(series) > 1 else ''}{_spoken(mark, write)}"
        for name, mark in zip(series, row.marks, strict=True)
    ]
    return f"{row.label}{size}: {', '.join(told)}."


def _spoken(mark: Mark | None, write: Callable[[float], str]) -> str:
    if mark is None or not is_finite(mark.value):
        return "no value"
    interval = ""
    if is_finite(mark.low) and is_finite(mark.high):
        interval = f" ({true_minus(write(mark.low))} to {true_minus(write(mark.high))})"
    return true_minus(write(mark.value)) + interval + (f", {mark.note}" if mark.note else "")


def _written(mark: Mark | None, write: Callable[[float], str]) -> str:
    return _ABSENT if mark is None or not is_finite(mark.value) else true_minus(write(mark.value))


def _signed(value: float, write: Callable[[float], str]) -> str:
    text = true_minus(write(value))
    return text if text.startswith(("+", "−")) or value <= 0 else f"+{text}"


def _numbers(rows: Sequence[Row], zero: bool) -> list[float]:
    marks = [mark for row in rows for mark in row.marks if mark is not None and is_finite(mark.value)]
    return [end for m in marks for end in (m.value, m.low, m.high) if is_finite(end)] + ([0.0] if zero else [])


def _share(count: int, total: int) -> str:
    """A share in per cent; 0 % means none, and 100 % means all."""
    share = 100 * count / total
    if 0 < share < 1:
        return "<1 %"
    return f"{min(round(share), 99) if count < total else 100} %"
