"""lighteval: metrics of generated answers, for a task. Tried on lighteval 0.13.0, whose interface differs from earlier ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from ..registry import MetricName
from .one_measure import OneMeasure


class _Computation(SampleLevelComputation):
    def __init__(self, of: Sequence[OneMeasure]):
        self.of = of

    def compute(self, doc: Doc, model_response: ModelResponse, **kwargs: Any) -> dict[str, float]:
        """The measures of the answer to a document."""
        texts = model_response.final_text
        is_ranked = getattr(self.of[0].scorer.options, "top_k", None) is not None
        if len(texts) != 1 and not is_ranked:
            raise ValueError(
                f"{doc.id or doc.query!r} has {len(texts)} answers; take 1 sample, or give the option top_k"
            )
        answer = texts if is_ranked else texts[0]
        return {one.measure: one(answer, doc.get_golds()) for one in self.of}


def metric_of(metric: MetricName, measures: Sequence[str], **options: Any) -> SampleLevelMetricGrouping:
    """A group of metrics for `LightevalTaskConfig(metrics=[...])`, one for each measure, with the mean over all documents.

    Args:
        metric, measures, options: as in `qassay.scorer`, and some of its measures. Gold answers are the choices of a
            document at its `gold_index`.

    Raises:
        ValueError: unknown measure; and later, a document with several answers, without the option top_k.
    """
    of = [OneMeasure(metric, name, options) for name in measures]
    return SampleLevelMetricGrouping(
        metric_name=[one.measure for one in of],
        higher_is_better={one.measure: not one.lower_is_better for one in of},
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Computation(of),
        corpus_level_fn={one.measure: np.mean for one in of},
    )
