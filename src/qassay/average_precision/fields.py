"""The columns that average_precision reads: scores and classes in every layout, as checked arrays."""

import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.columns import counted, finite_numbers, id_at, is_list, is_real, real_numbers, with_id
from ..core.errors import InputError, about
from ..core.intake import PREDICTIONS, REFERENCES, Table
from ..core.label_columns import (
    SET_TYPES,
    distinct_labels,
    is_matrix,
    list_column,
    scored_column,
    set_column,
)
from ..core.label_encoding import LabelColumn, LabelList, cell_name, code_columns, plain_label
from ..core.ragged import Ragged
from ..core.shown import describe, option_text, shown

_GIVE_SCORES = "give a number per example, or per example a dict {class: score} or a list with a score per class"
_GIVE_BINARY = "give True or False, 1 or 0, or the positive class, such as pos_label=yes"
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
    if isinstance(predictions, np.ndarray) and predictions.dtype.kind == "b":
        raise InputError(PREDICTIONS, f"predictions are True and False, but scores are needed; {_GIVE_SCORES}")
    first = predictions[0]
    if isinstance(first, Mapping) or is_list(first):
        if pos_label is not None:
            raise ValueError("option pos_label is for one score per example; here every class has a score, omit it")
        return _scores_of_classes(predictions, references, labels, table.ids)
    if labels is not None:
        raise ValueError(
            f"option labels is for a score per class, but predictions[0] is {describe(first)}; {_GIVE_SCORES}"
        )
    with about(PREDICTIONS):
        score = finite_numbers(predictions, lambda row: f"predictions[{row}]{with_id(table.ids, row)}")
    with about(REFERENCES):
        if is_matrix(references):
            raise TypeError("references has a row of several values per example, but predictions have one score each")
        label = _positives(references, pos_label, lambda row: f"references[{row}]{with_id(table.ids, row)}")
    return {"score": score.astype(np.float64), "label": label.astype(np.float64)}, None


# --- one score per example --------------------------------------------------------------------------------------------


def _positives(column: Any, pos_label: Any, where: Callable[[int], str]) -> np.ndarray:
    """Which examples are positive, (n,): True or 1; or the class `pos_label`, which must occur."""
    is_array = isinstance(column, np.ndarray)
    if pos_label is None:
        try:
            values = column if is_array else real_numbers(column)
        except TypeError:
            values = np.array([cell if is_real(cell) else -1 for cell in column], np.float64)
        wrong = np.flatnonzero((values != 0) & (values != 1))
        if len(wrong):
            cell = plain_label(column[wrong[0]])
            raise TypeError(f"{where(wrong[0])} must be True or False, 1 or 0, got {describe(cell)}; {_GIVE_BINARY}")
        return values
    cells = column.tolist() if is_array else column
    kind, what = (str, "a string") if isinstance(pos_label, str) else (numbers.Real, "a number")
    row = next((row for row, cell in enumerate(cells) if not isinstance(cell, kind)), None)
    if row is not None:
        like = option_text("pos_label", pos_label)
        raise TypeError(f"{where(row)} must be {what} like {like}, got {describe(cells[row])}")
    positive = np.fromiter((cell == pos_label for cell in cells), np.float64, len(cells))
    others = [] if positive.any() else sorted(set(cells))
    if len(others) > 1:  # one other class alone may be all negatives
        classes = ", ".join(map(shown, others[:5])) + (", ..." if len(others) > 5 else "")
        message = f"option {option_text('pos_label', pos_label)} is not a class of the references"
        raise InputError("", f"{message}; they are: {classes}")
    return positive


# --- a score per class ------------------------------------------------------------------------------------------------


def _scores_of_classes(
    predictions: Any, references: Any, labels: LabelList | None, ids: Sequence[Any]
) -> tuple[dict[str, np.ndarray | Ragged], LabelList]:
    with about(REFERENCES):
        gold = _class_column(references)
    are_dicts = isinstance(predictions[0], Mapping)
    with about(PREDICTIONS):
        if are_dicts:
            scored, flat = scored_column(predictions, PREDICTIONS)
        else:
            matrix = _score_matrix(predictions, ids)
            scored = LabelColumn(PREDICTIONS, np.empty(0, np.int64), numbered=True, width=matrix.shape[1])
    if are_dicts and labels is None and gold.numbered:  # columns of the classes that have scores
        labels = LabelList(code_columns([scored], None, ids)[1].labels)
    (found, true), classes = code_columns([scored, gold], labels, ids)
    if are_dicts:
        matrix = np.full((len(predictions), len(classes)), np.nan)
        matrix[np.repeat(np.arange(len(predictions)), np.diff(scored.offsets)), found] = flat
        without = np.argwhere(np.isnan(matrix))
        if len(without):
            row, number = without[0].tolist()
            lacking = f"has no score for the class {shown(classes.labels[number])}"
            raise InputError(PREDICTIONS, lacking, "give every class a score", row, id_at(ids, row))
    n, width = matrix.shape
    truth = Ragged(gold.offsets, true)
    repeated = np.flatnonzero(distinct_labels(truth.lengths, truth.values).lengths < truth.lengths)
    if len(repeated):
        row = int(repeated[0])
        advice = "give each class once (a row of 0 and 1 for all classes must contain True and False)"
        raise InputError(REFERENCES, "has a class twice", advice, row, id_at(ids, row))
    return {"scores": Ragged(np.arange(n + 1) * width, matrix.reshape(-1)), "labels": truth}, classes


def _class_column(column: Any) -> LabelColumn:
    """The right class of each example, or its right classes, or a row of bools with one for every class."""
    if is_matrix(column) and column.dtype.kind in "biuf":
        return set_column(column, REFERENCES)
    rows: Any = column.tolist() if is_matrix(column) else column
    if not isinstance(rows[0], SET_TYPES):
        return LabelColumn(REFERENCES, rows)
    if all(is_list(row) and len(row) and all(isinstance(value, (bool, np.bool_)) for value in row) for row in rows):
        return set_column(rows, REFERENCES, indicator=True)
    return list_column(list(rows), REFERENCES, SET_TYPES, _GIVE_CLASSES)


def _score_matrix(column: Any, ids: Sequence[Any]) -> np.ndarray:
    """A score per example and class, (n, c) float64, of lists or an array."""
    if is_matrix(column) and column.dtype.kind in "biuf":
        flat, lengths = column, np.full(len(column), column.shape[1])
    else:
        rows = list_column(list(column), PREDICTIONS, (list, tuple, np.ndarray), _GIVE_SCORES)
        flat, lengths = rows.flat, np.diff(rows.offsets)
    width, other = int(lengths[0]), int(np.argmax(lengths != lengths[0]))
    if other or not width:
        has = counted(int(lengths[other]), "scores")
        first = f", the first row has {width}" if other else ""
        raise ValueError(f"predictions[{other}]{with_id(ids, other)} has {has}{first}; {_GIVE_SCORES}")
    where = partial(cell_name, PREDICTIONS, np.arange(len(lengths) + 1) * width, ids, "")
    return finite_numbers(flat, where).astype(np.float64, "C").reshape(-1, width)
