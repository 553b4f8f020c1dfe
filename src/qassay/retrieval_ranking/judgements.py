"""Ranks of the judged documents of every query, the input of every ranking measure.

Only judged documents are ranked, by counting: rank = 1 + documents with a higher score + tied documents that precede.
Only the ids of tied documents are sorted, and in tables the ids of unjudged documents never become Python strings.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, compress, islice
from typing import Any

import numpy as np

from ..core.arrow import arrow_integers
from ..core.columns import is_hashable, is_real, real_numbers
from ..core.gold_fingerprints import GoldFingerprints
from ..core.options import check_choice
from ..core.remarks import remark
from ..core.shown import describe, shown
from .columns import Judgements, NestedRun, TableRun, read_rankings
from .id_matching import (
    ROWS_AT_ONCE,
    IdTexts,
    as_int,
    blocks_of,
    id_list,
    match_ids_in_segments,
    once_in_segments,
    refuse_duplicate,
    rows_equal_to,
)
from .query_ids import first_repeated, has_text_keys, id_texts
from .ranks import rank_by_score

_TIES = ("trec", "stable", "any")
_SCORE_DTYPES = ("float64", "float32")
_COMPARED = 100  # ids of a query whose forms tell whether they are of one collection
_FEW_QUERIES = 20  # of fewer queries a run may well retrieve no judged document
_DIGITS, _SMALL, _CAPITALS = re.compile(r"\d+"), re.compile("[a-z]+"), re.compile("[A-Z]+")
_FEW_DOCUMENTS = 8  # up to this many documents, searching a list is faster than indexing it


@dataclasses.dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """The places of the judged documents in the rankings: q queries, j judgements, h judged and retrieved documents.

    Attributes:
        ids: q query ids, in the order and type of the references; a `range` when matched by position without ids.
        missing: bool (q,), the run does not have the query at all.
        retrieved: int64 (q,), how many documents the run has for it.
        judged_query: int64 (j,), rows of `ids`, ascending.
        judged_relevance: float64 (j,).
        query: int64 (h,), rows of `ids`; this and the following are sorted by (query, rank).
        relevance: float64 (h,).
        rank: int64 (h,), from 1.
        greater: int64 (h,), documents of the query with a higher score.
        equal: int64 (h,), documents with the same score, itself included: 1 without a tie.
        unmatched: queries of the run without judgements, which are omitted.
        duplicates: the number of duplicate retrieved documents, which are omitted.
        gold: fingerprints of the judgements; None if the run contains its own judgements.
    """

    ids: Sequence
    missing: np.ndarray
    retrieved: np.ndarray
    judged_query: np.ndarray
    judged_relevance: np.ndarray
    query: np.ndarray
    relevance: np.ndarray
    rank: np.ndarray
    greater: np.ndarray
    equal: np.ndarray
    unmatched: int
    duplicates: int
    gold: GoldFingerprints | None


def rank_judged_documents(
    columns: Mapping[str, Any],
    *,
    ties: str = "trec",
    score_dtype: str = "float64",
    drop_identical_ids: bool = False,
    duplicates: str = "error",
    lower_is_better: bool = False,
    relevant_from: float | None = None,
) -> JudgedDocuments:
    """The ranks of the judged documents, from any form of run and judgements.

    Args:
        columns: `predictions`, `references`, `ids`, `scores` and `relevances`; None or absent if there is none. The
            forms are as in `read_rankings`.
        ties: documents with equal scores are ordered by document id, descending ("trec": as trec_eval, by code point),
            in the order of the input ("stable"), or all at the first rank of their group ("any").
        score_dtype: "float64" compares scores as they are (trec_eval 10), "float32" rounds them first (trec_eval 9).
        drop_identical_ids: omit retrieved documents whose id is the id of the query.
        duplicates: for a duplicate document of a query, in the run or in the judgements, the "first" or the "best" one
            counts (by score, by relevance), or it is refused ("error").
        lower_is_better: the scores are distances: the lowest is best.
        relevant_from: rank only judged documents of at least this relevance; None: all.
    """
    check_choice("ties", ties, _TIES)
    check_choice("score_dtype", score_dtype, _SCORE_DTYPES)
    run, judgements = read_rankings({**columns, "duplicates": duplicates, "lower_is_better": lower_is_better})
    run, dropped = (run, 0) if duplicates == "error" else _once_each(run, duplicates)
    rules = _Rules(ties, score_dtype == "float32", drop_identical_ids)
    wanted = _Wanted.of(judgements, relevant_from)
    places, unmatched = _match_queries(run, judgements)
    rank: Any = _rank_table if isinstance(run, TableRun) else _rank_nested
    retrieved, hits = rank(run, places, judgements, wanted, rules)
    if not any(map(len, hits.place)) and retrieved.any():
        everything = wanted if relevant_from is None else _Wanted.of(judgements, None)
        if wanted is everything or not any(map(len, rank(run, places, judgements, everything, rules)[1].place)):
            _remark_unjudged(run, places, judgements, retrieved)
    return _judged(judgements, places, retrieved, wanted, hits, unmatched, dropped)


@dataclasses.dataclass(frozen=True)
class _Rules:
    ties: str
    float32: bool
    drop_identical_ids: bool


@dataclasses.dataclass(frozen=True)
class _Wanted:
    """The judged documents to rank: `documents`, `query` and `relevance` (m,); query i starts at offsets[i]."""

    documents: IdTexts
    query: np.ndarray
    relevance: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, judgements: Judgements, relevant_from: float | None) -> "_Wanted":
        documents, relevance = judgements.documents, judgements.relevance
        query = np.repeat(np.arange(len(judgements.ids)), np.diff(judgements.offsets))
        if relevant_from is not None:
            selected = np.flatnonzero(relevance >= relevant_from)
            documents, query, relevance = documents.take(selected), query[selected], relevance[selected]
        return cls(documents, query, relevance, np.searchsorted(query, np.arange(len(judgements.ids) + 1)))

    def ids_at(self, place: np.ndarray) -> Callable[[np.ndarray], list[str]]:
        """A function that gives the ids of some of the documents in these places."""
        return lambda some: self.documents.take(place[some]).listed

    def of_queries(self, queries: list[int], kind: type) -> tuple[np.ndarray, np.ndarray, list[list]]:
        """Places (m,) of the documents of some queries, which of these each belongs to, and their ids as str or int."""
        starts, ends = self.offsets[:-1][queries], self.offsets[1:][queries]
        sizes = ends - starts
        documents: list[list] = [
            self.documents.listed[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        if kind is int:
            documents = [list(map(as_int, names)) for names in documents]
        segment = np.repeat(np.arange(len(queries)), sizes)
        return np.arange(len(segment)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes), segment, documents


@dataclasses.dataclass
class _Hits:
    """Retrieved ones of the wanted documents: their places in `_Wanted` and where they rank, block after block."""

    place: list[np.ndarray] = dataclasses.field(default_factory=list)
    rank: list[np.ndarray] = dataclasses.field(default_factory=list)
    greater: list[np.ndarray] = dataclasses.field(default_factory=list)
    equal: list[np.ndarray] = dataclasses.field(default_factory=list)

    def add(self, *arrays: np.ndarray) -> None:
        for column, array in zip((self.place, self.rank, self.greater, self.equal), arrays, strict=True):
            column.append(array)


def _once_each(run: NestedRun | TableRun, duplicates: str) -> tuple[NestedRun | TableRun, int]:
    """The run without duplicate documents, and the number of omitted ones."""
    if isinstance(run, TableRun):
        once = once_in_segments(run.document, run.offsets, run.score if duplicates == "best" else None)
        offsets, document = np.searchsorted(once, run.offsets), run.document.take(arrow_integers(once))
        return TableRun(run.keys, offsets, document, run.score[once]), len(run.score) - len(once)
    if run.has_dicts:
        return run, 0
    rankings, scores = list(run.documents), None if run.scores is None else list(run.scores)
    dropped = 0
    for place, documents in enumerate(rankings):
        try:
            if documents is None or len(set(documents)) == len(documents):
                continue
        except TypeError:  # refused later, with a name
            continue
        rows = _rows_that_count(documents, scores[place] if scores is not None and duplicates == "best" else None)
        dropped += len(documents) - len(rows)
        rankings[place] = [documents[row] for row in rows]
        if scores is not None:
            scores[place] = [scores[place][row] for row in rows]
    return dataclasses.replace(run, documents=rankings, scores=scores), dropped


def _rows_that_count(documents: Sequence[Any], scores: Sequence[Any] | None) -> list[int]:
    """The row of each document, ascending: its first row, or the row of its highest score; a score that is not a number
    is kept, to be refused by name.
    """
    counted: dict[Any, int] = {}
    for row, document in enumerate(documents):
        before = counted.setdefault(document, row)
        if scores is None or not is_real(scores[before]):
            continue
        if not (is_real(scores[row]) and scores[row] <= scores[before]):
            counted[document] = row
    return sorted(counted.values())


def _match_queries(run: Any, judgements: Any) -> tuple[np.ndarray, int]:
    """For each judged query its place in the run (-1 if missing), and how many queries of the run have no judgements."""
    if run.keys is None:
        has_ranking = np.fromiter((row is not None for row in run.documents), bool, len(run.documents))
        return np.where(has_ranking, np.arange(len(has_ranking)), -1), 0
    place = {key: number for number, key in enumerate(run.keys)}
    places = np.fromiter((place.get(key, -1) for key in judgements.keys), np.int64, len(judgements.keys))
    matched = int(np.count_nonzero(places >= 0))
    if not matched:
        raise ValueError(
            f"run and judgements have no query in common: the run has ids like {shown(run.keys[0])}, the judgements like "
            f"{shown(judgements.keys[0])}; are they of the same data set?"
        )
    return places, len(place) - matched


def _remark_unjudged(
    run: NestedRun | TableRun, places: np.ndarray, judgements: Judgements, retrieved: np.ndarray
) -> None:
    """Warn that no retrieved document of any query is judged; of few queries only if the ids look different."""
    judged = np.diff(judgements.offsets)
    queries = np.flatnonzero((retrieved > 0) & (judged > 0))
    if not len(queries):
        return
    own: list[str] = []
    other: list[str] = []
    for query in queries[:_FEW_QUERIES].tolist():
        start, place = judgements.offsets[query], places[query]
        if isinstance(run, TableRun):
            first, last = run.offsets[place : place + 2]
            own += id_list(run.document.slice(first, min(_COMPARED, last - first)))
        else:
            own += map(str, islice(run.documents[place], _COMPARED))
        other += judgements.documents.take(np.arange(start, start + min(_COMPARED, judged[query]))).listed
    if len(queries) < _FEW_QUERIES and not set(map(_form, own)).isdisjoint(map(_form, other)):
        return
    remark(
        f"no document that the run retrieves is judged for its query: the run has ids like {shown(own[0])}, the "
        f"judgements like {shown(other[0])} (query {shown(judgements.ids[queries[0]])}); are they of the same collection?"
    )


def _form(identifier: str) -> str:
    """The kinds of characters of an id: "a" for small letters, "A" for large ones, "0" for digits."""
    return _CAPITALS.sub("A", _SMALL.sub("a", _DIGITS.sub("0", identifier)))


def _judged(
    judgements: Judgements,
    places: np.ndarray,
    retrieved: np.ndarray,
    wanted: _Wanted,
    hits: _Hits,
    unmatched: int,
    duplicates: int,
) -> JudgedDocuments:
    """All parts together, hits sorted by query and rank."""
    none = [np.empty(0, np.int64)]
    place, rank, greater, equal = (
        np.concatenate(part or none) for part in (hits.place, hits.rank, hits.greater, hits.equal)
    )
    query = wanted.query[place]
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank, kind="stable")
    return JudgedDocuments(
        ids=judgements.ids,
        missing=places < 0,
        retrieved=retrieved,
        judged_query=np.repeat(np.arange(len(judgements.ids)), np.diff(judgements.offsets)),
        judged_relevance=judgements.relevance,
        query=query[order],
        relevance=wanted.relevance[place[order]],
        rank=rank[order],
        greater=greater[order],
        equal=equal[order],
        unmatched=unmatched,
        duplicates=duplicates,
        gold=judgements.gold,
    )


def _rank_nested(
    run: NestedRun, places: np.ndarray, judgements: Judgements, wanted: _Wanted, rules: _Rules
) -> tuple[np.ndarray, _Hits]:
    """The number of documents of each query, and the ranks of the wanted documents, by look-ups in the rankings."""
    retrieved, hits = np.zeros(len(places), np.int64), _Hits()
    has_scores = run.scores is not None or run.has_dicts
    queries: list[Any] = []
    rankings: list[Any] = []
    rows = 0
    kind: Any = None

    def rank() -> None:
        if has_scores:
            hits.add(*_rank_dicts(queries, rankings, kind, wanted, rules, judgements.ids))
        else:
            hits.add(*_rank_lists(queries, rankings, kind, wanted))

    for query, place in enumerate(places.tolist()):
        if place < 0:
            continue
        name = judgements.ids[query]
        ranking = _ranking(run, place, name)
        if rules.drop_identical_ids and not isinstance(judgements.ids, range):
            ranking = _without(ranking, str(name))
        if not ranking:
            continue
        kind = _check_documents(ranking, name, kind)
        retrieved[query] = len(ranking)
        queries.append(query)
        rankings.append(ranking)
        rows += len(ranking)
        if rows >= ROWS_AT_ONCE:
            rank()
            queries, rankings, rows = [], [], 0
    if queries:
        rank()
    return retrieved, hits


def _ranking(run: NestedRun, place: int, query: Any) -> Mapping:
    """One ranking as a dict document -> score (None if there are no scores)."""
    documents = run.documents[place]
    if isinstance(documents, Mapping):
        return documents
    try:
        ranking = (
            dict.fromkeys(documents) if run.scores is None else dict(zip(documents, run.scores[place], strict=True))
        )
    except TypeError:
        bad = next(document for document in documents if not is_hashable(document))
        raise TypeError(f"predictions: a document of query {shown(query)} is {describe(bad)}; give ids") from None
    if len(ranking) != len(documents):
        refuse_duplicate(query, first_repeated(documents)[1])
    return ranking


def _without(ranking: Mapping, name: str) -> Mapping:
    """A ranking without one document."""
    keys_to_drop = [key for key in (name, as_int(name)) if key is not None and key in ranking]
    return (
        {document: ranking[document] for document in ranking if document not in keys_to_drop}
        if keys_to_drop
        else ranking
    )


def _check_documents(ranking: Mapping, query: Any, before: type | None) -> type:
    """The type of the ids of the retrieved documents, str or int, which must not be mixed."""
    if has_text_keys(ranking):
        kind: type = str
    else:
        id_texts(list(ranking), "predictions", lambda place: f" of query {shown(query)}")
        kind = str if isinstance(next(iter(ranking)), str) else int
    if before not in (None, kind):
        raise TypeError(
            f"predictions: document ids of mixed type, {kind.__name__} in query {shown(query)} and {before.__name__} in "
            "the ones before; give strings or integers, not both"
        )
    return kind


def _rank_dicts(
    queries: list[int], rankings: list[Mapping], kind: type, wanted: _Wanted, rules: _Rules, ids: Sequence
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Place, rank, greater and equal of the hits of some queries that all have documents."""
    offsets = np.zeros(len(rankings) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rankings), np.int64, len(rankings)), out=offsets[1:])
    try:
        scores: Any = real_numbers(chain.from_iterable(ranking.values() for ranking in rankings))
    except TypeError:
        scores = None
    if scores is None or np.isnan(scores).any():
        _refuse_scores([ids[query] for query in queries], rankings)
    place, segment, documents = wanted.of_queries(queries, kind)
    look_ups = map(map, (ranking.get for ranking in rankings), documents)
    score = np.fromiter(chain.from_iterable(look_ups), np.float64, len(segment))  # NaN where it was not retrieved
    retrieved = np.flatnonzero(~np.isnan(score))
    place = place[retrieved]

    def row_ids(rows: np.ndarray) -> list[str]:
        numbers, starts = np.unique(np.searchsorted(offsets, rows, "right") - 1, return_index=True)
        listed: list = []
        for number, part in zip(numbers.tolist(), np.split(rows, starts[1:]), strict=True):
            listed.extend(map(list(rankings[number]).__getitem__, (part - offsets[number]).tolist()))
        return list(map(str, listed)) if kind is int else listed

    ranks = rank_by_score(
        scores,
        offsets,
        segment[retrieved],
        score[retrieved],
        None,
        ties=rules.ties,
        float32=rules.float32,
        wanted_ids=wanted.ids_at(place),
        row_ids=row_ids,
    )
    return place, *ranks


def _rank_lists(
    queries: list[int], rankings: list[Mapping], kind: type, wanted: _Wanted
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same for rankings without scores: a rank is a position."""
    place, _, documents = wanted.of_queries(queries, kind)
    positions: list[int] = []  # -1 where it was not retrieved
    for ranking, wanted_documents in zip(rankings, documents, strict=True):
        if sum(document in ranking for document in wanted_documents) > _FEW_DOCUMENTS:
            position = dict(zip(ranking, range(len(ranking)), strict=True))
            positions.extend(position.get(document, -1) for document in wanted_documents)
        else:
            listed = list(ranking)
            positions.extend(listed.index(document) if document in ranking else -1 for document in wanted_documents)
    greater = np.array(positions, np.int64)
    retrieved = np.flatnonzero(greater >= 0)
    greater = greater[retrieved]
    return place[retrieved], greater + 1, greater, np.ones(len(retrieved), np.int64)


def _refuse_scores(queries: Sequence, rankings: list[Mapping]) -> None:
    """Name the first score that is not a number."""
    for query, ranking in zip(queries, rankings, strict=True):
        for document, score in ranking.items():
            if not is_real(score) or math.isnan(score):
                refuse_score(query, document, score)


def refuse_score(query: Any, document: Any, score: Any) -> None:
    """Raise the error of a score that is not a number."""
    error = ValueError if isinstance(score, float) else TypeError
    raise error(
        f"predictions: the score of document {shown(document)} of query {shown(query)} is {describe(score)}; "
        "give every document a number (infinite ones are fine)"
    )


def _rank_table(
    run: TableRun, places: np.ndarray, judgements: Judgements, wanted: _Wanted, rules: _Rules
) -> tuple[np.ndarray, _Hits]:
    """The number of documents of each query, and the ranks of the wanted documents, found by fingerprints of their
    ids.
    """
    query_of = np.full(len(run.keys), -1)
    query_of[places[places >= 0]] = np.flatnonzero(places >= 0)
    run, query_of = _judged_rows(run, query_of, rules)
    sizes = np.diff(run.offsets)
    retrieved = np.zeros(len(places), np.int64)
    retrieved[query_of] = sizes
    segment_of = np.full(len(places), -1)
    segment_of[query_of] = np.arange(len(query_of))
    segment = segment_of[wanted.query]
    in_run = np.flatnonzero(segment >= 0)
    in_run = in_run[np.argsort(segment[in_run], kind="stable")]
    place, row = match_ids_in_segments(
        run.document,
        run.offsets,
        wanted.documents.take(in_run),
        segment[in_run],
        [judgements.ids[i] for i in query_of.tolist()],
    )
    place, hits = in_run[place], _Hits()
    segment = segment[place]

    for first, last in blocks_of(run.offsets):
        base, stop = run.offsets[first], run.offsets[last]
        scores = run.score[base:stop].astype(np.float64, copy=False)
        bad = np.flatnonzero(np.isnan(scores))
        if len(bad):
            at = base + int(bad[0])
            query = judgements.ids[query_of[np.searchsorted(run.offsets, at, "right") - 1]]
            refuse_score(query, id_list(run.document[at : at + 1])[0], float("nan"))
        low, high = np.searchsorted(segment, (first, last))
        if low == high:
            continue
        rows_of_block = row[low:high] - base

        def row_ids(rows: np.ndarray, base: int = base) -> list[str]:
            return id_list(run.document.take(arrow_integers(rows + base)))

        ranks = rank_by_score(
            scores,
            run.offsets[first : last + 1] - base,
            segment[low:high] - first,
            scores[rows_of_block],
            rows_of_block,
            ties=rules.ties,
            float32=rules.float32,
            wanted_ids=wanted.ids_at(place[low:high]),
            row_ids=row_ids,
        )
        hits.add(place[low:high], *ranks)
    return retrieved, hits


def _judged_rows(run: TableRun, query_of: np.ndarray, rules: _Rules) -> tuple[TableRun, np.ndarray]:
    """The run without the rows that do not count, and the judged query of each of its segments."""
    sizes = np.diff(run.offsets)
    counted = None if (query_of >= 0).all() else np.repeat(query_of >= 0, sizes)
    if rules.drop_identical_ids:
        is_query_id = rows_equal_to(run.document, run.keys, sizes)
        counted = ~is_query_id if counted is None else counted & ~is_query_id
    if counted is None:
        return run, query_of
    sizes = np.add.reduceat(counted, run.offsets[:-1], dtype=np.int64)
    keys = list(compress(run.keys, (sizes > 0).tolist()))
    offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    return TableRun(
        keys, offsets, run.document.take(arrow_integers(np.flatnonzero(counted))), run.score[counted]
    ), query_of[sizes > 0]
