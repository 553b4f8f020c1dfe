"""The columns that average_precision reads: scores and classes in every layout, as checked arrays."""

import numbers
from collections.abc import Mapping, Sequence
from itertools import repeat
from operator import eq
from typing import Any

import numpy as np

from ..core.columns import counted, finite_numbers, is_list, is_real, real_numbers, with_id
from ..core.errors import InputError, about
from ..core.intake import PREDICTIONS, REFERENCES, Table
from ..core.label_columns import (
    SET_TYPES,
    distinct_labels,
    is_matrix,
    is_sparse,
    list_column,
    scored_column,
    set_column,
)
from ..core.label_encoding import LabelColumn, LabelList, code_columns, label_kind, plain_label
from ..core.options import did_you_mean
from ..core.ragged import Ragged
from ..core.shown import describe, option_text, shown

_GIVE_SCORES = "give a number per example, or per example a dict {class: score} or a list with a score per class"
_GIVE_BINARY = "give True or False, 1 or 0, or name the positive class by the option pos_label"
_GIVE_CLASSES = "give every example a list of classes like the first one"


def read_scored(
    table: Table, labels: LabelList | None, pos_label: Any
) -> tuple[dict[str, np.ndarray | Ragged], LabelList | None]:
    """Checked scores and classes of one score per example or one per class; labels and pos_label are options.

    Returns:
        `score` (n,) and `label` (n,), 1 or 0, and None; or the lists `scores` (a score per class) and `labels` (class
        numbers), and the classes in the order of the scores.
    """
    predictions, references = table.columns[PREDICTIONS], table.columns[REFERENCES]
    for name, column in ((PREDICTIONS, predictions), (REFERENCES, references)):
        if is_sparse(column):
            raise InputError(name, f"{name} is a sparse matrix; give an array, by its method toarray()")
    first = predictions[0]
    if not isinstance(first, Mapping) and not is_list(first):
        if labels is not None:
            raise ValueError(
                f"option labels is for a score per class, but predictions[0] is {describe(first)}; {_GIVE_SCORES}"
            )
        with about(PREDICTIONS):
            _refuse_flags(predictions)
            score = finite_numbers(predictions, lambda row: f"predictions[{row}]{with_id(table.ids, row)}")
        with about(REFERENCES):
            label = _positives(references, pos_label, table.ids)
        return {"score": score.astype(np.float64), "label": label.astype(np.float64)}, None
    if pos_label is not None:
        raise ValueError("option pos_label is for one score per example; here every class has a score, omit it")
    with about(REFERENCES):
        gold = _class_column(references)
    with about(PREDICTIONS):
        if isinstance(first, Mapping):
            scored, flat = scored_column(predictions, PREDICTIONS)
        else:
            matrix = _score_matrix(predictions, table.ids)
            scored = LabelColumn(PREDICTIONS, np.empty(0, np.int64), numbered=True, width=matrix.shape[1])
    if isinstance(first, Mapping) and labels is None and gold.numbered:  # columns of the classes that have scores
        labels = LabelList(code_columns([scored], None, table.ids)[1].labels)
    (found, true), classes = code_columns([scored, gold], labels, table.ids)
    check_classes([scored, gold], table.ids)
    if isinstance(first, Mapping):
        matrix = _matrix_of_dicts(predictions, found, flat, classes, table.ids)
    n, width = matrix.shape
    truth = Ragged(gold.offsets, true)
    _check_distinct(truth, classes, table.ids)
    return {"scores": Ragged(np.arange(n + 1) * width, matrix.reshape(-1)), "labels": truth}, classes


# --- one score per example --------------------------------------------------------------------------------------------


def _positives(column: Any, pos_label: Any, ids: Sequence[Any]) -> np.ndarray:
    """Which examples are positive, bool (n,)."""
    if is_matrix(column):
        raise TypeError("references has a row of several values per example, but predictions have one score each")
    if pos_label is not None:
        return _equal_to(column, pos_label, ids)
    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        return column
    row: int | None = None
    kind: type[Exception] = ValueError
    try:
        values = column if isinstance(column, np.ndarray) else real_numbers(column)
    except TypeError:
        row, kind = next(row for row, value in enumerate(column) if not is_real(value)), TypeError
    else:
        bad = np.flatnonzero((values != 0) & (values != 1))
        row = int(bad[0]) if len(bad) else None
    if row is not None:
        raise kind(
            f"references[{row}]{with_id(ids, row)} must be True or False, 1 or 0, got "
            f"{describe(plain_label(column[row]))}; {_GIVE_BINARY}"
        )
    return values.astype(bool)


def _equal_to(column: Any, pos_label: Any, ids: Sequence[Any]) -> np.ndarray:
    """Which values are the positive class; refuses another type, and a class that does not occur."""
    values = column.tolist() if isinstance(column, np.ndarray) else list(map(_plain_cell, column))
    kind = str if isinstance(pos_label, str) else numbers.Real
    if not all(issubclass(other, kind) for other in set(map(type, values))):
        row = next(row for row, value in enumerate(values) if not isinstance(value, kind))
        what = "a string" if kind is str else "a number"
        raise TypeError(
            f"references[{row}]{with_id(ids, row)} must be {what} like {option_text('pos_label', pos_label)}, "
            f"got {describe(values[row])}"
        )
    is_positive = np.fromiter(map(eq, values, repeat(pos_label)), bool, len(values))
    if not is_positive.any():
        others = sorted(set(values))
        if len(others) > 1:  # one other class alone may be all negatives
            classes = ", ".join(map(shown, others[:5])) + (", ..." if len(others) > 5 else "")
            near = did_you_mean(pos_label, [other for other in others if isinstance(other, str)])
            message = f"option {option_text('pos_label', pos_label)} is not a class of the references{near}"
            raise InputError("", f"{message}; they are: {classes}")
    return is_positive


# --- a score per class ------------------------------------------------------------------------------------------------


def _class_column(column: Any) -> LabelColumn:
    """The right class of each example, or its right classes, or a row of bools with one for every class."""
    if is_matrix(column) and column.dtype.kind in "biuf":
        return set_column(column, REFERENCES)
    rows: Any = column if isinstance(column, np.ndarray) else [_plain_cell(cell) for cell in column]
    rows = rows.tolist() if is_matrix(rows) else rows
    if not isinstance(rows[0], SET_TYPES):
        return LabelColumn(REFERENCES, rows)
    if all(is_list(row) and len(row) and all(isinstance(value, (bool, np.bool_)) for value in row) for row in rows):
        return set_column(rows, REFERENCES, indicator=True)
    return list_column(list(rows), REFERENCES, SET_TYPES, _GIVE_CLASSES)


def _plain_cell(cell: Any) -> Any:
    """A cell, of an array without dimensions its value, None where that is masked."""
    if not isinstance(cell, np.ndarray) or cell.ndim:
        return cell
    return None if cell is np.ma.masked else cell.item()


def check_classes(columns: Sequence[LabelColumn], ids: Sequence[Any]) -> None:
    """Refuse labels, all of one type, that are neither strings nor integers."""
    column = next((column for column in columns if len(column.flat)), None)
    if column is not None and label_kind(type(column.flat[0])) not in ("int", "str"):
        message = f"{column.where(ids, 0)} must be a string or an integer, got {describe(column.flat[0])}"
        raise InputError(column.name, message)


def _check_distinct(truth: Ragged, classes: LabelList, ids: Sequence[Any]) -> None:
    if len(distinct_labels(truth.lengths, truth.values).values) == len(truth.values):
        return
    for row, codes in enumerate(truth.tolist()):
        twice = next((code for index, code in enumerate(codes) if code in codes[:index]), None)
        if twice is not None:
            message = (
                f"references[{row}]{with_id(ids, row)} has the class {shown(classes.labels[twice])} twice; give each class "
                "once (a row of 0 and 1 for all classes must contain True and False)"
            )
            raise InputError(REFERENCES, message)


def _matrix_of_dicts(
    predictions: Sequence[Mapping[Any, Any]],
    codes: np.ndarray,
    scores: np.ndarray,
    classes: LabelList,
    ids: Sequence[Any],
) -> np.ndarray:
    """A score per example and class, (n, c), of dicts that each have all classes."""
    lengths = np.fromiter(map(len, predictions), np.int64, len(predictions))
    short = np.flatnonzero(lengths < len(classes))
    if len(short):
        absent = next(label for label in classes.labels if label not in predictions[short[0]])
        message = f"predictions[{short[0]}]{with_id(ids, short[0])} has no score for the class {shown(absent)}"
        raise InputError(PREDICTIONS, f"{message}; give every class a score")
    matrix = np.empty((len(predictions), len(classes)))
    matrix[np.repeat(np.arange(len(predictions)), lengths), codes] = scores
    return matrix


def _score_matrix(column: Any, ids: Sequence[Any]) -> np.ndarray:
    """A score per example and class, (n, c) float64, of lists or an array."""
    _refuse_flags(column)
    width = len(column[0])
    if not width:
        raise ValueError(f"predictions[0]{with_id(ids, 0)} has no score; {_GIVE_SCORES}")
    flat = column
    if not is_matrix(column) or column.dtype.kind not in "biuf":
        for row, scores in enumerate(column):
            if not is_list(scores):
                raise TypeError(
                    f"predictions[{row}]{with_id(ids, row)} must be a list like the first one, got {describe(scores)}"
                )
            if len(scores) != width:
                has = counted(len(scores), "scores")
                raise ValueError(f"predictions[{row}]{with_id(ids, row)} has {has}, the first row has {width}")
        flat = [score for scores in column for score in scores]

    def where(index: int) -> str:
        row, label = divmod(index, width)
        return f"predictions[{row}][{label}]{with_id(ids, row)}"

    return finite_numbers(flat, where).astype(np.float64, "C").reshape(-1, width)


def _refuse_flags(column: Any) -> None:
    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        raise TypeError(f"predictions are True and False, but scores are needed; {_GIVE_SCORES}")
