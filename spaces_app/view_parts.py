"""Pieces of HTML that several tabs use; the smaller ones are those of qassay's reports. Everything from users is escaped."""

import pkgutil
from collections.abc import Sequence

from qassay.core.examples import ExampleText, gold_rows
from qassay.core.shown import visible
from qassay.reports import chart_parts, token_difference
from qassay.reports.chart_parts import SERIES_COLORS, escaped
from qassay.reports.html_parts import parts_style
from qassay.spaces_app.analysis import Analysis

_TEXT_DETAILS = ("text", "query", "sentence")  # what an example without a question may be known by
_CELL = 160  # characters


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
    """Parts of a tab beside each other, where there is room; those that are "" are left out."""
    filled = [part for part in parts if part]
    return "".join(filled) if len(filled) < 2 else f'<div class="columns">{"".join(filled)}</div>'


def system_class(place: int) -> str:
    """The class of the colour of a system, by its place."""
    return f"system-{place % SERIES_COLORS + 1}"


def does_not_apply(why: str) -> str:
    """A tab that has nothing to show, and why, as plain text."""
    return wrapped(f'<p class="empty">{escaped(why)}</p>')


def style() -> str:
    """The style of the page: that of the pieces of reports inside `.qassay`, of charts, and the page's own."""
    own = pkgutil.get_data(__name__, "style.css").decode("utf-8")
    return f"{own}.qassay{{{parts_style()}}}{chart_parts.CSS_BY_CLASS}{token_difference.CSS_BY_CLASS}"


# --- texts of examples --------------------------------------------------------------------------------------------------


def asked_texts(analysis: Analysis, system: str, rows: Sequence[int]) -> list[str | None]:
    """The question of some examples, or the text that is to be labelled; None where the file has neither."""
    details = analysis.gold.details
    name = next((name for name in ("question", *_TEXT_DETAILS) if name in details), None)
    if name is None:
        return [None] * len(rows)
    places = gold_rows(analysis.gold, analysis.scores(system))
    return [None if details[name][places[row]] is None else str(details[name][places[row]]) for row in rows]


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
