"""Runs and judgements with one row per query: dicts of documents, lists, rows {"id", "documents"}."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.arrow import ROWS_AT_ONCE
from ..core.columns import check_lengths, check_rows, id_at, is_real, plain_rows, real_numbers, to_list
from ..core.errors import InputError, about
from ..core.intake import field_of
from ..core.options import did_you_mean
from ..core.ragged import ranges_from
from ..core.shown import describe, shown
from .counting import Block, refuse_score
from .fields import is_query_row
from .ids import first_repeated, has_text_keys, id_texts, refuse_duplicate, unique_texts
from .judgements import Judgements

_NUMBERS = {"predictions": "scores", "references": "relevances"}  # the numbers parallel to lists of documents
_ADVICE = {
    "predictions": "give one ranked list of document ids, or one dict document -> score, per query",
    "references": "give one list or set of relevant document ids, or one dict document -> relevance, per query",
}


# --- reading ----------------------------------------------------------------------------------------------------------


def read_nested_run(
    predictions: Any, columns: Mapping[str, Any], duplicates: str, lower_is_better: bool
) -> "NestedRun":
    """A run of one row per query; `columns` may have ids and scores."""
    ids, rows, numbers = _read(predictions, "predictions", columns)
    if not len(rows):
        raise ValueError("the run is empty: predictions has no queries")
    keys = None if ids is None else unique_texts(ids, "predictions id")
    are_dicts = _are_dicts(rows)
    run = NestedRun(keys, rows, np.zeros(len(rows), np.int64), are_dicts or numbers is not None, lower_is_better)
    if are_dicts:
        return run
    if lower_is_better and numbers is None:
        raise ValueError("predictions are ranked lists without scores, so lower_is_better says nothing; omit it")
    names = columns.get("ids") if ids is None else ids
    falling = list(range(0, -max((len(row) for row in rows if row is not None), default=0), -1))
    run.rows = []
    for row, documents in enumerate(rows):
        query, scores = id_at(names or (), row), falling if numbers is None else numbers[row]
        query = row if query is None else query
        try:
            ranking = None if documents is None else dict(zip(documents, scores, strict=False))
        except TypeError:  # a document that is no id
            id_texts(documents, "predictions", query)
            raise
        if ranking is not None and len(ranking) < len(documents):
            ranking = _once_each(documents, scores, query, duplicates, lower_is_better)
            run.repeated[row] = len(documents) - len(ranking)
        run.rows.append(ranking)
    return run


def _once_each(
    documents: Sequence[Any], scores: Sequence[Any], query: Any, duplicates: str, lower_is_better: bool
) -> dict[Any, Any]:
    """A ranking with each document once, at the place of the score that counts."""
    if duplicates == "error":
        refuse_duplicate(query, first_repeated(documents)[1])
    for document, score in zip(documents, scores, strict=False):
        _check_score(query, document, score)
    order: Iterable[int] = range(len(documents))
    if duplicates == "best":
        order = sorted(order, key=scores.__getitem__, reverse=not lower_is_better)
    place: dict[Any, int] = {}
    for index in order:
        place.setdefault(documents[index], index)
    return {documents[index]: scores[index] for index in sorted(place.values())}


def read_nested_judgements(references: Any, columns: Mapping[str, Any], duplicates: str) -> Judgements:
    """Judgements of one row per query; `columns` may have ids and relevances."""
    ids, rows, numbers = _read(references, "references", columns)
    if not len(rows):
        raise ValueError("there is nothing to score: references has no queries")
    keys = None if ids is None else unique_texts(ids, "references id")
    if ids is None:
        with about("ids"):
            ids = range(len(rows)) if columns.get("ids") is None else to_list(columns["ids"], "ids")
            check_lengths(references=rows, ids=ids)
            if not isinstance(ids, range):
                unique_texts(ids, "ids")
    documents = list(chain.from_iterable(rows))
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    if not all(map(has_text_keys, rows)):
        try:
            documents = id_texts(documents, "references")
        except TypeError:
            for query, row in zip(ids, rows, strict=True):
                id_texts(list(row), "references", query)
            raise
    relevance, are_dicts = np.ones(len(documents)), _are_dicts(rows)
    if are_dicts or numbers is not None:
        levels = list(chain.from_iterable(numbers or (row.values() for row in rows)))
        try:
            relevance = real_numbers(levels)
        except TypeError:
            row = next(row for row, level in enumerate(levels) if not is_real(level))
            query = ids[int(np.searchsorted(offsets, row, "right")) - 1]
            message = f"references: the relevance of document {shown(documents[row])} of query {shown(query)}"
            raise TypeError(f"{message} must be a number, got {describe(levels[row])}") from None
    return Judgements(ids, keys, offsets, documents, relevance).checked(duplicates, not are_dicts)


def _are_dicts(rows: Sequence[Any]) -> bool:
    return isinstance(next((row for row in rows if row is not None), None), Mapping)


def _read(
    column: Any, name: str, columns: Mapping[str, Any]
) -> tuple[Sequence[Any] | None, list[Any], list[Any] | None]:
    """The query ids (None by position) and the rows of one side in any nested layout: dicts document -> number, or lists of
    documents with lists of their numbers, if there are any; None for a query that the run lacks.

    Args:
        columns: may have ids and the numbers of lists.
    """
    ids, rows, numbers = _ids_and_rows(column, name, columns)
    names, number_column = range(len(rows)) if ids is None else ids, _NUMBERS[name]
    may_be_none = name == "predictions" and ids is None
    if _are_dicts(rows):
        types = (Mapping, type(None)) if may_be_none else (Mapping,)
        check_rows(rows, name, names, types, "give every query a dict, like the first one")
        if numbers is not None:
            problem = f"{number_column} belong to lists of documents, but {name} are dicts; omit them"
            raise InputError(number_column, problem)
        return ids, rows, None
    if name == "references":
        is_set = [isinstance(row, (set, frozenset)) for row in rows]
        if numbers is not None and any(is_set):
            row = is_set.index(True)
            advice = f"give a list with {number_column}"
            raise InputError(name, "is a set, which has no order", advice, row, id_at(names, row))
        rows = [list(row) if unordered else row for row, unordered in zip(rows, is_set, strict=True)]
    lists: Any = plain_rows([[] if row is None and may_be_none else row for row in rows], name, names, _ADVICE[name])
    if numbers is not None:
        with about(number_column):
            numbers = _parallel(lists, name, numbers, names)
    elif isinstance(next(filter(len, lists), [None])[0], (list, tuple)):
        for row, pairs in enumerate(lists):
            if not set(map(type, pairs)) <= {list, tuple} or not set(map(len, pairs)) <= {2}:
                found, advice = "has an item that is no pair, unlike the first one", f"(document, {number_column[:-1]})"
                raise InputError(name, found, f"give pairs {advice}", row, id_at(names, row))
        lists, numbers = ([[pair[part] for pair in pairs] for pairs in lists] for part in (0, 1))
    return ids, [None if row is None else found for row, found in zip(rows, lists, strict=True)], numbers


def _ids_and_rows(
    column: Any, name: str, columns: Mapping[str, Any]
) -> tuple[Sequence[Any] | None, list[Any], list[Any] | None]:
    number_column = _NUMBERS[name]
    if isinstance(column, Mapping):
        refuse_unread(columns, f"{name} is a dict", "ids", number_column)
        return list(column), list(column.values()), None
    rows = to_list(column, name)
    if len(rows) and isinstance(rows[0], Mapping) and is_query_row(rows[0]):
        check_rows(rows, name, (), Mapping, "give every row as a dict like the first one")
        refuse_unread(columns, f"{name} is a list of rows with ids", "ids", number_column)
        for key in rows[0]:
            if key not in ("id", "documents", number_column) and did_you_mean(key, [number_column]):
                raise TypeError(f"{name}[0] has {shown(key)}; the numbers of documents are called {number_column!r}")
        ids, documents = (field_of(rows, key, name, required=True) for key in ("id", "documents"))
        return ids, documents or [], field_of(rows, number_column, name)
    numbers = columns.get(number_column)
    with about(number_column):
        return None, rows, None if numbers is None else to_list(numbers, number_column)


def refuse_unread(columns: Mapping[str, Any], why: str, *names: str) -> None:
    """Refuse columns that only lists have."""
    for name in names:
        if columns.get(name) is not None:
            raise InputError(None, f"the column {name} belongs to lists, but {why}; leave {name} out")


def _parallel(rows: Sequence[Any], name: str, numbers: list[Any], ids: Sequence[Any]) -> list[Sequence[Any]]:
    """Lists of numbers, checked to be parallel to lists of documents."""
    number_column = _NUMBERS[name]
    lists = plain_rows(numbers, number_column, ids, "give one list of numbers per query")
    check_lengths(**{name: rows, number_column: lists})
    for row, (documents, parallel) in enumerate(zip(rows, lists, strict=True)):
        if len(documents) != len(parallel):
            counts = f"has {len(parallel)} numbers for {len(documents)} documents"
            raise InputError(number_column, counts, "give one per document", row, id_at(ids, row))
    return lists


# --- the run ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class NestedRun:
    """One ranking per query.

    Attributes:
        keys: the query ids as text; None by position.
        rows: r dicts document -> score; None where the run lacks the query.
        repeated: int64 (r,), how many duplicate documents of each query were left out.
        has_scores: the scores were given; else they count down from 0.
        lower_is_better: the lowest score is best.
    """

    keys: list[str] | None
    rows: list[Any]
    repeated: np.ndarray
    has_scores: bool
    lower_is_better: bool = False

    def pairs(self, row: int) -> list[tuple[str, float]]:
        """The documents of a query with their scores, the highest for the best."""
        sign = -1 if self.lower_is_better else 1
        return [(str(document), sign * float(score)) for document, score in (self.rows[row] or {}).items()]

    def scores_and_sizes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The scores, float64 (n,), the highest for the best, and how many each query has; None without numbers."""
        rankings = [ranking for ranking in self.rows if ranking is not None]
        try:
            scores = self._scores(rankings) if self.has_scores else None
        except TypeError:  # not numbers: refused later, with a name
            return None
        return None if scores is None else (scores, np.fromiter(map(len, rankings), np.int64, len(rankings)))

    def _scores(self, rankings: Sequence[Mapping[Any, Any]]) -> np.ndarray:
        scores = real_numbers(chain.from_iterable(ranking.values() for ranking in rankings))
        return -scores if self.lower_is_better else scores

    def blocks(self, rows: np.ndarray, judged: Judgements, drop_identical_ids: bool) -> Iterator[Block]:
        """Blocks of rankings with the judged documents in them; see `ranks.ranked_hits`.

        Args:
            rows: int64 (q,), the ranking of each judged query; -1 if it has none.
            drop_identical_ids: omit documents with the id of their query.
        """
        queries: list[int] = []
        rankings: list[Mapping[Any, Any]] = []
        size = 0
        for query, row in enumerate(rows.tolist()):
            ranking = self.rows[row] if row >= 0 else None
            if drop_identical_ids and ranking:
                name = str(judged.ids[query])
                if name in ranking or _as_int(name) in ranking:
                    ranking = {key: score for key, score in ranking.items() if str(key) != name}
            if ranking:
                queries.append(query)
                rankings.append(ranking)
                size += len(ranking)
            if size >= ROWS_AT_ONCE:
                yield self._block(queries, rankings, judged)
                queries, rankings, size = [], [], 0
        if queries:
            yield self._block(queries, rankings, judged)

    def _block(self, queries: list[int], rankings: list[Mapping[Any, Any]], judged: Judgements) -> Block:
        offsets = np.zeros(len(rankings) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, rankings), np.int64, len(rankings)), out=offsets[1:])
        try:
            scores = self._scores(rankings)
        except TypeError:
            scores = np.array([math.nan])
        if np.isnan(scores).any():
            for query, ranking in zip(queries, rankings, strict=True):
                for document, number in ranking.items():
                    _check_score(judged.ids[query], document, number)
        starts, ends = judged.offsets[:-1][queries], judged.offsets[1:][queries]
        looked_up = []
        for query, ranking, start, end in zip(queries, rankings, starts.tolist(), ends.tolist(), strict=True):
            names: Iterable[Any] = judged.listed[start:end]
            if not has_text_keys(ranking):
                id_texts(list(ranking), "predictions", judged.ids[query])  # for its errors
                names = names if isinstance(next(iter(ranking)), str) else map(_as_int, names)
            looked_up.append(map(ranking.get, names))
        sizes = ends - starts
        score = np.fromiter(chain.from_iterable(looked_up), np.float64, sizes.sum())  # NaN where it was not retrieved
        found = np.flatnonzero(~np.isnan(score))
        score = -score[found] if self.lower_is_better else score[found]
        segment = np.repeat(np.arange(len(queries)), sizes)[found]
        found = ranges_from(starts, sizes)[found]
        return Block(
            np.array(queries, np.int64), offsets, scores, found, segment, score, None, _ids_in(rankings, offsets)
        )


def _ids_in(rankings: Sequence[Mapping[Any, Any]], offsets: np.ndarray) -> Callable[[np.ndarray], list[str]]:
    """A function that gives the documents in some rows of rankings that follow each other, by ascending ranking."""

    def ids(rows: np.ndarray) -> list[str]:
        numbers, starts = np.unique(np.searchsorted(offsets, rows, "right") - 1, return_index=True)
        listed: list[str] = []
        for number, part in zip(numbers.tolist(), np.split(rows, starts[1:]), strict=True):
            documents = list(rankings[number])
            names = map(documents.__getitem__, (part - offsets[number]).tolist())
            listed.extend(names if isinstance(documents[0], str) else map(str, names))
        return listed

    return ids


def _as_int(text: str) -> int | None:
    """The integer that a text has the digits of; None for other texts."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if str(number) == text else None


def _check_score(query: Any, document: Any, score: Any) -> None:
    if not is_real(score) or math.isnan(score):
        refuse_score(query, document, score)
