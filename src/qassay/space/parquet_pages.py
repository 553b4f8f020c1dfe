"""The unpacked size of a Parquet file, counted from its pages.

A footer may claim any size, and with dictionaries a few kB can unpack to TBs. Nothing is unpacked here: only the footer
and the headers of pages are read, which are in Thrift's compact protocol.
Layout: https://parquet.apache.org/docs/file-format/
"""

import dataclasses
import mmap
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_FOOTER = 1_000_000  # bytes; pyarrow needs 250 times as much memory
MAX_CHUNKS = 20_000  # columns of all row groups
MAX_PAGES = 100_000
MAX_COLUMNS = 1_000
MAX_HEADER = 1_000_000  # bytes of the header of a page; without texts of statistics it has about 100
MAX_PARSED = 5_000_000  # bytes of the headers of all pages, without texts
_WINDOW = 1_000  # bytes of a page read first for its header
_MAX_DEPTH = 20  # depth of nested structures and lists; Parquet's structures have 5
_TEXT = 6  # BYTE_ARRAY
_FIXED = 7  # FIXED_LEN_BYTE_ARRAY
_WIDTHS = {
    0: 1,
    1: 4,
    2: 8,
    3: 12,
    4: 4,
    5: 8,
    _TEXT: 4,
}  # physical type -> bytes of a value; for text bytes of its offset
_DECIMAL = 32  # bytes of a value in any encoding
_DICTIONARY, _DELTA = (2, 8), 7  # encodings
_DATA_PAGES = {0: 5, 3: 8}  # kind of page -> field of its header with its contents
_DICTIONARY_PAGE, _DICTIONARY_HEADER = 2, 7


class TooMuch(ValueError):
    """More row groups or pages, or a larger footer, than a harmless file has."""


class TooWide(ValueError):
    """More columns than the limit; the argument is their number."""

    def __init__(self, columns: int):
        super().__init__(f"{columns:,} columns, at most {MAX_COLUMNS:,}")
        self.columns = columns


class Broken(ValueError):
    """Not valid Parquet."""


@dataclasses.dataclass
class Leaf:
    """A column, or a part of a nested column.

    Attributes:
        is_text: texts or bytes of any length.
        values: their number, including nulls and empty lists.
        width: bytes of a value; for text bytes of its offset.
        plain: bytes of its pages.
        most_text: the maximum unpacked bytes of text in dictionaries and deltas.
        has_delta: each text is stored as the difference from the previous text.
    """

    is_text: bool
    width: int
    values: int = 0
    plain: int = 0
    most_text: int = 0
    has_delta: bool = False

    @property
    def least(self) -> int:
        """The unpacked bytes without text in dictionaries and deltas."""
        return self.plain + self.values * self.width

    @property
    def most(self) -> int:
        """The maximum unpacked bytes."""
        return self.least + self.most_text


class Pages(NamedTuple):
    """A file: its number of rows, and its columns in order, with each part of nested columns."""

    rows: int
    leaves: list[Leaf]


def count_pages(path: str) -> Pages:
    """Count the contents of the pages of a Parquet file.

    Raises:
        TooMuch: row groups, pages or footer above the limits. TooWide: too many columns.
        Broken: not Parquet, an offset outside the file, or columns that are larger than the file together.
    """
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _count(data)
        except (IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise Broken("its parts do not fit together") from error


def _count(data: mmap.mmap) -> Pages:
    end = len(data) - 8
    size = int.from_bytes(data[end : end + 4], "little")
    if data[:4] != b"PAR1" or data[end + 4 :] != b"PAR1" or not 0 < size <= end - 4:
        raise Broken("its end is missing")
    if size > MAX_FOOTER:
        raise TooMuch(f"its footer has {size:,} bytes, at most {MAX_FOOTER:,}")
    footer = _Compact(data[end - size : end]).structure()
    groups, leaves = footer[4], [_leaf(element) for element in footer[2][1:] if not element.get(5)]
    chunks = sum(len(group[1]) for group in groups)
    if chunks > MAX_CHUNKS:
        raise TooMuch(f"{chunks:,} columns in all of its row groups, at most {MAX_CHUNKS:,}")
    if len(leaves) > MAX_COLUMNS:
        raise TooWide(len(leaves))
    sizes = [chunk[3][7] for group in groups for chunk in group[1]]
    # Bytes shared by several columns would be read again for each column.
    if min(sizes, default=0) < 0 or sum(sizes) > len(data):
        raise Broken("its columns are larger than the file together")
    left = _Left()
    for group in groups:
        for leaf, chunk in zip(leaves, group[1], strict=False):
            _add_chunk(leaf, chunk[3], group[3], data, left)
    return Pages(max(footer[3], sum(group[3] for group in groups)), leaves)


def _leaf(element: dict[int, Any]) -> Leaf:
    """A column from its element of the schema."""
    kind = element[1]
    is_decimal = element.get(6) == 5 or 5 in element.get(10, ())
    width = max(0, element[2]) if kind == _FIXED else _WIDTHS[kind]
    return Leaf(kind == _TEXT, max(width, _DECIMAL) if is_decimal else width)


@dataclasses.dataclass
class _Left:
    """The remaining budget of a file: pages, and bytes of their headers."""

    pages: int = dataclasses.field(default_factory=lambda: MAX_PAGES)
    parsed: int = dataclasses.field(default_factory=lambda: MAX_PARSED)

    def take(self, parsed: int) -> None:
        """Subtract one page and the bytes of its header."""
        self.pages -= 1
        self.parsed -= parsed
        if self.pages < 0:
            raise TooMuch(f"more than {MAX_PAGES:,} pages")
        if self.parsed < 0:
            raise TooMuch(f"more than {MAX_PARSED:,} bytes in the headers of its pages")


def _add_chunk(leaf: Leaf, chunk: dict[int, Any], rows: int, data: mmap.mmap, left: _Left) -> None:
    """Add the pages of a column in one row group.

    Args:
        rows: number of rows of the row group, for which memory is reserved.
        left: the remaining budget; it is reduced.
    """
    start = chunk[9]
    if 0 < chunk.get(11, 0) < start:
        start = chunk[11]
    end = start + chunk[7]
    if not 0 <= start <= end <= len(data):
        raise Broken("a column lies outside the file")
    seen = dictionary = 0
    for header, body in _headers(data, start, end, left):
        size = header[2]
        if min(size, header[3]) < 0:
            raise Broken("a page of a negative size")
        leaf.plain += size if leaf.is_text or header[1] == _DICTIONARY_PAGE else 0
        if header[1] == _DICTIONARY_PAGE:
            dictionary = max(dictionary, size)
            leaf.plain += max(0, header[_DICTIONARY_HEADER][1]) * leaf.width
        elif header[1] in _DATA_PAGES:
            page = header[_DATA_PAGES[header[1]]]
            values, encoding = page[1], page[4] if header[1] else page[2]
            if values < 0:
                raise Broken("a page with a negative number of values")
            seen += values
            # Even a nearly empty page is unpacked completely.
            leaf.plain += 0 if leaf.is_text else max(0, size - values * leaf.width)
            if leaf.is_text and encoding in _DICTIONARY:
                leaf.most_text += values * dictionary
            elif leaf.is_text and encoding == _DELTA:
                leaf.most_text += values * size
                leaf.has_delta = True
            if seen >= chunk[5]:
                break
        if body + header[3] > end:
            raise Broken("a page is cut off")
    leaf.values += max(seen, rows, 0)


def _headers(data: mmap.mmap, start: int, end: int, left: _Left) -> Iterator[tuple[dict[int, Any], int]]:
    """The header of each page, and the place after it where the page begins."""
    while start < end:
        header, reader = _header(data, start, end)
        left.take(reader.place - reader.skipped)
        yield header, start + reader.place
        start += reader.place + header[3]


def _header(data: mmap.mmap, start: int, end: int) -> tuple[dict[int, Any], "_Compact"]:
    """The header of a page, and its reader; more bytes of the page are read only for long statistics."""
    window, end = _WINDOW, min(end, start + MAX_HEADER)
    while True:
        reader = _Compact(data[start : min(end, start + window)])
        try:
            return reader.structure(), reader
        except IndexError:
            if start + window >= end:
                raise Broken(f"the header of a page is cut off, or has more than {MAX_HEADER:,} bytes") from None
            window *= 4


class _Compact:
    """Thrift's compact protocol: structures as dicts, field number -> value.

    Attributes:
        place: the place read so far.
        skipped: number of bytes before that place that were skipped.
    """

    def __init__(self, data: bytes):
        self.data, self.place, self.skipped = data, 0, 0

    def structure(self, depth: int = 0) -> dict[int, Any]:
        if depth > _MAX_DEPTH:
            raise Broken("it is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = head & 15 == 1 if head & 15 in (1, 2) else self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 12:
            return self.structure(depth + 1)
        if kind == 8:
            return self._skip(self._unsigned())
        if kind in (9, 10):
            if depth > _MAX_DEPTH:
                raise Broken("it is nested too deeply")
            head = self._byte()
            count = self._unsigned() if head >> 4 == 15 else head >> 4
            if count > len(self.data) - self.place:
                raise IndexError
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind in (1, 2, 3):
            return self._byte()
        if kind == 7:
            return self._skip(8)
        raise Broken("it has values of an unknown kind")

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _skip(self, size: int) -> None:
        if size > len(self.data) - self.place:
            raise IndexError
        self.place += size
        self.skipped += size

    def _unsigned(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise Broken("it has a number of more than 64 bits")
        return number | byte << shift

    def _integer(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)
