"""The files of TREC: judgements (qrels) and runs, as Arrow tables."""

from __future__ import annotations

import dataclasses
import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrow import arrow_integers
from ...core.columns import counted, spelled
from ...core.file_columns import Gold, Predictions
from ...retrieval_ranking.fields import KNOWN_NAMES
from ...retrieval_ranking.long import check_ranks
from ..content import Content
from ..lines import BOM, Lines, filled_cells, is_comment, is_lines
from ..reading import FileError, to_number
from ..source import Source, decode_cell, reading
from . import Format
from ._runs import check_judgements

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22  # bytes per block: large enough for speed, small where an odd line has it read in a loop
_PART = 1 << 20  # bytes that one thread parses
_SMALL = 1 << 14  # bytes of the first lines, whose ranks are compared with their scores
_SLICE = 1 << 18  # bytes that fit into the processor cache
_COMMENT = re.compile(rb"\n[ \t]*#[^\n]*")
_AROUND_TABS = re.compile(rb"[ \v\f]*\t[ \t\v\f]*")
_AROUND_ENDS = re.compile(rb"[ \t\v\f]*\n[ \t\v\f\n]*")
_BLANKS = bytes.maketrans(b"\t\v\f\r", b"    ")

LINES_ORDER = 20
_SAMPLE = 20  # lines
_NUMBER = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_WHOLE_NUMBER = re.compile(rb"\s*[+-]?\d+\s*")


def find_lines(source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
    """The file as lines of rankings; as `files.lines.find_lines`."""
    lines = [line.rstrip(b"\r") for line in lines if not is_comment(line)][:_SAMPLE]
    has_header = len(lines) > 1 and _is_header(lines[0])
    lines = lines[has_header:]
    kinds = [_kind_of(line) for line in lines]
    kind = max(filter(None, kinds), key=kinds.count, default=None)
    if kind is None or 2 * kinds.count(kind) < len(kinds) or not (kinds[0] == kind or _is_broken(lines[0], kind)):
        return None
    if kind == "trec_prefs" and not _compares(lines):
        return None
    first = lines[kinds.index(kind)]
    cells = filled_cells(first)
    has_tabs = len(cells) >= {"trec_qrels": 4, "trec_prefs": 5}.get(kind, 5)
    cells = cells if has_tabs else first.split()
    return Lines(kind, tuple(cell.decode("utf-8", "replace") for cell in cells), has_tabs, source, has_header)


def _is_header(line: bytes) -> bool:
    """Whether a line with blanks between its cells names the columns of a run or of judgements."""
    names = [cell.decode("utf-8", "replace") for cell in line.split()]
    known = {*KNOWN_NAMES, "iter", "iteration", "q0", "tag", "run_id", "runid"}
    return b"\t" not in line and len(names) > 3 and known.issuperset(map(spelled, names))


def _kind_of(line: bytes) -> str | None:
    cells = line.split(b"\t")
    if len(cells) == 3 and _WHOLE_NUMBER.fullmatch(cells[2]):
        return "nlpcc"
    for fields in (filled_cells(line), line.split()):
        if len(fields) == 4 and _NUMBER.fullmatch(fields[3]):
            return "trec_qrels"
        if len(fields) >= 6 and _NUMBER.fullmatch(fields[3]) and _NUMBER.fullmatch(fields[4]):
            return "trec_run"
        if len(fields) >= 5 and fields[1] == b"Q0" and any(map(_NUMBER.fullmatch, fields[3:5])):
            return "trec_run"
        if len(fields) == 5 and _NUMBER.fullmatch(fields[4]):
            return "trec_prefs"
        if len(fields) == 1 and _NUMBER.fullmatch(fields[0]):
            return "numbers"
    return None


def _is_number(cell: bytes) -> bool:
    """Whether a cell is a number, as the columns of numbers tell judgements and runs."""
    return _NUMBER.fullmatch(cell) is not None


def _compares(lines: list[bytes]) -> bool:
    """Whether two of the lines have the same query, judge and part, as sentences of five words hardly are."""
    groups = [tuple(fields[:3]) for line in lines if len(fields := line.split()) == 5]
    return len(set(groups)) < len(groups)


def _is_broken(first: bytes, kind: str) -> bool:
    """Whether a first line of a different kind is a broken line and not a header: it contains a number."""
    return kind in ("trec_qrels", "trec_prefs", "trec_run") and any(map(_NUMBER.fullmatch, first.split()[1:]))


@dataclasses.dataclass(frozen=True)
class Layout:
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


_QRELS = Layout(
    "TREC qrels", ("query", "iteration", "document", "relevance"), ("query", "document", "relevance"), False
)
_RUN = Layout("a TREC run", ("query", "Q0", "document", "rank", "score", "tag"), ("query", "document", "score"), True)
_PREFS_NAMES = ("query", "judge", "part", "document", "relevance")
_PREFS = Layout("TREC preferences", _PREFS_NAMES, _PREFS_NAMES, False)


def _trec_qrels(content: Content, names: Any) -> Gold:
    """Judgements, `query iteration document relevance`; the second is not read, the relevance may have decimals."""
    table = read_lines(content, _QRELS)
    ids = table.column("query").unique().to_pylist()
    return Gold(content.path, "trec_qrels", {"references": table}, {}, ids, {})


def _trec_prefs(content: Content, names: Any) -> Gold:
    """Preferences, `query judge part document relevance`, in the words of trec_eval "qid ujg ujsubg docno rel_level"."""
    table = read_lines(content, _PREFS)
    ids = table.column("query").unique().to_pylist()
    return Gold(content.path, "trec_prefs", {"references": table}, {}, ids, {})


def _trec_run(content: Content, gold: Gold, names: Any) -> Predictions:
    """A run, `query Q0 document rank score tag`; query, document and score are read, as by trec_eval.

    Of the first lines also the rank, for a warning where the scores contradict it.

    The tag is the sixth field of the first line; what follows it is ignored.
    """
    check_judgements(content.path, gold)
    cell = content.value.first[5] if len(content.value.first) > 5 else ""
    tag, *_ = cell.encode().split() or [b""]  # spaces end the field, even if columns are separated by tabs
    table = read_lines(content, _RUN)
    with reading(content.path), content.value.source.open() as file:
        lines = file.read(_SMALL).removeprefix(BOM).split(b"\n")[:-1]
    ranks = [line.split()[3] for line in lines[content.value.has_header :] if not is_comment(line)]
    if all(rank.isdigit() and len(rank) < 10 for rank in ranks):  # else they are no ranks
        first = table.slice(0, len(ranks))
        columns = dict(zip(first.column_names, first.columns, strict=True))
        columns["rank"] = arrow_integers(np.array(ranks).astype(np.int64))
        check_ranks(columns, lower_is_better=bool(gold.options.get("lower_is_better")))
    return Predictions(content.path, {"predictions": table}, tag.decode() or None)


def read_lines(content: Content, layout: Layout) -> pa.Table:
    """The picked columns of all lines.

    Raises:
        FileError: a line that does not fit; the message names it.
    """
    import pyarrow as pa

    number, tables = 1 + content.value.has_header, []
    with reading(content.path), content.value.source.open() as file:
        if file.read(len(BOM)) != BOM:
            file.seek(0)
        if content.value.has_header:
            file.readline()
        while block := file.read(_BLOCK):
            block += file.readline()
            table = _read_columns(block, content.value, layout)
            if table is None:  # a line differs from the others: the loop reads it, or reports it
                table = _read_line_by_line(block, number, content, layout)
            tables.append(table)
            number += block.count(b"\n")
    return pa.concat_tables(tables)


def _read_columns(block: bytes, lines: Lines, layout: Layout) -> pa.Table | None:
    """The lines of a block at once; None if one does not fit, an id holds a blank or a number is infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    size = len(lines.first) if layout.fits(len(lines.first)) else len(layout.names)
    try:
        table = csv.read_csv(
            pa.BufferReader(_clean(block, lines.has_tabs)),
            csv.ReadOptions(column_names=[*layout.names, *map(str, range(size - len(layout.names)))], block_size=_PART),
            csv.ParseOptions(
                delimiter="\t" if lines.has_tabs else " ",
                quote_char=False,
                double_quote=False,
            ),
            csv.ConvertOptions(
                include_columns=list(layout.picked),
                column_types=_types(layout),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    may_have_blanks = lines.has_tabs and any(blank in block for blank in (b" ", b"\v", b"\f", b"\r"))
    if may_have_blanks and any(map(_has_blanks, (chunk for ids in table.columns[:-1] for chunk in ids.chunks))):
        return None
    if pc.any(pc.is_inf(table.column(layout.value))).as_py():  # written so, or too large?
        return None
    return table


def _clean(block: bytes, has_tabs: bool) -> bytes:
    """Lines without comments, with a single tab or a single space between columns.

    Blocks that already have this form, as in nearly all files, are only checked.
    """
    block = _with_single_tabs(block) if has_tabs else _with_single_blanks(block)
    return _COMMENT.sub(b"", b"\n" + block) if b"#" in block else block


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


def _read_line_by_line(block: bytes, number: int, content: Content, layout: Layout) -> pa.Table:
    """The same in a loop over lines: slower, but accepts irregular lines."""
    import pyarrow as pa

    columns: list[list[Any]] = [[] for _ in layout.picked]
    for index, line in enumerate(io.BytesIO(block), number):
        if not is_comment(line):
            for column, cell in zip(columns, _cells(content, layout, line, index), strict=True):
                column.append(cell)
    return pa.table(columns, schema=pa.schema(_types(layout)))


def _types(layout: Layout) -> dict[str, pa.DataType]:
    import pyarrow as pa

    return {name: pa.float64() if name == layout.value else pa.string() for name in layout.picked}


def _cells(content: Content, layout: Layout, line: bytes, number: int) -> tuple[Any, ...]:
    """The picked columns of a line."""
    cells = line.split()
    ids = [layout.names.index(name) for name in layout.picked[:-1]]
    index = layout.names.index(layout.value)
    tabbed = filled_cells(line)
    cut = next((cell for cell in tabbed[:index] if len(cell.split()) > 1), None)
    if cut is not None and len(tabbed) > index and _is_number(tabbed[index]):
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
    *texts, value = (decode_cell(content.path, cells[column], number) for column in (*ids, index))
    try:
        return *texts, to_number(value)
    except ValueError:
        raise FileError(
            content.path,
            f"line {number}: {value[:60]!r} is not a number; column {index + 1} of {layout.text} is the {layout.value}: "
            f"{_beginning(line)}",
        ) from None


def _beginning(line: bytes) -> str:
    text = line.strip().decode("utf-8", "replace")
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


QRELS = Format("trec_qrels", "TREC qrels", "retrieval_ranking", is_lines("trec_qrels"), order=1, read_gold=_trec_qrels)
PREFERENCES = Format(
    "trec_prefs",
    "TREC preferences (query, judge, part, document, relevance)",
    "retrieval_ranking",
    is_lines("trec_prefs"),
    order=1,
    read_gold=_trec_prefs,
)
RUN = Format("trec_run", "a TREC run", "retrieval_ranking", is_lines("trec_run"), order=1, read_predictions=_trec_run)
