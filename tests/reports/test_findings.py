"""The ranks of the first relevant document."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qassay
from qassay.reports.first_relevant import count_ranks, first_relevant_ranks


def ranks_of(places, depth):
    qrels = {f"q{i}": {f"d{place or 9999:04}": 1} for i, place in enumerate(places)}
    run = {query: {f"d{rank:04}": float(-rank) for rank in range(1, depth + 1)} for query in qrels}
    return first_relevant_ranks(qassay.score("retrieval_ranking", run, qrels, measures=("mrr",)))


@given(st.lists(st.one_of(st.none(), st.integers(1, 30)), min_size=1, max_size=5))
def test_ranks_are_those_in_the_run(places):
    ranks = ranks_of(places, 30)
    assert ranks.tolist() == [math.inf if place is None else place for place in places]
    assert sum(count_ranks(ranks).values()) == len(places)


def test_late_ranks_are_exact_and_queries_without_a_relevant_document_have_none():
    assert ranks_of([2999, 1777, 9998], 3000).tolist() == [2999, 1777, math.inf]
    qrels, run = {"a": {"d": 1}, "b": {"d": 0}}, {"a": {"d": 1.0}, "b": {"d": 1.0}}
    ranks = first_relevant_ranks(qassay.score("retrieval_ranking", run, qrels))
    assert ranks[0] == 1 and np.isnan(ranks[1])
    found = count_ranks([1, 2, 3, 4, 5, 6, 10, 11, 20, 21, 5000, math.inf, math.inf, math.nan])
    assert found == {"1": 1, "2": 1, "3": 1, "4-5": 2, "6-10": 2, "11-20": 2, "later": 2, "not found": 2}


def test_scores_without_ranks_are_refused():
    qrels, run = {"a": {"d": 1}}, {"a": {"d": 1.0}}
    for options in ({"measures": ("map",)}, {"measures": ("mrr",), "ties": "expected"}):
        with pytest.raises(ValueError, match="mrr|mean reciprocal"):
            first_relevant_ranks(qassay.score("retrieval_ranking", run, qrels, **options))
