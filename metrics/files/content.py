"""A file's content, told by its bytes and not by its name: a JSON value, or a table of named columns."""

import csv
import dataclasses
import gzip
import io
import json
import zlib
from pathlib import Path
from typing import Any

from karat.files.inputs import FileError, columns_of

_DELIMITERS = {"\t": "TSV", ",": "CSV", ";": "CSV"}


@dataclasses.dataclass(frozen=True)
class Table:
    """Named columns of equal length. In a text table (CSV, TSV) every cell is a string."""

    columns: dict[str, list]
    format: str

    @property
    def is_text(self) -> bool:
        return self.format in ("CSV", "TSV")


@dataclasses.dataclass(frozen=True)
class Content:
    """A file and what was in it: a `Table`, or the value of a JSON file that is no list of objects."""

    path: str
    value: Any


class RepeatedKeys(dict):
    """A JSON object in which a key stands twice; `pairs` has them all."""

    pairs: list[tuple[str, Any]]


def pairs_of(mapping: dict) -> list[tuple[str, Any]]:
    """All pairs of a JSON object, also those with the same key, of which a dict keeps only the last."""
    return mapping.pairs if isinstance(mapping, RepeatedKeys) else list(mapping.items())


def read_content(path: str | Path) -> Content:
    """Read a JSON, JSONL, CSV, TSV (each also gzipped) or Parquet file.

    Raises:
        FileError: no such file, empty, not UTF-8, or no such format; the message says where it breaks.
    """
    path = str(path)
    data = _read_bytes(path)
    if data.startswith(b"PAR1"):
        return Content(path, _read_parquet(path, data))
    text = _decode(path, data)
    if not text.strip():
        raise FileError(path, "this file is empty")
    if text.lstrip()[0] in "{[":
        return Content(path, _read_json(path, text))
    return Content(path, _read_delimited(path, text))


def _read_bytes(path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except IsADirectoryError:
        raise FileError(path, "this is a folder; give a file in it") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(path, f"this gzip file is broken ({error}); make it again") from None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise FileError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _decode(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        encoding = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "not text in UTF-8"
        raise FileError(
            path,
            f"this file is {encoding} (byte {data[error.start]:#04x} in line {line}); convert it, "
            "for example with iconv -t UTF-8",
        ) from None


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
            raise FileError(path, f"line {number} is not valid JSON: {getattr(error, 'msg', error)}") from None
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


def _read_delimited(path: str, text: str) -> Table:
    if "\0" in text:
        raise FileError(path, "this is a binary file; give JSON, JSONL, CSV, TSV or Parquet")
    first_line = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=first_line.count)
    names = [name.strip() for name in next(csv.reader(io.StringIO(text), delimiter=delimiter))]
    if len(set(names)) != len(names):
        raise FileError(path, f"two columns have the same name; the header is: {', '.join(names)}")
    return Table(_csv_columns(path, text, names, delimiter), _DELIMITERS[delimiter])


def _csv_columns(path: str, text: str, names: list[str], delimiter: str) -> dict[str, list]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    data = text.encode("utf-8")
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            # One block, so that a long cell cannot stand across the border of two.
            arrow_csv.ReadOptions(
                column_names=names, skip_rows=0, block_size=min(len(data) + 1, 2**31 - 1), use_threads=False
            ),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid as error:
        reason = str(error).partition("CSV parse error: ")[2] or str(error)
        raise FileError(path, f"this is no table of {len(names)} columns ({', '.join(names)}): {reason}") from None
    return {name: table.column(name).to_pylist()[1:] for name in names}


def _read_parquet(path: str, data: bytes) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(data))
        return Table({name: table.column(name).to_pylist() for name in table.column_names}, "Parquet")
    except (pa.ArrowException, OSError) as error:
        raise FileError(path, f"this Parquet file is broken ({str(error).splitlines()[0]}); make it again") from None
    except KeyError:
        raise FileError(path, f"two columns have the same name; they are: {', '.join(table.column_names)}") from None
