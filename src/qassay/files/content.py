"""Reads the content of a file, recognised by its bytes and not by its name: a JSON value, a table of named columns, or
lines.
"""

import dataclasses
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.columns import spelled
from .arrow_columns import ARROW_MARKS, PARQUET_MARK, ArrowColumns, joined_columns, read_delimited, read_typed
from .folders import data_files, log_file
from .json_text import JsonError, read_json
from .lines import HEAD, find_lines
from .logs import Log, all_logs
from .reading import ID_NAMES, QUESTION_NAMES, FileError, columns_of
from .source import BOM, decode, find_source

IN_MEMORY = "the table"  # in place of the path of a table in memory
_JSON_LINES = re.compile(r"\.(jsonl|ndjson)\b", re.IGNORECASE)
_NO_DATA = {  # how its bytes begin -> what it is and what to do
    rb"PK\x03\x04(?s:.*)(?:\[Content_Types\]\.xml|xl/workbook|mimetypeapplication/vnd\.oasis)|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "this is a file of an office program, such as an Excel workbook; save it as CSV in UTF-8"
    ),
    rb"(?i:(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b)": "this is a web page (HTML); download the file of data itself",
}


@dataclasses.dataclass(frozen=True)
class Table:
    """Named columns of equal length. In a text table (CSV, TSV) every cell is a string.

    Attributes:
        rows: of JSON, the rows themselves: where one lacks a field, the cell of its column is None, as for null.
    """

    columns: Mapping[str, list]
    format: str
    rows: Sequence[dict[str, Any]] | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[dict[str, Any]], form: str) -> "Table":
        """JSON rows as a table."""
        return cls(columns_of(rows), form, rows)

    def take(self, rows: Sequence[int], without: str) -> "Table":
        """Some rows, without a column."""
        columns: Mapping[str, Any] = self.columns
        if isinstance(columns, ArrowColumns):
            columns = columns.take(rows, without)
        else:
            columns = {name: [cells[row] for row in rows] for name, cells in columns.items() if name != without}
        return Table(columns, self.format, self.rows and [self.rows[row] for row in rows])

    @property
    def is_text(self) -> bool:
        return self.format in ("CSV", "TSV")

    @property
    def is_typed(self) -> bool:
        """Whether the file itself has a type for each column; what is not there is null."""
        return self.format in ("Parquet", "Arrow")


@dataclasses.dataclass(frozen=True)
class Content:
    """A file and what was in it: `Lines`, a `Table`, or the value of a JSON file that is not a list of objects."""

    path: str
    value: Any


def read_content(path: str | Path | Content, *, logs: bool = True) -> Content:
    """Read a JSON, JSONL, CSV, TSV, Parquet or Arrow file, also compressed; files of lines are only recognised.

    Content is returned as it is, so all readers accept it in place of a path.

    Args:
        path: of the file; of a folder, whose files of data are read as one table; "-" for standard input.
        logs: whether JSON rows of a harness are reduced to what is scored; False: they are kept as they are.
    """
    if isinstance(path, Content):
        return path
    path = str(path)
    if os.path.isdir(path):
        log = log_file(path)
        return Content(path, read_content(log, logs=logs).value if log else _read_folder(path, logs))
    source = find_source(path)
    head = source.read(HEAD)
    for begins, message in _NO_DATA.items():
        if re.match(begins, head):
            raise FileError(path, message)
    if head.startswith((PARQUET_MARK, *ARROW_MARKS)):
        return Content(path, Table(*read_typed(source, head)))
    packed = next((log for log in all_logs() if log.unpacked and head.startswith(b"PK\x03\x04")), None)
    if packed and packed.unpacked:
        with source.open() as file:
            whole = file if source.form == "plain" else io.BytesIO(source.read())
            return Content(path, _table_of_log(path, packed, packed.unpacked(path, whole)))
    if lines := find_lines(source, head):
        return Content(path, lines)
    data = source.read()
    first = data.removeprefix(BOM).lstrip()[:1]
    if not first:
        raise FileError(path, "this file is empty")
    if b"\0" in data:
        decode(path, data)  # says so if it is UTF-16
        line = data.partition(b"\0")[0].count(b"\n") + 1
        known = "JSON, JSONL, CSV, TSV, Parquet or Arrow"
        raise FileError(path, f"this is a binary file (a zero byte in line {line}); give {known}")
    if first in (b"{", b"["):
        return Content(path, _read_json(path, decode(path, data), logs))
    return Content(path, Table(*read_delimited(path, data)))


def _read_folder(path: str, logs: bool) -> Table:
    """The files of a folder as one table."""
    tables = []
    for name in data_files(path):
        value = read_content(name, logs=logs).value
        if isinstance(value, dict) and _JSON_LINES.search(name):  # of one row
            value = Table.of_rows([value], "JSONL")
        if not isinstance(value, Table):
            message = f"this is a folder, and its {os.path.basename(name)} is not a table of rows; give one file"
            raise FileError(path, message)
        tables.append(value)
    form = tables[0].format
    other = next((table.format for table in tables if table.format[:4] != form[:4]), None)  # JSONL with JSON is alike
    if other:
        raise FileError(path, f"this folder has files of several kinds, {form} and {other}; give one file")
    arrow = [table.columns for table in tables if isinstance(table.columns, ArrowColumns)]
    if arrow:
        return Table(joined_columns(arrow, path, form), form)
    return Table.of_rows([row for table in tables for row in table.rows or ()], form)


# --- JSON and logs ----------------------------------------------------------------------------------------------------


def _read_json(path: str, text: str, logs: bool) -> Any:
    try:
        value = read_json(text)
    except JsonError as error:
        table = None if error.is_complete else _read_json_lines(path, text.split("\n"), logs)
        if table is None:
            what = "this JSON cannot be read" if error.is_complete else "this is not valid JSON"
            raise FileError(path, f"{what}: {error}; {error.advice}") from None
        return table
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        log = _log_of_row(value[0]) if logs else None
        return _table_of_log(path, log, value) if log else Table.of_rows(value, "JSON")
    if isinstance(value, dict):
        log = _log_of_row(value) or next((log for log in all_logs() if log.is_whole(value)), None)
        if log and logs:
            return _table_of_log(path, log, log.samples(path, value))
        if _JSON_LINES.search(path) and _is_row(value):
            return Table.of_rows([value], "JSONL")
    return value


def _is_row(value: dict) -> bool:
    """Whether the only line of a file of JSON lines is a row of a table, and not texts by id."""
    names = [*ID_NAMES, *QUESTION_NAMES]
    return any(spelled(name) in names and isinstance(cell, (str, int)) for name, cell in value.items())


def _read_json_lines(path: str, lines: Sequence[str], logs: bool) -> Table | None:
    """JSON lines; None if the first line is not an object, so this is another kind of broken JSON."""
    rows: list[dict] = []
    log = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
        except JsonError as error:
            if not rows and not error.is_complete:
                return None
            what = "cannot be read" if error.is_complete else "is not valid JSON"
            raise FileError(path, f"line {number} {what}: {error.reason}; {error.advice}") from None
        if not isinstance(row, dict):
            if not rows:
                return None
            raise FileError(path, f"line {number} must be a JSON object like the lines before it")
        log = log if rows or not logs else _log_of_row(row)
        rows.append(_row_of_log(path, f"line {number}", log, row) if log else row)
    return Table.of_rows(log.rows(path, rows), log.name) if log else Table.of_rows(rows, "JSONL")


def _log_of_row(row: dict[str, Any]) -> Log | None:
    return next((log for log in all_logs() if log.has_row(row)), None)


def _table_of_log(path: str, log: Log, samples: Iterable[dict]) -> Table:
    rows = [_row_of_log(path, f"sample {number}", log, row) for number, row in enumerate(samples, 1)]
    return Table.of_rows(log.rows(path, rows), log.name)


def _row_of_log(path: str, where: str, log: Log, sample: dict) -> dict[str, Any]:
    try:
        return log.row(sample)
    except ValueError as error:
        raise FileError(path, f"{where} of this {log.name} {error}") from None
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise FileError(path, f"{where} of this {log.name} has another form than it writes; write it again") from error
