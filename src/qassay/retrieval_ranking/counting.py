"""Ranks by counting: how many documents of a ranking score higher, how many score the same, and which of these
precede.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.shown import describe, shown
from .judgements import Judgements

_ROWS_PER_COUNT = 200  # sorting this many rows takes as long as counting for one document


class Block(NamedTuple):
    """Some rankings of a run, s of n documents in total, and the h judged documents that they retrieve.

    Attributes:
        query: int64 (s,), the judged query of each ranking.
        offsets: int64 (s + 1,), where the documents of each begin; none is empty.
        scores: float64 (n,), the highest for the best.
        found: int64 (h,), their rows in the judgements.
        segment, score: (h,), the ranking of each, ascending, and its score.
        row: int64 (h,), the row of each among the n; None if not known.
        ids: gives the ids of the documents in some of the n rows, which come ranking by ranking.
    """

    query: np.ndarray
    offsets: np.ndarray
    scores: np.ndarray
    found: np.ndarray
    segment: np.ndarray
    score: np.ndarray
    row: np.ndarray | None
    ids: Callable[[np.ndarray], list[str]]


def ranks_in(block: Block, judged: Judgements, options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rank, and numbers of documents with a higher and with the same score, of the judged documents of a block, (h,).

    Args:
        options: `RankingOptions`: with ties "trec", documents of the same score are ordered by id, descending (by code
            point, as in trec_eval), with "stable" as given; otherwise all have the first rank of their group.
    """
    offsets, segment, scores, score = block.offsets, block.segment, block.scores, block.score
    if options.score_dtype == "float32":
        with np.errstate(over="ignore"):
            scores, score = (array.astype(np.float32).astype(np.float64) for array in (scores, score))
    keys, key = -scores, -score  # ascending if a ranking is sorted
    start, end = offsets[segment], offsets[segment + 1]
    low, equal = np.empty(len(key), np.int64), np.ones(len(key), np.int64)
    unsorted = _are_unsorted(keys, offsets)[segment]
    counted = unsorted & (np.bincount(segment, minlength=1)[segment] * _ROWS_PER_COUNT <= end - start)
    for number in np.unique(segment[unsorted & ~counted]).tolist():
        keys[offsets[number] : offsets[number + 1]].sort()
    documents = np.flatnonzero(counted)
    for document, its_key, base, stop in zip(
        documents.tolist(), *(part[documents].tolist() for part in (key, start, end)), strict=True
    ):
        low[document] = base + np.count_nonzero(keys[base:stop] < its_key)
        equal[document] = np.count_nonzero(keys[base:stop] == its_key)
    uncounted = np.flatnonzero(~counted)
    unlocated = uncounted  # documents whose group of equal scores is not found yet
    if block.row is not None:
        first = low[uncounted] = block.row[uncounted]
        unlocated = uncounted[
            (keys[first] != key[uncounted]) | ((first > start[uncounted]) & (keys[first - 1] == key[uncounted]))
        ]
    low[unlocated] = _bisect(keys, key[unlocated], start[unlocated], end[unlocated])
    tied = uncounted[low[uncounted] + 1 < end[uncounted]]
    tied = tied[keys[low[tied] + 1] == key[tied]]
    equal[tied] = _bisect(keys, key[tied], low[tied], end[tied], right=True) - low[tied]
    greater = low - start
    rank = greater + 1
    tied = np.flatnonzero(equal > 1)
    if options.ties not in ("trec", "stable") or not len(tied):
        return rank, greater, equal
    group, member = np.unique(low[tied], return_index=True)
    order = np.arange(len(keys))  # rows from the highest score down, of the groups that are needed
    for document in tied[member][unsorted[tied[member]]].tolist():
        first, base = low[document], start[document]
        order[first : first + equal[document]] = base + np.flatnonzero(scores[base : end[document]] == score[document])
    sizes = equal[tied[member]]
    ends = np.cumsum(sizes)
    ids = block.ids(order[np.arange(ends[-1]) + np.repeat(group - ends + sizes, sizes)])
    ranks_of: dict[int, dict[str, int]] = {}
    for first, start, end in zip(group.tolist(), (ends - sizes).tolist(), ends.tolist(), strict=True):
        tied_ids = ids[start:end]
        if options.ties == "trec":
            tied_ids.sort(reverse=True)
        ranks_of[first] = dict(zip(tied_ids, range(end - start), strict=True))
    requested = zip(low[tied].tolist(), judged.texts(block.found[tied]), strict=True)
    rank[tied] += [ranks_of[first][document] for first, document in requested]
    return rank, greater, equal


def _are_unsorted(keys: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """bool (s,): which segments of some keys do not ascend."""
    falls = np.zeros(len(keys), bool)
    np.less(keys[1:], keys[:-1], out=falls[1:])
    falls[offsets[:-1]] = False
    return np.logical_or.reduceat(falls, offsets[:-1]) if falls.any() else np.zeros(len(offsets) - 1, bool)


def _bisect(keys: np.ndarray, sought: np.ndarray, low: np.ndarray, high: np.ndarray, right: bool = False) -> np.ndarray:
    """np.searchsorted in keys[low:high], with bounds for each number sought."""
    if not len(sought):
        return low
    for _ in range(int((high - low).max()).bit_length()):
        middle = (low + high) >> 1
        value = keys[np.minimum(middle, len(keys) - 1)]
        after = (value <= sought if right else value < sought) & (low < high)
        low, high = np.where(after, middle + 1, low), np.where(after, high, middle)
    return low


def refuse_score(query: Any, document: Any, score: Any) -> None:
    """Raise the error of a score that is not a number."""
    error = ValueError if isinstance(score, float) else TypeError
    raise error(
        f"predictions: the score of document {shown(document)} of query {shown(query)} is {describe(score)}; "
        "give every document a number (infinite ones are fine)"
    )
