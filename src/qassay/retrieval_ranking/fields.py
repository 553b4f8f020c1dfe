"""The columns of runs and judgements, their usual names, and which layout something has: a table or one row per query."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.columns import check_lengths, is_table, spelled, table_columns, usual_roles
from ..core.intake import field_of
from ..core.options import did_you_mean
from ..core.shown import keys_of

# The usual names of each column, in one spelling, here and in files. Of queries and documents the first one found counts (ids
# before texts). Two for score or relevance, and topic with query, are refused: the wrong one would be scored without a sign.
ROLE_NAMES = {
    "query": ("query_id", "qid", "q_id", "queryid", "topic", "user_id", "userid", "user", "query", "question"),
    "document": (
        "docno", "docid", "doc_id", "document_id", "documentid", "corpus_id", "pid", "passage_id", "product_id", "item_id", "itemid",
        "movie_id", "movieid", "item", "document", "doc",
    ),
    "score": ("score", "scores", "sim", "similarity"),
    "rank": ("rank", "ranks", "position", "ranking", "rank_position"),
    "distance": ("distance", "distances", "dist", "_distance", "cosine_distance", "vector_distance", "l2", "euclidean", "loss"),
    "relevance": ("relevance", "rel", "label", "labels", "gain", "grade", "rating", "judgment", "judgement"),
}  # fmt: skip
KNOWN_NAMES = {*chain.from_iterable(ROLE_NAMES.values()), "q0", "system"}
_MOST_COLUMNS = 1000  # a dict with more keys contains queries


# --- columns of a table -----------------------------------------------------------------------------------------------


def ranking_roles(columns: Iterable) -> dict[str, list]:
    """Columns that could serve as query, document, score and relevance, by their usual names, best first."""
    columns = list(columns)
    roles = usual_roles(columns, ROLE_NAMES)
    if len(columns) <= _MOST_COLUMNS and roles.keys().isdisjoint(("score", "rank", "distance")):
        roles |= usual_roles(columns, {"score": ("prediction",)})  # of recommenders
    return roles


def column_of(table: Mapping[str, Any], role: str) -> str | None:
    """The first column of the usual names for a role; None if there is none."""
    return ranking_roles(table).get(role, [None])[0]


def could_be_either(candidates: Sequence[Any]) -> bool:
    """Whether both columns `topic` and `query` exist: either may contain the ids, and the other the text or a group."""
    names = list(map(spelled, candidates))
    return names[:1] == ["topic"] and "query" in names


def find_columns(table: Mapping[str, Any], name: str, roles: Sequence[str], graded: str = "relevance") -> list[str]:
    """The column of each role, by its usual names.

    Args:
        graded: the role that has the relevance if no column is called so.

    Raises:
        ValueError: no column for a role, or two for the score or the relevance.
    """
    by_role, picked = ranking_roles(table), []
    for role in roles:
        candidates = by_role.get(role) or by_role.get(graded if role == "relevance" else role, [])
        has = f"it has: {keys_of(table)}"
        if not candidates:
            best = ", the highest for the best document" if role == "score" else ""
            texts = [key for key in table if isinstance(key, str)]
            near = next(filter(None, (did_you_mean(usual, texts) for usual in ROLE_NAMES[role])), "")
            raise ValueError(
                f"{name} is a table without a column for the {role}{near}; {has}; "
                f"name one of them {' or '.join(map(repr, ROLE_NAMES[role]))}{best}"
            )
        if len(candidates) > 1 and (could_be_either(candidates) if role == "query" else role != "document"):
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
    if "rank" in roles and not (lower_is_better and "distance" in roles):
        return "rank"
    if not lower_is_better:
        raise ValueError(
            f"the column {roles['distance'][0]} has distances, but the highest score is best; say that the lowest is best "
            "with lower_is_better=True, or give a column of scores"
        )
    return "distance"


# --- layouts ----------------------------------------------------------------------------------------------------------


def table_of(value: Any, name: str) -> Mapping[str, Any] | None:
    """The columns of a table by name; None for anything else."""
    if is_table(value):
        return table_columns(value)
    if isinstance(value, Mapping):
        return value if _has_columns(value) else None
    if isinstance(value, (list, tuple)) and len(value) and _has_columns(value[0]):
        if not _is_ranking_row(value[0]):
            check_lengths(**{f"a list of one dict of columns for {name}": [1], "given dicts": value})
            return value[0]
        return {key: field_of(value, key, name, required=True) for key in value[0]}
    return None


def _is_ranking_row(value: Any) -> bool:
    """Whether this is a row of a table of rankings, not a dict of columns, nor one of documents."""
    return _has_columns(value) and isinstance(value[column_of(value, "query")], (str, int, np.integer))


def _has_columns(value: Any) -> bool:
    """Whether a dict holds the columns of a table, not one ranking per query."""
    return (
        isinstance(value, Mapping)
        and len(value) <= _MOST_COLUMNS
        and not any(isinstance(item, Mapping) for item in value.values())
        and len(KNOWN_NAMES.intersection(map(spelled, value))) >= 2
        and column_of(value, "query") is not None
    )


def is_query_row(row: Mapping) -> bool:
    """Whether a dict is a row {"id", "documents"}, not documents with numbers."""
    return isinstance(row.get("id"), str) or not isinstance(row.get("documents", 0), (int, float, np.number))
