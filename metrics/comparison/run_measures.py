"""Measures of a system that answered the same examples several times: the mean of another measure over the runs.

One table has the examples of all runs, with a row per example. A column that differs between the runs has a copy for each
run, such as `f1 (run 2)`.
"""

import dataclasses
import math
import re
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from ..core.measures import Measure, Rows, SumMeasure, TermMeasure

_OF_RUN = re.compile(r"(in subset )?(.*) \(run (\d+)\)", re.DOTALL)


def run_column(name: str, run: int) -> str:
    """The name of the column of a run; runs count from 0."""
    return f"{name} (run {run + 1})"


def subset_column(name: str, run: int) -> str:
    """The name of the column with the members of a subset in one run, where the subset differs between the runs."""
    return run_column(f"in subset {name}", run)


def rows_of_run(rows: Rows, run: int) -> Rows:
    """The columns and subsets of one run, under the names that its measures read."""
    key = ("rows of run", run)
    if key not in rows.cache:
        columns, subsets = {}, dict(rows.subsets)
        for name, column in rows.columns.items():
            of_run = _OF_RUN.fullmatch(name)
            if of_run is None:
                columns[name] = column
            elif int(of_run[3]) == run + 1 and of_run[1]:
                subsets[of_run[2]] = column > 0
            elif int(of_run[3]) == run + 1:
                columns[of_run[2]] = column
        rows.cache[key] = Rows(columns, subsets, rows.weights)
    found: Rows = rows.cache[key]
    return found


def over_runs(
    measure: Measure, n_runs: int, shared: frozenset[str], same_examples: bool, run: int | None = None
) -> "MeanOverRuns":
    """The mean of a measure over the runs.

    Args:
        shared: the names of columns and subsets that are the same in all runs.
        same_examples: whether the measure applies to the same examples in all runs.
        run: only this run; None for all.
    """
    kinds = ((TermMeasure, TermMeanOverRuns), (SumMeasure, SumMeanOverRuns), (Measure, MeanOverRuns))
    kind: Any = next(kind for of, kind in kinds if isinstance(measure, of))
    made: MeanOverRuns = kind(measure, n_runs, shared, measure.is_mean and same_examples, run)
    return made


@dataclasses.dataclass(frozen=True)
class MeanOverRuns(Measure):
    """The mean of another measure over `n_runs` runs; see `over_runs`.

    A run without an example that the measure applies to is omitted.
    """

    measure: Measure
    n_runs: int
    shared: frozenset[str]
    is_mean: bool = False
    run: int | None = None

    has_interval = property(lambda self: self.measure.has_interval)
    is_rate = property(lambda self: self.measure.is_rate)
    lower_is_better = property(lambda self: self.measure.lower_is_better)
    omit_empty = property(lambda self: self.measure.omit_empty)
    bounds = property(lambda self: self.measure.bounds)

    @property
    def subset(self) -> str | None:  # type: ignore[override]
        return self.measure.subset if self.measure.subset in self.shared else None

    @property
    def reads(self) -> tuple[str, ...]:
        unshared = [name for name in self.measure.reads if name not in self.shared]
        columns = [run_column(name, run) for run in self._runs for name in unshared]
        if self.measure.subset is not None and self.subset is None:
            columns += [subset_column(self.measure.subset, run) for run in self._runs]
        return (*(name for name in self.measure.reads if name in self.shared), *columns)

    @property
    def _runs(self) -> range:
        return range(self.n_runs) if self.run is None else range(self.run, self.run + 1)

    def each_run(self) -> "list[MeanOverRuns]":
        """The measure of each run by itself."""
        return [dataclasses.replace(self, run=run) for run in range(self.n_runs)]

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return mean_of_known([self.measure.value(rows_of_run(rows, run), replicate_counts) for run in self._runs])

    def value_once(self, rows: Rows) -> float | int:
        parts = [rows_of_run(rows, run) for run in self._runs]
        values = [self.measure.value_once(part) for part in parts if not self.measure.is_empty(part)]
        if not values:
            return 0.0
        mean = min(
            max(math.fsum(values) / len(values), min(values)), max(values)
        )  # the mean of equal values is that very value
        return int(mean) if all(isinstance(value, int) for value in values) and float(mean).is_integer() else mean

    def applies(self, rows: Rows) -> np.ndarray:
        applies: np.ndarray = np.any([self.measure.applies(rows_of_run(rows, run)) for run in self._runs], axis=0)
        return applies

    def by_example(self, rows: Rows) -> np.ndarray | None:
        values = [self.measure.by_example(rows_of_run(rows, run)) for run in self._runs]
        if any(column is None for column in values):
            return None
        return mean_of_known(values)

    def is_empty(self, rows: Rows) -> bool:
        return all(self.measure.is_empty(rows_of_run(rows, run)) for run in self._runs)

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        edges = [self.measure.edge_variance(rows_of_run(rows, run), counts) for run in self._runs]
        return math.fsum(edges) / len(edges)  # the runs have the same examples

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        found = [self.measure.rarest(rows_of_run(rows, run), counts) for run in self._runs]
        return min((number for number in found if number is not None), default=None)

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        numbers = [self.measure.scarce(rows_of_run(rows, run), counts) for run in self._runs]
        return min((number for number in numbers if number is not None), default=None)

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "MeanOverRuns":
        return dataclasses.replace(self, measure=self.measure.recoded(numbers, n_classes))

    def recoded_columns(self, columns: Mapping[str, Any], n_classes: int) -> dict[str, np.ndarray]:
        recoded: dict[str, np.ndarray] = {}
        for run in self._runs:
            of_run = rows_of_run(Rows(columns, {}, np.zeros(0)), run).columns
            for name, column in self.measure.recoded_columns(of_run, n_classes).items():
                recoded[name if name in self.shared else run_column(name, run)] = column
        return recoded


@dataclasses.dataclass(frozen=True)
class SumMeanOverRuns(MeanOverRuns, SumMeasure):
    """The mean of a function of sums over the runs; itself a function of the sums of all runs."""

    measure: SumMeasure

    @property
    def sums_key(self) -> Hashable:
        return (self.measure.sums_key, self.n_runs, self.shared, self.run)

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return np.concatenate([self.measure.sums(rows_of_run(rows, run), replicate_counts) for run in self._runs])

    def sums_by(self, rows: Rows, places: np.ndarray, n_places: int) -> np.ndarray:
        return np.concatenate([self.measure.sums_by(rows_of_run(rows, run), places, n_places) for run in self._runs])

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
        return [term for run in self._runs for term in self.measure.terms(rows_of_run(rows, run))]

    def by_example(self, rows: Rows) -> np.ndarray:
        return mean_of_known([self.measure.by_example(rows_of_run(rows, run)) for run in self._runs])

    sums = TermMeasure.sums
    sums_by = TermMeasure.sums_by


def mean_of_known(values: list[Any]) -> np.ndarray:
    """The mean of arrays, element by element, over the values that are not NaN; NaN where all are."""
    stacked = np.stack(values)
    known = ~np.isnan(stacked)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, stacked, 0.0).sum(axis=0) / known.sum(axis=0)
        mean = np.clip(
            mean, np.where(known, stacked, np.inf).min(axis=0), np.where(known, stacked, -np.inf).max(axis=0)
        )
    return np.where(known.any(axis=0), mean, np.nan)
