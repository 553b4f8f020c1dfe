"""haystack-ai: components that evaluate answers and retrieved documents. Tested with haystack-ai 3.4.0."""

from typing import Any

from haystack import Document, component

from ..core.scorer import check_measures
from ..registry import MetricName
from ..scoring import score, scorer
from .fields import field_of


def _result(evaluator: Any, predictions: list[Any], golds: list[Any], **columns: Any) -> dict[str, Any]:
    scores = score(evaluator.metric, predictions, golds, **columns, **evaluator.options)
    each = scores.per_example()[evaluator.measure].tolist()
    summary = {name: value for name, value in scores.result(confidence=0.95).items() if value is not None}
    return {"score": scores[evaluator.measure], "individual_scores": each, "summary": summary}


def _keys(docs: list[Document], field: str) -> list[Any]:
    return [field_of({**doc.meta, "id": doc.id, "content": doc.content}, field, "a document", "field") for doc in docs]


@component
class QassayAnswerEvaluator:
    """Answers, texts or Haystack's answers, against one gold answer or a list of gold answers per question."""

    def __init__(self, metric: MetricName = "answer_match", measure: str = "f1", options: dict[str, Any] | None = None):
        self.metric, self.measure, self.options = metric, measure, options or {}
        check_measures([measure], scorer(metric, **self.options).names, metric)

    @component.output_types(score=float, individual_scores=list[float], summary=dict[str, float])
    def run(self, ground_truth_answers: list[Any], predicted_answers: list[Any], further: dict | None = None) -> Any:
        """The mean, the value of each question, and all measures with intervals; `further`: columns of the metric."""
        golds = [[gold] if isinstance(gold, str) else gold for gold in ground_truth_answers]
        return _result(self, [getattr(answer, "data", answer) for answer in predicted_answers], golds, **further or {})


@component
class QassayDocumentEvaluator:
    """Documents by rank against the relevant ones; `field` identifies them: "id", "content" or a key of their meta."""

    def __init__(self, measure: str = "ndcg@10", field: str = "id", options: dict[str, Any] | None = None):
        self.metric: MetricName = "retrieval_ranking"
        self.field, self.measure = field, measure
        self.options = {"measures": [measure], **(options or {})}
        check_measures([measure], scorer(self.metric, **self.options).names, self.metric)

    @component.output_types(score=float, individual_scores=list[float], summary=dict[str, float])
    def run(self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]) -> Any:
        """The mean, the value of each question, and all measures with intervals; a relevant document counts once."""
        golds = [list(dict.fromkeys(_keys(docs, self.field))) for docs in ground_truth_documents]
        return _result(self, [_keys(docs, self.field) for docs in retrieved_documents], golds)
