"""Measures: the numbers of a table of examples, as functions of how often each example counts.

Once each gives the value, resampled counts give the bootstrap, zeros and ones a slice. A measure that is built on sums
is also merged by adding the sums; one that sorts (a sweep over thresholds) takes the same counts.
"""

import abc
import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Rows:
    """What measures read: columns (n,) with NaN where they do not apply, boolean subsets (n,), example weights (n,)."""

    columns: Mapping[str, np.ndarray]
    subsets: Mapping[str, np.ndarray]
    weights: np.ndarray

    @property
    def arrays(self) -> list[np.ndarray]:
        """All of them, each (n,)."""
        return [*self.columns.values(), *self.subsets.values(), self.weights]

    def take(self, rows: np.ndarray) -> "Rows":
        """These rows, in this order."""
        return Rows(
            {name: column[rows] for name, column in self.columns.items()},
            {name: mask[rows] for name, mask in self.subsets.items()},
            self.weights[rows],
        )

    def weights_in(self, subset: str | None) -> np.ndarray:
        """The weights, 0 outside a subset."""
        return self.weights if subset is None else self.weights * self.subsets[subset]


class Measure(abc.ABC):
    """One number of a table of examples."""

    has_interval = True
    subset: str | None = None

    @property
    @abc.abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""

    @abc.abstractmethod
    def value(self, rows: Rows, times: np.ndarray) -> np.ndarray:
        """The value when example i counts `times[b, i]` times, (b,); NaN where no example applies."""

    def value_once(self, rows: Rows) -> float | int:
        """The value when every example counts once; 0.0 where no example applies."""
        value = float(self.value(rows, np.ones((1, len(rows.weights))))[0])
        return 0.0 if math.isnan(value) else value

    def count(self, rows: Rows) -> int:
        """How many examples the value rests on."""
        applies = np.logical_and.reduce([~np.isnan(rows.columns[name]) for name in self.reads])
        return int(np.count_nonzero(applies if self.subset is None else applies & rows.subsets[self.subset]))


class SumMeasure(Measure):
    """A measure that is a function of sums over examples, so that it can be merged from parts."""

    @abc.abstractmethod
    def terms(self, rows: Rows) -> list[np.ndarray]:
        """What is summed, each (n,), example weights included."""

    @abc.abstractmethod
    def finish(self, sums: Sequence) -> Any:
        """The value of the sums of the terms; takes floats or arrays."""

    def value(self, rows: Rows, times: np.ndarray) -> np.ndarray:
        return self.finish((times @ np.column_stack(self.terms(rows))).T)

    def value_once(self, rows: Rows) -> float | int:
        value = float(self.finish([np.float64(self.total(term)) for term in self.terms(rows)]))
        return 0.0 if math.isnan(value) else value

    def total(self, term: np.ndarray) -> float:
        """The sum of a term when every example counts once."""
        return exact_sum(term)


@dataclasses.dataclass(frozen=True)
class Mean(SumMeasure):
    """The (weighted) mean of a column over the examples it applies to, times `scale` (1, or 100 for per cent).

    `as_script` adds up in the order of the rows with Python's own `sum`, as evaluation scripts do, and so has their
    last bit too (which differs before and after Python 3.12); without it the sum is the exact one, rounded once, in any
    order.
    """

    column: str
    subset: str | None = None
    scale: float = 1.0
    as_script: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        column, weights = rows.columns[self.column], rows.weights_in(self.subset)
        absent = np.isnan(column)
        if absent.any():
            column, weights = np.where(absent, 0.0, column), np.where(absent, 0.0, weights)
        return [weights * column, weights]

    def finish(self, sums: Sequence) -> Any:
        with np.errstate(invalid="ignore"):
            return self.scale * sums[0] / sums[1]

    def total(self, term: np.ndarray) -> float:
        whole = not self.as_script or (term == np.trunc(term)).all()  # whole numbers add up to the same in any order
        return exact_sum(term) if whole else float(sum(term.tolist()))


@dataclasses.dataclass(frozen=True)
class Count(SumMeasure):
    """The number of examples (unweighted), in all or in a subset."""

    subset: str | None = None
    has_interval = False
    reads = ()

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [np.ones(len(rows.weights)) if self.subset is None else rows.subsets[self.subset].astype(np.float64)]

    def finish(self, sums: Sequence) -> Any:
        return sums[0]

    def value_once(self, rows: Rows) -> int:
        return int(super().value_once(rows))

    def count(self, rows: Rows) -> int:
        return self.value_once(rows)


@dataclasses.dataclass(frozen=True)
class BestThreshold(Measure):
    """The best mean of a score when answers whose `no_answer_probability` is above a threshold are withheld.

    `answered` is the column of scores of given answers, `withheld` that of an answer held back (1 on unanswerable
    examples). Only thresholds between different probabilities are tried, so that the order of rows with tied
    probabilities changes nothing; `threshold=True` gives the largest probability still answered instead of the score
    (-inf: withhold all). `as_script` leaves the rounding of the running sum in the score, as the official SQuAD 2.0
    script does; without it the score of the best threshold is summed exactly and is never below the score without a
    threshold.
    """

    answered: str
    withheld: str
    probability: str
    threshold: bool = False
    scale: float = 1.0
    as_script: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.answered, self.withheld, self.probability)

    @property
    def has_interval(self) -> bool:  # quantiles of thresholds that may be -inf mean nothing
        return not self.threshold

    def value(self, rows: Rows, times: np.ndarray) -> np.ndarray:
        weights = times * rows.weights
        order, cuts, running = self._sweep(rows, weights)
        best = np.argmax(running, axis=1)
        if self.threshold:
            return self._thresholds(rows, order)[cuts[best]]
        with np.errstate(invalid="ignore"):
            return self.scale * np.take_along_axis(running, best[:, None], axis=1)[:, 0] / weights.sum(axis=1)

    def value_once(self, rows: Rows) -> float:
        if self.as_script or not len(rows.weights):
            return super().value_once(rows)
        answered, withheld, _ = (rows.columns[name] * rows.weights for name in self.reads)
        order, cuts, running = self._sweep(rows, rows.weights[None])

        def exact(cut: int) -> float:
            return exact_sum(np.concatenate((answered[order[:cut]], withheld[order[cut:]])))

        # The running sum is off in its last bits: where that hides that answering all is as good, answer all.
        total, cut = max((exact(cut), cut) for cut in (int(cuts[np.argmax(running[0])]), len(order)))
        return (
            float(self._thresholds(rows, order)[cut])
            if self.threshold
            else self.scale * total / exact_sum(rows.weights)
        )

    def _sweep(self, rows: Rows, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows by growing doubt, how many are answered at each threshold, and the sums of scores there (b, cuts)."""
        answered, withheld, probability = (rows.columns[name] for name in self.reads)
        gain = answered - withheld
        order = np.lexsort((gain, probability))  # the gain too: rounding must not depend on the order of tied rows
        ordered = probability[order]
        cuts = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(order)]))
        start = (weights * withheld).sum(axis=1)  # not @: the threads of a BLAS cost more than this sum
        running = np.cumsum(np.column_stack((start, weights[:, order] * gain[order])), axis=1)
        return order, cuts, running[:, cuts]

    def _thresholds(self, rows: Rows, order: np.ndarray) -> np.ndarray:
        """The largest probability answered when so many rows are, -inf for none."""
        return np.concatenate(([-math.inf], rows.columns[self.probability][order]))


def exact_sum(values: np.ndarray) -> float:
    """The correctly rounded sum, whatever the order of the values: what `math.fsum` gives, in numpy.

    Example:
        >>> exact_sum(np.array([0.1] * 10)), float(np.cumsum([0.1] * 10)[-1])
        (1.0, 0.9999999999999999)
    """
    peak = float(abs(values).max(initial=0.0))
    if not 1e-200 < peak < 1e200:
        return math.fsum(values.tolist())
    # Cut every value into slices of so few bits that a column of slices adds up without rounding.
    bits = 52 - len(values).bit_length()
    scale = 2.0 ** (bits - math.frexp(peak)[1])
    sums, rest = [], values
    for _ in range(6):
        head = np.trunc(rest * scale) / scale
        sums.append(float(head.sum()))
        rest = rest - head
        if not rest.any():
            return math.fsum(sums)
        scale *= 2.0**bits
    return math.fsum(values.tolist())
