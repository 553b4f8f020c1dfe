"""Parts of charts as inline SVG: colours, text that fits, axes, legends and shapes."""

import html
import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from ..core.shown import visible
from . import palette
from .palette import COLORS, COLORS_BY_CLASS

WIDTH = 360  # width of a drawing: text has at least 11 px on a phone; the height depends on the content
MOST_POINTS = 600  # points drawn for any number of examples
_SIZE = 13  # size of text, in units of the drawing
LINE_HEIGHT = 18  # from one line of text to the next
_NARROW, _SLIM, _BROAD = frozenset("iljI.,:;'|! "), frozenset('ftr()[]-/"`'), frozenset("mMwW@%…–—")

_RULES = (
    ".chart{display:block;width:100%;max-width:27.5rem;height:auto;color:var(--chart-text);overflow:visible}"
    f".chart text{{font-family:inherit;font-size:{_SIZE}px;fill:var(--chart-text);font-variant-numeric:tabular-nums;"
    "unicode-bidi:isolate}"
    ".chart *{color:inherit}"  # pages such as Gradio's colour every element
    ".chart .faint{fill:var(--chart-faint)}"
    ".chart .grid{stroke:var(--chart-line);stroke-width:1}"
    ".chart .zero{stroke:var(--chart-faint);stroke-width:1.5}"
    ".chart .mark{fill:currentColor;stroke:currentColor;stroke-width:2}"
    ".chart .mark.open{fill:var(--chart-ground)}"
    ".chart .whisker{fill:none;stroke:currentColor;stroke-width:2}"
    ".chart .few .whisker{stroke-dasharray:3 3}"
    ".chart .bar{fill:currentColor}"
    ".chart .curve{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}"
    ".chart .area{fill:currentColor;stroke:currentColor;stroke-width:1;stroke-linejoin:round}"
    ".chart .entry{cursor:default}"
    ".chart a.go{cursor:pointer;text-decoration:none}"
    ".chart a.go:hover .bar,.chart a.go:hover .area,.chart a.go:focus-visible .bar,.chart a.go:focus-visible .area"
    "{stroke:var(--chart-text);stroke-width:2}"
    ".chart .on.bar,.chart .on .bar,.chart .on.area{stroke:var(--chart-text);stroke-width:2}"
    ".chart .on .mark{stroke-width:4}.chart circle.on{fill:var(--chart-text)}.chart .on.whisker{stroke-width:4}"
    ".chart .dim{opacity:.18}"
    "@media (prefers-reduced-motion:no-preference){.chart g{transition:opacity .12s}}"
    ".readout{position:fixed;z-index:9999;pointer-events:none;max-width:min(20rem,calc(100vw - 1rem));padding:.35rem .6rem;"
    "border-radius:6px;background:var(--chart-text);color:var(--chart-ground);font-size:.85rem;line-height:1.35;"
    "font-variant-numeric:tabular-nums;overflow-wrap:anywhere;box-shadow:0 3px 12px rgb(0 0 0/.25)}"
    ".readout strong,.readout span{display:block;color:inherit}.readout span{opacity:.8}"
    ".readout-said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    "@media print{.readout{display:none}}"
)

CSS = COLORS + _RULES + palette.RULES
"""Colours of the charts, dark ones where the reader's system is dark."""

FONT = "system-ui,sans-serif"  # of charts and tables outside a page

CSS_BY_CLASS = COLORS_BY_CLASS + _RULES + palette.RULES
"""The same for pages that have their own class `dark`, such as Gradio's."""


def is_finite(value: float | None) -> TypeGuard[float]:
    """Whether the value is a finite number."""
    return value is not None and math.isfinite(value)


def escaped(text: object) -> str:
    """Text for HTML and XML: markup is escaped, and `visible` shows invisible and invalid characters."""
    return html.escape(visible(str(text)))


def text_width(text: str) -> float:
    """An upper bound of the width of a text in the widest of the usual fonts, in units of the drawing."""
    return _SIZE * sum(map(_character_width, text))


def fit_text(text: str, room: float) -> str:
    """The text in one line, cut with an ellipsis if it is too wide."""
    text = on_one_line(text)
    if text_width(text) <= room:
        return text
    used, kept = text_width("…"), 0
    for kept, character in enumerate(text):
        used += text_width(character)
        if used > room:
            break
    return text[:kept].rstrip("\u200d ") + "…"


def downsample(n: int, most: int = MOST_POINTS) -> np.ndarray:
    """The places of at most `most` of n sorted values, evenly spread, with the first and the last."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(int)


def _character_width(character: str) -> float:
    if character in _NARROW:
        return 0.37
    if character in _SLIM:
        return 0.45
    if character in _BROAD:
        return 1.0
    if character.isascii():
        return 0.78 if character.isupper() else 0.65
    if unicodedata.combining(character):
        return 0.0
    return 1.1 if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF else 0.85


def on_one_line(text: str) -> str:
    """The text with single spaces for all white space, without invisible characters."""
    return visible(" ".join(str(text).split()))


def draw_svg(height: float, words: str, parts: Sequence[str]) -> str:
    """A chart of that height, with its text alternative.

    A chart with links is a group; screen readers skip its other parts, which the text alternative describes.
    """
    role = "group" if any(map(_has_link, parts)) else "img"
    if role == "group":
        parts = [
            "".join(some) if linked else f'<g aria-hidden="true">{"".join(some)}</g>'
            for linked, some in itertools.groupby(parts, _has_link)
        ]
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:g}" width="100%" '
        f'role="{role}" aria-label="{escaped(on_one_line(words))}">{"".join(parts)}</svg>'
    )


def _has_link(part: str) -> bool:
    return "<a " in part


def link_mark(drawn: str, tip: str, href: str, reached: bool = True) -> str:
    """A mark of a chart as a link named by its tooltip; the plain mark without an address.

    Args:
        reached: whether the Tab key reaches it; False for the many points of a line.
    """
    if not href:
        return drawn
    by_key = "" if reached else ' tabindex="-1"'
    return f'<a class="go" href="{escaped(href)}" aria-label="{escaped(on_one_line(tip))}"{by_key}>{drawn}</a>'


def draw_label(text: str, x: float, y: float, room: float) -> str:
    """A text; if it is too wide, it is cut, and its tooltip has the full text."""
    shown = fit_text(text, room)
    tip = f"<title>{escaped(text)}</title>" if shown != text else ""
    return f'<text x="{x:g}" y="{y:g}">{escaped(shown)}{tip}</text>'


def draw_legend(
    items: Sequence[tuple[str, str, int | str | None]], least: int, y: float = 0, mark_width: float = 12
) -> tuple[list[str], float]:
    """A legend: names with their marks, in as many lines as they need, and the height where it ends.

    A single series has no legend.

    Args:
        items: name, class of its colour, and mark: the number of a shape, None for a square, or custom SVG, drawn around
            the middle of its left edge.
        least: number of series.
        mark_width: width of a mark.
    """
    if least < 2:
        return [], y + 2
    parts, x = [], 0.0
    y += 4
    for name, color, mark in items:
        width = min(text_width(on_one_line(name)), WIDTH - mark_width - 8)
        if x and x + mark_width + 8 + width > WIDTH:
            x, y = 0.0, y + LINE_HEIGHT + 2
        if mark is None:
            drawn = f'<rect class="bar" x="{x:.1f}" y="{y + 1:g}" width="12" height="12"/>'
        elif isinstance(mark, str):
            drawn = f'<g transform="translate({x:.1f} {y + 7:g})">{mark}</g>'
        else:
            drawn = draw_shape(mark, x + 6, y + 7, "mark")
        label = draw_label(name, x + mark_width + 6, y + 12, WIDTH - mark_width - 8)
        parts.append(f'<g class="entry {color}">{drawn}{label}</g>')
        x += mark_width + 6 + width + 16
    return parts, y + LINE_HEIGHT + 6


def draw_shape(place: int, x: float, y: float, kind: str) -> str:
    """Circle, square, diamond or triangle; further numbers begin again."""
    if place % 4 == 0:
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    corners: Any = [
        [(-4, -4), (4, -4), (4, 4), (-4, 4)],
        [(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)],
        [(0, -5), (5.5, 4.5), (-5.5, 4.5)],
    ][place % 4 - 1]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="{kind}" points="{points}"/>'


def draw_y_axis(ticks: Sequence[float], y: Callable[[float], float], left: float) -> list[str]:
    """A grid line for each tick, with its number on the left."""
    parts = []
    for tick, text in zip(ticks, tick_labels(ticks), strict=True):
        parts.append(f'<line class="grid" x1="{left:g}" y1="{y(tick):.1f}" x2="{WIDTH}" y2="{y(tick):.1f}"/>')
        parts.append(
            f'<text class="faint" x="{left - 8:g}" y="{y(tick) + 5:.1f}" text-anchor="end">{escaped(text)}</text>'
        )
    return parts


def draw_x_ticks(ticks: Sequence[float], x: Callable[[float], float], y: float) -> list[str]:
    """The number of each tick, at height y."""
    return [
        f'<text class="faint" x="{x(tick):.1f}" y="{y:g}" text-anchor="middle">{escaped(text)}</text>'
        for tick, text in zip(ticks, tick_labels(ticks), strict=True)
    ]


def true_minus(text: str) -> str:
    """A number with a true minus sign."""
    return re.sub(r"(?<![\w)])-(?=[\d.])", "−", text)


def fit_axis(
    numbers: Sequence[float], left: float, right: float, *, signed: bool = False
) -> tuple[Callable[[float], float], list[float]]:
    """The scale of an axis (number -> place between left and right), and as many ticks as fit.

    Args:
        signed: the numbers are differences; other axes do not begin below 0 if all numbers are 0.
    """
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    if high - low <= 1e-300:  # equal, or too close for a tick between them
        margin = (abs(low) if abs(low) > 1e-290 else 1) / 10
        low, high = low - margin if low or signed else 0.0, high + margin

    def scale(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    for most in (6, 5, 4, 3, 2):
        ticks = [tick for tick in round_ticks(low, high, most) if low <= tick <= high]
        widest = max((text_width(text) for text in tick_labels(ticks)), default=0)
        if all(scale(b) - scale(a) >= widest + 8 for a, b in itertools.pairwise(ticks)):
            break
    return scale, ticks


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """About `most` round numbers, at most, from about low to about high."""
    span = (high - low) or abs(high)
    span = span if span > 1e-300 else 1.0  # smaller numbers have no tenth
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [place * step for place in range(first, max(last, first + 1) + 1)]


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Numbers with enough digits to tell them apart."""
    if max(map(abs, ticks), default=0) >= 1e6:
        return [true_minus(f"{tick:.3g}") for tick in ticks]
    step = min((b - a for a, b in itertools.pairwise(ticks)), default=1.0)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if digits > 6:
        return [true_minus(f"{tick:.1e}") for tick in ticks]
    return [true_minus(f"{tick:.{digits}f}") if round(tick, digits) else "0" for tick in ticks]
