"""retrieval_ranking as Scores: numbers by hand, missing queries, gains by level, bounds of ties."""

import math
from functools import partial

import numpy as np
import pytest

import qassay

score = partial(qassay.score, "retrieval_ranking")
RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d4": 1.0, "d1": 0.5}, "q3": {"d9": 0.1}}
QRELS = {"q1": {"d2": 1, "d3": 2, "d7": 1}, "q2": {"d1": 1, "d4": 0}, "q3": {"d1": 1}}


def test_numbers_by_hand():
    scores = score(RUN, QRELS)
    expected = {"mrr": 1 / 3, "map": ((1 / 2 + 2 / 3) / 3 + 1 / 2) / 3, "p@10": 0.1, "num_ret": 6, "num_rel": 5}
    expected |= {"num_rel_ret": 3, "total": 3, "missing": 0, "no_relevant": 0, "tied": 0}
    assert scores.summary(list(expected)) == pytest.approx(expected, rel=1e-14)
    ndcg = (1 / math.log2(3) + 1) / (2 + 1 / math.log2(3) + 1 / 2)
    assert scores.columns["ndcg@10"][0] == pytest.approx(ndcg, rel=1e-14)


def test_missing_queries():
    run = {"q1": RUN["q1"], "q2": {}, "other": {"d1": 1.0}}
    zero = score(run, QRELS)
    assert zero.subsets["missing"].tolist() == [False, False, True]  # q2 is there, with no document
    assert (zero.summary()["missing"], zero.summary()["unmatched"], zero.summary()["total"]) == (1, 1, 3)
    assert zero.columns["map"][1:].tolist() == [0.0, 0.0]
    assert zero.summary()["num_rel"] == 5
    skip = score(run, QRELS, missing="skip", weights={"q2": 1, "q1": 3, "q3": 9})
    assert skip.per_example()["weight"].tolist() == [3, 1]
    assert list(skip.ids) == ["q1", "q2"]
    assert (skip.summary()["total"], skip.summary()["missing"], skip.summary()["skipped"]) == (2, 0, 1)
    rows = score([["a"], None, []], [["a"], ["a"], ["a"]])
    assert rows.subsets["missing"].tolist() == [False, True, False]


def test_a_query_without_a_relevant_document_scores_zero_and_stays():
    found = score({"a": ["x"], "b": ["x"], "c": ["x"]}, {"a": {"x": 0}, "b": {"x": 1}, "c": {}})
    assert (found.summary()["map"], found.summary()["no_relevant"]) == (1 / 3, 2)
    assert list(found.subset("no_relevant").ids) == ["a", "c"]
    assert all(not math.isnan(value) for value in found.summary().values())
    table = {"query": ["a", "a", "b"], "label": [0, 0, 1], "score": [0.1, 0.2, 0.3]}
    with pytest.raises(ValueError, match="no query is left"):  # where NLPCC's program crashes
        score(table, preset="nlpcc", skip_trivial=True)


def test_gains_of_a_dict_keep_every_digit():
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1234567, "b": 0.1234567}}
    scores = score(run, qrels, measures=["dcg@1", "dcg"], gain={1234567: 5, 0.1234567: 0.5})
    assert scores.summary(["dcg@1", "dcg"]) == {"dcg@1": 5.0, "dcg": 5 + 0.5 / np.log2(3)}
    assert "gain:0.1234567:0.5;1234567:5" in scores.signature()


def test_bounds_only_where_the_best_order_is_the_highest_number():
    measures = ["map@3", "map(denominator=num_retrieved_relevant)@3", "infap", "rbp_resid", "unjudged@3", "set_p"]
    scores = score({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, measures=measures, tie_bounds=True)
    assert [name for name in scores.measures if "_ties_" in name] == ["map@3_ties_worst", "map@3_ties_best"]
