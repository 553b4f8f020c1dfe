"""Columns of single examples, and the same examples in two systems."""

from collections.abc import Sequence

import numpy as np

from ..core.scores import Scores
from ..reports.values import in_scale
from .analysis import Analysis


def scores_with(analysis: Analysis, system: str, measure: str) -> Scores | None:
    """The scores of a system by the first metric that has a measure; None: no metric has it."""
    of_metrics = (scored.scores.get(system) for scored in analysis.scored)
    return next((scores for scores in of_metrics if scores is not None and measure in scores.measures), None)


def measure_values(analysis: Analysis, system: str, measure: str) -> np.ndarray | None:
    """A measure's value by each example alone, in the scale of the report; None: it has none.

    Of another metric than the main one in the order of its examples, NaN where the other metric does not have one.
    """

    def make() -> np.ndarray | None:
        scores = scores_with(analysis, system, measure)
        if scores is None:
            return None
        own = in_scale({system: scores}, analysis.settings.percent)[system]
        column, ids = own.measures[measure].by_example(own.rows), analysis.scores(system).ids
        if column is None or scores.ids == ids:
            return column
        place = {identifier: row for row, identifier in enumerate(scores.ids)}
        return np.array([column[place[identifier]] if identifier in place else np.nan for identifier in ids])

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
