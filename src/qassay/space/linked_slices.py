"""Slices that only the tab Errors has, which links from other tabs ask for: by human labels, thresholds, runs and classes."""

from collections.abc import Sequence

import numpy as np

from ..core.slices import first_that_holds, mask_labels
from .analysis import Analysis
from .class_slices import is_of_class
from .example_columns import at_rows_of
from .human_labels import labels_of
from .runs_slices import labels_by_runs
from .threshold_slices import labels_by_threshold

LABEL, LABELLED = "human label", "has a human label"
RIGHT, PARTLY, WRONG, UNLABELLED = "right", "partly right", "wrong", "none"
_BOTH = "has human labels, as has "  # the name of another system follows


def both_labelled(other: str) -> str:
    """The name of the slice of the examples that have a human label in another system too."""
    return f"{_BOTH}{other}"


def is_of_labels(name: str) -> bool:
    """Whether a slice is by human labels."""
    return name in (LABEL, LABELLED) or name.startswith(_BOTH)


def offered(analysis: Analysis, system: str) -> list[str]:
    """The names to choose from; others are only in addresses."""
    has_own = labels_of(analysis, system) is not None and not is_in_files(analysis, LABEL)
    return [LABEL] if has_own else []


def part_labels(analysis: Analysis, system: str, name: str) -> Sequence[str]:
    """The label of each example of a system in a slicing, one of these or any of the files.

    Raises:
        ValueError: no such slicing.
    """
    own = None if is_in_files(analysis, name) else _own_labels(analysis, system, name)
    return analysis.labels(system, name) if own is None else own


def in_part(analysis: Analysis, system: str, part: str) -> np.ndarray:
    """Which examples of a system are in a part, "slicing:label", bool (n,).

    Raises:
        ValueError: no such slicing.
    """
    name, _, label = part.partition(":")
    of_class = None if is_in_files(analysis, name) else is_of_class(analysis, system, part)
    if of_class is not None:
        return of_class
    return np.array([own == label for own in part_labels(analysis, system, name)], bool)


def has_own(analysis: Analysis, system: str, part: str) -> bool | None:
    """Whether a system has examples in a part of one of these slicings; None: it is of another one."""
    name = part.partition(":")[0]
    if is_in_files(analysis, name):
        return None
    is_own = is_of_class(analysis, system, part) is not None or _own_labels(analysis, system, name) is not None
    return bool(in_part(analysis, system, part).any()) if is_own else None


def is_in_files(analysis: Analysis, name: str) -> bool:
    """Whether a column of the files has this name, which then means the column."""
    return name in analysis.gold.details or name in analysis.gold.given


def _own_labels(analysis: Analysis, system: str, name: str) -> Sequence[str] | None:
    if is_of_labels(name):
        return _labels_by_people(analysis, system, name)
    own = labels_by_threshold(analysis, system, name)
    return labels_by_runs(analysis, system, name) if own is None else own


def _labels_by_people(analysis: Analysis, system: str, name: str) -> Sequence[str] | None:
    verdicts = labels_of(analysis, system)
    if verdicts is None:
        return None
    if name == LABEL:
        conditions = {RIGHT: verdicts == 1, WRONG: verdicts == 0, PARTLY: ~np.isnan(verdicts)}
        return first_that_holds(conditions, UNLABELLED)
    if name == LABELLED:
        return mask_labels(~np.isnan(verdicts))
    other = name.removeprefix(_BOTH)
    theirs = labels_of(analysis, other) if other in analysis.systems else None
    if theirs is None:
        return None
    return mask_labels(~np.isnan(verdicts) & ~np.isnan(at_rows_of(analysis, other, system, theirs)))
