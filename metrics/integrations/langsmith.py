"""langsmith: an evaluator of runs, and one of whole experiments with intervals. Tried on langsmith 0.15.0."""

from collections.abc import Callable, Sequence
from typing import Any

from langsmith.evaluation import EvaluationResult, EvaluationResults, RunEvaluator
from langsmith.schemas import Example, Run

from .. import score, scorer
from .fields import field_of


def _pair(run: Run, example: Example | None, answer: str, gold: str) -> tuple[Any, Any]:
    references = (example.outputs if example else None) or {}
    return field_of(run.outputs or {}, answer, "a run", "answer"), field_of(references, gold, "an example", "gold")


def _results(values: dict[str, float]) -> EvaluationResults:
    return EvaluationResults(results=[EvaluationResult(key=name, score=value) for name, value in values.items()])


class QassayEvaluator(RunEvaluator):
    """For `evaluators`: the measures of a metric, of the field `answer` of outputs against `gold` of reference outputs."""

    def __init__(self, metric: str = "answer_match", answer: str = "answer", gold: str = "answers", **options: Any):
        self.fields, self.scorer = (answer, gold), scorer(metric, **options)

    @property
    def feedback_keys(self) -> list[str]:
        """The measures, which all get the comment where an example cannot be scored."""
        return [*self.scorer.names]

    def evaluate_run(self, run: Run, example: Example | None = None, evaluator_run_id: Any = None) -> EvaluationResults:
        """The measures of a run."""
        return _results(self.scorer(*_pair(run, example, *self.fields)))


def summary_of(metric: str = "answer_match", answer: str = "answer", gold: str = "answers", **options: Any) -> Callable:
    """For `summary_evaluators`: the metric over all runs with the ends of its intervals; repetitions are one group."""

    def summary(runs: Sequence[Run], examples: Sequence[Example]) -> EvaluationResults:
        pairs = [_pair(run, example, answer, gold) for run, example in zip(runs, examples, strict=True)]
        groups = [str(example.id) for example in examples]
        scores = score(metric, *zip(*pairs, strict=True), groups=groups, **options)
        return _results(scores.result(level=0.95))

    return summary
