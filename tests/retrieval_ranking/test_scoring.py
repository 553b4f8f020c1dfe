"""retrieval_ranking as Scores: worked examples of the source texts, missing queries, gains by level, bounds of ties."""

import math
from functools import partial

import numpy as np
import pytest

import qassay

score = partial(qassay.score, "retrieval_ranking")
RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d4": 1.0, "d1": 0.5}, "q3": {"d9": 0.1}}
QRELS = {"q1": {"d2": 1, "d3": 2, "d7": 1}, "q2": {"d1": 1, "d4": 0}, "q3": {"d1": 1}}


def single(ranked, judged, measures, **options):
    columns = score([ranked], [judged], measures=measures, **options).columns
    return [column[0] for column in columns.values()]


def test_numbers_by_hand():
    scores = score(RUN, QRELS)
    expected = {"mrr": 1 / 3, "map": ((1 / 2 + 2 / 3) / 3 + 1 / 2) / 3, "p@10": 0.1, "num_ret": 6, "num_rel": 5}
    expected |= {"num_rel_ret": 3, "total": 3, "missing": 0, "no_relevant": 0, "tied": 0}
    assert scores.summary(list(expected)) == pytest.approx(expected, rel=1e-14)
    ndcg = (1 / math.log2(3) + 1) / (2 + 1 / math.log2(3) + 1 / 2)
    assert scores.columns["ndcg@10"][0] == pytest.approx(ndcg, rel=1e-14)


def test_piaf_examples():
    """Relevant documents at ranks 2 and 4 of five; three queries with the first one at rank 1, 2 and 4."""
    assert single(list("abcde"), ["b", "d"], ["p@2", "p@4", "map"]) == [0.5, 0.5, 0.5]
    names = ["map", "map(denominator=num_retrieved_relevant)", "mrr", "hit_rate@5"]
    assert single(list("abcde"), ["b", "d", "x", "y"], names) == [0.25, 0.5, 0.5, 1.0]
    found = score([list("abcd")] * 3, [["a"], ["b"], ["d"]], measures=["mrr", "map", "hit_rate@4"])
    summary = found.summary(["mrr", "map", "hit_rate@4"])
    assert summary == {"mrr": 0.5833333333333334, "map": 0.5833333333333334, "hit_rate@4": 1.0}
    assert single(list("abc"), set("bb"), ["map"]) == [0.5]  # a duplicate gold id counts once


def test_nlpcc_examples():
    names = [f"p@{k}" for k in range(1, 6)] + ["map"]
    assert single(list("abcde"), ["a", "d", "e"], names) == [1, 0.5, 1 / 3, 0.5, 0.6, pytest.approx(0.7, rel=1e-15)]
    found = score([["a", "x"], ["y"]], [{"a", "b", "c"}, {"z"}], preset="nlpcc")
    assert found.columns["set_f"].tolist() == [0.4, 0.0]
    assert found.summary(["mrr", "map", "hit_rate@1"]) == {"mrr": 0.5, "map": 0.25, "hit_rate@1": 0.5}


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
    with pytest.raises(ValueError, match="no example is left"):  # where NLPCC's program crashes
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
