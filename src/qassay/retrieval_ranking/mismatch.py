"""A run and judgements that do not belong together: in each other's place, or of other ids of documents."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import is_real
from ..core.remarks import remark
from ..core.shown import shown
from .judgements import Judgements
from .long import LongRun, number_column
from .nested import NestedRun
from .ranks import match_queries, read_rankings

_UNUSUAL_LEVEL = 10  # highest relevance that judges assign; a higher number may be a score
_MOST_LEVELS = 6  # largest expected number of distinct relevance levels
_MOST_MEANS = 30  # largest number of distinct values of a mean over a few judges; scores of a system have more
_TIMES_AS_MANY = 3  # ratio of documents per query in run and judgements at which the two may be swapped
_COMPARED = 100  # ids of a query that are compared, to see whether they are of one collection
_FEW_QUERIES = 20  # of fewer queries a run may well retrieve no judged document


def refuse_swapped(run: NestedRun | LongRun, judgements: Judgements, named: bool) -> None:
    """Refuse a run and judgements that are swapped, and warn if they may be; `named`: they were given as run and qrels."""
    if judgements.from_run or judgements.are_named or not _may_be_scores(judgements.relevance):
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


def are_swapped(predictions: Any, references: Any) -> bool:
    """Whether the run of two files looks like judgements, and the judgements like a run."""
    if isinstance(references, Mapping):
        rows = [row for row in references.values() if isinstance(row, Mapping)]
        relevance = np.array([number for row in rows for number in row.values() if is_real(number)], np.float64)
    else:
        relevance = number_column(references.column("relevance"), "relevance")
    if not _may_be_scores(relevance):
        return False
    return _swapped(*read_rankings({"predictions": predictions, "references": references}, "first"), False) is not None


def _may_be_scores(relevance: np.ndarray) -> bool:
    """Whether at least half of the relevance values have a fraction, or one is higher than judges assign."""
    return relevance.max(initial=0.0) > _UNUSUAL_LEVEL or _have_fractions(relevance)


def _have_fractions(relevance: np.ndarray) -> bool:
    return 2 * np.count_nonzero(relevance != np.floor(relevance)) >= max(len(relevance), 1)


def _swapped(run: NestedRun | LongRun, judgements: Judgements, named: bool) -> str | None:
    """Whether a run of few whole numbers and judgements that look like scores are swapped: "surely", "maybe" or None.

    Surely, if at least half of the relevance values have a fraction, with more distinct values than judges assign.
    Maybe, unless they are `named`, if all scores are from 0 to 4, no two relevance values of a query are equal, and the
    scores are no ranks 1..n: one is 0, two of a query are equal, all are equal and far fewer than the judgements, or no
    document is relevant.
    """
    relevance, found = judgements.relevance, run.scores_and_sizes()
    if found is None:
        return None
    scores, sizes = found
    if not np.isfinite(scores).all() or (scores % 1).any() or len(np.unique(scores)) > _MOST_LEVELS:
        return None
    values = len(np.unique(relevance))
    if _have_fractions(relevance) and values > _MOST_LEVELS:
        many = len(relevance) * len(sizes) >= _TIMES_AS_MANY * len(scores) * len(judgements.ids)
        if many and not named or values > _MOST_MEANS:
            return "surely"
    if named or not len(scores) or scores.min() < 0 or scores.max() > 4 or _repeat(judgements.query, relevance):
        return None
    are_few = (scores == scores[0]).all() and len(relevance) >= _TIMES_AS_MANY * len(scores)
    of_query = np.repeat(np.arange(len(sizes)), sizes)
    return "maybe" if not scores.all() or are_few or relevance.max() < 1 or _repeat(of_query, scores) else None


def _repeat(query: np.ndarray, numbers: np.ndarray) -> bool:
    """Whether two numbers of a query are equal."""
    return len(np.unique(np.stack([query, numbers]), axis=1)[0]) < len(query)


def remark_unjudged(run: NestedRun | LongRun, judgements: Judgements) -> None:
    """Warn if no retrieved document of any query is judged; of few queries only if the ids look different."""
    of_run: list[str] = []
    of_judgements: list[str] = []
    first, compared = None, 0
    for query, row in enumerate(match_queries(run, judgements)[0].tolist()):
        retrieved = [name for name, _ in run.pairs(row, "first")] if row >= 0 else []
        judged = list(judgements.of_query(query))
        if not set(retrieved).isdisjoint(judged):
            return
        if retrieved and judged:
            first, compared = judgements.ids[query] if first is None else first, compared + 1
            if compared <= _FEW_QUERIES:
                of_run += retrieved[:_COMPARED]
                of_judgements += judged[:_COMPARED]
    if not compared or compared < _FEW_QUERIES and not set(map(_form, of_run)).isdisjoint(map(_form, of_judgements)):
        return
    remark(
        f"no document that the run retrieves is judged for its query: the run has ids like {shown(of_run[0])}, the "
        f"judgements like {shown(of_judgements[0])} (query {shown(first)}); are they of the same collection?"
    )


def _form(identifier: str) -> str:
    """The kinds of characters of an id: "a" for small letters, "A" for large ones, "0" for digits."""
    return re.sub("[A-Z]+", "A", re.sub("[a-z]+", "a", re.sub(r"\d+", "0", identifier)))
