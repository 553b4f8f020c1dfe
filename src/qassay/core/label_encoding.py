"""Classes, and labels as class numbers."""

import dataclasses
import hashlib
import numbers
import operator
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .answers import remarks_on_floats
from .columns import is_hashable, is_nan, to_list, with_id
from .errors import InputError
from .options import did_you_mean
from .remarks import remark
from .shown import describe, shown

_MOST_CLASSES = 5_000_000  # a number is stored for each
_MANY = 10_000  # above this many names, no similar name is suggested
_GIVE_ONE = "give one label per row, a string or an integer"


class LabelList:
    """The classes of a task, in order; equal if the labels are equal.

    Attributes:
        labels: the labels, a list, or a range where they are 0, 1, 2, ...; class number i is `labels[i]`.
        given: whether the user named them; otherwise they are the classes that occur.
        name: their number and a fingerprint.
        signed: what the signature says: the name, but only "found" for classes
            that occur, since systems of the same
            data may have others.
    """

    def __init__(self, labels: Sequence[Any], given: bool = True):
        self.labels, self.given = _counted_up(labels), given
        text = "" if isinstance(self.labels, range) else "-" + fingerprint(map(repr, self.labels))
        self.name = f"{'' if given else 'found-'}{len(self.labels)}{text}"
        self.signed = self.name if given else "found"

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelList):
            return NotImplemented
        return self.given == other.given and self.labels == other.labels

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<LabelList {self.name}>"


def _counted_up(labels: Sequence[Any]) -> list[Any] | range:
    """Labels as a list, or as a range if they are 0, 1, 2, ..., so that equal class lists have one form."""
    whole = range(len(labels))
    if isinstance(labels, range):
        return whole if labels == whole else list(labels)
    labels = list(labels)
    return whole if labels and are_whole(labels) and labels == list(whole) else labels


def to_label_list(labels: Any) -> LabelList:
    """The class list of a user: distinct labels of one type, or their number (for 0, 1, 2, ...)."""
    if isinstance(labels, LabelList):
        return labels
    if isinstance(labels, numbers.Integral) and not isinstance(labels, bool):
        labels = range(int(labels))
    if isinstance(labels, (set, frozenset)):
        labels = sort_labels(labels)
    if isinstance(labels, range):
        count = (labels.stop - labels.start) // labels.step  # not len(), which refuses more than the largest index
        if count > _MOST_CLASSES:
            raise ValueError(
                f"option labels has {count:,} classes, and at most {_MOST_CLASSES:,} can be counted; give fewer"
            )
    else:
        labels = [plain_label(label) for label in to_list(labels, "option labels")]
        _kind_of([LabelColumn("option labels", labels)], ())
        seen: set[Any] = set()
        for label in labels:
            if label in seen:
                raise ValueError(f"option labels has {shown(label)} twice; give every class once")
            seen.add(label)
    if not len(labels):
        raise ValueError("option labels is empty; give at least one class, or omit it")
    return LabelList(labels)


def are_whole(labels: Sequence[Any]) -> bool:
    """Whether all labels are integers."""
    return isinstance(labels, range) or all(isinstance(x, numbers.Integral) and not isinstance(x, bool) for x in labels)


def fingerprint(parts: Iterable[Any]) -> str:
    """Eight characters that identify a list of strings or bytes."""
    digest = hashlib.blake2b(digest_size=4)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def sort_labels(labels: Iterable[Any]) -> list[Any]:
    """Labels in sorted order; labels that cannot be compared are sorted by their text."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=repr)


def plain_label(label: Any) -> Any:
    """A label as a Python object instead of a numpy scalar."""
    return label.item() if isinstance(label, np.generic) else label


def label_kind(kind: type) -> str:
    """The kind of a label type: "bool", "int", "str", "float" or the name of the type."""
    for types, name in (((bool, np.bool_), "bool"), (numbers.Integral, "int"), (str, "str"), (numbers.Real, "float")):
        if issubclass(kind, types):
            return name
    return kind.__name__


# --- class numbers ----------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class LabelColumn:
    """A column of labels before they are class numbers.

    Attributes:
        name: of the column.
        flat: the labels of all rows, one row after another, a list or an array.
        lengths: int64 (n,), how many labels each row has; None: one.
        numbered: the labels are columns of a matrix, or indices of the classes.
        width: the number of columns of the matrix, if known.
        field: of the rows, for messages.
    """

    name: str
    flat: Any
    lengths: np.ndarray | None = None
    numbered: bool = False
    width: int | None = None
    field: str = ""

    @property
    def offsets(self) -> np.ndarray:
        """Where the labels of each row begin, and the end, int64 (n + 1,)."""
        return np.arange(len(self.flat) + 1) if self.lengths is None else np.append(0, np.cumsum(self.lengths))

    def where(self, ids: Sequence[Any], index: int) -> str:
        """The name of a label in messages."""
        if self.lengths is None:
            return f"{self.name}[{index}]{with_id(ids, index)}"
        return cell_name(self.name, self.offsets, ids, self.field, index)


def cell_name(name: str, offsets: np.ndarray, ids: Sequence[Any], field: str, index: int) -> str:
    """The name of a value of a column of lists in messages: `predictions[3]['boxes'][0] (id 'q7')`."""
    row = int(np.searchsorted(offsets, index, "right")) - 1
    return f"{name}[{row}]{f'[{field!r}]' if field else ''}[{index - offsets[row]}]{with_id(ids, row)}"


def code_columns(
    columns: Sequence[LabelColumn], labels: LabelList | None, ids: Sequence[Any]
) -> tuple[list[np.ndarray], LabelList]:
    """Class numbers of columns, int64, and the classes: as given, the columns of a matrix, or the labels that occur, sorted.

    Raises:
        TypeError, ValueError: labels of several types, None, NaN, or unknown ones; the message has the row; matrices of other
            widths.
    """
    widths = {column.name: column.width for column in columns if column.width is not None}
    if len(set(widths.values())) > 1:
        sizes = ", ".join(f"{name} {width}" for name, width in widths.items())
        raise ValueError(f"the matrices have different numbers of columns: {sizes}; give both a column for every label")
    name, width = next(iter(widths.items()), ("", 1 << 62))
    if widths and labels is not None and len(labels) != width:
        message = (
            f"{name} has {width} columns, but there are {len(labels)} classes; name every column by the option labels"
        )
        raise InputError(name, message)
    numbered = next((column for column in columns if column.numbered), None)
    listed = [column for column in columns if not column.numbered]
    if numbered and labels is None:
        labels = LabelList(range(width))
        for column in listed:
            if len(column.flat) and label_kind(type(column.flat[0])) != "int":
                message = (
                    f"{column.where(ids, 0)} is {describe(plain_label(column.flat[0]))}, but {numbered.name} are numbers "
                    "of labels; name them by the option labels, in their order"
                )
                raise InputError(column.name, message)
    classes: Any = labels
    coded: Any = ()
    if listed:
        coded, classes = _code_labels(listed, labels, ids)
    codes = iter(coded)
    return [np.asarray(column.flat) if column.numbered else next(codes) for column in columns], classes


def _code_labels(
    columns: Sequence[LabelColumn], classes: LabelList | None, ids: Sequence[Any]
) -> tuple[Sequence[np.ndarray], LabelList]:
    for column in columns:
        if isinstance(column.flat, np.ndarray) and column.flat.dtype.kind not in "iu":
            column.flat = column.flat.tolist()
    kind = _kind_of(columns, ids)
    if not kind:  # no labels at all
        return [np.zeros(0, np.int64) for _ in columns], LabelList([], given=False) if classes is None else classes
    integers = [_int64(column.flat) for column in columns] if kind == "int" else [None]
    is_range = classes is not None and classes.labels == range(len(classes))
    if is_range or classes is None:
        arrays = [array for array in integers if array is not None]
        if len(arrays) == len(columns):
            return _code_integers(arrays) if classes is None else (_in_range(columns, arrays, classes, ids), classes)
    if classes is None:
        distinct = {column.name: dict.fromkeys(column.flat) for column in columns}
        for line in remarks_on_floats(distinct) if kind == "str" else ():
            remark(line)
        found = dict.fromkeys(chain.from_iterable(distinct.values()))
        classes = LabelList([plain_label(label) for label in sort_labels(found)], given=False)
    elif kind != label_kind(type(classes.labels[0])):
        column = next(column for column in columns if len(column.flat))
        message = (
            f"{column.where(ids, 0)} is {describe(plain_label(column.flat[0]))}, but the option labels has "
            f"{describe(classes.labels[0])}; give labels of one type"
        )
        raise InputError(column.name, message)
    number: Any = range(0) if is_range else {label: index for index, label in enumerate(classes.labels)}
    codes = []
    for column in columns:
        try:
            codes.append(np.fromiter(map(number.__getitem__, column.flat), np.int64, len(column.flat)))
        except (KeyError, IndexError):  # of a range: integers beyond 64 bits
            known = classes.labels if is_range else number
            index = next((index for index, label in enumerate(column.flat) if label not in known), None)
            if index is not None:
                raise _unknown(column, index, classes, ids) from None
            codes.append(np.zeros(0, np.int64))  # the other column has the unknown label
    return codes, classes


def _kind_of(columns: Sequence[LabelColumn], ids: Sequence[Any]) -> str:
    """The kind of all labels, "" if there are none; a TypeError for mixed kinds or an invalid label, a ValueError for
    NaN.
    """
    kinds: dict[str, None] = {}
    for column in columns:
        is_array = isinstance(column.flat, np.ndarray)
        types = [column.flat.dtype.type] if is_array else dict.fromkeys(map(type, column.flat))
        kinds |= dict.fromkeys(map(label_kind, types))
    first = next(iter(kinds), "")
    if len(kinds) <= 1 and (first in ("", "bool", "int", "str") or _are_labels(first, columns)):
        return first
    example = None
    for column in columns:
        for index, label in enumerate(map(plain_label, column.flat)):
            where, kind = f"{column.where(ids, index)} is", label_kind(type(label))
            if label is None:
                raise InputError(column.name, f"{where} None; {_GIVE_ONE}, or omit the row in both columns")
            if is_nan(label):
                raise InputError(column.name, f"{where} NaN; {_GIVE_ONE}, or omit the row in both columns")
            if not is_hashable(label):
                raise InputError(column.name, f"{where} {describe(label)}, which is not a label; {_GIVE_ONE}")
            example = example or (where, label, kind)
            if kind != example[2]:
                raise TypeError(
                    f"labels of mixed type: {example[0]} {describe(example[1])}, {where} {describe(label)}; give all labels "
                    "one type, for example strings"
                )
    return first


def _are_labels(kind: str, columns: Iterable[LabelColumn]) -> bool:
    """Whether all values of one kind can be labels: hashable, neither None nor NaN."""
    if kind == "NoneType":
        return False
    flats = [column.flat for column in columns]
    try:
        return not any(kind == "float" and any(map(operator.ne, flat, flat)) for flat in flats if len(set(flat)))
    except TypeError:
        return False


def _int64(flat: Sequence[Any]) -> np.ndarray | None:
    """Integers as int64; None if one has more than 64 bits, which is a valid label."""
    if isinstance(flat, np.ndarray):
        too_large = flat.dtype.kind == "u" and len(flat) and flat.max() > np.iinfo(np.int64).max
        return None if too_large else flat.astype(np.int64, copy=False)
    try:
        return np.fromiter(flat, np.int64, len(flat))
    except OverflowError:
        return None


def _unknown(column: LabelColumn, index: int, classes: LabelList, ids: Sequence[Any]) -> Exception:
    label = plain_label(column.flat[index])
    if isinstance(classes.labels, range):
        problem = (
            f"but label numbers go from 0 to {len(classes) - 1}; correct it, or name the classes by the option labels"
        )
    else:
        near = did_you_mean(label, classes.labels) if isinstance(label, str) and len(classes) < _MANY else ""
        problem = f"which is not among the {len(classes)} classes of the option labels{near}; add it there, or omit the option"
    return InputError(column.name, f"{column.where(ids, index)} is {describe(label)}, {problem}")


def _in_range(
    columns: Sequence[LabelColumn], arrays: Sequence[np.ndarray], classes: LabelList, ids: Sequence[Any]
) -> list[np.ndarray]:
    """Copies of arrays of class numbers, checked."""
    for column, array in zip(columns, arrays, strict=True):
        is_class = (array >= 0) & (array < len(classes))
        if not is_class.all():
            raise _unknown(column, int(np.argmin(is_class)), classes, ids)
    return [array.copy() for array in arrays]


def _code_integers(arrays: Sequence[np.ndarray]) -> tuple[list[np.ndarray], LabelList]:
    """Arrays of integers as numbers of the integers that occur."""
    filled = [array for array in arrays if len(array)]
    low, high = min(int(array.min()) for array in filled), max(int(array.max()) for array in filled)
    if high - low <= 4 * sum(map(len, filled)) + 1000:  # a table is faster than sorting
        present = np.zeros(high - low + 1, bool)
        for array in filled:
            present[array - low if low else array] = True
        labels = np.flatnonzero(present) + low
        table = np.cumsum(present) - 1
        codes = [array - low if present.all() else table[array - low] for array in arrays]
    else:
        labels = np.unique(np.concatenate(filled))
        codes = [np.searchsorted(labels, array) for array in arrays]
    return codes, LabelList(labels.tolist(), given=False)
