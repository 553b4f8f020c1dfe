"""Rankings of which each row is a document, or a query with lists of them: blocks of rows, scored query by query.

What a data set on many machines needs to know of rankings. Here `columns` are roles -> columns of the data set: query,
document, score, relevance, and `by`, what the result is divided by. The plain form has columns that are called as their
roles.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arrow import distinct_texts, id_kind, item_type
from ..core.columns import is_nan
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..core.shown import describe
from ..core.streaming import GroupScores, RowGroups
from .scoring import RankingOptions, score_rankings
from .tables import column_of, find_columns, id_column, number_column, ranking_roles, table_of, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

_GUARD = -(1 << 62)  # a query of our own in every block


class RankingRowGroups(RowGroups):
    """Queries, whose rows are documents or lists of them, and judgements."""

    key = "query"
    gold = "qrels"
    why_gold = "join='key' needs qrels; without them each row has its relevance"
    why_gold_rows = "join='key' shuffles the judgements, so give qrels as a ray.data.Dataset or files"
    nothing_in_common = "run and judgements have no query in common; are they of the same data set?"

    def roles_of(self, given: Mapping[str, str], has_gold: bool) -> tuple[str, ...]:
        roles = ("query", "document", "score", *(("relevance",) if has_gold else ()))
        for name in given:
            if name not in roles:
                raise TypeError(
                    f"rankings have no column {name!r}{did_you_mean(name, roles)}; they have: {', '.join(roles)}"
                )
        return roles

    def all_columns(
        self, there: Sequence[str], given: Mapping[str, str], by: str | None, roles: Sequence[str]
    ) -> dict[str, str]:
        """Rows that judge themselves may lack a document."""
        columns = dict(given)
        judged = "relevance" in roles
        usual = {name: None for name in there if name not in columns.values() and name != by}
        for role in roles:
            if role not in columns and not (judged and role == "document" and column_of(usual, role) is None):
                if role not in ranking_roles(usual):
                    advice = "; or give the judgements as qrels" if role == "relevance" else ""
                    raise ValueError(
                        f"the data set has no column for the {role}; it has: {', '.join(there)}; say which it is: "
                        f"columns={{{role!r}: ...}}{advice}"
                    )
                columns[role] = find_columns(usual, "the data set", (role,))[0]
        return columns

    def gold_columns(self, there: Sequence[str]) -> dict[str, str]:
        roles = ("query", "document", "relevance")
        names = find_columns(dict.fromkeys(there), "the data set qrels", roles, "score")
        return dict(zip(roles, names, strict=True))

    def are_together(
        self, types: Mapping[str, Any], columns: Mapping[str, str], options: RankingOptions, grouped: bool
    ) -> bool:
        together = grouped or _is_listed(types[columns["score"]])
        if not together and options.ties == "stable":
            raise ValueError(
                "ties='stable' needs the order of the rows, which the shuffle loses; give grouped=True for rows that stand "
                "together, a row per query with lists, or another order of ties"
            )
        if not together and options.duplicates == "first":
            raise ValueError(
                "duplicates='first' needs the order of the rows, which the shuffle loses; give grouped=True for rows that "
                "stand together, a row per query with lists, or duplicates='best'"
            )
        return together

    def item_kind(self, types: Mapping[str, Any], columns: Mapping[str, str]) -> str | None:
        return id_kind(item_type(types[columns["document"]])) if "document" in columns else None

    def plain_rows_of(self, block: "pa.Table", columns: Mapping[str, str], kind: str | None) -> "pa.Table":
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
        import pyarrow as pa
        import pyarrow.compute as pc

        scores = block.column(columns["score"])
        if not _is_listed(scores.type):
            return None
        kept = {"query": id_column(block.column(columns["query"]), columns["query"]).cast(pa.string())}
        if "by" in columns and not _is_listed(block.column(columns["by"]).type):
            kept["by"] = block.column(columns["by"])
        counts = pc.value_counts(kept["query"])
        twice = counts.filter(pc.greater(counts.field("counts"), 1))
        if len(twice):
            raise ValueError(
                f"query {twice.field('values')[0].as_py()!r} stands in two rows with lists of documents; give each query one "
                "row with all of its documents"
            )
        return pa.table(kept).filter(pc.equal(pc.fill_null(pc.list_value_length(scores), 0), 0))

    def gold_table(self, gold: Any) -> "pa.Table":
        """Judgements as columns: query, key (the same as text), document, relevance."""
        import pyarrow as pa

        table = table_of(gold, "qrels")
        if table is None:
            if not isinstance(gold, Mapping):
                raise TypeError(
                    f"qrels must be a dict {{query: {{document: relevance}}}}, a table, paths or a ray.data.Dataset; got "
                    f"{describe(gold)}"
                )
            table = {"query": [], "document": [], "relevance": []}
            for query, documents in gold.items():
                graded = documents if isinstance(documents, Mapping) else dict.fromkeys(documents, 1)
                if not graded:
                    raise ValueError(
                        f"qrels: query {query!r} has no judgements; leave it out, or give its documents with 0"
                    )
                table["query"] += [query] * len(graded)
                table["document"] += graded
                table["relevance"] += graded.values()
        names = find_columns(table, "qrels", ("query", "document", "relevance"), "score")
        query, document, relevance = (to_arrow(table[name], f"qrels[{name!r}]") for name in names)
        query = id_column(query, "qrels query")
        key = query.cast(pa.string())
        numbers = pa.array(number_column(relevance, "qrels relevance").astype(np.float64))
        return pa.table(
            {"query": query, "key": key, "document": id_column(document, "qrels document"), "relevance": numbers}
        )

    def gold_names(self, gold: "pa.Table") -> list[str]:
        return distinct_texts(gold["key"])

    def joined_schema(self, types: Mapping[str, Any], columns: Mapping[str, str]) -> "pa.Schema":
        import pyarrow as pa

        number = id_kind(types[columns["document"]]) == "whole numbers"
        fields = {"query": pa.string(), "document": pa.int64() if number else pa.string(), "score": pa.float64()}
        fields |= {"by": types[columns["by"]]} if "by" in columns else {}
        return pa.schema({**fields, "judged": pa.string(), "relevance": pa.float64()})

    def rows_to_join(self, rows: "pa.Table", schema: "pa.Schema") -> "pa.Table":
        return _filled(rows, schema)

    def gold_to_join(self, block: "pa.Table", columns: Mapping[str, str], schema: "pa.Schema") -> "pa.Table":
        import pyarrow as pa

        query, document, relevance = (block.column(columns[role]) for role in ("query", "document", "relevance"))
        table = pa.table(
            {
                "query": id_column(query, "qrels query").cast(pa.string()),
                "judged": id_column(document, "qrels document").cast(pa.string()),
                "relevance": number_column(relevance, "qrels relevance").astype(np.float64),
            }
        )
        return _filled(table, schema)

    def score_examples(
        self,
        rows: "pa.Table",
        gold: "pa.Table | None",
        options: RankingOptions,
        by: str | None,
        whole_numbers: bool,
        empty: "pa.Table | None" = None,
    ) -> GroupScores:
        names = [] if empty is None else empty["query"].to_pylist()
        if gold is None:
            if names:
                raise ValueError(
                    f"query {names[0]!r} has no documents, so nothing says what is relevant to it; leave it out, or give "
                    "the judgements as qrels"
                )
            own: Any = None
            with_gold = distinct_texts(rows["query"])
            rows = _with_numbers(rows) if whole_numbers else rows
        else:
            own = _judgements_of(gold, rows["query"])
            with_gold = distinct_texts(own["key"])
        scores = _score_queries(rows, own, options)
        labels: Any = None if by is None else _group_labels(rows, by)
        if names and empty is not None:
            own = _judgements_of(gold, empty["query"])
            scores = Scores.concat([scores, _score_queries(rows.slice(0, 0), own, options, names)])
            labels = None if by is None else {**labels, **_group_labels(empty, by)}
        return GroupScores(scores, labels, with_gold)

    def score_joined_examples(
        self, joined: "pa.Table", options: RankingOptions, by: str | None, whole_numbers: bool
    ) -> GroupScores:
        import pyarrow.compute as pc

        is_judged = pc.is_valid(joined["judged"])
        run, own = joined.filter(pc.invert(is_judged)), joined.filter(is_judged)
        queries = pc.unique(own["query"])
        both = queries.filter(pc.is_in(queries, value_set=pc.unique(run["query"])))
        judged = (_with_numbers(own) if whole_numbers else own).select(["query", "judged", "relevance"])
        scores = _score_queries(run, judged.rename_columns(["query", "document", "relevance"]), options)
        return GroupScores(scores, None if by is None else _group_labels(run, by), both.to_pylist())

    def score_without_rows(self, gold: "pa.Table", names: Sequence[str], options: RankingOptions) -> Scores:
        import pyarrow as pa

        own = _judgements_of(gold, pa.array(names, pa.string()))
        none = pa.table(
            {"query": pa.array([], pa.string()), "document": own["document"][:0], "score": pa.array([], pa.float64())}
        )
        return _score_queries(none, own, options)


def _is_listed(kind: Any) -> bool:
    return item_type(kind) != kind


def _unnested(columns: dict[str, Any]) -> dict[str, Any]:
    """A row per document, from a row per query with lists; a null list is an empty one."""
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


def _filled(table: "pa.Table", schema: "pa.Schema") -> "pa.Table":
    """The table with all columns of a schema, those that it lacks empty: tables of one schema can be shuffled together."""
    import pyarrow as pa

    there = table.column_names
    return pa.table(
        {
            field.name: table[field.name].cast(field.type)
            if field.name in there
            else pa.nulls(table.num_rows, field.type)
            for field in schema
        }
    )


def _with_numbers(rows: "pa.Table") -> "pa.Table":
    """The rows with queries that are whole numbers again."""
    import pyarrow as pa

    return rows.set_column(rows.column_names.index("query"), "query", rows["query"].cast(pa.int64()))


def _judgements_of(gold: "pa.Table", queries: Any) -> "pa.Table":
    """The judgements of some queries, given as text."""
    import pyarrow.compute as pc

    return gold.filter(pc.is_in(gold["key"], value_set=pc.unique(queries)))


def _score_queries(
    run: "pa.Table", judged: "pa.Table | None", options: RankingOptions, empty: Sequence[str] = ()
) -> Scores:
    """The Scores of the queries of a block; any of them may lack a ranking or judgements.

    Args:
        empty: in place of a run: queries with a ranking of no documents.

    A query of our own goes along, so that a block is scored like any part of the whole, and is taken out again.
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
            {"query": [_GUARD], "document": [1], "relevance": [level]},
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
    """The table with a few more rows."""
    import pyarrow as pa

    more = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        more[name] = pa.array(map(str, rows[name]), kind) if text else pa.array(rows[name]).cast(kind)
    return pa.concat_tables([table, pa.table(more)])


def _group_labels(run: "pa.Table", by: str) -> dict[str, Any]:
    """What the column `by` of the data set says of each query of rows in the plain form, by its text."""
    if "by" not in run.column_names:
        return {}
    import pyarrow as pa

    column = run["by"]
    column = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if pa.types.is_nested(column.type) or pa.types.is_fixed_size_list(column.type):  # pyarrow 14 calls it not nested
        raise TypeError(f"by: the column {by!r} has {column.type}; give strings, numbers or nothing")
    pairs = pa.table({"query": run["query"].cast(pa.string()), "by": column}).group_by(["query", "by"]).aggregate([])
    labels: dict[str, Any] = {}
    for query, value in zip(pairs["query"].to_pylist(), pairs["by"].to_pylist(), strict=True):
        value = None if is_nan(value) else value  # NaN is not a value either
        if labels.setdefault(query, value) != value:
            raise ValueError(
                f"query {query!r} has {labels[query]!r} and {value!r} in the column {by!r}; by needs one value for all "
                "rows of a query"
            )
    return labels


ROW_GROUPS = RankingRowGroups()
