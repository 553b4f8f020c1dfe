"""Measures: numbers computed from a table of examples, as functions of how often each example counts.

Counts of 1 give the value, resampled counts the bootstrap, zeros and ones a slice. Measures based on sums can also be
merged by adding the sums; measures that sort (a sweep over thresholds) take the same counts.
"""

import abc
import dataclasses
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .ragged import Ragged, take_rows

BUCKET_SIZES = "examples"
_VALUES_AT_ONCE = 1 << 16  # values added up at a time
_FEW_VALUES = 256  # which Python adds up in less time than numpy


@dataclasses.dataclass(frozen=True)
class Rows:
    """The input of measures: columns (n,) with NaN where they do not apply, boolean subsets (n,), example weights (n,).

    A column may also be a `Ragged`, n lists of numbers. `cache` stores results that several measures share, such as a
    best score and its threshold.
    """

    columns: Mapping[str, Any]
    subsets: Mapping[str, np.ndarray]
    weights: np.ndarray
    cache: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def arrays(self) -> list[Any]:
        """All arrays, each (n,)."""
        return [*self.columns.values(), *self.subsets.values(), self.weights]

    def take(self, rows: np.ndarray) -> "Rows":
        """These rows, in this order."""
        return Rows(
            {name: take_rows(column, rows) for name, column in self.columns.items()},
            {name: mask[rows] for name, mask in self.subsets.items()},
            self.weights[rows],
        )

    def shared(self, key: Hashable, block: np.ndarray, compute: Callable[[], Any]) -> Any:
        """What several measures compute from one block, such as of counts: kept under the key until there is another one."""
        known, computed = self.cache.get(key, (None, None))
        if known is not block:
            computed = compute()
            self.cache[key] = (block, computed)
        return computed

    def weights_in(self, subset: str | None) -> np.ndarray:
        """The weights, 0 outside a subset."""
        return self.weights if subset is None else self.weights * self.subsets[subset]


class Measure(abc.ABC):
    """One number computed from a table of examples."""

    has_interval = True
    is_rate = True  # a share or a score, which has a scale; not a count or a threshold
    is_mean = False  # the mean of `by_example`, as tests of means require
    is_share = False  # by definition a share of right answers, if all examples have the same weight
    lower_is_better = False
    n_sums = 1  # how many numbers `value` holds for each row of counts
    subset: str | None = None
    position: str | None = None  # a column of positions that decides ties; joining Scores renumbers it
    omit_empty = False  # a summary omits it if its subset is empty
    of_buckets = False  # a row is a bucket of examples; the column BUCKET_SIZES has their number

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest possible value (one may be infinite); None if unbounded."""
        return (0.0, 1.0) if self.is_rate else None

    @property
    @abc.abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The columns it reads."""

    @abc.abstractmethod
    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        """The value if example i counts `replicate_counts[b, i]` times, (b,); NaN if it applies to no example."""

    def value_once(self, rows: Rows) -> float | int:
        """The value if every example counts once; 0.0 if it applies to no example, where `known_value` is None."""
        return plain_number(self.value(rows, np.ones((1, len(rows.weights))))[0])

    def known_value(self, rows: Rows) -> float | int | None:
        """`value_once`, or None where it `is_empty`."""
        value = self.value_once(rows)
        return None if not value and self.is_empty(rows) else value

    def applies(self, rows: Rows) -> np.ndarray:
        """Which examples it applies to, (n,) bools: the examples of its subset without NaN in the columns that it
        reads.
        """
        applies = np.ones(len(rows.weights), bool) if self.subset is None else rows.subsets[self.subset].copy()
        for name in self.reads:
            if not isinstance(rows.columns[name], Ragged):  # a list that does not apply is empty
                applies &= ~np.isnan(rows.columns[name])
        return applies

    def count(self, rows: Rows) -> int:
        """The number of examples behind the value."""
        return int(np.count_nonzero(self.applies(rows)))

    def sizes(self, rows: Rows) -> np.ndarray:
        """The number of examples in each row that it applies to, int64 (n,): 0 or 1, or more in buckets."""
        return self.applies(rows).astype(np.int64)

    def weights_of(self, rows: Rows) -> np.ndarray:
        """The weight of the examples in each row that it applies to, (n,)."""
        weights: np.ndarray = self.applies(rows) * rows.weights
        return weights

    def is_empty(self, rows: Rows) -> bool:
        """Whether no example with a weight is behind the value, so that its 0.0 is meaningless; always false for
        counts.
        """
        return not rows.weights[self.applies(rows)].any()

    def by_example(self, rows: Rows) -> np.ndarray | None:
        """The value of each single example, (n,), NaN where it does not apply; None if single examples have no
        value.
        """
        return None

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        """The missing part of the variance if row i counts `counts[i]` times, because some parts cannot show variation.
        The base returns 0.
        """
        return 0.0

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        """The number of true examples of its rarest class if row i counts `counts[i]` times; None unless classes of all
        sizes count equally. The base has no classes.
        """
        return None

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        """The number of examples of its scarce kind, such as positives, if row i counts `counts[i]` times. The base has
        no kinds.
        """
        return None

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "Measure":
        """The same measure after class i has become class `numbers[i]` of `n_classes`. The base has no classes."""
        return self

    def recoded_columns(self, columns: Mapping[str, Any], n_classes: int) -> dict[str, np.ndarray]:
        """Its columns that change with `n_classes`. The base has none."""
        return {}


class Tally(Measure):
    """A count, an int in a summary; it has no interval, and 0 is a valid value."""

    has_interval = False
    is_rate = False

    def is_empty(self, rows: Rows) -> bool:
        return False

    def value_once(self, rows: Rows) -> int:
        return int(super().value_once(rows))


class SumMeasure(Measure):
    """A measure that is a function of sums over examples, so it can be merged from parts."""

    @property
    def sums_key(self) -> Hashable:
        """Equal for measures with equal `sums`, so that these are computed and stored once."""
        return self

    @abc.abstractmethod
    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        """The sums, (number of sums, b), if example i counts `replicate_counts[b, i]` times its weight."""

    @abc.abstractmethod
    def sums_by(self, rows: Rows, index: np.ndarray, size: int) -> np.ndarray:
        """The sums by index, (number of sums, size), if example i counts once, at `index[i]`."""

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
        """`finish` without warnings for values that apply to no example, which are NaN."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.finish(sums)


class TermMeasure(SumMeasure):
    """A measure of a few sums over one number per example; if every example counts once, the sums are exact."""

    @abc.abstractmethod
    def terms(self, rows: Rows) -> list[np.ndarray]:
        """The summed terms, each (n,), including example weights."""

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> Any:
        return (replicate_counts @ np.column_stack(self.terms(rows))).T

    def sums_by(self, rows: Rows, index: np.ndarray, size: int) -> np.ndarray:
        return np.stack([np.bincount(index, term, size) for term in self.terms(rows)])

    def value_once(self, rows: Rows) -> float | int:
        totals = [np.float64(self.total(term)) for term in self.terms(rows)]
        return plain_number(self.finish(totals) if all(totals) else self.value_of(totals))

    def total(self, term: np.ndarray) -> float:
        """The sum of a term if every example counts once."""
        return exact_sum(term)

    def by_example(self, rows: Rows) -> np.ndarray | None:
        once = Rows(rows.columns, rows.subsets, np.ones(len(rows.weights)))
        return np.where(self.applies(once), self.value_of(self.terms(once)), np.nan)


class OfMeasure:
    """What a measure that is made of another one, its `measure`, has from that."""

    has_interval = property(lambda self: self.measure.has_interval)
    is_rate = property(lambda self: self.measure.is_rate)
    lower_is_better = property(lambda self: self.measure.lower_is_better)


@dataclasses.dataclass(frozen=True)
class Mean(TermMeasure):
    """The (weighted) mean of a column over the examples it applies to, times `scale` (1, or 100 for per cent).

    `ends` are the smallest and the largest possible values of the column; None: 0 and 1 for a rate, otherwise none.
    `as_script` adds in row order with Python's `sum`, as evaluation scripts do, to match their last bit (which differs
    before and after Python 3.12); otherwise the sum is exact, rounded once, regardless of order.
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
        if np.count_nonzero(absent):  # faster than any() for few values
            column, weights = np.where(absent, 0.0, column), np.where(absent, 0.0, weights)
        return [weights * column, weights]

    def values(self, column: np.ndarray) -> np.ndarray:
        """The averaged values of the column, (n,)."""
        return column

    def finish(self, sums: Any) -> Any:
        return self.scale * sums[0] / sums[1]

    def total(self, term: np.ndarray) -> float:
        whole = not self.as_script or (term == np.trunc(term)).all()  # sums of integers do not depend on the order
        if whole:
            return exact_sum(term)
        blocks = (term[first : first + _VALUES_AT_ONCE].tolist() for first in range(0, len(term), _VALUES_AT_ONCE))
        return float(sum(chain.from_iterable(blocks)))


@dataclasses.dataclass(frozen=True)
class Share(Mean):
    """The (weighted) share of the examples with a value in the column whose value is from `least` to `most`."""

    least: float = 0.5
    most: float = math.inf

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
    """The unweighted sum of an integer column over the examples."""

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


def join_positions(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Concatenate columns of positions: the numbers of each continue after the preceding column.

    Positions that are all distinct are unchanged: the parts come from one whole.
    """
    joined = np.concatenate(columns)
    if len(np.unique(joined)) == len(joined):
        return joined
    sizes = [column.max(initial=-1.0) + 1 for column in columns]
    return np.concatenate(
        [column + start for column, start in zip(columns, np.cumsum([0.0, *sizes[:-1]]), strict=True)]
    )


def are_right_or_wrong(values: np.ndarray) -> bool:
    """Whether all values except NaN are 0 or the largest value of a measure, 1 or 100."""
    known = values[~np.isnan(values)]
    return any(((known == 0) | (known == largest)).all() for largest in (1, 100))


def plain_number(value: Any) -> float:
    """A Python float, 0.0 for NaN."""
    value = float(value)
    return 0.0 if math.isnan(value) else value


def exact_sum(values: np.ndarray) -> float:
    """The correctly rounded sum, regardless of order: equals `math.fsum`, in numpy for many values."""
    return math.fsum(exact_parts(values) if len(values) > _FEW_VALUES else values.tolist())


def exact_parts(values: np.ndarray) -> list[float]:
    """A few numbers whose exact sum equals the sum of the values; concatenated parts of several columns have the exact
    total.
    """
    blocks = (values[first : first + _VALUES_AT_ONCE] for first in range(0, len(values), _VALUES_AT_ONCE))
    return [part for block in blocks for part in _exact_parts(block)]


def _exact_parts(values: np.ndarray) -> list[float]:
    peak = float(abs(values).max(initial=0.0))
    if not 1e-200 < peak < 1e200:
        return [*values.tolist()]
    # Cut every value into slices of so few bits that each column of slices sums without rounding.
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
