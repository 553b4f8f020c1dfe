"""Rankings in rows with one document, or one query with lists of documents: blocks of rows, scored query by query.

`qassay.cluster` brings the rows of a query together and knows nothing else about rankings. Here `types` maps columns of
the data set to Arrow types, and `columns` maps roles to columns of the data set: query, document, score, relevance, groups
(`Scores.groups`), and `by`, which divides the result. In the plain form, a row is a document, and columns have the names
of their roles.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.arrow import distinct_texts, id_kind, item_type
from ..core.columns import is_nan
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..core.shown import describe
from .fields import column_of, find_columns, ranking_roles, score_role, table_of
from .scoring import RankingOptions, score_rankings
from .tables import id_column, number_column, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

_GUARD = -(1 << 62)  # an artificial query in every block


class ScoredQueries(NamedTuple):
    """The scored queries of a part.

    `labels` are the values of `by`, by query (None if the result is not divided); `with_gold` are the queries that have
    both rows and judgements.
    """

    scores: Scores
    labels: dict[str, Any] | None
    with_gold: list[str]


class RankingRowGroups:
    """Queries, whose rows are documents or lists of them, and judgements."""

    def roles_of(self, given: Mapping[str, str], has_gold: bool) -> tuple[str, ...]:
        """The roles that must have a column, with relevance if the rows are judged; a TypeError for other `given` columns."""
        roles = ("query", "document", "score", *(("relevance",) if has_gold else ()))
        known = (*roles, "groups")
        for name in given:
            if name not in known:
                raise TypeError(
                    f"rankings have no column {name!r}{did_you_mean(name, known)}; they have: {', '.join(known)}"
                )
        return roles

    def all_columns(
        self, there: Sequence[str], given: Mapping[str, str], by: str | None, roles: Sequence[str]
    ) -> dict[str, str]:
        """`columns`: the given columns, and those `there` with usual names, except `by`; judged rows may lack a document.

        Raises:
            ValueError: there is none for one of `roles`.
        """
        columns = dict(given)
        judged = "relevance" in roles
        usual = {name: None for name in there if name not in columns.values() and name != by}
        for role in roles:
            if role not in columns and not (judged and role == "document" and column_of(usual, role) is None):
                if role not in ranking_roles(usual):
                    if role == "score" and {"rank", "distance"} & ranking_roles(usual).keys():
                        raise ValueError(
                            "the data set has ranks or distances, of which the lowest is best, but no scores; add a column "
                            f"score with the highest for the best; it has: {', '.join(there)}"
                        )
                    advice = "; or give the judgements as qrels" if role == "relevance" else ""
                    raise ValueError(
                        f"the data set has no column for the {role}; it has: {', '.join(there)}; say which it is: "
                        f"columns={{{role!r}: ...}}{advice}"
                    )
                columns[role] = find_columns(usual, "the data set", (role,))[0]
        return columns

    def are_together(self, types: Mapping[str, Any], columns: Mapping[str, str], options: RankingOptions) -> bool:
        """Whether a row holds all documents of a query; a ValueError if not and the options need the order of rows."""
        score = columns["score"]
        if score_role(ranking_roles([score]), options.lower_is_better) == "rank":
            raise ValueError(f"the column {score} has ranks, of which the lowest is best; give a column of scores")
        together = _is_listed(types[columns["score"]])
        if not together and options.ties == "stable":
            raise ValueError(
                "ties='stable' needs the order of the rows, which the shuffle loses; give a row per query with lists of "
                "documents and scores, or another order of ties"
            )
        if not together and options.duplicates == "first":
            raise ValueError(
                "duplicates='first' needs the order of the rows, which the shuffle loses; give a row per query with lists of "
                "documents and scores, or duplicates='best'"
            )
        return together

    def item_kind(self, types: Mapping[str, Any], columns: Mapping[str, str]) -> str | None:
        """The kind of the ids of documents, in words; None if rows have none."""
        return id_kind(item_type(types[columns["document"]])) if "document" in columns else None

    def plain_rows_of(self, block: "pa.Table", columns: Mapping[str, str], kind: str | None) -> "pa.Table":
        """A block in the plain form; `kind` comes from `item_kind`."""
        import pyarrow as pa

        arrays = {role: block.column(name) for role, name in columns.items()}
        if _is_listed(arrays["score"].type):
            arrays = _unnested(arrays)
        query = id_column(arrays["query"], columns["query"])
        arrays["query"] = query.cast(pa.string())
        if kind is not None:
            document = id_column(arrays["document"], columns["document"])
            document = document.cast(document.type.value_type) if pa.types.is_dictionary(document.type) else document
            if block.num_rows and id_kind(document.type) != kind:
                raise ValueError(
                    f"a block of the data set has {id_kind(document.type)} in the column {columns['document']!r} "
                    f"(document), the first has {kind}; make all blocks one type"
                )
            arrays["document"] = document.cast(pa.string() if kind == "strings" else pa.int64())
        for role in {"score", "relevance"} & arrays.keys():
            numbers = number_column(arrays[role], columns[role]).astype(np.float64)
            arrays[role] = pa.chunked_array([pa.array(numbers)])
        return pa.table(arrays)

    def empty_groups(self, block: "pa.Table", columns: Mapping[str, str]) -> "pa.Table | None":
        """The queries of a block that have no documents: query, and by and groups if given; None if rows are documents."""
        import pyarrow as pa
        import pyarrow.compute as pc

        scores = block.column(columns["score"])
        if not _is_listed(scores.type):
            return None
        kept = {"query": id_column(block.column(columns["query"]), columns["query"]).cast(pa.string())}
        for name in ("by", "groups"):
            if name in columns and not _is_listed(block.column(columns[name]).type):
                kept[name] = block.column(columns[name])
        counts = pc.value_counts(kept["query"])
        twice = counts.filter(pc.greater(counts.field("counts"), 1))
        if len(twice):
            raise ValueError(
                f"query {twice.field('values')[0].as_py()!r} has two rows with lists of documents; give each query one "
                "row with all of its documents"
            )
        return pa.table(kept).filter(pc.equal(pc.fill_null(pc.list_value_length(scores), 0), 0))

    def gold_table(self, gold: Any, groups: str | None = None, in_rows: bool = False) -> "pa.Table":
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
            if groups is not None and not in_rows:
                raise ValueError(
                    f"the data set has no column {groups!r} (for groups), and qrels is a dict; give qrels as a table with it"
                )
            groups, table = None, {"query": [], "document": [], "relevance": []}
            for query, documents in gold.items():
                graded = documents if isinstance(documents, Mapping) else dict.fromkeys(documents, 1)
                if not graded:
                    raise ValueError(f"qrels: query {query!r} has no judgements; omit it, or give its documents with 0")
                table["query"] += [query] * len(graded)
                table["document"] += graded
                table["relevance"] += graded.values()
        groups = _groups_of_gold(list(table), groups, in_rows)
        names = find_columns(_others(table, groups), "qrels", ("query", "document", "relevance"), "score")
        query, document, relevance = (to_arrow(table[name], f"qrels[{name!r}]") for name in names)
        query = id_column(query, "qrels query")
        key = query.cast(pa.string())
        numbers = pa.array(number_column(relevance, "qrels relevance").astype(np.float64))
        found = {"query": query, "key": key, "document": id_column(document, "qrels document"), "relevance": numbers}
        if groups is not None:
            found["groups"] = to_arrow(table[groups], f"qrels[{groups!r}]")
        return pa.table(found)

    def gold_names(self, gold: "pa.Table") -> list[str]:
        """The queries of a `gold_table`, as text, in order."""
        return distinct_texts(gold["key"])

    def score_examples(
        self,
        rows: "pa.Table",
        gold: "pa.Table | None",
        options: RankingOptions,
        by: str | None,
        integer_ids: bool,
        empty: "pa.Table | None" = None,
    ) -> ScoredQueries:
        """Score queries whose rows are all here.

        Args:
            rows: in the plain form.
            gold: a `gold_table` of these and other queries; None if the rows are judged.
            by: the column of the data set that divides the result.
            integer_ids: the ids of queries are integers.
            empty: the result of `empty_groups`.
        """
        names = [] if empty is None else empty["query"].to_pylist()
        if gold is None:
            if names:
                raise ValueError(
                    f"query {names[0]!r} has no documents, so nothing says what is relevant to it; omit it, or give "
                    "the judgements as qrels"
                )
            own: Any = None
            with_gold = distinct_texts(rows["query"])
            rows = _with_numbers(rows) if integer_ids else rows
        else:
            own = _judgements_of(gold, rows["query"])
            with_gold = distinct_texts(own["key"])
        scores = _score_queries(rows, own, options)
        labels: Any = None if by is None else _group_labels(rows, by)
        of_empty = None
        if names and empty is not None:
            of_empty = _judgements_of(gold, empty["query"])
            scores = Scores.concat([scores, _score_queries(rows.slice(0, 0), of_empty, options, names)])
            labels = None if by is None else {**labels, **_group_labels(empty, by)}
        return ScoredQueries(_in_groups(scores, rows, empty, own, of_empty), labels, with_gold)

    def score_without_rows(
        self, gold: "pa.Table", names: Sequence[str], options: RankingOptions, in_groups: bool = False
    ) -> Scores:
        """Score queries of a `gold_table` that have no rows; `in_groups`: queries have groups, which `gold` must contain."""
        import pyarrow as pa

        own = _judgements_of(gold, pa.array(names, pa.string()))
        none = pa.table(
            {"query": pa.array([], pa.string()), "document": own["document"][:0], "score": pa.array([], pa.float64())}
        )
        scores = _score_queries(none, own, options)
        if in_groups and "groups" not in own.column_names:
            own = own.append_column("groups", pa.nulls(own.num_rows, pa.string()))
        return _in_groups(scores, own)


def _others(there: Iterable[str], groups: str | None) -> dict[str, None]:
    """The columns without the column of groups, which has no other use."""
    return {name: None for name in there if name != groups}


def _groups_of_gold(there: Sequence[str], groups: str | None, in_rows: bool) -> str | None:
    """The column of groups of judgements; where the rows have it, None if they lack it or call their queries so."""
    if in_rows:
        return groups if groups in there and "query" in ranking_roles(_others(there, groups)) else None
    if groups is not None and groups not in there:
        raise ValueError(
            f"neither the data set nor qrels has the column {groups!r} (for groups){did_you_mean(groups, there)}; qrels has: "
            f"{', '.join(there)}"
        )
    return groups


def _in_groups(scores: Scores, *tables: "pa.Table | None") -> Scores:
    """Scores of queries with groups from these tables; refused if two tables differ."""
    told = [table for table in tables if table is not None and "groups" in table.column_names]
    if not told:
        return scores
    labels: dict[str, Any] = {}
    for table in reversed(told):  # of qrels first
        query = "query" if "key" not in table.column_names else "key"
        own = _labels_of_queries(table, query, "groups", "groups")
        own = {name: label for name, label in own.items() if label is not None}
        other = next((name for name in own if labels.get(name, own[name]) != own[name]), None)
        if other is not None:
            raise ValueError(
                f"query {other!r} has the group {own[other]!r} in its rows, but {labels[other]!r} in qrels; give it one"
            )
        labels |= own
    missing = next((name for name in scores.ids if labels.get(str(name)) is None), None)
    if missing is not None:
        raise ValueError(
            f"query {missing!r} has no group; give every query one in all of its rows, or as a column of qrels, which tell "
            "it of queries without rows too"
        )
    return dataclasses.replace(scores, groups=Groups.of([labels[str(name)] for name in scores.ids], scores.ids))


def _is_listed(kind: Any) -> bool:
    return item_type(kind) != kind


def _unnested(columns: dict[str, Any]) -> dict[str, Any]:
    """One row per document, from one row per query with lists; a null list counts as empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = {role: column.combine_chunks() for role, column in columns.items() if _is_listed(column.type)}
    lengths = {role: pc.fill_null(pc.list_value_length(column), 0) for role, column in lists.items()}
    for role, own in lengths.items():
        if not own.cast(pa.int64()).equals(lengths["score"].cast(pa.int64())):
            row = int(np.argmax(own.to_numpy() != lengths["score"].to_numpy()))
            query = columns["query"][row].as_py()
            raise ValueError(
                f"query {query!r} has {own[row].as_py()} in its list of {role}, but {lengths['score'][row].as_py()} scores; "
                "give one score per document"
            )
    parents = pa.array(np.repeat(np.arange(len(lists["score"])), lengths["score"].to_numpy()), pa.int64())
    flat = {role: pa.chunked_array([pc.list_flatten(column)]) for role, column in lists.items()}
    return {role: flat[role] if role in flat else column.take(parents) for role, column in columns.items()}


def _with_numbers(rows: "pa.Table") -> "pa.Table":
    """The rows, with queries converted back to integers."""
    import pyarrow as pa

    return rows.set_column(rows.column_names.index("query"), "query", rows["query"].cast(pa.int64()))


def _judgements_of(gold: "pa.Table", queries: Any) -> "pa.Table":
    """The judgements of selected queries, whose ids are given as text."""
    import pyarrow.compute as pc

    return gold.filter(pc.is_in(gold["key"], value_set=pc.unique(queries)))


def _score_queries(
    run: "pa.Table", judged: "pa.Table | None", options: RankingOptions, empty: Sequence[str] = ()
) -> Scores:
    """The Scores of the queries of a block; any of them may lack a ranking or judgements.

    Args:
        empty: instead of a run: queries with an empty ranking.

    An artificial query is added, so that a block is scored like any part of the whole, and removed afterwards.
    """
    level = float(options.relevance_level)
    names = [name for name in ("query", "document", "score", "relevance") if name in run.column_names]
    if judged is None:
        rows: dict[str, list[Any]] = {
            "query": [_GUARD] * 2,
            "document": [0, 1],
            "score": [1, 0],
            "relevance": [level - 1, level],
        }
        guarded, references = _with_rows(run.select(names), rows), None
    else:
        names = names[:3]
        guarded = _with_rows(run.select(names), {"query": [_GUARD], "document": [0], "score": [0]})
        references = _with_rows(
            judged.select(["query", "document", "relevance"]),
            # The first is retrieved: a block without a judged document, of all, is no reason for a remark.
            {"query": [_GUARD] * 2, "document": [0, 1], "relevance": [level - 1, level]},
        )
    ranked: dict = {name: guarded[name] for name in guarded.column_names}
    if empty:
        ranked = {**{query: {} for query in empty}, guarded["query"][0].as_py(): {guarded["document"][0].as_py(): 0.0}}
    scores = score_rankings(
        ranked,
        None if references is None else {name: references[name] for name in references.column_names},
        options=options,
    )
    kept = [row for row, query in enumerate(scores.ids) if str(query) != str(_GUARD)]
    return dataclasses.replace(scores.take(np.array(kept, np.int64)), notes=scores.notes)


def _with_rows(table: "pa.Table", rows: Mapping[str, list]) -> "pa.Table":
    """The table with a few further rows."""
    import pyarrow as pa

    more = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        more[name] = pa.array(map(str, rows[name]), kind) if text else pa.array(rows[name]).cast(kind)
    return pa.concat_tables([table, pa.table(more)])


def _group_labels(run: "pa.Table", by: str) -> dict[str, Any]:
    """The value of the column `by` for each query of rows in the plain form, by the text of the query."""
    return _labels_of_queries(run, "query", "by", by) if "by" in run.column_names else {}


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


ROW_GROUPS = RankingRowGroups()
