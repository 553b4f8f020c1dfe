"""Runs and judgements with one row per query: dicts of documents, lists, rows {"id", "documents"}."""

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.arrow import ROWS_AT_ONCE
from ..core.columns import (
    check_lengths,
    check_rows,
    id_at,
    is_hashable,
    is_real,
    plain_rows,
    real_numbers,
    to_list,
    with_id,
)
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


class _Rows(NamedTuple):
    """The row of each query: dicts document -> number, or lists of documents, with lists of their `numbers` if there are
    any; None without a row. `ids` are as given, None by position.
    """

    ids: Sequence[Any] | None
    rows: list[Any]
    numbers: list[Any] | None

    @property
    def are_dicts(self) -> bool:
        return isinstance(next((row for row in self.rows if row is not None), None), Mapping)


def read_nested_run(predictions: Any, columns: Mapping[str, Any], lower_is_better: bool) -> "NestedRun":
    """A run of one row per query; `columns` may have ids and scores."""
    found = _read(predictions, "predictions", columns)
    ids, rows, numbers = found
    if not len(rows):
        raise ValueError("the run is empty: predictions has no queries")
    keys = None if ids is None else unique_texts(ids, "predictions id")
    has_scores = found.are_dicts or numbers is not None
    if not has_scores:
        if lower_is_better:
            raise ValueError("predictions are ranked lists without scores, so lower_is_better says nothing; omit it")
        numbers = [list(range(0, -max((len(row) for row in rows if row is not None), default=0), -1))] * len(rows)
    return NestedRun(keys, rows, numbers, has_scores, lower_is_better)


def read_nested_judgements(references: Any, columns: Mapping[str, Any], duplicates: str) -> Judgements:
    """Judgements of one row per query; `columns` may have ids and relevances."""
    found = _read(references, "references", columns)
    ids, rows, numbers = found
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
    relevance = np.ones(len(documents))
    if found.are_dicts or numbers is not None:
        levels = list(chain.from_iterable(numbers or (row.values() for row in rows)))
        try:
            relevance = real_numbers(levels)
        except TypeError:
            row = next(row for row, level in enumerate(levels) if not is_real(level))
            query = ids[int(np.searchsorted(offsets, row, "right")) - 1]
            message = f"references: the relevance of document {shown(documents[row])} of query {shown(query)}"
            raise TypeError(f"{message} must be a number, got {describe(levels[row])}") from None
    return Judgements(ids, keys, offsets, documents, relevance).checked(duplicates, not found.are_dicts)


def _read(column: Any, name: str, columns: Mapping[str, Any]) -> _Rows:
    """The rows of one side in any nested layout, each like the first one; `columns` may have the numbers of lists."""
    number_column = _NUMBERS[name]
    ids, rows, numbers = _ids_and_rows(column, name, number_column, columns)
    names = range(len(rows)) if ids is None else ids
    may_be_none = name == "predictions" and ids is None  # a query that the run lacks
    given = [row for row in rows if row is not None]
    if may_be_none and given and all(isinstance(row, str) for row in given):
        raise TypeError(f"{name} is a flat list of strings (the first: {describe(given[0])}); {_ADVICE[name]}")
    found = _Rows(ids, rows, numbers)
    if found.are_dicts:
        types = (Mapping, type(None)) if may_be_none else (Mapping,)
        check_rows(rows, name, names, types, "give every query a dict, like the first one")
        if numbers is not None:
            message = (
                f"{number_column} belong to lists of documents, but the rows of {name} are dicts; omit {number_column}"
            )
            raise InputError(number_column, message)
        return found
    if name == "references":
        is_set = [isinstance(row, (set, frozenset)) for row in rows]
        if numbers is not None and any(is_set):
            row = is_set.index(True)
            raise InputError(
                name, "is a set, which has no order", f"give a list with {number_column}", row, id_at(names, row)
            )
        rows = [list(row) if unordered else row for row, unordered in zip(rows, is_set, strict=True)]
    lists: Any = plain_rows([[] if row is None and may_be_none else row for row in rows], name, names, _ADVICE[name])
    if numbers is not None:
        numbers = _parallel(lists, name, numbers, number_column, names)
    elif isinstance(next(filter(len, lists), [None])[0], (list, tuple)):
        lists, numbers = _without_pairs(lists, name, names)
    if may_be_none:
        lists = [None if row is None else documents for row, documents in zip(rows, lists, strict=True)]
    return _Rows(ids, lists, numbers)


def _ids_and_rows(
    column: Any, name: str, number_column: str, columns: Mapping[str, Any]
) -> tuple[Sequence[Any] | None, list[Any], list[Any] | None]:
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


def _parallel(
    rows: Sequence[Any], name: str, numbers: list[Any], number_column: str, ids: Sequence[Any]
) -> list[Sequence[Any]]:
    """Lists of numbers, checked to be parallel to lists of documents."""
    with about(number_column):
        lists = plain_rows(numbers, number_column, ids, "give one list of numbers per query")
        check_lengths(**{name: rows, number_column: lists})
        for row, (documents, parallel) in enumerate(zip(rows, lists, strict=True)):
            if len(documents) != len(parallel):
                counts = f"has {len(parallel)} numbers for {len(documents)} documents"
                advice = f"give one {number_column.removesuffix('s')} per document"
                raise InputError(number_column, counts, advice, row, id_at(ids, row))
    return lists


def _without_pairs(
    rows: list[Sequence[Any]], name: str, ids: Sequence[Any]
) -> tuple[list[Any], list[list[Any]] | None]:
    """Lists of pairs as dicts; where a document comes twice, as lists of documents and lists of numbers."""
    for row, pairs in enumerate(rows):
        for index, pair in enumerate(pairs):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                item = f"{name}[{row}][{index}]{with_id(ids, row)}"
                raise TypeError(
                    f"{item} must be a pair (document, {_NUMBERS[name][:-1]}) like the first one, got {describe(pair)}"
                )
    with contextlib.suppress(TypeError):  # a document that cannot be an id, which is refused by name
        dicts = [dict(pairs) for pairs in rows]
        if list(map(len, dicts)) == list(map(len, rows)):
            return dicts, None
    return [[pair[0] for pair in pairs] for pairs in rows], [[pair[1] for pair in pairs] for pairs in rows]


# --- the run ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class NestedRun:
    """One ranking per query.

    Attributes:
        keys: the query ids as text; None by position.
        rows: dicts document -> score, or lists of documents; None where the run lacks the query.
        numbers: the scores of the documents of lists; the first ones of longer lists count.
        has_scores: the scores were given; else the documents are in their order.
        lower_is_better: the lowest score is best.
    """

    keys: list[str] | None
    rows: list[Any]
    numbers: Sequence[Any] | None
    has_scores: bool
    lower_is_better: bool = False

    def ranking(self, row: int, query: Any, duplicates: str) -> Mapping[Any, Any]:
        """A ranking as a dict document -> score.

        Args:
            query: for messages.
            duplicates: which of several scores of a document counts, as in `RankingOptions`.
        """
        documents = self.rows[row]
        if self.numbers is None or documents is None:
            return documents or {}
        try:
            ranking = dict(zip(documents, self.numbers[row], strict=False))
        except TypeError:
            bad = next(document for document in documents if not is_hashable(document))
            raise TypeError(f"predictions: a document of query {shown(query)} is {describe(bad)}; give ids") from None
        if len(ranking) == len(documents):
            return ranking
        if duplicates == "error":
            refuse_duplicate(query, first_repeated(documents)[1])
        kept: dict[Any, Any] = {}
        for document, score in zip(documents, self.numbers[row], strict=False):
            _check_score(query, document, score)
            before = kept.get(document, score)
            better = duplicates == "best" and (score < before if self.lower_is_better else score > before)
            if better:
                del kept[document]  # the place in the ranking is that of the score that counts
            if better or document not in kept:
                kept[document] = score
        return kept

    def pairs(self, row: int, duplicates: str) -> list[tuple[str, float]]:
        """The documents of a query with their scores, the highest for the best."""
        sign = -1 if self.lower_is_better else 1
        return [(str(document), sign * float(score)) for document, score in self.ranking(row, row, duplicates).items()]

    def scores_and_sizes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The scores, float64 (n,), the highest for the best, and how many each query has; None without numbers."""
        if not self.has_scores:
            return None
        rankings = [self.ranking(row, row, "first") for row, given in enumerate(self.rows) if given is not None]
        try:
            return self._scores(rankings), np.fromiter(map(len, rankings), np.int64, len(rankings))
        except TypeError:  # not numbers: refused later, with a name
            return None

    def _scores(self, rankings: Sequence[Mapping[Any, Any]]) -> np.ndarray:
        scores = real_numbers(chain.from_iterable(ranking.values() for ranking in rankings))
        return -scores if self.lower_is_better else scores

    def blocks(self, rows: np.ndarray, judged: Judgements, options: Any) -> Iterator[Block]:
        """Blocks of rankings with the judged documents in them; see `ranks.ranks`.

        Args:
            rows: int64 (q,), the ranking of each judged query; -1 if it has none.
        """
        queries: list[int] = []
        rankings: list[Mapping[Any, Any]] = []
        size, omitted = 0, 0
        for query, row in enumerate(rows.tolist()):
            if row < 0:
                continue
            ranking = self.ranking(row, judged.ids[query], options.duplicates)
            omitted += len(self.rows[row]) - len(ranking)
            if options.drop_identical_ids:
                name = str(judged.ids[query])
                if name in ranking or _as_int(name) in ranking:
                    ranking = {key: score for key, score in ranking.items() if str(key) != name}
            if ranking:
                queries.append(query)
                rankings.append(ranking)
                size += len(ranking)
            if size >= ROWS_AT_ONCE:
                yield self._block(queries, rankings, judged, omitted)
                queries, rankings, size, omitted = [], [], 0, 0
        yield self._block(queries, rankings, judged, omitted)

    def _block(self, queries: list[int], rankings: list[Mapping[Any, Any]], judged: Judgements, omitted: int) -> Block:
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
        ids = _ids_in(rankings, offsets)
        return Block(np.array(queries, np.int64), offsets, scores, found, segment, score, None, ids, omitted)


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
