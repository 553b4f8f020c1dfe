"""Two systems on the same examples, and their differences under resampling."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.bootstrap import Members, Units, resampled_tables, row_codes
from ..core.groups import Groups
from ..core.interval_settings import Intervals
from ..core.measures import Measure, Rows, TermMeasure
from ..core.ragged import join_rows
from .run_measures import MeanOverRuns


class Pairs:
    """The statistics of two systems on the same examples, with each distinct row stored once.

    Attributes:
        rows: the distinct rows of both systems, in an order that depends only on the values.
        first, second: int64 (n,), the row in `rows` of each example, in the first and in the second system.
        measures: the measures of the pairs, which read only `rows`.
        groups: the groups of examples, drawn and swapped as units; None: each example is a unit.
    """

    def __init__(self, first: Rows, second: Rows, measures: Mapping[str, Measure], groups: Groups | None = None):
        self.measures = measures
        self._codes: dict[tuple[str, ...], np.ndarray] = {}
        self.groups = None if groups is not None and groups.are_single else groups
        n = len(first.weights)
        stacked = _stacked(first, second, measures)
        _, index, codes = np.unique(row_codes(stacked.arrays, 2 * n), return_index=True, return_inverse=True)
        self.rows = stacked.take(index)
        self.first, self.second = codes[:n], codes[n:]

    def by_grouping(self, names: Sequence[str]) -> "list[tuple[Pairs, list[str]]]":
        """Split the pairs by units of resampling: examples for measures that apply to at most one per group, else groups."""
        groups = self.groups
        if groups is None:
            return [(self, list(names))]
        ungrouped = copy.copy(self)
        ungrouped.groups = None
        alone = [name for name in names if groups.are_single_in(self._in_both(self.measures[name]))]
        parts = (ungrouped, alone), (self, [name for name in names if name not in alone])
        return [(pairs, of_part) for pairs, of_part in parts if of_part]

    @property
    def count_alike(self) -> bool:
        """Whether all examples have the same weight."""
        weights = self.rows.weights
        return bool(len(weights)) and bool(weights[0] > 0) and bool((weights == weights[0]).all())

    def count_changed(self, measure: Measure) -> int:
        """The number of examples or groups that differ in the columns that a measure reads, where it applies in both
        systems.
        """
        alike = self._alike(measure)
        changed = self._in_both(measure) & (alike[self.first] != alike[self.second])
        return int(changed.sum()) if self.groups is None else len(np.unique(self.groups.codes[changed]))

    def _alike(self, measure: Measure) -> np.ndarray:
        """Numbers that are equal for rows that are equivalent for a measure, (rows,); the order of runs does not
        matter.
        """
        is_of_terms, n = isinstance(measure, TermMeasure), len(self.rows.weights)
        if not is_of_terms and measure.reads in self._codes:  # thousands of classes read the same columns
            return self._codes[measure.reads]
        runs: list[Any] = measure.each_run() if isinstance(measure, MeanOverRuns) else [measure]
        of_runs = [
            run.terms(self.rows) if is_of_terms else [self.rows.columns[name] for name in run.reads] for run in runs
        ]
        columns = of_runs[0] if len(runs) == 1 else [join_rows(parts) for parts in zip(*of_runs, strict=True)]
        if is_of_terms:
            columns = list(without_rounding(np.stack(columns), 11, axis=1))
        codes = row_codes(columns, n * len(runs))
        if len(runs) > 1:
            codes = row_codes(list(np.sort(codes.reshape(len(runs), n), axis=0)), n)
        if not is_of_terms:
            self._codes[measure.reads] = codes
        return codes

    def by_example(self, measure: Measure) -> tuple[np.ndarray, np.ndarray] | None:
        """The value of each single example in both systems, for examples that the measure applies to in both.

        The order depends only on the values.
        """
        values = measure.by_example(self.rows)
        if values is None:
            return None
        first, second, _ = self._values_in_both(measure, values)
        order = np.lexsort((second, first))
        return first[order], second[order]

    def unit_changes(self, measure: Measure) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The change of each example by a mean over examples that count alike, and its values in both systems, (n,) each;
        None for other measures.

        With groups, these are known if all groups have one size and the examples of a group change alike, as copies do.
        """
        values = measure.by_example(self.rows) if measure.is_mean and self.count_alike else None
        if values is None:
            return None
        first, second, both = self._values_in_both(measure, values)
        changes = changes_of(first, second)
        if self.groups is None or not len(changes):
            return changes, first, second
        codes = self.groups.codes[both]
        _, sizes = np.unique(codes, return_counts=True)
        if sizes.min() < sizes.max():
            return None
        of_groups = changes[np.argsort(codes, kind="stable")].reshape(len(sizes), -1)
        return (of_groups[:, 0], first, second) if (of_groups == of_groups[:, :1]).all() else None

    def _values_in_both(self, measure: Measure, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The values of both systems on the examples that a measure applies to in both, and these examples, (n,) bools."""
        both = self._in_both(measure)
        both &= ~np.isnan(values[self.first]) & ~np.isnan(values[self.second])
        return values[self.first[both]], values[self.second[both]], both

    def _in_both(self, measure: Measure) -> np.ndarray:
        """Whether a measure applies to each example in both systems, (n,) bools."""
        applies = measure.applies(self.rows)
        both: np.ndarray = applies[self.first] & applies[self.second]
        return both

    def units(self, measure: Measure) -> tuple[Units, Units]:
        """The units of resampling, with the rows of the first and the second system, where the measure applies to
        both.
        """
        kinds, counts, members = self._kinds(self._in_both(measure))
        first, second = (Units(self.rows.take(rows), counts, members) for rows in kinds)
        return first, second

    def _kinds(self, which: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, Members | None]:
        """The rows of each kind of pair in both systems, the number of units of each kind, and the kinds in each
        group.

        Args:
            which: the examples to take, (n,) bools.
        """
        size = len(self.rows.weights)
        keys, codes, counts = np.unique(
            (self.first * size + self.second)[which], return_inverse=True, return_counts=True
        )
        kinds = keys // size, keys % size
        if self.groups is None:
            return kinds, counts, None
        members = Members.of(codes, self.groups.take(which), len(keys))
        return kinds, np.ones(members.n_groups, np.int64), members

    def bootstrap_differences(self, names: Sequence[str], n_resamples: int, seed: int) -> dict[str, np.ndarray]:
        """The differences, second minus first, when examples or groups are drawn with replacement, (n_resamples,) each.

        Both systems always have the same examples. NaN if a measure applies to none of them.
        """
        kinds, counts, members = self._kinds(np.ones(len(self.first), bool))
        alike: dict[bytes, list[str]] = {}
        for name in names:
            applies = self.measures[name].applies(self.rows)
            alike.setdefault((applies[kinds[0]] & applies[kinds[1]]).tobytes(), []).append(name)
        settings = Intervals(n_resamples=n_resamples, seed=seed)
        differences: dict[str, np.ndarray] = {}
        for in_both, group in alike.items():
            kept = np.frombuffer(in_both, bool)
            tables = [self._units_of(rows, kept, counts, members) for rows in kinds]
            drawn = resampled_tables({name: self.measures[name] for name in group}, tables, settings)
            differences |= {name: values[:, 1] - values[:, 0] for name, values in drawn.items()}
        return differences

    def _units_of(self, rows: np.ndarray, kept: np.ndarray, counts: np.ndarray, members: Members | None) -> Units:
        """Units with the rows of one system, each once and in their order, which may decide ties of a measure.

        Args:
            rows: the row of each kind; kept: which kinds count, (kinds,) bools.
        """
        size = len(rows)
        unit, kind, times = (np.arange(size), np.arange(size), np.ones(size)) if members is None else members[:3]
        among = kept[kind]
        used, codes = np.unique(rows[kind[among]], return_inverse=True)
        order = np.argsort(codes, kind="stable")
        parts = (unit[among][order], codes[order], times[among][order])
        return Units(self.rows.take(used), counts, Members(*parts, len(counts), len(used)))


def without_rounding(values: np.ndarray, digits: int = 12, axis: int | None = None) -> np.ndarray:
    """Values rounded relative to the largest: values that differ only by rounding become equal.

    2/3 computed in two ways may differ in the last bit; a test that ranks differences would count this as a difference.

    Args:
        axis: round relative to the largest value along this axis; None: relative to the largest of all.

    Example:
        >>> without_rounding(np.array([0.1 + 0.2, 0.3, 1 - 0.7])).tolist()
        [0.3, 0.3, 0.3]
    """
    peaks = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=axis, initial=0.0, keepdims=axis is not None)
    scale = 10.0 ** (digits - np.ceil(np.log10(np.maximum(peaks, 1e-100))))
    rounded: np.ndarray = np.round(values * scale) / scale
    return rounded


def changes_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Second minus first for each example, (n,), rounded to 11 digits of the largest value: changes that differ only
    by rounding become equal.

    Example:
        >>> changes_of(np.array([0.0, 0.1, 0.2]), np.array([0.1, 0.2, 0.1 + 0.2])).tolist()
        [0.1, 0.1, 0.1]
    """
    n = len(first)
    return without_rounding(np.concatenate([second - first, first, second]), 11)[:n]


def _stacked(first: Rows, second: Rows, measures: Mapping[str, Measure]) -> Rows:
    """The stacked rows of both systems, with the columns that measures read."""
    columns = dict.fromkeys(name for measure in measures.values() for name in measure.reads)
    subsets = dict.fromkeys(measure.subset for measure in measures.values() if measure.subset)
    return Rows(
        {name: join_rows([first.columns[name], second.columns[name]]) for name in columns},
        {name: np.concatenate([first.subsets[name], second.subsets[name]]) for name in subsets},
        np.concatenate([first.weights, second.weights]),
    )
