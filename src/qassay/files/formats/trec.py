"""Lines of rankings: judgements and runs of TREC, and lines of ids as of MS MARCO, as Arrow tables.

Columns end at any white space, as in trec_eval.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrow import arrow_integers, numbers_of
from ...core.columns import counted, spelled
from ...core.file_columns import Gold, Predictions
from ...core.remarks import collected, remark
from ...retrieval_ranking.fields import KNOWN_NAMES
from ...retrieval_ranking.long import check_ranks, whole_ranks
from ..content import Content
from ..lines import Lines, filled_cells, is_comment, is_lines
from ..reading import to_number
from ..source import BOM, Source, decode
from . import Format
from ._documents import all_relevant, check_judgements

if TYPE_CHECKING:
    import pyarrow as pa

METRIC = "retrieval_ranking"
_SAMPLE = 20  # lines by which the layout is recognised
_BLOCK = 1 << 22  # bytes per block: large enough for speed, small where an odd line has it read in a loop
_PART = 1 << 20  # bytes that one thread parses
_SLICE = 1 << 18  # bytes that fit into the processor cache
_SMALL = 1 << 14  # bytes of the first lines, whose ranks are compared with their scores
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(rb"[+-]?\d+")
_RANK = re.compile(rb"\d{1,9}")
_NUMBER_COLUMNS = ("relevance", "score", "number")  # the columns of numbers that are read
_ID = re.compile(rb"[\w./#+-]*\d[\w./#+-]*")


class Layout:
    """The columns of a line, and those of them that are read: ids, and maybe a number at the end."""

    def __init__(self, text: str, *names: str):
        self.text, self.names = text, names
        self.read = [name for name in names if name in ("query", "document", *_NUMBER_COLUMNS)]
        self.number = self.read[-1] if self.read[-1] in _NUMBER_COLUMNS else ""

    def fits(self, size: int) -> bool:
        """Whether a line can have so many columns; a tag may have several words."""
        return size == len(self.names) or self.names[-1] == "tag" and size > len(self.names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """The columns that are read, and their types."""
        import pyarrow as pa

        return {name: pa.float64() if name == self.number else pa.string() for name in self.read}


LAYOUTS = {
    "trec_qrels": Layout("TREC qrels", "query", "iteration", "document", "relevance"),
    "trec_run": Layout("a TREC run", "query", "Q0", "document", "rank", "score", "tag"),
    "id_pairs": Layout("lines of query and document", "query", "document"),
    "id_triples": Layout("lines of query, document and relevance, rank or score", "query", "document", "number"),
    "id_ranks": Layout("lines of query, document, rank and score", "query", "document", "rank", "score"),
}


# --- which layout -----------------------------------------------------------------------------------------------------


def lines_of_rankings(source: Source, lines: list[bytes]) -> Lines | None:
    """The file as lines of rankings, recognised by its first lines; None if it is none."""
    lines = [line for line in lines if not is_comment(line)][: _SAMPLE + 1]
    has_header = len(lines) > 1 and _is_header(lines[0])
    lines = lines[has_header:][:_SAMPLE]
    kind = (None if has_header else _kind_of_ids([line.split() for line in lines])) or _kind_of_lines(lines)
    if kind is None:
        return None
    first = next(line for line in lines if kind.startswith("id_") or _kind_of(line) == kind)
    return Lines(kind, tuple(cell.decode("utf-8", "replace") for cell in first.split()), source, has_header)


def _is_header(line: bytes) -> bool:
    """Whether a line with blanks between its cells names the columns of a run or of judgements."""
    names = [cell.decode("utf-8", "replace") for cell in line.split()]
    known = {*KNOWN_NAMES, "iter", "iteration", "q0", "tag", "run_id", "runid"}
    return b"\t" not in line and len(names) > 3 and known.issuperset(map(spelled, names))


def _kind_of_ids(rows: list[list[bytes]]) -> str | None:
    """The kind of lines of ids: query and document, with a number, or with a rank and a score; None for other lines."""
    if len(set(map(len, rows))) != 1 or not all(_ID.fullmatch(cell) for row in rows for cell in row[:2]):
        return None
    size = len(rows[0])
    if size == 4:  # ranks count from 1 in each query, and not all scores are whole numbers, as relevances are
        queries = [row[0] for row in rows]
        counts = [b"%d" % queries[: number + 1].count(query) for number, query in enumerate(queries)]
        are_ranked = [row[2] for row in rows] == counts and all(_NUMBER.fullmatch(row[3]) for row in rows)
        return "id_ranks" if are_ranked and not all(_RANK.fullmatch(row[3]) for row in rows) else None
    if size == 3:
        return "id_triples" if all(_NUMBER.fullmatch(row[2]) for row in rows) else None
    return "id_pairs" if size == 2 else None


def _kind_of_lines(lines: list[bytes]) -> str | None:
    """The kind of at least half of the lines; None if the first line is of another kind and looks like a header."""
    kinds = [_kind_of(line) for line in lines]
    kind = max(filter(None, kinds), key=kinds.count, default=None)
    if kind is None or 2 * kinds.count(kind) < len(kinds):
        return None
    is_broken = kind in LAYOUTS and any(map(_NUMBER.fullmatch, lines[0].split()[1:]))
    return kind if kinds[0] == kind or is_broken else None


def _kind_of(line: bytes) -> str | None:
    cells = line.split(b"\t")
    if len(cells) == 3 and _WHOLE.fullmatch(cells[2].strip()):
        return "nlpcc"
    for cells in (filled_cells(line), line.split()):
        are_numbers = [_NUMBER.fullmatch(cell) is not None for cell in cells]
        size = len(cells)
        if size >= 6 and all(are_numbers[3:5]) or size >= 5 and cells[1] == b"Q0" and any(are_numbers[3:5]):
            return "trec_run"
        if size in (1, 4) and are_numbers[-1]:
            return "numbers" if size == 1 else "trec_qrels"
    return None


# --- lines to tables --------------------------------------------------------------------------------------------------


def read_lines(content: Content) -> pa.Table:
    """The columns of the layout that are read, of all lines.

    Raises:
        FileError: a line that does not fit; the message names it.
    """
    import pyarrow as pa

    lines: Lines = content.value
    layout = LAYOUTS[lines.kind]
    number, tables = 1 + lines.has_header, []
    with lines.source.open() as file:
        if file.read(len(BOM)) != BOM:
            file.seek(0)
        if lines.has_header:
            file.readline()
        while block := file.read(_BLOCK):
            block += file.readline()
            table = _read_even_lines(block.replace(b"\r\n", b"\n") if b"\r" in block else block, lines, layout)
            if table is None:  # a line differs from the others: read line by line
                odd = enumerate(io.BytesIO(block), number)
                rows = [_cells(content.path, layout, line, index) for index, line in odd if not is_comment(line)]
                columns = list(map(list, zip(*rows, strict=True))) or [[] for _ in layout.read]
                table = pa.table(columns, schema=pa.schema(layout.types))
            tables.append(table)
            number += block.count(b"\n")
    return pa.concat_tables(tables)


def _read_even_lines(block: bytes, lines: Lines, layout: Layout) -> pa.Table | None:
    """Lines with one tab each between columns, or one space, at once, as nearly all files are; None if a line is another, a
    comment or blank, does not fit, or a number is infinite.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    delimiter, others = (b"\t", b" \v\f\r") if b"\t" in block else (b" ", b"\v\f\r")
    is_commented = b"#" in block and b"\n#" in b"\n" + block  # quickly, where no "#" is
    if (
        block[:1].isspace()
        or block[-1:] == delimiter
        or is_commented
        or any(bytes([blank]) in block for blank in others)
    ):
        return None
    characters = np.frombuffer(block, np.uint8)
    for start in range(0, len(characters), _SLICE):
        is_blank = characters[start : start + _SLICE + 1] <= 32
        if (is_blank[1:] & is_blank[:-1]).any():
            return None
    size = len(lines.first) if layout.fits(len(lines.first)) else len(layout.names)
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=[*layout.names, *map(str, range(size - len(layout.names)))], block_size=_PART),
            csv.ParseOptions(delimiter=delimiter.decode(), quote_char=False, double_quote=False),
            csv.ConvertOptions(
                include_columns=layout.read, column_types=layout.types, null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    is_wild = layout.number and pc.any(pc.is_inf(table.column(layout.number))).as_py()  # written so, or too large?
    return None if is_wild else table


def _cells(path: str, layout: Layout, line: bytes, number: int) -> list[Any]:
    """The columns of a line that are read."""
    cells, tabbed = line.split(), filled_cells(line)
    last = layout.names.index(layout.read[-1])
    cut = next((cell for cell in tabbed[:last] if len(cell.split()) > 1), None)
    if cut is not None and len(tabbed) > last and _NUMBER.fullmatch(tabbed[last]):
        raise ValueError(
            f"line {number}: a blank ends a column of {layout.text}, as in trec_eval, but {_beginning(cut)} between tabs "
            "has one inside; give ids without blanks, or a table with a line of column names (query, document, ...)",
        )
    if not layout.fits(len(cells)):
        raise ValueError(
            f"line {number} has {counted(len(cells), 'columns')}, not the {len(layout.names)} of {layout.text} "
            f"({' '.join(layout.names)}): {_beginning(line)}",
        )
    found: list[Any] = [decode(path, cells[layout.names.index(name)], number) for name in layout.read]
    if layout.number:
        try:
            found[-1] = to_number(found[-1])
        except ValueError:
            raise ValueError(
                f"line {number}: {found[-1][:60]!r} is not a number; column {last + 1} of {layout.text} is the "
                f"{layout.number}: {_beginning(line)}",
            ) from None
    return found


def _beginning(line: bytes) -> str:
    text = line.strip().decode("utf-8", "replace")
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


# --- gold and runs ----------------------------------------------------------------------------------------------------


def _read_gold(content: Content, names: Any) -> Gold:
    """Judgements; of pairs of ids every listed document is relevant."""
    kind, table = content.value.kind, read_lines(content)
    if kind == "id_pairs":
        remark(f"{content.path}: there is no relevance here: every listed document is relevant")
        table = table.group_by(table.column_names, use_threads=False).aggregate([])  # each pair once
        table = all_relevant(table)
    elif kind == "id_triples":
        table = table.rename_columns(["query", "document", "relevance"])
    return Gold(content.path, "trec_qrels", {"references": table}, {}, table.column("query").unique().to_pylist(), {})


def _read_run(content: Content, gold: Gold, names: Any) -> Predictions:
    """A run, `query Q0 document rank score tag`; query, document and score are read, as by trec_eval.

    Of the first lines also the rank, for a warning where the scores contradict it. The tag is the sixth field of the first
    line; what follows it is ignored.
    """
    check_judgements(gold)
    table, lines = read_lines(content), content.value
    if lines.kind == "id_triples":
        return Predictions(content.path, {"predictions": _with_scores(content.path, table)})
    if lines.kind == "id_ranks":
        return Predictions(content.path, {"predictions": table})
    with lines.source.open() as file:
        first = file.read(_SMALL).removeprefix(BOM).split(b"\n")[lines.has_header : -1]
    ranks = [line.split()[3] for line in first if not is_comment(line)]
    if all(map(_RANK.fullmatch, ranks)):  # else they are no ranks
        columns = {name: table.column(name).slice(0, len(ranks)) for name in table.column_names}
        columns["rank"] = arrow_integers(np.array(ranks).astype(np.int64))
        with collected() as found:
            check_ranks(columns, lower_is_better=bool(gold.options.get("lower_is_better")))
        for text in found:
            remark(f"{content.path}: in its first lines {text}")
    return Predictions(content.path, {"predictions": table}, lines.first[5] if len(lines.first) > 5 else None)


def _with_scores(path: str, table: pa.Table) -> pa.Table:
    """Numbers as scores, or as ranks where every query begins with 1 and counts up."""
    import pyarrow as pa

    numbers, queries = numbers_of(table.column("number")), table.column("query").to_numpy()
    begins = np.append(True, queries[1:] != queries[:-1])
    if len(numbers) and (numbers[begins] == 1).all() and (np.diff(numbers)[~begins[1:]] == 1).all():
        remark(f"{path}: the third column counts from 1 in every query: read as ranks, 1 is best")
        numbers = -whole_ranks(numbers, "rank")
    return table.set_column(2, "score", pa.array(numbers, pa.float64()))


def _format(kind: str, **readers: Any) -> Format:
    return Format(kind, LAYOUTS[kind].text, METRIC, is_lines(kind), order=1, **readers)


QRELS = _format("trec_qrels", read_gold=_read_gold)
RUN = _format("trec_run", read_predictions=_read_run)
PAIRS = _format("id_pairs", read_gold=_read_gold)
TRIPLES = _format("id_triples", read_gold=_read_gold, read_predictions=_read_run)
RANKED = _format("id_ranks", read_predictions=_read_run)
