"""Measures of sums: which measures are functions of sums, and the same measures where each row is a bucket."""

import dataclasses
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from ..core.intervals import are_at_bounds
from ..core.measures import Rows, SumMeasure, Tally, TermMeasure
from ..core.score_parts import named_measures
from ..core.scores import Scores

_FIRST = 256  # values that are looked at before all are


def summed_measures(scores: Scores, names: Iterable[str] | str | None = None) -> dict[str, SumMeasure]:
    """All measures, or the measures of these names; a ValueError if one is not a function of sums."""
    measures = scores.measures
    chosen = list(measures) if names is None else named_measures(names, measures, scores.options)
    for name in chosen:
        is_summed = isinstance(measures[name], SumMeasure)
        if not is_summed:
            rest = [other for other in chosen if isinstance(measures.get(other), SumMeasure)]
            advice = f", or omit it: names={rest[:3]} and so on" if rest else ""
            raise ValueError(
                f"{name} sorts the examples and is not a function of sums, so keep='sums' cannot give it; "
                f"use keep='scores'{advice}"
            )
    return {name: cast(SumMeasure, measures[name]) for name in chosen}


def is_share(measure: TermMeasure, terms: Sequence[np.ndarray]) -> bool:
    """Whether the value of every example is at a bound; for most measures a few examples show that it is not."""
    return all(are_at_bounds(measure, measure.value_of(part)) for part in ([t[:_FIRST] for t in terms], terms))


@dataclasses.dataclass(frozen=True)
class OfBuckets(TermMeasure):
    """A measure of sums where each row holds the sums of a bucket, in `columns`.

    `counts` is the column of `sizes`, `weights` the column of the weights of these examples.
    """

    measure: SumMeasure
    columns: tuple[str, ...]
    counts: str
    weights: str

    of_buckets = True
    reads = property(lambda self: (*self.columns, self.weights))
    has_interval = property(lambda self: self.measure.has_interval)
    is_rate = property(lambda self: self.measure.is_rate)
    lower_is_better = property(lambda self: self.measure.lower_is_better)
    bounds = property(lambda self: self.measure.bounds)

    @property
    def sums_key(self) -> Hashable:
        return OfBuckets, self.columns

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [rows.columns[name] for name in self.columns]

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> Any:
        if len(replicate_counts) > 1:
            return super().sums(rows, replicate_counts)
        return np.array([replicate_counts @ term for term in self.terms(rows)])  # no copy of thousands of terms

    def sizes(self, rows: Rows) -> np.ndarray:
        return np.asarray(rows.columns[self.counts]).astype(np.int64)

    def count(self, rows: Rows) -> int:
        return int(self.sizes(rows).sum())

    def weights_of(self, rows: Rows) -> np.ndarray:
        return np.asarray(rows.columns[self.weights])

    def finish(self, sums: Any) -> Any:
        return self.measure.finish(sums)

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        return self.measure.edge_variance_of(self.sums(rows, counts[None]))

    def value_once(self, rows: Rows) -> float | int:
        return number_of(self.measure, np.array([self.total(term) for term in self.terms(rows)]))

    def is_empty(self, rows: Rows) -> bool:
        return not isinstance(self.measure, Tally) and not self.weights_of(rows).any()

    def by_example(self, rows: Rows) -> None:
        """Nothing: a bucket holds several examples."""


def number_of(measure: SumMeasure, sums: np.ndarray) -> float | int:
    """The value of sums (number of sums,) as a summary shows it."""
    value = float(np.ravel(measure.value_of(sums[:, None]))[0])
    value = 0.0 if math.isnan(value) else value
    return int(value) if not measure.is_rate and value.is_integer() else value
