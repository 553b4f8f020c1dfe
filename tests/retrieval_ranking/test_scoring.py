"""retrieval_ranking from any layout to Scores: layouts, worked examples, options."""

import math
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.retrieval_ranking.scoring import RankingOptions

score = partial(qassay.score, "retrieval_ranking")


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Slow imports happen when a test of this file runs, not at collection."""
    global pd
    import pandas as pd


RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d4": 1.0, "d1": 0.5}, "q3": {"d9": 0.1}}
QRELS = {"q1": {"d2": 1, "d3": 2, "d7": 1}, "q2": {"d1": 1, "d4": 0}, "q3": {"d1": 1}}
SUMMARY = {"mrr": 1 / 3, "map": ((1 / 2 + 2 / 3) / 3 + 1 / 2) / 3, "p@10": 0.1, "num_ret": 6, "num_rel": 5}
SUMMARY |= {"num_rel_ret": 3, "total": 3, "missing": 0, "no_relevant": 0, "tied": 0, "unmatched": 0}
NDCG = (1 / math.log2(3) + 1) / (2 + 1 / math.log2(3) + 1 / 2)
ROWS = [(query, document, score) for query, documents in RUN.items() for document, score in documents.items()]
RUN_TABLE = dict(zip(("query", "document", "score"), map(list, zip(*ROWS, strict=True)), strict=True))
VIEW = getattr(pa, "string_view", pa.large_string)()  # since pyarrow 16
RUNS = {  # forms that the tests of columns and of judgements lack
    "dicts": lambda: RUN,
    "string views and short floats": lambda: pa.table(
        {name: pa.array(RUN_TABLE[name], VIEW) for name in ("query", "document")}
        | {"score": pa.array(np.array(RUN_TABLE["score"], np.float16))}
    ),
    "another dictionary in each chunk": lambda: pa.concat_tables(
        pa.table(
            {name: pa.array(RUN_TABLE[name][rows]).dictionary_encode() for name in ("query", "document")}
        ).append_column("score", [RUN_TABLE["score"][rows]])
        for rows in (slice(0, 1), slice(1, 4), slice(4, 6))
    ),
    "pandas categories": lambda: pd.DataFrame(RUN_TABLE).astype({"query": "category", "document": "category"}),
    "pandas over arrow": lambda: pd.DataFrame(RUN_TABLE).convert_dtypes(dtype_backend="pyarrow"),
    "pandas with another index": lambda: pd.DataFrame(RUN_TABLE, index=range(10, 16)),
}


def check(scores):
    assert {name: scores.summary()[name] for name in SUMMARY} == pytest.approx(SUMMARY, rel=1e-14)
    assert scores.columns["ndcg@10"][0] == pytest.approx(NDCG, rel=1e-14)
    assert list(scores.ids) == ["q1", "q2", "q3"]


def test_run_and_qrels_are_other_names():
    assert score(run=RUN, qrels=QRELS) == score(RUN, QRELS)
    assert score(qrels=QRELS, predictions=RUN) == score(RUN, references=QRELS)


@pytest.mark.parametrize("run", RUNS)
def test_every_layout_gives_the_same(run):
    check(score(RUNS[run](), QRELS))


def test_by_position():
    ranked, judged = ([list(documents) for documents in side.values()] for side in (RUN, QRELS))
    numbers, grades = ([list(documents.values()) for documents in side.values()] for side in (RUN, QRELS))
    shuffled = [documents[::-1] for documents in ranked], [values[::-1] for values in numbers]
    for columns, options in (
        ((ranked, list(QRELS.values())), {}),
        ((list(RUN.values()), list(QRELS.values())), {}),
        ((ranked, judged), {"relevances": grades}),
        ((ranked, judged), {"relevances": grades, "scores": numbers}),
        ((shuffled[0], judged), {"relevances": grades, "scores": shuffled[1]}),
        ((tuple(map(tuple, ranked)), judged), {"relevances": [np.array(row) for row in grades]}),
        ((pa.array(ranked), pa.array(judged)), {"relevances": pa.array(grades)}),
        ((pd.Series(ranked), pd.Series(judged)), {"relevances": pd.Series(grades)}),
    ):
        scores = score(*columns, ids=["q1", "q2", "q3"], **options)
        check(scores)
        assert score(*columns, **options).ids == range(3)
        assert score(*columns, **options).summary() == scores.summary()


# --- worked examples -------------------------------------------------------------------------------------------------


def single(ranked, judged, measures, **options):
    columns = score([ranked], [judged], measures=measures, **options).columns
    return [column[0] for column in columns.values()]


def test_piaf_examples():
    """Relevant documents at ranks 2 and 4 of five; three queries with the first one at rank 1, 2 and 4."""
    assert single(list("abcde"), ["b", "d"], ["p@2", "p@4", "map"]) == [0.5, 0.5, 0.5]
    names = ["map", "map(denominator=num_retrieved_relevant)", "mrr", "hit_rate@5"]
    assert single(list("abcde"), ["b", "d", "x", "y"], names) == [0.25, 0.5, 0.5, 1.0]
    found = score([list("abcd")] * 3, [["a"], ["b"], ["d"]], measures=["mrr", "map", "hit_rate@4"])
    summary = found.summary(["mrr", "map", "hit_rate@4"])
    assert summary == {"mrr": 0.5833333333333334, "map": 0.5833333333333334, "hit_rate@4": 1.0}


def test_recall_of_piaf_is_the_hit_rate():
    found = score([["a", "b"], ["x"]], [["b", "c", "d"], ["y"]], measures=["hit_rate@2", "recall@2"])
    assert found.summary(["hit_rate@2", "recall@2"]) == {"hit_rate@2": 0.5, "recall@2": pytest.approx(1 / 6)}


def test_a_duplicate_gold_id():
    """PIAF counts it once; here a list says which, and a set cannot have it twice."""
    assert single(list("abc"), set("bb"), ["map"]) == [0.5]
    with pytest.raises(ValueError, match="'b'.*twice|twice.*'b'"):
        score([list("abc")], [["b", "b"]])


def test_nlpcc_example():
    names = [f"p@{k}" for k in range(1, 6)] + ["map"]
    assert single(list("abcde"), ["a", "d", "e"], names) == [1, 0.5, 1 / 3, 0.5, 0.6, pytest.approx(0.7, rel=1e-15)]


DENOMINATORS = {  # relevance in rank order, relevant documents in all: min_mn, /m, /found, min(10, m), /10
    ("11", 5): (1.0, 0.4, 1.0, 0.4, 0.2),
    ("0101", 2): (0.5, 0.5, 0.5, 0.5, 0.1),
    ("10011", 3): (0.7, 0.7, 0.7, 0.7, 0.21),
    ("1", 3): (1.0, 0.3333333333333333, 1.0, 0.3333333333333333, 0.1),
    ("00", 4): (0.0, 0.0, 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("case", DENOMINATORS, ids=str)
def test_denominators_of_average_precision(case):
    ones, relevant = case
    ranked = [f"d{i}" for i in range(len(ones))]
    judged = [document for document, one in zip(ranked, ones, strict=True) if one == "1"]
    judged += [f"elsewhere {i}" for i in range(relevant - len(judged))]
    rules = {"min_mn": "", "num_relevant": "", "num_retrieved_relevant": "", "min_k_relevant": "@10", "fixed:10": ""}
    for (denominator, cut), expected in zip(rules.items(), DENOMINATORS[case], strict=True):
        for found in (
            single(ranked, judged, [f"map(denominator={denominator}){cut}"]),
            single(ranked, judged, [f"map{cut}"], ap_denominator=denominator),
        ):
            assert found == [pytest.approx(expected, rel=1e-12)], denominator


def test_averaged_f1_of_nlpcc_is_on_sets():
    found = score([["a", "x"], ["y"]], [{"a", "b", "c"}, {"z"}], preset="nlpcc")
    assert found.columns["set_f"].tolist() == [0.4, 0.0]
    names = ["mrr", "map", "hit_rate@1"]
    assert found.summary(names) == {"mrr": 0.5, "map": 0.25, "hit_rate@1": 0.5}


def test_options_of_a_preset_can_be_overruled():
    found = score([["a"]], [["a", "b", "c"]], preset="nlpcc", ap_denominator="num_relevant")
    assert found.columns["map"][0] == 1 / 3
    found = score([["a"]], [["a", "b", "c"]], preset="nlpcc", measures=["map"])
    assert (list(found.columns), found.columns["map"][0]) == (["map"], 1.0)


# --- options and Scores ----------------------------------------------------------------------------------------------


def test_missing_queries():
    run = {"q1": RUN["q1"], "q2": {}, "other": {"d1": 1.0}}
    zero = score(run, QRELS)
    assert zero.subsets["missing"].tolist() == [False, False, True]  # q2 is there, with no document
    assert (zero.summary()["missing"], zero.summary()["unmatched"], zero.summary()["total"]) == (1, 1, 3)
    assert zero.columns["map"][1:].tolist() == [0.0, 0.0]
    assert zero.summary()["num_rel"] == 5
    skip = score(run, QRELS, missing="skip")
    assert list(skip.ids) == ["q1", "q2"]
    assert (skip.summary()["total"], skip.summary()["missing"], skip.summary()["skipped"]) == (2, 0, 1)
    with pytest.raises(ValueError, match="'q3'"):
        score(run, QRELS, missing="error")
    rows = score([["a"], None, []], [["a"], ["a"], ["a"]])
    assert rows.subsets["missing"].tolist() == [False, True, False]


def test_a_query_without_a_relevant_document_scores_zero_and_stays():
    found = score({"a": ["x"], "b": ["x"], "c": ["x"]}, {"a": {"x": 0}, "b": {"x": 1}, "c": {}})
    assert (found.summary()["map"], found.summary()["no_relevant"]) == (1 / 3, 2)
    assert list(found.subset("no_relevant").ids) == ["a", "c"]
    assert all(not math.isnan(value) for value in found.summary().values())


def test_weights():
    for weights in ([3, 1, 0], {"q2": 1, "q1": 3, "q3": 0}, np.array([3.0, 1.0, 0.0])):
        found = score(RUN, QRELS, weights=weights)
        assert found.summary(["mrr"]) == {"mrr": 0.5}
        assert found.per_example()["weight"].tolist() == [3, 1, 0]
    skipped = score({"b": ["x"]}, {"a": ["x"], "b": ["x"]}, weights=[5, 2], missing="skip")
    assert skipped.per_example()["weight"].tolist() == [2]


def test_signature():
    text = RankingOptions().signature()
    assert text.startswith(
        "retrieval_ranking|ties:trec|scores:float64|missing:zero|rel:1|ap:num_relevant|gain:linear|v:"
    )
    options = RankingOptions(ties="expected", score_dtype="float32", relevance_level=2, skip_trivial=True)
    for part in ("|ties:expected|", "|scores:float32|", "|rel:2|", "|skip_trivial:yes|"):
        assert part in options.signature()
    assert (
        RankingOptions(preset="nlpcc").signature() == RankingOptions(ties="stable", ap_denominator="min_mn").signature()
    )
    assert RankingOptions(relevance_level=2.0) == RankingOptions(relevance_level=2)
    assert RankingOptions(measures=["P_5"]) == RankingOptions(measures=["p@5"])


@pytest.mark.parametrize("measure", ["ndcg(gain=exp2)", "dcg(gain=exp2)"])
def test_gains_too_large_for_a_number_are_refused(measure):
    with pytest.raises(ValueError, match="of query 'q' is too large for a number"):
        score({"q": {"a": 1.0}}, {"q": {"a": 1100}}, measures=[measure])


def test_gains_of_a_dict_keep_every_digit_and_must_rise_over_the_levels_there_are():
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1234567, "b": 0.1234567}}
    gain = {1234567: 5, 0.1234567: 0.5}
    scores = score(run, qrels, measures=["dcg@1", "dcg"], gain=gain)
    assert scores.summary(["dcg@1", "dcg"]) == {"dcg@1": 5.0, "dcg": 5 + 0.5 / np.log2(3)}
    assert "gain:0.1234567:0.5;1234567:5" in scores.signature()
    with pytest.raises(ValueError, match="gain: relevance 2 would be worth less than 1"):
        score(run, {"q": {"a": 2, "b": 1}}, measures=["dcg"], gain={1: 10})


def test_bounds_only_where_the_best_order_is_the_highest_number():
    measures = ["map@3", "map(denominator=num_retrieved_relevant)@3", "infap", "rbp_resid", "unjudged@3", "set_p"]
    scores = score({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, measures=measures, tie_bounds=True)
    assert [name for name in scores.measures if "_ties_" in name] == ["map@3_ties_worst", "map@3_ties_best"]


def test_identical_ids_need_ids():
    with pytest.raises(ValueError, match="drop_identical_ids compares documents with the ids of queries; give ids"):
        score([["0", "d1"]], [["d1"]], drop_identical_ids=True)
    scores = score([["q", "d1"]], [["d1"]], ids=["q"], drop_identical_ids=True)
    assert scores.summary(["mrr"]) == {"mrr": 1.0}
