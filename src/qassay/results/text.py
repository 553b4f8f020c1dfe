"""A result document as text: for the terminal, as Markdown, LaTeX, CSV, or a summary."""

import textwrap
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

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
        return _board(document, form, width, color, official)
    if document["kind"] == "compare":
        return _comparison(document, form, width, color, 0 if form == "latex" else n_texts)
    return _values(document, form, width, color)


def _signatures(document: Mapping[str, Any]) -> list[str]:
    return [part["signature"] for part in document["parts"]]


def _values(document: Mapping[str, Any], form: str, width: int | None, color: bool) -> str:
    tables = list(value_tables(document, form))
    few = any(field.few for table in tables for row in table.rows for field in row)
    notes = [*remark_lines(document), *value_notes(document, few)]
    signatures, intervals = _signatures(document), interval_text(document)
    if form == "table":
        caption = textwrap.wrap(intervals, width or _WIDTH)
        return terminal_text(tables, [], [*caption, *notes, *signatures], width, color)
    brackets = [f"In brackets: {intervals}"] if intervals else []
    if form == "notebook":
        return tables_html(tables, [*brackets, *notes, *signatures])
    if form == "latex":
        return latex_text(tables, [*brackets, *notes, *signatures])
    lines = [line for table in tables for line in markdown_table(table)]
    return markdown_text(lines, [*(f"{line}." for line in brackets), *notes], signatures)


def _comparison(document: Mapping[str, Any], form: str, width: int | None, color: bool, n_texts: int) -> str:
    signatures = _signatures(document)
    tables = list(comparison_tables(document))
    before, after = _divided(document)
    few = any(row["few"] for row in difference_rows(document) if row["slice"] is not None)
    notes = [*before, *order_notes(document, n_texts), *after, *value_notes(document, few)]
    notes += comparison_notes(document)
    if form == "table":
        lines = list(text_lines(document, n_texts, width or _TEXT_WIDTH))
        values = value_tables(document, sliced=False)
        return terminal_text([*values, *tables], lines, [*notes, *signatures], width, color)
    values_table, marks = best_values_table(document), marks_note(document)
    tables += run_tables(document)
    if form == "notebook":
        return tables_html([values_table, *tables], [marks, *notes, *signatures])
    if form == "latex":
        return latex_text([values_table, *tables], [marks, *notes, *signatures])
    lines = [line for table in (values_table._replace(title=""), *tables) for line in markdown_table(table)]
    return markdown_text([*lines, *markdown_lines(document, n_texts)], [marks, *notes], signatures)


def _divided(document: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The remarks on the comparison, and those on the values of systems."""
    lines = remark_lines(document)
    of_values = {line["text"] for line in document["remarks"] if line["kind"] == "check"}
    first = next((place for place, line in enumerate(lines) if line in of_values), len(lines))
    return lines[:first], lines[first:]


def _board(document: Mapping[str, Any], form: str, width: int | None, color: bool, official: str) -> str:
    tables, lines = list(board_tables(document, form, official)), board_lines(document)
    (signature,) = _signatures(document)
    if form == "table":
        wrapped = [part for line in lines for part in textwrap.wrap(line, width or _WIDTH)]
        return terminal_text(tables, [], [*wrapped, signature], width, color)
    if form == "notebook":
        return tables_html(tables, [*lines, signature])
    command = [document["command"]] if document["command"] else []
    links = [(system["title"], system["link"]) for system in document["systems"] if system["link"]]
    if form == "latex":
        head = [latex_comment(text) for text in (document["title"], document["description"]) if text]
        notes = [*lines, *(f"{name}: {link}" for name, link in links), *command, signature]
        return "\n".join([*head, latex_text(tables, notes)])
    head = [f"# {escape_markdown(document['title'])}", ""] if document["title"] else []
    head += [escape_markdown(document["description"]), ""] if document["description"] else []
    body = [line for table in tables for line in markdown_table(table)]
    listed = [f"- [{escape_markdown(name)}](<{quote(link, safe=_ADDRESS)}>)" for name, link in links]
    return markdown_text([*head, *body, *listed, *([""] if listed else [])], lines, [*command, signature])
