"""Groups of examples that belong together, such as the questions about one article.

Examples of one group are not independent draws: intervals draw whole groups, and paired tests swap whole groups.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .columns import check_lengths, is_nan, to_list, with_id
from .errors import InputError, about
from .ids import values_by_id
from .ragged import read_only
from .shown import describe

_FEW_DIGITS = 1 << 63  # integers below it are written as they are


@dataclasses.dataclass(frozen=True, eq=False)
class Groups:
    """The groups of n examples.

    Attributes:
        codes: int64 (n,), the index of the group of each example in `labels`.
        labels: the texts of the distinct groups, sorted; 1 and "1" are one group.

    Example:
        >>> groups = Groups.of(["Rome", "Oslo", "Rome"])
        >>> groups.labels, groups.codes.tolist(), groups.are_single
        (('Oslo', 'Rome'), [1, 0, 1], False)
    """

    codes: np.ndarray
    labels: tuple[str, ...]

    @classmethod
    def of(cls, column: Any, ids: Sequence[Any] = range(0), name: str = "groups") -> "Groups":
        """Groups from a column of labels.

        Args:
            ids: of the examples, for messages.
            name: of the column, for messages.

        Raises:
            TypeError: a label that is neither a string nor a number. ValueError: an empty label (None, NaN, "").
        """
        values = to_list(column, name)
        kinds = set(map(type, values))
        if kinds == {int} and -_FEW_DIGITS < min(values) <= max(values) < _FEW_DIGITS:
            values = list(map(str, values))
        elif not kinds <= {str} or "" in values:
            values = [_label_of(value, f"{name}[{row}]{with_id(ids, row)}", name) for row, value in enumerate(values)]
        codes = {label: code for code, label in enumerate(dict.fromkeys(values))}
        return cls._sorted(np.fromiter(map(codes.__getitem__, values), np.int64, len(values)), tuple(codes))

    @classmethod
    def _sorted(cls, codes: np.ndarray, labels: Sequence[str]) -> "Groups":
        order = sorted(range(len(labels)), key=labels.__getitem__)
        index = np.empty(len(labels), np.int64)
        index[order] = np.arange(len(labels))
        return cls(read_only(index[codes]), tuple(labels[row] for row in order))

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        """Whether each example has the same group."""
        if not isinstance(other, Groups):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.codes, other.codes)

    __hash__ = None  # type: ignore[assignment]

    @property
    def are_single(self) -> bool:
        """Whether every example is a separate group, so groups have no effect."""
        return len(self.labels) == len(self.codes)

    def are_single_in(self, which: np.ndarray) -> bool:
        """Whether every example of a mask (n,) is the only one of its group there, so groups have no effect."""
        return bool(np.bincount(self.codes[which]).max(initial=0) <= 1)

    def listed(self) -> list[str]:
        """The label of each example."""
        return [self.labels[code] for code in self.codes.tolist()]

    def take(self, order: np.ndarray) -> "Groups":
        """The groups of selected examples, in this order; empty groups are dropped."""
        used, codes = np.unique(self.codes[order], return_inverse=True)
        return Groups(read_only(codes.astype(np.int64)), tuple(self.labels[code] for code in used.tolist()))

    @classmethod
    def concat(cls, parts: Sequence["Groups"]) -> "Groups":
        """Concatenate the groups of several parts; equal labels are the same group."""
        index: dict[str, int] = {}
        codes = []
        for part in parts:
            of_part = np.array([index.setdefault(label, len(index)) for label in part.labels], np.int64)
            codes.append(of_part[part.codes])
        return cls._sorted(np.concatenate(codes), tuple(index))


def to_groups(labels: Any, ids: Sequence[Any]) -> Groups | None:
    """The group of each example, from labels in order or by id; None without labels.

    Raises:
        ValueError: wrong number of labels, an empty label, or an id without a label. TypeError: a label of a wrong
            type.
    """
    if labels is None:
        return None
    with about("groups"):
        groups = labels if isinstance(labels, Groups) else Groups.of(values_by_id(labels, ids, "groups"), ids)
        check_lengths(references=ids, groups=groups.codes)
        return groups


def require_several_groups(n_groups: int, n: int, named: str = "") -> None:
    """Refuse n examples that are all in one group, because no variance can be estimated.

    Args:
        n_groups: the number of groups.
        named: the label of the first group, as shown in the message.
    """
    if n_groups == 1 and n > 1:
        called = f", {named}" if named else ""
        message = (
            f"all {n} examples are in one group{called}: how groups differ cannot be estimated from one; omit groups, "
            "or give finer ones"
        )
        raise InputError("groups", message)


def _label_of(value: Any, where: str, name: str) -> str:
    """The text of a group; `where` and `name`, the row and the column, are for messages."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or is_nan(value) or isinstance(value, str) and not value:
        message = f"{where} is empty ({value!r}); give every example a group, such as its id"
        raise InputError(name, message)
    if not isinstance(value, (str, int, float)) or isinstance(value, float) and math.isinf(value):
        raise InputError(name, f"{where} must be a string or a number, got {describe(value)}")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
