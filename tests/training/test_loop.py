"""Streams that begin anew, and update, compute and reset of LoopMetric on one process; two processes are in tests/distributed."""

import pytest

import qassay
from qassay.training import LoopMetric

ANSWERS, GOLDS = ["in Rome", "Bern", "x"], ["Rome", "Bern", ""]


def test_a_stream_begins_anew():
    stream = qassay.stream("answer_match", normalizer="french")
    for _ in range(2):
        for row in range(3):
            stream.add(ANSWERS[row : row + 1], references=GOLDS[row : row + 1])
        assert stream.summary() == qassay.score("answer_match", ANSWERS, GOLDS, normalizer="french").summary()
        assert len(stream) == 3
        stream.reset()
        assert len(stream) == 0
        with pytest.raises(ValueError, match="nothing was added"):
            stream.summary()
    stream.add({"a": "x"}, {"a": "x"})  # after a reset ids may come, and come again
    stream.reset()
    stream.add({"a": "x"}, {"a": "y"})
    assert stream.summary(["exact_match"]) == {"exact_match": 0.0}


def test_a_loop():
    metric = LoopMetric("answer_match", measures=["f1", "exact_match"], confidence=0.9)
    for _ in range(2):
        metric.update(ANSWERS[:2], GOLDS[:2])
        metric.update(predictions=ANSWERS[2:], references=GOLDS[2:])
        found = metric.compute()
        assert list(found) == ["f1", "exact_match", "f1_low", "f1_high", "exact_match_low", "exact_match_high"]
        assert found["exact_match"] == pytest.approx(1 / 3) and metric.compute() == found
        assert metric.scores.summary() == qassay.score("answer_match", ANSWERS, GOLDS).summary()
        metric.reset()


def test_errors_come_when_the_metric_is_made():
    for wrong in ({"normaliser": "french"}, {"confidence": 95}, {"measures": "f1"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
            LoopMetric("answer_match", **wrong)


def test_a_loop_without_examples_says_why():
    metric = LoopMetric("retrieval_ranking", measures=["ndcg_cut_10", "recip_rank"])
    with pytest.raises(ValueError, match="call update first"):
        metric.compute()
    metric.update(run={"q": {"d1": 1.0, "d2": 0.5}}, qrels={"q": {"d2": 1}})
    assert metric.compute() == {"ndcg@10": pytest.approx(0.6309297535714575), "mrr": 0.5}
    assert len(metric) == 1 and "1 examples here; retrieval_ranking|" in repr(metric)
    metric = LoopMetric("answer_match", missing="skip")
    metric.update([None], ["Rome"])
    with pytest.raises(ValueError, match="no example is left to score"):
        metric.compute()


def test_an_id_that_two_processes_give_to_different_examples_is_refused(monkeypatch):
    first, other = LoopMetric("answer_match"), LoopMetric("answer_match")
    first.update(["a", "b"], [["a"], ["b"]], ids=[1, 2])
    other.update(["b", "c"], [["b"], ["z"]], ids=[2, 1])
    parts = []
    monkeypatch.setattr("qassay.training.loop.gathered", lambda value: parts.append(value) or parts)
    other.compute()
    with pytest.raises(ValueError, match="the id 1 with different gold answers"):
        first.compute()
