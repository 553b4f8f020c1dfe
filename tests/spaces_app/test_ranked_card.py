"""Documents of the cards of rankings and pipelines: their judgements and ranks."""

import json

import pytest

from qassay.retrieval_ranking.query_documents import judged_documents
from qassay.spaces_app.analysis import Inputs, analyze
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.ranked_card import ranked_documents, shown_documents

QRELS = {"q": {"good": 2, "fair": 1, "bad": 0, "pooled": -1, "lost": 1}}


@pytest.fixture
def rankings(tmp_path):
    runs = {
        "one": {"q": {"bad": 4.0, "good": 3.0, "new": 2.0, "pooled": 1.0}},
        "two": {"q": {"good": 2.0, "fair": 1.0}},
    }
    for name, content in (("gold", QRELS), *runs.items()):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return analyze(Inputs("t", str(tmp_path / "gold.json"), {name: str(tmp_path / f"{name}.json") for name in runs}))


def test_documents_are_relevant_not_relevant_or_unjudged(rankings):
    found = shown_documents(rankings, "one", 0, 0)
    assert [(document.name, document.is_relevant) for document in found] == [
        ("bad", False),
        ("good", True),
        ("new", None),
        ("pooled", None),
    ]


def test_relevant_documents_have_their_rank_in_each_run(rankings):
    assert ranked_documents(rankings, {"one": 0, "two": 0}) == [
        ("good", 2, [2, 1]),
        ("fair", 1, [None, 2]),
        ("lost", 1, [None, None]),
    ]


def test_judgements_of_a_table_and_of_lists():
    sample = analyze(sample_inputs("rankings"))
    worth = judged_documents(sample.gold.columns["references"], ["bulky-waste", "no-such-query"])
    assert worth[0]["news-24-05"] >= 1 and worth[1] == {}
    assert judged_documents([["a", "b"], ["c"]], [1]) == [{"c": 1.0}]


def test_gold_documents_are_marked():
    sample = analyze(sample_inputs("pipeline"))
    scores = sample.scores("keyword")
    for row in range(len(scores)):
        found = shown_documents(sample, "keyword", row, row)
        assert any(document.is_relevant for document in found) == (scores.columns["retriever_recall"][row] > 0)
