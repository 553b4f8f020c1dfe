"""Metrics of `metric_list` in tasks of lm_eval whose target is one text. Tried on lm_eval 0.4.13."""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

from ..core.scorer import Scorer
from ..registry import MetricName
from ..scoring import scorer


@functools.lru_cache
def _scorer(metric: MetricName, options: str) -> Scorer:
    """The scorer of options as JSON, made once: lm_eval calls a metric for each document."""
    return scorer(metric, **json.loads(options))


class _Measures(dict[str, float]):
    # Of a list of targets lm_eval scores each alone, and reads the result by the name of the metric, which is not a
    # measure.
    def __missing__(self, metric: str) -> float:
        raise ValueError(
            f"{metric}: the target of a document is a list, whose items lm_eval scores apart, counting any value above 0 as 1; "
            "use process_results"
        )


def metric_of(name: MetricName) -> Callable[..., dict[str, float]]:
    """A metric of texts as lm_eval calls it; further keys of its entry in `metric_list` are options."""

    def metric(references: Sequence[str], predictions: Sequence[str], **options: Any) -> dict[str, float]:
        """The measures of one answer, each a metric of lm_eval with the aggregation of this one."""
        try:
            return _Measures(_scorer(name, json.dumps(options, sort_keys=True))(predictions[0], [references[0]]))
        except TypeError as error:  # which lm_eval would treat as another way to call this
            raise ValueError(f"{name}: {error}") from error

    metric.__name__ = name
    return metric


answer_match, answer_equivalence = metric_of("answer_match"), metric_of("answer_equivalence")


def register() -> None:
    """Register these metrics in lm_eval, by their names, for tasks that are made in Python."""
    import lm_eval.api.metrics  # noqa: F401  (it has the aggregation "mean")
    from lm_eval.api.registry import register_metric

    for metric in (answer_match, answer_equivalence):
        register_metric(metric=metric.__name__, higher_is_better=True, aggregation="mean")(metric)
