"""What is left of a metric's examples when only their sums are kept, with a bootstrap that needs no examples.

Sums of parts are added, so that examples never have to be together, and nothing depends on how they were divided: the
sums are exact, and how often an example counts in a resample follows from its id alone (the Poisson bootstrap of Hanley
and MacGibbon, 2006: in place of drawing n of n examples each counts as often as a Poisson number of mean 1 says).
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..core.arrow import SPREAD, arrow_integers, fingerprints, mixed
from ..core.bootstrap import check_confidence
from ..core.measures import Measure, SumMeasure, TermMeasure
from ..core.options import Options, did_you_mean
from ..core.scores import Scores, check_joins
from ..core.shown import describe
from ..core.streaming import added_notes

_SLICE_BITS = 30  # of a number in one integer: 2 ** 32 of them, and more, add up in 64 bits
_MOST_EXAMPLES = 1 << 32
_ROWS_TOGETHER, _DRAWS_TOGETHER = 1 << 12, 1 << 8  # resampling weights at once: they stay in the cache
# Of 65536 equally likely numbers so many stand for 0, 1, 2, ...: Poisson's shares, rounded so that the mean is 1.
_POISSON_SHARES = (24109, 24110, 12055, 4018, 1004, 201, 33, 5, 1)

Slices = dict[int, np.ndarray]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PartialSums:
    """The sums of n examples, in all and in resamples.

    Attributes:
        size: n.
        measures: name -> measure, the numbers of `summary()`.
        options: those that made the statistics of the examples.
        notes: what was counted on the way and belongs to no example.
        applies: measure -> how many examples it rests on.
        terms: measure -> its terms, each as exact sums: once, and in each resample.
        totals: measure -> float64 (number of sums, 1 + resamples), for measures that are not a few terms.
        n_resamples, seed: of the bootstrap.

    Example:
        >>> import qassay
        >>> scores = qassay.score("answer_match", ["a", "b", "c"], [["a"], ["b"], ["x"]], ids=["q1", "q2", "q3"])
        >>> sums = PartialSums.of(scores)
        >>> sums.summary(["exact_match", "total"])
        {'exact_match': 0.6666666666666666, 'total': 3}
    """

    size: int
    measures: Mapping[str, SumMeasure]
    options: Options
    notes: Mapping[str, int]
    applies: Mapping[str, int]
    terms: Mapping[str, Sequence[Slices]]
    totals: Mapping[str, np.ndarray]
    n_resamples: int
    seed: int

    @staticmethod
    def of(scores: Scores, names: Iterable[str] | None = None, n_resamples: int = 1000, seed: int = 0) -> "PartialSums":
        """The sums of examples, for these measures.

        Args:
            n_resamples, seed: of `interval`; 0 resamples for none. The work grows with their number.

        Raises:
            ValueError: a measure that needs the examples together, because it sorts them.
        """
        measures = summed_measures(scores.measures, names)
        rows = scores.rows
        keys = resampling_keys(scores.ids, seed) if n_resamples else None
        once_only = {name: measure for name, measure in measures.items() if not measure.has_interval}
        simple = {name: measure for name, measure in measures.items() if isinstance(measure, TermMeasure)}
        columns: dict[bytes, int] = {}  # many measures share a term
        values: list[np.ndarray] = []
        places: dict[str, list[int]] = {}
        for name, measure in simple.items():
            for term in measure.terms(rows):
                term = np.ascontiguousarray(term, np.float64)
                if not np.isfinite(term).all():
                    raise ValueError(
                        f"{name} has an example of infinite value, which sums cannot hold; use keep='scores'"
                    )
                place = columns.setdefault(term.tobytes(), len(values))
                if place == len(values):
                    values.append(term)
                places.setdefault(name, []).append(place)
        drawn = {place for name in simple.keys() - once_only.keys() for place in places[name]} if n_resamples else set()
        exact = _exact_sums(values, drawn, keys, n_resamples)
        return PartialSums(
            len(scores),
            measures,
            scores.options,
            dict(scores.notes),
            {name: measure.count(rows) for name, measure in measures.items()},
            {name: [exact[place] for place in places[name]] for name in simple},
            _totals({name: m for name, m in measures.items() if name not in simple}, rows, keys, n_resamples),
            n_resamples,
            seed,
        )

    @staticmethod
    def concat(parts: Iterable["PartialSums"]) -> "PartialSums":
        """The sums of the examples of all parts, which must be different examples.

        Raises:
            ValueError: no parts, different options, measures or resamples, or more than 4,294,967,296 examples.
        """
        parts = iter(parts)
        joined = next(parts, None)
        if joined is None:
            raise ValueError("nothing to join: give at least one PartialSums")
        for number, part in enumerate(parts, 1):
            check_joins(joined, part, f"part {number}")
            if (part.n_resamples, part.seed) != (joined.n_resamples, joined.seed):
                raise ValueError(f"part {number} has another n_resamples or seed; give all parts the same")
            joined = joined._plus(part)
        return joined

    def _plus(self, other: "PartialSums") -> "PartialSums":
        if self.size + other.size > _MOST_EXAMPLES:
            raise ValueError(f"sums hold at most {_MOST_EXAMPLES:,} examples; divide them, for example with by")
        added: dict[tuple[int, int], Slices] = {}

        def plus(slices: Slices, others: Slices) -> Slices:
            key = (id(slices), id(others))
            if key not in added:
                added[key] = {
                    place: slices[place] + others[place]
                    if place in slices and place in others
                    else (slices if place in slices else others)[place]
                    for place in slices.keys() | others.keys()
                }
            return added[key]

        return dataclasses.replace(
            self,
            size=self.size + other.size,
            notes=added_notes(self.notes, other.notes),
            applies={name: count + other.applies[name] for name, count in self.applies.items()},
            terms={name: [plus(*pair) for pair in zip(own, other.terms[name])] for name, own in self.terms.items()},
            totals={name: sums + other.totals[name] for name, sums in self.totals.items()},
        )

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.4g}" for name, value in self.summary([*self.measures][:3]).items())
        return f"<PartialSums of {self.size} examples: {numbers}; {self.signature()}>"

    @property
    def _reported(self) -> list[str]:
        """The measures but for those that are omitted where they are empty."""
        return [name for name, measure in self.measures.items() if self.applies[name] or not measure.omit_empty]

    def signature(self) -> str:
        """As `Scores.signature`."""
        return self.options.signature()

    def summary(self, names: Iterable[str] | None = None) -> dict[str, float | int]:
        """As `Scores.summary`: the same numbers, to the last digit where sums are exact there too.

        Only those of measures that add up in the order of the rows, and of weighted averages of classes, may differ in
        the last digit.
        """
        values = {name: self._value(name) for name in (self._reported if names is None else names)}
        return {**values, **self.notes} if names is None else values

    def counts(self) -> dict[str, int]:
        """How many examples each measure rests on."""
        return {name: self.applies[name] for name in self._reported}

    def interval(self, level: float = 0.95, names: Iterable[str] | None = None) -> dict[str, tuple[float, float]]:
        """Percentile intervals of the Poisson bootstrap of each measure that has one, as `Scores.interval`.

        They follow from the seed, the ids and the values alone: not from the order of the examples or from their parts.
        """
        check_confidence(level)
        if not self.n_resamples:
            raise ValueError("these sums have no resamples; give n_resamples, for example 1000, when they are made")
        intervals = {}
        for name in self._reported if names is None else names:
            measure = self._measure(name)
            if not measure.has_interval:
                continue
            if name in self.terms:
                values = measure.value_of([_rounded(term, self.n_resamples) for term in self.terms[name]])
            else:
                values = measure.value_of(self.totals[name][:, 1:])
            values = np.asarray(values)[~np.isnan(values)]
            low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]) if len(values) else (0.0, 0.0)
            intervals[name] = (float(low), float(high))
        return intervals

    def _value(self, name: str) -> float | int:
        measure = self._measure(name)
        if name in self.terms:
            value = float(measure.value_of([np.float64(_exact(term)) for term in self.terms[name]]))
        else:
            value = float(np.asarray(measure.value_of(self.totals[name][:, :1])).ravel()[0])
        value = 0.0 if math.isnan(value) else value
        return int(value) if not measure.is_rate and value.is_integer() else value

    def _measure(self, name: str) -> SumMeasure:
        return summed_measures(self.measures, [name])[name]


def summed_measures(measures: Mapping[str, Measure], names: Iterable[str] | None = None) -> dict[str, SumMeasure]:
    """The measures, or those of these names; a ValueError where one sorts the examples and is not a function of sums."""
    chosen = list(measures) if names is None else list(names)
    for name in chosen:
        if name not in measures:
            raise ValueError(f"no measure {name!r}{did_you_mean(name, measures)}; there are: {', '.join(measures)}")
        is_summed = isinstance(measures[name], SumMeasure)
        if not is_summed:
            rest = [other for other in chosen if isinstance(measures.get(other), SumMeasure)]
            advice = f", or leave it out: names={rest[:3]} and so on" if rest else ""
            raise ValueError(
                f"{name} sorts the examples and is not a function of sums, so keep='sums' cannot give it; "
                f"use keep='scores'{advice}"
            )
    return {name: cast(SumMeasure, measures[name]) for name in chosen}


def resampling_keys(ids: Sequence[Any], seed: int) -> np.ndarray:
    """A number for each id, from which its Poisson numbers follow, uint64 (n,); 7 and "7" are different ids."""
    import pyarrow as pa

    if not len(ids):
        return np.empty(0, np.uint64)
    if isinstance(ids, range):
        column = arrow_integers(np.arange(ids.start, ids.stop, ids.step))
    else:
        try:
            column = pa.array(ids)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            kinds = list(map(type, ids))
            other = next((ids[row] for row in range(len(ids)) if kinds[row] is not kinds[0]), ids[0])
            raise TypeError(
                f"ids must be strings, or whole numbers of 64 bits, all of one type; got {describe(ids[0])} and "
                f"{describe(other)}"
            ) from None
    start = mixed(np.full(1, (seed + 1) % (1 << 64), np.uint64) * SPREAD)
    return mixed(fingerprints(pa.chunked_array([column])) ^ start)


def poisson_weights(keys: np.ndarray, first: int, count: int) -> np.ndarray:
    """How often each example counts in the resamples `first` to `first + count - 1`, uint8 (n, count), Poisson of mean 1.

    The `keys` are those of `resampling_keys`; `first` and `count` are multiples of 4.
    """
    steps = np.arange(first // 4 + 1, (first + count) // 4 + 1, dtype=np.uint64) * SPREAD
    return _POISSON_TABLE.take(mixed(keys[:, None] + steps).view("<u2"), mode="clip")


_POISSON_TABLE = np.repeat(np.arange(len(_POISSON_SHARES), dtype=np.uint8), _POISSON_SHARES)


def _exact_sums(values: list[np.ndarray], drawn: set[int], keys: Any, n_resamples: int) -> list[Slices]:
    """The sum of each column once and, of those `drawn`, in each resample: exact, as whole numbers of slices.

    Slice s of a number are its bits from 2 ** (30 s) down to 2 ** (30 s - 29); sums of slices are whole numbers, which
    add up without rounding in any order.
    """
    cut = [_slices_of(column) for column in values]
    sums_by_column: list[Slices] = [
        {place: part.astype(np.int64).sum(keepdims=True) for place, part in parts.items()} for parts in cut
    ]
    names = [(column, place) for column in sorted(drawn) for place in cut[column]]
    if not names:
        return sums_by_column
    matrix = np.column_stack([cut[column][place] for column, place in names])
    sums = np.zeros((n_resamples, len(names)), np.int64)
    for start in range(0, len(matrix), _ROWS_TOGETHER):
        rows = slice(start, start + _ROWS_TOGETHER)
        for first in range(0, n_resamples, _DRAWS_TOGETHER):
            count = min(_DRAWS_TOGETHER, n_resamples - first)
            weights = poisson_weights(keys[rows], first, -(-count // 4) * 4)[:, :count].astype(np.float64)
            sums[first : first + count] += (weights.T @ matrix[rows]).astype(np.int64)  # exact: below 2 ** 53
    for number, (column, place) in enumerate(names):
        sums_by_column[column][place] = np.append(sums_by_column[column][place], sums[:, number])
    return sums_by_column


def _slices_of(column: np.ndarray) -> Slices:
    """The slices of finite numbers that are not all zero, as whole float64 numbers below 2 ** 30."""
    slices: Slices = {}
    rest = column
    while rest.any():
        exponent = int(np.frexp(rest)[1].max(initial=-5000, where=rest != 0))
        place = -((1 - exponent) // _SLICE_BITS)
        slices[place] = np.trunc(np.ldexp(rest, _SLICE_BITS - 1 - _SLICE_BITS * place))
        rest = rest - np.ldexp(slices[place], _SLICE_BITS * place - _SLICE_BITS + 1)
    return slices


def _exact(term: Slices) -> float:
    """The correctly rounded sum once."""
    if not term:
        return 0.0
    lowest = min(term)
    whole = sum(int(part[0]) << _SLICE_BITS * (place - lowest) for place, part in term.items())
    power = _SLICE_BITS * lowest - _SLICE_BITS + 1
    return whole / (1 << -power) if power < 0 else float(whole << power)


def _rounded(term: Slices, n_resamples: int) -> np.ndarray:
    """The sums in the resamples, float64 (n_resamples,)."""
    sums = np.zeros(n_resamples)
    for place in sorted(term):
        sums += np.ldexp(term[place][1:].astype(np.float64), _SLICE_BITS * place - _SLICE_BITS + 1)
    return sums


def _totals(measures: Mapping[str, SumMeasure], rows: Any, keys: Any, n_resamples: int) -> dict[str, np.ndarray]:
    """The sums of measures that are not a few terms, once and in each resample, (number of sums, 1 + n_resamples)."""
    shared: dict[Any, np.ndarray] = {}
    totals = {}
    for name, measure in measures.items():
        key = measure.sums_key
        if key not in shared:
            parts = [measure.sums(rows, np.ones((1, len(rows.weights))))]
            step = max(4, (1 << 22) // max(1, len(rows.weights)) // 4 * 4)
            for first in range(0, n_resamples if measure.has_interval else 0, step):
                count = min(step, n_resamples - first)
                weights = poisson_weights(keys, first, -(-count // 4) * 4)[:, :count]
                parts.append(measure.sums(rows, np.ascontiguousarray(weights.T, np.float64)))
            shared[key] = np.hstack(parts)
        totals[name] = shared[key]
    return totals
