"""deepeval: a metric of test cases without a language model as judge. Tried on deepeval 4.3.1."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from .fields import field_of
from .one_measure import OneMeasure


class QassayMetric(BaseMetric):
    """A measure of a metric, for one test case; `score`, `reason` and `success` are those of the last one.

    Args:
        metric, options: as in `qassay.scorer`. measure_name: one of its measures.
        threshold: a test case succeeds from this value on, or up to it where lower values are better.
        gold: the field of a test case with its gold answer or answers; "metadata.golds" is a key of its metadata.
        prediction: the field with the prediction; "retrieval_context", with gold="context", is a ranking.
        columns: further columns of the metric -> fields, such as {"questions": "input"}.

    Raises:
        ValueError: no such measure; and when it measures, a field that is missing or None.
    """

    def __init__(
        self,
        metric: str,
        measure_name: str,
        threshold: float = 0.5,
        options: Mapping[str, Any] | None = None,
        gold: str = "expected_output",
        prediction: str = "actual_output",
        columns: Mapping[str, str] | None = None,
    ):  # deepeval copies a metric by these names
        self.metric, self.measure_name, self.threshold, self.options = metric, measure_name, threshold, options
        self.gold, self.prediction, self.columns = gold, prediction, columns
        self._one = OneMeasure(metric, measure_name, options or {})

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """The measure of a test case."""
        fields = {"gold": self.gold, "prediction": self.prediction, **(self.columns or {})}
        found = {name: _value(test_case, path, name) for name, path in fields.items()}
        self.score, self.reason = self._one.told(found.pop("prediction"), found.pop("gold"), **found)
        self.is_successful()
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """The measure of a test case."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last test case reaches the threshold."""
        found = self.error is None and self.score is not None
        self.success = found and (
            self.score <= self.threshold if self._one.lower_is_better else self.score >= self.threshold
        )
        return self.success

    @property
    def __name__(self) -> str:
        return f"{self.metric} {self.measure_name}"


def _value(test_case: LLMTestCase, path: str, option: str) -> Any:
    value = reduce(
        lambda row, name: field_of(row or {}, name, "the test case", option), path.split("."), vars(test_case)
    )
    if value is None:
        raise ValueError(f"the test case has no {path}; give it, or name another field by {option}=...")
    return value
