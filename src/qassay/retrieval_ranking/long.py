"""Runs and judgements in tables with a row per document, which stay Arrow columns until the judged documents are ranked."""

import dataclasses
from collections.abc import Iterator, Mapping
from itertools import compress
from typing import Any

import numpy as np

from ..core.arrow import arrow_integers, numbers_of
from ..core.columns import check_lengths, is_unicode, to_list
from ..core.errors import about
from ..core.remarks import remark
from ..core.shown import describe, shown
from .counting import Block, refuse_score
from .fields import column_of, find_columns, ranking_roles, score_role
from .ids import blocks_of, match_in_segments, once_in_segments, split_queries
from .judgements import Judgements

_MOST_BYTES = 1 << 31  # bytes of a column of type string, above which rows cannot be selected
_CONTAINERS = (list, tuple, dict, set, frozenset)


# --- reading ----------------------------------------------------------------------------------------------------------


def read_long_run(table: Mapping[str, Any], duplicates: str, lower_is_better: bool) -> "LongRun":
    """A run with the columns query, document and score (or rank, or distance)."""
    query, document = _columns(table, "predictions", *find_columns(table, "predictions", ("query", "document")))
    return _long_run(table, query, document, duplicates, lower_is_better)


def read_long_judgements(table: Mapping[str, Any], duplicates: str) -> Judgements:
    """Judgements with the columns query, document and relevance."""
    names = find_columns(table, "references", ("query", "document", "relevance"), "score")
    query, document, relevance = _columns(table, "references", *names)
    return long_judgements(query, document, relevance, duplicates)


def read_self_judged(table: Mapping[str, Any], duplicates: str, lower_is_better: bool) -> tuple["LongRun", Judgements]:
    """A table with a label for each score; without a column of documents, the row numbers are the documents."""
    import pyarrow as pa

    query, relevance = _columns(table, "predictions", *find_columns(table, "predictions", ("query", "relevance")))
    check_lengths(query=query, relevance=relevance)
    name = column_of(table, "document")
    if name is not None:
        (document,) = _columns(table, "predictions", name)
    else:
        _, offsets, order = split_queries(id_column(query, "predictions query"))
        position = np.arange(len(query)) - np.repeat(offsets[:-1], np.diff(offsets))
        if order is not None:
            position[order] = position.copy()
        document = pa.chunked_array([arrow_integers(position)])
    run = _long_run(table, query, document, duplicates, lower_is_better)
    with about("references"):
        judgements = long_judgements(query, document, relevance, duplicates)
    return run, dataclasses.replace(judgements, from_run=True)


def check_ranks(table: Mapping[str, Any], lower_is_better: bool) -> None:
    """Warn if the scores of a run contradict its ranks.

    Args:
        table: the columns query, document, score and rank.
    """
    if len(table["query"]):
        query, document = _columns(table, "predictions", "query", "document")
        _long_run(table, query, document, "error", lower_is_better)  # duplicates are found when it is scored


def _columns(table: Mapping[str, Any], side: str, *names: str) -> list[Any]:
    return [to_arrow(table[name], f"{side}[{name!r}]") for name in names]


def _long_run(table: Mapping[str, Any], query: Any, document: Any, duplicates: str, lower_is_better: bool) -> "LongRun":
    if not len(query):
        raise ValueError("the run is empty: the table of predictions has no rows")
    roles = ranking_roles(table)
    role = score_role(roles, lower_is_better)
    (name,) = find_columns(table, "predictions", (role,))
    (column,) = _columns(table, "predictions", name)
    check_lengths(query=query, document=document, score=column)
    score = number_column(column, f"predictions {role}")
    if role == "rank":
        score = -whole_ranks(score, f"predictions[{name!r}]")
    elif lower_is_better:
        score = -score.astype(np.float64)
    document = id_column(document, "predictions document")
    keys, offsets, order = split_queries(id_column(query, "predictions query"))
    if order is not None:
        document, score = document.take(arrow_integers(order)), score[order]
    run = LongRun(keys, offsets, document, score, np.zeros(len(keys), np.int64))
    if role != "rank" and len(roles.get("rank", ())) == 1:
        _remark_ranks(run, table[roles["rank"][0]], order, roles["rank"][0])
    return run if duplicates == "error" else run.once_each(duplicates)


def long_judgements(query: Any, document: Any, relevance: Any, duplicates: str) -> Judgements:
    """Judgements from columns."""
    import pyarrow as pa

    check_lengths(query=query, document=document, relevance=relevance)
    document, numbers = id_column(document, "references document"), number_column(relevance, "references relevance")
    keys, offsets, order = split_queries(id_column(query, "references query"))
    numbers = numbers.astype(np.float64)
    if order is not None:
        document, numbers = document.take(arrow_integers(order)), numbers[order]
    kind = query.type.value_type if pa.types.is_dictionary(query.type) else query.type
    ids = list(map(int, keys)) if pa.types.is_integer(kind) else keys
    return Judgements(ids, keys, offsets, document, numbers).checked(duplicates)


def whole_ranks(ranks: np.ndarray, name: str) -> np.ndarray:
    """Ranks, 1 for the best, as float64; a ValueError for one that is not a whole number."""
    odd = np.flatnonzero(~np.isfinite(ranks) | (ranks % 1 != 0))
    if len(odd):
        raise ValueError(
            f"{name}[{odd[0]}] is {ranks[odd[0]]:g}; ranks are whole numbers, 1 for the best: give a column of scores"
        )
    return ranks.astype(np.float64)


def _remark_ranks(run: "LongRun", column: Any, order: np.ndarray | None, name: str) -> None:
    """Warn if scores contradict ranks: of two neighbouring rows of a query, or its last and its first, the one with the
    lower score has the better rank.
    """
    import pyarrow as pa

    try:
        rank = number_column(to_arrow(column, name).cast(pa.float64()), name)
    except (TypeError, ValueError, pa.ArrowInvalid):  # ranks that are not scored may be anything
        return
    rank = rank if order is None else rank[order]
    following = np.arange(1, len(rank) + 1)
    following[run.offsets[1:] - 1] = run.offsets[:-1]
    score, next_rank, next_score = run.score, rank[following], run.score[following]
    turned = np.flatnonzero((rank < next_rank) & (score < next_score) | (rank > next_rank) & (score > next_score))
    if not len(turned):
        return
    queries = np.unique(np.searchsorted(run.offsets, turned, "right") - 1)
    best, last = sorted((turned[0], following[turned[0]]), key=rank.__getitem__)
    documents = run.document.take(arrow_integers(np.array([best, last]))).to_pylist()
    remark(
        f"the scores of the run contradict its column {name}: query {shown(run.keys[queries[0]])} has {shown(documents[0])} at "
        f"rank {rank[best]:g}, but {shown(documents[1])} at rank {rank[last]:g} has the better score (so in "
        f"{len(queries)} of {len(run.keys)} queries); the scores count: repair the wrong column, or, where the lowest score is "
        "best, set lower_is_better"
    )


# --- the run ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class LongRun:
    """One row per retrieved document, query after query.

    Attributes:
        keys: the query ids as text.
        offsets: int64 (q + 1,), the rows of query i are at offsets[i]:offsets[i + 1] of `document` and `score`.
        document: ids, a pyarrow.ChunkedArray of strings.
        score: numbers, the highest for the best.
        repeated: int64 (q,), how many duplicate documents of each query were left out.
    """

    keys: list[str]
    offsets: np.ndarray
    document: Any
    score: np.ndarray
    repeated: np.ndarray

    def scores_and_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """The scores (n,), and how many each query has."""
        return self.score, np.diff(self.offsets)

    def pairs(self, row: int) -> list[tuple[str, float]]:
        """The documents of a query with their scores."""
        first, last = self.offsets[row : row + 2]
        return list(
            zip(self.document.slice(first, last - first).to_pylist(), self.score[first:last].tolist(), strict=True)
        )

    def once_each(self, duplicates: str) -> "LongRun":
        """The run without duplicate documents, of which the "first" or the "best" counts."""
        rows = once_in_segments(self.document, self.offsets, self.score if duplicates == "best" else None)
        offsets, document = np.searchsorted(rows, self.offsets), self.document.take(arrow_integers(rows))
        return LongRun(self.keys, offsets, document, self.score[rows], np.diff(self.offsets) - np.diff(offsets))

    def blocks(self, rows: np.ndarray, judged: Judgements, drop_identical_ids: bool) -> Iterator[Block]:
        """Blocks of rankings with the judged documents in them, which are found by fingerprints; see `NestedRun.blocks`."""
        query_of = np.full(len(self.keys), -1)
        query_of[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        run, query_of = self._of_judged_queries(query_of, drop_identical_ids)
        segment_of = np.full(len(rows), -1)
        segment_of[query_of] = np.arange(len(query_of))
        segment = segment_of[judged.query]
        there = np.flatnonzero(segment >= 0)
        there = there[np.argsort(segment[there], kind="stable")]
        names = [judged.ids[query] for query in query_of.tolist()]
        requested = judged.binary.take(arrow_integers(there))
        found, row = match_in_segments(run.document, run.offsets, requested, segment[there], names)
        found = there[found]
        segment = segment[found]
        for first, last in blocks_of(run.offsets):
            base, stop = int(run.offsets[first]), int(run.offsets[last])
            scores = run.score[base:stop].astype(np.float64, copy=False)
            bad = np.flatnonzero(np.isnan(scores))
            if len(bad):
                at = base + int(bad[0])
                name = names[np.searchsorted(run.offsets, at, "right") - 1]
                refuse_score(name, run.document[at].as_py(), float("nan"))

            def ids(rows: np.ndarray, base: int = base) -> list[str]:
                texts: list[str] = run.document.take(arrow_integers(rows + base)).to_pylist()
                return texts

            low, high = np.searchsorted(segment, (first, last))
            at_rows, offsets = row[low:high] - base, run.offsets[first : last + 1] - base
            its_segment, score = segment[low:high] - first, scores[at_rows]
            yield Block(query_of[first:last], offsets, scores, found[low:high], its_segment, score, at_rows, ids)

    def _of_judged_queries(self, query_of: np.ndarray, drop_identical_ids: bool) -> tuple["LongRun", np.ndarray]:
        """The run without the rows that do not count, and the judged query of each of its segments."""
        import pyarrow as pa
        import pyarrow.compute as pc

        sizes = np.diff(self.offsets)
        counted = np.repeat(query_of >= 0, sizes)
        if drop_identical_ids:
            query = pa.array(self.keys, self.document.type).take(
                arrow_integers(np.repeat(np.arange(len(sizes)), sizes))
            )
            counted &= numbers_of(pc.not_equal(self.document, query).cast(pa.int8())) == 1
        if counted.all():
            return self, query_of
        sizes = np.add.reduceat(counted, self.offsets[:-1], dtype=np.int64)
        filled = sizes > 0
        document, score = self.document.take(arrow_integers(np.flatnonzero(counted))), self.score[counted]
        keys, offsets = list(compress(self.keys, filled.tolist())), np.concatenate([[0], np.cumsum(sizes[filled])])
        return LongRun(keys, offsets, document, score, self.repeated[filled]), query_of[filled]


# --- columns ----------------------------------------------------------------------------------------------------------


def to_arrow(column: Any, name: str) -> Any:
    """A column of a table as a pyarrow.ChunkedArray.

    Raises:
        TypeError: values of mixed types, or of a type that Arrow lacks. ValueError: text with lone surrogates.
    """
    import pyarrow as pa

    if hasattr(column, "to_arrow"):  # a column of a polars data frame
        column = column.to_arrow()
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        is_array = isinstance(column, np.ndarray) or hasattr(column, "__array__") and hasattr(column, "dtype")
        if not is_array or not getattr(column, "ndim", 1):
            column = to_list(column, name)
        if isinstance(column, list) and not set(map(type, column)).isdisjoint(_CONTAINERS):
            row = next(row for row, item in enumerate(column) if isinstance(item, _CONTAINERS))
            raise TypeError(f"{name}[{row}] must be a string or a number, got {describe(column[row])}")
        if getattr(column, "ndim", 1) != 1:
            raise TypeError(f"{name} must be a column with one item per row, got {describe(column)}")
        try:
            column = pa.array(column)
        except Exception as error:  # noqa: BLE001 - pyarrow, and the classes of values, have errors of many kinds
            raise _not_a_column(list(column), name, error) from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _not_a_column(items: list[Any], name: str, error: Exception) -> Exception:
    """The error for values that Arrow does not make a column of: what is wrong with the first odd one."""
    for row, item in enumerate(items):
        if isinstance(item, str) and not is_unicode(item):
            return ValueError(f"{name}[{row}] holds text that is not valid Unicode, {shown(item)}; repair it")
    message = f"{name} must contain strings, or numbers of at most 64 bits"
    for row, item in enumerate(items):
        if type(item) is not type(items[0]):
            both = f"{describe(items[0])} and in row {row} {describe(item)}"
            message = f"{name} must contain values of one type, got {both}"
            break
    return TypeError(f"{message} ({error})"[:500])


def id_column(column: Any, name: str) -> Any:
    """A ChunkedArray of ids as strings (string or large_string) without gaps; integers become their digits.

    Raises:
        TypeError: ids of another type. ValueError: a gap, with its row.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        raise ValueError(
            f"{name}[{column.is_null().to_pylist().index(True)}] is None; give every row an id, a string or an integer"
        )
    kind = column.type
    is_view = hasattr(pa, "string_view") and kind == pa.string_view()  # from pyarrow 16 on
    if is_view or pa.types.is_integer(kind) or pa.types.is_string(kind) and column.nbytes > _MOST_BYTES:
        return column.cast(pa.large_string())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    first = column[0].as_py() if len(column) else None
    raise TypeError(
        f"{name} holds {kind} (the first: {describe(first)}); ids are strings, or integers that stand for their digits"
    )


def number_column(column: Any, name: str) -> np.ndarray:
    """A column of numbers as a numpy array, NaN in its gaps."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        first = column[0].as_py() if len(column) else None
        raise TypeError(f"{name} holds {kind} (the first: {describe(first)}); give numbers")
    return numbers_of(column)
