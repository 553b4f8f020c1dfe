"""lm_eval, the Language Model Evaluation Harness: functions for `!function` in a task file. Tested with lm_eval 0.4.13."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.intervals import Interval
from ..core.scorer import check_measures
from ..files.score_tables import scores_of
from ..registry import MetricName
from ..scoring import scorer
from .fields import field_of


def results_of(
    metric: MetricName,
    measures: Sequence[str] = ("exact_match", "f1"),
    *,
    gold: str = "answers",
    columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Callable[[Mapping[str, Any], Sequence[Any]], dict[str, Any]]:
    """A function `process_results` for a Python file beside the task file.

    Args:
        metric, options: one that scores texts, and its options.
        measures: what lm_eval receives, with the aggregation `mean`; "f1_low" and "f1_high" are the limits of the
            interval of "f1", with the aggregations `low` and `high` of this module.
        gold: the field of a document with its gold answers; columns: further columns -> fields, such as {"questions": "q"}.
    """
    one = scorer(metric, **options)
    check_measures((name.removesuffix("_low").removesuffix("_high") for name in measures), one.names, metric)

    def process(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """The measures of the answer to a document."""
        more = {name: field_of(doc, field, "the document", "columns") for name, field in (columns or {}).items()}
        found = one(results[0], field_of(doc, gold, "the document", "gold"), **more)
        ends = {f"{name}_{end}": (value,) for name, value in found.items() for end in ("low", "high")}
        return {name: value for name, value in {**found, **ends}.items() if name in measures}  # a tuple has no mean

    return process


def low(values: Sequence[tuple[float]]) -> float:
    """The lower end of the 95% interval of the mean."""
    return _interval(values).low


def high(values: Sequence[tuple[float]]) -> float:
    """The upper end of the 95% interval of the mean."""
    return _interval(values).high


def _interval(values: Sequence[tuple[float]]) -> Interval:
    found: Interval = scores_of({"mean": [value for (value,) in values]}, missing="skip").interval()["mean"]
    return found


process_results = results_of("answer_match")
