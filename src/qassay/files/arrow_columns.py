"""CSV, TSV, Parquet and Arrow files as Arrow columns, which become lists where lists are requested."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.columns import counted
from ..core.remarks import remark
from .reading import FileError
from .source import Source, decode

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = {"\t": "TSV", ",": "CSV", ";": "CSV"}
_UNEVEN = re.compile(r"Row #(\d+): Expected \d+ columns, got (\d+): (.*)", re.DOTALL)
_LARGEST_BLOCK = 2**31 - 1
_CUT = re.compile("magic bytes|footer|Not an Arrow file|File is too small|but only read|Expected to be able to read")
_ARROW_MARK, _STREAM_MARK = b"ARROW1\0\0", b"\xff\xff\xff\xff"
_STREAM_END = _STREAM_MARK + bytes(4)


class ArrowColumns(Mapping[str, list]):
    """Name -> list, made when it is requested; `arrow` gives columns as they are."""

    def __init__(self, schema: pa.Schema, read: Callable[[Sequence[str]], pa.Table], path: str, form: str = "Parquet"):
        self.schema, self._read, self._path, self._form = schema, read, path, form
        self._names = dict.fromkeys(schema.names)  # the schema makes a new list of names each time
        self._lists: dict[str, list[Any]] = {}

    def guard(self) -> contextlib.AbstractContextManager:
        """What to make lists in, so that errors in the data are named; only typed data can have some left."""
        return _arrow_errors(self._path, self._form)

    def arrow(self, names: Sequence[str]) -> pa.Table:
        """The columns of these names, in this order."""
        return self._read(list(names)).select(list(names))

    def take(self, rows: Sequence[int], without: str) -> ArrowColumns:
        """The columns but one, with these rows in this order."""
        schema = self.schema.remove(self.schema.get_field_index(without))
        return ArrowColumns(schema, lambda names: self.arrow(names).take(list(rows)), self._path, self._form)

    def __getitem__(self, name: str) -> list:
        if name not in self._lists:
            if name not in self._names:
                raise KeyError(name)
            self._lists[name] = self._as_list(name)
        return self._lists[name]

    def _as_list(self, name: str) -> list:
        with self.guard():
            try:
                return self.arrow([name]).column(0).to_pylist()
            except UnicodeDecodeError:
                raise FileError(
                    self._path, f"the column {name} has text that is not UTF-8; write it as UTF-8"
                ) from None

    def __contains__(self, name: object) -> bool:  # without making the list
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def plain_names(columns: Mapping[str, list]) -> list[str]:
    """The columns that may hold texts, numbers and truth values alone: by the type of an Arrow column, without reading it."""
    if not isinstance(columns, ArrowColumns):
        return list(columns)
    return [field.name for field in columns.schema if _may_be_plain(field.type)]


def _may_be_plain(kind: pa.DataType) -> bool:
    import pyarrow as pa

    tests = ("nested", "fixed_size_list", "binary", "large_binary", "fixed_size_binary", "decimal", "temporal")
    return not any(getattr(pa.types, f"is_{test}")(kind) for test in tests)


def read_delimited(path: str, data: bytes) -> tuple[ArrowColumns, str]:
    """A CSV or TSV file with a header, every cell a string, and which of the two it is.

    Raises:
        FileError: no header, rows of different lengths, two columns of the same name, or bytes that are not UTF-8.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    data = data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    first_line = data.splitlines()[0]
    delimiter = max(_DELIMITERS, key=lambda character: first_line.count(character.encode()))
    names: list[str] = []
    try:
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""), delimiter=delimiter)
        names = [name.strip() for name in next(reader)]
        _check_names(path, names)
        is_one = len(names) == 1  # where a blank line is an empty cell
        data = data.rstrip(b"\r\n") if is_one else data
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, block_size=min(len(data) + 1, _LARGEST_BLOCK), use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=not is_one),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        ).slice(1)
        if data.count(b'"') % 2:
            _check_quotes(path, data, delimiter)
    except UnicodeDecodeError:
        decode(path, data)
        raise
    except csv.Error:
        why = "a cell is too long, or a quote in it is not closed; give names of columns there"
        raise FileError(path, f"its first line is not a header of a table: {why}") from None
    except pa.ArrowInvalid as error:
        decode(path, data)
        header = ", ".join(name[:40] for name in names[:10]) + ", ..." * (len(names) > 10)
        raise FileError(
            path,
            f"this is not a table of {counted(len(names), 'columns')} ({header}): {_row_problem(str(error), names)}",
        ) from None
    return ArrowColumns(table.schema, table.select, path), _DELIMITERS[delimiter]


def _row_problem(message: str, names: Sequence[str]) -> str:
    """What Arrow says about a row, in our words; row 1 of Arrow is the header."""
    uneven = _UNEVEN.search(message)
    if uneven is None:
        return "its rows cannot be separated; is a quote not closed?"
    return f"row {int(uneven[1]) - 2} has {counted(int(uneven[2]), 'cells')}, not {len(names)}: {uneven[3][:60]!r}"


def _check_quotes(path: str, data: bytes, delimiter: str) -> None:
    """Refuse a quote that is opened and not closed: the lines behind it are one cell to the parser, without a word."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""), delimiter=delimiter, strict=True)
    row = -1
    try:
        for _ in filter(None, reader):
            row += 1
    except csv.Error as error:
        if "field limit" not in str(error):
            message = (
                f'row {row}: a cell begins with a quote (") that is not closed where the cell ends; close it, or write '
            )
            raise FileError(path, message + 'a quote of the text twice ("") in a quoted cell') from None


def read_parquet(source: Source) -> ArrowColumns:
    """A Parquet file; only the requested columns are read.

    Raises:
        FileError: it is broken, or two columns have the same name.
    """
    import pyarrow as pa
    from pyarrow import parquet

    # Arrow reads from the path itself, so that the bytes are never in memory as a whole.
    data = source.path if source.form == "plain" else pa.BufferReader(source.read())
    with _arrow_errors(source.path, "Parquet"):
        schema = parquet.read_schema(data)
    _check_names(source.path, schema.names)
    opened: list[parquet.ParquetFile] = []  # once: its footer tells of every column

    def read(names: Sequence[str]) -> pa.Table:
        with _arrow_errors(source.path, "Parquet"):
            if not opened:
                opened.append(parquet.ParquetFile(data))
            return opened[0].read(columns=names)

    return ArrowColumns(schema, read, source.path)


def is_arrow(head: bytes) -> bool:
    """Whether a file that begins so is one of Arrow: a file (.arrow, .feather) or a stream, as `Dataset.save_to_disk` has."""
    return head.startswith((_ARROW_MARK, _STREAM_MARK))


def read_arrow(source: Source, head: bytes) -> ArrowColumns:
    """An Arrow file or stream; only the requested columns are read.

    Args:
        head: how it begins.

    Raises:
        FileError: it is broken, or two columns have the same name.
    """
    import pyarrow as pa

    is_stream = not head.startswith(_ARROW_MARK)

    def data() -> Any:
        return pa.memory_map(source.path) if source.form == "plain" else pa.BufferReader(source.read())

    def opened(columns: Sequence[int] | None = None) -> Any:
        options = pa.ipc.IpcReadOptions(included_fields=columns)
        return (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(data(), options=options)

    def read(names: Sequence[str]) -> pa.Table:
        with _arrow_errors(source.path, "Arrow"):
            table = opened([schema.names.index(name) for name in names]).read_all()
            table.validate(full=True)  # its bytes are used as they are: wrong offsets would read other memory
            return table

    with _arrow_errors(source.path, "Arrow"):
        schema = opened().schema
        end = data()
        end.seek(max(0, end.size() - len(_STREAM_END)))
    if is_stream and end.read() != _STREAM_END:  # which the format does not require
        remark(f"{source.path}: this Arrow stream has no mark at its end; rows may be missing")
    _check_names(source.path, schema.names)
    return ArrowColumns(schema, read, source.path, "Arrow")


def joined_columns(parts: Sequence[ArrowColumns], path: str, form: str) -> ArrowColumns:
    """The columns of the files of a folder, concatenated.

    Raises:
        FileError: a file that has other columns, or a column of another type, than the first.
    """
    import pyarrow as pa

    schema = parts[0].schema.remove_metadata()
    for part in parts:
        other = {*schema.names} ^ {*part.schema.names}
        if other:
            where = "not there" if part.schema.get_field_index(min(other)) < 0 else "only there"
            raise FileError(part._path, f"the column {min(other)} is {where}, unlike in {parts[0]._path}")
        try:
            schema = pa.unify_schemas([schema, part.schema.remove_metadata()])  # a column of nulls fits any type
        except pa.ArrowException:
            types = ((name, schema.field(name).type, part.schema.field(name).type) for name in schema.names)
            name, first, here = next(of for of in types if of[1] != of[2] and pa.null() not in of)
            message = f"the column {name} is {here}, but {first} in {parts[0]._path}; write both alike"
            raise FileError(part._path, message) from None

    def read(names: Sequence[str]) -> pa.Table:
        picked = pa.schema([schema.field(name) for name in names])
        with _arrow_errors(path, form):
            return pa.concat_tables([part.arrow(names).cast(picked) for part in parts])

    return ArrowColumns(schema, read, path, form)


@contextlib.contextmanager
def _arrow_errors(path: str, form: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except MemoryError as error:
        raise FileError(
            path, f"this {form} file does not fit into the memory of this machine; give a part of it"
        ) from error
    except pa.ArrowNotImplementedError:
        raise FileError(
            path, f"this {form} file has a type or compression that is not supported; write it with another"
        ) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        is_cut = _CUT.search(str(error))
        why = "its end is missing" if is_cut else "its data are damaged"
        raise FileError(path, f"this {form} file is broken: {why}; make it again") from None


def _check_names(path: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise FileError(
            path,
            f"two columns have the same name; the header is: {', '.join(names)}; rename one, or add a header if that is data",
        )
