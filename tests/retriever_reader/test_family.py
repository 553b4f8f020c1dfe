"""Where pipelines fail, and what is shown of them: remarks, slices, examples."""

import qassay
from qassay.registry import get_family
from qassay.retriever_reader.about import ABOUT
from qassay.retriever_reader.scoring import failure_labels

FAMILY = get_family("retriever_reader")


def test_examples_as_texts(examples_of):
    gold = {
        "q1": {"documents": ["d1"], "answers": [{"text": "Lyon", "document_id": "d1"}], "question": "Where?"},
        "q2": {"answers": [], "is_impossible": True, "question": "Who?"},
        "q3": {"answers": [{"text": "Rome", "document_id": "d2"}], "question": "What?"},
    }
    outputs = {
        "q3": {"documents": [{"id": "d9"}], "answers": ["Oslo", "Bonn"]},
        "q1": {"documents": [{"id": "d1", "text": "In Lyon."}], "answers": [None, {"text": "Lyon"}]},
    }
    kinds, texts = examples_of(gold, outputs, "retriever_reader")
    assert kinds == ["correct", "no prediction", "document not found"] and FAMILY.about.errors.order[0] == "correct"
    assert texts == [
        ("Where?", ["Lyon"], ["", "Lyon"]),
        ("Who?", [], []),
        ("What?", ["Rome"], ["Oslo", "Bonn"]),
    ]
    assert [text.answers for text in examples_of(gold, outputs, "retriever_reader", top_k=1)[1]] == [[], [], ["Oslo"]]


def test_spans_without_text_are_looked_up(examples_of):
    gold = {"q": {"documents": ["d1"], "answers": [{"document_id": "d1", "start": 3, "end": 7}]}}
    answers = [{"document_id": "d1", "start": 3, "end": 6}, {"document_id": "d2", "start": 0, "end": 2}]
    outputs = {"q": {"documents": [{"id": "d1", "text": "In Lyon."}, "d2"], "answers": answers}}
    assert examples_of(gold, outputs, "retriever_reader")[1] == [(None, ["Lyon"], ["Lyo", "d2 0-2"])]


def test_kinds_of_pipelines_are_where_they_fail():
    lyon = {"answers": [{"text": "Lyon", "document_id": "d1"}]}
    rows = [
        (lyon, {"documents": ["d1"], "answers": ["Lyon"]}, "correct", "none"),
        (lyon, {"documents": ["d7"], "answers": ["Lyon"]}, "document not found", "retriever"),
        (lyon, {"documents": ["d1"], "answers": ["Paris"]}, "wrong answer", "reader"),
        (lyon, {"documents": ["d1"], "answers": [None]}, "gave no answer", "no_answer"),
        ({"answers": []}, {"documents": [], "answers": [None]}, "correct", "none"),
        ({"answers": []}, {"documents": [], "answers": ["Lyon"]}, "answered an unanswerable", "no_answer"),
        (lyon, None, "no prediction", "retriever"),
    ]
    gold = {f"q{place}": row[0] for place, row in enumerate(rows)}
    outputs = {f"q{place}": row[1] for place, row in enumerate(rows) if row[1]}
    scores = qassay.score("retriever_reader", outputs, gold)
    assert ABOUT.errors.of(scores) == [row[2] for row in rows]
    assert failure_labels(scores) == [row[3] for row in rows]
    assert set(ABOUT.errors.of(scores)) == set(ABOUT.errors.order)
