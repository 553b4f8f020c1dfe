"""Whether a run and judgements are in each other's place: judges assign few levels, systems give real numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import is_real
from ..core.remarks import remark
from .judgements import Judgements
from .long import LongRun, number_column
from .nested import NestedRun
from .ranks import read_rankings

_UNUSUAL_LEVEL = 10  # highest relevance that judges assign; a higher number may be a score
_MOST_LEVELS = 6  # largest expected number of distinct relevance levels
_MOST_MEANS = 30  # largest number of distinct values of a mean over a few judges; scores of a system have more
_TIMES_AS_MANY = 3  # ratio of documents per query in run and judgements at which the two may be swapped


def refuse_swapped(run: NestedRun | LongRun, judgements: Judgements, named: bool) -> None:
    """Refuse a run and judgements that are swapped, and warn if they may be; `named`: they were given as run and qrels."""
    if judgements.from_run or judgements.are_named:
        return
    swapped = _swapped(run, judgements, named)
    if swapped == "surely":
        raise ValueError(
            "predictions look like judgements (integers of a few levels) and references like a run (real numbers); "
            "give the run as predictions and the judgements as references (by name: run=..., qrels=...), or, if they "
            "are just that, give the run as ranked lists of documents without scores"
        )
    if swapped == "maybe":
        remark(
            "predictions may be judgements (integers from 0 to 4) and references a run (its relevance looks like "
            "scores): the run comes first, then the judgements; give them by name to be sure: run=..., qrels=..."
        )


def how_swapped(predictions: Any, references: Any) -> str | None:
    """Whether the run of two files looks like judgements, and the judgements like a run: "surely", "maybe" or None."""
    if isinstance(references, Mapping):
        rows = [row for row in references.values() if isinstance(row, Mapping)]
        relevance = np.array([number for row in rows for number in row.values() if is_real(number)], np.float64)
    else:
        relevance = number_column(references.column("relevance"), "relevance")
    if not _may_be_scores(relevance):
        return None
    return _swapped(*read_rankings({"predictions": predictions, "references": references}, "first"), named=False)


def _may_be_scores(relevance: np.ndarray) -> bool:
    """Whether at least half of the relevance values have a fraction, or one is higher than judges assign."""
    return relevance.max(initial=0.0) > _UNUSUAL_LEVEL or _have_fractions(relevance)


def _have_fractions(relevance: np.ndarray) -> bool:
    """Whether at least half of the numbers have a fraction."""
    return 2 * np.count_nonzero(relevance != np.floor(relevance)) >= max(len(relevance), 1)


def _swapped(run: NestedRun | LongRun, judgements: Judgements, named: bool) -> str | None:
    """Whether a run of few whole numbers and judgements that look like scores are swapped: "surely", "maybe" or None.

    Surely, if at least half of the relevance values have a fraction, with more distinct values than judges assign.
    Maybe, unless they are `named`, if all scores are from 0 to 4, no two relevance values of a query are equal, and the
    scores are no ranks 1..n: one is 0, two of a query are equal, all are equal and far fewer than the judgements, or no
    document is relevant.
    """
    relevance, owner = judgements.relevance, judgements.query
    found = run.scores_and_sizes() if _may_be_scores(relevance) else None
    if found is None:
        return None
    scores, sizes = found
    if not np.isfinite(scores).all() or (scores % 1).any() or len(np.unique(scores)) > _MOST_LEVELS:
        return None
    values = len(np.unique(relevance))
    if _have_fractions(relevance) and values > _MOST_LEVELS:
        many = len(relevance) * len(sizes) >= _TIMES_AS_MANY * len(scores) * (len(judgements.offsets) - 1)
        if many and not named or values > _MOST_MEANS:
            return "surely"
    if named or not len(scores) or scores.min() < 0 or scores.max() > 4 or _repeat(owner, relevance):
        return None
    are_few = (scores == scores[0]).all() and len(relevance) >= _TIMES_AS_MANY * len(scores)
    no_ranks = (
        not scores.all() or are_few or relevance.max() < 1 or _repeat(np.repeat(np.arange(len(sizes)), sizes), scores)
    )
    return "maybe" if no_ranks else None


def _repeat(query: np.ndarray, numbers: np.ndarray) -> bool:
    """Whether two numbers of a query are equal."""
    order = np.lexsort((numbers, query))
    return bool(((np.diff(query[order]) == 0) & (np.diff(numbers[order]) == 0)).any())
