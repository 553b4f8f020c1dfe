"""Tables of text, which results are shown in; qassay.results writes them for terminals, documents and pages."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

ABSENT = "–"


class TextCell(NamedTuple):
    """A cell.

    Attributes:
        text: the text of the cell, or its value.
        interval: the ends of the interval of a value.
        bold: whether it is the best of its row.
        mark: superscript after the text.
        color: its colour in a terminal.
        few: whether a count is too small to trust; None if that does not matter.
    """

    text: str
    interval: tuple[str, ...] = ()
    bold: bool = False
    mark: str = ""
    color: str = ""
    few: bool | None = None


class TextColumn(NamedTuple):
    """The head of a column, and the kind of its cells: "label" (of a slice), "name", "text", "count", "number" or "value".

    Counts, numbers and values are aligned right. A value has its interval in a separate column if possible.
    """

    head: str
    kind: str


class TextTable(NamedTuple):
    """A table of text.

    Attributes:
        title: its title, or "".
        columns: from left to right; names come before numbers.
        rows: lists of cells, one per column.
        groups: rows that begin a group, except the first row.
        level: the name of the intervals, such as "95 % interval"; "" without intervals.
    """

    title: str
    columns: list[TextColumn]
    rows: list[list[TextCell]]
    groups: Sequence[int] = ()
    level: str = ""


def text_table(
    columns: Iterable[tuple[str, str]],
    rows: Iterable[Iterable[str | TextCell]],
    title: str = "",
    groups: Sequence[int] = (),
    level: str = "",
) -> TextTable:
    """A table of plain texts and cells.

    Args:
        columns: the head and the kind of each column.
        title, groups, level: as in `TextTable`.
    """
    cells = [[TextCell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    return TextTable(title, [TextColumn(*column) for column in columns], cells, groups, level)


def columns_of(kind: str, heads: Iterable[str]) -> list[tuple[str, str]]:
    """Columns of one kind."""
    return [(head, kind) for head in heads]


class TableReport(NamedTuple):
    """What a command prints that is no result document.

    Attributes:
        title: of a page.
        tables: for people.
        lines: sentences below the tables; signatures: the last lines.
        rows: the same numbers with all digits, column -> value, a dict for each row.
        data: everything as plain data.
    """

    title: str
    tables: list[TextTable]
    lines: list[str]
    signatures: list[str]
    rows: list[dict[str, Any]]
    data: dict[str, Any]


def number_text(value: float, is_rate: bool, scale: int) -> str:
    """A number with the digits of a report of that scale; a dash for NaN."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return ABSENT
    return f"{value:.2f}" if is_rate and scale == 100 else f"{value:.4f}"


def figure_text(value: float | None, scale: int = 1) -> str:
    """A number of agreement with three decimals (one in per cent); a dash for None."""
    if value is None:
        return ABSENT
    return f"{100 * value:.1f}" if scale == 100 else f"{value:.3f}"
