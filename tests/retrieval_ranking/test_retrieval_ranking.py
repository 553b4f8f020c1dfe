"""The evaluate module retrieval_ranking: batches of its columns."""

import pytest

import qassay


def load():
    return qassay.load("retrieval_ranking")


# q1 has its relevant documents at the ranks 2 and 3 of 4, q2 one of two at rank 1.
RUN = {"q1": {"x": 4.0, "a": 3.0, "b": 2.0, "y": 1.0}, "q2": {"a": 0.5, "c": 0.25}}
QRELS = {"q1": {"a": 1, "b": 2, "y": 0}, "q2": {"a": 3, "d": 1}}


def test_batches_of_four_columns():
    metric, summary = load(), qassay.score("retrieval_ranking", RUN, QRELS).summary()
    columns = {
        "predictions": [list(documents)[::-1] for documents in RUN.values()],
        "scores": [list(documents.values())[::-1] for documents in RUN.values()],
        "references": [list(documents) for documents in QRELS.values()],
        "relevances": [list(documents.values()) for documents in QRELS.values()],
    }
    assert metric.compute(**columns) == metric.compute(run=RUN, qrels=QRELS) == summary
    for part in (slice(1), slice(1, None)):
        metric.add_batch(**{name: column[part] for name, column in columns.items()})
    assert metric.compute() == summary and len(metric) == 0


def test_batches_by_id():
    metric = load()
    metric.add_batch(run={"q1": RUN["q1"]}, qrels={"q1": QRELS["q1"], "q3": {"a": 1}})
    metric.add_batch(predictions={"q2": RUN["q2"], "q7": {"a": 1.0}}, references={"q2": QRELS["q2"]})
    result = metric.compute()
    assert (result["total"], result["missing"], result["unmatched"]) == (3, 1, 1)
    metric.add_batch(run=RUN, qrels=QRELS)
    metric.add_batch(run={"q1": RUN["q1"]}, qrels={"q4": QRELS["q1"]})
    with pytest.raises(ValueError, match="'q1' is given twice"):
        metric.compute()
    assert len(metric) == 0


def test_batches_of_a_data_frame_of_pyterrier_and_ids_of_another_collection():
    metric = load()
    runs = [{"qid": "1", "docid": 7, "docno": name, "rank": rank} for rank, name in enumerate("AB")]
    metric.add_batch(predictions=runs, references=[{"qid": "1", "docno": "B", "label": 1}])
    assert metric.compute(measures=["mrr"])["mrr"] == 0.5
    with pytest.warns(UserWarning, match="ids like '77', the judgements like 'M_77'"):
        metric.compute(predictions=[["77"], ["5"]], references=[["M_77"], ["M_5"]], measures=["mrr"])
