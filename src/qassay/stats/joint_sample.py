"""The same examples of several systems, in an order that depends only on their values, and how to resample them
jointly.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.bootstrap import Members, Units, resampled_tables
from ..core.groups import Groups
from ..core.interval_settings import Intervals
from ..core.intervals import unit_sizes, values_without
from ..core.measures import Measure, Rows
from ..core.ragged import Ragged, join_rows
from ..core.scores import Scores

_ODD = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # constants of the hash splitmix64
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_STEP = np.uint64(0x9E3779B97F4A7C15)
_NAN = np.float64("nan")


class JointSample(NamedTuple):
    """The examples that measures apply to in all systems, and how to resample them; the measures read the same columns.

    Attributes:
        systems: name -> Scores of these examples (of all examples, if no system alone has a value for another one).
        rows: the rows of each system, in the same order, which does not depend on the order of input or systems.
        measures: name -> measure.
        groups: the groups of the examples; None if examples are independent.
        left_out: the number of examples that the measures apply to in only some systems.
        members: the rows of each group; None if a unit of resampling is an example.
        n_units: the number of units.
    """

    systems: Mapping[str, Scores]
    rows: list[Rows]
    measures: Mapping[str, Measure]
    groups: Groups | None
    left_out: int
    members: Members | None
    n_units: int

    @classmethod
    def of(cls, systems: Mapping[str, Scores], names: Sequence[str]) -> "JointSample":
        """Make the sample from Scores of the same examples in the same order."""
        first = next(iter(systems.values()))
        measures = {name: first.measures[name] for name in names}
        sizes = np.stack([scores.measures[names[0]].sizes(scores.rows) for scores in systems.values()])
        applies: np.ndarray = np.all(sizes > 0, axis=0)
        left_out, kept = int(sizes[:, ~applies].max(axis=0, initial=0).sum()), np.flatnonzero(applies)
        if left_out:
            systems = {name: scores.take(kept) for name, scores in systems.items()}
        groups = next(iter(systems.values())).groups
        columns = sorted({name for measure in measures.values() for name in measure.reads})
        subsets = sorted({measure.subset for measure in measures.values() if measure.subset})
        used = [
            Rows({name: of.columns[name] for name in columns}, {name: of.subsets[name] for name in subsets}, of.weights)
            for of in (scores.rows for scores in systems.values())
        ]
        if not left_out and len(kept) < len(applies):
            used, groups = [of.take(kept) for of in used], None if groups is None else groups.take(kept)
        order = np.argsort(row_keys(chain.from_iterable(_numbers_of(used))), kind="stable")
        n = len(order)
        members = None
        if groups is not None and len(np.unique(groups.codes)) < n:
            members = Members.of(np.arange(n), groups.take(order), n)
        rows, n_units = [of.take(order) for of in used], n if members is None else members.n_groups
        return cls(systems, rows, measures, groups, left_out, members, n_units)

    def units(self, system: int) -> Units:
        """The units with the rows of one system."""
        return Units(self.rows[system], np.ones(self.n_units, np.int64), self.members)

    def parts(self, name: str) -> np.ndarray | None:
        """The contribution of each unit to the value of a measure in each system, (units, systems); None if unknown.

        For means it is exact: the value of the examples of the unit divided by the total weight. For other functions of
        sums it follows from the leave-one-out value. The contributions of a system sum to its value.
        """
        columns = [_parts_of(self.measures[name], self.units(system)) for system in range(len(self.rows))]
        return None if any(column is None for column in columns) else np.column_stack(columns)  # type: ignore[arg-type]

    def drawn(self, settings: Intervals) -> dict[str, np.ndarray]:
        """The values of each measure when the same units are resampled in all systems, (n_resamples, systems) each."""
        return resampled_tables(self.measures, [self.units(system) for system in range(len(self.rows))], settings)

    def n_changed(self) -> np.ndarray:
        """The number of units in which each pair of systems differs in the columns that measures read, (systems,
        systems).
        """
        keys = [row_keys(columns) for columns in _numbers_of(self.rows)]
        changed = np.zeros((len(keys), len(keys)), np.int64)
        for one in range(len(keys)):
            for other in range(one):
                differ = keys[one] != keys[other]
                if self.members is None:
                    found = np.count_nonzero(differ)
                else:
                    of_groups = np.bincount(self.members.group, differ[self.members.row], self.n_units)
                    found = np.count_nonzero(of_groups)
                changed[one, other] = changed[other, one] = found
        return changed


def _parts_of(measure: Measure, units: Units) -> np.ndarray | None:
    """The contribution of each unit to the value of a measure, (units,); None if unknown."""
    sizes = unit_sizes(measure, units)
    total = sizes.sum()
    by_example = measure.by_example(units.rows) if measure.is_mean else None
    if by_example is not None:
        known = np.where(np.isnan(by_example), 0.0, by_example) * measure.weights_of(units.rows)
        return units.sums([known])[:, 0] / (total or 1.0)
    without = values_without({"": measure}, units).get("")
    if without is None:
        return None
    shares = sizes / total if total else sizes
    value = float(measure.value_once(units.rows))
    changes = (1 - shares) * np.where(np.isnan(without), 0.0, value - without)
    parts: np.ndarray = changes + shares * (value - changes.sum())
    return parts


def _numbers_of(systems: Sequence[Rows]) -> list[list[np.ndarray]]:
    """The contents of each row of each system as numeric columns, float64 (n,), equal for equal values, including
    lists.
    """
    numbers: list[list[np.ndarray]] = [[] for _ in systems]
    for arrays in zip(*(rows.arrays for rows in systems), strict=True):
        columns: Sequence[Any] = arrays
        if any(isinstance(array, Ragged) for array in arrays):
            columns = np.split(join_rows(arrays).codes(), len(arrays))
        for of_system, column in zip(numbers, columns, strict=True):
            of_system.append(np.asarray(column, np.float64))
    return numbers


def row_keys(columns: Iterable[np.ndarray]) -> np.ndarray:
    """A 64-bit number for each row of columns (n,): equal for equal rows, and by chance for 1 in 10^19 pairs of different
    rows.
    """
    keys = np.zeros(1, np.uint64)
    for column in columns:
        bits = np.where(np.isnan(column), _NAN, column + 0.0).view(np.uint64)  # one form of NaN and of zero
        keys = _mixed(keys ^ bits) + _STEP
    return keys


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """64-bit numbers with their bits mixed (splitmix64, Steele, Lea and Flood, 2014)."""
    numbers = (numbers ^ (numbers >> _SHIFTS[0])) * _ODD[0]
    numbers = (numbers ^ (numbers >> _SHIFTS[1])) * _ODD[1]
    mixed: np.ndarray = numbers ^ (numbers >> _SHIFTS[2])
    return mixed
