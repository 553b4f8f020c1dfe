"""Converts columns of labels in every layout to `LabelColumn`: lists, sets, indicator matrices, scores by label."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from .arrow import numbers_of
from .columns import check_rows, finite_numbers, is_list, is_real, is_table, table_columns, to_list
from .errors import InputError
from .intake import GROUPS, PREDICTIONS, REFERENCES, WEIGHTS, Field, Kind, id_key_of
from .label_encoding import LabelColumn, plain_label
from .ragged import Ragged, begins_run
from .shown import describe, shown

SET_TYPES = (list, tuple, set, frozenset, np.ndarray)
_GIVE_LISTS = "give a list or a set of labels per row, [] for a row without labels"
_WITH_ARRAYS = ("pandas", "polars", "torch")
_ARROW_NUMBERS = ("int", "uint", "halffloat", "float", "double", "bool")


# --- columns as they are given ----------------------------------------------------------------------------------------


def array_or_list(column: Any, name: str) -> Any:
    """A column of labels or scores as an array (n,) of numbers or bools, or (n, c); anything else as a list.

    Raises:
        InputError: not a column, a sparse matrix, or an array with masked values.
    """
    if isinstance(column, list):
        return column
    if hasattr(column, "tocsr"):
        raise InputError(name, f"{name} is a sparse matrix", "give an array, by its method toarray()")
    if is_table(column) and (key := id_key_of({str(key): key for key in table_columns(column)}, name)) is not None:
        action = "give one of its columns, with ids=, or a dict by id"
        raise InputError(name, f"{name} is a whole table with the column {key!r}", action)
    if np.ma.is_masked(column):
        row = int(np.argwhere(np.atleast_1d(np.ma.getmaskarray(column)))[0][0])
        raise InputError(name, f"{name}[{row}] is masked", "fill in the masked values")
    array = column
    if hasattr(column, "null_count") and str(getattr(column, "type", "")).rstrip("0123456789") in _ARROW_NUMBERS:
        array = None if column.null_count else numbers_of(column)
    elif type(column).__module__.partition(".")[0] in _WITH_ARRAYS:
        column = column.detach().cpu() if hasattr(column, "detach") else column
        try:
            array = np.asarray(column)
        except TypeError:  # number types that numpy lacks, such as bfloat16
            array = np.asarray(column.float())
    if isinstance(array, np.ndarray) and (array.ndim == 2 or array.ndim == 1 and array.dtype.kind in "biuf"):
        return np.asarray(array)
    return to_list(column, name)


def is_matrix(column: Any) -> bool:
    """Whether this is an array of two dimensions, as `array_or_list` gives it."""
    return isinstance(column, np.ndarray) and column.ndim == 2


# Rows of labels, scores or boxes: those of predictions and references are checked together, by what encodes them.
ROWS = Kind(lambda cells: cells.values, none_is_missing=False, column=array_or_list)
ROW_FIELDS = (Field(REFERENCES, ROWS, REFERENCES), Field(PREDICTIONS, ROWS, PREDICTIONS), WEIGHTS, GROUPS)


# --- layouts of label sets and of scores by label ----------------------------------------------------------------------


def set_column(column: Any, name: str, indicator: bool = False) -> LabelColumn:
    """A column of label sets: lists, sets or an indicator matrix.

    Args:
        column: as `array_or_list` gives it.
        indicator: lists are rows of 0 and 1 too.
    """
    if not is_matrix(column) and not indicator:
        lists = list_column(to_list(column, name), name, SET_TYPES, _GIVE_LISTS)
        _refuse_flags(lists)
        return lists
    array = column if is_matrix(column) else _matrix_of(to_list(column, name), name)
    flags = (array == 0) | (array == 1) if array.dtype.kind in "biuf" else np.zeros(array.shape, bool)
    if not flags.all():
        row, label = np.argwhere(~flags)[0].tolist()
        found = f"{name}[{row}][{label}] is {shown(plain_label(array[row, label]))}"
        action = "an indicator matrix holds 0 and 1 only; give label numbers as lists, and scores as predictions"
        raise InputError(name, found, action)
    rows, columns = np.nonzero(array)
    return LabelColumn(name, columns, np.bincount(rows, minlength=len(array)), True, array.shape[1])


def list_column(rows: list[Any], name: str, types: tuple[type, ...], advice: str) -> LabelColumn:
    """A column of lists of labels."""
    if not set(map(type, rows)) <= set(types) - {np.ndarray}:
        rows = [value.tolist() if isinstance(value, np.ndarray) else value for value in rows]
        check_rows(rows, name, (), types, advice)
    return LabelColumn(name, list(chain.from_iterable(rows)), np.fromiter(map(len, rows), np.int64, len(rows)))


def scored_column(rows: list[Any], name: str) -> tuple[LabelColumn, np.ndarray]:
    """Dicts label -> score as a column of labels, and the score of each, float64."""
    column = list_column(rows, name, (Mapping,), "give every row as a dict label -> score, like the first one")

    def where(index: int) -> str:
        row = int(np.searchsorted(column.offsets, index, "right")) - 1
        return f"{name}[{row}][{shown(plain_label(column.flat[index]))}]"

    return column, finite_numbers(list(chain.from_iterable(row.values() for row in rows)), where)


def _matrix_of(rows: list[Any], name: str) -> np.ndarray:
    for row, values in enumerate(rows):
        if not is_list(values) or len(values) != len(rows[0]):
            found = f"must be a list of as many 0 and 1 as the others, got {describe(values)}"
            raise InputError(name, found, "give one for every class", row)
    array = np.array(rows)
    if array.ndim != 2 and len(array):
        raise InputError(name, f"{name} must be rows of 0 and 1, got an array of shape {array.shape}")
    return array.reshape(len(rows), -1)


def _refuse_flags(column: LabelColumn) -> None:
    """Refuse lists of labels that can only be rows of 0 and 1: lists of equal length with duplicate labels."""
    lengths: Any = column.lengths
    width = int(lengths[0]) if len(lengths) else 0
    if width < 2 or (lengths != width).any() or not all(is_real(value) and value in (0, 1) for value in column.flat):
        return
    for row, first in enumerate(range(0, len(column.flat), width)):
        values = column.flat[first : first + width]
        if len(set(values)) < width:
            found = f"is {describe(values)}, and all rows are {width} numbers 0 or 1"
            action = "give the option layout=indicator for rows of 0 and 1 per class, every label number once for lists"
            raise InputError(column.name, found, action, row)


def distinct_labels(lengths: np.ndarray, codes: np.ndarray) -> Ragged:
    """Lists of class numbers as sets: ascending, each number once."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((codes, rows))
    rows, codes = rows[order], codes[order]
    first = begins_run(rows) | begins_run(codes)
    return Ragged(np.append(0, np.cumsum(np.bincount(rows[first], minlength=len(lengths)))), codes[first])
