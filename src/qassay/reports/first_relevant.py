"""The rank of the first relevant document of each query, or of the first right candidate, from its reciprocal rank."""

import math
from collections.abc import Sequence

import numpy as np

from ..core.options import did_you_mean
from ..core.ragged import Ragged
from ..core.scores import Scores

RANK_RANGES = {"1": 1, "2": 2, "3": 3, "4-5": 5, "6-10": 10, "11-20": 20, "later": math.inf}  # label -> its last rank
NOT_FOUND = "not found"


def first_relevant_ranks(scores: Scores, column: str = "mrr") -> np.ndarray:
    """The rank of the first relevant document of each query, float64 (n,).

    inf if none was found; NaN if there is none to find (queries without a relevant document, questions to which the
    column does not apply).

    Args:
        column: of reciprocal ranks, such as "mrr" or "mrr@10" of rankings and "rr" of factoids.

    Raises:
        ValueError: no such column, or reciprocal ranks that are means over orders of ties.
    """
    if column not in scores.columns or isinstance(scores.columns[column], Ragged):
        raise ValueError(
            f"no column {column!r} of reciprocal ranks{did_you_mean(column, scores.columns)}; score with mrr"
        )
    if getattr(scores.options, "ties", None) == "expected":
        raise ValueError("ties=expected gives mean reciprocal ranks, no ranks; score with another order of ties")
    with np.errstate(divide="ignore"):
        ranks = np.round(1 / scores.columns[column])
    if "no_relevant" in scores.subsets:
        ranks = np.where(scores.subsets["no_relevant"], np.nan, ranks)
    return ranks


def count_ranks(ranks: Sequence[float] | np.ndarray) -> dict[str, int]:
    """The number of ranks 1, 2, 3, 4-5, 6-10, 11-20 and later, and of queries without a find; NaN is omitted.

    Args:
        ranks: from 1 on; inf for not found.
    """
    ranks = np.asarray(ranks, np.float64)
    finite = ranks[np.isfinite(ranks)]
    places = np.searchsorted(list(RANK_RANGES.values()), finite, "left")
    counts = np.bincount(places, minlength=len(RANK_RANGES)).tolist()
    return {**dict(zip(RANK_RANGES, counts, strict=True)), NOT_FOUND: int(np.isposinf(ranks).sum())}
