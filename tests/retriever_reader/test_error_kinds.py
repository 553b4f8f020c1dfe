"""Where pipelines fail."""

import qassay
from qassay.retriever_reader.error_kinds import READING_ERRORS, reading_error_kinds
from qassay.retriever_reader.scoring import failure_labels


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
    assert reading_error_kinds(scores) == [row[2] for row in rows]
    assert failure_labels(scores) == [row[3] for row in rows]
    assert set(reading_error_kinds(scores)) == set(READING_ERRORS.order)
