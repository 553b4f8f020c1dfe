"""Pieces of HTML that several tabs use; the smaller ones come from qassay's reports. Everything from users is escaped."""

import pkgutil
import re
from collections.abc import Sequence

from ..core.examples import ExampleText, asked_texts, gold_rows
from ..core.shown import visible
from ..reports import chart_parts, token_difference
from ..reports.chart_parts import escaped
from ..reports.html_parts import parts_style
from .analysis import Analysis

_CELL = 160  # characters
_PART_OF_NAME = 60  # bytes


def wrapped(*parts: str) -> str:
    """HTML of a tab as the style sheet expects it; "" for nothing."""
    body = "".join(parts)
    return f'<div class="qassay">{body}</div>' if body else ""


def section(title: str, body: str, reading: str = "") -> str:
    """A part of a tab as HTML under a heading in plain text, with a line on how to read it; "" without a body."""
    if not body:
        return ""
    return f"<section><h2>{escaped(title)}</h2>{f'<p class=faint>{reading}</p>' if reading else ''}{body}</section>"


def columns(*parts: str) -> str:
    """Parts of a tab beside each other, where there is room; empty ones are omitted."""
    filled = [part for part in parts if part]
    return "".join(filled) if len(filled) < 2 else f'<div class="columns">{"".join(filled)}</div>'


def does_not_apply(why: str) -> str:
    """A tab that has nothing to show, and why, as plain text."""
    return wrapped(f'<p class="empty">{escaped(why)}</p>')


def style() -> str:
    """The style of the page: the style of the pieces of reports inside `.qassay`, of charts, and the page's own."""
    own = pkgutil.get_data(__name__, "style.css").decode("utf-8")
    return f"{own}.qassay{{{parts_style()}}}{chart_parts.CSS_BY_CLASS}{token_difference.CSS_BY_CLASS}"


def report_name(systems: Sequence[str], ending: str) -> str:
    """The name of a report to keep, in characters that every system takes.

    Example:
        >>> report_name(["small model", "large/model"], ".html")
        'qassay-report-small_model-vs-large_model.html'
        >>> report_name(list("ABCD"), ".md")
        'qassay-report-A-and-3-more.md'
    """
    shown = [_as_part_of_name(name) for name in systems]
    told = "-vs-".join(shown) if len(shown) < 3 else f"{shown[0]}-and-{len(shown) - 1}-more"
    return "-".join(filter(None, ["qassay-report", told])) + ending


def _as_part_of_name(name: str) -> str:
    part = re.sub(r"[^\w.-]+", "_", name).strip("_.-")
    return part.encode("utf-8", "ignore")[:_PART_OF_NAME].decode("utf-8", "ignore")


# --- texts of examples --------------------------------------------------------------------------------------------------


def asked_of(analysis: Analysis, system: str, rows: Sequence[int]) -> list[str | None]:
    """The question of some examples of a system, or the text to label; None if the gold file has neither."""
    places = gold_rows(analysis.gold, analysis.scores(system))
    return asked_texts(analysis.gold.details, [places[row] for row in rows])


def shown_sides(analysis: Analysis, text: ExampleText) -> list[str]:
    """What the system gave and the gold answers, in one short line each."""
    nothing = "(no answer)" if "texts" in analysis.telling.answers_are else "(nothing)"
    return [cut(" / ".join(filter(str.strip, side))) or nothing for side in (text.answers, text.gold)]


def cut(text: str, most: int = _CELL) -> str:
    """One line of at most so many characters that every page can hold.

    Example:
        >>> cut("a\\n b", 3), cut("Paris", 3)
        ('a b', 'Pa…')
    """
    line = visible(" ".join(text[: 8 * most].split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def charts_grid(figures: Sequence[str]) -> str:
    """Figures beside each other, where there is room; "" for none."""
    drawn = "".join(figures)
    return f'<div class="grid">{drawn}</div>' if drawn else ""
