"""A file's content, told by its bytes and not by its name: a JSON value, a table of named columns, or lines."""

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from karat.files.arrow_columns import read_delimited, read_parquet
from karat.files.inputs import FileError, columns_of
from karat.files.lines import HEAD, find_lines
from karat.files.source import decode, find_source

_FIRST_CHARACTER = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\S)")


@dataclasses.dataclass(frozen=True)
class Table:
    """Named columns of equal length. In a text table (CSV, TSV) every cell is a string."""

    columns: Mapping[str, list]
    format: str

    @property
    def is_text(self) -> bool:
        return self.format in ("CSV", "TSV")


@dataclasses.dataclass(frozen=True)
class Content:
    """A file and what was in it: `Lines`, a `Table`, or the value of a JSON file that is no list of objects."""

    path: str
    value: Any


class RepeatedKeys(dict):
    """A JSON object in which a key stands twice; `pairs` has them all."""

    pairs: list[tuple[str, Any]]


def pairs_of(mapping: dict) -> list[tuple[str, Any]]:
    """All pairs of a JSON object, also those with the same key, of which a dict keeps only the last."""
    return mapping.pairs if isinstance(mapping, RepeatedKeys) else list(mapping.items())


def read_content(path: str | Path | Content) -> Content:
    """Read a JSON, JSONL, CSV, TSV (each also gzipped) or Parquet file; files of lines are only recognised.

    What was read is given back as it is, so that all readers take it in place of its path.

    Raises:
        FileError: no such file, empty, not UTF-8, or no such format; the message says where it breaks.
    """
    if isinstance(path, Content):
        return path
    source = find_source(path)
    path, head = source.path, source.read(HEAD)
    if head.startswith(b"PAR1"):
        return Content(path, Table(read_parquet(source), "Parquet"))
    lines = find_lines(source, head)
    if lines:
        return Content(path, lines)
    data = source.read()
    first = _FIRST_CHARACTER.match(data)
    if not first:
        raise FileError(path, "this file is empty")
    if first[1] in b"{[":
        return Content(path, _read_json(path, decode(path, data)))
    if b"\0" in data:
        decode(path, data)
        raise FileError(path, "this is a binary file; give JSON, JSONL, CSV, TSV or Parquet")
    return Content(path, Table(*read_delimited(path, data)))


def _read_json(path: str, text: str) -> Any:
    try:
        value = _parse(text)
    except json.JSONDecodeError as error:
        rows = _read_json_lines(path, text)
        if rows is None:
            raise FileError(
                path,
                f"this is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}; export it again",
            ) from None
        return rows
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise FileError(path, f"this JSON cannot be read: {reason}; export it again") from None
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return Table(columns_of(value), "JSON")
    return value


def _read_json_lines(path: str, text: str) -> Table | None:
    """JSON lines; None when the first line is no object, so that this is some other kind of broken JSON."""
    rows: list[dict] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = _parse(line)
        except (ValueError, RecursionError) as error:
            if not rows:
                return None
            reason = f"is not valid JSON: {getattr(error, 'msg', error)}"
            reason = "is nested too deeply" if isinstance(error, RecursionError) else reason
            raise FileError(path, f"line {number} {reason}") from None
        if not isinstance(row, dict):
            if not rows:
                return None
            raise FileError(path, f"line {number} must be a JSON object like the lines before it")
        rows.append(row)
    return Table(columns_of(rows), "JSONL")


def _parse(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        mapping = RepeatedKeys(mapping)
        mapping.pairs = pairs
    return mapping
