"""ragas: a numeric metric of one row. Tried on ragas 0.4.3, which needs langchain-community below 0.4.2."""

from typing import Any

from .one_measure import OneMeasure


def metric_of(metric: str, measure: str, *, question: str | None = None, **options: Any) -> Any:
    """A numeric metric of ragas: `.score(response=..., reference=...)`, also `ascore` and `batch_score`.

    Args:
        metric, measure, options: as in `qassay.scorer`, and one of its measures, from 0 to 1.
        question: the column of the metric that gets `user_input`, such as "questions"; None: no column.

    Returns:
        The metric; `response` is a prediction and `reference` a gold answer or a list of them. Its result has `value`, and as
        `reason` the kind of error in words and the gold answers. Where a row cannot be scored, ragas makes the value None and
        the reason what is wrong.

    Raises:
        ValueError: no such measure.
    """
    from ragas.metrics import MetricResult, numeric_metric

    one = OneMeasure(metric, measure, options)

    @numeric_metric(name=f"{metric}_{measure}", allowed_values=(0.0, 1.0))
    def scored(response: Any, reference: Any, user_input: Any = None) -> Any:
        value, reason = one.told(response, reference, **({question: user_input} if question else {}))
        return MetricResult(value=value, reason=reason)

    return scored
