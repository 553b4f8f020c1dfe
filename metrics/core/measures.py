"""Measures: the numbers of a table of examples, as functions of how often each example counts.

Once each gives the value, resampled counts give the bootstrap, zeros and ones a slice. A measure that is built on sums
is also merged by adding the sums; one that sorts (a sweep over thresholds) takes the same counts.
"""

import abc
import dataclasses
import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .ragged import Ragged, take_rows

BUCKET_SIZES = "examples"
_VALUES_AT_ONCE = 1 << 16  # values added up at a time
_FEW_VALUES = 256  # which Python adds up in less time than numpy


@dataclasses.dataclass(frozen=True)
class Rows:
    """What measures read: columns (n,) with NaN where they do not apply, boolean subsets (n,), example weights (n,).

    A column may also be a `Ragged`, n lists of numbers. `cache` keeps what several measures share, such as a best score
    and its threshold.
    """

    columns: Mapping[str, Any]
    subsets: Mapping[str, np.ndarray]
    weights: np.ndarray
    cache: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def arrays(self) -> list[Any]:
        """All of them, each (n,)."""
        return [*self.columns.values(), *self.subsets.values(), self.weights]

    def take(self, rows: np.ndarray) -> "Rows":
        """These rows, in this order."""
        return Rows(
            {name: take_rows(column, rows) for name, column in self.columns.items()},
            {name: mask[rows] for name, mask in self.subsets.items()},
            self.weights[rows],
        )

    def weights_in(self, subset: str | None) -> np.ndarray:
        """The weights, 0 outside a subset."""
        return self.weights if subset is None else self.weights * self.subsets[subset]


class Measure(abc.ABC):
    """One number of a table of examples."""

    has_interval = True
    is_rate = True  # a share or a score, which has a scale; not a count or a threshold
    is_mean = False  # the mean of `by_example`, which tests of means ask for
    is_share = False  # by definition a share of right answers, where all examples have the same weight
    lower_is_better = False
    subset: str | None = None
    place: str | None = None  # a column of places that decides ties; joined Scores number it on
    omit_empty = False  # a summary omits it where its subset has no example
    of_buckets = False  # a row is a bucket of examples, as many as the column BUCKET_SIZES says

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest value that it can have (one may be infinite); None if there are none."""
        return (0.0, 1.0) if self.is_rate else None

    @property
    @abc.abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""

    @abc.abstractmethod
    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        """The value when example i counts `replicate_counts[b, i]` times, (b,); NaN where no example applies."""

    def values_of_sides(self, rows: Rows, first: np.ndarray, both: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of two systems, (b,) each: example i counts first[b, i] times in one, and the rest of both[i] in the other."""
        return self.value(rows, first), self.value(rows, both - first)

    def value_once(self, rows: Rows) -> float | int:
        """The value when every example counts once; 0.0 where no example applies."""
        return plain_number(self.value(rows, np.ones((1, len(rows.weights))))[0])

    def applies(self, rows: Rows) -> np.ndarray:
        """Which examples it applies to: the examples of its subset in which no column it reads is NaN, (n,) bools."""
        applies = np.ones(len(rows.weights), bool) if self.subset is None else rows.subsets[self.subset].copy()
        for name in self.reads:
            if not isinstance(rows.columns[name], Ragged):  # a list that does not apply is empty
                applies &= ~np.isnan(rows.columns[name])
        return applies

    def count(self, rows: Rows) -> int:
        """How many examples the value rests on."""
        return int(np.count_nonzero(self.applies(rows)))

    def sizes(self, rows: Rows) -> np.ndarray:
        """How many examples it applies to in each row, int64 (n,): 0 or 1, and more only of rows that are buckets."""
        return self.applies(rows).astype(np.int64)

    def weights_of(self, rows: Rows) -> np.ndarray:
        """The weight of the examples that it applies to in each row, (n,)."""
        weights: np.ndarray = self.applies(rows) * rows.weights
        return weights

    def is_empty(self, rows: Rows) -> bool:
        """Whether no example with a weight is behind the value, so that its 0.0 says nothing; never true of counts."""
        return not rows.weights[self.applies(rows)].any()

    def by_example(self, rows: Rows) -> np.ndarray | None:
        """The value of each example by itself, (n,), NaN where it has none; None: an example alone says nothing."""
        return None

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        """What the variance of the value lacks where row i counts `counts[i]` times, because parts of it cannot be seen to
        vary. The base lacks nothing.
        """
        return 0.0

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        """How many true examples its rarest class has, where row i counts `counts[i]` times; None where classes of
        different sizes do not count the same. The base knows no classes.
        """
        return None

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        """How many examples there are of the kind that is scarce for it, where row i counts `counts[i]` times, such
        as positives. The base knows no kinds.
        """
        return None

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "Measure":
        """The same measure where class i has become class `numbers[i]` of `n_classes`. The base knows no classes."""
        return self

    def recoded_columns(self, columns: Mapping[str, Any], n_classes: int) -> dict[str, np.ndarray]:
        """Its columns that are others where there are `n_classes`. The base has none."""
        return {}


class Tally(Measure):
    """A count, which a summary gives as an int; it has no interval, and its 0 is a 0."""

    has_interval = False
    is_rate = False

    def is_empty(self, rows: Rows) -> bool:
        return False

    def value_once(self, rows: Rows) -> int:
        return int(super().value_once(rows))


class SumMeasure(Measure):
    """A measure that is a function of sums over examples, so that it can be merged from parts."""

    @property
    def sums_key(self) -> Hashable:
        """Equal for measures whose `sums` are the same, so that they are taken and kept once."""
        return self

    @abc.abstractmethod
    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        """What is summed, (number of sums, b), when example i counts `replicate_counts[b, i]` times its weight."""

    @abc.abstractmethod
    def sums_by(self, rows: Rows, places: np.ndarray, n_places: int) -> np.ndarray:
        """What is summed, (number of sums, n_places), when example i counts once, at `places[i]`."""

    @abc.abstractmethod
    def finish(self, sums: Any) -> Any:
        """The value of the sums, (b,) of (number of sums, b)."""

    def edge_variance_of(self, sums: np.ndarray) -> float:
        """`edge_variance`, of the sums of all examples (number of sums,)."""
        return 0.0

    def rarest_of(self, sums: np.ndarray) -> int | None:
        """`rarest`, of the sums of all examples (number of sums,) where each has the weight 1."""
        return None

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> Any:
        return self.value_of(self.sums(rows, replicate_counts))

    def value_of(self, sums: Any) -> Any:
        """`finish` without warnings about what applies to nothing: that is NaN."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.finish(sums)


class TermMeasure(SumMeasure):
    """A measure of a few sums, of one number per example each; with every example once, the sums are exact."""

    @abc.abstractmethod
    def terms(self, rows: Rows) -> list[np.ndarray]:
        """What is summed, each (n,), example weights included."""

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> Any:
        return (replicate_counts @ np.column_stack(self.terms(rows))).T

    def sums_by(self, rows: Rows, places: np.ndarray, n_places: int) -> np.ndarray:
        return np.stack([np.bincount(places, term, n_places) for term in self.terms(rows)])

    def value_once(self, rows: Rows) -> float | int:
        totals = [np.float64(self.total(term)) for term in self.terms(rows)]
        return plain_number(self.finish(totals) if all(totals) else self.value_of(totals))

    def total(self, term: np.ndarray) -> float:
        """The sum of a term when every example counts once."""
        return exact_sum(term)

    def by_example(self, rows: Rows) -> np.ndarray | None:
        once = Rows(rows.columns, rows.subsets, np.ones(len(rows.weights)))
        return np.where(self.applies(once), self.value_of(self.terms(once)), np.nan)


@dataclasses.dataclass(frozen=True)
class Scaled(Measure):
    """Another measure times a factor, for measures without a scale."""

    measure: Measure
    factor: float

    reads = property(lambda self: self.measure.reads)
    has_interval = property(lambda self: self.measure.has_interval)
    is_rate = property(lambda self: self.measure.is_rate)
    is_mean = property(lambda self: self.measure.is_mean)
    is_share = property(lambda self: self.measure.is_share)
    lower_is_better = property(lambda self: self.measure.lower_is_better)
    subset = property(lambda self: self.measure.subset)
    of_buckets = property(lambda self: self.measure.of_buckets)
    # A mean over runs takes the sums of each run from here.
    sums_key = property(lambda self: self.measure.sums_key)
    sums = property(lambda self: self.measure.sums)
    sums_by = property(lambda self: self.measure.sums_by)
    terms = property(lambda self: self.measure.terms)

    @property
    def bounds(self) -> tuple[float, float] | None:
        ends = self.measure.bounds
        return None if ends is None else (self.factor * ends[0], self.factor * ends[1])

    def finish(self, sums: Any) -> Any:
        return self.factor * self.measure.finish(sums)  # type: ignore[attr-defined]

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return self.factor * self.measure.value(rows, replicate_counts)

    def values_of_sides(self, rows: Rows, first: np.ndarray, both: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        one, other = self.measure.values_of_sides(rows, first, both)
        return self.factor * one, self.factor * other

    def value_once(self, rows: Rows) -> float:
        return self.factor * self.measure.value_once(rows)

    def applies(self, rows: Rows) -> np.ndarray:
        return self.measure.applies(rows)

    def count(self, rows: Rows) -> int:
        return self.measure.count(rows)

    def sizes(self, rows: Rows) -> np.ndarray:
        return self.measure.sizes(rows)

    def is_empty(self, rows: Rows) -> bool:
        return self.measure.is_empty(rows)

    def by_example(self, rows: Rows) -> np.ndarray | None:
        values = self.measure.by_example(rows)
        return None if values is None else self.factor * values

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        return self.factor**2 * self.measure.edge_variance(rows, counts)

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        return self.measure.rarest(rows, counts)

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        return self.measure.scarce(rows, counts)

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "Scaled":
        return dataclasses.replace(self, measure=self.measure.recoded(numbers, n_classes))

    def recoded_columns(self, columns: Mapping[str, Any], n_classes: int) -> dict[str, np.ndarray]:
        return self.measure.recoded_columns(columns, n_classes)


@dataclasses.dataclass(frozen=True)
class Mean(TermMeasure):
    """The (weighted) mean of a column over the examples it applies to, times `scale` (1, or 100 for per cent).

    `ends` are the smallest and the largest value that the column can have; None: 0 and 1 for a rate, otherwise none.
    `as_script` adds up in the order of the rows with Python's own `sum`, as evaluation scripts do, and so has their
    last bit too (which differs before and after Python 3.12); without it the sum is the exact one, rounded once, in any
    order.
    """

    column: str
    subset: str | None = None
    scale: float = 1.0
    as_script: bool = False
    is_rate: bool = True
    lower_is_better: bool = False
    omit_empty: bool = False
    ends: tuple[float, float] | None = None
    is_mean = True

    @property
    def bounds(self) -> tuple[float, float] | None:
        ends = self.ends or ((0.0, 1.0) if self.is_rate else None)
        return None if ends is None else (self.scale * ends[0], self.scale * ends[1])

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        column, weights = self.values(rows.columns[self.column]), rows.weights_in(self.subset)
        absent = np.isnan(column)
        if np.count_nonzero(absent):  # takes less time than any() where there are few
            column, weights = np.where(absent, 0.0, column), np.where(absent, 0.0, weights)
        return [weights * column, weights]

    def values(self, column: np.ndarray) -> np.ndarray:
        """What of the column is averaged, (n,)."""
        return column

    def finish(self, sums: Any) -> Any:
        return self.scale * sums[0] / sums[1]

    def total(self, term: np.ndarray) -> float:
        whole = not self.as_script or (term == np.trunc(term)).all()  # whole numbers add up to the same in any order
        if whole:
            return exact_sum(term)
        blocks = (term[first : first + _VALUES_AT_ONCE].tolist() for first in range(0, len(term), _VALUES_AT_ONCE))
        return float(sum(chain.from_iterable(blocks)))


@dataclasses.dataclass(frozen=True)
class ShareAtLeast(Mean):
    """The (weighted) share of the examples with a value in the column whose value is at least `threshold`."""

    threshold: float = 0.5

    def values(self, column: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(column), np.nan, column >= self.threshold)


@dataclasses.dataclass(frozen=True)
class ShareBetween(Mean):
    """The (weighted) share of the examples with a value in the column whose value is from `least` to `most`."""

    least: float = 0.0
    most: float = 1.0

    def values(self, column: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(column), np.nan, (column >= self.least) & (column <= self.most))


@dataclasses.dataclass(frozen=True)
class GeometricMean(Mean):
    """The geometric mean of a column over the examples it applies to; `smallest` stands for values below it."""

    smallest: float = 0.0
    is_mean = False

    def terms(self, rows: Rows) -> list[np.ndarray]:
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(rows.columns[self.column], self.smallest))
        weights = np.where(np.isnan(logs), 0.0, rows.weights_in(self.subset))
        return [weights * np.where(weights == 0, 0.0, logs), weights]

    def finish(self, sums: Any) -> Any:
        return self.scale * np.exp(sums[0] / sums[1])


@dataclasses.dataclass(frozen=True)
class Total(Tally, TermMeasure):
    """The sum of a column of whole numbers over the examples (unweighted)."""

    column: str
    subset: str | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [np.where(self.applies(rows), rows.columns[self.column], 0.0)]

    def finish(self, sums: Any) -> Any:
        return sums[0]


@dataclasses.dataclass(frozen=True)
class Count(Tally, TermMeasure):
    """The number of examples (unweighted), in all or in a subset."""

    subset: str | None = None
    omit_empty: bool = False
    reads = ()

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [np.ones(len(rows.weights)) if self.subset is None else rows.subsets[self.subset].astype(np.float64)]

    def finish(self, sums: Any) -> Any:
        return sums[0]

    def count(self, rows: Rows) -> int:
        return self.value_once(rows)


def join_places(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Several columns of places, one after another: each is numbered on after the ones before it.

    Places that are all different stay: they are places in one whole, from which the parts were taken.
    """
    joined = np.concatenate(columns)
    if len(np.unique(joined)) == len(joined):
        return joined
    sizes = [column.max(initial=-1.0) + 1 for column in columns]
    return np.concatenate(
        [column + start for column, start in zip(columns, np.cumsum([0.0, *sizes[:-1]]), strict=True)]
    )


def are_right_or_wrong(values: np.ndarray) -> bool:
    """Whether all values but NaN are 0 or the largest of a measure, 1 or 100."""
    known = values[~np.isnan(values)]
    return any(((known == 0) | (known == largest)).all() for largest in (1, 100))


def are_graded(values: np.ndarray) -> bool:
    """Whether values but NaN are more than two: more than right and wrong."""
    return len(np.unique(values[~np.isnan(values)])) > 2


def plain_number(value: Any) -> float:
    """A Python float, 0.0 for NaN."""
    value = float(value)
    return 0.0 if math.isnan(value) else value


def exact_sum(values: np.ndarray) -> float:
    """The correctly rounded sum, whatever the order of the values: what `math.fsum` gives, in numpy where there are many."""
    return math.fsum(exact_parts(values) if len(values) > _FEW_VALUES else values.tolist())


def exact_parts(values: np.ndarray) -> list[float]:
    """A few numbers with exactly the sum of the values; parts of several columns put together have their exact sum."""
    blocks = (values[first : first + _VALUES_AT_ONCE] for first in range(0, len(values), _VALUES_AT_ONCE))
    return [part for block in blocks for part in _exact_parts(block)]


def _exact_parts(values: np.ndarray) -> list[float]:
    peak = float(abs(values).max(initial=0.0))
    if not 1e-200 < peak < 1e200:
        return [*values.tolist()]
    # Cut every value into slices of so few bits that a column of slices adds up without rounding.
    bits = 52 - len(values).bit_length()
    scale = 2.0 ** (bits - math.frexp(peak)[1])
    parts, rest = [], values
    for _ in range(6):
        head = np.trunc(rest * scale) / scale
        parts.append(float(head.sum()))
        rest = rest - head
        if not rest.any():
            return parts
        scale *= 2.0**bits
    return [*values.tolist()]
