"""Pieces of HTML that several tabs use; the smaller ones are those of qassay's reports. Everything from users is escaped."""

import pkgutil

from qassay.reports import chart_parts, token_difference
from qassay.reports.chart_parts import escaped
from qassay.reports.html_parts import parts_style


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


def does_not_apply(why: str) -> str:
    """A tab that has nothing to show, and why, as plain text."""
    return wrapped(f'<p class="empty">{escaped(why)}</p>')


def style() -> str:
    """The style of the page: that of the pieces of reports inside `.qassay`, of charts, and the page's own."""
    own = pkgutil.get_data(__name__, "style.css").decode("utf-8")
    return f"{own}.qassay{{{parts_style()}}}{chart_parts.CSS_BY_CLASS}{token_difference.CSS_BY_CLASS}"
