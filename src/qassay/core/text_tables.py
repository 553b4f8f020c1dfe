"""Tables of text that show results; `qassay.results` writes them for terminals, documents and pages."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

ABSENT = "–"


class TextCell(NamedTuple):
    """A cell.

    Attributes:
        text: the text of the cell, or its value.
        interval: the ends of the interval of a value.
        mark: letters behind the value.
    """

    text: str
    interval: tuple[str, ...] = ()
    mark: str = ""

    def __str__(self) -> str:
        ends = f"({'–'.join(self.interval)})" if self.interval else ""
        return " ".join(filter(None, [self.text, self.mark, ends]))


class TextTable(NamedTuple):
    """A table of text.

    Attributes:
        title: its title, or "".
        columns: from left to right, the head and how cells are aligned: "left", "right", "text" (left, and cut at the end), or
            "value": numbers with their intervals in a separate column if possible.
        rows: lists of cells, one per column; an empty list begins a new group of rows.
        level: the name of the intervals, such as "95 % interval"; "" without intervals.
    """

    title: str
    columns: list[tuple[str, str]]
    rows: list[list[TextCell]]
    level: str = ""


def text_table(
    columns: Iterable[tuple[str, str]], rows: Iterable[Iterable[str | TextCell]], title: str = "", level: str = ""
) -> TextTable:
    """A table of plain texts and cells; arguments as in `TextTable`."""
    cells = [[TextCell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    return TextTable(title, list(columns), cells, level)


def columns_of(aligned: str, heads: Iterable[str]) -> list[tuple[str, str]]:
    """Columns that are aligned alike."""
    return [(head, aligned) for head in heads]


class TableReport(NamedTuple):
    """What a command prints: `qassay.results.writers.report_text` writes it in every format.

    Attributes:
        tables: for people.
        lines: sentences below the tables; signatures: the last lines.
        rows: the same numbers with all digits, column -> value, a dict for each row.
        data: everything as plain data.
        head: the title and the description, for documents.
    """

    tables: Sequence[TextTable]
    lines: Sequence[str]
    signatures: Sequence[str]
    rows: Sequence[Mapping[str, Any]] = ()
    data: Mapping[str, Any] = {}
    head: Sequence[str] = ()


def number_text(value: float | None, is_rate: bool, scale: int) -> str:
    """A number with the digits of a report of that scale; a dash for NaN and None."""
    if value is None or math.isnan(value):
        return ABSENT
    if isinstance(value, int):
        return str(value)
    return f"{value:.2f}" if is_rate and scale == 100 else f"{value:.4f}"


def figure_text(value: float | None, scale: int = 1) -> str:
    """A number of agreement with three decimals (one in per cent); a dash for None."""
    if value is None:
        return ABSENT
    return f"{100 * value:.1f}" if scale == 100 else f"{value:.3f}"
