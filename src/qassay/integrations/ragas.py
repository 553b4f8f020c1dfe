"""ragas: a numeric metric of one row. Tried on ragas 0.4.3, which needs langchain-community below 0.4.2."""

from collections.abc import Mapping
from typing import Any

from ..registry import MetricName
from .fields import values_of
from .one_measure import OneMeasure


def metric_of(metric: MetricName, measure: str, *, columns: Mapping[str, str] | None = None, **options: Any) -> Any:
    """A numeric metric of ragas: `.score(response=..., reference=...)`, also `ascore` and `batch_score`.

    Args:
        metric, measure, options: as in `qassay.scorer`, and one of its measures, from 0 to 1.
        columns: further columns of the metric -> fields of a row: {"questions": "user_input"}, the only field that ragas hands over.

    Returns:
        The metric; `response` is a prediction and `reference` a gold answer or a list of them. Its result has `value`, and as
        `reason` the kind of error in words and the gold answers. If a row cannot be scored, ragas sets the value to
        None and the reason to the error.

    Raises:
        ValueError: unknown measure, or another field than `user_input`.
    """
    from ragas.metrics import MetricResult, numeric_metric

    one = OneMeasure(metric, measure, options)
    values_of({"user_input": None}, columns, "the row")  # early: ragas does not raise an error of a row

    @numeric_metric(name=f"{metric}_{measure}", allowed_values=(0.0, 1.0))
    def scored(response: Any, reference: Any, user_input: Any = None) -> Any:
        value, reason = one.told(response, reference, **values_of({"user_input": user_input}, columns, "the row"))
        return MetricResult(value=value, reason=reason)

    return scored
