"""langsmith: an evaluator of runs and, with intervals, of the whole experiment. Tried on langsmith 0.15.0."""

from collections.abc import Sequence
from typing import Any

from langsmith.evaluation import EvaluationResult, EvaluationResults, RunEvaluator
from langsmith.schemas import Example, Run

from .. import score, scorer
from .fields import field_of, values_of


class QassayEvaluator(RunEvaluator):
    """For `evaluators`, the measures of each run; its method `summary` is for `summary_evaluators`.

    Args:
        metric, options: as in `qassay.score`.
        answer: a field of the outputs. gold: a field of the reference outputs.
        columns: further columns of the metric -> fields of the inputs, such as {"questions": "question"}.
    """

    def __init__(self, metric: str, answer: str = "answer", gold: str = "answers", columns: Any = None, **options: Any):
        self.fields, self.options, self.scorer = (answer, gold, columns), options, scorer(metric, **options)

    @property
    def feedback_keys(self) -> list[str]:
        """The measures, which all get the comment where a run cannot be scored."""
        return [*self.scorer.names]

    def evaluate_run(self, run: Run, example: Example | None = None, evaluator_run_id: Any = None) -> EvaluationResults:
        """The measures of a run."""
        prediction, gold, more = _row(run, example, *self.fields)
        return _results(self.scorer(prediction, gold, **more))

    def summary(self, runs: Sequence[Run], examples: Sequence[Example]) -> EvaluationResults:
        """All measures of the runs with the ends of their intervals; repetitions of an example are drawn together."""
        predictions, golds, more = zip(*(_row(*pair, *self.fields) for pair in zip(runs, examples)))
        columns = {"groups": [str(example.id) for example in examples]} | {k: [row[k] for row in more] for k in more[0]}
        return _results(score(self.scorer.metric, predictions, golds, **columns, **self.options).result(level=0.95))


def _row(run: Run, example: Any, answer: str, gold: str, columns: Any) -> tuple[Any, Any, dict[str, Any]]:
    prediction = field_of(run.outputs or {}, answer, "a run", "answer")
    references = field_of((example and example.outputs) or {}, gold, "an example", "gold")
    return prediction, references, values_of(example.inputs or {}, columns, "the inputs")


def _results(values: dict[str, float]) -> EvaluationResults:
    return EvaluationResults(results=[EvaluationResult(key=name, score=value) for name, value in values.items()])
