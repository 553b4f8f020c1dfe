"""The first and the relevant documents of queries, in every form and in the order that is scored."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.retrieval_ranking.query_documents import QueryDocuments
from qassay.retrieval_ranking.scoring import RankingOptions


def documents_of(run, qrels, **options):
    return QueryDocuments({"predictions": run, "references": qrels}, RankingOptions(**options))


def test_both_sides_in_the_order_of_the_queries():
    run, qrels = (
        {"7": {"10": 1.0, "9": 1.0, "7": 3.0}, "8": {"a": 1.0}},
        {"7": {"9": 2, "10": 1, "x": 0}, "8": {"b": 1}},
    )
    rows = [(int(query), document, score) for query, row in run.items() for document, score in row.items()]
    table = pa.table(dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True)))
    for form in (run, table, {int(query): row for query, row in run.items()}):
        documents = documents_of(form, qrels)
        assert [documents.retrieved(query, 10) for query in (8, "7", "6")] == [["a"], ["7", "9", "10"], []]
        assert documents_of(form, qrels, drop_identical_ids=True).retrieved("7", 1) == ["9"]
        assert [documents.relevant(query, 10) for query in ("7", "8", "6")] == [["9", "10"], ["b"], []]
        assert documents_of(form, qrels, relevance_level=2).relevant("7", 10) == ["9"]


DOCUMENTS = st.sampled_from(["a", "b", "c", "d", "e"])


@settings(deadline=None, max_examples=80)
@given(
    st.dictionaries(DOCUMENTS, st.sampled_from([0.0, 0.5, 1.0, 1.00000001]), min_size=1),
    st.dictionaries(DOCUMENTS, st.sampled_from([0, 1, 2]), min_size=1),
    st.sampled_from(["trec", "stable", "best", "worst"]),
    st.booleans(),
    st.sampled_from(["float64", "float32"]),
)
def test_the_order_is_the_one_that_is_scored(run, judged, ties, judged_only, score_dtype):
    options = {"ties": ties, "judged_only": judged_only, "score_dtype": score_dtype}
    documents = documents_of({"q": run}, {"q": judged}, measures=("mrr",), **options)
    found, relevant = documents.retrieved("q", 10), documents.relevant("q", 10)
    ranks = [rank for rank, document in enumerate(found, 1) if document in relevant]
    scores = qassay.score("retrieval_ranking", {"q": run}, {"q": judged}, **options)
    assert scores.columns["mrr"].tolist() == [1 / ranks[0] if ranks else 0.0]
