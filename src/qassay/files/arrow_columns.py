"""CSV, TSV, Parquet and Arrow files as Arrow columns, which become lists where lists are requested."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.columns import counted
from ..core.remarks import remark
from .reading import FileError
from .source import BOM, Source, broken, decode

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = {"\t": "TSV", ",": "CSV", ";": "CSV"}
_LARGEST_BLOCK, _LONGEST_HEADER = 2**31 - 1, 1 << 20  # bytes
# How files begin: Parquet, Arrow files (.arrow, .feather), and Arrow streams, as `Dataset.save_to_disk` writes.
PARQUET_MARK, _ARROW_MARK, _STREAM_MARK = b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff"
ARROW_MARKS = (_ARROW_MARK, _STREAM_MARK)
_STREAM_END = _STREAM_MARK + bytes(4)


class ArrowColumns(Mapping[str, list]):
    """Name -> list, made on request; `arrow` returns the Arrow columns."""

    def __init__(self, schema: pa.Schema, read: Callable[[Sequence[str]], pa.Table], path: str, form: str):
        self.schema, self._read, self.path, self._form = schema, read, path, form
        self._names = dict.fromkeys(schema.names)  # the schema makes a new list of names each time
        self._lists: dict[str, list[Any]] = {}

    def guard(self) -> contextlib.AbstractContextManager:
        """What to make lists in, so that errors in the data are named; only typed data can have some left."""
        return _arrow_errors(self.path, self._form)

    def arrow(self, names: Sequence[str]) -> pa.Table:
        """The columns of these names, in this order."""
        with self.guard():
            return self._read(list(names)).select(list(names))

    def take(self, rows: Sequence[int], without: str) -> ArrowColumns:
        """The columns but one, with these rows in this order."""
        schema = self.schema.remove(self.schema.get_field_index(without))
        return ArrowColumns(schema, lambda names: self.arrow(names).take(list(rows)), self.path, self._form)

    def __getitem__(self, name: str) -> list:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._lists:
            with self.guard():
                try:
                    self._lists[name] = self.arrow([name]).column(0).to_pylist()
                except UnicodeDecodeError:
                    message = f"the column {name} has text that is not UTF-8; write it as UTF-8"
                    raise FileError(self.path, message) from None
        return self._lists[name]

    def __contains__(self, name: object) -> bool:  # without making the list
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def plain_names(columns: Mapping[str, list]) -> list[str]:
    """The columns whose type allows only texts, numbers and truth values; Arrow columns are not read for this."""
    if not isinstance(columns, ArrowColumns):
        return list(columns)
    import pyarrow as pa

    tests = ("nested", "fixed_size_list", "binary", "large_binary", "fixed_size_binary", "decimal", "temporal")
    others = [getattr(pa.types, f"is_{test}") for test in tests]
    return [field.name for field in columns.schema if not any(is_other(field.type) for is_other in others)]


# --- text -------------------------------------------------------------------------------------------------------------


def read_delimited(path: str, data: bytes) -> tuple[ArrowColumns, str]:
    """A CSV or TSV file with a header, every cell a string, and which of the two it is."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    data = data.removeprefix(BOM).lstrip(b"\r\n")
    first_line = data[:_LONGEST_HEADER].splitlines()[0]
    delimiter = max(_DELIMITERS, key=lambda character: first_line.count(character.encode()))
    try:
        lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
        names = [name.strip() for name in next(csv.reader(lines, delimiter=delimiter))]
    except csv.Error:
        why = "a cell is too long, or a quote in it is not closed; give names of columns there"
        raise FileError(path, f"its first line is not a header of a table: {why}") from None
    except UnicodeDecodeError:
        decode(path, data)
        raise
    _check_names(path, names)
    is_one = len(names) == 1  # where a blank line is an empty cell
    data = data.rstrip(b"\r\n") if is_one else data
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, block_size=min(len(data) + 1, _LARGEST_BLOCK), use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=not is_one),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        ).slice(1)
    except pa.ArrowInvalid:
        table = None
    if table is None or data.count(b'"') % 2:  # Arrow silently reads the lines after an open quote as one cell
        _check_rows(path, decode(path, data), delimiter, names)
    if table is None:
        raise FileError(path, "this is not a table: its rows cannot be separated; is a quote not closed?")
    return ArrowColumns(table.schema, table.select, path, _DELIMITERS[delimiter]), _DELIMITERS[delimiter]


def _check_rows(path: str, text: str, delimiter: str, names: Sequence[str]) -> None:
    """Refuse the first row of another length, or with a quote that is opened and not closed."""
    row = -2  # of the header: -1
    try:
        for row, cells in enumerate(
            filter(None, csv.reader(io.StringIO(text, ""), delimiter=delimiter, strict=True)), -1
        ):
            if len(cells) != len(names):
                header = ", ".join(name[:40] for name in names[:10]) + ", ..." * (len(names) > 10)
                raise FileError(
                    path,
                    f"this is not a table of {counted(len(names), 'columns')} ({header}): row {row} has "
                    f"{counted(len(cells), 'cells')}, not {len(names)}: {delimiter.join(cells)[:60]!r}",
                )
    except csv.Error as error:
        if "field limit" not in str(error):
            message = f'row {row + 1}: a cell begins with a quote (") that is not closed where the cell ends; close it, or write '
            raise FileError(path, message + 'a quote of the text twice ("") in a quoted cell') from None


def _check_names(path: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise FileError(
            path,
            f"two columns have the same name; the header is: {', '.join(names)}; rename one, or add a header if that is data",
        )


# --- Parquet and Arrow ------------------------------------------------------------------------------------------------


def read_typed(source: Source, head: bytes) -> tuple[ArrowColumns, str]:
    """A Parquet file, an Arrow file or stream, and which of the two it is; only the requested columns are read.

    Args:
        head: how it begins.
    """
    import pyarrow as pa
    from pyarrow import parquet

    form = "Parquet" if head.startswith(PARQUET_MARK) else "Arrow"
    with _arrow_errors(source.path, form):
        # From the path itself, so that the bytes are never in memory as a whole.
        data = pa.memory_map(source.path) if source.is_plain_file else pa.BufferReader(source.read())
        if form == "Parquet":
            file = parquet.ParquetFile(data)
            schema = file.schema_arrow
        else:
            is_stream = not head.startswith(_ARROW_MARK)
            schema = _opened(data, is_stream).schema
            data.seek(max(0, data.size() - len(_STREAM_END)))
            if is_stream and data.read() != _STREAM_END:  # which the format does not require
                remark(f"{source.path}: this Arrow stream has no mark at its end; rows may be missing")
    _check_names(source.path, schema.names)

    def read(names: Sequence[str]) -> pa.Table:
        if form == "Parquet":
            return file.read(columns=names)
        table = _opened(data, is_stream, [schema.names.index(name) for name in names]).read_all()
        table.validate(full=True)  # its bytes are used as they are: wrong offsets would read other memory
        return table

    return ArrowColumns(schema, read, source.path, form), form


def _opened(data: Any, is_stream: bool, columns: Sequence[int] | None = None) -> Any:
    import pyarrow as pa

    data.seek(0)
    options = pa.ipc.IpcReadOptions(included_fields=columns)
    return (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(data, options=options)


def joined_columns(parts: Sequence[ArrowColumns], path: str, form: str) -> ArrowColumns:
    """The columns of the files of a folder, concatenated."""
    import pyarrow as pa

    for part in parts:
        other = {*parts[0].schema.names} ^ {*part.schema.names}
        if other:
            message = f"it has the column {min(other)}, and {parts[0].path} has not, or the other way round"
            raise FileError(part.path, message)
    schemas = [part.schema.remove_metadata() for part in parts]
    try:
        schema = pa.unify_schemas(schemas)
    except pa.ArrowException as error:
        raise FileError(path, f"the files of this folder differ in a column: {error}; write all alike") from None

    def read(names: Sequence[str]) -> pa.Table:
        picked = pa.schema([schema.field(name) for name in names])
        return pa.concat_tables([part.arrow(names).cast(picked) for part in parts])

    return ArrowColumns(schema, read, path, form)


@contextlib.contextmanager
def _arrow_errors(path: str, form: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except MemoryError as error:
        message = f"this {form} file does not fit into the memory of this machine; give a part of it"
        raise FileError(path, message) from error
    except pa.ArrowNotImplementedError:
        message = f"this {form} file has a type or compression that is not supported; write it with another"
        raise FileError(path, message) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise FileError(path, broken(form)) from None
