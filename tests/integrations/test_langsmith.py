"""The adapter of langsmith, in evaluations that stay on this machine."""

import uuid
from datetime import datetime

import pytest

import qassay

from .harness import need, run_page

need("langsmith")
GOLDS = {"France?": ["Paris", "City of Paris"], "Italy?": ["Rome"], "Spain?": ["Madrid"]}


def evaluate(answer, golds=GOLDS, evaluators=(), summaries=(), **settings):
    """Feedback of runs, and of the experiment."""
    import langsmith
    from langsmith.schemas import Example

    data = [
        Example(id=uuid.uuid4(), inputs={"question": question}, outputs=outputs, created_at=datetime.now())
        for question, outputs in golds.items()
    ]
    found = langsmith.evaluate(
        answer,
        data=data,
        evaluators=evaluators,
        summary_evaluators=summaries,
        upload_results=False,
        client=langsmith.Client(info={}, auto_batch_tracing=False),
        **settings,
    )
    return [row["evaluation_results"]["results"] for row in found], found._summary_results["results"]


def test_page():
    (first, second) = run_page("langsmith")["found"]
    wanted = qassay.score("answer_match", ["Paris"] * 2, [["Paris", "City of Paris"], ["Rome"]])
    for place, row in enumerate((first, second)):
        found = {result.key: result.score for result in row["evaluation_results"]["results"]}
        assert found == {name: values[place] for name, values in wanted.columns.items()}


def test_summary_with_options_and_repetitions():
    from qassay.integrations.langsmith import QassayEvaluator

    said = iter(["Paris", "the rome", "Bern", "Lyon", "Rome", "Madrid"])
    golds = {question: {"golds": answers} for question, answers in GOLDS.items()}
    summary = QassayEvaluator("answer_match", gold="golds", prediction="text", normalizer="none").summary
    _, found = evaluate(lambda inputs: {"text": next(said)}, golds, summaries=[summary], num_repetitions=2)
    answers = ["Paris", "the rome", "Bern", "Lyon", "Rome", "Madrid"]
    wanted = qassay.score("answer_match", answers, [*GOLDS.values()] * 2, normalizer="none", groups=["a", "b", "c"] * 2)
    known = {name: value for name, value in wanted.result(confidence=0.95).items() if value is not None}
    assert {result.key: result.score for result in found} == pytest.approx(known)


def test_what_cannot_be_scored_is_the_comment_of_each_measure(caplog):
    from qassay.integrations.langsmith import QassayEvaluator

    golds = {question: {"answers": answers} for question, answers in GOLDS.items()}
    golds |= {"Peru?": {}, "Chad?": {"answers": 3}}
    said = {"France?": {"answer": "Paris"}, "Italy?": {"text": "Rome"}}
    evaluator = QassayEvaluator("answer_match")
    answer = lambda inputs: said.get(inputs["question"], {"answer": "?"})  # noqa: E731
    rows, summary = evaluate(answer, golds, [evaluator], [evaluator.summary])
    assert [row[0].score for row in rows] == [1.0, None, 0.0, None, None] and summary == []
    assert {len(row) for row in rows} == {5}
    for place, words in ((1, "'answer'"), (3, "'answers'"), (4, "int: 3")):
        assert words in rows[place][0].comment
    assert "'answer'" in caplog.text
