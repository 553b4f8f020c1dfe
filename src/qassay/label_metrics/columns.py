"""Reads every layout of labels (one per row, lists, sets, indicator and sparse matrices) as class numbers, checked
once.
"""

import dataclasses
import numbers
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.arrow import numbers_of
from ..core.columns import to_list, with_id
from ..core.errors import about, blamed
from ..core.label_encoding import LabelList, check_class_count, code_labels, label_kind, plain_label
from ..core.ragged import Ragged, begins_run
from ..core.rows import row_ids_and_weights
from ..core.shown import describe

_GIVE_LISTS = "give a list or a set of labels per row, [] for a row without labels"
_SET_TYPES = (list, tuple, set, frozenset, np.ndarray)


# --- which task -------------------------------------------------------------------------------------------------------


def label_task(predictions: Any, references: Any, layout: str) -> str:
    """The task by the layouts of both columns: "single", "multi" or "ranked"; refuse ambiguous layouts."""
    with about("predictions"):
        first = _label_layout(predictions, "predictions")
    with about("references"):
        second = _label_layout(references, "references")
    if first == "scores" and second == "one":
        raise TypeError(
            "predictions have a score per class, and references one label per row; give the label of the largest score, "
            "such as scores.argmax(axis=1), or for rankings a list of true labels per row"
        )
    if first in ("scored", "ranks", "scores"):
        return "ranked"
    if layout == "indicator":
        return "multi"
    if first in ("set", "indicator") or (first == "flags" and second in ("indicator", "flags")):
        return "multi"
    if first == "one":
        if second != "one":
            raise ValueError(
                "predictions hold one label per row and references several; give lists of labels on both sides"
            )
        return "single"
    advice = "give the option task=multi or task=ranked"
    if first == "list":
        raise ValueError("lists of labels may be sets or rankings, best first; " + advice)
    raise ValueError("a matrix of 0 and 1 may be an indicator, label numbers or scores; " + advice)


def _label_layout(column: Any, name: str) -> str:
    """The layout of rows: "one" label, "list", "set" or "scored" labels.

    Of a matrix: "indicator" (bools), "flags" (0 and 1), "ranks" or "scores".
    """
    if is_sparse(column):
        if column.dtype.kind == "b":
            return "indicator"
        flags = np.isin(column.tocsr().data, (0, 1)).all()
        return "flags" if flags else "scores"
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "dtype"):
        array = np.asarray(column)
        if array.dtype.kind == "b":
            return "indicator"
        head = array[:1000]
        flags = np.isin(head, (0, 1)).all() and np.isin(array, (0, 1)).all()
        return "flags" if flags else "scores" if array.dtype.kind == "f" else "ranks"
    is_array = isinstance(column, np.ndarray) and column.ndim > 0
    if is_array and column.dtype != object:
        return "one"
    rows = column if isinstance(column, list) or is_array else to_list(column, name)
    first = rows[0] if len(rows) else None
    if isinstance(first, Mapping):
        return "scored"
    if isinstance(first, (set, frozenset)):
        return "set"
    return "list" if isinstance(first, (list, tuple, np.ndarray)) else "one"


def is_sparse(column: Any) -> bool:
    """Whether this is a sparse matrix of scipy."""
    return hasattr(column, "tocsr") and hasattr(column, "nnz")


# --- one label per row ------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class OneLabelRows:
    """One predicted and one true class number per row, int64 (n,) each."""

    ids: Sequence
    weights: np.ndarray | None
    predictions: np.ndarray
    references: np.ndarray
    classes: LabelList


def read_one_label(predictions: Any, references: Any, ids: Any, weights: Any, labels: LabelList | None) -> OneLabelRows:
    """Columns of one label per row as class numbers."""
    flats: dict[str, Any] = {}
    for name, column in (("predictions", predictions), ("references", references)):
        with about(name):
            flats[name] = _one_label_column(column, name)
    ids, weights = row_ids_and_weights(ids, weights, *map(len, flats.values()))
    codes, classes = code_labels(flats, labels, lambda name, row: f"{name}[{row}]{with_id(ids, row)}")
    return OneLabelRows(ids, weights, codes["predictions"], codes["references"], classes)


def _one_label_column(column: Any, name: str) -> Any:
    if is_sparse(column) or getattr(column, "ndim", 1) != 1:
        raise TypeError(f"{name} is a matrix, and task=single needs one label per row; use task=multi or ranked")
    if isinstance(column, np.ndarray):
        return column if column.dtype.kind in "iu" else column.tolist()
    if hasattr(column, "dictionary_encode") and hasattr(column, "type") and not column.null_count:
        if str(column.type) in ("int64", "int32", "int16", "int8"):
            return numbers_of(column)
        if str(column.type) in ("string", "large_string", "string_view"):
            return _arrow_texts(column)
    return to_list(column, name)


def _arrow_texts(column: Any) -> list[str]:
    """The strings of an Arrow column, with equal strings as one object, which is faster to create and to look up."""
    texts: list[str] = []
    for part in getattr(column, "chunks", [column]):
        encoded = part.dictionary_encode()
        distinct = np.array([*encoded.dictionary.to_pylist(), None], object)
        texts += distinct[numbers_of(encoded.indices)].tolist()
    return texts


# --- sets of labels ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class LabelSetRows:
    """Sets of class numbers, ascending within each row, and how many repeated labels were omitted."""

    ids: Sequence
    weights: np.ndarray | None
    predictions: Ragged
    references: Ragged
    classes: LabelList
    repeated: int


@dataclasses.dataclass
class LabelSide:
    """A column of label lists before labels are converted to class numbers.

    Attributes:
        name: of the column.
        lengths: int64 (n,), how many labels each row has.
        flat: the labels of all rows, one row after another; column numbers where `numbered`.
        numbered: the labels are columns of a matrix, or places in the class list.
        width: the number of columns of the matrix, if known.
    """

    name: str
    lengths: np.ndarray
    flat: Any
    numbered: bool = False
    width: int | None = None

    def where(self, ids: Sequence, place: int) -> str:
        """The name of a label in messages."""
        ends = np.cumsum(self.lengths)
        row = int(np.searchsorted(ends, place, side="right"))
        return f"{self.name}[{row}][{place - int(ends[row] - self.lengths[row])}]{with_id(ids, row)}"


def read_label_sets(
    predictions: Any, references: Any, ids: Any, weights: Any, labels: LabelList | None, layout: str
) -> LabelSetRows:
    """Columns of label sets (lists, sets, indicator or sparse matrices) as class numbers.

    Args:
        layout: "indicator": lists are rows of 0 and 1 too.
    """
    with about("predictions"):
        predicted = set_side(predictions, "predictions", layout)
    with about("references"):
        gold = set_side(references, "references", layout)
    sides = [predicted, gold]
    ids, weights = row_ids_and_weights(ids, weights, *(len(side.lengths) for side in sides))
    codes, classes = code_sides(sides, labels, ids)
    check_class_count(len(classes), "the columns have")
    sets = [distinct_labels(side.lengths, code) for side, code in zip(sides, codes, strict=True)]
    repeated = sum(map(len, codes)) - sum(len(column.values) for column in sets)
    predicted_sets, gold_sets = sets
    return LabelSetRows(ids, weights, predicted_sets, gold_sets, classes, repeated)


def distinct_labels(lengths: np.ndarray, codes: np.ndarray) -> Ragged:
    """Lists of class numbers as sets: ascending, each number once."""
    codes, names = np.array(codes, np.int64), None  # a copy: matrices may change later
    size = int(codes.max(initial=0)) + 1
    if size > 2**62 // max(1, len(lengths)):  # keys of rows and numbers must fit into 64 bits
        names, codes = np.unique(codes, return_inverse=True)
        size = len(names)
    keys = np.repeat(np.arange(len(lengths)) * size, lengths)
    keys += codes
    if not (keys[1:] > keys[:-1]).all():
        keys.sort()
        keys = keys[begins_run(keys)]
        lengths = np.bincount(keys // size, minlength=len(lengths))
        codes = keys % size
    return Ragged(np.append(0, np.cumsum(lengths)), codes if names is None else names[codes])


def set_side(column: Any, name: str, layout: str = "auto") -> LabelSide:
    """A column of label sets, an indicator matrix or a sparse one, as a flat list of labels."""
    if isinstance(column, Ragged):
        return LabelSide(name, column.lengths, column.values)
    if is_sparse(column):
        column = column.tocsr()
        _check_flags(column.data, lambda place: f"{name}[{int(np.searchsorted(column.indptr, place, 'right')) - 1}]")
        lengths, codes = np.diff(column.indptr), column.indices
        is_true = column.data != 0
        if not is_true.all():
            lengths = np.bincount(np.repeat(np.arange(column.shape[0]), lengths)[is_true], minlength=column.shape[0])
            codes = codes[is_true]
        return LabelSide(name, lengths.astype(np.int64), codes, True, column.shape[1])
    matrix = getattr(column, "ndim", 1) == 2 and hasattr(column, "dtype")
    if matrix or layout == "indicator":
        array = np.asarray(column) if matrix else _matrix_of(to_list(column, name), name)
        _check_flags(array.ravel(), lambda place: "{}[{}][{}]".format(name, *divmod(place, array.shape[1])))
        rows, columns = np.nonzero(array)
        return LabelSide(name, np.bincount(rows, minlength=len(array)), columns, True, array.shape[1])
    side = list_side(to_list(column, name), name, _SET_TYPES, _GIVE_LISTS)
    _refuse_flags(side)
    return side


def _refuse_flags(side: LabelSide) -> None:
    """Refuse lists of labels that can only be rows of 0 and 1: lists of equal length with duplicate labels."""
    width = int(side.lengths[0]) if len(side.lengths) else 0
    if width < 2 or not all(map(_is_flag, side.flat[:width])):
        return
    if not (side.lengths == width).all() or not all(map(_is_flag, side.flat)):
        return
    for row, first in enumerate(range(0, len(side.flat), width)):
        values = side.flat[first : first + width]
        if len(set(values)) < width:
            raise ValueError(
                f"{side.name}[{row}] is {describe(values)}, and all rows are {width} numbers 0 or 1: for rows "
                "of 0 and 1 per class give the option layout=indicator; for label numbers give every label once"
            )


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_, numbers.Real)) and (value == 0 or value == 1)


def list_side(rows: list, name: str, types: tuple[type, ...], advice: str) -> LabelSide:
    """A column of lists of labels as one flat list."""
    if not set(map(type, rows)) <= set(types) - {np.ndarray}:
        for row, value in enumerate(rows):
            if not isinstance(value, types):
                raise TypeError(f"{name}[{row}] must be a list, got {describe(value)}; {advice}")
        rows = [value.tolist() if isinstance(value, np.ndarray) else value for value in rows]
        for row, value in enumerate(rows):
            if not hasattr(value, "__len__"):  # an array without dimensions
                raise TypeError(f"{name}[{row}] must be a list, got {describe(value)}; {advice}")
    return LabelSide(name, np.fromiter(map(len, rows), np.int64, len(rows)), list(chain.from_iterable(rows)))


def _matrix_of(rows: list, name: str) -> np.ndarray:
    for row, values in enumerate(rows):
        if not isinstance(values, (list, tuple, np.ndarray)) or len(values) != len(rows[0]):
            size = f" of {len(rows[0])}" if row else ""
            raise ValueError(f"{name}[{row}] must be a list{size} of 0 and 1, got {describe(values)}")
    array = np.array(rows)
    if array.ndim != 2 and len(array):
        raise ValueError(f"{name} must be rows of 0 and 1, got an array of shape {array.shape}")
    return array.reshape(len(rows), -1)


def _check_flags(values: np.ndarray, where: Callable[[int], str]) -> None:
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{where(0)} is {describe(plain_label(values[0]))}; an indicator matrix holds 0 and 1")
    bad = None if values.dtype.kind == "b" else (values != 0) & (values != 1)
    if bad is not None and bad.any():
        place = int(np.argmax(bad))
        raise ValueError(
            f"{where(place)} is {values[place]}; an indicator matrix holds 0 and 1 only (for label numbers "
            "give lists, for scores task=ranked)"
        )


def code_sides(
    sides: Sequence[LabelSide], labels: LabelList | None, ids: Sequence
) -> tuple[list[np.ndarray], LabelList]:
    """Class numbers of both columns, and the classes: as given, the columns of a matrix, or the classes that occur."""
    widths = {side.name: side.width for side in sides if side.width is not None}
    if len(set(widths.values())) > 1:
        sizes = ", ".join(f"{name} {width}" for name, width in widths.items())
        raise ValueError(f"the matrices have different numbers of columns: {sizes}; give both a column for every label")
    name, width = next(iter(widths.items()), ("", 0))
    if widths and labels is not None and len(labels) != width:
        told = (
            f"{name} has {width} columns, but the option labels has {len(labels)} classes; name every column, in order"
        )
        raise blamed(ValueError(told), name)
    numbered = next((side for side in sides if side.numbered), None)
    listed = {side.name: side for side in sides if not side.numbered}
    if numbered and labels is None:
        labels = LabelList(range(width if widths else 1 << 62))
        for side in listed.values():
            if len(side.flat) and label_kind(type(side.flat[0])) != "int":
                told = (
                    f"{side.where(ids, 0)} is {describe(plain_label(side.flat[0]))}, but {numbered.name} are numbers "
                    "of labels; say which by the option labels, in their order"
                )
                raise blamed(TypeError(told), side.name)
    coded: dict[str, np.ndarray] = {}
    classes: Any = labels
    if listed:
        flats = {name: side.flat for name, side in listed.items()}
        coded, classes = code_labels(flats, labels, lambda name, place: listed[name].where(ids, place))
    return [np.asarray(coded.get(side.name, side.flat)) for side in sides], classes
