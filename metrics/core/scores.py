"""Scores: per-example statistics of a metric family, and every number computed from them.

A measure is a function of how often each example counts. Once each gives its value, resampled counts give the bootstrap, zeros and
ones a slice; measures that are built on sums also merge by adding the sums. So value, interval and slice are one mechanism.
"""

import abc
import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .options import Options, did_you_mean

_CELLS_AT_ONCE = 1 << 22  # resampling weights held at a time


@dataclasses.dataclass(frozen=True)
class Rows:
    """What measures read: columns (n,) with NaN where they do not apply, boolean subsets (n,), example weights (n,)."""

    columns: Mapping[str, np.ndarray]
    subsets: Mapping[str, np.ndarray]
    weights: np.ndarray

    def take(self, rows: np.ndarray) -> "Rows":
        return Rows(
            {name: column[rows] for name, column in self.columns.items()},
            {name: mask[rows] for name, mask in self.subsets.items()},
            self.weights[rows],
        )

    def weights_in(self, subset: str | None) -> np.ndarray:
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

    `as_script` adds up in the order of the rows with Python's own `sum`, as evaluation scripts do, and so has their last bit too
    (which differs before and after Python 3.12); without it the sum is the exact one, rounded once, in any order.
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

    `answered` is the column of scores of given answers, `withheld` that of an answer held back (1 on unanswerable examples).
    Only thresholds between different probabilities are tried, so that the order of rows with tied probabilities changes nothing;
    `threshold=True` gives the largest probability still answered instead of the score (-inf: withhold all).
    `as_script` leaves the rounding of the running sum in the score, as the official SQuAD 2.0 script does; without it the score of the
    best threshold is summed exactly and is never below the score without a threshold.
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
        return float(self._thresholds(rows, order)[cut]) if self.threshold else self.scale * total / exact_sum(rows.weights)

    def _sweep(self, rows: Rows, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows from the least to the most doubtful, how many are answered at each threshold, and the sum of scores there (b, cuts)."""
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


@dataclasses.dataclass(frozen=True, eq=False)
class Scores:
    """What every metric family returns: one row of statistics per example.

    Attributes:
        ids: n unique ids (str or int); a `range` when the user gave none.
        columns: name -> float64 (n,), NaN where the column does not apply to the example.
        subsets: name -> bool (n,).
        measures: name -> Measure, the numbers of `summary()` in their order.
        options: the frozen options that made the columns; their text is the signature.
        notes: what was counted on the way and belongs to no example (for example ids without a gold answer).
        weights: float64 (n,), how much each example counts; None for once each.

    Example:
        >>> import karat
        >>> scores = karat.score("answer_match", ["in France", "Rome"], [["France"], ["Rome", "Roma"]])
        >>> scores.summary(["exact_match", "f1", "total"])
        {'exact_match': 0.5, 'f1': 0.8333333333333333, 'total': 2}
        >>> scores.columns["f1"].tolist()
        [0.6666666666666666, 1.0]
    """

    ids: Sequence
    columns: Mapping[str, np.ndarray]
    subsets: Mapping[str, np.ndarray]
    measures: Mapping[str, Measure]
    options: Options
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    weights: np.ndarray | None = None

    def __post_init__(self):
        if not isinstance(self.ids, range):
            _require_unique(self.ids)
        for kind, values in (("column", self.columns), ("subset", self.subsets)):
            for name, value in values.items():
                if len(value) != len(self):
                    raise ValueError(f"{kind} {name!r} has {len(value)} rows, but there are {len(self)} ids")

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        """The same examples, in any order, with the same statistics, measures, options and notes."""
        if not isinstance(other, Scores):
            return NotImplemented
        if (
            len(self) != len(other)
            or (self.options, dict(self.measures), dict(self.notes)) != (other.options, dict(other.measures), dict(other.notes))
            or (self.columns.keys(), self.subsets.keys()) != (other.columns.keys(), other.subsets.keys())
        ):
            return False
        place = {identifier: row for row, identifier in enumerate(other.ids)}
        try:
            order = np.array([place[identifier] for identifier in self.ids], np.int64)
        except KeyError:
            return False
        theirs = other._rows.take(order)
        return all(
            np.array_equal(mine, their, equal_nan=True)
            for mine, their in zip(_all_arrays(self._rows), _all_arrays(theirs), strict=True)
        )

    __hash__ = None

    @property
    def _rows(self) -> Rows:
        return Rows(self.columns, self.subsets, np.ones(len(self)) if self.weights is None else self.weights)

    def signature(self) -> str:
        """The options that made these numbers, with the version: `answer_match|norm:squad|unit:token|refs:max|v:0.1.0`."""
        return self.options.signature()

    def summary(self, names: Iterable[str] | None = None) -> dict[str, float | int]:
        """The value of each measure, then the notes: a flat dict of Python floats and ints.

        Args:
            names: only these measures, in this order.

        A measure that applies to no example is 0.0 (its count says so).
        """
        rows = self._rows
        values = {name: self._measure(name).value_once(rows) for name in (self.measures if names is None else names)}
        return {**values, **self.notes} if names is None else values

    def counts(self) -> dict[str, int]:
        """How many examples each measure rests on."""
        rows = self._rows
        return {name: measure.count(rows) for name, measure in self.measures.items()}

    def interval(
        self, level: float = 0.95, n_resamples: int = 1000, seed: int = 0, names: Iterable[str] | None = None
    ) -> dict[str, tuple[float, float]]:
        """Percentile bootstrap intervals over examples (Efron and Tibshirani, 1993) of each measure that has one.

        Args:
            level: between 0 and 1, exclusive.
            n_resamples: how many times the examples are drawn again, with replacement.
            seed: the same seed gives the same interval, in any order of the rows.
            names: only these measures.

        A measure that applies to no example has the interval (0.0, 0.0).
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, exclusive, for example 0.95; got {level!r}")
        if n_resamples < 1:
            raise ValueError(f"n_resamples must be at least 1; got {n_resamples!r}")
        wanted = {name: self._measure(name) for name in (self.measures if names is None else names)}
        wanted = {name: measure for name, measure in wanted.items() if measure.has_interval}
        tails = [(1 - level) / 2, (1 + level) / 2]
        intervals = {}
        for name, values in self._resample(wanted, n_resamples, seed).items():
            values = values[~np.isnan(values)]
            low, high = np.quantile(values, tails) if len(values) else (0.0, 0.0)
            intervals[name] = (float(low), float(high))
        return intervals

    def result(
        self,
        per_example: bool = False,
        confidence_level: float | None = None,
        n_resamples: int = 1000,
        bootstrap_seed: int = 0,
        signature: bool = False,
    ) -> dict[str, Any]:
        """What the evaluate modules return: the summary, flat Python numbers, and more only on request.

        Args:
            per_example: adds `per_example`, a dict of lists (see `per_example()`).
            confidence_level: adds `<measure>_low` and `<measure>_high`, the ends of that interval (see `interval`).
            n_resamples, bootstrap_seed: of the interval.
            signature: adds `signature`.
        """
        found: dict[str, Any] = self.summary()
        if confidence_level is not None:
            for name, (low, high) in self.interval(confidence_level, n_resamples, bootstrap_seed).items():
                found[f"{name}_low"], found[f"{name}_high"] = low, high
        if per_example:
            table = self.per_example()
            found["per_example"] = {key: column if key == "id" else column.tolist() for key, column in table.items()}
        if signature:
            found["signature"] = self.signature()
        return found

    def per_example(self) -> dict[str, Any]:
        """The table of examples: `id`, the columns (float64), the subsets (bool) and, if given, `weight`."""
        table = {"id": list(self.ids), **self.columns, **self.subsets}
        return table if self.weights is None else {**table, "weight": self.weights}

    def to_arrow(self):
        """`per_example()` as a pyarrow.Table (ids of mixed type become strings)."""
        import pyarrow as pa

        table = self.per_example()
        if len({type(identifier) for identifier in self.ids}) > 1:
            table["id"] = list(map(str, table["id"]))
        return pa.table(table)

    def to_pandas(self):
        """`per_example()` as a pandas.DataFrame with the ids as its index.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd

        return pd.DataFrame(self.per_example()).set_index("id")

    def subset(self, which: str | Sequence) -> "Scores":
        """The examples of a named subset, or of a boolean mask (n,); the notes stay behind."""
        if isinstance(which, str):
            if which not in self.subsets:
                raise ValueError(
                    f"no subset {which!r}{did_you_mean(which, self.subsets)}; there are: {', '.join(self.subsets) or 'none'}"
                )
            which = self.subsets[which]
        mask = np.asarray(which)
        if mask.dtype != bool or mask.shape != (len(self),):
            raise ValueError(f"a mask needs {len(self)} booleans, one per example; got {mask.dtype} of shape {mask.shape}")
        return self._take(np.flatnonzero(mask))

    def by(self, values: Sequence) -> dict[Any, "Scores"]:
        """One Scores per distinct value of a column with one value per example, in the order of the values."""
        values = values.tolist() if hasattr(values, "tolist") else list(values)
        if len(values) != len(self):
            raise ValueError(f"slices need one value per example: got {len(values)} values for {len(self)} examples")
        places: dict[Any, list[int]] = {}
        for row, value in enumerate(values):
            places.setdefault(value, []).append(row)
        try:
            order = sorted(places)
        except TypeError:  # values of different types have no order of their own
            order = sorted(places, key=lambda value: (type(value).__name__, str(value)))
        return {value: self._take(np.array(places[value])) for value in order}

    def with_measures(self, measures: Mapping[str, Measure]) -> "Scores":
        """The same examples with other measures to report."""
        return dataclasses.replace(self, measures=dict(measures))

    @staticmethod
    def concat(parts: Iterable["Scores"]) -> "Scores":
        """Join Scores of different examples made with the same options, as from batches, processes or machines.

        Positional ids are numbered on; given ids must stay unique.

        Raises:
            ValueError: no parts, different options, measures or columns, or an id in two parts.
        """
        parts = list(parts)
        if not parts:
            raise ValueError("nothing to join: give at least one Scores")
        first = parts[0]
        for number, part in enumerate(parts[1:], 1):
            if part.options != first.options:
                raise ValueError(f"part {number} has other options: {part.signature()} against {first.signature()}")
            if (part.columns.keys(), part.subsets.keys()) != (first.columns.keys(), first.subsets.keys()):
                raise ValueError(f"part {number} has other columns or subsets: {[*part.columns, *part.subsets]}")
            if part.measures != first.measures:
                raise ValueError(f"part {number} has other measures: {list(part.measures)}")
        if all(isinstance(part.ids, range) for part in parts):
            ids: Sequence = range(sum(map(len, parts)))
        else:
            ids = [identifier for part in parts for identifier in part.ids]
        return Scores(
            ids,
            {name: np.concatenate([part.columns[name] for part in parts]) for name in first.columns},
            {name: np.concatenate([part.subsets[name] for part in parts]) for name in first.subsets},
            first.measures,
            first.options,
            {name: sum(part.notes.get(name, 0) for part in parts) for name in first.notes},
            None if all(p.weights is None for p in parts) else np.concatenate([part._rows.weights for part in parts]),
        )

    def _measure(self, name: str) -> Measure:
        try:
            return self.measures[name]
        except KeyError:
            raise ValueError(
                f"no measure {name!r}{did_you_mean(name, self.measures)}; there are: {', '.join(self.measures)}"
            ) from None

    def _take(self, order: np.ndarray) -> "Scores":
        rows = self._rows.take(order)
        ids = [self.ids[row] for row in order]
        weights = None if self.weights is None else rows.weights
        return dataclasses.replace(self, ids=ids, columns=rows.columns, subsets=rows.subsets, notes={}, weights=weights)

    def _resample(self, measures: Mapping[str, Measure], n_resamples: int, seed: int) -> dict[str, np.ndarray]:
        """The values of the measures when the examples are drawn again, (n_resamples,) each; the same draws whichever are asked for."""
        rows = self._rows
        sources = [measure for measure in self.measures.values() if measure.has_interval]
        used = Rows(
            {name: rows.columns[name] for name in dict.fromkeys(n for m in sources for n in m.reads)},
            {name: rows.subsets[name] for name in dict.fromkeys(m.subset for m in sources) if name},
            rows.weights,
        )
        kinds, counts = distinct_rows(_all_arrays(used), len(self))
        used = used.take(kinds)
        sums = {name: measure for name, measure in measures.items() if isinstance(measure, SumMeasure)}
        terms = {name: measure.terms(used) for name, measure in sums.items()}
        matrix = np.column_stack([np.zeros(len(kinds)), *(term for group in terms.values() for term in group)])
        values = {name: np.empty(n_resamples) for name in measures}
        done = 0
        for times in resampling_weights(counts, n_resamples, seed):
            block = slice(done, done + len(times))
            totals = (times @ matrix).T
            place = 1
            for name, measure in sums.items():
                values[name][block] = measure.finish(totals[place : place + len(terms[name])])
                place += len(terms[name])
            for name in measures.keys() - sums.keys():
                values[name][block] = measures[name].value(used, times)
            done += len(times)
        return values


def distinct_rows(arrays: Sequence[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """An example of each distinct row of n-long columns and how often the row occurs, in an order that the values alone decide.

    Resampling needs no more than this: drawing examples is drawing kinds of examples with their counts.
    """
    codes = np.zeros(n, np.int64)
    first, counts = np.zeros(min(n, 1), np.int64), np.full(min(n, 1), n)
    for array in arrays:
        if n == 0 or (array[0] == array).all():
            continue
        values, inverse = np.unique(array, return_inverse=True)
        _, first, codes, counts = np.unique(
            codes * len(values) + inverse, return_index=True, return_inverse=True, return_counts=True
        )
    return first, counts


def resampling_weights(counts: np.ndarray, n_resamples: int, seed: int) -> Iterable[np.ndarray]:
    """Bootstrap weights of g kinds of examples of which there are `counts` (g,): blocks of (b, g) floats, n_resamples rows in all."""
    rng = np.random.default_rng(seed)
    n = int(counts.sum())
    few = 8 * len(counts) <= n  # one multinomial draw per kind is then cheaper than one draw per example
    kind_of = None if few else np.repeat(np.arange(len(counts)), counts)
    step = max(1, _CELLS_AT_ONCE // max(1, len(counts)))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        if n == 0:
            yield np.zeros((size, 0))
        elif few:
            yield rng.multinomial(n, counts / n, size=size).astype(np.float64)
        else:
            draws = (np.bincount(kind_of[rng.integers(0, n, n)], minlength=len(counts)) for _ in range(size))
            yield np.stack([draw.astype(np.float64) for draw in draws])


def _all_arrays(rows: Rows) -> list[np.ndarray]:
    return [*rows.columns.values(), *rows.subsets.values(), rows.weights]


def _require_unique(ids: Sequence) -> None:
    if len(set(ids)) != len(ids):
        seen: set = set()
        for row, identifier in enumerate(ids):
            if identifier in seen:
                raise ValueError(f"id {identifier!r} stands twice (again in row {row}): give every example one id of its own")
            seen.add(identifier)
