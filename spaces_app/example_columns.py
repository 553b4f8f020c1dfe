"""Columns of single examples, and the same examples in two systems."""

from collections.abc import Sequence

import numpy as np

from qassay.reports.values import in_scale
from qassay.spaces_app.analysis import Analysis


def measure_values(analysis: Analysis, system: str, measure: str) -> np.ndarray | None:
    """A measure's value by each example alone, in the scale of the report; None: it has none."""

    def make() -> np.ndarray | None:
        scores = in_scale({system: analysis.scores(system)}, analysis.settings.percent)[system]
        return scores.measures[measure].by_example(scores.rows) if measure in scores.measures else None

    return analysis.once(("measure_values", system, measure), make)


def rows_in(analysis: Analysis, other: str, system: str) -> Sequence[int | None]:
    """For each example of a system its place in the scores of another; None if the other does not have it."""

    def make() -> Sequence[int | None]:
        own_ids, other_ids = analysis.scores(system).ids, analysis.scores(other).ids
        if own_ids == other_ids:
            return range(len(own_ids))
        place = {identifier: row for row, identifier in enumerate(other_ids)}
        return [place.get(identifier) for identifier in own_ids]

    return analysis.once(("rows_in", other, system), make)


def at_rows_of(analysis: Analysis, other: str, system: str, column: np.ndarray) -> np.ndarray:
    """A column of another system in the order of the examples of a system; NaN where the other does not have one."""
    rows = rows_in(analysis, other, system)
    if isinstance(rows, range):
        return column
    return np.array([np.nan if row is None else column[row] for row in rows])
