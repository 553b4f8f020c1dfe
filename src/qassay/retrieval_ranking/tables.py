"""Reads tables of rankings and judgements of any library: finds columns by usual names, as Arrow columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from ..core.arrow import numbers_of
from ..core.columns import check_lengths, is_list, is_table, is_unicode, spelled, table_columns, to_list, usual_roles
from ..core.intake import field_of
from ..core.options import did_you_mean
from ..core.shown import describe, keys_of, shown

_MOST_BYTES = 1 << 31  # bytes of a column of type string, above which rows cannot be selected
_CONTAINERS = (list, tuple, dict, set, frozenset)
_MOST_COLUMNS = 1000  # a dict with more keys contains queries

# The usual names of each role, in one spelling, here and in files. The first there is wins for queries, ids before
# texts, and for documents among those whose ids both sides share; two at once for score or relevance, and topic beside query, are refused: the wrong one would be scored
# without a sign.
ROLE_NAMES = {
    "query": ("query_id", "qid", "q_id", "queryid", "topic", "user_id", "userid", "user", "query", "question"),
    "document": (
        "docno", "docid", "doc_id", "document_id", "documentid", "corpus_id", "pid", "passage_id", "product_id", "item_id", "itemid",
        "movie_id", "movieid", "item", "document", "doc",
    ),
    "score": ("score", "scores", "sim", "similarity"),
    "rank": ("rank", "ranks"),
    "distance": ("distance", "distances", "dist"),
    "relevance": ("relevance", "rel", "label", "labels", "gain", "grade", "rating", "judgment", "judgement"),
}  # fmt: skip
KNOWN_NAMES = {*chain.from_iterable(ROLE_NAMES.values()), "q0", "system"}
_RANK_NAMES = {"position", "ranking", "rank_position"}  # may be something else, beside other columns
_DISTANCE_NAMES, _DISTANCE_ENDS = {"l2", "euclidean", "loss"}, ("distance", "distances", "dist")
_SAMPLE = 100_000  # rows that tell which column of documents both sides share


def ranking_roles(columns: Iterable) -> dict[str, list]:
    """Columns that could serve as query, document, score and relevance, by their usual names, best first.

    Without scores, ranks and distances of usual names, other names of distances count, and those of ranks if no other
    column could have the scores.
    """
    columns = list(columns)
    roles = usual_roles(columns, ROLE_NAMES)
    if len(columns) <= _MOST_COLUMNS and roles.keys().isdisjoint(("score", "rank", "distance")):
        names = sorted(map(spelled, set(columns).difference(*roles.values())))
        distances = [name for name in names if name in _DISTANCE_NAMES or name.endswith(_DISTANCE_ENDS)]
        roles |= usual_roles(columns, {"rank": names if _RANK_NAMES.issuperset(names) else (), "distance": distances})
        if roles.keys().isdisjoint(("rank", "distance")):
            roles |= usual_roles(columns, {"score": ("prediction",)})  # of recommenders
    return roles


def could_be_either(candidates: Sequence[Any]) -> bool:
    """Whether both columns `topic` and `query` exist: either may contain the ids, and the other the text or a group."""
    names = list(map(spelled, candidates))
    return names[:1] == ["topic"] and "query" in names


def table_of(value: Any, name: str) -> Mapping[str, Any] | None:
    """The columns of a table by name; None for anything else."""
    if is_table(value):
        return table_columns(value)
    if isinstance(value, Mapping):
        return value if _has_columns(value) else None
    if isinstance(value, (list, tuple)) and len(value) and _has_columns(value[0]):
        if not is_ranking_row(value[0]):
            check_lengths(**{f"a list of one dict of columns for {name}": [1], "given dicts": value})
            return value[0]
        return {key: field_of(value, key, name, required=True) for key in value[0]}
    return None


def is_ranking_row(value: Any) -> bool:
    """Whether this is a row of a table of rankings, not a dict of columns, nor one of documents."""
    return _has_columns(value) and isinstance(value[column_of(value, "query")], (str, int, np.integer))


def _has_columns(value: Any) -> bool:
    """Whether a dict holds the columns of a table, not one ranking per query."""
    if not isinstance(value, Mapping) or len(value) > _MOST_COLUMNS:
        return False
    if (
        any(isinstance(item, Mapping) for item in value.values())
        or len(KNOWN_NAMES.intersection(map(spelled, value))) < 2
    ):
        return False
    return column_of(value, "query") is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def column_of(table: Mapping[str, Any], role: str) -> str | None:
    """The first column of the usual names for a role; None if there is none."""
    return ranking_roles(table).get(role, [None])[0]


def find_columns(table: Mapping[str, Any], name: str, roles: Sequence[str], graded: str = "relevance") -> list[str]:
    """The column of each role, by the names in use for it.

    Args:
        graded: the role whose columns hold the relevance if no column has that name.

    Raises:
        ValueError: no column for a role, or two for the score or the relevance.
    """
    by_role, picked = ranking_roles(table), []
    for role in roles:
        candidates = by_role.get(role) or by_role.get(graded if role == "relevance" else role, [])
        has = f"it has: {keys_of(table)}"
        if not candidates:
            best = ", the highest for the best document" if role == "score" else ""
            near = next(filter(None, (did_you_mean(usual, filter(_is_text, table)) for usual in ROLE_NAMES[role])), "")
            raise ValueError(
                f"{name} is a table without a column for the {role}{near}; {has}; "
                f"name one of them {' or '.join(map(repr, ROLE_NAMES[role]))}{best}"
            )
        if len(candidates) > 1 and (
            role not in ("query", "document") or role == "query" and could_be_either(candidates)
        ):
            raise ValueError(
                f"{name} is a table whose {role} could be {' or '.join(map(str, candidates))}; {has}; "
                "omit the columns that are not meant"
            )
        picked.append(candidates[0])
    return picked


def score_role(roles: Mapping[str, Sequence[Any]], lower_is_better: bool) -> str:
    """Which role ranks the documents of a run: "score", without scores "rank", or "distance" if the lowest is best.

    Args:
        roles: as from `ranking_roles`, of all columns, or of the one that is named for the scores.

    Raises:
        ValueError: distances only, and nothing says that the lowest is best.
    """
    if "score" in roles or not {"rank", "distance"} & roles.keys():
        return "score"
    if "distance" in roles and lower_is_better or "rank" not in roles:
        if not lower_is_better:
            told = (
                f"the column {roles['distance'][0]} has distances, but the highest score is best; say that the lowest "
            )
            raise ValueError(f"{told}is best with lower_is_better=True, or give a column of scores")
        return "distance"
    return "rank"


def scores_of_ranks(ranks: np.ndarray, name: str) -> np.ndarray:
    """Ranks, 1 for the best, as scores, the highest for the best.

    Raises:
        ValueError: a rank that is not a whole number.
    """
    odd = np.flatnonzero(~np.isfinite(ranks) | (ranks % 1 != 0))
    if len(odd):
        told = (
            f"{name}[{odd[0]}] is {ranks[odd[0]]:g}; ranks are whole numbers, 1 for the best: give a column of scores"
        )
        raise ValueError(told)
    return -ranks.astype(np.float64)


def document_column(table: Mapping[str, Any], name: str, other: Any) -> str:
    """The column of documents: of several, the one whose ids the other side shares.

    Args:
        other: the other side, in any layout of `score_rankings`.
    """
    columns = ranking_roles(table).get("document", [])
    if len(columns) < 2:
        return find_columns(table, name, ("document",))[0]
    there = table_of(other, "")
    others: dict[str, Any] = {}
    if there is not None:
        others = {column: there[column] for column in ranking_roles(there).get("document", ())}
    elif isinstance(other, (Mapping, list, tuple)):
        others = {"": lambda size: list(islice(_nested_ids(other), size))}
    return shared_column({column: table[column] for column in columns}, others) if others else columns[0]


def _nested_ids(rankings: Any) -> Iterator[str]:
    """The ids of documents in rankings or judgements that are no table, one by one."""
    for row in rankings.values() if isinstance(rankings, Mapping) else rankings:
        row = row["documents"] if isinstance(row, Mapping) and "documents" in row else row
        if isinstance(row, (Mapping, *_CONTAINERS)) or is_list(row):
            yield from (str(pair[0] if isinstance(pair, (list, tuple)) and pair else pair) for pair in row)


def shared_column(columns: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """Of several columns of documents, the one whose ids the other side has too.

    A column with at least half as many of the known ids as the best one may be it: of these the one that is called as
    on the other side, else the first.

    Args:
        columns: name -> column, the most usual name first.
        others: the same of the other side; "" -> ids that have no name, given by a function of how many to give
            (None: all).
    """
    import pyarrow.compute as pc

    own = {name: to_arrow(column, name) for name, column in columns.items()}
    counts: dict[tuple[str, str], int] = {}
    for size in (_SAMPLE, None):
        known = {name: pc.unique(_as_texts(ids(size) if callable(ids) else ids)) for name, ids in others.items()}
        for name, column in own.items():
            texts = _as_texts(column.slice(0, size))
            for other, ids in known.items():
                counts[name, other] = pc.sum(pc.is_in(texts, value_set=ids)).as_py() or 0
        if any(counts.values()):
            break
    least = max(counts.values()) / 2
    name, _ = max(counts, key=lambda pair: (counts[pair] >= least, spelled(pair[0]) == spelled(pair[1])))
    return name


def _as_texts(column: Any):
    """Ids as strings; none of a column that cannot hold ids."""
    import pyarrow as pa

    try:
        column = id_column(to_arrow(column, "ids"), "ids")
    except (TypeError, ValueError):
        return pa.chunked_array([], pa.string())
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return column.cast(kind).cast(pa.string())


def to_arrow(column: Any, name: str):
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
        except UnicodeEncodeError:
            bad = next(row for row, text in enumerate(column) if isinstance(text, str) and not is_unicode(text))
            raise ValueError(
                f"{name}[{bad}] holds text that is not valid Unicode, {shown(column[bad])}; repair it"
            ) from None
        except Exception as error:  # noqa: BLE001 - pyarrow, and the classes of values, have errors of many kinds
            items = list(column)
            large = next((x for x in items if isinstance(x, int) and not -(2**63) <= x < 2**64), None)
            if large is not None:
                raise ValueError(
                    f"{name} holds an integer beyond 64 bits, {shown(large)}; give ids as strings, numbers as floats"
                ) from None
            first = next(iter(items), None)
            other = next((item for item in items if type(item) is not type(first)), first)
            raise TypeError(
                f"{name} must contain values of one type, got {describe(first)} and {describe(other)} ({error})"[:500]
            ) from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def id_column(column, name: str):
    """A ChunkedArray of ids (string, large_string, integers or a dictionary of these) without gaps.

    Raises:
        TypeError: ids of another type. ValueError: a gap, with its row.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        if any(chunk.dictionary.null_count for chunk in column.chunks):
            return id_column(column.cast(kind.value_type), name)
        kind = kind.value_type
    if column.null_count:
        row = next(row for row, gap in enumerate(column.is_null().to_pylist()) if gap)
        raise ValueError(f"{name}[{row}] is None; give every row an id, a string or an integer")
    view = hasattr(pa, "string_view") and kind == pa.string_view()  # from pyarrow 16 on
    if view or (pa.types.is_string(column.type) and column.nbytes > _MOST_BYTES):
        return column.cast(pa.large_string())
    if pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
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
