"""Measures of gain: the gain of each relevance level, and the formulas for every query.

The functions of measures have the arguments and results of `formulas.py`.
"""

import dataclasses
import functools
from collections.abc import Mapping

import numpy as np

from ..core.ragged import begins_run
from .ties import RankedHits, first_of_run, quotient, rank_within


@functools.cache
def level_gains(gain: str) -> tuple[tuple[float, float], ...]:
    """Pairs of relevance level and gain from their text, `1:3.5;2:7`; none for "linear" and "exp2"."""
    pairs = (pair.split(":") for pair in gain.split(";") if ":" in gain)
    return tuple((float(level), float(worth)) for level, worth in pairs)


def check_gains(relevance: np.ndarray, gain: str) -> None:
    """Refuse gains that decrease with the level; a level without a gain is itself the gain."""
    if not level_gains(gain):  # linear and exp2 never decrease
        return
    levels = np.unique(relevance)
    falls = np.flatnonzero(np.diff(worth_of_levels(levels, gain)) < 0)
    if len(falls):
        low, high = levels[falls[0] : falls[0] + 2]
        raise ValueError(
            f"gain: relevance {high:g} would be worth less than {low:g}; "
            "give the gain of every level that the judgements have"
        )


def worth_of_levels(relevance: np.ndarray, gain: str) -> np.ndarray:
    """The gain of documents at these levels: the level itself if no gain is given, 0 below level 0."""
    if gain == "exp2":
        return np.exp2(np.maximum(relevance, 0.0)) - 1.0
    worth = np.maximum(relevance, 0.0)
    if gain != "linear":
        for level, value in level_gains(gain):
            worth[relevance == level] = value
    return worth


def _discount(rank: np.ndarray) -> np.ndarray:
    return 1.0 / np.log2(rank + 1.0)


def dcg(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """Discounted cumulative gain: the sum of gain / log2(rank + 1) up to rank k (Jarvelin and Kekalainen, 2002)."""
    gains = worth_of_levels(ranked.relevance, settings["gain"])
    mask = gains > 0
    query, gains = ranked.query[mask], gains[mask]
    if ranked.expected:
        cut = rank_within(k)
        return ranked.sum(
            query, gains * ranked.at_ranks(lambda rank: np.where(rank <= cut, _discount(rank), 0.0), mask)
        )
    rank = ranked.rank[mask]
    if k is not None:
        mask = rank <= k
        query, gains, rank = query[mask], gains[mask], rank[mask]
    return ranked.sum(query, gains / np.log2(rank + 1.0))


def _best_order(ranked: RankedHits, gain: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query, gain and rank of the judged documents with a gain, the largest gain of each query first."""

    def sort() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        gains = worth_of_levels(ranked.judged_relevance, gain)
        mask = gains > 0
        query, gains = ranked.judged_query[mask], gains[mask]
        order = np.lexsort((-gains, query))
        return query, gains[order], np.arange(len(query)) - first_of_run(query) + 1

    return ranked.once(("ideal", gain), sort)


def _ideal_dcg(ranked: RankedHits, k: int | None, gain: str) -> np.ndarray:
    query, gains, rank = _best_order(ranked, gain)
    if k is not None:
        mask = rank <= k
        query, gains, rank = query[mask], gains[mask], rank[mask]
    return ranked.sum(query, gains / np.log2(rank + 1.0))


def ndcg(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """DCG / the DCG of the best order of all judged documents, cut at k too."""
    return quotient(dcg(ranked, k, settings), _ideal_dcg(ranked, k, settings["gain"]))


def ideal_dcg(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """The DCG of the best order of all judged documents, up to k."""
    return _ideal_dcg(ranked, k, settings["gain"])


def binary_gain(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """The mean over relevant documents of 1 / log2(2 + documents above it that are not relevant), as in trec_eval."""
    hits = ranked.relevant(settings["rel"])
    terms = 1.0 / np.log2(2.0 + hits.rank - hits.number)
    return quotient(ranked.sum(hits.query, terms), ranked.num_relevant(settings["rel"]))


def normalized_gain(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """The sum of gain / log2(2 + cost of the best order up to here - gain up to here) / the gain of all documents.

    The best order costs the gain of its document at each rank, and at least 1, as in trec_eval.
    """
    query, gains, rank = _gaining_hits(ranked, settings["gain"])
    ideal = _BestOrder.of(ranked, settings["gain"])
    costs = _running_sums(ideal.query, np.maximum(ideal.gains, 1.0))
    cost = costs[ideal.position(query, rank)] + np.maximum(rank - ideal.sizes[query], 0)
    terms = gains / np.log2(2.0 + (cost - _running_sums(query, gains)))
    return quotient(ranked.sum(query, terms), ranked.sum(ideal.query, ideal.gains))


def ndcg_over_relevant(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """The mean of nDCG at the ranks of the documents with a gain; at the end of the list if not retrieved."""
    query, gains, rank = _gaining_hits(ranked, settings["gain"])
    ideal = _BestOrder.of(ranked, settings["gain"])
    terms = gains / np.log2(rank + 1.0)
    at_hits = ranked.sum(query, _running_sums(query, terms) / ideal.dcg[ideal.position(query, rank)])
    absent = (ideal.sizes - ranked.count(query)) * ranked.sum(query, terms)
    return quotient(at_hits + quotient(absent, _ideal_dcg(ranked, None, settings["gain"])), ideal.sizes)


def ndcg_over_levels(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """The mean of nDCG at the ranks where the gain of the best order changes, and at the end of a list that has two
    documents more than there are with a gain (trec_eval); 0 without a relevant document.
    """
    query, gains, rank = _gaining_hits(ranked, settings["gain"])
    ideal = _BestOrder.of(ranked, settings["gain"])
    last = np.ones(len(ideal.query), bool)
    last[:-1] = (ideal.query[1:] != ideal.query[:-1]) | (ideal.gains[1:] != ideal.gains[:-1])
    terms = gains / np.log2(rank + 1.0)
    so_far = np.concatenate(([0.0], _running_sums(query, terms)))
    deepest = 1 + max(rank.max(initial=0), ideal.rank.max(initial=0))
    key, level_query, level_rank = query * deepest + rank, ideal.query[last], ideal.rank[last]
    begin, end = (np.searchsorted(key, level_query * deepest + cut, "right") for cut in (0, level_rank))
    values = ranked.sum(level_query, np.where(end > begin, so_far[end], 0.0) / ideal.dcg[last])
    is_longer = (ideal.sizes > 0) & (ranked.retrieved >= ideal.sizes + 2)
    whole = quotient(ranked.sum(query, terms), _ideal_dcg(ranked, None, settings["gain"]))
    values = quotient(values + np.where(is_longer, whole, 0.0), ranked.count(level_query) + is_longer)
    return np.where(ranked.num_relevant(settings["rel"]) > 0, values, 0.0)


def _gaining_hits(ranked: RankedHits, gain: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query, gain and rank of the retrieved documents with a gain."""
    gains = worth_of_levels(ranked.relevance, gain)
    mask = gains > 0
    return ranked.query[mask], gains[mask], ranked.rank[mask]


def _running_sums(query: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The running sums of the values of each query."""
    starts = np.flatnonzero(begins_run(query))
    sums = [np.cumsum(part) for part in np.split(values, starts[1:])]
    return np.concatenate(sums).astype(np.float64, copy=False)


@dataclasses.dataclass(frozen=True)
class _BestOrder:
    """The judged documents with a gain, (j,), the largest gain first.

    Attributes:
        query, gains, rank: of each document, by query and rank; dcg: the discounted gain up to it.
        sizes: int64 (q,), how many each query has.
    """

    query: np.ndarray
    gains: np.ndarray
    rank: np.ndarray
    dcg: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, ranked: RankedHits, gain: str) -> "_BestOrder":
        def make() -> "_BestOrder":
            query, gains, rank = _best_order(ranked, gain)
            dcg = _running_sums(query, gains / np.log2(rank + 1.0))
            return cls(query, gains, rank, dcg, np.bincount(query, minlength=len(ranked)))

        return ranked.once(("best order", gain), make)

    def position(self, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """The position of the document of the best order at a rank, or of the last one of its query, for documents with a
        gain.
        """
        return (np.cumsum(self.sizes) - self.sizes)[query] + np.minimum(rank, self.sizes[query]) - 1
