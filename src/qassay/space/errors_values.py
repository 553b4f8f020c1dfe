"""The values and kinds of single examples, which lists, filters and cards of the tab Errors share."""

import numpy as np

from ..core.measures import are_graded, are_right_or_wrong
from .analysis import Analysis
from .example_columns import measure_values, scores_with
from .findings import headline_measure


def kinds_of(analysis: Analysis, system: str) -> list[str] | None:
    """The kind of error of each example."""
    return analysis.error_kinds and analysis.error_kinds[system]


def right_by_kind(analysis: Analysis, system: str) -> np.ndarray | None:
    """Which examples are right, bool (n,), by their kinds; None if they have no kinds."""

    def make() -> np.ndarray | None:
        kinds, right = kinds_of(analysis, system), analysis.telling.errors.right
        return None if kinds is None else np.array([kind in right for kind in kinds], bool)

    return analysis.once(("right_by_kind", system), make)


def example_measures(analysis: Analysis) -> list[str]:
    """The measures with a value for single examples: the main measures, then measures of the examples that these omit."""
    return analysis.once("example_measures", lambda: _example_measures(analysis))


def _example_measures(analysis: Analysis) -> list[str]:
    first = analysis.scores(analysis.systems[0])
    candidates = dict.fromkeys([*analysis.main_measures, *analysis.telling.usual_measures(first)])
    names: list[str] = []
    untold = np.ones(len(first), bool)
    for name in candidates:
        of_each = measure_values(analysis, analysis.systems[0], name)
        if of_each is None or not first.measures[name].is_rate:
            continue
        applies = ~np.isnan(of_each)
        if name in analysis.main_measures or (applies & untold).any():
            names.append(name)
            untold &= ~applies
    return names


def leading_measures(analysis: Analysis) -> list[str]:
    """The measures that make up the column of values: for each example the first that applies.

    The measure of the answer comes first, then graded ones: F1 says more about one answer than exact match.
    """
    names = example_measures(analysis)
    headline = headline_measure(analysis)

    def is_graded(name: str) -> bool:
        of_each = [measure_values(analysis, system, name) for system in analysis.systems]
        return any(column is not None and are_graded(column) for column in of_each)

    return analysis.once(
        "leading_measures", lambda: sorted(names, key=lambda name: (name != headline, not is_graded(name)))
    )


def values(analysis: Analysis, system: str) -> np.ndarray:
    """The value of each example, (n,), by the first of `leading_measures` that applies; NaN without one."""
    return _leading_values(analysis, system)[0]


def values_of(analysis: Analysis, system: str, measure: str = "") -> np.ndarray:
    """The values of a measure that has them for single examples, (n,); without a measure as `values`."""
    column = measure_values(analysis, system, measure) if measure else None
    return values(analysis, system) if column is None else column


def value_names(analysis: Analysis, system: str) -> list[str]:
    """The measures that the column of values of a system really holds."""
    return _leading_values(analysis, system)[1]


def _leading_values(analysis: Analysis, system: str) -> tuple[np.ndarray, list[str]]:
    """The column of values, and the measures in it."""

    def make() -> tuple[np.ndarray, list[str]]:
        names, column = [], np.full(len(analysis.scores(system)), np.nan)
        for name in leading_measures(analysis):
            own = measure_values(analysis, system, name)
            if own is not None and (np.isnan(column) & ~np.isnan(own)).any():
                names.append(name)
                column = np.where(np.isnan(column), own, column)
        return column, names

    return analysis.once(("leading_values", system), make)


# --- two systems ------------------------------------------------------------------------------------------------------


def is_known_measure(analysis: Analysis, measure: str) -> bool:
    """Whether every system has values of this measure by single examples."""
    return all(measure_values(analysis, system, measure) is not None for system in analysis.systems)


def goodness(analysis: Analysis, system: str, measure: str = "") -> np.ndarray:
    """How good each example is, (n,), the larger the better: the value of a measure, by default of `values`; NaN for none."""
    column = measure_values(analysis, system, measure) if measure else values(analysis, system)
    if column is None:
        return np.full(len(analysis.scores(system)), np.nan)
    names = [measure] if measure else value_names(analysis, system)[:1]
    having = ((scores_with(analysis, system, name), name) for name in names)
    is_lower = any(scores is not None and scores.measures[name].lower_is_better for scores, name in having)
    return -column if is_lower else column


def rightness(analysis: Analysis, system: str, measure: str = "") -> np.ndarray:
    """Which examples are right, (n,): 1, 0, and NaN where nothing says it.

    By a measure it is the examples with its best value; without one, what kinds of errors say, or the first measure by
    which every example is right or wrong, as in Compare.
    """

    def make() -> np.ndarray:
        by_kind = right_by_kind(analysis, system)
        if not measure and by_kind is not None:
            return by_kind.astype(float)
        usual = analysis.telling.usual_measures(analysis.scores(system))
        candidates = [*example_measures(analysis), *usual]
        names = [measure] if measure else [name for name in candidates if _tells_right(analysis, name)]
        column = goodness(analysis, system, names[0] if names else "")
        best = 0.0 if (column[~np.isnan(column)] < 0).any() else (100.0 if analysis.settings.percent else 1.0)
        return np.where(np.isnan(column), np.nan, column >= best)

    return analysis.once(("rightness", system, measure), make)


def _tells_right(analysis: Analysis, measure: str) -> bool:
    of_first = analysis.scores(analysis.systems[0]).measures
    if measure not in of_first or not of_first[measure].is_rate:
        return False
    columns = [measure_values(analysis, system, measure) for system in analysis.systems]
    return all(column is not None and are_right_or_wrong(column) for column in columns)
