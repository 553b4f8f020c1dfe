"""Expected values of ranking measures: the mean over all orders of documents with equal scores.

Measures that are sums over documents need only the mean discount over the ranks of a tie (`RankedHits.at_ranks`). This
file has closed forms for the other measures. e documents share a score at
the ranks g+1..g+e, m of them relevant, r relevant documents come before them.
"""

import math
from typing import NamedTuple

import numpy as np

from .hits import RankedHits, first_of_group, first_of_run

_NOTHING = 2.0**-64  # beside 1


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
    """The places 1..size of every group: the group of each place, and the place."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1


def expected_hit_rate(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The chance that a relevant document is among the first k, (q,)."""
    groups = _first_groups(ranked, level)
    return ranked.sum(groups.query, 1.0 - _none_in(_up_to(groups, k), groups.equal, groups.relevant))


def expected_reciprocal_rank(ranked: RankedHits, level: float, k: float) -> np.ndarray:
    """The mean reciprocal rank of the first relevant document, 0 if it is after k, (q,).

    The first of m relevant documents has the place j with the chance C(e-j, m-1) / C(e, m).
    """
    groups = _first_groups(ranked, level)
    sizes = groups.equal - groups.relevant + 1
    group, place = _spread(sizes)
    equal, relevant = groups.equal[group], groups.relevant[group]
    left = equal - place + 1  # documents at this place and behind it
    steps = np.where(place == 1, 1.0, (left + 1 - relevant) / (left + 1))
    chance = _running_products(steps, sizes) * relevant / left
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

    The number of found documents is random only in a group that k splits: the mean is over its hypergeometric
        distribution.
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
        inverse = 1.0 / (greater + places)
        found, chance = _hypergeometric(t, m, e)  # h of the m relevant documents are among these t
        more = (found - 1) / max(t - 1, 1) * ((places - 1) * inverse).sum()
        part = found / t * ((before + 1) * inverse.sum() + more)
        values[query] = (chance * (sums[query] + part) / np.maximum(before + found, 1)).sum()
    return values


def expected_bpref_terms(ranked: RankedHits, level: float, worth) -> np.ndarray:
    """For each query the sum over its relevant documents of the mean of `worth(query, nonrelevant above)`, (q,).

    Among b tied nonrelevant documents a relevant one has 0..b of them above it, each number as likely.
    """
    groups = _groups(ranked, level)
    relevant = ranked.relevance >= level
    nonrelevant = (ranked.relevance >= 0) & ~relevant
    first = first_of_group(ranked.query, ranked.greater)
    starts = np.unique(first[relevant])
    tied = np.bincount(first[nonrelevant], minlength=len(first))[starts]
    count = np.concatenate(([0], np.cumsum(nonrelevant)))
    above = count[starts] - count[first_of_run(ranked.query)[starts]]
    group, place = _spread(tied + 1)
    query = groups.query[group]
    shares = groups.relevant / (tied + 1)
    return ranked.sum(query, worth(query, above[group] + place - 1) * shares[group])


def expected_cascade(ranked: RankedHits, stops: np.ndarray, k: float) -> np.ndarray:
    """The mean reciprocal rank at which a reader stops who stops at hit i with the chance `stops` (h,), (q,).

    In a group, the chance to pass the first j documents is the mean over all choices of j documents of the product of
    their chances to be passed: an elementary symmetric mean. It is at most the mean chance to the power of j, so that
    the ranks end where that is below what float64 can hold beside 1.
    """
    values = np.zeros(len(ranked))
    passing = np.ones(len(ranked))
    first = first_of_group(ranked.query, ranked.greater)
    starts = np.unique(first)
    ends = np.append(starts, len(first))[1:]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        query, greater, equal = int(ranked.query[start]), int(ranked.greater[start]), int(ranked.equal[start])
        chances = 1.0 - stops[start:end]
        mean = 1.0 - stops[start:end].sum() / equal
        most = math.log(_NOTHING) / math.log(mean) + 1 if 0.0 < mean < 1.0 else equal
        means = _symmetric_means(chances, equal, int(max(0, min(equal, most, k - greater))))
        values[query] += passing[query] * ((means[:-1] - means[1:]) / (greater + np.arange(1, len(means)))).sum()
        passing[query] *= chances.prod()
    return values


def _symmetric_means(chances: np.ndarray, n: int, most: int) -> np.ndarray:
    """Means of the products of j of n numbers, j = 0..most: `chances`, and ones for the rest, (most + 1,)."""
    chances = chances[chances < 1.0]
    places, num_ones = np.arange(most + 1), n - len(chances)
    means = (places <= num_ones).astype(np.float64)
    for size, chance in enumerate(chances.tolist(), num_ones + 1):
        before = np.concatenate(([0.0], means[:-1]))
        means = (means * np.maximum(size - places, 0) + before * places * chance) / size
    return means


def _first_groups(ranked: RankedHits, level: float) -> _Groups:
    """The group of the first relevant document of each query that has one."""
    groups = _groups(ranked, level)
    first = groups.before == 0
    return _Groups(*(values[first] for values in groups))


def _up_to(groups: _Groups, k: float) -> np.ndarray:
    """The number of ranks of each group within k."""
    return np.clip(k - groups.greater, 0, groups.equal).astype(np.int64)


def _precision_terms(groups: _Groups, group, place, equal, relevant) -> np.ndarray:
    """What each place of a group adds to the sum of precisions: the chance of a relevant document there, times the mean
    share of relevant ones up to it.
    """
    e, m = equal[group], relevant[group]
    more = (place - 1) * (m - 1) / np.maximum(e - 1, 1)
    return m / e * (groups.before[group] + 1 + more) / (groups.greater[group] + place)


def _none_in(drawn: np.ndarray, n: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """The chance that `drawn` of n documents hold none of the `marked` ones: C(n - drawn, marked) / C(n, marked)."""
    few, many = np.minimum(drawn, marked), np.maximum(drawn, marked)  # the two sets are interchangeable
    group, place = _spread(few)
    left = n[group] - place + 1
    chance = np.ones(len(n))
    starts = (np.cumsum(few) - few)[few > 0]
    factors = np.maximum(left - many[group], 0) / left
    chance[few > 0] = np.multiply.reduceat(factors, starts) if len(starts) else 1.0
    return chance


def _running_products(factors: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The running products of runs of these sizes; runs of about the same size are one table."""
    products = np.empty(len(factors))
    starts = np.cumsum(sizes) - sizes
    width = np.frexp(sizes)[1]  # sizes are below 2 ** width
    for exponent in np.unique(width).tolist():
        runs = np.flatnonzero(width == exponent)
        columns = np.arange(1 << exponent)
        is_inside = columns < sizes[runs, None]
        places = (starts[runs, None] + columns)[is_inside]
        table = np.ones(is_inside.shape)
        table[is_inside] = factors[places]
        products[places] = np.cumprod(table, axis=1)[is_inside]
    return products


def _hypergeometric(drawn: int, marked: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """How many marked documents there may be among `drawn` of n, and the chance of each number."""
    numbers = np.arange(max(0, drawn - (n - marked)), min(drawn, marked) + 1)
    before = numbers[:-1]
    ratios = (marked - before) / (before + 1) * ((drawn - before) / (n - marked - drawn + before + 1))
    top = int(np.count_nonzero(ratios >= 1.0))  # the most likely number, from which chances fall on both sides
    up, down = np.cumprod(ratios[top:]), np.cumprod(1.0 / ratios[:top][::-1])[::-1]
    chances = np.concatenate((down, [1.0], up))
    return numbers, chances / chances.sum()
