"""Ranking measures in expectation: their mean over all orders of the documents that share a score.

What is a sum over documents needs only the mean of its discount over the ranks that a tie leaves open
(`RankedHits.at_ranks`). Here are the closed forms of the measures that are not such sums. e documents share a score at
the ranks g+1..g+e, m of them relevant, r relevant documents stand before them.
"""

from typing import NamedTuple

import numpy as np

from .hits import RankedHits, first_of_group, first_of_run


class _Groups(NamedTuple):
    """The groups of documents with one score that hold relevant ones, sorted by query and score; (t,) each."""

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
    """Places 1..size of every group: the group of each, and the place."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1


def expected_hit_rate(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The chance that a relevant document is among the first k, (q,)."""
    groups = _first_groups(ranked, level)
    within = np.clip(k - groups.greater, 0, groups.equal).astype(np.int64)  # ranks of the group up to k
    chance = 1.0 - _none_in(within, groups.equal, groups.relevant)
    return ranked.sum(groups.query, chance)


def expected_reciprocal_rank(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The mean reciprocal rank of the first relevant document, 0 where it is behind k, (q,).

    The first of m relevant documents has the place j with the chance C(e-j, m-1) / C(e, m).
    """
    groups = _first_groups(ranked, level)
    group, place = _spread(groups.equal - groups.relevant + 1)
    equal, relevant = groups.equal[group], groups.relevant[group]
    none_before = _none_in(place - 1, equal, relevant)
    chance = none_before * relevant / (equal - place + 1)
    rank = groups.greater[group] + place
    return ranked.sum(groups.query[group], np.where(rank <= k, chance / rank, 0.0))


def expected_average_precision_sum(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The mean of the sum of precisions at the relevant documents up to rank k, before its division, (q,)."""
    groups = _groups(ranked, level)
    group, place = _spread(_up_to(groups, k))
    terms = _precision_terms(groups, group, place, groups.equal, groups.relevant)
    return ranked.sum(groups.query[group], terms)


def expected_average_precision_of_found(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The mean average precision over the relevant documents found up to rank k, (q,).

    Only a group that k cuts in two leaves open how many are found: the mean goes over their hypergeometric number.
    """
    groups = _groups(ranked, level)
    within = _up_to(groups, k)
    cut = (within > 0) & (within < groups.equal)
    uncut = within == groups.equal
    group, place = _spread(np.where(uncut, groups.equal, 0))
    sums = ranked.sum(groups.query[group], _precision_terms(groups, group, place, groups.equal, groups.relevant))
    num_found = ranked.sum(groups.query[uncut], groups.relevant[uncut])
    with np.errstate(invalid="ignore"):
        values = np.where(num_found > 0, sums / num_found, 0.0)
    for number in np.flatnonzero(cut):  # at most one a query
        query, e, m, t = (int(column[number]) for column in (groups.query, groups.equal, groups.relevant, within))
        greater, before = int(groups.greater[number]), int(groups.before[number])
        places = np.arange(1, t + 1)
        values[query] = 0.0
        for h in range(max(0, t - (e - m)), min(t, m) + 1):
            if before + h:
                more = (places - 1) * (h - 1) / (t - 1) if t > 1 else 0.0
                part = (h / t * (before + 1 + more) / (greater + places)).sum() if h else 0.0
                values[query] += _chance_of(h, t, m, e) * (sums[query] + part) / (before + h)
    return values


def expected_bpref_terms(ranked: RankedHits, level: float, worth) -> np.ndarray:
    """For each query the sum over its relevant documents of the mean of `worth(query, nonrelevant above)`, (q,).

    Among b tied nonrelevant documents a relevant one has 0..b of them above it, each number as likely.
    """
    relevant = ranked.relevance >= level
    nonrelevant = (ranked.relevance >= 0) & ~relevant
    first = first_of_group(ranked.query, ranked.greater)
    tied = np.bincount(first[nonrelevant], minlength=len(first))[first][relevant]
    count = np.concatenate(([0], np.cumsum(nonrelevant)))
    above = (count[first] - count[first_of_run(ranked.query)])[relevant]
    hit, place = _spread(tied + 1)
    query = ranked.query[relevant][hit]
    return ranked.sum(query, worth(query, above[hit] + place - 1) / (tied[hit] + 1))


def expected_cascade(ranked: RankedHits, stops: np.ndarray, k: float) -> np.ndarray:
    """The mean of the reciprocal rank at which a reader stops, who stops at hit i with the chance `stops` (h,), (q,).

    In a group, the chance to pass the first j documents is the mean over all choices of j documents of the product of
    their chances to be passed: an elementary symmetric mean.
    """
    values = np.zeros(len(ranked))
    passing = np.ones(len(ranked))
    first = first_of_group(ranked.query, ranked.greater)
    starts = np.unique(first)
    ends = np.append(starts, len(first))[1:]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        query, greater, equal = int(ranked.query[start]), int(ranked.greater[start]), int(ranked.equal[start])
        means = _symmetric_means(1.0 - stops[start:end], equal)
        ranks = greater + np.arange(1, equal + 1)
        values[query] += passing[query] * ((means[:-1] - means[1:]) / ranks)[ranks <= k].sum()
        passing[query] *= means[-1]
    return values


def _symmetric_means(chances: np.ndarray, n: int) -> np.ndarray:
    """Means of the products of j of n numbers, j = 0..n: `chances`, and ones for the rest, (n + 1,)."""
    means = np.ones(n - len(chances) + 1)
    for chance in chances.tolist():
        size = len(means)
        places = np.arange(size + 1)
        longer, before = np.append(means, 0.0), np.concatenate(([0.0], means))
        means = (longer * (size - places) + before * places * chance) / size
    return means


def _first_groups(ranked: RankedHits, level: float) -> _Groups:
    """The group of the first relevant document of each query that has one."""
    groups = _groups(ranked, level)
    first = groups.before == 0
    return _Groups(*(values[first] for values in groups))


def _up_to(groups: _Groups, k: float) -> np.ndarray:
    """How many ranks of each group are within k."""
    return np.clip(k - groups.greater, 0, groups.equal).astype(np.int64)


def _precision_terms(groups: _Groups, group, place, equal, relevant) -> np.ndarray:
    """What each place of a group adds to the sum of precisions: the chance of a relevant document there, times the mean
    share of relevant ones up to it."""
    e, m = equal[group], relevant[group]
    more = (place - 1) * (m - 1) / np.maximum(e - 1, 1)
    return m / e * (groups.before[group] + 1 + more) / (groups.greater[group] + place)


def _none_in(drawn: np.ndarray, n: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """The chance that `drawn` of n documents hold none of the `marked` ones: C(n - drawn, marked) / C(n, marked)."""
    chance = np.ones(len(n))
    for i in range(int(marked.max(initial=0))):
        more = i < marked
        chance[more] *= np.maximum(n - drawn - i, 0)[more] / (n - i)[more]
    return chance


def _chance_of(marked_drawn: int, drawn: int, marked: int, n: int) -> float:
    """The hypergeometric chance of `marked_drawn` marked documents among `drawn` of n."""
    from math import comb

    return comb(marked, marked_drawn) * comb(n - marked, drawn - marked_drawn) / comb(n, drawn)
