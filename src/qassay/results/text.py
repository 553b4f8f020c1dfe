"""A result document as text: for the terminal, as Markdown, LaTeX, CSV, or a summary."""

import textwrap
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ..core.text_tables import TextTable
from .csv_text import csv_of_document
from .html_tables import tables_html
from .rows import difference_rows
from .summary import summary
from .tables import best_values_table, board_tables, comparison_tables, run_tables, value_tables
from .texts import markdown_lines, order_notes, text_lines
from .words import (
    board_lines,
    comparison_notes,
    interval_text,
    marks_note,
    remark_lines,
    value_notes,
)
from .writers import (
    escape_markdown,
    latex_comment,
    latex_text,
    markdown_table,
    markdown_text,
    terminal_text,
)

_WIDTH = 80  # characters of a line of text in the terminal
_TEXT_WIDTH = 100  # characters of a line of a question or an answer without a given width
_ADDRESS = ":/?#@!$&'*+,;=%~"  # characters of an address besides letters, digits and -._


def render(
    document: Mapping[str, Any],
    form: str,
    *,
    width: int | None = None,
    color: bool = False,
    n_texts: int = 0,
    official: str = "",
) -> str:
    """A result document as text, ending with a line break.

    Rates have four decimals (two in per cent); CSV has all digits.

    Args:
        form: "table", "markdown", "latex", "csv", "summary": a few sentences, or "notebook": tables as a piece of HTML.
        width: of a terminal, in characters; systems that do not fit go to further tables; None: no limit.
        color: a table with ANSI colours.
        n_texts: the number of losses and of gains of a comparison shown with texts, in a table and in Markdown.
        official: the name of the format of the official numbers of a leaderboard.

    Raises:
        ValueError: two metrics have a measure of one name, with different values.
    """
    if form == "csv":
        return csv_of_document(document)
    if form == "summary":
        return summary(document)
    if document["kind"] == "leaderboard":
        tables, notes = list(board_tables(document, form, official)), board_lines(document)
    elif document["kind"] == "compare":
        tables, notes = _comparison(document, form, n_texts if form in ("table", "markdown") else 0)
    else:
        tables, notes = _values(document, form)
    signatures = [part["signature"] for part in document["parts"]]
    if form == "table":
        if document["kind"] == "leaderboard":
            notes = [line for note in notes for line in textwrap.wrap(note, width or _WIDTH)]
        elif document["kind"] == "score" and (intervals := interval_text(document)):
            notes = [*textwrap.wrap(intervals, width or _WIDTH), *notes[1:]]
        texts = list(text_lines(document, n_texts, width or _TEXT_WIDTH))
        return terminal_text(tables, texts, [*notes, *signatures], width, color)
    if form == "notebook":
        return tables_html(tables, [*notes, *signatures])
    command = [document["command"]] if document["kind"] == "leaderboard" and document["command"] else []
    links = [(system["title"], system["link"]) for system in document["systems"] if system["link"]]
    if form == "latex":
        head = [latex_comment(text) for text in (document["title"], document["description"]) if text]
        notes = [*notes, *(f"{name}: {link}" for name, link in links), *command, *signatures]
        return "\n".join([*head, latex_text(tables, notes)])
    lines = [f"# {escape_markdown(document['title'])}", ""] if document["title"] else []
    lines += [escape_markdown(document["description"]), ""] if document["description"] else []
    lines += [line for table in tables for line in markdown_table(table)]
    lines += markdown_lines(document, n_texts)
    lines += [f"- [{escape_markdown(name)}](<{quote(link, safe=_ADDRESS)}>)" for name, link in links]
    return markdown_text([*lines, *([""] if links else [])], notes, [*command, *signatures])


def _values(document: Mapping[str, Any], form: str) -> tuple[list[TextTable], list[str]]:
    """The tables of values, and the notes below them; the first is on the intervals, if there are any."""
    tables = list(value_tables(document, form))
    few = any(cell.few for table in tables for row in table.rows for cell in row)
    intervals = interval_text(document)
    first = [f"In brackets: {intervals}{'.' if form == 'markdown' else ''}"] if intervals else []
    return tables, [*first, *remark_lines(document), *value_notes(document, few)]


def _comparison(document: Mapping[str, Any], form: str, n_texts: int) -> tuple[list[TextTable], list[str]]:
    """The tables of a comparison, and the notes below them: remarks on the comparison, then those on single systems."""
    lines = remark_lines(document)
    of_values = {line["text"] for line in document["remarks"] if line["kind"] == "check"}
    n_before = next((row for row, line in enumerate(lines) if line in of_values), len(lines))
    few = any(row["few"] for row in difference_rows(document) if row["slice"] is not None)
    notes = [*lines[:n_before], *order_notes(document, n_texts), *lines[n_before:], *value_notes(document, few)]
    notes += comparison_notes(document)
    tables = list(comparison_tables(document))
    if form == "table":
        return [*value_tables(document, sliced=False), *tables], notes
    values = best_values_table(document)
    values = values._replace(title="") if form == "markdown" else values
    return [values, *tables, *run_tables(document)], [marks_note(document), *notes]
