"""A run and judgements that do not belong together: in each other's place, or of other ids of documents."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.errors import InputError
from ..core.remarks import remark
from ..core.shown import shown
from .judgements import Judgements
from .long import LongRun
from .nested import NestedRun

_UNUSUAL_LEVEL = 10  # highest relevance that judges assign; a higher number may be a score
_MOST_LEVELS = 6  # largest expected number of distinct relevance levels
_MOST_MEANS = 30  # largest number of distinct values of a mean over a few judges
_MOSTLY = 0.9  # scores of a query mostly differ, relevance levels do not
_TIMES_AS_MANY = 3  # ratio of judgements to retrieved documents at which the two may be swapped
_COMPARED = 100  # ids of a query that are compared, to see whether they are of one collection
_FEW_QUERIES = 20  # of fewer queries a run may well retrieve no judged document


def refuse_swapped(run: NestedRun | LongRun, judgements: Judgements) -> None:
    """Refuse a run of the few whole numbers of judgements with judgements of the numbers of a run."""
    relevance = judgements.relevance
    have_fractions = 2 * np.count_nonzero(relevance % 1) >= len(relevance)
    may_be_scores = relevance.max(initial=0.0) > _UNUSUAL_LEVEL or have_fractions
    found = run.scores_and_sizes() if may_be_scores and not judgements.from_run else None
    if found is None:
        return
    scores, sizes = found
    if not len(scores) or not np.isfinite(scores).all() or (scores % 1).any() or len(np.unique(scores)) > _MOST_LEVELS:
        return
    query = np.repeat(np.arange(len(sizes)), sizes)
    are_ranks = scores.all() and _distinct(query, scores) == len(scores)
    are_many = len(relevance) >= _TIMES_AS_MANY * len(scores)
    mostly_differ = _distinct(judgements.query, relevance) >= _MOSTLY * len(relevance)
    # Rounded scores repeat in a query, but are more than judges, or means over them, have.
    are_rounded = have_fractions and len(np.unique(relevance)) > (_MOST_LEVELS if are_many else _MOST_MEANS)
    if (mostly_differ or are_rounded) and (are_many or not are_ranks):
        message = (
            "the references look like a run (scores) and the predictions like judgements (whole numbers of a few levels); swap "
            "them, of files the judgements as gold, or, if they are right, give them by name: run=..., qrels=..."
        )
        raise InputError("references", message)


def _distinct(query: np.ndarray, numbers: np.ndarray) -> int:
    """How many distinct numbers the queries have."""
    return np.unique(np.stack([query, numbers]), axis=1).shape[1]


def remark_unjudged(run: NestedRun | LongRun, judgements: Judgements, rows: np.ndarray) -> None:
    """As `remark_other_ids`, of a run and its judgements.

    Args:
        rows: the ranking of each judged query, as `ranks.match_queries` gives them.
    """
    retrieved = ([name for name, _ in run.pairs(row)] if row >= 0 else [] for row in rows.tolist())
    remark_other_ids(zip(judgements.ids, retrieved, map(judgements.of_query, range(len(rows)))))


def remark_other_ids(queries: Iterable[tuple[Any, Sequence[str], Iterable[str]]]) -> None:
    """Warn if no retrieved document of any query is judged; of few queries only if the ids look different.

    Args:
        queries: id, retrieved documents and judged documents of each query.
    """
    of_run: list[str] = []
    of_judgements: list[str] = []
    first, compared = None, 0
    for query, retrieved, of_query in queries:
        judged = list(of_query)
        if not set(retrieved).isdisjoint(judged):
            return
        if retrieved and judged:
            first, compared = query if first is None else first, compared + 1
            if compared <= _FEW_QUERIES:
                of_run += retrieved[:_COMPARED]
                of_judgements += judged[:_COMPARED]
    if not compared or compared < _FEW_QUERIES and not set(map(_form, of_run)).isdisjoint(map(_form, of_judgements)):
        return
    remark(
        f"no document that is retrieved is judged for its query: the run has ids like {shown(of_run[0])}, the judgements "
        f"like {shown(of_judgements[0])} (query {shown(first)}); are they of the same collection?"
    )


def _form(identifier: str) -> str:
    """The kinds of characters of an id: "a" for small letters, "A" for large ones, "0" for digits."""
    return re.sub("[A-Z]+", "A", re.sub("[a-z]+", "a", re.sub(r"\d+", "0", identifier)))
