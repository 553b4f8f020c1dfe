"""The sums of a metric's examples, with a bootstrap that does not need the examples.

A hash of the id of an example, or of the label of its group, assigns it to one of some thousands of buckets. Sums are
kept for each bucket, and intervals follow from omitting each bucket once, or from drawing buckets with replacement:
buckets are random groups of examples and never split a group. Sums of parts are added, so examples never have to be
together, and the result does not depend on the parts: the sums are exact.
"""

import dataclasses
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arrow import mixed
from ..core.bootstrap import Units, resampled_values
from ..core.gold_fingerprints import GoldFingerprints
from ..core.groups import Groups
from ..core.interval_settings import Intervals, check_confidence
from ..core.intervals import (
    Interval,
    Spread,
    common_weight,
    effective_units,
    percentile_interval,
    spread_interval,
    spreads_of,
    unit_sizes,
)
from ..core.measures import BUCKET_SIZES, Measure, Rows, SumMeasure, Tally, TermMeasure
from ..core.options import Options
from ..core.presenting import presenter
from ..core.safe_names import with_safe_names
from ..core.score_parts import check_joins, named_measures, short_number
from ..core.scores import Scores
from ..core.streaming import added_notes
from .bucket_measures import OfBuckets, is_share, number_of, summed_measures
from .buckets import (
    added_prints,
    by_weight_slice,
    class_sums,
    group_count,
    group_keys,
    id_keys,
    joined_keys,
    masks_of,
    may_share_groups,
    number_of_buckets,
    same_weight,
)
from .exact_sums import Slices, exact_sums, rounded_sums, total_sums

_MOST_EXAMPLES = 1 << 32


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PartialSums:
    """The sums of n examples, for each bucket.

    Attributes:
        size: n.
        measures: name -> measure, the numbers of `summary()`.
        options: the options that made the statistics of the examples.
        notes: what was counted on the way and belongs to no example.
        buckets: int64 (m,), the numbers of the buckets with an example, ascending.
        sizes: how many examples each bucket has, int64 (m,).
        applies: measure -> how many of these it applies to, int64 (m,).
        terms: measure -> its terms, each as exact sums (m,).
        totals: measure -> exact sums (number of sums, m), for measures that are not a few terms.
        prints: what each bucket is about, uint64 (m,) each: its "ids", and its gold data if known.
        weights: measure -> the weights of the examples that it applies to, as exact sums (m,).
        weight: measure -> the common weight above 0 of all examples that it applies to; NaN if weights differ, None if
            there are no examples.
        shares: the measures for which every example has the smallest or the largest value, such as exact match.
        groups: measure -> the smallest numbers of the groups that it rests on, uint64, ascending; "" stands for all
            examples. None without groups.

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
    buckets: np.ndarray
    sizes: np.ndarray
    applies: Mapping[str, np.ndarray]
    terms: Mapping[str, Sequence[Slices]]
    totals: Mapping[str, Slices]
    prints: Mapping[str, np.ndarray]
    weights: Mapping[str, Slices]
    weight: Mapping[str, float | None]
    shares: frozenset[str]
    groups: Mapping[str, np.ndarray] | None = None

    @staticmethod
    def of(scores: Scores, names: Iterable[str] | str | None = None) -> "PartialSums":
        """The sums of examples, for these measures (None: all); examples of one group count in one bucket.

        Raises:
            ValueError: a measure that needs the examples together, because it sorts them; or `scores` of `by_bucket` or of
                several runs.
        """
        if scores.n_runs > 1:
            raise ValueError(
                "sums do not keep how the runs of a system vary; make the sums of each run, or call interval() and report() "
                "of the runs themselves"
            )
        if scores.are_buckets:
            raise ValueError(
                "these rows are buckets of examples, whose sums there are already; give Scores of examples"
            )
        measures = summed_measures(scores, names)
        rows, groups, keys = scores.rows, scores.groups, id_keys(scores.ids)
        hashes = keys if groups is None else id_keys(groups.labels)[groups.codes]
        buckets = (hashes >> np.uint64(65 - number_of_buckets(measures, rows).bit_length())).astype(np.int64)
        occupied, places = np.unique(buckets, return_inverse=True)
        gold = {} if scores.gold is None else scores.gold.parts
        prints = {"ids": keys, **{name: mixed(part ^ keys) for name, part in gold.items()}}
        exact: dict[bytes, Slices] = {}  # many measures share a term
        terms: dict[str, list[Slices]] = {}
        totals: dict[str, Slices] = {}
        of_classes: dict[Any, Slices] = {}
        few_terms = all(isinstance(measure, TermMeasure) for measure in measures.values())
        parts = [] if few_terms else by_weight_slice(rows, places)
        shares: set[str] = set()

        def summed(name: str, term: np.ndarray) -> Slices:
            term = np.ascontiguousarray(term, np.float64)
            key = term.tobytes()
            if key not in exact:
                if not np.isfinite(term).all():
                    raise ValueError(
                        f"{name} has an example of infinite value, which sums cannot hold; use keep='scores'"
                    )
                exact[key] = exact_sums(term, places, len(occupied))
            return exact[key]

        for name, measure in measures.items():
            if not isinstance(measure, TermMeasure):
                if measure.sums_key not in of_classes:
                    of_classes[measure.sums_key] = class_sums(measure, parts, len(occupied))
                totals[name] = of_classes[measure.sums_key]
                shares |= {name} if measure.is_share else set()
                continue
            own = measure.terms(rows)
            terms[name] = [summed(name, term) for term in own]
            if measure.is_share or measure.is_mean and is_share(measure, own):
                shares.add(name)
        masks = masks_of(measures, rows)
        return PartialSums(
            len(scores),
            measures,
            scores.options,
            dict(scores.notes),
            occupied,
            np.bincount(places, minlength=len(occupied)),
            masks.each(lambda applies: np.bincount(places[applies], minlength=len(occupied))),
            terms,
            totals,
            {name: added_prints(part, places, len(occupied)) for name, part in prints.items()},
            masks.each(lambda applies: summed("", applies * rows.weights)),
            masks.each(lambda applies: common_weight(rows.weights[applies])),
            frozenset(shares),
            None if groups is None else group_keys(groups, masks, rows.weights),
        )

    @staticmethod
    def concat(parts: Iterable["PartialSums"]) -> "PartialSums":
        """The sums of the examples of all parts, which must be different examples.

        Raises:
            ValueError: no parts, different options or measures, or more than 4,294,967,296 examples.
        """
        parts = iter(parts)
        joined = next(parts, None)
        if joined is None:
            raise ValueError("nothing to join: give at least one PartialSums")
        for number, part in enumerate(parts, 1):
            check_joins(joined, part, f"part {number}")
            joined = joined._plus(part)
        return joined

    def _plus(self, other: "PartialSums") -> "PartialSums":
        if self.size + other.size > _MOST_EXAMPLES:
            raise ValueError(f"sums hold at most {_MOST_EXAMPLES:,} examples; divide them, for example with by")
        added: dict[tuple[int, int], Slices] = {}
        counted: dict[tuple[int, int], np.ndarray] = {}
        buckets = self.buckets
        if not np.array_equal(buckets, other.buckets):
            buckets = np.union1d(buckets, other.buckets)
        own_places, other_places = (np.searchsorted(buckets, part.buckets) for part in (self, other))

        def spread(part: np.ndarray, places: np.ndarray) -> np.ndarray:
            if len(places) == len(buckets):
                return part
            whole = np.zeros((*part.shape[:-1], len(buckets)), part.dtype)
            whole[..., places] = part
            return whole

        def plus(slices: Slices, others: Slices) -> Slices:
            key = (id(slices), id(others))
            if key not in added:
                sums = {place: spread(part, own_places) for place, part in slices.items()}
                for place, part in others.items():
                    part = spread(part, other_places)
                    sums[place] = sums[place] + part if place in sums else part
                added[key] = sums
            return added[key]

        def both(own: np.ndarray, others: np.ndarray) -> np.ndarray:
            key = (id(own), id(others))
            if key not in counted:
                counted[key] = spread(own, own_places) + spread(others, other_places)
            return counted[key]

        def smallest(own: np.ndarray, others: np.ndarray) -> np.ndarray:
            key = (id(own), id(others))
            if key not in counted:
                counted[key] = joined_keys(own, others)
            return counted[key]

        groups = None
        if self.groups is not None and other.groups is not None:
            groups = {name: smallest(keys, other.groups[name]) for name, keys in self.groups.items()}
        return dataclasses.replace(
            self,
            size=self.size + other.size,
            notes=added_notes(self.notes, other.notes),
            buckets=buckets,
            sizes=both(self.sizes, other.sizes),
            applies={name: both(count, other.applies[name]) for name, count in self.applies.items()},
            terms={name: [plus(*pair) for pair in zip(own, other.terms[name])] for name, own in self.terms.items()},
            totals={name: plus(sums, other.totals[name]) for name, sums in self.totals.items()},
            prints={name: both(part, other.prints[name]) for name, part in self.prints.items() if name in other.prints},
            weights={name: plus(sums, other.weights[name]) for name, sums in self.weights.items()},
            weight={name: same_weight(weight, other.weight[name]) for name, weight in self.weight.items()},
            shares=self.shares & other.shares,
            groups=groups,
        )

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        numbers = ", ".join(
            f"{name}={short_number(value)}" for name, value in self.summary([*self.measures][:3]).items()
        )
        return f"<PartialSums of {self.size} examples: {numbers}; {self.signature()}>"

    def _repr_html_(self) -> str:
        """The measures with their intervals, for notebooks."""
        return str(presenter("notebooks").show_sums(self, "notebook"))

    def report(
        self,
        path: "str | os.PathLike[str]",
        *,
        measures: Sequence[str] | str | None = None,
        percent: bool = False,
        confidence: float | None = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
        method: str = "auto",
    ) -> None:
        """Write a report of values and intervals: .html (self-contained), .md, .tex, .csv or .json.

        Sums contain no examples, so there are no slices, kinds of errors or charts of examples, unlike in
            `Scores.report`.

        Args:
            path: the file; its extension chooses the format.
            measures: the measures to show, "all" for all; None for measures with at least one example, without single
                classes.
            percent: rates as 0..100 instead of 0..1.
            confidence, n_resamples, seed, method: as in `interval`; confidence=None for no intervals.

        Raises:
            ValueError: another extension, or an unknown measure. OSError: the file cannot be written.
        """
        intervals = Intervals(confidence, method, n_resamples, seed)
        presenter("report_files").write_sums(self, path, measures, percent=percent, intervals=intervals)

    @property
    def _reported(self) -> list[str]:
        """The measures, without measures omitted when empty."""
        return [name for name, measure in self.measures.items() if self.applies[name].any() or not measure.omit_empty]

    def _named(self, names: Iterable[str] | str | None) -> list[str]:
        return self._reported if names is None else named_measures(names, self.measures, self.options)

    def signature(self) -> str:
        """As `Scores.signature`."""
        return self.options.signature()

    def __getitem__(self, name: str) -> float | int | None:
        """As `Scores[name]`: the value of a measure."""
        try:
            (value,) = self.summary([name]).values()
        except ValueError as error:
            raise KeyError(str(error)) from None
        return value

    __iter__ = None  # the items are measures, but the length is the number of examples

    def summary(
        self, names: Iterable[str] | str | None = None, safe_names: bool = False
    ) -> dict[str, float | int | None]:
        """As `Scores.summary`: the same numbers, to the last digit if those sums are also exact.

        Only measures that add up in the order of the rows, and weighted averages of classes, may differ in
        the last digit.
        """
        values = {name: None if self._is_empty(name) else self._value(name) for name in self._named(names)}
        values = {**values, **self.notes} if names is None else values
        return with_safe_names(values) if safe_names else values

    def counts(self) -> dict[str, int]:
        """How many examples each measure rests on."""
        return {name: int(self.applies[name].sum()) for name in self._reported}

    def group_counts(self) -> dict[str, int]:
        """The number of groups behind each measure: exact up to 65,536, above that an estimate within one per cent; {}
        without groups.

        The estimate follows from the largest of the 65,536 smallest hashes; its standard error is 0.4 % (Bar-Yossef et al.,
        2002).
        """
        return {} if self.groups is None else {name: group_count(self.groups[name]) for name in self._reported}

    @property
    def are_grouped(self) -> bool:
        """Whether there are groups of several examples; groups of one have no effect."""
        return self.groups is not None and may_share_groups(self.groups[""], self.size)

    def interval(
        self,
        names: Iterable[str] | str | None = None,
        *,
        confidence: float = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
        method: str = "auto",
    ) -> dict[str, Interval]:
        """Intervals of each measure that has one, as `Scores.interval`; the jackknife and resamples take buckets whole.

        They depend only on the values and the ids or labels of groups, not on the order of examples or on parts. Where
        every example, or group, has its own bucket, "auto" equals `Scores.interval` but for
        rounding, plain shares included. Where some share a bucket, the variance is estimated from fewer and larger units,
        which is as right and a little less precise; groups in one bucket count as one, so that a value at a bound has an
        interval that is too wide rather than too narrow.

        Args:
            names, confidence: as in `Scores.interval`.
            n_resamples, seed: of the method "percentile".
            method: "auto", by the variance of omitting each bucket once, or "percentile" of the bootstrap of buckets.

        Example:
            >>> import qassay
            >>> golds, ids = [["a"], ["b"], ["c"], ["d"]], ["q1", "q2", "q3", "q4"]
            >>> sums = PartialSums.of(qassay.score("answer_match", ["a", "b", "x", "d"], golds, ids))
            >>> found = sums.interval(names="exact_match")["exact_match"]
            >>> [round(end, 3) for end in found], found.method
            ([0.301, 0.954], 'wilson')
        """
        return self.intervals_by(Intervals(check_confidence(confidence), method, n_resamples, seed), names)

    def intervals_by(self, settings: Intervals, names: Iterable[str] | str | None = None) -> dict[str, Interval]:
        """`interval` with its settings as one object."""
        measures = {name: self.measures[name] for name in self._named(names)}
        measures = {name: measure for name, measure in measures.items() if measure.has_interval}
        columns, of_buckets = self._by_bucket(measures)
        ones = np.ones(len(self.buckets))
        units = Units(Rows(columns, {}, ones), ones.astype(np.int64), None)
        if settings.method == "percentile":
            found = {}
            for name, values in resampled_values(of_buckets, units, settings).items():
                effective = effective_units(unit_sizes(of_buckets[name], units), units.counts)
                effective = self._of_examples(name, Spread(None, effective, math.inf)).effective
                found[name] = percentile_interval(values, settings.confidence, effective)
        else:
            found = {
                name: spread_interval(
                    of_buckets[name].bounds, self._value(name), self._of_examples(name, spread), settings.confidence
                )
                for name, spread in spreads_of(of_buckets, units, settings).items()
            }
        for name, interval in found.items():
            interval.rarest = self._rarest(name)
        return found

    def _of_examples(self, name: str, spread: Spread) -> Spread:
        """The spread where buckets stand for single examples."""
        weight = self.weight[name]
        groups = self.groups if self.are_grouped else None
        in_groups = groups is not None and group_count(groups[name]) < self.applies[name].sum()
        if in_groups or weight is None or math.isnan(weight):
            return spread
        count = float(round(total_sums(self.weights[name]) / weight))  # examples of weight 0 say nothing
        return Spread(None, count, math.inf) if name in self.shares else spread._replace(effective=count)

    def by_bucket(self) -> Scores:
        """Scores with a row for each bucket instead of each example, for `qassay.compare` of systems.

        Values equal `summary`; paired tests swap buckets, and intervals of differences draw them. Two systems can be
        compared if they answered the same questions; a bucket with other ids or gold data is refused. The
        column "examples" has the number of examples of each bucket: `n` and `n_needed` count examples, and effect sizes
        are per example. The examples themselves are unknown, so no list says which are better or worse. A group lies
        whole in one bucket; `n_groups` counts buckets.

        Example:
            >>> import qassay
            >>> golds, ids = [["a"], ["b"], ["c"], ["d"]], ["q1", "q2", "q3", "q4"]
            >>> answers = {"old": ["a", "x", "x", "x"], "new": ["a", "b", "c", "x"]}
            >>> sums = {name: PartialSums.of(qassay.score("answer_match", own, golds, ids)) for name, own in answers.items()}
            >>> found = qassay.compare({name: own.by_bucket() for name, own in sums.items()}, ["exact_match"])
            >>> found.differences[0].difference
            0.5
            >>> found.differences[0].n
            4
        """
        columns, measures = self._by_bucket(self.measures)
        ids = [f"bucket {number}" for number in self.buckets.tolist()]
        gold = GoldFingerprints(len(ids), self.prints)
        groups = Groups.of(ids) if self.are_grouped else None
        return Scores(
            ids=ids,
            columns=columns,
            measures=measures,
            options=self.options,
            notes=dict(self.notes),
            gold=gold,
            groups=groups,
        )

    def _by_bucket(self, of: Mapping[str, SumMeasure]) -> tuple[dict[str, np.ndarray], dict[str, Measure]]:
        """Columns with a row for each bucket, and the measures that read them."""
        columns: dict[str, np.ndarray] = {BUCKET_SIZES: self.sizes}
        measures: dict[str, Measure] = {}
        names_by_key: dict[Any, tuple[str, ...]] = {}
        weights: dict[int, np.ndarray] = {}
        for name, measure in of.items():
            key = name if name in self.terms else measure.sums_key
            if key not in names_by_key:
                sums = np.vstack([rounded_sums(slices, len(self.buckets)) for slices in self._slices(name)])
                names_by_key[key] = tuple(f"{name}: sum {number}" for number in range(len(sums)))
                columns.update(zip(names_by_key[key], sums, strict=True))
            columns[f"{name}: {BUCKET_SIZES}"] = self.applies[name]
            slices = self.weights[name]
            if id(slices) not in weights:
                weights[id(slices)] = rounded_sums(slices, len(self.buckets))
            columns[f"{name}: weight"] = weights[id(slices)]
            measures[name] = OfBuckets(measure, names_by_key[key], f"{name}: {BUCKET_SIZES}", f"{name}: weight")
        return columns, measures

    def _slices(self, name: str) -> Sequence[Slices]:
        return self.terms[name] if name in self.terms else [self.totals[name]]

    def _is_empty(self, name: str) -> bool:
        """Whether no example with a weight is behind a measure, which is not a count."""
        return not isinstance(self.measures[name], Tally) and not total_sums(self.weights[name])

    def _value(self, name: str) -> float | int:
        return number_of(self.measures[name], self._totals(name))

    def _totals(self, name: str) -> np.ndarray:
        return np.concatenate([np.atleast_1d(total_sums(slices)) for slices in self._slices(name)])

    def _rarest(self, name: str) -> int | None:
        """`Interval.rarest`; None if weights differ, since sums do not count examples then."""
        weight = self.weight[name]
        if name in self.terms or weight is None or math.isnan(weight):
            return None
        return self.measures[name].rarest_of(self._totals(name) / weight)
