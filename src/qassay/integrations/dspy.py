"""dspy: a metric for `Evaluate` and optimizers, with feedback in words for GEPA. Tried on dspy 3.4.1."""

from collections.abc import Callable, Mapping
from typing import Any

from ..registry import MetricName
from .fields import field_of, values_of
from .one_measure import OneMeasure


def metric_of(
    metric: MetricName,
    measure: str,
    *,
    gold: str = "answer",
    prediction: str = "answer",
    columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Callable[..., Any]:
    """A metric of dspy.

    Args:
        metric, measure, options: as in `qassay.scorer`, and one of its measures.
        gold: the field of an example with its gold answer or answers.
        prediction: the field of the output of a program.
        columns: further columns of the metric -> fields of an example, such as {"questions": "question"}.

    Returns:
        The function (example, output, trace, pred_name, pred_trace) -> the measure, a float. If GEPA requests feedback
        for one predictor, by `pred_name`, it returns a `dspy.Prediction` with `score` and `feedback`: the kind of error
        in words, and the gold answers.

    Raises:
        ValueError: unknown measure; and later, by the function, a field that is missing.
    """
    one = OneMeasure(metric, measure, options)

    def scored(example: Any, output: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None) -> Any:
        row = (field_of(output, prediction, "the output", "prediction"), field_of(example, gold, "the example", "gold"))
        further = values_of(example, columns, "the example")
        if pred_name is None:
            return one(*row, **further)
        from dspy import Prediction

        value, feedback = one.told(*row, **further)
        return Prediction(score=value, feedback=feedback)

    scored.__name__ = f"{metric}_{measure}"
    return scored
