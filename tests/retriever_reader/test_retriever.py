"""The retriever's measures: PIAF's worked examples and numbers, open domain, and the ranking core as a peer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay

from .questions import of_retriever, question, read, span


def retrieve(gold, retrieved, **options):
    """The retriever's values for lists of gold and of retrieved documents."""
    golds = [{**question(row, span(row[0], 0, 1)), "is_impossible": False} for row in gold]
    scores = read([question(row) for row in retrieved], golds, **{"unit": None, **options})
    return of_retriever(scores)


def test_examples_of_piaf():
    """Relevant documents at ranks 2 and 4, two more that are not found, and first hits at ranks 1, 2 and 4."""
    for gold, precision, by_found in ((["b", "d"], 0.5, 0.5), (["b", "d", "x", "y"], 0.25, 0.5)):
        assert retrieve([gold], [list("abcde")]) == (1, precision, 0.5)
        assert retrieve([gold], [list("abcde")], ap_denominator="num_retrieved_relevant") == (1, by_found, 0.5)
    found = retrieve([["a"]] * 3, [["a"], ["x", "a"], ["x", "y", "z", "a"]])
    assert found == pytest.approx((1, 0.5833333333333334, 0.5833333333333334), rel=1e-15)


def test_piafs_own_numbers():
    """16 queries: 13 found at rank 1, 2 at rank 2, 1 not at all; one of them unanswerable."""
    retrieved = [["a", "b"]] * 13 + [["b", "a"]] * 2 + [["b", "c"]]
    assert retrieve([["a"]] * 16, retrieved) == (0.9375, 0.875, 0.875)
    golds = [question(["a"], span("a", 10, 20))] * 15 + [question(["a"])]
    pipeline = [question(row, span("b", 1, 2), span("a", 12, 22)) for row in retrieved]
    summary = read(pipeline, golds).summary()
    assert (summary["retriever_recall"], summary["reader_topk_accuracy"]) == (0.9375, 0.9375)
    assert (summary["reader_topk_accuracy_has_answer"], summary["reader_topk_no_answer_accuracy"]) == (1.0, 0.0)


OPEN = [
    {"id": name, "text": text} for name, text in zip("abcd", ("It is PARIS.", "paris", "Paris!", "Lyon"), strict=True)
]


@pytest.mark.parametrize(
    "documents, gold_documents, denominator, value",
    [
        (OPEN, ["b"], "num_relevant", 3),
        (OPEN, ["b"], "num_retrieved_relevant", 1),
        (OPEN[2:], [], "num_relevant", 1),  # without gold documents it divides by one
        ([{"id": "b", "text": "Paris"}] * 2, ["b"], "num_relevant", 1),  # a document found again counts once
    ],
)
def test_open_domain_average_precision_may_exceed_1(documents, gold_documents, denominator, value):
    gold = question(gold_documents, {"text": "Paris"})
    scores = read([question(documents)], [gold], open_domain=True, ap_denominator=denominator, unit=None)
    assert of_retriever(scores) == (1, value, 1)


def test_unanswerable_in_open_and_closed_domain():
    for open_domain, value in ((True, 1), (False, 0)):
        scores = read([question(["x"])], [question(["a"])], open_domain=open_domain, unit=None)
        assert of_retriever(scores) == (value,) * 3
        assert scores.summary()["correct_retrievals"] == value
    missing = read([None], [question(["a"])], open_domain=True, unit=None)
    assert of_retriever(missing) == (0, 0, 0)


def test_a_document_found_again_counts_once_and_keeps_its_rank():
    assert retrieve([["b", "c"]], [["b", "b", "c"]]) == (1, (1 + 2 / 3) / 2, 1)
    assert retrieve([["b"]], [["a", "b", "b"]]) == retrieve([["b"]], [["a", "b", "c"]]) == (1, 0.5, 0.5)


names = st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True)


@given(
    st.lists(st.tuples(names, names.filter(bool)), min_size=1, max_size=5),
    st.sampled_from(["num_relevant", "num_retrieved_relevant"]),
)
@settings(deadline=None, max_examples=60)
def test_retriever_equals_the_ranking_core(queries, denominator):
    retrieved, golds = zip(*queries, strict=True)
    measures = ["hit_rate@100", f"map(denominator={denominator})", "mrr"]
    expected = qassay.score(
        "retrieval_ranking", list(retrieved), list(golds), measures=measures, ties="stable"
    ).summary(measures)
    assert retrieve(golds, retrieved, ap_denominator=denominator) == pytest.approx(tuple(expected.values()), rel=1e-15)
