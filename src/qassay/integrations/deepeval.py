"""deepeval: a metric of test cases without a language model as judge. Tried on deepeval 4.3.1."""

from collections.abc import Mapping
from typing import Any

from deepeval.metrics import BaseMetric

from ..registry import MetricName
from .fields import value_at
from .one_measure import OneMeasure


class QassayMetric(BaseMetric):
    """A measure of a metric of `qassay.scorer`; `score`, `reason` and `success` belong to the last test case.

    A test case succeeds from the threshold on, or up to it where lower is better. `gold`, `prediction` and the values of
    `columns` (further column -> field) name fields of a test case; "metadata.golds" is a key of its metadata.
    """

    __name__ = "QassayMetric"

    def __init__(
        self,
        metric: MetricName,
        measure_name: str,
        threshold: float = 0.5,
        options: Mapping[str, Any] | None = None,
        gold: str = "expected_output",
        prediction: str = "actual_output",
        columns: Mapping[str, str] | None = None,
    ):
        self.metric, self.measure_name, self.threshold, self.options = metric, measure_name, threshold, options
        self.gold, self.prediction, self.columns = gold, prediction, columns  # by these names deepeval copies a metric
        self._one, self.__name__ = OneMeasure(metric, measure_name, options or {}), f"{metric} {measure_name}"

    def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
        """The measure of a test case."""
        fields = {"prediction": self.prediction, "gold": self.gold, **(self.columns or {})}
        row = {name: value_at(vars(test_case), path, "the test case", name) for name, path in fields.items()}
        self.score, self.reason = self._one.told(**row)
        self.success = self.score <= self.threshold if self._one.lower_is_better else self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
        """The measure of a test case."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last test case succeeded."""
        return not self.error and bool(self.success)
