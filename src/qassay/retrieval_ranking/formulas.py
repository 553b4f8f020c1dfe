"""Formulas of the ranking measures for every query, from the ranks of its judged documents; gains of relevance levels.

Every function takes the ranked documents, a cutoff (a rank, a recall, or None for the whole list) and the settings
(parameter -> value) and returns float64 (q,), 0 for a division by 0. The definitions follow
trec_eval 10 (https://github.com/usnistgov/trec_eval) where it has the measure.
"""

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.errors import InputError
from ..core.ragged import Ragged, begins_run
from .ties import (
    RankedHits,
    expected_average_precision_sum,
    expected_first_reciprocal_rank,
    expected_hit_rate,
    first_of_run,
    quotient,
    rank_within,
)

# Symbols for a document of this relevance (truncated), above 9, unjudged, and in the pool but unjudged.
RELEVANCE_LEVELS = (*"0123456789", ">", "-", ".")
_SHOWN_LEVELS = 10  # number of documents if there is no cutoff
RECALLS = tuple(i / 10 for i in range(11))
_INFAP_EPSILON = 0.00001


def judged_at(ranked: RankedHits, k: int) -> np.ndarray:
    """Judged documents up to rank k, (q,)."""
    mask = ranked.relevance >= 0
    return ranked.sum(ranked.query[mask], ranked.at_ranks(lambda rank: rank <= k, mask))


def hits_at(ranked: RankedHits, settings: Mapping, k: Any) -> np.ndarray:
    """Relevant documents up to rank k, which is one number or one for each query."""
    mask = ranked.relevance >= settings["rel"]
    query = ranked.query[mask]
    if np.ndim(k) == 0:
        return ranked.sum(query, ranked.at_ranks(lambda rank: rank <= k, mask))
    if not ranked.expected:
        return ranked.sum(query, (ranked.rank[mask] <= k[query]).astype(np.float64))
    greater, equal = ranked.greater[mask], ranked.equal[mask]
    return ranked.sum(query, np.clip(k[query] - greater, 0, equal) / equal)


def r_precision(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """Precision at the rank mult * R, rounded as trec_eval does; R relevant documents."""
    cut = np.floor(settings["mult"] * ranked.num_relevant(settings["rel"]) + 0.9)
    return quotient(hits_at(ranked, settings, cut), cut)


def hit_rate(ranked: RankedHits, k: int, settings: Mapping) -> np.ndarray:
    """1 where a relevant document is among the first k."""
    if ranked.expected:
        return expected_hit_rate(ranked, settings["rel"], k)
    return (hits_at(ranked, settings, k) > 0).astype(np.float64)


def reciprocal_rank(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """1 / rank of the first relevant document, 0 where its rank is above k."""
    if ranked.expected:
        return expected_first_reciprocal_rank(ranked, settings["rel"], rank_within(k))
    hits = ranked.relevant(settings["rel"])
    first = (hits.number == 1) & (hits.rank <= rank_within(k))
    return ranked.sum(hits.query[first], 1.0 / hits.rank[first])


def average_precision(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """The sum of the precisions at the relevant documents up to rank k / the denominator of the settings."""
    level, denominator, cut = settings["rel"], settings["denominator"], rank_within(k)
    if ranked.expected:
        total = expected_average_precision_sum(ranked, level, cut)
    else:
        hits = ranked.relevant(level)
        precision = hits.number / hits.rank
        if k is not None:
            precision = np.where(hits.rank <= k, precision, 0.0)
        total = ranked.sum(hits.query, precision)
    if denominator == "num_retrieved_relevant":
        return quotient(total, hits_at(ranked, settings, cut))
    if denominator.startswith("fixed:"):
        return total / int(denominator.removeprefix("fixed:"))
    relevant = ranked.num_relevant(level)
    if denominator == "min_k_relevant":
        return quotient(total, np.minimum(relevant, cut))
    return quotient(
        total, np.minimum(relevant, np.minimum(ranked.retrieved, cut)) if denominator == "min_mn" else relevant
    )


def rank_biased_precision(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """(1 - p) * the sum of p^(rank - 1) over relevant documents (Moffat and Zobel, 2008)."""
    return _persistent(ranked, ranked.relevance >= settings["rel"], settings["p"], rank_within(k))


def rank_biased_residual(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """What rank-biased precision would gain if all unjudged documents were relevant; 0 if there are none
    (trec_eval).
    """
    judged = ranked.relevance >= 0
    residual = 1.0 - _persistent(ranked, judged, settings["p"], math.inf)
    return np.where(ranked.retrieved > ranked.count(ranked.query[judged]), residual, 0.0)


def _persistent(ranked: RankedHits, mask: np.ndarray, p: float, k: float) -> np.ndarray:
    weights = ranked.at_ranks(lambda rank: np.where(rank <= k, p ** (rank - 1.0), 0.0), mask)
    return (1.0 - p) * ranked.sum(ranked.query[mask], weights)


def expected_reciprocal_rank(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """Expected reciprocal rank (Chapelle et al., 2009): a reader stops at a document with the chance
    (2^relevance - 1) / 2^max.

    Raises:
        ValueError: a relevance above max.
    """
    highest, highest_judged = settings["max"], ranked.judged_relevance.max(initial=0.0)
    if highest_judged > highest:
        message = (
            f"references: err takes relevance up to {highest:g}, but the judgements go up to {highest_judged:g}; "
            f"say which is the highest there can be, for example err(max={math.ceil(highest_judged)})@10"
        )
        raise InputError("references", message)
    stops = (np.exp2(np.maximum(ranked.relevance, 0.0)) - 1.0) / 2.0**highest
    mask = (stops > 0) & (ranked.rank <= rank_within(k))
    query, rank, stops = ranked.query[mask], ranked.rank[mask], stops[mask]
    depth = np.arange(len(query)) - first_of_run(query)
    passing, values = np.ones(len(ranked)), np.zeros(len(ranked))
    order = np.argsort(depth, kind="stable")
    ends = np.flatnonzero(np.diff(depth[order], append=-1)) + 1
    for hits in np.split(order, ends[:-1]):  # the first hits of all queries, then the second hits, ...
        values[query[hits]] += passing[query[hits]] * stops[hits] / rank[hits]
        passing[query[hits]] *= 1.0 - stops[hits]
    return values


def bpref(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """Judged non-relevant documents above relevant ones (Buckley and Voorhees, 2004), as in trec_eval."""
    level = settings["rel"]
    relevant = ranked.num_relevant(level)
    bound = np.minimum(ranked.num_nonrelevant(level), relevant)
    mask = ranked.relevance >= level
    query, above = ranked.query[mask], _above(ranked, (ranked.relevance >= 0) & ~mask)[mask]
    worth = 1.0 - quotient(np.minimum(above, relevant[query]), bound[query])
    return quotient(ranked.sum(query, worth), relevant)


def _above(ranked: RankedHits, mask: np.ndarray) -> np.ndarray:
    """For each hit how many of its query's hits under `mask` come before it, float64."""
    before = np.concatenate(([0], np.cumsum(mask)))
    return (before[:-1] - before[first_of_run(ranked.query)]).astype(np.float64)


def inferred_average_precision(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """Average precision inferred from a judged sample of the pool, below 0 if not sampled (Yilmaz, Aslam 2006)."""
    level = settings["rel"]
    mask = ranked.relevance >= level
    pooled = ranked.relevance < 0
    relevant_above = _above(ranked, mask)[mask]
    nonrelevant_above = _above(ranked, ~mask & ~pooled)[mask]
    pooled_above = _above(ranked, pooled)[mask]
    rank = ranked.rank[mask].astype(np.float64)
    above = rank - 1.0
    judged_share = quotient(relevant_above + nonrelevant_above + pooled_above, above)
    relevant_share = (relevant_above + _INFAP_EPSILON) / (relevant_above + nonrelevant_above + 2 * _INFAP_EPSILON)
    terms = 1.0 / rank + above / rank * judged_share * relevant_share
    return quotient(ranked.sum(ranked.query[mask], terms), ranked.num_relevant(level))


def interpolated_precision(ranked: RankedHits, recall: float, settings: Mapping) -> np.ndarray:
    """The highest precision at this or a higher recall; recalls are rounded as in trec_eval 10."""
    level = settings["rel"]
    hits = ranked.relevant(level)

    def best_from_here() -> np.ndarray:
        """The highest precision at or after each relevant document."""
        precision = hits.number / hits.rank
        levels, order = np.unique(precision, return_inverse=True)
        size = len(levels) + 1
        order += (len(ranked) - 1 - hits.query) * size  # keeps the backward maximum within the query
        running = np.maximum.accumulate(order[::-1])[::-1]
        return levels[running % size] if len(levels) else precision

    best = ranked.once(("interpolated", level), best_from_here)
    num_needed = np.maximum(np.floor(recall * ranked.num_relevant(level) + 0.5), 1)  # as trec_eval 10 rounds
    reached = hits.number == num_needed[hits.query]
    return ranked.sum(hits.query[reached], best[reached])


def yet_another_average_precision(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """The logarithm of the odds of average precision, each side 1 / R higher.

    Robertson (2006): log((1 + S) / (1 + R - S)), S the sum of the precisions at the relevant documents, R of them.
    """
    hits = ranked.relevant(settings["rel"])
    total = ranked.sum(hits.query, hits.number / hits.rank)
    return np.log((1.0 + total) / (1.0 + ranked.num_relevant(settings["rel"]) - total))


def relevance_levels(ranked: RankedHits, k: int | None, settings: Mapping) -> Ragged:
    """The relevance of each of the first k documents (None: 10), as indices of `RELEVANCE_LEVELS`."""
    k = k or _SHOWN_LEVELS
    sizes = np.minimum(ranked.retrieved, k)
    ends = np.cumsum(sizes)
    codes = np.full(sizes.sum(), RELEVANCE_LEVELS.index("-"))
    mask = ranked.rank <= k
    relevance = ranked.relevance[mask]
    rows = (ends - sizes)[ranked.query[mask]] + ranked.rank[mask] - 1
    codes[rows] = np.where(
        relevance < 0, RELEVANCE_LEVELS.index("."), np.clip(relevance, 0, RELEVANCE_LEVELS.index(">"))
    ).astype(np.int64)
    return Ragged(np.append(0, ends), codes)


def set_f(ranked: RankedHits, k: None, settings: Mapping) -> np.ndarray:
    """The harmonic mean of precision and recall of the whole list."""
    hits = ranked.num_found(settings["rel"])
    precision, recall = quotient(hits, ranked.retrieved), quotient(hits, ranked.num_relevant(settings["rel"]))
    return quotient(2 * precision * recall, precision + recall)


# --- gains ------------------------------------------------------------------------------------------------------------


@functools.cache
def level_gains(gain: str) -> tuple[tuple[float, float], ...]:
    """Pairs of relevance level and gain from their text, `1:3.5;2:7`; none for "linear" and "exp2"."""
    pairs = (pair.split(":") for pair in gain.split(";") if ":" in gain)
    return tuple((float(level), float(worth)) for level, worth in pairs)


def check_gains(relevance: np.ndarray, gain: str) -> None:
    """Refuse gains that decrease with the level; the gain of an omitted level is the level."""
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
    """The gain of documents at these levels: the level if no gain is given, 0 below level 0."""
    if gain == "exp2":
        return np.exp2(np.maximum(relevance, 0.0)) - 1.0
    worth = np.maximum(relevance, 0.0)
    for level, value in level_gains(gain):
        worth[relevance == level] = value
    return worth


def dcg(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """Discounted cumulative gain: the sum of gain / log2(rank + 1) up to rank k (Jarvelin and Kekalainen, 2002)."""
    gains = worth_of_levels(ranked.relevance, settings["gain"])
    mask = gains > 0
    if not ranked.expected:
        return _discounted(ranked, ranked.query[mask], gains[mask], ranked.rank[mask], k)
    cut = rank_within(k)
    discounts = ranked.at_ranks(lambda rank: np.where(rank <= cut, 1.0 / np.log2(rank + 1.0), 0.0), mask)
    return ranked.sum(ranked.query[mask], gains[mask] * discounts)


def ndcg(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """DCG / the DCG of the best order of all judged documents, cut at k too."""
    return quotient(dcg(ranked, k, settings), ideal_dcg(ranked, k, settings))


def ideal_dcg(ranked: RankedHits, k: int | None, settings: Mapping) -> np.ndarray:
    """The DCG of the best order of all judged documents, up to k."""
    ideal = _BestOrder.of(ranked, settings["gain"])
    return _discounted(ranked, ideal.query, ideal.gains, ideal.rank, k)


def _discounted(
    ranked: RankedHits, query: np.ndarray, gains: np.ndarray, rank: np.ndarray, k: int | None
) -> np.ndarray:
    if k is not None:
        mask = rank <= k
        query, gains, rank = query[mask], gains[mask], rank[mask]
    return ranked.sum(query, gains / np.log2(rank + 1.0))


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
    return quotient(at_hits + quotient(absent, ideal_dcg(ranked, None, settings)), ideal.sizes)


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
    whole = quotient(ranked.sum(query, terms), ideal_dcg(ranked, None, settings))
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


@dataclasses.dataclass(frozen=True, eq=False)
class _BestOrder:
    """The judged documents with a gain, (j,), of n queries, the largest gain of each query first."""

    query: np.ndarray
    gains: np.ndarray
    rank: np.ndarray
    n: int

    @classmethod
    def of(cls, ranked: RankedHits, gain: str) -> "_BestOrder":
        def sort() -> "_BestOrder":
            gains = worth_of_levels(ranked.judged_relevance, gain)
            mask = gains > 0
            query, gains = ranked.judged_query[mask], gains[mask]
            order = np.lexsort((-gains, query))
            return cls(query, gains[order], np.arange(len(query)) - first_of_run(query) + 1, len(ranked))

        return ranked.once(("ideal", gain), sort)

    @functools.cached_property
    def dcg(self) -> np.ndarray:
        """The discounted gain up to each document."""
        return _running_sums(self.query, self.gains / np.log2(self.rank + 1.0))

    @functools.cached_property
    def sizes(self) -> np.ndarray:
        """How many documents each query has, int64 (n,)."""
        return np.bincount(self.query, minlength=self.n)

    def position(self, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """The position of the document at a rank, or of the last one of its query, for documents with a gain."""
        return (np.cumsum(self.sizes) - self.sizes)[query] + np.minimum(rank, self.sizes[query]) - 1
