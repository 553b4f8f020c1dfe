"""The judged documents of a run in one order, with a rule for tied scores, the counts that ranking measures need, and
their expected values: means over all orders of documents with equal scores.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core.ragged import begins_run


class RelevantHits(NamedTuple):
    """The relevant documents that were retrieved, (h,) each, by query and rank; `number` counts them per query from 1."""

    query: np.ndarray
    rank: np.ndarray
    number: np.ndarray


_OF_HITS = ("query", "relevance", "rank", "greater", "equal")


@dataclasses.dataclass(frozen=True, eq=False)
class RankedHits:
    """The judged documents of q queries, and the ranks of those that were retrieved.

    Attributes:
        retrieved: int64 (q,), how many documents the run has for each query.
        judged_query, judged_relevance: int64 and float64 (j,), all judgements, by query.
        query, relevance, rank: (h,), the retrieved ones among them, by query and rank (counted from 1).
        greater, equal: int64 (h,), documents of the query with a higher score, and with the same one, including the document.
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

    def in_order(self, ties: str, judged_only: bool, depth: int | None) -> "RankedHits":
        """The hits in another order, or fewer of them.

        Args:
            ties: "best" puts the most relevant of tied documents first, "worst" last; "expected" means every order;
                any other rule is already in the ranks.
            judged_only: remove documents that are unjudged, or have negative relevance, and renumber the ranks.
            depth: remove documents below this rank before that; None: keep all.
        """

        def ordered() -> RankedHits:
            hits, reorders = dataclasses.replace(self, expected=ties == "expected"), ties in ("best", "worst")
            if depth is not None:
                hits = hits._with_tied_in_order(ties == "best") if reorders else hits
                hits = hits._take(hits.rank <= depth, retrieved=np.minimum(hits.retrieved, depth))
            if judged_only:
                hits = hits._without_unjudged()
            return hits._with_tied_in_order(ties == "best") if reorders and depth is None else hits

        return self.once(("order", ties, judged_only, depth), ordered)

    def _take(self, rows: np.ndarray, **changes: np.ndarray) -> "RankedHits":
        return dataclasses.replace(self, **{name: getattr(self, name)[rows] for name in _OF_HITS} | changes)

    def _with_tied_in_order(self, best: bool) -> "RankedHits":
        """Hits in the best or the worst order of hits with the same score."""
        hits = self._take(np.lexsort((-self.relevance if best else self.relevance, self.greater, self.query)))
        first = first_of_group(hits.query, hits.greater)
        rank = hits.greater + 1 + np.arange(len(first)) - first
        if not best:  # after the unjudged documents with the same score
            rank = rank + hits.equal - np.bincount(first, minlength=len(first))[first]
        return dataclasses.replace(hits, rank=rank)

    def _without_unjudged(self) -> "RankedHits":
        """Hits as if only judged documents had been retrieved."""
        hits = self._take(self.relevance >= 0)
        start, first = first_of_run(hits.query), first_of_group(hits.query, hits.greater)
        return dataclasses.replace(
            hits,
            retrieved=np.bincount(hits.query, minlength=len(self)),
            rank=np.arange(len(first)) - start + 1,
            greater=first - start,
            equal=np.bincount(first, minlength=len(first))[first],
        )

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

    def num_found(self, level: float) -> np.ndarray:
        """Relevant documents retrieved, float64 (q,)."""
        return self.count(self.relevant(level).query)

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
    """The last rank that counts: a cutoff, infinite for the whole list."""
    return math.inf if cutoff is None else cutoff


def quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """A quotient; 0 for a division by 0."""
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator != 0)


def first_of_run(keys: np.ndarray) -> np.ndarray:
    """For each position of a sorted array the first position with the same key."""
    starts = np.flatnonzero(begins_run(keys))
    return np.repeat(starts, np.diff(np.append(starts, len(keys))))


def first_of_group(query: np.ndarray, greater: np.ndarray) -> np.ndarray:
    """`first_of_run` of hits with the same query and score, which are adjacent."""
    if not len(query):
        return np.zeros(0, np.int64)
    new = (query[1:] != query[:-1]) | (greater[1:] != greater[:-1])
    return first_of_run(np.concatenate(([0], np.cumsum(new))))


# --- expected values --------------------------------------------------------------------------------------------------
#
# Measures that are sums over documents need only the mean discount over the ranks of a tie (`RankedHits.at_ranks`).
# These are closed forms for hit rate, reciprocal rank and average precision. e documents share a score at the ranks g+1..g+e, m of them relevant, r
# relevant documents come before them.


class _Groups(NamedTuple):
    """The groups of documents with equal scores that contain relevant documents, sorted by query and score; (t,)
    each.
    """

    query: np.ndarray
    greater: np.ndarray  # g
    equal: np.ndarray  # e
    relevant: np.ndarray  # m
    before: np.ndarray  # r


def _groups(ranked: RankedHits, level: float) -> _Groups:
    mask = ranked.relevance >= level
    query, greater, equal = ranked.query[mask], ranked.greater[mask], ranked.equal[mask]
    first = first_of_group(query, greater)
    starts = np.unique(first)
    sizes = np.diff(np.append(starts, len(query)))
    before = starts - first_of_run(query)[starts]
    return _Groups(query[starts], greater[starts], equal[starts], sizes, before)


def _spread(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions 1..size of every group: the group of each position, and the position."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1


def expected_hit_rate(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The chance that a relevant document is among the first k, (q,)."""
    query, rank, chance = _first_relevant(ranked, level)
    return ranked.sum(query, np.where(rank <= k, chance, 0.0))


def expected_first_reciprocal_rank(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The mean reciprocal rank of the first relevant document, 0 if it is after k, (q,)."""
    query, rank, chance = _first_relevant(ranked, level)
    return ranked.sum(query, np.where(rank <= k, chance / rank, 0.0))


def _first_relevant(ranked: RankedHits, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query and rank of each place that the first relevant document of a query may have, and its chance.

    The first of m relevant documents among e has the position j with the chance C(e-j, m-1) / C(e, m).
    """

    def chances() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        groups = _groups(ranked, level)
        groups = _Groups(*(values[groups.before == 0] for values in groups))
        sizes = groups.equal - groups.relevant + 1
        group, position = _spread(sizes)
        equal, relevant = groups.equal[group], groups.relevant[group]
        left = equal - position + 1  # documents at this position and behind it
        steps = np.where(position == 1, 1.0, (left + 1 - relevant) / (left + 1))
        products = [np.cumprod(part) for part in np.split(steps, np.cumsum(sizes)[:-1])]
        chance = np.concatenate([np.empty(0), *products]) * relevant / left
        return groups.query[group], groups.greater[group] + position, chance

    return ranked.once(("first relevant", level), chances)


def expected_average_precision_sum(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The mean of the sum of precisions at the relevant documents up to rank k, before its division, (q,).

    A rank adds the chance of a relevant document there, times the mean share of relevant ones up to it.
    """
    groups = _groups(ranked, level)
    group, position = _spread(np.clip(k - groups.greater, 0, groups.equal).astype(np.int64))
    e, m = groups.equal[group], groups.relevant[group]
    more = (position - 1) * (m - 1) / np.maximum(e - 1, 1)
    terms = m / e * (groups.before[group] + 1 + more) / (groups.greater[group] + position)
    return ranked.sum(groups.query[group], terms)
