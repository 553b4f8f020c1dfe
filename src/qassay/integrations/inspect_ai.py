"""inspect_ai: scorers of texts with intervals, also registered as `qassay/answer_match`. Tested with inspect_ai 0.3.285."""

import math
from collections.abc import Callable
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from ..files.score_tables import scores_of
from ..registry import MetricName
from ..scoring import scorer as qassay_scorer


@metric
def interval(confidence: float = 0.95, cluster: str | None = None) -> Metric:
    """The limits of the interval of the mean of a measure; samples with the same metadata `cluster` are resampled together."""

    def ends(scores: list[SampleScore]) -> dict[str, float]:
        groups = None if cluster is None else [(score.sample_metadata or {}).get(cluster) for score in scores]
        values = {"mean": [score.score.as_float() for score in scores]}
        found = scores_of(values, groups=groups, missing="skip").interval(confidence=confidence)["mean"]._asdict()
        return {
            name: math.nan if value is None else value for name, value in found.items()
        }  # inspect_ai takes numbers only

    return ends


def _scorer_of(name: MetricName, **columns: str) -> Callable[..., Scorer]:
    @scorer(metrics={"*": [mean(), stderr(), interval()]}, name=name)
    def of_options(**options: Any) -> Scorer:
        """A scorer of the output against the targets; options are those of the metric."""
        one = qassay_scorer(name, **options)

        async def score(state: TaskState, target: Target) -> Score:
            if not any(target):
                raise ValueError(f"sample {state.sample_id} has no target: give its gold answers, or omit the sample")
            answer = state.output.completion
            found = one(answer, target.target, **{name: getattr(state, field) for name, field in columns.items()})
            value = {name: found.get(name, math.nan) for name in one.names}
            return Score(value=value, answer=answer, reason=None if answer else "no_response")

        return score

    return of_options


answer_match = _scorer_of("answer_match")
answer_equivalence = _scorer_of("answer_equivalence", questions="input_text")
semantic_answer_similarity = _scorer_of("semantic_answer_similarity")
