"""Rankings in rows with one document, or one query with lists of documents: blocks of rows, scored query by query.

`qassay.cluster` brings the rows of a query together and knows nothing else about rankings. Here `types` maps columns of
the data set to Arrow types, and `columns` maps roles to columns of the data set: query, document, score, relevance, groups
(`Scores.groups`), and `by`, which divides the result. In the plain form, a row is a document, and columns have the names
of their roles.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.arrow import numbers_of
from ..core.columns import is_nan
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..core.shown import describe
from .fields import find_columns, ranking_roles, score_role, table_of
from .ids import first_repeated
from .long import LongRun, id_column, number_column, read_long_run, read_self_judged, table_judgements, to_arrow
from .nested import read_nested_judgements
from .scoring import RankingOptions, score_read

if TYPE_CHECKING:
    import pyarrow as pa


class ScoredQueries(NamedTuple):
    """The scored queries of a part; `labels` are the values of `by`, by query (None if the result is not divided)."""

    scores: Scores
    labels: dict[str, Any] | None


def columns_of(there: Sequence[str], given: Mapping[str, str], by: str | None, are_judged: bool) -> dict[str, str]:
    """`columns`: the given columns, and those `there` with usual names, except `by`; judged rows may lack a document.

    Raises:
        TypeError, ValueError: a given role that rankings do not have; or no column for a role.
    """
    roles = ("query", "document", "score", *(("relevance",) if are_judged else ()))
    known = (*roles, "groups")
    for name in given:
        if name not in known:
            raise TypeError(
                f"rankings have no column {name!r}{did_you_mean(name, known)}; they have: {', '.join(known)}"
            )
    usual = {name: None for name in there if name not in given.values() and name != by}
    found, columns = ranking_roles(usual), dict(given)
    for role in roles:
        if role in columns or (are_judged and role == "document" and role not in found):
            continue
        if role not in found:
            advice = "; or give the judgements as qrels" if role == "relevance" else ""
            if role == "score" and score_role(found, True) != "score":
                advice = "; of ranks and distances the lowest is best: add a column with the highest for the best"
            raise ValueError(
                f"the data set has no column for the {role}; it has: {', '.join(there)}; say which it is: "
                f"columns={{{role!r}: ...}}{advice}"
            )
        columns[role] = find_columns(usual, "the data set", (role,))[0]
    return columns


def are_together(types: Mapping[str, Any], columns: Mapping[str, str], options: RankingOptions) -> bool:
    """Whether a row holds all documents of a query; a ValueError if not and the options need the order of rows."""
    score = columns["score"]
    if score_role(ranking_roles([score]), options.lower_is_better) == "rank":
        raise ValueError(f"the column {score} has ranks, of which the lowest is best; give a column of scores")
    together = _is_listed(types[score])
    for name, value, other in (
        ("ties", "stable", "another order of ties"),
        ("duplicates", "first", "duplicates='best'"),
    ):
        if not together and getattr(options, name) == value:
            raise ValueError(
                f"{name}={value!r} needs the order of the rows, which the shuffle loses; give a row per query with lists "
                f"of documents and scores, or {other}"
            )
    return together


def plain_rows_of(block: "pa.Table", columns: Mapping[str, str]) -> "pa.Table":
    """A block in the plain form. A query with an empty list has no rows, like a query that is missing."""
    import pyarrow as pa

    arrays = {role: block.column(name) for role, name in columns.items()}
    if _is_listed(arrays["score"].type):
        arrays = _one_row_per_document(arrays)
    for role in ("query", "document") if "document" in arrays else ("query",):
        arrays[role] = id_column(arrays[role], columns[role]).cast(pa.string())
    for role in {"score", "relevance"} & arrays.keys():
        numbers = number_column(arrays[role], columns[role]).astype(np.float64)
        arrays[role] = pa.chunked_array([pa.array(numbers)])
    return pa.table(arrays)


def gold_table(gold: Any, groups: str | None = None, in_rows: bool = False) -> "pa.Table":
    """Judgements as columns: query, key (the same as text), document, relevance, and groups where they have them.

    Args:
        groups: the column of groups, where there is one.
        in_rows: whether the rows have that column too, so that judgements may lack it.
    """
    import pyarrow as pa

    table = table_of(gold, "qrels")
    if table is None:
        if not isinstance(gold, Mapping):
            raise TypeError(
                f"qrels must be a dict {{query: {{document: relevance}}}}, a table, paths or a ray.data.Dataset; got "
                f"{describe(gold)}"
            )
        empty = next((query for query, documents in gold.items() if not len(documents)), None)
        if empty is not None:
            raise ValueError(f"qrels: query {empty!r} has no judgements; omit it, or give its documents with 0")
        judged = read_nested_judgements(gold, {}, "error")
        queries = [judged.ids[row] for row in judged.query.tolist()]
        table = {"query": queries, "document": judged.listed, "relevance": judged.relevance}
    if groups is not None and groups not in table and not in_rows:
        raise ValueError(
            f"neither the data set nor qrels has the column {groups!r} (for groups){did_you_mean(groups, table)}; qrels has: "
            f"{', '.join(table)}; give qrels as a table with it"
        )
    others = {name: None for name in table if name != groups}
    if groups not in table or in_rows and "query" not in ranking_roles(others):  # it may be their name of the query
        groups, others = None, dict.fromkeys(table)
    names = find_columns(others, "qrels", ("query", "document", "relevance"), "score")
    query, document, relevance = (to_arrow(table[name], f"qrels[{name!r}]") for name in names)
    found = {
        "query": query,
        "key": id_column(query, "qrels query").cast(pa.string()),
        "document": id_column(document, "qrels document"),
        "relevance": pa.array(number_column(relevance, "qrels relevance").astype(np.float64)),
    }
    return pa.table(found if groups is None else {**found, "groups": to_arrow(table[groups], f"qrels[{groups!r}]")})


def score_examples(
    rows: "pa.Table", gold: "pa.Table | None", options: RankingOptions, by: str | None, integer_ids: bool
) -> ScoredQueries:
    """Score queries; all rows of each are given.

    Args:
        rows: in the plain form.
        gold: a `gold_table` of these and other queries; None if the rows are judged.
        by: the column of the data set that divides the result.
        integer_ids: the ids of queries are integers.
    """
    import pyarrow as pa

    labels = None if by is None else _labels_of_queries(rows, "query", "by", by)
    if gold is not None:
        judged = _judgements_of(gold, rows["query"])
        return ScoredQueries(_in_groups(_scored(rows, judged, options), rows, judged), labels)
    query = rows["query"].cast(pa.int64()) if integer_ids else rows["query"]
    table = {name: rows[name] for name in ("document", "score", "relevance") if name in rows.column_names}
    read = read_self_judged({"query": query, **table}, options.duplicates, options.lower_is_better)
    return ScoredQueries(_in_groups(score_read(*read, options)[0], rows), labels)


def score_without_rows(
    gold: "pa.Table", names: Sequence[str], options: RankingOptions, in_groups: bool = False
) -> Scores:
    """Score queries of a `gold_table` that have no rows; `in_groups`: queries have groups, which `gold` must contain."""
    import pyarrow as pa

    judged = _judgements_of(gold, pa.array(names, pa.string()))
    scores = _scored(None, judged, options)
    if in_groups and "groups" not in judged.column_names:
        judged = judged.append_column("groups", pa.nulls(judged.num_rows, pa.string()))
    return _in_groups(scores, judged)


def _judgements_of(gold: "pa.Table", queries: Any) -> "pa.Table":
    """The judgements of selected queries, by their ids as text."""
    import pyarrow.compute as pc

    return gold.filter(pc.is_in(gold["key"], value_set=pc.unique(queries)))


def _scored(rows: "pa.Table | None", judged: "pa.Table", options: RankingOptions) -> Scores:
    """The Scores of the queries of a block, of which any may lack rows or judgements."""
    judgements = table_judgements(*(judged[name] for name in ("query", "document", "relevance")))
    if rows is None:
        run = LongRun([], np.zeros(1, np.int64), judged["key"][:0], np.empty(0))
    else:
        table = {name: rows[name] for name in ("query", "document", "score")}
        run = read_long_run(table, None, options.lower_is_better)
    return score_read(run, judgements.checked(options.duplicates), options)[0]


def _in_groups(scores: Scores, *tables: "pa.Table") -> Scores:
    """Scores of queries with groups from these tables; refused if two tables differ."""
    grouped = [table for table in tables if "groups" in table.column_names]
    if not grouped:
        return scores
    labels: dict[str, Any] = {}
    for table in reversed(grouped):  # of qrels first
        query = "key" if "key" in table.column_names else "query"
        for name, label in _labels_of_queries(table, query, "groups", "groups").items():
            if label is not None and labels.setdefault(name, label) != label:
                raise ValueError(
                    f"query {name!r} has the group {label!r} in its rows, but {labels[name]!r} in qrels; give it one"
                )
    missing = next((name for name in scores.ids if str(name) not in labels), None)
    if missing is not None:
        raise ValueError(
            f"query {missing!r} has no group; give every query one in all of its rows, or as a column of qrels, which has "
            "queries without rows too"
        )
    return dataclasses.replace(scores, groups=Groups.of([labels[str(name)] for name in scores.ids], scores.ids))


def _is_listed(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _one_row_per_document(columns: dict[str, Any]) -> dict[str, Any]:
    """The rows of documents, from one row per query with lists; a null list counts as empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = {role: column.combine_chunks() for role, column in columns.items() if _is_listed(column.type)}
    lengths = {role: numbers_of(pc.fill_null(pc.list_value_length(column), 0)) for role, column in lists.items()}
    queries, counts = columns["query"].to_pylist(), lengths["score"]
    if len(set(queries)) < len(queries):
        raise ValueError(
            f"query {first_repeated(queries)[1]!r} has two rows with lists of documents; give each query one row with all "
            "of its documents"
        )
    for role, sizes in lengths.items():
        if (sizes != counts).any():
            row = int(np.argmax(sizes != counts))
            raise ValueError(
                f"query {queries[row]!r} has {sizes[row]} in its list of {role}, but {counts[row]} scores; give one score per "
                "document"
            )
    if "relevance" in lists and not counts.all():
        raise ValueError(
            f"query {queries[int(np.argmin(counts))]!r} has no documents, so its relevant documents are unknown; omit it, or "
            "give the judgements as qrels"
        )
    parents = pa.array(np.repeat(np.arange(len(counts)), counts), pa.int64())
    flat = {role: pa.chunked_array([pc.list_flatten(column)]) for role, column in lists.items()}
    return {role: flat[role] if role in flat else column.take(parents) for role, column in columns.items()}


def _labels_of_queries(run: "pa.Table", query: str, role: str, name: str) -> dict[str, Any]:
    """The value of a column for each query, by the text of the query; `name` is its name in messages."""
    import pyarrow as pa

    column = run[role]
    column = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if pa.types.is_nested(column.type) or pa.types.is_fixed_size_list(column.type):  # pyarrow 14 calls it not nested
        raise TypeError(f"{role}: the column {name!r} has {column.type}; give strings, numbers or nothing")
    pairs = pa.table({"query": run[query].cast(pa.string()), "by": column}).group_by(["query", "by"]).aggregate([])
    labels: dict[str, Any] = {}
    for identifier, value in zip(pairs["query"].to_pylist(), pairs["by"].to_pylist(), strict=True):
        value = None if is_nan(value) else value  # NaN does not count as a value
        if labels.setdefault(identifier, value) != value:
            raise ValueError(
                f"query {identifier!r} has {labels[identifier]!r} and {value!r} in the column {name!r}; {role} needs one value "
                "for all rows of a query"
            )
    return labels
