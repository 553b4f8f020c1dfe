"""The first and the relevant documents of queries, in every form and in the order that is scored."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.retrieval_ranking.query_documents import first_documents, relevant_documents
from qassay.retrieval_ranking.scoring import RankingOptions

RUN = {"7": {"10": 1.0, "9": 1.0, "7": 3.0}, "8": {"a": 1.0}}
QRELS = {"7": {"9": 2, "10": 1, "x": 0}, "8": {"b": 1}}


def table(nested, role, ids=str):
    rows = [(ids(query), document, number) for query, row in nested.items() for document, number in row.items()]
    queries, documents, numbers = map(list, zip(*rows, strict=True))
    return pa.table({"query": queries, "document": documents, role: numbers})


@pytest.mark.parametrize(
    "run, qrels",
    [
        (RUN, QRELS),
        (table(RUN, "score"), table(QRELS, "relevance")),
        (
            table(RUN, "score").set_column(0, "query", table(RUN, "score")["query"].dictionary_encode()),
            table(QRELS, "relevance"),
        ),
        ({int(query): row for query, row in RUN.items()}, QRELS),
    ],
)
def test_every_form(run, qrels):
    options = RankingOptions()
    assert first_documents(run, qrels, ["8", "7", "6"], options, 10) == [["a"], ["7", "9", "10"], []]
    assert first_documents(run, qrels, ["7"], options, 2) == [["7", "9"]]
    assert relevant_documents(qrels, ["7", "8", "6"], options, 10) == [["9", "10"], ["b"], []]
    assert relevant_documents(qrels, ["7"], RankingOptions(relevance_level=2), 10) == [["9"]]
    assert relevant_documents(qrels, ["7"], options, 1) == [["9"]]


def test_the_order_matches_the_options():
    for options, documents in (
        ({"ties": "stable"}, ["7", "10", "9"]),
        ({"ties": "worst"}, ["7", "10", "9"]),
        ({"judged_only": True}, ["9", "10"]),
        ({"drop_identical_ids": True}, ["9", "10"]),
    ):
        assert first_documents(RUN, QRELS, ["7"], RankingOptions(**options), 10) == [documents]


def test_scores_are_compared_in_the_precision_that_is_requested():
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    orders = {
        kind: first_documents(run, {}, ["q"], RankingOptions(score_dtype=kind), 2) for kind in ("float64", "float32")
    }
    assert orders == {"float64": [["a", "b"]], "float32": [["b", "a"]]}


DOCUMENTS = st.sampled_from(["a", "b", "c", "d", "e"])


@settings(deadline=None, max_examples=80)
@given(
    st.dictionaries(DOCUMENTS, st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
    st.dictionaries(DOCUMENTS, st.sampled_from([0, 1, 2]), min_size=1),
    st.sampled_from(["trec", "stable", "best", "worst"]),
    st.booleans(),
)
def test_the_order_is_the_one_that_is_scored(run, judged, ties, judged_only):
    options = RankingOptions(ties=ties, judged_only=judged_only, measures=("mrr",))
    found = first_documents({"q": run}, {"q": judged}, ["q"], options, 10)[0]
    relevant = set(relevant_documents({"q": judged}, ["q"], options, 10)[0])
    ranks = [rank for rank, document in enumerate(found, 1) if document in relevant]
    scores = qassay.score("retrieval_ranking", {"q": run}, {"q": judged}, ties=ties, judged_only=judged_only)
    assert scores.columns["mrr"].tolist() == [1 / ranks[0] if ranks else 0.0]
