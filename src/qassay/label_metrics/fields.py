"""What the columns of label_metrics hold: a label, a set of labels or a ranking of labels per row."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.errors import InputError
from ..core.label_columns import SET_TYPES, is_matrix
from ..core.label_encoding import LabelColumn
from ..core.shown import describe


def label_task(predictions: Any, references: Any, indicator: bool) -> str:
    """The task by the layouts of both columns: "single", "multi" or "ranked"; refuse ambiguous layouts."""
    first, second = _label_layout(predictions), _label_layout(references)
    if first == "scores" and second == "one":
        raise TypeError(
            "predictions have a score per class, and references one label per row; give the label of the largest score, "
            "such as scores.argmax(axis=1), or for rankings a list of true labels per row"
        )
    if first in ("scored", "ranks", "scores"):
        return "ranked"
    if indicator or first in ("set", "indicator") or (first == "flags" and second in ("indicator", "flags")):
        return "multi"
    if first == "one":
        if second != "one":
            raise ValueError("predictions hold one label per row and references several; give lists of labels in both")
        return "single"
    advice = "give the option task=multi or task=ranked"
    if first == "list":
        raise ValueError("lists of labels may be sets or rankings, best first; " + advice)
    raise ValueError("a matrix of 0 and 1 may be an indicator, label numbers or scores; " + advice)


def _label_layout(column: Any) -> str:
    """The layout of rows: "one" label, "list", "set" or "scored" labels.

    Of a matrix: "indicator" (bools), "flags" (0 and 1), "ranks" or "scores".
    """
    if is_matrix(column):
        if column.dtype.kind == "b":
            return "indicator"
        if np.isin(column[:1000], (0, 1)).all() and np.isin(column, (0, 1)).all():
            return "flags"
        return "scores" if column.dtype.kind == "f" else "ranks"
    first = column[0] if len(column) else None
    if isinstance(first, Mapping):
        return "scored"
    if isinstance(first, (set, frozenset)):
        return "set"
    return "list" if isinstance(first, (list, tuple, np.ndarray)) else "one"


def one_label_column(column: Any, name: str) -> LabelColumn:
    """A column of one label per row."""
    if is_matrix(column):
        raise InputError(
            name, f"{name} is a matrix, and task=single needs one label per row", "use task=multi or ranked"
        )
    first = column[0] if len(column) else None
    if isinstance(first, (Mapping, *SET_TYPES)) and not isinstance(first, (tuple, frozenset)):
        found = f"is {describe(first)}, and task=single needs one label per row, a string or an integer"
        raise InputError(name, found, "for several labels per row give the option task=multi or ranked", 0)
    return LabelColumn(name, column)
