"""Measures of a system that answered the same examples several times: the mean of another measure over the runs.

One table contains the examples of all runs, with one row per example. A column that differs between runs has a copy for
each run, such as `f1 (run 2)`; `RunColumns` lists these.
"""

import dataclasses
import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from ..core.measures import Measure, OfMeasure, Rows, SumMeasure, TermMeasure


@dataclasses.dataclass(frozen=True)
class RunColumns:
    """Which columns of a table of runs belong to which run.

    Attributes:
        n_runs: the number of copies.
        columns, subsets: the names that differ between runs and have a copy for each; all others are equal in all runs.
    """

    n_runs: int = 0
    columns: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ()

    def column(self, name: str, run: int) -> str:
        """The name of the column of a run; runs are counted from 0."""
        return _copy_of(name, run) if name in self.columns else name

    def members(self, subset: str, run: int) -> str:
        """The column with the members, in one run, of a subset that differs between runs."""
        return _copy_of(f"in subset {subset}", run)

    def copies(self) -> Iterator[str]:
        """The names of all copies."""
        for run in range(self.n_runs):
            yield from (self.column(name, run) for name in self.columns)
            yield from (self.members(name, run) for name in self.subsets)

    def rows_of(self, rows: Rows, run: int) -> Rows:
        """The available columns and subsets of one run, under the names that its measures read."""
        key = (self, run)
        if key not in rows.cache:
            copies = {self.column(name, run): name for name in self.columns}
            others = set(self.copies()) - copies.keys()
            columns = {copies.get(name, name): column for name, column in rows.columns.items() if name not in others}
            members = {name: self.members(name, run) for name in self.subsets}
            subsets = {name: rows.columns[at] > 0 for name, at in members.items() if at in rows.columns}
            rows.cache[key] = Rows(columns, {**rows.subsets, **subsets}, rows.weights)
        found: Rows = rows.cache[key]
        return found


def _copy_of(name: str, run: int) -> str:
    return f"{name} (run {run + 1})"


def over_runs(measure: Measure, layout: RunColumns, same_examples: bool) -> "MeanOverRuns":
    """The mean of a measure over the runs.

    Args:
        same_examples: whether the measure applies to the same examples in all runs.
    """
    kinds = ((TermMeasure, TermMeanOverRuns), (SumMeasure, SumMeanOverRuns), (Measure, MeanOverRuns))
    kind: Any = next(kind for of, kind in kinds if isinstance(measure, of))
    made: MeanOverRuns = kind(measure, layout, measure.is_mean and same_examples)
    return made


@dataclasses.dataclass(frozen=True)
class MeanOverRuns(OfMeasure, Measure):
    """The mean of another measure over all runs, or its value in `run`; see `over_runs`.

    A run without an example that the measure applies to is omitted.
    """

    measure: Measure
    layout: RunColumns
    is_mean: bool = False
    run: int | None = None

    omit_empty = property(lambda self: self.measure.omit_empty)
    bounds = property(lambda self: self.measure.bounds)

    @property
    def is_share(self) -> bool:  # type: ignore[override]
        """Whether it is a share: as for one run, if the runs are equal for the measure."""
        return self.measure.is_share and not any(name in self.layout.columns for name in self.measure.reads)

    @property
    def subset(self) -> str | None:  # type: ignore[override]
        return None if self.measure.subset in self.layout.subsets else self.measure.subset

    @property
    def reads(self) -> tuple[str, ...]:
        differing = [name for name in self.measure.reads if name in self.layout.columns]
        columns = [self.layout.column(name, run) for run in self._runs for name in differing]
        if self.measure.subset in self.layout.subsets:
            columns += [self.layout.members(self.measure.subset, run) for run in self._runs]
        return (*(name for name in self.measure.reads if name not in self.layout.columns), *columns)

    @property
    def _runs(self) -> range:
        return range(self.layout.n_runs) if self.run is None else range(self.run, self.run + 1)

    def each_run(self) -> "list[MeanOverRuns]":
        """The measure of each single run."""
        return [dataclasses.replace(self, run=run) for run in range(self.layout.n_runs)]

    def _parts(self, rows: Rows) -> list[Rows]:
        """The rows of each run."""
        return [self.layout.rows_of(rows, run) for run in self._runs]

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return mean_of_known([self.measure.value(part, replicate_counts) for part in self._parts(rows)])

    def value_once(self, rows: Rows) -> float | int:
        values = [self.measure.value_once(part) for part in self._parts(rows) if not self.measure.is_empty(part)]
        if not values:
            return 0.0
        mean = min(
            max(math.fsum(values) / len(values), min(values)), max(values)
        )  # the mean of equal values is exactly that value
        return int(mean) if all(isinstance(value, int) for value in values) and float(mean).is_integer() else mean

    def applies(self, rows: Rows) -> np.ndarray:
        applies: np.ndarray = np.any([self.measure.applies(part) for part in self._parts(rows)], axis=0)
        return applies

    def by_example(self, rows: Rows) -> np.ndarray | None:
        values = [self.measure.by_example(part) for part in self._parts(rows)]
        if any(column is None for column in values):
            return None
        return mean_of_known(values)

    def is_empty(self, rows: Rows) -> bool:
        return all(map(self.measure.is_empty, self._parts(rows)))

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        edges = [self.measure.edge_variance(part, counts) for part in self._parts(rows)]
        return math.fsum(edges) / len(edges)  # the runs have the same examples

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        found = [self.measure.rarest(part, counts) for part in self._parts(rows)]
        return min((number for number in found if number is not None), default=None)

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        numbers = [self.measure.scarce(part, counts) for part in self._parts(rows)]
        return min((number for number in numbers if number is not None), default=None)


@dataclasses.dataclass(frozen=True)
class SumMeanOverRuns(MeanOverRuns, SumMeasure):
    """The mean of a function of sums over the runs; itself a function of the sums of all runs."""

    measure: SumMeasure

    @property
    def sums_key(self) -> Hashable:
        return (self.measure.sums_key, self.layout, self.run)

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return np.concatenate([self.measure.sums(part, replicate_counts) for part in self._parts(rows)])

    def sums_by(self, rows: Rows, index: np.ndarray, size: int) -> np.ndarray:
        return np.concatenate([self.measure.sums_by(part, index, size) for part in self._parts(rows)])

    def finish(self, sums: Any) -> Any:
        size = len(sums) // len(self._runs)
        starts = range(0, len(sums), size)
        return mean_of_known([self.measure.finish(sums[start : start + size]) for start in starts])

    value = SumMeasure.value


@dataclasses.dataclass(frozen=True)
class TermMeanOverRuns(SumMeanOverRuns, TermMeasure):
    """The mean of a measure of a few sums over the runs."""

    measure: TermMeasure

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [term for part in self._parts(rows) for term in self.measure.terms(part)]

    sums = TermMeasure.sums
    sums_by = TermMeasure.sums_by


def means_over_runs(measures: Mapping[str, Measure]) -> dict[str, MeanOverRuns]:
    """The measures that differ between runs."""
    return {name: measure for name, measure in measures.items() if isinstance(measure, MeanOverRuns)}


def mean_of_known(values: list[Any]) -> np.ndarray:
    """The mean of arrays, element by element, over the values that are not NaN; NaN if all are."""
    stacked = np.stack(values)
    known = ~np.isnan(stacked)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, stacked, 0.0).sum(axis=0) / known.sum(axis=0)
        mean = np.clip(
            mean, np.where(known, stacked, np.inf).min(axis=0), np.where(known, stacked, -np.inf).max(axis=0)
        )
    return np.where(known.any(axis=0), mean, np.nan)
