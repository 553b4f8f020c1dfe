"""Sums of examples by bucket, for more examples than fit on a machine; intervals are based on the buckets.

A hash of the id of an example, or of its group, puts it into one of some thousands of buckets. Buckets are random groups
of examples that never split a group: intervals omit each once, or draw them, and paired tests swap them.
"""

import dataclasses
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..core.arrow import SPREAD, arrow_integers, fingerprints, mixed
from ..core.bootstrap import Units, resampled_values
from ..core.gold_fingerprints import GoldFingerprints
from ..core.groups import Groups
from ..core.ids import comparable_ids
from ..core.interval_settings import Intervals
from ..core.intervals import (
    Interval,
    Spread,
    are_at_bounds,
    effective_units,
    percentile_interval,
    spread_interval,
    spreads_of,
    unit_sizes,
)
from ..core.measures import BUCKET_SIZES, Measure, OfMeasure, Rows, SumMeasure, Tally, TermMeasure
from ..core.score_parts import check_joins
from ..core.scores import Scores
from ..core.shown import describe
from ..core.streaming import added_notes

BUCKET_BITS, _LEAST_BITS = 14, 8  # 2 ** bits buckets; fewer where there are many sums, such as with many classes
_MOST_CELLS = 1 << 22  # sums of all buckets together
_ALIKE = 1e-9  # relative difference of mean weights that count as equal


@dataclasses.dataclass(frozen=True)
class OfBuckets(OfMeasure, TermMeasure):
    """A measure of sums whose rows are buckets.

    Attributes:
        measure: of the examples.
        columns: of its sums.
        counts, weights: the columns of the number and the weight of the examples that it applies to.
        at_bounds: whether it is a share: the mean of values at the bounds.
    """

    measure: SumMeasure
    columns: tuple[str, ...]
    counts: str
    weights: str
    at_bounds: bool = dataclasses.field(compare=False)

    of_buckets = True
    reads = property(lambda self: (*self.columns, self.weights))
    bounds = property(lambda self: self.measure.bounds)

    @property
    def sums_key(self) -> Hashable:
        return OfBuckets, self.columns

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [rows.columns[name] for name in self.columns]

    def sizes(self, rows: Rows) -> np.ndarray:
        return np.asarray(rows.columns[self.counts]).astype(np.int64)

    def count(self, rows: Rows) -> int:
        return int(self.sizes(rows).sum())

    def weights_of(self, rows: Rows) -> np.ndarray:
        return np.asarray(rows.columns[self.weights])

    def finish(self, sums: Any) -> Any:
        return self.measure.finish(sums)

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        return self.measure.edge_variance_of(counts @ np.column_stack(self.terms(rows)))

    def value_once(self, rows: Rows) -> float | int:
        sums = np.array([self.total(term) for term in self.terms(rows)])
        value = float(np.ravel(self.measure.value_of(sums[:, None]))[0])
        value = 0.0 if math.isnan(value) else value
        return int(value) if not self.is_rate and value.is_integer() else value

    def is_empty(self, rows: Rows) -> bool:
        return not isinstance(self.measure, Tally) and not self.weights_of(rows).any()

    def by_example(self, rows: Rows) -> None:
        """None: a bucket has several examples."""

    def common_weight(self, rows: Rows) -> float | None:
        """The weight that all examples have, except those of weight 0; None if weights differ."""
        weights = self.weights_of(rows)
        means = weights[weights > 0] / self.sizes(rows)[weights > 0]
        return float(means[0]) if len(means) and np.ptp(means) <= _ALIKE * means[0] else None

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        weight = self.common_weight(rows)
        return None if weight is None else self.measure.rarest_of(counts @ np.column_stack(self.terms(rows)) / weight)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartialSums(Scores):
    """Scores with a row per bucket of examples, which has their sums.

    Values, counts and intervals are about the examples; `n_examples` is their number, and `len` the number of buckets.
    `concat` adds the sums of parts, so examples never have to be together. `qassay.compare` compares systems on the same
    questions by swapping buckets, and refuses buckets with other ids or gold data. A group is in one bucket; numbers of
    groups count buckets.

    Example:
        >>> import qassay
        >>> scores = qassay.score("answer_match", ["a", "b", "c"], [["a"], ["b"], ["x"]], ids=["q1", "q2", "q3"])
        >>> sums = PartialSums.of(scores)
        >>> sums.summary(["exact_match", "total"])
        {'exact_match': 0.6666666666666666, 'total': 3}
        >>> low, high = sums.interval(["exact_match"])["exact_match"]
        >>> round(low, 3), round(high, 3)
        (0.208, 0.939)
    """

    @staticmethod
    def of(scores: Scores, names: Iterable[str] | str | None = None) -> "PartialSums":
        """The sums of examples, for these measures (None: all); examples of one group are in one bucket.

        Raises:
            ValueError: a measure that sorts the examples; an infinite value; or `scores` with several runs or buckets.
        """
        if scores.n_runs > 1:
            raise ValueError(
                "sums do not keep the variation between runs of a system; make the sums of each run, or call interval() and "
                "report() of the runs themselves"
            )
        if scores.are_buckets:
            raise ValueError("the rows of these scores already are buckets of examples; give Scores of examples")
        measures = _summed_measures(scores, names)
        rows, keys = scores.rows, id_keys(scores.ids)
        hashes = keys if scores.groups is None else id_keys(scores.groups.labels)[scores.groups.codes]
        numbers = (hashes >> np.uint64(65 - number_of_buckets(measures, rows).bit_length())).astype(np.int64)
        buckets, index = np.unique(numbers, return_inverse=True)
        n = len(buckets)
        columns: dict[str, np.ndarray] = {BUCKET_SIZES: np.bincount(index, minlength=n)}
        names_of: dict[Hashable, tuple[str, ...]] = {}
        of_buckets: dict[str, Measure] = {}
        for name, measure in measures.items():
            if measure.sums_key not in names_of:
                sums = np.asarray(measure.sums_by(rows, index, n), np.float64)
                if not np.isfinite(sums).all():
                    raise ValueError(
                        f"{name} has an example of infinite value, which sums cannot have; use keep='scores'"
                    )
                names_of[measure.sums_key] = tuple(f"{name}: sum {number}" for number in range(len(sums)))
                columns.update(zip(names_of[measure.sums_key], sums, strict=True))
            applies = measure.applies(rows)
            counts, weights = f"{name}: {BUCKET_SIZES}", f"{name}: weight"
            columns[counts] = np.bincount(index[applies], minlength=n)
            columns[weights] = np.bincount(index, applies * rows.weights, n)
            at_bounds = measure.is_share or measure.is_mean and _are_shares(measure, rows)
            of_buckets[name] = OfBuckets(measure, names_of[measure.sums_key], counts, weights, at_bounds)
        gold = {} if scores.gold is None else scores.gold.parts
        prints = {"ids": keys, **{name: mixed(part ^ keys) for name, part in gold.items()}}
        ids = [f"bucket {number:05}" for number in buckets.tolist()]  # sorted as the numbers are
        return PartialSums(
            ids=ids,
            columns=columns,
            measures=of_buckets,
            options=scores.options,
            notes=dict(scores.notes),
            gold=GoldFingerprints(n, {name: _added(part, index, n) for name, part in prints.items()}),
            groups=None if scores.groups is None else Groups.of(ids),
        )

    @staticmethod
    def concat(parts: Iterable[Scores]) -> "PartialSums":
        """The sums of the examples of all parts, whose examples must differ.

        Raises:
            ValueError: no parts, or different options or measures.
        """
        given = cast(list[PartialSums], list(parts))
        if not given:
            raise ValueError("nothing to join: give at least one PartialSums")
        first = given[0]
        for number, part in enumerate(given[1:], 1):
            check_joins(first, part, f"part {number}")
        ids, index = np.unique([bucket for part in given for bucket in part.ids], return_inverse=True)
        n = len(ids)
        prints = [cast(GoldFingerprints, part.gold).parts for part in given]
        known = [name for name in prints[0] if all(name in of_part for of_part in prints)]
        joined = {name: _added(np.concatenate([part[name] for part in prints]), index, n) for name in known}
        notes: dict[str, int] = {}
        for part in given:
            notes = added_notes(notes, part.notes)
        return dataclasses.replace(
            first,
            ids=ids.tolist(),
            columns={
                name: np.bincount(index, np.concatenate([part.columns[name] for part in given]), n)
                for name in first.columns
            },
            measures={
                name: dataclasses.replace(
                    cast(OfBuckets, measure), at_bounds=all(cast(OfBuckets, p.measures[name]).at_bounds for p in given)
                )
                for name, measure in first.measures.items()
            },
            notes=notes,
            gold=GoldFingerprints(n, joined),
            groups=None if first.groups is None else Groups.of(ids.tolist()),
        )

    def intervals_by(self, settings: Intervals, names: Iterable[str] | None = None) -> dict[str, Interval]:
        """Intervals of each measure that has one; the jackknife and resamples take buckets whole.

        If every example, or group, has its own bucket, they equal `Scores.intervals_by` except for rounding. If some
        share a bucket, the variance is estimated from fewer and larger units, which is correct but slightly less precise;
        groups in one bucket count as one, so the interval of a value at a bound is too wide rather than too narrow.
        """
        found, rows = {}, self.rows
        measures = {name: cast(OfBuckets, self.measures[name]) for name in self._named(names)}
        measures = {name: measure for name, measure in measures.items() if measure.has_interval}
        units = Units(rows, np.ones(len(self), np.int64), None)
        if settings.method == "percentile":
            for name, values in resampled_values(measures, units, settings).items():
                effective = effective_units(unit_sizes(measures[name], units), units.counts)
                spread = self._of_examples(measures[name], Spread(None, effective, math.inf))
                found[name] = percentile_interval(values, settings.confidence, spread.effective)
        else:
            for name, spread in spreads_of(measures, units, settings).items():
                spread, value = self._of_examples(measures[name], spread), measures[name].value_once(rows)
                found[name] = spread_interval(measures[name].bounds, value, spread, settings.confidence)
        for name, interval in found.items():
            interval.rarest = measures[name].rarest(rows, units.counts)
        return found

    def _of_examples(self, measure: OfBuckets, spread: Spread) -> Spread:
        """The spread; if examples are drawn singly and have one weight, with their number as the effective one."""
        in_groups = self.groups is not None and (measure.sizes(self.rows) > 1).any()
        weight = measure.common_weight(self.rows)
        if in_groups or weight is None:
            return spread
        count = float(round(measure.weights_of(self.rows).sum() / weight))  # without examples of weight 0
        return Spread(None, count, math.inf) if measure.at_bounds else spread._replace(effective=count)


def _summed_measures(scores: Scores, names: Iterable[str] | str | None) -> dict[str, SumMeasure]:
    """All measures, or those of these names; refuses a measure that is not a function of sums."""
    chosen = list(scores.measures) if names is None else scores.measure_names(names)
    summed = {name: m for name in chosen if isinstance(m := scores.measures[name], SumMeasure)}
    others = [name for name in chosen if name not in summed]
    if others:
        advice = f", or omit it: names={[*summed][:3]} and so on" if summed else ""
        raise ValueError(
            f"{others[0]} sorts the examples and is not a function of sums, so keep='sums' cannot compute it; "
            f"use keep='scores'{advice}"
        )
    return summed


def _are_shares(measure: Measure, rows: Rows) -> bool:
    values = measure.by_example(rows)
    return values is not None and are_at_bounds(measure, values)


def number_of_buckets(measures: Mapping[str, SumMeasure], rows: Rows) -> int:
    """The number of buckets for the sums of these measures; it does not depend on the examples."""
    none, bits = rows.take(np.empty(0, np.int64)), BUCKET_BITS
    counts = {measure.sums_key: len(measure.sums(none, np.ones((1, 0)))) for measure in measures.values()}
    while bits > _LEAST_BITS and sum(counts.values()) << bits > _MOST_CELLS:
        bits -= 1
    return 1 << bits


def id_keys(ids: Sequence[Any]) -> np.ndarray:
    """A number for each id, whose first bits are its bucket, uint64 (n,); 7 and "7" are one id."""
    import pyarrow as pa

    if not len(ids):
        return np.empty(0, np.uint64)
    if isinstance(ids, range):
        column = arrow_integers(np.arange(ids.start, ids.stop, ids.step))
    else:
        try:
            column = pa.array(ids)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            other = next((identifier for identifier in ids if not isinstance(identifier, (str, int, np.integer))), None)
            if other is not None:
                raise TypeError(f"ids must be strings or integers, got {describe(other)}") from None
            column = pa.array(comparable_ids(ids, [""])[0])
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    return mixed(fingerprints(pa.chunked_array([column])) ^ SPREAD)


def _added(prints: np.ndarray, index: np.ndarray, n: int) -> np.ndarray:
    """The sum of the numbers of each index, modulo 2 ** 64, uint64 (n,)."""
    sums = np.zeros(n, np.uint64)
    np.add.at(sums, index, prints)
    return sums
