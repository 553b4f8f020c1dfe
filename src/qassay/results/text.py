"""A result document in every format: a table for the terminal, Markdown, LaTeX, CSV, JSON, a page, or a summary."""

import os
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from ..core.text_tables import TableReport
from .page import page
from .plain_data import json_text
from .summary import summary
from .tables import board_tables, comparison_tables, csv_table, value_tables
from .words import board_lines, comparison_notes, interval_text, remark_lines, value_notes
from .writers import csv_text, report_text

FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}
_WIDTH = 80  # characters of a line of text in the terminal
_WHOLE: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "html": page,
    "json": json_text,
    "csv": lambda document: csv_text(*csv_table(document)),
    "summary": summary,
}


def form_of_file(path: "str | os.PathLike[str]", what: str = "report") -> str:
    """The format of a report by the ending of its file: "html", "markdown", "latex", "csv" or "json".

    Args:
        what: the option that names the file, for the message.

    Raises:
        ValueError: another ending.

    Example:
        >>> form_of_file("report.html"), form_of_file("table.TEX")
        ('html', 'latex')
    """
    name = os.fspath(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ValueError(f"{what} {name}: the name must end with one of: {', '.join(FORMS)}")
    return FORMS[ending]


def render(document: Mapping[str, Any], form: str, *, width: int | None = None) -> str:
    """A result document as text, ending with a line break.

    Rates have four decimals (two in per cent); CSV and JSON have all digits.

    Args:
        form: "table", "markdown", "latex", "csv", "json", "html": the viewer with this document, "summary": a few
            sentences, or "notebook": tables as a piece of HTML.
        width: of a terminal, in characters; numbers that do not fit go to further tables; None: no limit.
    """
    if form in _WHOLE:
        return _WHOLE[form](document)
    signatures = [part["signature"] for part in document["parts"]]
    head = [text for text in (document["title"], document["description"]) if text]
    is_table = form == "table"
    if document["kind"] == "leaderboard":
        tables, lines = [*board_tables(document)], board_lines(document)
        if is_table:
            lines = [part for line in lines for part in textwrap.wrap(line, width or _WIDTH)]
        else:
            lines += [f"{system['title']}: {system['link']}" for system in document["systems"] if system["link"]]
            signatures[:0] = [document["command"]] if document["command"] else []
    elif document["kind"] == "compare":
        tables = [*value_tables(document, sliced=False), *comparison_tables(document)]
        lines = [*remark_lines(document), *value_notes(document), *comparison_notes(document)]
    else:
        intervals = interval_text(document)
        lines = [f"In brackets: {intervals}."] if intervals else []
        lines = textwrap.wrap(intervals, width or _WIDTH) if is_table else lines
        tables, lines = [*value_tables(document)], [*lines, *remark_lines(document), *value_notes(document)]
    report = TableReport(tables, lines, signatures, head=head)
    return report_text(report, form, width)
