"""The judged documents of a run in one order, with a rule for tied scores, and the counts that ranking measures
need.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core.ragged import begins_run
from .judgements import JudgedDocuments


class RelevantHits(NamedTuple):
    """The relevant documents that were retrieved, (h,) each, by query and rank; `number` counts them per query from 1."""

    query: np.ndarray
    rank: np.ndarray
    number: np.ndarray


class _HitColumns(NamedTuple):
    """Retrieved judged documents, as in `JudgedDocuments`, (h,) each."""

    query: np.ndarray
    relevance: np.ndarray
    rank: np.ndarray
    greater: np.ndarray
    equal: np.ndarray


@dataclasses.dataclass(frozen=True, eq=False)
class RankedHits:
    """Judged documents with ranks, q queries.

    Attributes:
        retrieved: int64 (q,), documents of the run.
        judged_query, judged_relevance: (j,), all judgements, sorted by query.
        query, relevance, rank: (h,), the retrieved ones among them, sorted by query and rank (counted from 1).
        greater, equal: int64 (h,), documents of the query with a higher score, and with the same one, itself included.
        expected: ranks represent all orders of tied documents, with equal probability; measures are then their mean.
    """

    retrieved: np.ndarray
    judged_query: np.ndarray
    judged_relevance: np.ndarray
    query: np.ndarray
    relevance: np.ndarray
    rank: np.ndarray
    greater: np.ndarray
    equal: np.ndarray
    expected: bool = False
    _memo: dict = dataclasses.field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls, judged: JudgedDocuments, ties: str = "trec", judged_only: bool = False, depth: int | None = None
    ) -> "RankedHits":
        """The order of a run.

        Args:
            ties: "best" puts the most relevant of tied documents first, "worst" last; "expected" stands for every order;
                any other rule is already in the ranks.
            judged_only: remove documents that are unjudged, or have negative relevance, and renumber the ranks.
            depth: remove documents below this rank before that; None: keep all.
        """
        hits, retrieved = _HitColumns(*(getattr(judged, name) for name in _HitColumns._fields)), judged.retrieved
        in_order = ties in ("best", "worst")
        if depth is not None:
            if in_order:
                hits, in_order = _with_tied_in_order(hits, best=ties == "best"), False
            retrieved = np.minimum(retrieved, depth)
            hits = _HitColumns(*(column[hits.rank <= depth] for column in hits))
        if judged_only:
            hits = _without_unjudged(hits)
            retrieved = np.bincount(hits.query, minlength=len(retrieved))
        if in_order:
            hits = _with_tied_in_order(hits, best=ties == "best")
        return cls(retrieved, judged.judged_query, judged.judged_relevance, *hits, expected=ties == "expected")

    def __len__(self) -> int:
        return len(self.retrieved)

    def count(self, query: np.ndarray) -> np.ndarray:
        """How often each query occurs in `query`, float64 (q,)."""
        return np.bincount(query, minlength=len(self)).astype(np.float64)

    def sum(self, query: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The sum of `values` for each query, added in order, float64 (q,)."""
        sums = np.bincount(query, weights=values, minlength=len(self))
        return sums.astype(np.float64, copy=False)  # for empty input numpy returns integers

    def num_relevant(self, level: float) -> np.ndarray:
        """Documents judged relevant (relevance at least `level`), float64 (q,)."""
        return self.once(("num_relevant", level), lambda: self.count(self.judged_query[self.judged_relevance >= level]))

    def num_nonrelevant(self, level: float) -> np.ndarray:
        """Documents judged not relevant: relevance 0 or more, below `level`, float64 (q,)."""
        mask = (self.judged_relevance >= 0) & (self.judged_relevance < level)
        return self.count(self.judged_query[mask])

    def relevant(self, level: float) -> RelevantHits:
        """The retrieved documents of relevance `level` or more."""

        def find() -> RelevantHits:
            mask = self.relevance >= level
            query = self.query[mask]
            return RelevantHits(query, self.rank[mask], np.arange(len(query)) - first_of_run(query) + 1)

        return self.once(("relevant", level), find)

    def once(self, key: tuple, compute: Callable):
        """A value that several measures need, computed on first use."""
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]

    def at_ranks(self, value: Callable[[np.ndarray], np.ndarray], mask: np.ndarray) -> np.ndarray:
        """A function of the rank for each hit under `mask`; with `expected` its mean over the ranks a tie leaves open."""
        values = np.asarray(value(self.rank[mask]), np.float64)
        if not self.expected:
            return values
        greater, equal = self.greater[mask], self.equal[mask]
        tied = np.flatnonzero(equal > 1)
        if len(tied):
            sums = np.cumsum(value(np.arange(1, int((greater + equal)[tied].max()) + 1)), dtype=np.float64)
            sums = np.concatenate(([0.0], sums))
            first, last = greater[tied], greater[tied] + equal[tied]
            values[tied] = (sums[last] - sums[first]) / equal[tied]
        return values


def rank_within(cutoff: int | None) -> float:
    """The last rank that counts: a cut-off, infinite for the whole list."""
    return math.inf if cutoff is None else cutoff


def quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """A quotient; 0 for a division by 0."""
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator != 0)


def first_of_run(keys: np.ndarray) -> np.ndarray:
    """For each place of a sorted array the first place with the same key."""
    starts = np.flatnonzero(begins_run(keys))
    return np.repeat(starts, np.diff(np.append(starts, len(keys))))


def first_of_group(query: np.ndarray, greater: np.ndarray) -> np.ndarray:
    """`first_of_run` of hits with the same query and score, which are adjacent."""
    if not len(query):
        return np.zeros(0, np.int64)
    new = (query[1:] != query[:-1]) | (greater[1:] != greater[:-1])
    return first_of_run(np.concatenate(([0], np.cumsum(new))))


def _with_tied_in_order(hits: _HitColumns, best: bool) -> _HitColumns:
    """Hits in the best or the worst order of hits with the same score."""
    order = np.lexsort((-hits.relevance if best else hits.relevance, hits.greater, hits.query))
    query, relevance, _, greater, equal = (values[order] for values in hits)
    first = first_of_group(query, greater)
    rank = greater + 1 + np.arange(len(query)) - first
    if not best:  # after the unjudged documents with the same score
        rank = rank + equal - np.bincount(first, minlength=len(query))[first]
    return _HitColumns(query, relevance, rank, greater, equal)


def _without_unjudged(hits: _HitColumns) -> _HitColumns:
    """Hits as if only judged documents had been retrieved."""
    judged = hits.relevance >= 0
    query, relevance, greater = hits.query[judged], hits.relevance[judged], hits.greater[judged]
    start, first = first_of_run(query), first_of_group(query, greater)
    equal = np.bincount(first, minlength=len(query))[first]
    return _HitColumns(query, relevance, np.arange(len(query)) - start + 1, first - start, equal)
