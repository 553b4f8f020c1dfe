"""The adapter of haystack-ai, in pipelines that run, are written out and read again."""

import pytest

import qassay

from .harness import need, run_section

need("haystack")


def test_page():
    names = run_section("Haystack")
    found, golds = names["found"], [["Paris", "City of Paris"], ["Rome"]]
    wanted = qassay.score("answer_match", ["Paris", "in Rome"], golds)
    known = {name: value for name, value in wanted.result(confidence=0.95).items() if value is not None}
    assert found["answers"]["summary"] == known and found["answers"]["score"] == wanted["f1"]
    files = [["Paris.txt", "Rome.txt"]] * 2
    wanted = qassay.score("retrieval_ranking", files, [["Paris.txt"], ["Rome.txt"]], measures=["ndcg@10"])
    assert found["documents"]["summary"] == wanted.result(confidence=0.95)
    assert found["documents"]["individual_scores"] == wanted.columns["ndcg@10"].tolist()
    assert names["restored"].to_dict() == names["pipeline"].to_dict()


def test_answers_of_haystack_in_its_report():
    from haystack.dataclasses import ExtractedAnswer, GeneratedAnswer
    from haystack.evaluation import EvaluationRunResult

    from qassay.integrations.haystack import QassayAnswerEvaluator

    evaluator = QassayAnswerEvaluator("answer_equivalence", measure="equivalence")
    answers = [GeneratedAnswer("the city of Paris", "?", []), ExtractedAnswer("?", 0.1, None)]
    found = evaluator.run(["Paris", ["Rome"]], answers)
    wanted = qassay.score("answer_equivalence", ["the city of Paris", None], [["Paris"], ["Rome"]])
    assert found["individual_scores"] == wanted.columns["equivalence"].tolist() and found["summary"]["missing"] == 1
    questions = ["What is the capital of France?", "What is the capital of Italy?"]
    asked = evaluator.run(["Paris", ["Rome"]], answers, further={"questions": questions})
    wanted = qassay.score("answer_equivalence", ["the city of Paris", None], [["Paris"], ["Rome"]], questions=questions)
    assert asked["individual_scores"] == wanted.columns["equivalence"].tolist() != found["individual_scores"]
    results = {"equivalence": found}
    report = EvaluationRunResult("run", {"question": ["?", "?"]}, results).aggregated_report(output_format="json")
    assert report == {"metrics": ["equivalence"], "score": [found["score"]]}


def test_what_cannot_be_scored():
    from haystack import Document

    from qassay.integrations.haystack import QassayDocumentEvaluator

    first, again = (Document(content=text, meta={"file": "x.txt"}) for text in "ab")
    evaluator = QassayDocumentEvaluator("mrr", field="file")
    with pytest.raises(ValueError, match="query 0 has the document 'x.txt' twice"):
        evaluator.run([[first]], [[first, again]])
    evaluator = QassayDocumentEvaluator("mrr", field="file", options={"duplicates": "first"})
    assert evaluator.run([[first, again]], [[first, again]])["individual_scores"] == [1.0]
