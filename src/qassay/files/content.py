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
from .arrow_columns import ArrowColumns, is_arrow, joined_columns, read_arrow, read_delimited, read_parquet
from .folders import data_files, log_file
from .json_text import JsonError, read_json
from .lines import BOM, HEAD, find_lines
from .logs import Log, log_of, log_of_row
from .reading import ID_NAMES, QUESTION_NAMES, FileError, columns_of
from .source import decode, decode_cell, find_source, message_on_other_content, reading

_JSON_LINES = re.compile(r"\.(jsonl|ndjson)\b", re.IGNORECASE)
_FIRST_CHARACTER = re.compile(rb"\S")


@dataclasses.dataclass(frozen=True)
class Table:
    """Named columns of equal length. In a text table (CSV, TSV) every cell is a string.

    Attributes:
        log: that it was in what a harness wrote.
        absent: of JSON rows, name -> for each row whether it lacks the field; its cell is None, as for null.
            Only of columns that some row lacks.
    """

    columns: Mapping[str, list]
    format: str
    absent: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    log: Log | None = None

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


def read_content(path: str | Path | Content) -> Content:
    """Read a JSON, JSONL, CSV, TSV, Parquet or Arrow file, also compressed; files of lines are only recognised.

    What was read is given back as it is, so that all readers take it instead of its path.

    Args:
        path: of the file; of a folder, whose files of data are read as one table; "-" for standard input.

    Raises:
        FileError: a missing or empty file, not UTF-8, or an invalid format; the message says where.
    """
    if isinstance(path, Content):
        return path
    log = log_file(str(path))
    if log:
        return Content(str(path), read_content(log).value)
    shards = data_files(str(path))
    if shards:
        return _read_shards(str(path), list(map(read_content, shards)))
    source = find_source(path)
    path, head = source.path, source.read(HEAD)
    if message := message_on_other_content(head):
        raise FileError(path, message)
    if head.startswith(b"PAR1"):
        return Content(path, Table(read_parquet(source), "Parquet"))
    if is_arrow(head):
        return Content(path, Table(read_arrow(source, head), "Arrow"))
    packed = log_of(lambda log: log.mark and head.startswith(log.mark))
    if packed and packed.unpacked:
        with reading(path), source.open() as file:
            whole = file if source.form in ("plain", "memory") else io.BytesIO(file.read())
            return Content(path, _table_of_log(path, packed, packed.unpacked(path, whole)))
    if log_of(lambda log: log.line_mark and head.startswith(log.line_mark)):
        with reading(path), source.open() as file:  # with only the current line in memory
            table = _read_json_lines(path, (decode_cell(path, line, n) for n, line in enumerate(file, 1)))
        if table:
            return Content(path, table)
    lines = find_lines(source, head)
    if lines:
        return Content(path, lines)
    data = source.read()
    first = _FIRST_CHARACTER.search(data, len(BOM) if data.startswith(BOM) else 0)
    if not first:
        raise FileError(path, "this file is empty")
    if b"\0" in data:
        decode(path, data)
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise FileError(
            path, f"this is a binary file (a zero byte in line {line}); give JSON, JSONL, CSV, TSV, Parquet or Arrow"
        )
    if first[0] in b"{[":
        return Content(path, _read_json(path, decode(path, data)))
    return Content(path, Table(*read_delimited(path, data)))


def _read_shards(path: str, shards: Sequence[Content]) -> Content:
    """The files of a folder as one table."""
    tables = []
    for shard in shards:
        value = shard.value
        if isinstance(value, dict) and _JSON_LINES.search(shard.path):  # of one row
            value = _table_of([value], "JSONL")
        if not isinstance(value, Table):
            name = os.path.basename(shard.path)
            raise FileError(path, f"this is a folder, and its {name} is not a table of rows; give one file")
        tables.append(value)
    form = tables[0].format
    other = next((table.format for table in tables if table.format[:4] != form[:4]), None)  # JSONL with JSON is alike
    if other:
        raise FileError(path, f"this folder has files of several kinds, {form} and {other}; give one file")
    if len(tables) == 1:
        return Content(path, tables[0])
    parts = [table.columns for table in tables]
    arrow = [part for part in parts if isinstance(part, ArrowColumns)]
    if arrow:
        return Content(path, Table(joined_columns(arrow, path, form), form))
    columns: dict[str, list] = {}
    absent: dict[str, bytes] = {}
    sizes = [len(next(iter(part.values()), ())) for part in parts]
    for name in dict.fromkeys(name for part in parts for name in part):
        columns[name] = [c for part, n in zip(parts, sizes, strict=True) for c in part.get(name) or [None] * n]
        lacks = [
            table.absent.get(name, bytes(n)) if name in table.columns else b"\1" * n
            for table, n in zip(tables, sizes, strict=True)
        ]
        absent |= {name: b"".join(lacks)} if any(map(any, lacks)) else {}
    return Content(path, Table(columns, form, absent))


def _read_json(path: str, text: str) -> Any:
    try:
        value = read_json(text)
    except JsonError as error:
        if error.is_complete:
            raise FileError(path, f"this JSON cannot be read: {error}; {error.advice}") from None
        rows = _read_json_lines(path, text.split("\n"))
        if rows is None:
            raise FileError(path, f"this is not valid JSON: {error}; export it again") from None
        return rows
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        log = log_of_row(value[0])
        return _table_of_log(path, log, value) if log else _table_of(value, "JSON", path)
    if isinstance(value, dict):
        log = log_of_row(value) or log_of(lambda log: log.is_whole(value))
        if log:
            return _table_of_log(path, log, log.samples(path, value))
    if isinstance(value, dict) and _JSON_LINES.search(path) and _is_row(value):
        return _table_of([value], "JSONL")
    return value


def _is_row(value: dict) -> bool:
    """Whether the only line of a file of JSON lines is a row of a table, and not texts by id."""
    names = [*ID_NAMES, *QUESTION_NAMES]
    return any(spelled(name) in names and isinstance(cell, (str, int)) for name, cell in value.items())


def _read_json_lines(path: str, lines: Iterable[str]) -> Table | None:
    """JSON lines; None when the first line is not an object, so that this is some other kind of broken JSON."""
    rows: list[dict] = []
    log, lines = None, iter(lines)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
        except JsonError as error:
            if not rows and not error.is_complete:
                return None
            if log and not error.is_complete and not any(map(str.strip, lines)):
                message = f"line {number} breaks off, as in a {log.name} that stopped early"
                raise FileError(path, f"{message}; write it again, or remove the line") from None
            what = "cannot be read" if error.is_complete else "is not valid JSON"
            raise FileError(path, f"line {number} {what}: {error.reason}; {error.advice}") from None
        if not isinstance(row, dict):
            if not rows:
                return None
            raise FileError(path, f"line {number} must be a JSON object like the lines before it")
        log = log if rows else log_of_row(row)
        rows.append(_row_of_log(path, f"line {number}", log, row) if log else row)
    return _log_table(path, log, rows) if log else _table_of(rows, "JSONL", path)


def _table_of_log(path: str, log: Log, samples: Iterable[dict]) -> Table:
    return _log_table(path, log, [_row_of_log(path, f"sample {n}", log, row) for n, row in enumerate(samples, 1)])


def _row_of_log(path: str, where: str, log: Log, sample: dict) -> dict[str, Any]:
    try:
        return log.row(sample)
    except ValueError as error:
        raise FileError(path, f"{where} of this {log.name} {error}") from None
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise FileError(path, f"{where} of this {log.name} has another form than it writes; write it again") from error


def _log_table(path: str, log: Log, rows: list[dict]) -> Table:
    return dataclasses.replace(_table_of(log.rows(path, rows), log.name), log=log)


def _table_of(rows: list[dict[str, Any]], form: str, path: str = "") -> Table:
    columns = columns_of(rows, path)
    absent = {}
    if sum(map(len, rows)) < len(rows) * len(columns):
        marks = {name: bytearray(b"\1" * len(rows)) for name in columns}
        for index, row in enumerate(rows):
            for name in row:
                marks[name][index] = 0
        absent = {name: bytes(column) for name, column in marks.items() if any(column)}
    return Table(columns, form, absent)
