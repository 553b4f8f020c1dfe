"""Encodes labels as class numbers, and holds numbers of labels (counts, propensities)."""

import hashlib
import numbers
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .answers import remarks_on_float_labels
from .columns import is_hashable, is_nan, real_numbers, to_list
from .errors import blamed
from .options import did_you_mean
from .remarks import remark
from .shown import describe, shown

MOST_CLASSES = 5_000_000  # of sparse matrices: the largest sets of extreme classification have 2.8 million
_MOST_CLASSES_GIVEN = 1_000_000  # of the option labels: intervals of averages over more take minutes
_MANY = 10_000  # above this many names, no similar name is suggested
_GIVE_ONE = "give one label per row, a string or an integer"


def check_class_count(count: int, what: str) -> None:
    """Refuse more classes than there may be numbers for, before these are stored.

    Args:
        what: what has them, for the message.

    Raises:
        ValueError: naming both numbers.
    """
    if count > MOST_CLASSES:
        raise ValueError(f"{what} {count:,} classes, and at most {MOST_CLASSES:,} can be counted; give fewer")


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
        text = "" if isinstance(self.labels, range) else "-" + fingerprint(map(label_text, self.labels))
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
        labels = int(labels)
        if labels > _MOST_CLASSES_GIVEN:
            raise ValueError(
                f"option labels must be at most {_MOST_CLASSES_GIVEN:,}, the number of classes; got {shown(labels)}"
            )
        labels = range(labels)
    if isinstance(labels, (set, frozenset)):
        labels = sort_labels(labels)
    if (
        isinstance(labels, range)
        and labels
        and not -_MOST_CLASSES_GIVEN <= labels[-1] - labels[0] < _MOST_CLASSES_GIVEN
    ):
        raise ValueError(f"option labels must be at most {_MOST_CLASSES_GIVEN:,} classes; got {shown(labels)}")
    if not isinstance(labels, range):
        labels = [plain_label(label) for label in to_list(labels, "option labels")]
        _check_kinds({"option labels": labels}, lambda name, place: f"{name}[{place}]")
        seen: set[Any] = set()
        for label in labels:
            if label in seen:
                raise ValueError(f"option labels has {shown(label)} twice; give every class once")
            seen.add(label)
    if not len(labels):
        raise ValueError("option labels is empty; give at least one class, or omit it")
    return LabelList(labels)


class LabelNumbers:
    """A number for each label: a dict label -> number, or an array in the order of the classes.

    The classes are the option labels if these are as many; otherwise 0, 1, 2, ...

    Attributes:
        option: which option it is, for messages.
        keys: the labels of a dict; None for an array.
        numbers: float64.
        name: how many they are and a fingerprint, for the signature.
    """

    def __init__(self, given: Any, option: str):
        where = f"option {option}"
        keys = None
        if isinstance(given, Mapping):
            keys = sort_labels(map(plain_label, given))  # dicts are equal regardless of order
            given = [given[key] for key in keys]
        elif not isinstance(given, np.ndarray) or given.dtype.kind not in "iuf":
            given = to_list(given, where)
        try:
            numbers = np.asarray(given, np.float64) if isinstance(given, np.ndarray) else real_numbers(given)
        except TypeError:
            raise TypeError(f"{where} must contain a number for each label, got {describe(given)}") from None
        if numbers.ndim != 1 or not len(numbers):
            raise ValueError(f"{where} needs one number for each label, at least one; got shape {numbers.shape}")
        bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
        if len(bad):
            label = int(bad[0]) if keys is None else keys[bad[0]]
            raise ValueError(
                f"{where} of label {shown(label)} is {numbers[bad[0]]:g}; give finite numbers of at least 0"
            )
        self.option, self.keys, self.numbers = option, keys, numbers
        self.name = f"{len(numbers)}-" + fingerprint([*map(label_text, keys or ()), numbers.tobytes()])

    def __len__(self) -> int:
        return len(self.numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelNumbers):
            return NotImplemented
        return self.keys == other.keys and np.array_equal(self.numbers, other.numbers)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<LabelNumbers {self.name}>"

    def of_classes(self, classes: LabelList, size: int) -> np.ndarray:
        """The numbers of the first `size` classes, float64 (size,); NaN if a dict lacks one."""
        check_class_count(size, f"option {self.option} is for")
        labels = classes.labels[:size]
        if self.keys is not None:
            values = dict(zip(self.keys, self.numbers.tolist(), strict=True))
            return np.fromiter((values.get(label, np.nan) for label in labels), np.float64, len(labels))
        if classes.given and len(self) == len(classes):
            return self.numbers
        if not are_whole(labels):
            raise ValueError(
                f"option {self.option} has {len(self)} numbers, whose order only the option labels explain; give "
                "labels of the same length, or a dict label -> number"
            )
        absent = next((label for label in labels if not 0 <= label < len(self)), None)
        if absent is not None:
            raise ValueError(
                f"option {self.option} has {len(self)} numbers and so none for label {shown(absent)}; give one "
                "for every label, in the order of the label numbers"
            )
        return self.numbers[np.array(labels, np.int64)]


def label_text(label: Any) -> str:
    """The text of a label, including integers that are too long for Python to write in digits."""
    try:
        return repr(label)
    except ValueError:
        return hex(label) if isinstance(label, int) else describe(label)


def label_name(label: Any) -> str:
    """A label as it appears in the name of a measure."""
    try:
        return str(label)
    except ValueError:
        return label_text(label)


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
    for wanted, name in (((bool, np.bool_), "bool"), (numbers.Integral, "int"), (str, "str"), (numbers.Real, "float")):
        if issubclass(kind, wanted):
            return name
    return kind.__name__


def _check_kinds(flats: Mapping[str, Sequence[Any]], where: Callable[..., str]) -> str:
    """The kind of all labels, "" if there are none; a TypeError for mixed kinds or an invalid label, a ValueError for
    NaN.
    """
    kinds: dict[str, str] = {}
    for name, flat in flats.items():
        if isinstance(flat, np.ndarray):
            kinds.setdefault(label_kind(flat.dtype.type), name)
        else:
            for own in dict.fromkeys(map(type, flat)):
                kinds.setdefault(label_kind(own), name)
    first = next(iter(kinds), "")
    if len(kinds) <= 1 and (first in ("", "bool", "int", "str") or _are_labels(first, flats.values())):
        return first
    example = None
    for name, flat in flats.items():
        for place, label in enumerate(flat):
            label = plain_label(label)
            kind = label_kind(type(label))
            if label is None:
                told = f"{where(name, place)} is None; {_GIVE_ONE}, or omit the row on both sides"
                raise blamed(TypeError(told), name)
            if is_nan(label):
                told = f"{where(name, place)} is NaN; {_GIVE_ONE}, or omit the row on both sides"
                raise blamed(ValueError(told), name)
            if not is_hashable(label):
                told = (
                    f"{where(name, place)} is {describe(label)}, which is not a label; {_GIVE_ONE}, or for "
                    "several labels per row the option task=multi or ranked"
                )
                raise blamed(TypeError(told), name)
            if example is None:
                example = (where(name, place), label, kind)
            elif kind != example[2]:
                raise TypeError(
                    f"labels of mixed type: {example[0]} is {describe(example[1])}, {where(name, place)} is "
                    f"{describe(label)}; give all labels one type, for example strings"
                )
    return first


def _are_labels(kind: str, flats: Iterable[Sequence[Any]]) -> bool:
    """Whether all values of one kind can be labels: hashable, neither None nor NaN."""
    if kind == "NoneType":
        return False
    try:
        return not any(kind == "float" and any(map(operator.ne, flat, flat)) for flat in flats if len(set(flat)))
    except TypeError:
        return False


def code_labels(
    flats: Mapping[str, Sequence[Any]], classes: LabelList | None, where: Callable[..., str]
) -> tuple[dict[str, np.ndarray], LabelList]:
    """Class numbers of labels, int64, and the classes.

    Args:
        flats: name -> labels, a list or an array.
        classes: the class list; None: the labels that occur, sorted.
        where: a function from a name and a place to the words of messages.

    Raises:
        TypeError, ValueError: labels of several types, None, NaN, or unknown ones, with their place.
    """
    flats = {
        name: flat.tolist() if isinstance(flat, np.ndarray) and flat.dtype.kind not in "iu" else flat
        for name, flat in flats.items()
    }
    kind = _check_kinds(flats, where)
    if not kind:  # no labels at all
        return {name: np.zeros(0, np.int64) for name in flats}, LabelList(
            [], given=False
        ) if classes is None else classes
    if kind == "int":
        try:
            arrays = {name: _int64(flat) for name, flat in flats.items()}
        except OverflowError:  # integers beyond 64 bits are valid labels
            if classes is not None and isinstance(classes.labels, range):
                places = ((n, p, x) for n, flat in flats.items() for p, x in enumerate(flat) if x not in classes.labels)
                name, place, label = next(places)
                raise blamed(_unknown(where(name, place), label, classes), name) from None
            flats = {name: flat.tolist() if isinstance(flat, np.ndarray) else flat for name, flat in flats.items()}
        else:
            if classes is None:
                return _code_found_integers(arrays)
            if are_whole(classes.labels):
                return {name: _code_integers(array, classes, where, name) for name, array in arrays.items()}, classes
    if classes is None:
        distinct = {name: dict.fromkeys(flat) for name, flat in flats.items()}
        for line in remarks_on_float_labels(distinct) if kind == "str" else ():
            remark(line)
        found = dict.fromkeys(chain.from_iterable(distinct.values()))
        classes = LabelList([plain_label(label) for label in sort_labels(found)], given=False)
    elif classes.labels and kind and kind != label_kind(type(classes.labels[0])):
        name, flat = next((name, flat) for name, flat in flats.items() if len(flat))
        told = (
            f"{where(name, 0)} is {describe(plain_label(flat[0]))}, but the option labels has "
            f"{describe(classes.labels[0])}; give labels of one type"
        )
        raise blamed(TypeError(told), name)
    number = {label: place for place, label in enumerate(classes.labels)}
    codes = {}
    for name, flat in flats.items():
        try:
            codes[name] = np.fromiter(map(number.__getitem__, flat), np.int64, len(flat))
        except KeyError:
            place = next(place for place, label in enumerate(flat) if label not in number)
            raise blamed(_unknown(where(name, place), flat[place], classes), name) from None
    return codes, classes


def _int64(flat: Sequence[Any]) -> np.ndarray:
    if isinstance(flat, np.ndarray):
        if flat.dtype.kind == "u" and len(flat) and flat.max() > np.iinfo(np.int64).max:
            raise OverflowError
        return flat.astype(np.int64, copy=False)
    return np.fromiter(flat, np.int64, len(flat))


def _unknown(where: str, label: Any, classes: LabelList) -> ValueError:
    label = plain_label(label)
    if isinstance(classes.labels, range):
        problem = f"label numbers go from {classes.labels[0]} to {classes.labels[-1]}"
        return ValueError(
            f"{where} is {describe(label)}, but {problem}; correct it, or name the classes by the option labels"
        )
    near = did_you_mean(label, classes.labels) if isinstance(label, str) and len(classes) < _MANY else ""
    return ValueError(
        f"{where} is {describe(label)}, which is not among the {len(classes)} classes of the option labels{near}; add "
        "it there, or omit the option"
    )


def _code_found_integers(arrays: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], LabelList]:
    filled = [array for array in arrays.values() if len(array)]
    low = min((int(array.min()) for array in filled), default=0)
    high = max((int(array.max()) for array in filled), default=-1)
    if high - low <= 4 * sum(map(len, filled)) + 1000:  # a table is faster than sorting
        present = np.zeros(high - low + 1, bool)
        for array in filled:
            present[array - low if low else array] = True
        labels = np.flatnonzero(present) + low
        table = np.cumsum(present) - 1
        whole = len(labels) == len(present)
        codes = {name: array - low if whole else table[array - low] for name, array in arrays.items()}
    else:
        labels = np.unique(np.concatenate(filled))
        codes = {name: np.searchsorted(labels, array) for name, array in arrays.items()}
    return codes, LabelList(labels.tolist(), given=False)


def _code_integers(array: np.ndarray, classes: LabelList, where: Callable[..., str], name: str) -> np.ndarray:
    codes: np.ndarray
    if classes.labels == range(len(classes)):
        codes, is_class = array.copy(), (array >= 0) & (array < len(classes))
    elif not -(2**63) <= min(classes.labels) <= max(classes.labels) < 2**63:
        number = {label: place for place, label in enumerate(classes.labels)}
        codes = np.fromiter((number.get(label, -1) for label in array.tolist()), np.int64, len(array))
        is_class = codes >= 0
    else:
        labels = np.array(classes.labels, np.int64)
        order = np.argsort(labels)
        codes = order[np.minimum(np.searchsorted(labels, array, sorter=order), len(labels) - 1)]
        is_class = labels[codes] == array
    if not is_class.all():
        place = int(np.argmin(is_class))
        raise blamed(_unknown(where(name, place), array[place], classes), name)
    return codes
