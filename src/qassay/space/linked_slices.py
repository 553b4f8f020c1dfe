"""Slices that only the tab Errors has, which links from other tabs ask for: by thresholds, runs and classes."""

from collections.abc import Sequence

import numpy as np

from .analysis import Analysis
from .class_slices import is_of_class
from .runs_slices import labels_by_runs
from .threshold_slices import labels_by_threshold


def in_part(analysis: Analysis, system: str, part: str) -> np.ndarray:
    """Which examples of a system are in a part, "slicing:label", bool (n,).

    Raises:
        ValueError: no such slicing.
    """
    name, _, label = part.partition(":")
    is_own = not is_in_files(analysis, name)
    of_class = is_of_class(analysis, system, part) if is_own else None
    if of_class is not None:
        return of_class
    labels = _own_labels(analysis, system, name) if is_own else None
    labels = analysis.labels(system, name) if labels is None else labels
    return np.array([own == label for own in labels], bool)


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
    own = labels_by_threshold(analysis, system, name)
    return labels_by_runs(analysis, system, name) if own is None else own
