"""Classes, and labels as class numbers."""

import contextlib
import dataclasses
import hashlib
import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .answers import remark_on_floats
from .columns import is_hashable, is_nan, to_list, with_id
from .errors import InputError
from .options import did_you_mean
from .score_parts import sorted_values
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
    if isinstance(labels, range) and labels == whole:
        return whole
    labels = list(labels)
    return whole if labels and label_kind(type(labels[0])) == "int" and labels == list(whole) else labels


def to_label_list(labels: Any) -> LabelList:
    """The class list of a user: distinct labels of one type, or their number (for 0, 1, 2, ...)."""
    if isinstance(labels, LabelList):
        return labels
    if isinstance(labels, numbers.Integral) and not isinstance(labels, bool):
        labels = range(int(labels))
    if isinstance(labels, (set, frozenset)):
        labels = sorted_values(labels)
    if isinstance(labels, range):
        count = (labels.stop - labels.start) // labels.step  # not len(), which refuses more than the largest index
        if count > _MOST_CLASSES:
            raise ValueError(
                f"option labels has {count:,} classes, and at most {_MOST_CLASSES:,} can be counted; give fewer"
            )
    else:
        labels = [plain_label(label) for label in to_list(labels, "option labels")]
        _kind_of([LabelColumn("option labels", labels)], ())
        twice = next((label for label, count in Counter(labels).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"option labels has {shown(twice)} twice; give every class once")
    if not len(labels):
        raise ValueError("option labels is empty; give at least one class, or omit it")
    return LabelList(labels)


def fingerprint(parts: Iterable[Any]) -> str:
    """Eight characters that identify a list of strings or bytes."""
    digest = hashlib.blake2b(digest_size=4)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


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

    def refusal(self, ids: Sequence[Any], index: int, found: str) -> InputError:
        """The error for a label: its name and what it is, and then `found`."""
        label = plain_label(self.flat[index])
        return InputError(self.name, f"{self.where(ids, index)} is {describe(label)}, {found}")


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
    listed = [column for column in columns if not column.numbered]
    for column in listed:
        if isinstance(column.flat, np.ndarray) and column.flat.dtype.kind != "i":
            column.flat = column.flat.tolist()
    widths = {column.name: column.width for column in columns if column.width is not None}
    if len(set(widths.values())) > 1:
        sizes = ", ".join(f"{name} {width}" for name, width in widths.items())
        raise ValueError(f"the matrices have different numbers of columns: {sizes}; give both a column for every label")
    name, width = next(iter(widths.items()), ("", None))
    numbered = next((column for column in columns if column.numbered), None)
    kind = _kind_of(listed, ids)
    for column in listed if kind == "int" else ():
        with contextlib.suppress(OverflowError):  # beyond 64 bits
            column.flat = np.asarray(column.flat, np.int64)
    first = next((column for column in listed if len(column.flat)), None)  # what messages of kinds name
    if labels is None and numbered is not None:
        if first is not None and kind != "int":
            found = f"but {numbered.name} are numbers of labels; name them by the option labels, in their order"
            raise first.refusal(ids, 0, found)
        labels = LabelList(range(_MOST_CLASSES if width is None else width))
    elif labels is None:
        labels = _found_labels(listed, kind)
    elif width is not None and len(labels) != width:
        found = f"{name} has {width} columns, but there are {len(labels)} classes"
        raise InputError(name, found, "name every column by the option labels")
    elif first is not None and kind != label_kind(type(labels.labels[0])):
        found = f"but the option labels has {describe(labels.labels[0])}; give labels of one type"
        raise first.refusal(ids, 0, found)
    return [np.asarray(column.flat) if column.numbered else _coded(column, labels, ids) for column in columns], labels


def _found_labels(columns: Sequence[LabelColumn], kind: str) -> LabelList:
    """The labels that occur, sorted."""
    distinct: dict[str, Any] = {
        column.name: _integers(column.flat)[0] if isinstance(column.flat, np.ndarray) else dict.fromkeys(column.flat)
        for column in columns
    }
    if kind == "str":
        remark_on_floats(distinct)
    found = dict.fromkeys(chain.from_iterable(distinct.values()))
    return LabelList([plain_label(label) for label in sorted_values(found)], given=False)


def _integers(flat: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The integers that occur, and the index of each label among them, (n,)."""
    if not len(flat) or int(flat.max()) - int(flat.min()) > _MOST_CLASSES:
        found, codes = np.unique(flat, return_inverse=True)
        return found.tolist(), codes
    low = flat.min()
    occurs = np.zeros(flat.max() - low + 1, bool)
    occurs[flat - low] = True
    return (np.flatnonzero(occurs) + low).tolist(), (np.cumsum(occurs) - 1)[flat - low]


def _coded(column: LabelColumn, classes: LabelList, ids: Sequence[Any]) -> np.ndarray:
    """The class number of each label."""
    distinct, codes = _integers(column.flat) if isinstance(column.flat, np.ndarray) else (column.flat, slice(None))
    if isinstance(classes.labels, range):  # which may be long: only the labels that occur
        number = {label: label for label in set(distinct) if 0 <= label < len(classes)}
    else:
        number = {label: index for index, label in enumerate(classes.labels)}
    try:
        coded = np.fromiter(map(number.__getitem__, distinct), np.int64, len(distinct))
        return np.asarray(coded[codes])
    except KeyError as error:
        label = plain_label(error.args[0])
    index = next(index for index, other in enumerate(column.flat) if other == label)
    if isinstance(classes.labels, range):
        found = (
            f"but label numbers go from 0 to {len(classes) - 1}; correct it, or name the classes by the option labels"
        )
    else:
        near = did_you_mean(label, classes.labels) if isinstance(label, str) and len(classes) < _MANY else ""
        found = f"which is not among the {len(classes)} classes of the option labels{near}; add it there, or omit the option"
    raise column.refusal(ids, index, found)


def _types_of(flat: Any) -> Iterable[type]:
    """The types of labels; of an array all are integers."""
    return [flat.dtype.type] if isinstance(flat, np.ndarray) and len(flat) else dict.fromkeys(map(type, flat))


def _kind_of(columns: Sequence[LabelColumn], ids: Sequence[Any]) -> str:
    """The kind of all labels, "" if there are none; a TypeError for mixed kinds or an invalid label, a ValueError for
    NaN.
    """
    kinds = list(dict.fromkeys(label_kind(type_) for column in columns for type_ in _types_of(column.flat)))
    if not kinds or len(kinds) == 1 and kinds[0] in ("bool", "int", "str"):
        return "".join(kinds)
    first = None
    for column in columns:
        for index, label in enumerate(map(plain_label, column.flat)):
            if label is None or is_nan(label):
                found = f"{column.where(ids, index)} is {'None' if label is None else 'NaN'}"
                raise InputError(column.name, found, f"{_GIVE_ONE}, or omit the row in both columns")
            if not is_hashable(label):
                raise column.refusal(ids, index, f"which is not a label; {_GIVE_ONE}")
            first = first or (f"{column.where(ids, index)} {describe(label)}", label_kind(type(label)))
            if label_kind(type(label)) != first[1]:
                found = f"{column.where(ids, index)} is {describe(label)}"
                raise TypeError(
                    f"labels of mixed type: {first[0]}, {found}; give all labels one type, for example strings"
                )
    return kinds[0]
