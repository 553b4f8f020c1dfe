"""MLflow: scorers for `mlflow.genai.evaluate`; `trackers.log` logs Scores to a run. Tried on mlflow-skinny 3.17.2."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import scorer
from ..core.safe_names import safe_name
from ..registry import MetricName
from .fields import check_measures, field_of, values_of


def scorer_of(
    metric: MetricName,
    measures: Sequence[str] | None = None,
    *,
    gold: str = "expected_response",
    prediction: str | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
    **options: Any,
) -> Any:
    """A scorer of MLflow that gives each measure of a row as a Feedback, by its safe name: `f1_at_3` for `f1@3`.

    Args:
        metric, options: as in `qassay.scorer`.
        measures: some of its measures; None for all.
        gold: the field of the expectations with the gold answer or answers.
        prediction: the field of the outputs with the prediction; None: the outputs are the prediction.
        columns: further columns of the metric -> fields of the inputs.
        name: of the scorer, with which the names of its feedbacks begin, such as french_f1; None: they do not.

    Raises:
        ValueError: unknown measure; and later, by the scorer, a field that is missing.
    """
    from mlflow.entities import Feedback
    from mlflow.genai.scorers import scorer as scorer_of_mlflow

    one = scorer(metric, **options)
    check_measures(measures or (), one.names, metric)

    @scorer_of_mlflow(name=safe_name(name or "_".join([metric, *(measures or ())])))
    def scored(inputs: Any = None, outputs: Any = None, expectations: Any = None) -> list[Any]:
        given = outputs if prediction is None else field_of(outputs, prediction, "the outputs", "prediction")
        right = field_of(expectations or {}, gold, "the expectations", "gold")
        further = values_of(inputs or {}, columns, "the inputs")
        found = one(given, right, **further)
        own = {of: found[of] for of in measures or found if of in found}
        return [Feedback(name=safe_name(f"{name}_{of}" if name else of), value=value) for of, value in own.items()]

    return scored
