"""The documents of single queries, from judgements and runs of any size, for display and not for scoring."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from .scoring import RankingOptions

_Rows = dict[str, list[tuple[str, float | None]]]  # query -> documents with their number, in the order given


def relevant_documents(judged: Any, ids: Sequence, options: "RankingOptions", most: int) -> list[list[str]]:
    """The relevant documents of selected queries, most relevant first, at most `most` for each query.

    Args:
        judged: the references of `score_rankings`, or the predictions, if these contain judgements.
        ids: ids of the queries, as in the scores.
    """
    rows = _rows_of(judged, "references", "relevance", ids)
    documents = []
    for query in map(str, ids):
        relevant = [pair for pair in rows.get(query, []) if _worth(pair) >= options.relevance_level]
        relevant.sort(key=_worth, reverse=True)
        documents.append([document for document, _ in relevant[:most]])
    return documents


def judged_documents(judged: Any, ids: Sequence) -> list[dict[str, float]]:
    """The judgements of selected queries: document -> relevance, which is 1 for the documents of a list."""
    rows = _rows_of(judged, "references", "relevance", ids)
    return [{pair[0]: _worth(pair) for pair in rows.get(query, [])} for query in map(str, ids)]


def first_documents(ran: Any, judged: Any, ids: Sequence, options: "RankingOptions", most: int) -> list[list[str]]:
    """The first documents of some queries, in the order in which they are scored; with ties="expected" documents of
    the same score are in the order of trec_eval.

    Args:
        ran, judged: predictions and references of `score_rankings`; None if the predictions judge themselves.
    """
    rows = _rows_of(ran, "predictions", "score", ids, judged, options.lower_is_better)
    looks_at_judgements = options.judged_only or options.ties in ("best", "worst")
    judgements: _Rows = {}
    if looks_at_judgements:
        judgements = _rows_of(ran if judged is None else judged, "references", "relevance", ids)
    documents = []
    for query in map(str, ids):
        relevance = {pair[0]: _worth(pair) for pair in judgements.get(query, [])}
        ranked = rows.get(query, [])
        if options.judged_only:
            ranked = [pair for pair in ranked if relevance.get(pair[0], -1) >= 0]
        if options.drop_identical_ids:
            ranked = [pair for pair in ranked if pair[0] != query]
        if options.duplicates == "first":
            first: dict[str, tuple[str, float | None]] = {}
            for pair in ranked:
                first.setdefault(pair[0], pair)
            ranked = list(first.values())
        in_order = dict.fromkeys(document for document, _ in _in_order(ranked, relevance, options))
        documents.append(list(in_order)[:most])
    return documents


def _in_order(
    pairs: list[tuple[str, float | None]], relevance: Mapping[str, float], options: "RankingOptions"
) -> list[tuple[str, float | None]]:
    import numpy as np

    if any(score is None for _, score in pairs):  # a ranking without scores keeps its order
        return pairs
    if options.ties in ("best", "worst"):
        pairs = sorted(pairs, key=lambda pair: relevance.get(pair[0], 0), reverse=options.ties == "best")
    elif options.ties != "stable":
        pairs = sorted(pairs, reverse=True, key=lambda pair: pair[0])
    to_float: Any = np.float32 if options.score_dtype == "float32" else float
    return sorted(pairs, key=lambda pair: to_float(pair[1]), reverse=True)


def _worth(pair: tuple[str, float | None]) -> float:
    """The relevance of a document; in a list of relevant ones it is 1."""
    return 1.0 if pair[1] is None else pair[1]


def _rows_of(
    column: Any, name: str, role: str, ids: Sequence, other: Any = None, lower_is_better: bool = False
) -> _Rows:
    """The documents of selected queries with their number (`role`), the highest for the best, from any layout that
    `score_rankings` accepts; `other` is the other side.
    """
    from .tables import table_of

    query_ids = set(map(str, ids))
    table = table_of(column, name)
    if table is not None:
        return _rows_of_table(table, name, role, query_ids, other, lower_is_better)
    if isinstance(column, Mapping):
        rows = {str(query): _pairs(documents) for query, documents in column.items() if str(query) in query_ids}
    else:
        rows = {str(place): _pairs(column[place]) for place in ids if isinstance(place, int) and place < len(column)}
    return _turned(rows) if lower_is_better else rows


def _turned(rows: _Rows) -> _Rows:
    return {query: [(name, None if score is None else -score) for name, score in own] for query, own in rows.items()}


def _pairs(documents: Any) -> list[tuple[str, float | None]]:
    if isinstance(documents, Mapping):
        return [(str(document), number) for document, number in documents.items()]
    if any(isinstance(document, (list, tuple)) for document in documents):  # beside its score
        return [(str(document), number) for document, number in documents]
    return [(str(document), None) for document in documents]


def _rows_of_table(
    table: Mapping[str, Any], name: str, role: str, query_ids: set[str], other: Any, lower_is_better: bool
) -> _Rows:
    from .tables import column_of, document_column, ranking_roles, score_role

    document: Any = column_of(table, "document") and document_column(table, name, other)
    ranked_by = score_role(ranking_roles(table), lower_is_better) if role == "score" else role
    number: Any = column_of(table, ranked_by) or column_of(table, "score")
    query_column: Any = column_of(table, "query")
    query = _texts(table[query_column], name)
    picked = _rows_among(query, query_ids)
    queries = query.take(picked).to_pylist()
    numbers = _chunked(table[number], name).take(picked).to_pylist()
    rows_by_query: _Rows = {}
    documents = None if document is None else _texts(table[document], name).take(picked).to_pylist()
    for row, (query_id, value) in enumerate(zip(queries, numbers, strict=True)):
        rows = rows_by_query.setdefault(query_id, [])
        rows.append((str(len(rows)) if documents is None else documents[row], value))
    return _turned(rows_by_query) if lower_is_better or ranked_by == "rank" else rows_by_query


def _chunked(column: Any, name: str) -> "pa.ChunkedArray":
    from .tables import to_arrow

    return to_arrow(column, name)


def _texts(column: Any, name: str) -> "pa.ChunkedArray":
    """Ids as strings; integers as their digits."""
    import pyarrow as pa

    column = _chunked(column, name)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return column.cast(pa.string() if pa.types.is_integer(kind) else kind)


def _rows_among(column: "pa.ChunkedArray", query_ids: set[str]) -> "pa.Array":
    """The rows whose id is one of `query_ids`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.indices_nonzero(pc.is_in(column, value_set=pa.array(sorted(query_ids), column.type)))
