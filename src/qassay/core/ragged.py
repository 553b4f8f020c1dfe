"""Columns whose rows are lists of numbers, in addition to columns with one number per example."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .arrow import binary_slices, numbers_of


class Ragged:
    """An immutable column of n lists of numbers: list i is `values[offsets[i]:offsets[i + 1]]`.

    Attributes:
        offsets: int64 (n + 1,), from 0 on, never falling.
        values: (t,), int64 or float64, the lists one after another; other numbers are converted.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, offsets: np.ndarray, values: np.ndarray):
        values = np.asarray(values)
        values = values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)
        self.offsets: np.ndarray = read_only(np.asarray(offsets, np.int64))
        self.values: np.ndarray = read_only(values)
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.values) or (np.diff(self.offsets) < 0).any():
            raise ValueError(f"offsets must rise from 0 to {len(self.values)}, the number of values")

    @classmethod
    def concat(cls, parts: Sequence["Ragged"]) -> "Ragged":
        """The rows of all parts, one part after another."""
        lengths = np.concatenate([part.lengths for part in parts])
        return cls(np.append(0, np.cumsum(lengths)), np.concatenate([part.values for part in parts]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Ragged of {len(self)} lists, {len(self.values)} numbers>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        floats = self.values.dtype.kind == "f" and other.values.dtype.kind == "f"
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(
            self.values, other.values, equal_nan=floats
        )

    @property
    def lengths(self) -> np.ndarray:
        """The length of each list, int64 (n,)."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> np.ndarray:
        """The row of each value, int64 (t,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: np.ndarray) -> "Ragged":
        """These rows, in this order."""
        rows = np.asarray(rows, np.int64)
        lengths = self.lengths[rows]
        return Ragged(np.append(0, np.cumsum(lengths)), self.values[ranges_from(self.offsets[rows], lengths)])

    def tolist(self) -> list[list[Any]]:
        """Python lists of Python numbers."""
        flat, ends = self.values.tolist(), self.offsets.tolist()
        return [flat[start:end] for start, end in pairwise(ends)]

    def to_arrow(self) -> Any:
        """A pyarrow.LargeListArray."""
        import pyarrow as pa

        return pa.LargeListArray.from_arrays(pa.array(self.offsets), pa.array(self.values))

    def codes(self) -> np.ndarray:
        """Codes of the lists, int64 (n,): equal exactly for equal lists, and independent of their order."""
        import pyarrow.compute as pc

        floats = self.values.dtype.kind == "f"
        values = np.ascontiguousarray(self.values + 0.0 if floats else self.values)  # -0.0 is equal to 0.0
        encoded = binary_slices(values, self.offsets * values.itemsize).dictionary_encode()
        order = numbers_of(pc.sort_indices(encoded.dictionary))
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks.take(numbers_of(encoded.indices))


def read_only(column: Any) -> Any:
    """The same column, an array or a `Ragged`, as a read-only view."""
    if isinstance(column, Ragged):
        return column
    view = np.asarray(column).view()
    view.flags.writeable = False
    return view


def typed_column(what: str, name: str, column: Any, kind: np.dtype[Any]) -> Any:
    """A column converted to one type, read-only; it shares memory if it already has that type.

    Raises:
        TypeError: naming `what` and `name`, such as "column" and "f1", if the values are not of this type.
    """
    if isinstance(column, Ragged) or type(column) is np.ndarray and column.dtype is kind and not column.flags.writeable:
        return column
    column = np.asarray(column)
    if column.dtype is not kind:
        if column.dtype.kind not in ("b" if kind.kind == "b" else "biuf"):
            required = "True or False" if kind.kind == "b" else "numbers"
            raise TypeError(f"{what} {name!r} must contain {required}, got {column.dtype}")
        column = column.astype(kind, copy=False)
    return read_only(column)


def ranges_from(starts: np.ndarray, counts: np.ndarray) -> Any:
    """start, start + 1, ... for each start, counts[i] of them, one after another."""
    ends = np.cumsum(counts)
    return np.repeat(starts - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


def begins_run(values: np.ndarray) -> np.ndarray:
    """Whether each of n values differs from the value before it, bool (n,); the first value begins a run.

    Example:
        >>> begins_run(np.array([3, 3, 5, 3])).tolist()
        [True, False, True, True]
    """
    begins = np.ones(len(values), bool)
    begins[1:] = values[1:] != values[:-1]
    return begins


def are_equal(first: Any, second: Any) -> bool:
    """Whether two columns of the same kind have equal rows; NaN equals NaN."""
    return first == second if isinstance(first, Ragged) else np.array_equal(first, second, equal_nan=True)


def take_rows(column: Any, rows: np.ndarray) -> Any:
    """These rows of a column, in this order."""
    return column.take(rows) if isinstance(column, Ragged) else column[rows]


def join_rows(columns: Sequence[Any]) -> Any:
    """Concatenate the rows of columns of the same kind."""
    return Ragged.concat(columns) if isinstance(columns[0], Ragged) else np.concatenate(columns)
