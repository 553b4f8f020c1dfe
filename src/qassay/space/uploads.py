"""Files of visitors: checks before reading, and the kind of a file by its content."""

import csv
import dataclasses
import functools
import io
from pathlib import Path
from typing import Any, NamedTuple

from ..files.arrow_columns import is_arrow
from ..files.content import Content, Table, read_content
from ..files.formats import Format, find_format
from ..files.lines import Lines, is_comment
from ..files.reading import with_file_names
from ..files.source import encoding_of, message_on_other_content
from ..files.tables import as_table, roles_of
from .limits import ELSEWHERE, MAX_FILE, MAX_ROWS, MAX_VALUES, InputError, check_count
from .parquet_pages import MAX_COLUMNS, Broken, Pages, TooMuch, TooWide, count_pages

GOLD, SYSTEM, PROBABILITIES = "gold", "predictions", "probabilities"  # slots, as `Format.serves` names them

_PACKED = {
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip file",
    b"PK\x05\x06": "a zip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"7z\xbc\xaf": "a 7z file",
    b"Rar!": "a rar file",
}
_MAX_CELLS = 20_000_000  # cells of JSON rows as a table: each row counts all names of all rows
_MAX_UNPACKED = 200_000_000  # bytes of a Parquet file
_BATCH = 10_000  # rows of a Parquet file per block


class Upload(NamedTuple):
    """A file of a visitor: its slot and its kind.

    Attributes:
        path: its path on the server.
        name: its name on the visitor's machine.
        slot: GOLD or SYSTEM.
        kind: its kind.
        content: its content.
        columns: of a table; () for other files.
        count: rows of a table or entries of a JSON value; None if not meaningful.
    """

    path: str
    name: str
    slot: str
    kind: Format
    content: Content
    columns: tuple[str, ...] = ()
    count: int | None = None  # type: ignore[assignment]

    def serves(self, role: str) -> bool:
        """Whether it can serve as GOLD, SYSTEM or PROBABILITIES."""
        return role in self.kind.serves


def read_upload(path: str, name: str, slot: str, metric: str | None = None) -> Upload:
    """Read a file once and recognise its kind.

    Args:
        metric: the metric to compute, which decides the kind of tables and lists by id.

    Raises:
        InputError: too large, packed, binary, broken, or too many rows.
    """
    check_file(path, name)
    try:
        content = read_content(path, functools.partial(_check_rows, name))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(with_file_names(error, {path: name})) from error
    if isinstance(content.value, Lines):
        _check_lines(content.value, name)
    rows = content.value.get("data") if isinstance(content.value, dict) else None
    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
        _check_rows(name, rows)
    kind, table = find_format(content.value, metric), as_table(content.value)
    if kind.name == "labels" and "predictions" in roles_of(table) and "references" not in roles_of(table):
        kind = dataclasses.replace(kind, serves=frozenset([SYSTEM]))
    columns = tuple(table.columns) if table and (kind.is_table or kind.name in ("table", "text")) else ()
    count = _count(table if columns else content.value)
    check_count(name, count or 0, MAX_ROWS)
    return Upload(content.path, name, slot, kind, content, columns, count)


def check_file(path: str, name: str) -> None:
    """Refuse a file that is too large, packed, or neither text nor Parquet; a packed file could grow without bound.

    Raises:
        InputError: the message says what to upload instead.
    """
    size = Path(path).stat().st_size
    if size > MAX_FILE:
        raise InputError(f"{name}: {size / 1e6:,.0f} MB are too many; at most {MAX_FILE // 1_000_000} ({ELSEWHERE})")
    data = Path(path).read_bytes()
    if data.startswith(b"PAR1"):
        return _check_parquet(path, name)
    if told := message_on_other_content(data):
        raise InputError(f"{name}: {told}")
    packed = next((what for magic, what in _PACKED.items() if data.startswith(magic)), None)
    if packed:
        raise InputError(f"{name}: this is {packed}; unpack it and give the file inside")
    if is_arrow(data):
        raise InputError(f"{name}: this is an Arrow file; give it as Parquet")
    if not data.strip():
        raise InputError(f"{name}: this file is empty")
    if encoding := encoding_of(data):
        raise InputError(f"{name}: this file is {encoding}; save it as UTF-8, or give Parquet")
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}: this file is not text in UTF-8 (byte {data[error.start]:#04x} in line {line:,}); save it as "
            "UTF-8, or give Parquet"
        ) from None
    if b"\0" in data:
        raise InputError(f"{name}: this is a binary file; give JSON, JSONL, CSV, TSV, Parquet or TREC files")
    if data.count(b"{") + data.count(b"[") > 2 * MAX_VALUES:
        raise InputError(f"{name}: more than {2 * MAX_VALUES:,} lists and objects are too many ({ELSEWHERE})")
    if (
        data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in b"{["
        and max(_count_columns(data, delimiter) for delimiter in ",;\t") > MAX_COLUMNS
    ):
        _refuse_columns(name, "more than")


def _check_parquet(path: str, name: str) -> None:
    """Check the footer and the headers of pages before unpacking, then the texts in blocks."""
    import pyarrow as pa

    try:
        pages = count_pages(path)
        _check_unpacked(path, name, pages)
    except TooMuch as error:
        raise InputError(f"{name}: this Parquet file has too many parts ({error}); write it in one row group") from None
    except TooWide as error:
        _refuse_columns(name, f"{error.columns:,},")
    except (Broken, pa.ArrowException, OSError):
        raise InputError(f"{name}: this Parquet file is broken or cut off; export it again") from None
    finally:
        pa.default_memory_pool().release_unused()


def _check_unpacked(path: str, name: str, pages: Pages) -> None:
    from pyarrow import parquet

    values = sum(leaf.values for leaf in pages.leaves)
    check_count(name, pages.rows, MAX_ROWS)
    check_count(name, values, _MAX_CELLS, "values")
    sure = sum(leaf.least + (leaf.most_text if leaf.has_delta else 0) for leaf in pages.leaves)
    too_much = f"{name}: more than {_MAX_UNPACKED // 1_000_000} MB unpacked are too many ({ELSEWHERE})"
    if sure > _MAX_UNPACKED:
        if any(leaf.has_delta for leaf in pages.leaves):
            too_much += "; of text in delta encoding the most it can be is counted: write it in the usual encoding"
        raise InputError(too_much)
    file = parquet.ParquetFile(path)
    if sum(_padding(field.type, pages) for field in file.schema_arrow) > _MAX_UNPACKED:
        raise InputError(too_much)
    # The unpacked size of dictionaries depends on the indices.
    texts = [place for place, leaf in enumerate(pages.leaves) if leaf.most_text and not leaf.has_delta]
    if sure + sum(pages.leaves[place].most_text for place in texts) <= _MAX_UNPACKED:
        return
    columns = [file.schema.column(place).path for place in texts]
    for batch in parquet.ParquetFile(path, read_dictionary=columns).iter_batches(_BATCH, columns=columns):
        sure += sum(map(_text_size, batch.columns))
        if sure > _MAX_UNPACKED:
            raise InputError(too_much)


def _padding(kind: Any, pages: Pages, repeats: int = 1, is_inside: bool = False) -> int:
    """The maximum bytes that Arrow fills into missing lists of a column of fixed-size lists."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_fixed_size_list(kind):
        return _padding(kind.value_type, pages, repeats * kind.list_size, is_inside)
    if kind.num_fields:
        is_inside = is_inside or not pa.types.is_struct(kind)
        return sum(_padding(kind.field(place).type, pages, repeats, is_inside) for place in range(kind.num_fields))
    if repeats == 1:
        return 0
    try:
        width = kind.bit_width / 8
    except ValueError:  # missing values have no text
        width = 4
    slots = max(leaf.values for leaf in pages.leaves) if is_inside else pages.rows
    return int(slots * repeats * width)


def _text_size(column: Any) -> int:
    """The bytes of the texts of an Arrow column, counted per occurrence."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_struct(kind):
        return sum(map(_text_size, column.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _text_size(column.flatten())
    if pa.types.is_map(kind):
        return _text_size(column.keys) + _text_size(column.items)
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(column.dictionary).cast(pa.int64()).take(column.indices)
        return pc.sum(lengths).as_py() or 0
    return column.nbytes


def _check_rows(name: str, rows: list[dict]) -> None:
    """Refuse JSON rows with too many different names, which would become a table with as many columns as rows."""
    check_count(name, len(rows), MAX_ROWS)
    names = len(set().union(*rows))
    if names > MAX_COLUMNS and names * len(rows) > _MAX_CELLS:
        _refuse_columns(name, f"{names:,},")


def _count_columns(data: bytes, delimiter: str) -> int:
    """The number of names in a header, which may span several lines."""
    try:
        text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="")
        return len(next(csv.reader(text, delimiter=delimiter), ()))
    except csv.Error:  # the reader reports the problem
        return 0


def _check_lines(lines: Lines, name: str) -> None:
    """Check the number of lines before reading; in rows of labels an empty line counts too."""
    data = lines.source.read()
    count = data.count(b"\n")
    if count > MAX_ROWS and lines.kind != "xmc":
        count = sum(not is_comment(line) for line in data.split(b"\n"))
    if lines.kind != "xmc" or count > MAX_ROWS + 1:  # the first line has the sizes
        check_count(name, count, MAX_ROWS, "lines")


def _refuse_columns(name: str, count: str) -> None:
    raise InputError(f"{name}: too many columns ({count} at most {MAX_COLUMNS:,}); omit columns that nothing needs")


def _count(value: Any) -> int | None:
    """The number of rows or entries of a value, if these are scored."""
    if isinstance(value, Table):
        return len(next(iter(value.columns.values()), ()))
    if isinstance(value, dict):
        data = value.get("data")
        questions = value.get("questions")
        if isinstance(data, list):
            return _count_questions(data)
        return len(questions) if isinstance(questions, list) else len(value)
    return len(value) if isinstance(value, list) else None


def _count_questions(articles: list) -> int | None:
    """The number of questions of a SQuAD file; None for other values."""
    try:
        return sum(len(paragraph["qas"]) for article in articles for paragraph in article["paragraphs"])
    except (KeyError, TypeError):
        return None
