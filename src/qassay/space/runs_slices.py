"""Slices by what the repeated runs of a system answered to a question, as links name them."""

import re
from collections.abc import Sequence

import numpy as np

from ..core.slices import first_that_holds
from .analysis import Analysis
from .example_columns import at_rows_of, measure_values

ALWAYS, SOMETIMES, NEVER = "right in all", "right in some", "right in none"
_RIGHT = re.compile(r"the runs of (.{1,200}) by (\S{1,60})")


def right_in_runs(system: str, measure: str) -> str:
    """The name of the slicing into questions that all, some or none of the runs of a system answer correctly."""
    return f"the runs of {system} by {measure}"


def labels_by_runs(analysis: Analysis, system: str, name: str) -> Sequence[str] | None:
    """The label of each example of a run in one of these slicings; None: it is not one, or of another system.

    Args:
        analysis: with each run as a separate system.
    """
    found = _RIGHT.fullmatch(name)
    table = found and _values_of_runs(analysis, system, found[1], found[2])
    if table is None:
        return None
    right = table == analysis.report.scale
    is_there = ~np.isnan(table).any(axis=0)
    return first_that_holds({"not in all": ~is_there, ALWAYS: right.all(axis=0), NEVER: ~right.any(axis=0)}, SOMETIMES)


def _values_of_runs(analysis: Analysis, system: str, of: str, measure: str) -> np.ndarray | None:
    """A measure by each question in each run of a system, (r, n), for the questions of one of these runs."""
    runs = [name for name in analysis.systems if name.startswith(f"{of} (")]
    if len(runs) < 2 or system not in runs:
        return None
    columns = {run: measure_values(analysis, run, measure) for run in runs}
    if any(column is None for column in columns.values()):
        return None
    return np.array(
        [at_rows_of(analysis, run, system, column) for run, column in columns.items() if column is not None]
    )
