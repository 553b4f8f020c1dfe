"""The measures of BioASQ that are not plain means: sums in order, F1 of yes/no answers, and a shifted geometric mean."""

import dataclasses
from typing import Any

import numpy as np

from ..core.measures import GeometricMean, Mean, Rows, TermMeasure

_GMAP_EPSILON = 0.00001


@dataclasses.dataclass(frozen=True)
class MeanInOrder(Mean):
    """A mean that adds value by value in the order of questions, as in the official program.

    Python's `sum` does not do this: since 3.12 it compensates for rounding.
    """

    def total(self, term: np.ndarray) -> float:
        return float(np.cumsum(term)[-1:].sum())  # no rows: 0


@dataclasses.dataclass(frozen=True)
class LabelF1(TermMeasure):
    """F1 of one answer to yes/no questions, 2 TP / (2 TP + wrong answers to either label); with None the mean of both.

    An answer that is neither yes nor no is wrong, as if it were the other one. A label that does not occur has an F1 of
    0, and so the mean of both is at most 0.5 then; all as in the official program of BioASQ.
    """

    label: str | None = None
    scale: float = 1.0
    reads = ("yesno_correct", "gold_yes")

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, self.scale)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        applies = self.applies(rows)
        weights = np.where(applies, rows.weights, 0.0)
        correct, yes = (np.where(applies, rows.columns[name], 0.0) for name in self.reads)
        return [weights * correct * yes, weights * correct * (1 - yes), weights * (1 - correct)]

    def finish(self, sums: Any) -> Any:
        yes, no, wrong = (np.asarray(part, np.float64) for part in sums)
        values = [np.where(right + wrong > 0, 2 * right / (2 * right + wrong), 0.0) for right in (yes, no)]
        value = {"yes": values[0], "no": values[1], None: (values[0] + values[1]) / 2}[self.label]
        return np.where(yes + no + wrong > 0, self.scale * value, np.nan)


@dataclasses.dataclass(frozen=True)
class ShiftedGeometricMean(MeanInOrder, GeometricMean):
    """exp(mean of ln(value + shift)) of a column, BioASQ's GMAP."""

    shift: float = _GMAP_EPSILON

    @property
    def bounds(self) -> tuple[float, float]:
        return (self.scale * self.shift, self.scale * (1.0 + self.shift))

    def terms(self, rows: Rows) -> list[np.ndarray]:
        logs = np.log(rows.columns[self.column] + self.shift)
        return [rows.weights * logs, rows.weights]
