"""Scores and gold classes in every layout, as checked columns."""

import contextlib
import dataclasses
import numbers
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import eq
from typing import Any

import numpy as np

from ..core.columns import (
    LIST_TYPES,
    as_array,
    is_list,
    is_real,
    real_numbers,
    to_list,
    with_id,
)
from ..core.errors import about, blamed
from ..core.label_encoding import plain_label
from ..core.options import did_you_mean
from ..core.ragged import Ragged
from ..core.rows import dicts_as_lists, row_ids_and_weights
from ..core.shown import describe, option_text, shown

_GIVE_SCORES = "give a number per example, or per example a dict {class: score} or a list with a score per class"
_WITH_ARRAYS = ("pandas", "polars", "pyarrow", "torch")
_GIVE_BINARY = "give True or False, 1 or 0, or name the positive class by the option pos_label"


@dataclasses.dataclass(frozen=True)
class AlignedColumns:
    """Both sides in the order of the references, rows not checked yet; n ids, unique or a range; weights float64 (n,) or None."""

    ids: Sequence
    predictions: Any
    references: Any
    weights: np.ndarray | None


@dataclasses.dataclass(frozen=True)
class ScoredColumns:
    """Checked scores and classes.

    Attributes:
        columns: `score` (n,) and `label` (n,), 1 or 0; or the lists `scores` (a score per class) and `labels` (indices).
        labels: the classes, in the order of the scores; None if each example has one score.
    """

    columns: dict[str, np.ndarray | Ragged]
    labels: tuple | None


def align_columns(predictions: Any, references: Any, ids: Any = None, weights: Any = None) -> AlignedColumns:
    """Bring predictions and references, as columns or as dicts from id to row, into one order."""
    columns = dicts_as_lists({"predictions": predictions, "references": references, "ids": ids})
    with about("predictions"):
        predictions = kept_array(columns["predictions"], "predictions")
    with about("references"):
        references = kept_array(columns["references"], "references")
    ids, weights = row_ids_and_weights(columns["ids"], weights, len(predictions), len(references))
    return AlignedColumns(ids, predictions, references, weights)


def read_scored(columns: AlignedColumns, labels: tuple | None, pos_label: Any) -> ScoredColumns:
    """Scores and gold classes, of one score per example or one per class; labels and pos_label are options."""
    predictions, first = columns.predictions, columns.predictions[0]
    if not isinstance(first, Mapping) and not is_list(first):
        if labels is not None:
            raise ValueError(
                f"option labels is for a score per class, but predictions[0] is {describe(first)}; {_GIVE_SCORES}"
            )
        scores = _score_column(predictions, columns.ids)
        with about("references"):
            label = _binary_labels(columns, pos_label).astype(np.float64)
        return ScoredColumns({"score": scores, "label": label}, None)
    if pos_label is not None:
        raise ValueError("option pos_label is for one score per example; here every class has a score, omit it")
    with about("references"):
        gold = _gold_lists(columns)
    if isinstance(first, Mapping):
        score_classes = _keys_of(predictions, columns.ids)
        labels = sorted_classes([*score_classes, *gold.flat]) if labels is None else labels
        table = _dict_scores(predictions, columns.ids, labels)
    else:
        table = _score_table(predictions, columns.ids)
        if labels is None:
            labels = tuple(range(table.shape[1]))
            if gold.rows is None and not all(isinstance(label, int) for label in gold.flat):
                raise ValueError("predictions are lists: name the class of each place by the option labels")
        if len(labels) != table.shape[1]:
            raise ValueError(
                f"each prediction has {_several(table.shape[1], 'score')}, but there {_are(len(labels))} in the option labels"
            )
    gold_indices = _gold_indices(gold, columns.ids, labels)
    n = len(table)
    return ScoredColumns(
        {"scores": Ragged(np.arange(n + 1) * len(labels), table.reshape(-1)), "labels": gold_indices}, labels
    )


@dataclasses.dataclass(frozen=True)
class _GoldLists:
    """The right classes of all examples one after another, and how many each has; or a table (n, c) of bools."""

    flat: list
    counts: np.ndarray
    rows: np.ndarray | None = None


def kept_array(column: Any, name: str) -> Any:
    """A column of numbers as an array (n,) or (n, c) where a library stores it as an array, otherwise as a list."""
    if hasattr(column, "tocsr"):
        raise TypeError(f"{name} is a sparse matrix; give an array, by its method toarray()")
    if isinstance(column, np.ma.MaskedArray):
        column = as_array(column)
    array = column
    if type(column).__module__.partition(".")[0] in _WITH_ARRAYS and not hasattr(column, "columns"):
        with contextlib.suppress(TypeError):  # kinds of numbers that numpy does not have
            array = np.asarray(column.detach().cpu() if hasattr(column, "detach") else column)
    if isinstance(array, np.ndarray) and array.dtype.kind in "biuf" and array.ndim in (1, 2):
        return array
    rows = to_list(column, name)
    if rows and type(rows[0]) in (float, bool) or set(map(type, rows)).isdisjoint((np.ndarray, type(np.ma.masked))):
        return rows  # such arrays among plain numbers are read or refused with them
    # An array without dimensions is its value; a masked one is None.
    scalar_rows = [isinstance(row, np.ndarray) and not row.ndim for row in rows]
    return [
        (None if row is np.ma.masked else row.item()) if is_scalar else row
        for row, is_scalar in zip(rows, scalar_rows, strict=True)
    ]


def _floats(column: np.ndarray) -> np.ndarray:
    """Scores as float64, a copy: the array may be filled again, with the next batch for example."""
    return column.astype(np.float64)


def _refuse_not_finite(scores: np.ndarray, where) -> None:
    # A sum is not finite where a value is not; it may overflow, so that only then every value is looked at.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(scores.sum(dtype=np.float64)):
            return
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise ValueError(f"{where(int(bad[0]))} is {float(scores.flat[bad[0]])}; give a finite number")


def _score_column(column: Any, ids: Sequence) -> np.ndarray:
    """One score per example, (n,) float64."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind == "b":
            raise TypeError(f"predictions are True and False, but scores are needed; {_GIVE_SCORES}")
        scores = _floats(column)
    else:
        try:
            scores = real_numbers(column)
        except TypeError:
            row = next(row for row, score in enumerate(column) if not is_real(score))
            raise TypeError(
                f"predictions[{row}]{with_id(ids, row)} must be a number, got {describe(column[row])}; {_GIVE_SCORES}"
            ) from None
    _refuse_not_finite(scores, lambda row: f"predictions[{row}]{with_id(ids, row)}")
    return scores


def _binary_labels(columns: AlignedColumns, pos_label: Any) -> np.ndarray:
    """Which examples are positive, bool (n,)."""
    column, ids = columns.references, columns.ids
    if isinstance(column, np.ndarray) and column.ndim == 2:
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


def _equal_to(column: Any, pos_label: Any, ids: Sequence) -> np.ndarray:
    """Which values are the positive class; refuses another type, and a class that does not occur."""
    values = column.tolist() if isinstance(column, np.ndarray) else column
    wanted = str if isinstance(pos_label, str) else numbers.Real
    if not all(issubclass(kind, wanted) for kind in set(map(type, values))):
        row = next(row for row, value in enumerate(values) if not isinstance(value, wanted))
        what = "a string" if wanted is str else "a number"
        raise TypeError(
            f"references[{row}]{with_id(ids, row)} must be {what} like {option_text('pos_label', pos_label)}, "
            f"got {describe(values[row])}"
        )
    is_positive = np.fromiter(map(eq, values, repeat(pos_label)), bool, len(values))
    if not is_positive.any():
        others = sorted(set(values))
        if len(others) > 1:  # one other class alone may be all negatives
            there = ", ".join(map(shown, others[:5])) + (", ..." if len(others) > 5 else "")
            near = did_you_mean(pos_label, [other for other in others if isinstance(other, str)])
            told = (
                f"option {option_text('pos_label', pos_label)} is not a class of the references{near}; they "
                f"are: {there}"
            )
            raise blamed(ValueError(told), None)
    return is_positive


def _keys_of(predictions: Sequence, ids: Sequence) -> list:
    """The classes of all dicts, in order of appearance."""
    classes: dict = {}
    for row, scores in enumerate(predictions):
        if not isinstance(scores, Mapping):
            raise TypeError(
                f"predictions[{row}]{with_id(ids, row)} must be a dict like the first one, got {describe(scores)}"
            )
        if scores.keys() != classes.keys():
            classes.update(dict.fromkeys(scores))
    return list(classes)


def sorted_classes(labels: Iterable) -> tuple:
    """The distinct classes of a column, sorted."""
    classes = {plain_label(label) for label in set(labels)}
    kinds = sorted({type(label).__name__ for label in classes})
    if len(kinds) > 1:
        raise TypeError(f"classes of mixed type ({', '.join(kinds)}); give only strings, or only integers")
    return tuple(sorted(classes))


def _dict_scores(predictions: Sequence, ids: Sequence, labels: tuple) -> np.ndarray:
    """Dicts {class: score} as a table (n, c)."""
    classes = set(labels)
    for row, scores in enumerate(predictions):
        if scores.keys() == classes:
            continue
        for label in scores:
            if label not in classes:
                raise ValueError(
                    f"predictions[{row}]{with_id(ids, row)} scores the unknown class {shown(label)}"
                    f"{did_you_mean(label, labels)}; the option labels names the classes"
                )
        absent = next(label for label in labels if label not in scores)
        raise ValueError(
            f"predictions[{row}]{with_id(ids, row)} has no score for the class {shown(absent)}; give every class a score"
        )
    return _score_table([[scores[label] for label in labels] for scores in predictions], ids, labels)


def _score_table(column: Any, ids: Sequence, labels: tuple | None = None) -> np.ndarray:
    """A score per example and class, (n, c) float64."""

    def where(row: int, place: int) -> str:
        return f"predictions[{row}][{place if labels is None else shown(labels[place])}]{with_id(ids, row)}"

    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        raise TypeError(f"predictions are True and False, but scores are needed; {_GIVE_SCORES}")
    if isinstance(column, np.ndarray) and column.shape[1]:
        table = _floats(column)
    else:
        width = len(column[0])
        if not width:
            raise ValueError(f"predictions[0]{with_id(ids, 0)} has no score; {_GIVE_SCORES}")
        for row, scores in enumerate(column):
            if not is_list(scores):
                raise TypeError(
                    f"predictions[{row}]{with_id(ids, row)} must be a list like the first one, got {describe(scores)}"
                )
            if len(scores) != width:
                raise ValueError(
                    f"predictions[{row}]{with_id(ids, row)} has {_several(len(scores), 'score')}, the first row has {width}"
                )
        try:
            table = real_numbers(score for scores in column for score in scores).reshape(-1, width)
        except TypeError:
            row, place, score = next(
                (row, place, score)
                for row, scores in enumerate(column)
                for place, score in enumerate(scores)
                if not is_real(score)
            )
            raise TypeError(f"{where(row, place)} must be a number, got {describe(score)}") from None
    _refuse_not_finite(table, lambda cell: where(*divmod(cell, table.shape[1])))
    return np.ascontiguousarray(table)


def _gold_lists(columns: AlignedColumns) -> _GoldLists:
    """The right class of each example, or its right classes, or a row of bools with one for every class."""
    column, ids = columns.references, columns.ids
    if isinstance(column, np.ndarray) and column.ndim == 2:
        if column.dtype.kind != "b" and not ((column == 0) | (column == 1)).all():
            raise ValueError("references as a table (n, classes) must contain True and False, or 1 and 0")
        return _GoldLists([], np.zeros(0, np.int64), column.astype(bool))
    rows = column.tolist() if isinstance(column, np.ndarray) else column
    lists = isinstance(rows[0], (*LIST_TYPES, set, frozenset))
    flat, counts = [], np.ones(len(rows), np.int64)
    if lists and all(is_list(row) and len(row) and _all_bools(row) for row in rows):
        width = len(rows[0])
        for row, values in enumerate(rows):
            if len(values) != width:
                raise ValueError(
                    f"references[{row}]{with_id(ids, row)} has {_several(len(values), 'value')}, the first row has {width}"
                )
        return _GoldLists([], np.zeros(0, np.int64), np.array(rows, bool))
    for row, value in enumerate(rows):
        if isinstance(value, (*LIST_TYPES, set, frozenset)) != lists:
            what = "a list of classes" if lists else "a class"
            raise TypeError(
                f"references[{row}]{with_id(ids, row)} must be {what} like the first one, got {describe(value)}"
            )
        classes = [_gold_label(label, row, ids) for label in value] if lists else [_gold_label(value, row, ids)]
        if len(set(classes)) != len(classes):
            twice = next(label for place, label in enumerate(classes) if label in classes[:place])
            raise ValueError(
                f"references[{row}]{with_id(ids, row)} has the class {shown(twice)} twice; give each class once "
                "(a row of 0 and 1 for all classes must contain True and False)"
            )
        flat += classes
        counts[row] = len(classes)
    return _GoldLists(flat, counts)


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _are(classes: int) -> str:
    return "is 1 class" if classes == 1 else f"are {classes} classes"


def _all_bools(row: Sequence) -> bool:
    return all(isinstance(value, (bool, np.bool_)) for value in row)


def _gold_label(label: Any, row: int, ids: Sequence) -> Any:
    label = plain_label(label)
    if not isinstance(label, (str, int)) or isinstance(label, bool):
        raise TypeError(
            f"references[{row}]{with_id(ids, row)}: a class must be a string or an integer, got {describe(label)}"
        )
    return label


def _gold_indices(gold: _GoldLists, ids: Sequence, labels: tuple) -> Ragged:
    """The right classes as indices of the labels."""
    if gold.rows is not None:
        if gold.rows.shape[1] != len(labels):
            raise ValueError(
                f"each reference has {_several(gold.rows.shape[1], 'value')}, but there {_are(len(labels))} with scores"
            )
        return Ragged(np.append(0, np.cumsum(gold.rows.sum(axis=1))), np.nonzero(gold.rows)[1])
    offsets = np.append(0, np.cumsum(gold.counts))
    return Ragged(offsets, label_indices(gold.flat, offsets, ids, labels, "references"))


def label_indices(flat: Sequence, offsets: np.ndarray, ids: Sequence, labels: tuple, name: str) -> np.ndarray:
    """Classes as indices of the labels, int64; row i has the part of `flat` from offsets[i] on."""
    place = {label: index for index, label in enumerate(labels)}
    indices = np.fromiter((place.get(label, -1) for label in flat), np.int64, len(flat))
    if (indices < 0).any():
        first = int(np.argmin(indices))
        row = int(np.searchsorted(offsets, first, "right")) - 1
        there = ", ".join(map(shown, labels[:5])) + (", ..." if len(labels) > 5 else "")
        told = (
            f"{name}[{row}]{with_id(ids, row)} has the unknown class {shown(flat[first])}"
            f"{did_you_mean(flat[first], [label for label in labels if isinstance(label, str)])}; the classes are: {there}"
        )
        raise blamed(ValueError(told), name)
    return indices
