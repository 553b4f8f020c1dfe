"""Runs and judgements with one row per query: dicts of documents, lists, rows {"id", "documents"}."""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.arrow import ROWS_AT_ONCE
from ..core.columns import check_lengths, check_rows, is_hashable, is_real, plain_rows, real_numbers, to_list
from ..core.errors import InputError, about
from ..core.intake import field_of
from ..core.options import did_you_mean
from ..core.shown import describe, shown
from .counting import rank_by_score
from .fields import is_query_row
from .id_matching import IdTexts, as_int, first_repeated, has_text_keys, id_texts, refuse_duplicate, unique_texts
from .judgements import Judgements

_GIVE_RANKING = "give one ranked list of document ids, or one dict document -> score, per query"
_GIVE_RELEVANT = "give one list or set of relevant document ids, or one dict document -> relevance, per query"


# --- reading ----------------------------------------------------------------------------------------------------------


def read_nested_run(predictions: Any, columns: Mapping[str, Any], lower_is_better: bool) -> "NestedRun":
    """A run of one row per query; `columns` may have ids and scores."""
    ids, rows, scores = _ids_and_rows(predictions, "predictions", "scores", columns)
    keys = None if ids is None else unique_texts(ids, "predictions id")
    if not len(rows):
        raise ValueError("the run is empty: predictions has no queries")
    given = [row for row in rows if row is not None]
    if keys is None and all(isinstance(row, str) for row in given) and given:
        raise TypeError(
            f"predictions is a flat list of strings (predictions[0] is {describe(given[0])}); {_GIVE_RANKING}"
        )
    names = range(len(rows)) if keys is None else keys
    if given and isinstance(given[0], Mapping):
        types = (Mapping, type(None)) if keys is None else (Mapping,)
        check_rows(rows, "predictions", names, types, "give every query a dict")
        if scores is not None:
            raise TypeError("scores belong to lists of documents, but the rows of predictions are dicts; omit scores")
        return NestedRun(keys, rows, lower_is_better=lower_is_better)
    none_is_empty = [[] if row is None and keys is None else row for row in rows]
    rankings = plain_rows(none_is_empty, "predictions", names, _GIVE_RANKING)
    are_pairs = any(rankings) and isinstance(next(filter(None, rankings))[0], (list, tuple))
    if scores is not None:
        lists, are_pairs = _parallel(rankings, "predictions", scores, "scores", names), True
        rankings = [list(zip(*pair, strict=True)) for pair in zip(rankings, lists, strict=True)]
    elif are_pairs:
        _check_pairs(rankings, names)
    elif lower_is_better:
        raise ValueError("predictions are ranked lists without scores, so lower_is_better says nothing; omit it")
    documents = [None if row is None else items for row, items in zip(rows, rankings, strict=True)]
    return NestedRun(keys, documents, are_pairs, lower_is_better)


def read_nested_judgements(references: Any, columns: Mapping[str, Any], duplicates: str) -> Judgements:
    """Judgements of one row per query; `columns` may have ids and relevances."""
    ids, rows, grades = _ids_and_rows(references, "references", "relevances", columns)
    if not len(rows):
        raise ValueError("there is nothing to score: references has no queries")
    keys = None if ids is None else unique_texts(ids, "references id")
    if ids is None:
        with about("ids"):
            ids = range(len(rows)) if columns.get("ids") is None else to_list(columns["ids"], "ids")
            check_lengths(references=rows, ids=ids)
            if not isinstance(ids, range):
                unique_texts(ids, "ids")
    numbers: list | None = None
    are_dicts = isinstance(rows[0], Mapping)
    if are_dicts:
        advice = "give every query a dict document -> relevance, like the first one"
        check_rows(rows, "references", ids, Mapping, advice)
        if grades is not None:
            message = "relevances belong to lists of documents, but the rows of references are dicts; omit relevances"
            raise InputError("relevances", message)
        numbers = list(chain.from_iterable(row.values() for row in rows))
    else:
        rows = [row.tolist() if isinstance(row, np.ndarray) and row.ndim else row for row in rows]
        check_rows(rows, "references", ids, (list, tuple, set, frozenset), _GIVE_RELEVANT)
        if grades is not None:
            numbers = list(chain.from_iterable(_parallel(rows, "references", grades, "relevances", ids)))
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    owner = np.repeat(np.arange(len(rows)), sizes)
    documents = list(chain.from_iterable(rows))
    if not all(map(has_text_keys, rows)):
        documents = id_texts(documents, "references", lambda row: f" of query {shown(ids[owner[row]])}")
    relevance = np.ones(len(documents))
    if numbers:
        try:
            relevance = real_numbers(numbers)
        except TypeError:
            row = next(row for row, number in enumerate(numbers) if not is_real(number))
            message = f"references: the relevance of document {shown(documents[row])} of query {shown(ids[owner[row]])}"
            raise TypeError(f"{message} must be a number, got {describe(numbers[row])}") from None
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Judgements(ids, keys, offsets, IdTexts(documents), relevance).checked(duplicates, not are_dicts)


def _ids_and_rows(
    column: Any, name: str, beside: str, columns: Mapping[str, Any]
) -> tuple[Sequence[Any] | None, Any, Sequence[Any] | None]:
    """Query ids as given (None by position), the row of each query, and the numbers parallel to the rows."""
    if isinstance(column, Mapping):
        refuse_unread(columns, f"{name} is a dict", "ids", beside)
        return list(column), list(column.values()), None
    rows = to_list(column, name)
    if len(rows) and isinstance(rows[0], Mapping) and is_query_row(rows[0]):
        check_rows(rows, name, (), Mapping, "give every row as a dict like the first one")
        refuse_unread(columns, f"{name} is a list of rows with ids", "ids", beside)
        for key in rows[0]:
            if key not in ("id", "documents", beside) and did_you_mean(key, [beside]):
                raise TypeError(f"{name}[0] has {shown(key)}; the numbers beside documents are called {beside!r}")
        ids, documents = (field_of(rows, key, name, required=True) for key in ("id", "documents"))
        return ids, documents, field_of(rows, beside, name)
    numbers = columns.get(beside)
    with about(beside):
        return None, rows, None if numbers is None else to_list(numbers, beside)


def refuse_unread(columns: Mapping[str, Any], why: str, *names: str) -> None:
    """Refuse columns that only lists have."""
    for name in names:
        if columns.get(name) is not None:
            raise InputError(None, f"the column {name} belongs to lists, but {why}; leave {name} out")


def _parallel(rows: Sequence, side: str, numbers: Sequence, name: str, ids: Sequence) -> list[Sequence]:
    """Lists of numbers, checked to be parallel to lists of documents."""
    with about(name):
        lists = plain_rows(list(numbers), name, ids, "give one list of numbers per query")
        check_lengths(**{side: rows, name: lists})
        for row, (documents, parallel) in enumerate(zip(rows, lists, strict=True)):
            if not isinstance(documents, (list, tuple)):
                message = f"{side}[{row}]{_of_query(ids, row)} is a set, which has no order; give a list beside {name}"
                raise InputError(side, message)
            if len(documents) != len(parallel):
                raise ValueError(
                    f"{name}[{row}]{_of_query(ids, row)} has {len(parallel)} numbers for {len(documents)} documents; "
                    f"give one {name.removesuffix('s')} per document"
                )
    return lists


def _check_pairs(rows: Sequence[Sequence], names: Sequence) -> None:
    for row, pairs in enumerate(rows):
        for index, pair in enumerate(pairs):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise TypeError(
                    f"predictions[{row}][{index}]{_of_query(names, row)} must be a pair (document, score) like the "
                    f"first one, got {describe(pair)}"
                )


def _of_query(names: Sequence, row: int) -> str:
    """The text " (query 'q1')" for messages; "" if queries have only positions."""
    return "" if isinstance(names, range) else f" (query {shown(names[row])})"


# --- the run ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class NestedRun:
    """One ranking per query.

    Attributes:
        keys: the query ids as text; None by position.
        rankings: a dict document -> score, or a list of documents, best first, or of pairs (document, score); None if the
            run lacks the query.
        are_pairs: whether the lists hold pairs.
        lower_is_better: the lowest score is best.
    """

    keys: list[str] | None
    rankings: list
    are_pairs: bool = False
    lower_is_better: bool = False

    def scores_and_sizes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The scores, float64 (n,), the highest for the best, and how many each query has; None without numbers."""
        if not self.are_pairs and not any(isinstance(ranking, Mapping) for ranking in self.rankings):
            return None
        queries = range(len(self.rankings)) if self.keys is None else self.keys
        rows = [row for row, ranking in enumerate(self.rankings) if ranking is not None]
        rankings = [self.ranking(row, queries[row], "first") for row in rows]
        try:
            scores = real_numbers(chain.from_iterable(ranking.values() for ranking in rankings))
        except TypeError:  # not numbers: refused later, with a name
            return None
        return -scores if self.lower_is_better else scores, np.fromiter(map(len, rankings), np.int64, len(rankings))

    def ranking(self, row: int, query: Any, duplicates: str) -> Mapping:
        """A ranking as a dict document -> score; a list without scores counts down from 0.

        Args:
            query: for messages.
            duplicates: which of several scores of a document counts, as in `RankingOptions`.
        """
        documents = self.rankings[row]
        if isinstance(documents, Mapping):
            return documents
        try:
            ranking = dict(self._pairs(row))
        except TypeError:
            bad = next(document for document, _ in self._pairs(row) if not is_hashable(document))
            raise TypeError(f"predictions: a document of query {shown(query)} is {describe(bad)}; give ids") from None
        if len(ranking) == len(documents):
            return ranking
        if duplicates == "error":
            refuse_duplicate(query, first_repeated([document for document, _ in self._pairs(row)])[1])
        kept: dict[Any, Any] = {}
        for document, score in self._pairs(row):
            _check_score(query, document, score)
            before = kept.get(document, score)
            better = duplicates == "best" and (score < before if self.lower_is_better else score > before)
            if better:
                del kept[document]  # the place in the ranking is that of the score that counts
            if better or document not in kept:
                kept[document] = score
        return kept

    def _pairs(self, row: int) -> Iterable[tuple[Any, Any]]:
        documents = self.rankings[row]
        return documents if self.are_pairs else zip(documents, range(0, -len(documents), -1), strict=True)

    def rank(
        self, rows: np.ndarray, judged: Judgements, options: Any
    ) -> tuple[np.ndarray, list[tuple[np.ndarray, ...]], int]:
        """Look up judged documents in the rankings; see `ranks.ranks`.

        Args:
            rows: int64 (q,), of the ranking of each judged query; -1 if missing.

        Returns:
            The number of documents of each query, int64 (q,); block by block, of the judged documents that were
            retrieved their rows in `judged`, ranks, and numbers of documents with a higher and with the same score; and
            how many duplicate documents were omitted.
        """
        retrieved, hits, omitted = np.zeros(len(rows), np.int64), [], 0
        for queries, rankings, kind, dropped in self._blocks(rows, judged.ids, options):
            retrieved[queries] = list(map(len, rankings))
            omitted += dropped
            if queries:
                hits.append(self._rank_block(queries, rankings, kind, judged, options))
            del rankings  # before the next block is made
        return retrieved, hits, omitted

    def _blocks(
        self, rows: np.ndarray, ids: Sequence, options: Any
    ) -> Iterator[tuple[list[int], list[Mapping], type, int]]:
        """Blocks of judged queries that have documents, their rankings, the type of the ids, str or int, and how many
        duplicate documents were omitted.
        """
        queries: list[int] = []
        rankings: list[Mapping] = []
        size, omitted = 0, 0
        kind: type = str
        before: type | None = None
        for query, row in enumerate(rows.tolist()):
            if row < 0:
                continue
            ranking = self.ranking(row, ids[query], options.duplicates)
            omitted += len(self.rankings[row]) - len(ranking)
            if options.drop_identical_ids and not isinstance(ids, range):
                name = str(ids[query])
                if name in ranking or as_int(name) in ranking:
                    ranking = {key: score for key, score in ranking.items() if str(key) != name}
            if not ranking:
                continue
            kind = before = _type_of_ids(ranking, ids[query], before)
            queries.append(query)
            rankings.append(ranking)
            size += len(ranking)
            if size >= ROWS_AT_ONCE:
                yield queries, rankings, kind, omitted
                queries, rankings, size, omitted = [], [], 0, 0
        yield queries, rankings, kind, omitted

    def _rank_block(
        self, queries: list[int], rankings: list[Mapping], kind: type, judged: Judgements, options: Any
    ) -> tuple[np.ndarray, ...]:
        offsets = np.zeros(len(rankings) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, rankings), np.int64, len(rankings)), out=offsets[1:])
        try:
            scores: Any = real_numbers(chain.from_iterable(ranking.values() for ranking in rankings))
        except TypeError:
            scores = None
        if scores is None or np.isnan(scores).any():
            for query, ranking in zip(queries, rankings, strict=True):
                for document, number in ranking.items():
                    _check_score(judged.ids[query], document, number)
        rows, segment, documents = judged.of_queries(queries, kind)
        look_ups = map(map, (ranking.get for ranking in rankings), documents)
        score = np.fromiter(chain.from_iterable(look_ups), np.float64, len(segment))  # NaN where it was not retrieved
        found = np.flatnonzero(~np.isnan(score))
        rows, score = rows[found], score[found]

        def row_ids(indices: np.ndarray) -> list[str]:
            numbers, starts = np.unique(np.searchsorted(offsets, indices, "right") - 1, return_index=True)
            listed: list = []
            for number, part in zip(numbers.tolist(), np.split(indices, starts[1:]), strict=True):
                listed.extend(map(list(rankings[number]).__getitem__, (part - offsets[number]).tolist()))
            return list(map(str, listed)) if kind is int else listed

        def requested_ids(some: np.ndarray) -> list[str]:
            return judged.documents.take(rows[some]).listed

        if self.lower_is_better:
            scores, score = -scores, -score
        return rows, *rank_by_score(scores, offsets, segment[found], score, None, options, requested_ids, row_ids)

    def pairs(self, row: int, duplicates: str) -> list[tuple[str, float]]:
        """The documents of a query with their scores, the highest for the best."""
        sign = -1 if self.lower_is_better else 1
        ranking = {} if self.rankings[row] is None else self.ranking(row, row, duplicates)
        return [(str(document), sign * float(score)) for document, score in ranking.items()]


def _type_of_ids(ranking: Mapping, query: Any, before: type | None) -> type:
    """The type of the ids of the retrieved documents, str or int, which must not be mixed."""
    if has_text_keys(ranking):
        kind: type = str
    else:
        id_texts(list(ranking), "predictions", lambda row: f" of query {shown(query)}")
        kind = str if isinstance(next(iter(ranking)), str) else int
    if before not in (None, kind):
        raise TypeError(
            f"predictions: document ids of mixed type, {kind.__name__} in query {shown(query)} and {before.__name__} in "
            "the ones before; give strings or integers, not both"
        )
    return kind


def _check_score(query: Any, document: Any, score: Any) -> None:
    if not is_real(score) or math.isnan(score):
        refuse_score(query, document, score)


def refuse_score(query: Any, document: Any, score: Any) -> None:
    """Raise the error of a score that is not a number."""
    error = ValueError if isinstance(score, float) else TypeError
    raise error(
        f"predictions: the score of document {shown(document)} of query {shown(query)} is {describe(score)}; "
        "give every document a number (infinite ones are fine)"
    )
