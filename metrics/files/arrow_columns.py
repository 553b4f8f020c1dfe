"""CSV, TSV and Parquet files as Arrow columns, which become lists where lists are asked for."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from karat.files.inputs import FileError
from karat.files.source import Source, decode

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = {"\t": "TSV", ",": "CSV", ";": "CSV"}
_BLOCK = 1 << 23
_LARGEST_BLOCK = 2**31 - 1


class ArrowColumns(Mapping[str, list]):
    """Name -> list, made when it is asked for; `arrow` gives columns as they are.

    Args:
        schema: the names and types.
        read: names -> their columns.
    """

    def __init__(self, schema: pa.Schema, read: Callable[[Sequence[str]], pa.Table]):
        self.schema, self._read, self._lists = schema, read, {}

    def arrow(self, names: Sequence[str]) -> pa.Table:
        """The columns of these names, in this order."""
        return self._read(list(names)).select(list(names))

    def __getitem__(self, name: str) -> list:
        if name not in self._lists:
            if name not in self.schema.names:
                raise KeyError(name)
            self._lists[name] = self.arrow([name]).column(0).to_pylist()
        return self._lists[name]

    def __contains__(self, name: object) -> bool:  # without making the list
        return name in self.schema.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.schema.names)

    def __len__(self) -> int:
        return len(self.schema.names)


def read_delimited(path: str, data: bytes) -> tuple[ArrowColumns, str]:
    """A CSV or TSV file with a header, every cell a string, and which of the two it is.

    Raises:
        FileError: no header, rows of different lengths, two columns of the same name, or bytes that are not UTF-8.
    """
    import pyarrow as pa

    first_line = data[: data.find(b"\n") + 1] or data
    delimiter = max(_DELIMITERS, key=lambda character: first_line.count(character.encode()))
    try:
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""), delimiter=delimiter)
        names = [name.strip() for name in next(reader)]
        _check_names(path, names)
        table = _parse(data, names, delimiter)
    except UnicodeDecodeError:
        decode(path, data)
        raise
    except csv.Error as error:
        raise FileError(path, f"its first line is no header of a table: {error}; give names of columns there") from None
    except pa.ArrowInvalid as error:
        decode(path, data)
        reason = str(error).partition("CSV parse error: ")[2] or str(error)
        raise FileError(path, f"this is no table of {len(names)} columns ({', '.join(names)}): {reason}") from None
    return ArrowColumns(table.schema, table.select), _DELIMITERS[delimiter]


def read_parquet(source: Source) -> ArrowColumns:
    """A Parquet file, of which only the columns that are asked for are read.

    Raises:
        FileError: it is broken, or two columns have the same name.
    """
    import pyarrow as pa
    from pyarrow import parquet

    # Arrow reads from the path itself, so that the bytes are never in memory as a whole.
    data = source.path if source.form == "plain" else pa.BufferReader(source.read())

    def read(names: Sequence[str]) -> pa.Table:
        with _parquet_errors(source.path):
            return parquet.ParquetFile(data).read(columns=names)

    with _parquet_errors(source.path):
        schema = parquet.read_schema(data)
    _check_names(source.path, schema.names)
    return ArrowColumns(schema, read)


@contextlib.contextmanager
def _parquet_errors(path: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise FileError(path, f"this Parquet file is broken ({str(error).splitlines()[0]}); make it again") from None


def _check_names(path: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise FileError(path, f"two columns have the same name; the header is: {', '.join(names)}")


def _parse(data: bytes, names: Sequence[str], delimiter: str) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    def parse(block_size: int) -> pa.Table:
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, block_size=block_size, use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        ).slice(1)

    if len(data) > _BLOCK:
        try:
            return parse(_BLOCK)
        except pa.ArrowInvalid:
            pass  # a cell longer than a block
    return parse(min(len(data) + 1, _LARGEST_BLOCK))
