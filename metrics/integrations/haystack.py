"""haystack-ai: components that evaluate answers and retrieved documents. Tried on haystack-ai 3.4.0."""

from typing import Any

from haystack import Document, component

from .. import score, scorer
from .fields import check_measures, field_of

_Result = {"score": float, "individual_scores": list[float], "summary": dict[str, float]}


def _result(metric: str, measure: str, predictions: list[Any], golds: list[Any], options: Any) -> dict[str, Any]:
    scores = score(metric, predictions, golds, **options)
    each = scores.per_example()[measure].tolist()
    return {"score": scores[measure], "individual_scores": each, "summary": scores.result(level=0.95)}


def _keys(documents: list[Document], field: str) -> list[Any]:
    rows = ({**document.meta, "id": document.id, "content": document.content} for document in documents)
    return [field_of(row, field, "a document", "field") for row in rows]


@component
class QassayAnswerEvaluator:
    """Answers, texts or Haystack's answers, against one gold answer or a list of gold answers per question."""

    def __init__(self, metric: str = "answer_match", measure: str = "f1", options: dict[str, Any] | None = None):
        self.metric, self.measure, self.options = metric, measure, options or {}
        check_measures([measure], scorer(metric, **self.options).names, metric)

    @component.output_types(**_Result)
    def run(self, ground_truth_answers: list[Any], predicted_answers: list[Any]) -> dict[str, Any]:
        """The mean of the measure, its value for each question, and all measures with the ends of their intervals."""
        golds = [[gold] if isinstance(gold, str) else gold for gold in ground_truth_answers]
        texts = [getattr(answer, "data", answer) for answer in predicted_answers]
        return _result(self.metric, self.measure, texts, golds, self.options)


@component
class QassayDocumentEvaluator:
    """Documents by rank against the relevant ones; `field` tells them apart: "id", "content" or a key of their meta."""

    def __init__(self, measure: str = "ndcg@10", field: str = "id", options: dict[str, Any] | None = None):
        self.measure, self.field, self.options = measure, field, {"measures": [measure], **(options or {})}
        check_measures([measure], scorer("retrieval_ranking", **self.options).names, "retrieval_ranking")

    @component.output_types(**_Result)
    def run(self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]) -> Any:
        """As of answers. A document counts once among the relevant ones of a question."""
        golds = [list(dict.fromkeys(_keys(documents, self.field))) for documents in ground_truth_documents]
        found = [_keys(documents, self.field) for documents in retrieved_documents]
        return _result("retrieval_ranking", self.measure, found, golds, self.options)
