"""The best score over all thresholds of the no-answer probability."""

import dataclasses
import math
from typing import Any

import numpy as np

from .measures import Measure, Rows, exact_sum, plain_number


@dataclasses.dataclass(frozen=True)
class BestThreshold(Measure):
    """The best mean of a score when answers whose `no_answer_probability` is above a threshold are withheld.

    `answered` is the column of scores of given answers, `withheld` the column of answers held back (1 on unanswerable
    examples). Only thresholds between different probabilities are tried, so the order of rows with tied probabilities
    does not matter; `threshold=True` gives the largest probability still answered instead of the score
    (-inf: withhold all). The score of the best threshold is summed exactly and is never below the score without a
    threshold.
    """

    answered: str
    withheld: str
    probability: str
    threshold: bool = False
    scale: float = 1.0

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.answered, self.withheld, self.probability)

    @property
    def has_interval(self) -> bool:  # type: ignore[override]  # quantiles of thresholds that may be -inf mean nothing
        return not self.threshold

    @property
    def is_rate(self) -> bool:  # type: ignore[override]
        return not self.threshold

    @property
    def bounds(self) -> tuple[float, float] | None:
        return None if self.threshold else (0.0, self.scale)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> Any:
        return self._best(Sweep.of(self, rows, replicate_counts))

    def value_once(self, rows: Rows) -> float:
        sweep = rows.cache.get(self.reads) or Sweep.of(self, rows)
        rows.cache[self.reads] = sweep
        total = exact_sum(sweep.weights[0])
        if total == 0:
            return plain_number(self._best(sweep)[0])

        def exact(cut: int) -> float:
            answered = np.zeros(len(sweep.order), bool)
            answered[sweep.order[: sweep.cuts[cut]]] = True
            return exact_sum(np.where(answered, sweep.answered, sweep.withheld) * sweep.weights[0])

        # The running sum has rounding errors in its last bits: if answering all is as good, answer all.
        best, cut = max((exact(cut), cut) for cut in (int(np.argmax(sweep.sums[0])), len(sweep.cuts) - 1))
        return float(sweep.thresholds[cut]) if self.threshold else self.scale * best / total

    def _best(self, sweep: "Sweep") -> Any:
        best = np.argmax(sweep.sums, axis=1)
        total = sweep.weights.sum(axis=1)
        if self.threshold:
            return np.where(total > 0, sweep.thresholds[best], np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.scale * np.take_along_axis(sweep.sums, best[:, None], axis=1)[:, 0] / total


@dataclasses.dataclass(frozen=True)
class Sweep:
    """All thresholds between different probabilities, over the rows to which a `BestThreshold` applies.

    `order` (n,) are these rows by rising no-answer probability, `cuts` (c,) how many of them each threshold answers,
    `thresholds` (c,) the largest probability still answered, `sums` (b, c) the weighted sums of scores, `weights` (b, n).
    """

    answered: np.ndarray
    withheld: np.ndarray
    order: np.ndarray
    cuts: np.ndarray
    thresholds: np.ndarray
    sums: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, measure: BestThreshold, rows: Rows, replicate_counts: np.ndarray | None = None) -> "Sweep":
        answered, withheld, probability = (rows.columns[name] for name in measure.reads)
        weights = rows.weights[None] if replicate_counts is None else replicate_counts * rows.weights
        applies = measure.applies(rows)
        if not applies.all():
            answered, withheld, probability = answered[applies], withheld[applies], probability[applies]
            weights = weights[:, applies]
        gain = answered - withheld
        order = np.lexsort((gain, probability))  # also the gain: rounding must not depend on the order of tied rows
        ordered = probability[order]
        changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
        cuts = np.concatenate(([0], changes, np.full(min(len(order), 1), len(order))))
        thresholds = np.concatenate(([-math.inf], ordered[cuts[1:] - 1]))[: len(cuts)]
        del ordered  # a million rows are 8 MB a column
        gain = gain[order]
        running = np.empty((len(weights), len(order) + 1))
        running[:, 0] = (weights * withheld).sum(axis=1)  # not @: starting BLAS threads takes longer than this sum
        np.take(weights, order, axis=1, out=running[:, 1:], mode="clip")
        running[:, 1:] *= gain
        np.cumsum(running, axis=1, out=running)
        return cls(answered, withheld, order, cuts, thresholds, running[:, cuts], weights)
