"""Resampling: how often each example or group counts, and the resulting values of measures."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .groups import Groups
from .interval_settings import Intervals
from .measures import Measure, Rows, TermMeasure
from .ragged import Ragged, begins_run

CELLS_AT_ONCE = 1 << 22  # resampling weights per block


def row_codes(arrays: Sequence[np.ndarray | Ragged], n: int) -> np.ndarray:
    """Number the rows of n-long columns, int64 (n,): equal rows have equal numbers, in an order that depends only on
    the values.
    """
    codes = np.zeros(n, np.int64)
    for array in arrays:
        array = array.codes() if isinstance(array, Ragged) else array
        if n == 0 or (array[0] == array).all():
            continue
        values, inverse = np.unique(array, return_inverse=True)
        _, codes = np.unique(codes * len(values) + inverse, return_inverse=True)
    return codes


def rows_at_once(cells: int, size: int, measures: Iterable[Measure]) -> int:
    """How many rows of counts measures get at a time: with `size` counts each, and the sums that the measures hold for each,
    they have at most so many cells.
    """
    return max(1, cells // max(1, size, *(measure.n_sums for measure in measures)))


def resampling_weights(counts: np.ndarray, n_resamples: int, seed: int) -> Iterable[np.ndarray]:
    """Bootstrap weights of g kinds of examples with `counts` (g,): blocks of (b, g) floats, n_resamples rows in
    total.
    """
    rng = np.random.default_rng(seed)
    n = int(counts.sum())
    few = 8 * len(counts) <= n  # then one multinomial draw per kind is cheaper than one draw per example
    kind_of = np.zeros(0, np.int64) if few else np.repeat(np.arange(len(counts)), counts)
    step = max(1, CELLS_AT_ONCE // max(1, len(counts)))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        if n == 0:
            yield np.zeros((size, 0))
        elif few:
            yield rng.multinomial(n, counts / n, size=size).astype(np.float64)
        else:
            draws = (np.bincount(kind_of[rng.integers(0, n, n)], minlength=len(counts)) for _ in range(size))
            yield np.stack([draw.astype(np.float64) for draw in draws])


class Members(NamedTuple):
    """The distinct rows in each group: group `group[i]` contains row `row[i]` `times[i]` times, sorted by row."""

    group: np.ndarray
    row: np.ndarray
    times: np.ndarray
    n_groups: int
    n_rows: int

    @classmethod
    def of(cls, rows: np.ndarray, groups: Groups, n_rows: int) -> "Members":
        """Make it from the row and the group of each example, (n,); every row below `n_rows` occurs."""
        n_groups = len(groups.labels)
        keys, times = np.unique(rows * n_groups + groups.codes, return_counts=True)
        return cls(keys % n_groups, keys // n_groups, times.astype(np.float64), n_groups, n_rows)

    def sums(self, terms: np.ndarray) -> np.ndarray:
        """Terms of rows (rows, t) summed by group, (groups, t)."""
        parts = terms[self.row] * self.times[:, None]
        return np.column_stack([np.bincount(self.group, part, self.n_groups) for part in parts.T])

    def counts_of(self, drawn: np.ndarray) -> np.ndarray:
        """How often each row counts, (b, rows), given how often each group counts, (b, groups)."""
        spread: np.ndarray = drawn[:, self.group] * self.times
        if len(self.row) == self.n_rows:
            return spread
        added: np.ndarray = np.add.reduceat(spread, np.flatnonzero(begins_run(self.row)), axis=1)
        return added


class Units(NamedTuple):
    """The units that are drawn: examples or groups, in an order that depends only on the values and the names of
    groups.

    `rows` are the distinct rows of the examples. Without groups a unit is an example, and `counts` is the number of
    examples of each row; with groups, `members` has the rows of each group, and each group counts once.
    """

    rows: Rows
    counts: np.ndarray
    members: Members | None

    @property
    def row_counts(self) -> np.ndarray:
        """How many examples have each row, (rows,)."""
        return self.counts if self.members is None else self.members.counts_of(np.ones((1, len(self.counts))))[0]

    def sums(self, terms: Sequence[np.ndarray]) -> np.ndarray:
        """Terms of rows, (rows,) each, summed by unit, (units, t)."""
        matrix = np.column_stack(terms)
        return matrix if self.members is None else self.members.sums(matrix)


def units_of(rows: Rows, groups: Groups | None, reading: Iterable[Measure]) -> Units:
    """The units to draw for some measures; examples that are equal in all columns these read are one kind, drawn by counts."""
    sources = list(reading)
    used = Rows(
        {name: rows.columns[name] for name in dict.fromkeys(n for m in sources for n in m.reads)},
        {name: rows.subsets[name] for name in dict.fromkeys(m.subset for m in sources) if name},
        rows.weights,
    )
    numbers = row_codes(used.arrays, len(rows.weights))
    _, kinds, codes, counts = np.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
    if groups is None or groups.are_single:
        return Units(used.take(kinds), counts, None)
    members = Members.of(codes, groups, len(kinds))
    return Units(used.take(kinds), np.ones(members.n_groups, np.int64), members)


def resampled_values(measures: Mapping[str, Measure], units: Units, settings: Intervals) -> dict[str, np.ndarray]:
    """The values of measures on resampled units, (n_resamples,) each; NaN if no example remains.

    The same units and the same seed give the same draws.
    """
    return {name: values[:, 0] for name, values in resampled_tables(measures, [units], settings).items()}


def resampled_tables(
    measures: Mapping[str, Measure], tables: Sequence[Units], settings: Intervals
) -> dict[str, np.ndarray]:
    """The values of measures when the same units are resampled in several tables, (n_resamples, tables) each.

    Args:
        tables: the units with the rows of each table; they have the same counts.
    """
    n_tables, n_units = len(tables), tables[0].counts
    starts: dict[Hashable, slice] = {}  # measures with equal sums share columns
    columns: list[np.ndarray] = [np.zeros((len(n_units), 0))]
    width = 0
    for measure in measures.values():
        if isinstance(measure, TermMeasure) and measure.sums_key not in starts:
            sums = np.concatenate([units.sums(measure.terms(units.rows)) for units in tables], axis=1)
            starts[measure.sums_key] = slice(width, width + sums.shape[1])
            columns, width = [*columns, sums], width + sums.shape[1]
    matrix = np.concatenate(columns, axis=1)
    values = {name: np.empty((settings.n_resamples, n_tables)) for name in measures}
    others = {name: measure for name, measure in measures.items() if not isinstance(measure, TermMeasure)}
    size = max(len(units.rows.weights if units.members is None else units.members.row) for units in tables)
    step = rows_at_once(CELLS_AT_ONCE, size, others.values())
    done = 0
    for counts in resampling_weights(n_units, settings.n_resamples, settings.seed) if measures else ():
        totals = (counts @ matrix).T
        for name, measure in measures.items():
            if isinstance(measure, TermMeasure):
                for table, sums in enumerate(np.split(totals[starts[measure.sums_key]], n_tables)):
                    values[name][done : done + len(counts), table] = measure.value_of(sums)
        for start in range(0, len(counts), step) if others else ():
            some = counts[start : start + step]
            block, last, of_rows = slice(done + start, done + start + len(some)), None, some
            for table, (rows, _, members) in enumerate(tables):
                if members is not last:
                    of_rows, last = some if members is None else members.counts_of(some), members
                for name, other in others.items():
                    values[name][block, table] = other.value(rows, of_rows)
        done += len(counts)
    return values
