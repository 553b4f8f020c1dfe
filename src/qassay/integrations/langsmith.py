"""langsmith: an evaluator of runs and, with intervals, of the whole experiment. Tried on langsmith 0.15.0."""

from collections.abc import Mapping, Sequence
from typing import Any

from langsmith.evaluation import EvaluationResult, EvaluationResults, RunEvaluator
from langsmith.schemas import Example, Run

from .. import score, scorer
from .fields import field_of, values_of


class QassayEvaluator(RunEvaluator):
    """For `evaluators`, the measures of each run; its method `summary` is for `summary_evaluators`.

    `gold` is a field of the reference outputs, `prediction` of the outputs; `columns`: {"questions": a field of the inputs}.
    """

    def __init__(
        self, metric: str, *, gold: str = "answers", prediction: str = "answer", columns: Any = None, **options
    ):
        self.fields, self.options, self.scorer = (prediction, gold, columns), options, scorer(metric, **options)

    @property
    def feedback_keys(self) -> list[str]:
        """The measures, which all get the comment where a run cannot be scored."""
        return [*self.scorer.names]

    def evaluate_run(self, run: Run, example: Example | None = None, evaluator_run_id: Any = None) -> EvaluationResults:
        """The measures of a run."""
        *row, more = _row(run, example, *self.fields)
        return self._results(self.scorer(*row, **more))

    def summary(self, runs: Sequence[Run], examples: Sequence[Example]) -> EvaluationResults:
        """All measures of the runs with the ends of their intervals; repetitions of an example are drawn together."""
        if not runs:
            raise ValueError("the experiment has no runs, so there is nothing to score")
        given, golds, more = zip(*(_row(*pair, *self.fields) for pair in zip(runs, examples, strict=True)))
        columns = {"groups": [str(example.id) for example in examples]} | {k: [row[k] for row in more] for k in more[0]}
        return self._results(score(self.scorer.metric, given, golds, **columns, **self.options).result(confidence=0.95))

    def _results(self, values: Mapping[str, float | None]) -> EvaluationResults:
        known = {key: value for key, value in values.items() if value is not None}
        return EvaluationResults(results=[EvaluationResult(key=key, score=value) for key, value in known.items()])


def _row(run: Run, example: Any, prediction: str, gold: str, columns: Any) -> tuple[Any, Any, dict[str, Any]]:
    answer = field_of(run.outputs or {}, prediction, "a run", "prediction")
    golds = field_of((example and example.outputs) or {}, gold, "an example", "gold")
    return answer, golds, values_of(example.inputs or {}, columns, "the inputs")
