"""Converts columns and tables (lists, arrays, Arrow, data frames, data sets) to plain lists, and checks their rows."""

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from .errors import InputError, id_in_brackets
from .shown import describe, shown

LIST_TYPES = (list, tuple, np.ndarray)  # types of a list inside a row; see is_list
LARGEST = 1e100  # sums of larger numbers would overflow


def to_list(column: Any, name: str) -> list[Any]:
    """A column as a plain list: from a list, tuple, iterator, numpy array, tensor, Arrow array, data-frame or data-set column.

    Raises:
        InputError: a single string, a dict, a set or another object that is not a column.
    """
    if isinstance(column, list):
        return column
    if _is_data_frame(column):  # iterating a table gives the names of its columns
        raise InputError(name, f"{name} is a whole {type(column).__name__}", "give one of its columns")
    if hasattr(column, "column_name"):  # a column of a data set: read all rows at once
        column = column[:]
    if getattr(column, "ndim", 1) > 0:
        for method in ("to_pylist", "tolist", "to_list"):
            if hasattr(column, method):
                return getattr(column, method)()  # type: ignore[no-any-return]
        if isinstance(column, Iterable) and not isinstance(column, (str, bytes, Mapping, set, frozenset)):
            try:
                return list(column)
            except (OverflowError, MemoryError):  # of a range
                raise InputError(name, f"{name} has more rows than fit into memory: {describe(column)}") from None
    found = f"{name} must be a column with one item per example, for example a list; got {describe(column)}"
    raise InputError(name, found)


def have_no_rows(columns: Iterable[Any]) -> bool:
    """Whether these columns of a batch (None: not given) are all without rows: empty lists, dicts, arrays, tables."""
    sizes = [_size(column) for column in columns if column is not None]
    return bool(sizes) and set(sizes) == {0}


def _size(column: Any) -> int | None:
    shape = getattr(column, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else None
    return len(column) if isinstance(column, Sized) and not isinstance(column, (str, bytes)) else None


def columns_of_frame(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with pandas indexes checked: rows are matched by position.

    Series with the index of the predictions or references become lists, and the columns of a frame of predictions get the
    order of the references.

    Raises:
        InputError: two columns have the same index in different orders.
    """
    checked = dict(columns)
    labels = {name: index.tolist() for name, column in columns.items() if (index := index_of(column)) is not None}
    paired = {name: labels[name] for name in ("predictions", "references") if name in labels}
    for name in labels.keys() - paired.keys():
        if labels[name] in paired.values():
            checked[name] = columns[name].tolist()
    first = next(iter(labels), "")
    for name, others in labels.items():
        _refuse_other_order(f"the index of {first}", labels[first], f"the index of {name}", others)
    ids: Any = columns.get("ids")
    if isinstance(ids, (list, tuple)) or getattr(ids, "ndim", 0) == 1 and hasattr(ids, "tolist"):
        for name in paired:
            if labels[name] != [*range(len(ids))]:
                _refuse_other_order("ids", list(ids), f"the index of {name}", labels[name])
    if len(paired) == 2 and all(_is_data_frame(columns[name]) for name in paired):
        names = columns["references"].columns
        if {*names} == {*columns["predictions"].columns}:
            checked["predictions"] = columns["predictions"][list(names)]
    return checked


def index_of(column: Any) -> Any:
    """The index of a pandas series, or of a data frame of numbers or bools, such as scores of classes; None of anything else."""
    index = None if isinstance(column, (list, tuple, Mapping)) else getattr(column, "index", None)
    if not hasattr(index, "is_unique"):
        return None
    is_series = getattr(column, "ndim", 1) == 1
    return index if is_series or all(getattr(kind, "kind", "") in "biuf" for kind in column.dtypes) else None


def _refuse_other_order(first: str, labels: list[Any], name: str, others: list[Any]) -> None:
    try:
        if len(labels) != len(others) or labels == others or set(labels).isdisjoint(others):
            return
    except (TypeError, ValueError):  # ids that cannot be ids, which the next check refuses
        return
    row = next(row for row, pair in enumerate(zip(labels, others, strict=True)) if pair[0] != pair[1])
    raise InputError(
        "",
        f"{first} and {name} have the same labels in another order, or only some: row {row} is {shown(labels[row])} and "
        f"{shown(others[row])}",
        "give both in one order, series.sort_index(), or, where the rows match as they are, series.tolist()",
    )


def is_table(value: Any) -> bool:
    """Whether this is a table: Arrow, a data set, or a data frame (pandas, polars)."""
    if isinstance(value, (list, tuple, Mapping)):
        return False
    return (
        _is_data_frame(value)
        or hasattr(value, "with_format")
        or (hasattr(value, "schema") and hasattr(value, "column"))
    )


def is_rows(value: Any) -> bool:
    """Whether this is a list of dicts."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _is_data_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "dtypes")


def table_columns(table: Any) -> dict[str, Any]:
    """The columns of a table by name; a TypeError for a data set without a length."""
    if hasattr(table, "with_format") and not hasattr(table, "__len__"):
        raise TypeError(
            f"{type(table).__name__} is read as a stream and has no columns to score at once; give its batches to "
            "qassay.stream, or list(data_set) to qassay.score"
        )
    if hasattr(table, "with_format"):  # a data set, whose rows may be selected by indices
        table = table.with_format("arrow")[:]
    if hasattr(table, "schema") and hasattr(table, "column"):
        return {name: table.column(name) for name in table.schema.names}
    return {name: table[name] for name in table.columns}


def rows_of_table(table: Mapping[str, Sequence[Any]]) -> list[dict[Any, Any]]:
    """The rows of columns of one length, given by name."""
    return list(ColumnRows(table))


class ColumnRows(Sequence[Any]):
    """Rows stored as columns of one length, by name; reading a row makes a dict."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]):
        check_lengths(**{str(name): column for name, column in columns.items()})
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, row: Any) -> Any:
        return {name: column[row] for name, column in self.columns.items()}

    def __iter__(self) -> Iterator[dict[Any, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True))


def is_list(value: Any) -> bool:
    """Whether a value inside a row is a list: a list, a tuple, or an array with at least one dimension."""
    return isinstance(value, LIST_TYPES) and (not isinstance(value, np.ndarray) or value.ndim > 0)


def items_of(cell: Any, where: str, of: str = "", action: str = "use [] for none") -> list[Any]:
    """The items of a list, a tuple or an array inside a row.

    Args:
        where, of, action: for messages: the name of the cell, what its items are, and what to do.

    Raises:
        InputError: anything else.
    """
    cell = cell.tolist() if isinstance(cell, np.ndarray) and cell.ndim else cell
    if not isinstance(cell, (list, tuple)):
        raise InputError(None, f"{where} must be a list{of and f' of {of}'}, got {describe(cell)}", action)
    return list(cell)


def texts_of(cell: Any, where: str, of: str = "texts", action: str = "use [] for none") -> list[str]:
    """The same for a list of texts."""
    items = items_of(cell, where, of, action)
    for index, item in enumerate(items):
        if not isinstance(item, str):
            raise InputError(None, f"{where}[{index}] must be a string, got {describe(item)}", action)
    return items


def counted(count: int, words: str) -> str:
    """A count and the words after it, which begin with a plural noun; after 1 it becomes singular."""
    first, blank, others = words.partition(" ")
    if count == 1 and first.endswith("s"):
        first = f"{first[:-3]}y" if first.endswith("ies") else first[: -2 if first.endswith(("sses", "xes")) else -1]
    return f"{count:,} {first}{blank}{others}"


def real_numbers(values: Iterable[Any]) -> np.ndarray:
    """Numbers as float64 (n,); anything else is a TypeError, whereas numpy would parse "1.5" and turn None into NaN."""
    values = tuple(values)
    try:
        return np.frombuffer(struct.Struct(f"{len(values)}d").pack(*values))
    except (struct.error, TypeError, ValueError, OverflowError):  # ValueError: a signalling NaN of the module decimal
        raise TypeError("give real numbers") from None


def finite_numbers(values: Any, where: Callable[[int], str], most: float = math.inf) -> np.ndarray:
    """Finite numbers of an array of numbers or of a list, float64 or the floats of the array, in its shape.

    Args:
        where: the name of the value at an index of the flat array, for messages.
        most: the limit of their size.
    """
    if isinstance(values, np.ndarray):
        numbers = values if values.dtype.kind == "f" else values.astype(np.float64)
    else:
        try:
            numbers = real_numbers(values)
        except TypeError:
            index = next(index for index, value in enumerate(values) if not is_real(value))
            raise InputError(None, f"{where(index)} must be a number, got {describe(values[index])}") from None
    with np.errstate(over="ignore", invalid="ignore"):
        if most == math.inf and np.isfinite(numbers.sum(dtype=np.float64)):  # then every value is
            return numbers
    bad = ~np.isfinite(numbers) | (abs(numbers) > most)
    if bad.any():
        index = int(np.argmax(bad))
        limit = "" if most == math.inf else f" of at most {most:g}"
        raise InputError(None, f"{where(index)} is {float(numbers.flat[index])}", f"give a finite number{limit}")
    return numbers


def is_real(value: Any) -> bool:
    """Whether a value is a real number that float64 can hold; strings of digits are not."""
    if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
        return False  # numpy would drop the imaginary part
    try:
        real_numbers([value])
    except TypeError:
        return False
    return True


def check_rows(
    column: Sequence[Any], name: str, ids: Sequence[Any], types: type | tuple[type, ...], advice: str
) -> None:
    """Refuse the first item of a wrong type; the message has its row, its id and what to do."""
    expected = types if isinstance(types, tuple) else (types,)
    if all(issubclass(kind, expected) for kind in set(map(type, column))):
        return
    row = next(row for row, item in enumerate(column) if not isinstance(item, expected))
    raise InputError(name, f"{_must_be(expected)}, got {describe(column[row])}", advice, row, id_at(ids, row))


def check_lengths(**columns: Sized | None) -> None:
    """Refuse columns of different lengths, with the lengths in the message."""
    sizes = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(sizes.values())) > 1:
        lengths = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError("", f"columns have different lengths: {lengths}", "give every column one value per row")


def plain_rows(column: list[Any], name: str, ids: Sequence[Any], advice: str) -> list[Sequence[Any]]:
    """A column of lists, given as lists, tuples or arrays."""
    if not set(map(type, column)) <= {list, tuple}:
        column = [row.tolist() if hasattr(row, "tolist") and getattr(row, "ndim", False) else row for row in column]
        check_rows(column, name, ids, (list, tuple), advice)
    return column


def with_id(ids: Sequence[Any], row: int) -> str:
    """The text " (id 'q1')" for messages; "" if the ids are only positions."""
    return id_in_brackets(id_at(ids, row))


def id_at(ids: Sequence[Any], row: int) -> Any:
    """The id of a row; None if the ids are only positions."""
    return None if isinstance(ids, range) or row >= len(ids) else ids[row]


def _must_be(expected: tuple[type, ...]) -> str:
    names = [{"Mapping": "dict"}.get(kind.__name__, kind.__name__) for kind in expected if kind.__module__ != "numpy"]
    return f"must be {' or '.join(names)}"


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: it has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_hashable(value: Any) -> bool:
    """Whether a value is hashable, so that it can be a label or a dict key."""
    try:
        hash(value)
    except Exception:  # noqa: BLE001 - a custom class may raise any
        return False
    return True


def is_nan(value: Any) -> bool:
    """Whether a value is NaN, as in empty cells of data frames."""
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, or the NaN, NA or NaT of pandas."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or is_nan(value)


def spelled(name: Any) -> str:
    """The normalised name of a column, for comparison with usual names."""
    return (name if isinstance(name, str) else shown(name)).strip().lower().replace(" ", "_").replace("-", "_")


def usual_roles(columns: Iterable[Any], usual_names: Mapping[Any, Iterable[str]]) -> dict[Any, list[Any]]:
    """Role -> the columns with one of its usual names, in the order of these names; roles without a column are
    omitted.
    """
    by_name: dict[str, list[Any]] = {}
    for column in columns:
        by_name.setdefault(spelled(column), []).append(column)
    by_role = {
        role: [column for name in names for column in by_name.get(name, ())] for role, names in usual_names.items()
    }
    return {role: there for role, there in by_role.items() if there}
