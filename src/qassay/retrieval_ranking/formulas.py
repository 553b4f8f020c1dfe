"""Formulas of the ranking measures for every query, from the ranks of its judged documents.

Every function takes the ranked documents, a cut-off (a rank, a recall, or None for the whole list) and the settings
(parameter -> value) and returns float64 (q,), 0 for a division by 0. The definitions follow
trec_eval 10 (https://github.com/usnistgov/trec_eval) where it has the measure.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.errors import InputError
from ..core.ragged import Ragged
from .ties import (
    RankedHits,
    expected_average_precision_of_found,
    expected_average_precision_sum,
    expected_bpref_terms,
    expected_cascade,
    expected_first_reciprocal_rank,
    expected_hit_rate,
    first_of_run,
    quotient,
    rank_within,
)

# Symbols for a document of this relevance (truncated), above 9, unjudged, and in the pool but unjudged.
RELEVANCE_LEVELS = (*"0123456789", ">", "-", ".")
_SHOWN_LEVELS = 10  # number of documents if there is no cut-off
RECALLS = tuple(i / 10 for i in range(11))
_INFAP_EPSILON = 0.00001


def num_relevant(ranked: RankedHits, settings: Mapping) -> np.ndarray:
    """Documents judged relevant, (q,)."""
    return ranked.num_relevant(settings["rel"])


def found(ranked: RankedHits, settings: Mapping) -> np.ndarray:
    """Relevant documents retrieved, (q,)."""
    return ranked.count(ranked.relevant(settings["rel"]).query)


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
    if denominator == "num_retrieved_relevant" and ranked.expected:
        return expected_average_precision_of_found(ranked, level, cut)
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
    if ranked.expected and (ranked.equal > 1).any():
        return expected_cascade(ranked, stops, rank_within(k))
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

    def worth(query: np.ndarray, above: np.ndarray) -> np.ndarray:
        return 1.0 - quotient(np.minimum(above, relevant[query]), bound[query])

    if ranked.expected:
        return quotient(expected_bpref_terms(ranked, level, worth), relevant)
    mask = ranked.relevance >= level
    above = _above(ranked, (ranked.relevance >= 0) & ~mask)[mask]
    return quotient(ranked.sum(ranked.query[mask], worth(ranked.query[mask], above)), relevant)


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
        order += (
            len(ranked) - 1 - hits.query
        ) * size  # so that the backward maximum does not cross into the preceding query
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
    hits = found(ranked, settings)
    precision, recall = quotient(hits, ranked.retrieved), quotient(hits, num_relevant(ranked, settings))
    return quotient(2 * precision * recall, precision + recall)
