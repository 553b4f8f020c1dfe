"""One measure of one example, with its kind of error in words, for harnesses that take a number and a text."""

import functools
from collections.abc import Mapping
from typing import Any

from .. import score, scorer
from ..core.shown import shown
from ..registry import MetricName, get_family
from ..reports.example_words import words_of
from .fields import check_measures


class OneMeasure:
    """A measure of a metric as a function of one example.

    Args:
        metric, options: as in `qassay.scorer`.
        measure: one of the names of that scorer.

    Raises:
        ValueError: unknown measure.

    Example:
        >>> f1 = OneMeasure("answer_match", "f1", {})
        >>> round(f1("in Rome", ["Rome", "Roma"]), 3), f1.lower_is_better
        (0.667, False)
        >>> f1.told("in Rome", ["Rome", "Roma"])[1]
        "too long: It has all words of a gold answer, and more. Gold answers: 'Rome', 'Roma'. Given: 'in Rome'."
    """

    def __init__(self, metric: MetricName, measure: str, options: Mapping[str, Any]):
        self.metric, self.measure, self.options = metric, measure, dict(options)
        self.scorer = scorer(metric, **options)
        check_measures([measure], self.scorer.names, metric)

    def __call__(self, prediction: Any, gold: Any, **columns: Any) -> float:
        """The measure of an example: one row of each column of `qassay.score`.

        Raises:
            ValueError: the measure does not apply to the example; and what `qassay.score` refuses.
        """
        found: dict[str, float] = self.scorer(prediction, gold, **columns)
        if self.measure not in found:
            raise self._does_not_apply(gold)
        return found[self.measure]

    def told(self, prediction: Any, gold: Any, **columns: Any) -> tuple[float, str]:
        """The measure of an example, and its kind of error with what it means, the gold answers and the prediction.

        Raises:
            ValueError: as a call.
        """
        rows = {name: [value] for name, value in columns.items()}
        scores = score(self.metric, [prediction], [gold], **rows, **self.options)
        value = scores[self.measure] if self.measure in scores else None
        if value is None:
            raise self._does_not_apply(gold)
        return float(value), words_of(scores, prediction, gold)

    @functools.cached_property
    def lower_is_better(self) -> bool:
        """Whether a lower value of the measure is better, as of an error rate."""
        family = get_family(self.metric)
        found = (family.score(**columns, **options) for columns, options in family.smallest)
        return any(self.measure in scores and scores.measures[self.measure].lower_is_better for scores in found)

    def __repr__(self) -> str:
        return f"{self.measure} of {self.scorer.signature}"

    def _does_not_apply(self, gold: Any) -> ValueError:
        return ValueError(f"{self.measure} does not apply to the example with the gold answers {shown(gold)}")
