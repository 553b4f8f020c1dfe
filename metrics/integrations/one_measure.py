"""One measure of one example, and in words what is wrong with it, for harnesses that take a number and a text."""

from collections.abc import Mapping
from typing import Any

from .. import score, scorer
from ..core.shown import shown
from ..registry import family_of, get_family
from .fields import check_measures

_MOST_SHOWN = 10  # gold answers


class OneMeasure:
    """A measure of a metric as a function of one example.

    Args:
        metric, options: as in `qassay.scorer`.
        measure: one of the names of that scorer.

    Raises:
        ValueError: no such measure.

    Example:
        >>> f1 = OneMeasure("answer_match", "f1", {})
        >>> round(f1("in Rome", ["Rome", "Roma"]), 3)
        0.667
        >>> f1.feedback("in Rome", ["Rome", "Roma"])
        "too long: It has all words of a gold answer, and more. Gold answers: 'Rome', 'Roma'. Given: 'in Rome'."
    """

    def __init__(self, metric: str, measure: str, options: Mapping[str, Any]):
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
            raise ValueError(f"{self.measure} does not apply to the example with the gold answers {shown(gold)}")
        return found[self.measure]

    def feedback(self, prediction: Any, gold: Any, **columns: Any) -> str:
        """The kind of error of an example with what it means, the gold answers and the prediction."""
        rows = {name: [value] for name, value in columns.items()}
        scores = score(self.metric, [prediction], [gold], **rows, **self.options)
        errors = family_of(scores).telling.errors
        parts = [f"{kind}: {errors.meanings[kind]}" for kind in errors.of(scores) or ()]
        try:
            (golds,) = get_family(self.metric).reading.gold_answers([gold])
        except NotImplementedError:  # they are no texts
            golds = [gold]
        more = f" and {len(golds) - _MOST_SHOWN} more" if len(golds) > _MOST_SHOWN else ""
        parts.append(f"Gold answers: {', '.join(map(shown, golds[:_MOST_SHOWN])) or 'none'}{more}.")
        return " ".join([*parts, f"Given: {shown(prediction)}."])
