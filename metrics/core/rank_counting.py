"""Ranks by counting: how many documents of a ranking score higher, how many the same, and which of these go before."""

from collections.abc import Callable, Sequence

import numpy as np


def rank_by_score(
    scores: np.ndarray,
    offsets: np.ndarray,
    segment: np.ndarray,
    score: np.ndarray,
    row: np.ndarray | None,
    ties: str,
    float32: bool,
    ids_of: Callable[[np.ndarray], Sequence[str]],
    names_of: Callable[[np.ndarray], list[str]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rank, greater and equal of some documents (h,), by counting the scores of their rankings.

    Args:
        scores: float64 (n,), ranking after ranking.
        offsets: int64 (s + 1,), where the rankings begin; none is empty.
        segment, score: (h,), the ranking of each document and its score.
        row: int64 (h,), where each document stands; None where that is not known.
        ties, float32: how ties rank, and whether scores are rounded first, as in `rank_judged`.
        ids_of: the ids of some of the h documents, by their numbers.
        names_of: the ids of the documents in some of the n rows, which come ranking by ranking.

    Example:
        >>> names, scores = np.array(["a", "b", "c"]), np.array([0.5, 0.9, 0.5])
        >>> of = lambda numbers: names[numbers].tolist()
        >>> rank_by_score(scores, np.array([0, 3]), np.array([0, 0, 0]), scores, None, "trec", False, of, of)
        (array([3, 1, 2]), array([1, 0, 1]), array([2, 1, 2]))
    """
    if float32:
        with np.errstate(over="ignore"):
            scores, score = (array.astype(np.float32).astype(np.float64) for array in (scores, score))
    keys, start, end = -scores, offsets[segment], offsets[segment + 1]  # ascending where a ranking is sorted
    falls = np.zeros(len(keys), bool)
    np.less(keys[1:], keys[:-1], out=falls[1:])
    falls[offsets[:-1]] = False
    unsorted = np.zeros(len(offsets) - 1, bool)
    if falls.any():
        unsorted = np.logical_or.reduceat(falls, offsets[:-1])
        for number in np.unique(segment[unsorted[segment]]).tolist():
            keys[offsets[number] : offsets[number + 1]].sort()
    key = -score
    if row is None:
        low = _bisect(keys, key, start, end)
    else:
        low = row.copy()
        lost = np.flatnonzero((keys[row] != key) | ((row > start) & (keys[row - 1] == key)))
        low[lost] = _bisect(keys, key[lost], start[lost], end[lost])
    greater, equal = low - start, np.ones(len(low), np.int64)
    tied = np.flatnonzero(low + 1 < end)
    tied = tied[keys[low[tied] + 1] == key[tied]]
    equal[tied] = _bisect(keys, key[tied], low[tied], end[tied], right=True) - low[tied]
    rank = greater + 1
    if ties != "any" and len(tied):
        order = np.arange(len(keys))  # rows from the highest score down
        for number in np.unique(segment[tied[unsorted[segment[tied]]]]).tolist():
            base, stop = offsets[number], offsets[number + 1]
            order[base:stop] = base + np.argsort(-scores[base:stop], kind="stable")
        group, member = np.unique(low[tied], return_index=True)
        sizes = equal[tied[member]]
        ends = np.cumsum(sizes)
        names = names_of(order[np.arange(ends[-1]) + np.repeat(group - ends + sizes, sizes)])
        places: dict[int, dict[str, int]] = {}
        for first, start, end in zip(group.tolist(), (ends - sizes).tolist(), ends.tolist(), strict=True):
            together = names[start:end]
            if ties == "trec":
                together.sort(reverse=True)
            places[first] = dict(zip(together, range(end - start), strict=True))
        rank[tied] += [places[first][name] for first, name in zip(low[tied].tolist(), ids_of(tied), strict=True)]
    return rank, greater, equal


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
