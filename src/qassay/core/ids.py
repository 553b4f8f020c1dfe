"""Ids of examples: equal ids, duplicate ids, and the rows of ids."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .columns import check_rows, index_of, to_list
from .errors import InputError
from .shown import shown

OR_DUPLICATES = ", or the option duplicates=first or last"


class UniqueIds(list[Any]):
    """Ids that are known to be unique, so they are not checked again."""


class Positions(UniqueIds):
    """The positions of the remaining examples, if they have no ids."""


def unique_ids(ids: Sequence[Any], name: str) -> UniqueIds:
    """A column of ids, checked as in `first_of_each`; a duplicate one is refused."""
    first_of_each(ids, name, None)
    return UniqueIds(ids)


def first_of_each(ids: Sequence[Any], name: str, policy: str | None) -> np.ndarray | None:
    """Which rows to keep, by the policy for duplicate ids; None for all.

    Args:
        policy: "error", "first" or "last"; None: they are refused, and there is no option.

    Raises:
        InputError: an id that is neither str nor int, an empty id, or, by the policy, a duplicate one.
    """
    if isinstance(ids, UniqueIds):
        return None
    floats = any(issubclass(kind, (float, np.floating)) for kind in set(map(type, ids)))
    advice = "give every example a string or an integer"
    of_pandas = '; pandas makes numbers of a column with a gap floats: series.astype("Int64") has them as integers'
    check_rows(ids, name, (), (str, int, np.integer), advice + of_pandas if floats else advice)
    if "" in ids:
        raise InputError(name, "is empty", "give every example an id", ids.index(""))
    (keys,) = comparable_ids(ids)
    if len(set(keys)) == len(keys):
        return None
    rows: dict[Any, int] = {}
    for row, key in enumerate(keys):
        first = rows.setdefault(key, row)
        if first != row and policy in (None, "error"):
            advice = f"give every example a distinct id{OR_DUPLICATES if policy else ''}"
            raise InputError(name, f"repeats the id {shown(ids[row])} of row {first}", advice, row)
        if policy == "last":
            rows[key] = row
    return np.sort(np.fromiter(rows.values(), np.int64, len(rows)))


def comparable_ids(*columns: Sequence[Any]) -> list[Sequence[Any]]:
    """Columns of ids that can be compared: all as text if there are both strings and integers, since 1 and "1" are one
    id. Positions, which are a range, stay numbers.
    """
    if any(isinstance(ids, range) for ids in columns):
        return list(columns)
    if len({issubclass(kind, str) for ids in columns for kind in set(map(type, ids))}) < 2:
        return list(columns)
    return [list(map(str, ids)) for ids in columns]


def rows_of_ids(requested: Sequence[Any], given: Sequence[Any]) -> np.ndarray:
    """The row in `given` of each requested id, -1 for none, int64 (n,); 1 and "1" are one id."""
    if requested == given:
        return np.arange(len(requested))
    first, second = comparable_ids(requested, given)
    rows = {key: row for row, key in enumerate(second)}
    return np.fromiter((rows.get(key, -1) for key in first), np.int64, len(first))


def values_by_id(values: Any, ids: Sequence[Any], name: str, *, others: bool = True) -> list[Any]:
    """One value per example as a list: of a dict by id, or a pandas series indexed by id, in the order of the ids; of any
    other column, of any length, as it is.

    Args:
        others: whether values of ids that no example has are allowed, and left out.

    Raises:
        InputError: an id without a value or with two values, or an ambiguous index: see `index_counts_rows`.

    Example:
        >>> values_by_id({"b": 2, "a": 1}, ["a", "b"], "weights")
        [1, 2]
    """
    index = index_of(values)
    if index is not None and not index_counts_rows(labels := index.tolist(), ids, name) and not isinstance(ids, range):
        there = rows_of_ids(ids, labels) >= 0
        if there.any():  # else they are the labels of something else
            if not there.all() or len(set(labels)) < len(labels):
                found = f"{name} has an index with some of the ids, or with a duplicate one"
                action = "give a label for every example, or, in their order, its values: series.tolist()"
                raise InputError(name, found, action)
            values = dict(zip(labels, values.tolist(), strict=True))
    if not isinstance(values, Mapping):
        return to_list(values, name)
    keys = list(values)
    rows = rows_of_ids(ids, keys)
    absent = np.flatnonzero(rows < 0)
    if len(absent):
        if isinstance(ids, range) and not isinstance(keys[0] if keys else 0, int):
            raise InputError(name, f"{name} are given by id, but the examples have no ids", "give ids too, or a list")
        found = f"{name} has no value for the id {shown(ids[absent[0]])} ({len(absent)} in all)"
        raise InputError(name, found, "give one for every example")
    if not others and len(keys) > len(ids):
        foreign = np.flatnonzero(rows_of_ids(keys, ids) < 0)
        if not len(foreign):
            found = f"{name} has a duplicate id: a number and its digits are one id"
            raise InputError(name, found, "give every example one value")
        found = f"{name} has the id {shown(keys[foreign[0]])} ({len(foreign)} in all), which no example has"
        raise InputError(name, found, "omit it")
    cells = list(values.values())
    return [cells[row] for row in rows.tolist()]


def index_counts_rows(labels: list[Any], ids: Sequence[Any], name: str) -> bool:
    """Whether the index of the pandas series `name` counts its rows, which then have the order of the examples.

    Raises:
        InputError: the index could be positions or ids: it has the numbers of the rows or of the ids in another order.
    """
    counts = labels == [*range(len(labels))]
    keys, of_examples = map(list, comparable_ids(labels, ids))
    are_ids = set(keys) == set(of_examples)
    is_shuffled = not counts and set(labels) == {*range(len(labels))} and set(keys).isdisjoint(of_examples)
    if keys != of_examples and (are_ids and (counts or isinstance(ids, range)) or is_shuffled):
        raise InputError(
            name,
            f"{name} has an index with the numbers of the examples in another order",
            "give series.tolist() where the values are in the order of the examples, series.sort_index().tolist() where the index "
            "counts them, series.to_dict() where it has the ids",
        )
    return counts
