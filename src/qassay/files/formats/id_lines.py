"""Lines of ids without a header: query and document, with a relevance, a rank or a score; as of MS MARCO."""

import re
from typing import Any

import numpy as np

from ...core.arrow import numbers_of
from ...core.file_columns import Gold, Predictions
from ...core.remarks import remark
from ...retrieval_ranking.long import whole_ranks
from ..content import Content
from ..lines import Lines, is_comment, is_lines
from ..reading import FileError
from ..source import Source, decode
from . import Format
from ._runs import check_judgements
from .trec import Layout, read_lines

METRIC = "retrieval_ranking"
LINES_ORDER = 15  # between sparse rows of labels and lines of TREC
_SAMPLE = 20  # lines
_ID = re.compile(rb"[\w./#+-]*\d[\w./#+-]*")
_WHOLE = re.compile(rb"\d{1,9}")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COLUMNS = ("query", "document", "number")
_TRIPLES = Layout("query, document and number", _COLUMNS, _COLUMNS, False)
_RANKED = Layout(
    "query, document, rank and score", ("query", "document", "rank", "score"), ("query", "document", "score"), False
)


def find_lines(source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
    """The file as lines of ids; as `files.lines.find_lines`."""
    rows = [line.split() for line in lines if not is_comment(line)][:_SAMPLE]
    if len(set(map(len, rows))) != 1 or not all(_ID.fullmatch(cell) for row in rows for cell in row[:2]):
        return None
    kind = {2: "id_pairs", 3: "id_triples", 4: "id_ranks"}.get(len(rows[0]))
    if kind == "id_triples" and not all(_NUMBER.fullmatch(row[2]) for row in rows):
        return None
    if kind == "id_ranks" and not _are_ranked(rows):
        return None
    if kind is None:
        return None
    first = next(line for line in lines if not is_comment(line))
    cells = tuple(cell.decode() for cell in rows[0])
    return Lines(kind, cells, first.count(b"\t") == len(cells) - 1, source)


def _are_ranked(rows: list[list[bytes]]) -> bool:
    """Whether the third cells count from 1 in each query, and the fourth are scores, not all of them whole numbers."""
    if not all(_WHOLE.fullmatch(row[2]) and _NUMBER.fullmatch(row[3]) for row in rows):
        return False
    queries = [row[0] for row in rows]
    ranks = [queries[: number + 1].count(query) for number, query in enumerate(queries)]
    return [int(row[2]) for row in rows] == ranks and not all(_WHOLE.fullmatch(row[3]) for row in rows)


def _read_pairs(content: Content, names: Any) -> Gold:
    """Relevant documents of each query."""
    text = decode(content.path, content.value.source.read())
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if not cells or line.startswith("#"):
            continue
        if len(cells) != 2:
            raise FileError(
                content.path, f"line {number} has {len(cells)} cells, not query and document: {line[:60]!r}"
            )
        judgements.setdefault(cells[0], {})[cells[1]] = 1
    remark(f"{content.path}: there is no relevance here: every listed document is relevant")
    return Gold(content.path, "qrels", {"references": judgements}, {}, list(judgements), {})


def _read_judgements(content: Content, names: Any) -> Gold:
    table = read_lines(content, _TRIPLES).rename_columns(["query", "document", "relevance"])
    return Gold(content.path, "trec_qrels", {"references": table}, {}, table.column("query").unique().to_pylist(), {})


def _read_numbers(content: Content, gold: Gold, names: Any) -> Predictions:
    """Scores; ranks where every query begins with 1 and counts up."""
    import pyarrow as pa

    check_judgements(content.path, gold)
    table = read_lines(content, _TRIPLES)
    numbers, queries = numbers_of(table.column("number")), table.column("query").to_numpy()
    begins = np.append(True, queries[1:] != queries[:-1])
    if len(numbers) and (numbers[begins] == 1).all() and (np.diff(numbers)[~begins[1:]] == 1).all():
        remark(f"{content.path}: the third column counts from 1 in every query: read as ranks, 1 is best")
        numbers = -whole_ranks(numbers, "rank")
    table = table.set_column(2, "score", pa.array(numbers, pa.float64()))
    return Predictions(content.path, {"predictions": table})


def _read_ranked(content: Content, gold: Gold, names: Any) -> Predictions:
    check_judgements(content.path, gold)
    return Predictions(content.path, {"predictions": read_lines(content, _RANKED)})


PAIRS = Format("id_pairs", "lines of query and document", METRIC, is_lines("id_pairs"), order=1, read_gold=_read_pairs)
TRIPLES = Format(
    "id_triples",
    "lines of query, document and relevance, rank or score",
    METRIC,
    is_lines("id_triples"),
    order=1,
    read_gold=_read_judgements,
    read_predictions=_read_numbers,
)
RANKED = Format(
    "id_ranks",
    "lines of query, document, rank and score",
    METRIC,
    is_lines("id_ranks"),
    order=1,
    read_predictions=_read_ranked,
)
