"""The files of TREC: judgements (qrels) and runs, as Arrow tables."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..core.arrow import arrow_integers
from ..core.columns import counted
from ..core.file_columns import Gold, Predictions
from ..files.content import Content
from ..files.lines import BOM, Lines, filled_cells, is_comment
from ..files.reading import FileError, to_number
from ..files.source import decode_cell, reading
from .ranking_lines import is_number
from .tables import check_ranks

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22  # bytes per block: large enough for speed, small compared with the table
_LINE = 1 << 16  # bytes of a block reserved for the rest of its last line
_SMALL = 1 << 14  # bytes of lines that are read in a loop if one of them is irregular
_SLICE = 1 << 18  # bytes that fit into the processor cache
_COMMENT = re.compile(rb"\n[ \t]*#[^\n]*")
_AROUND_TABS = re.compile(rb"[ \v\f]*\t[ \t\v\f]*")
_AROUND_ENDS = re.compile(rb"[ \t\v\f]*\n[ \t\v\f\n]*")
_BLANKS = bytes.maketrans(b"\t\v\f\r", b"    ")


@dataclasses.dataclass(frozen=True)
class _Layout:
    """The columns of a line."""

    text: str
    names: tuple[str, ...]
    picked: tuple[str, ...]  # ids, and the number
    may_have_more: bool

    @property
    def value(self) -> str:
        """The column of numbers."""
        return self.picked[-1]

    def fits(self, size: int) -> bool:
        return size == len(self.names) or (self.may_have_more and size > len(self.names))


_QRELS = _Layout(
    "TREC qrels", ("query", "iteration", "document", "relevance"), ("query", "document", "relevance"), False
)
_RUN = _Layout("a TREC run", ("query", "Q0", "document", "rank", "score", "tag"), ("query", "document", "score"), True)
_PREFS_NAMES = ("query", "judge", "part", "document", "relevance")
_PREFS = _Layout("TREC preferences", _PREFS_NAMES, _PREFS_NAMES, False)


def read_trec_qrels(content: Content) -> Gold:
    """Judgements, `query iteration document relevance`; the second is not read, the relevance may have decimals."""
    table = _read_table(content, _QRELS)
    ids = table.column("query").unique().to_pylist()
    return Gold(content.path, "trec_qrels", {"references": table}, {}, ids, {})


def read_trec_prefs(content: Content) -> Gold:
    """Preferences, `query judge part document relevance`, in the words of trec_eval "qid ujg ujsubg docno rel_level"."""
    table = _read_table(content, _PREFS)
    ids = table.column("query").unique().to_pylist()
    return Gold(content.path, "trec_prefs", {"references": table}, {}, ids, {})


def read_trec_run(content: Content, gold: Gold) -> Predictions:
    """A run, `query Q0 document rank score tag`; query, document and score are read, as by trec_eval.

    Of the first lines also the rank, for a warning where the scores contradict it.

    The tag is the sixth field of the first line; what follows it is ignored.
    """
    cell = content.value.first[5] if len(content.value.first) > 5 else ""
    tag, *_ = cell.encode().split() or [b""]  # spaces end the field, even if columns are separated by tabs
    table = _read_table(content, _RUN)
    with reading(content.path), content.value.source.open() as file:
        lines = file.read(_SMALL).removeprefix(BOM).split(b"\n")[:-1]
    ranks = [line.split()[3] for line in lines if not is_comment(line)]
    if all(rank.isdigit() and len(rank) < 10 for rank in ranks):  # else they are no ranks
        first = table.slice(0, len(ranks))
        columns = dict(zip(first.column_names, first.columns, strict=True))
        columns["rank"] = arrow_integers(np.array(ranks).astype(np.int64))
        check_ranks(columns, lower_is_better=bool(gold.options.get("lower_is_better")))
    return Predictions(content.path, {"predictions": table}, tag.decode() or None)


def _read_table(content: Content, layout: _Layout) -> pa.Table:
    import pyarrow as pa

    with reading(content.path):
        with content.value.source.open() as file:
            _skip_bom(file)
            table = _read_columns(file, content.value, layout)
        if table is None:  # a line differs from the first ones: the loop reads it, or reports it
            with content.value.source.open() as file:
                _skip_bom(file)
                table = pa.concat_tables(_read_blocks(file, content, layout))
    return table


def _skip_bom(file: BinaryIO) -> None:
    if file.read(len(BOM)) != BOM:
        file.seek(0)


def _read_columns(file: BinaryIO, lines: Lines, layout: _Layout) -> pa.Table | None:
    """All lines at once; None if one does not fit, an id holds a blank or a number is infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    picked = list(layout.picked)
    clean = _CleanLines(file, lines.has_tabs)
    size = len(lines.first) if layout.fits(len(lines.first)) else len(layout.names)
    try:
        table = csv.read_csv(
            clean,
            csv.ReadOptions(
                column_names=[*layout.names, *map(str, range(size - len(layout.names)))], block_size=_BLOCK
            ),
            csv.ParseOptions(
                delimiter="\t" if lines.has_tabs else " ",
                quote_char=False,
                double_quote=False,
            ),
            csv.ConvertOptions(
                include_columns=picked,
                column_types=_types(layout),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    if clean.has_blanks and any(map(_has_blanks, (chunk for ids in table.columns[:-1] for chunk in ids.chunks))):
        return None
    if pc.any(pc.is_inf(table.column(layout.value))).as_py():  # written so, or too large?
        return None
    return table


class _CleanLines(io.RawIOBase):
    """Blocks of whole lines without comments, with a single tab or a single space between columns.

    Blocks that already have this form, as in nearly all files, are only checked. `has_blanks`: columns between tabs may
    hold blanks.
    """

    def __init__(self, file: BinaryIO, has_tabs: bool):
        self._file, self._has_tabs, self.has_blanks = file, has_tabs, False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while block := self._file.read(max(1, size - _LINE)):
            block += self._file.readline()
            if self._has_tabs:
                self.has_blanks |= any(blank in block for blank in (b" ", b"\v", b"\f", b"\r"))
                block = _with_single_tabs(block)
            else:
                block = _with_single_blanks(block)
            if b"#" in block:
                block = _COMMENT.sub(b"", b"\n" + block)
            if block:
                return block
        return b""


def _with_single_blanks(block: bytes) -> bytes:
    at_ends = block[:1].isspace() or block[-1:] in (b" ", b"\r")
    has_others = any(blank in block for blank in (b"\t", b"\v", b"\f", b"\r"))
    if not (at_ends or has_others or _has_doubled_blanks(block)):
        return block
    block = block.translate(_BLANKS)
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.strip().replace(b" \n", b"\n").replace(b"\n ", b"\n") + b"\n"


def _with_single_tabs(block: bytes) -> bytes:
    """The same for columns between tabs, which may have blanks around them; those inside a column stay."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    if not (block[:1].isspace() or block[-1:] in (b" ", b"\t") or _has_doubled_blanks(block)):
        return block
    return _AROUND_ENDS.sub(b"\n", _AROUND_TABS.sub(b"\t", block)).strip() + b"\n"


def _has_doubled_blanks(block: bytes) -> bool:
    characters = np.frombuffer(block, np.uint8)
    for start in range(0, len(characters), _SLICE):
        is_blank = characters[start : start + _SLICE + 1] <= 32
        if (is_blank[1:] & is_blank[:-1]).any():
            return True
    return False


def _has_blanks(ids: pa.Array) -> bool:
    buffer = ids.buffers()[2]
    characters = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
    return any((characters[start : start + _SLICE] <= 32).any() for start in range(0, len(characters), _SLICE))


def _read_blocks(file: BinaryIO, content: Content, layout: _Layout) -> Iterator[pa.Table]:
    """The same block by block, so that only the lines around an odd one are read in a loop."""
    number = 1
    while block := file.read(_BLOCK):
        block += file.readline()
        yield from _read_block(block, number, content, layout)
        number += block.count(b"\n")


def _read_block(block: bytes, number: int, content: Content, layout: _Layout) -> Iterator[pa.Table]:
    """Whole lines, the first with this number; if one is odd, half of them at a time."""
    table = _read_columns(io.BytesIO(block), content.value, layout)
    half = block.find(b"\n", len(block) // 2) + 1
    if table is not None:
        yield table
    elif len(block) <= _SMALL or half in (0, len(block)):
        yield _read_line_by_line(block, number, content, layout)
    else:
        yield from _read_block(block[:half], number, content, layout)
        yield from _read_block(block[half:], number + block.count(b"\n", 0, half), content, layout)


def _read_line_by_line(block: bytes, number: int, content: Content, layout: _Layout) -> pa.Table:
    """The same in a loop over lines: slower, but accepts irregular lines."""
    import pyarrow as pa

    columns: list[list[Any]] = [[] for _ in layout.picked]
    for place, line in enumerate(io.BytesIO(block), number):
        if not is_comment(line):
            for column, cell in zip(columns, _cells(content, layout, line, place), strict=True):
                column.append(cell)
    return pa.table(columns, schema=pa.schema(_types(layout)))


def _types(layout: _Layout) -> dict[str, pa.DataType]:
    import pyarrow as pa

    return {name: pa.float64() if name == layout.value else pa.string() for name in layout.picked}


def _cells(content: Content, layout: _Layout, line: bytes, number: int) -> tuple[Any, ...]:
    """The picked columns of a line."""
    cells = line.split()
    ids = [layout.names.index(name) for name in layout.picked[:-1]]
    place = layout.names.index(layout.value)
    tabbed = filled_cells(line)
    cut = next((cell for cell in tabbed[:place] if len(cell.split()) > 1), None)
    if cut is not None and len(tabbed) > place and is_number(tabbed[place]):
        raise FileError(
            content.path,
            f"line {number}: a blank ends a column of {layout.text}, as in trec_eval, but {_beginning(cut)} between tabs "
            "has one inside; give ids without blanks, or a table with a line of column names (query, document, ...)",
        )
    if not layout.fits(len(cells)):
        raise FileError(
            content.path,
            f"line {number} has {counted(len(cells), 'columns')}, not the {len(layout.names)} of {layout.text} "
            f"({' '.join(layout.names)}): {_beginning(line)}",
        )
    *texts, value = (decode_cell(content.path, cells[column], number) for column in (*ids, place))
    try:
        return *texts, to_number(value)
    except ValueError:
        raise FileError(
            content.path,
            f"line {number}: {value[:60]!r} is not a number; column {place + 1} of {layout.text} is the {layout.value}: "
            f"{_beginning(line)}",
        ) from None


def _beginning(line: bytes) -> str:
    text = line.strip().decode("utf-8", "replace")
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
