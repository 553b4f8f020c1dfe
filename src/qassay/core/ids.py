"""Ids of examples: which are one id, which is duplicate, and which row of a column belongs to which id."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .columns import check_rows, index_of, to_list
from .errors import InputError
from .shown import shown

_MOST_NAMED = 3  # ids in a message
OR_DUPLICATES = ", or the option duplicates=first or last"


class UniqueIds(list[Any]):
    """Ids that are known to be unique, so they are not checked again."""


class Positions(UniqueIds):
    """The rows that are left of examples without ids."""


def unique_ids(ids: list[Any], name: str, refusal: Callable[[int], Exception] | None = None) -> UniqueIds:
    """A column of ids, checked as in `first_of_each`; `refusal` makes the error for the first duplicate id."""
    kept = first_of_each(ids, name, "first" if refusal else None)
    if refusal and kept is not None:
        raise refusal(next(row for row, first in enumerate([*kept.tolist(), -1]) if row != first))
    return UniqueIds(ids)


def first_of_each(ids: list[Any], name: str, policy: str | None) -> np.ndarray | None:
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
    if all_distinct(ids):
        return None
    rows: dict[Any, int] = {}
    for row, identifier in enumerate(comparable_ids(ids)[0]):
        first = rows.setdefault(identifier, row)
        if first == row:
            continue
        if policy in (None, "error"):
            also = "" if ids[row] == ids[first] else f", {shown(ids[first])}: a number and its digits are one id"
            advice = f"give every example a distinct id{OR_DUPLICATES if policy else ''}"
            raise InputError(name, f"repeats the id {shown(ids[row])} of row {first}{also}", advice, row)
        if policy == "last":
            rows[identifier] = row
    return np.sort(np.fromiter(rows.values(), np.int64, len(rows)))


def comparable_ids(*columns: Sequence[Any]) -> list[Sequence[Any]]:
    """Columns of ids that can be compared: all as text if there are both strings and integers, since 1 and "1" are one
    id. Positions, which are a range, stay numbers.
    """
    if any(isinstance(ids, range) for ids in columns):
        return list(columns)
    if len({issubclass(kind, str) for ids in columns for kind in set(map(type, ids))}) < 2:
        return list(columns)
    return [list(map(_id_text, ids)) for ids in columns]


def _id_text(identifier: Any) -> str:
    try:
        return str(identifier)
    except ValueError:  # Python refuses to write longer numbers
        return hex(identifier)


def all_distinct(ids: Sequence[Any]) -> bool:
    """Whether there is no duplicate id; uses sorted hashes, which need an eighth of the memory of a set."""
    (ids,) = comparable_ids(ids)
    hashes = np.fromiter(map(hash, ids), np.int64, len(ids))
    hashes.sort()
    return bool((hashes[1:] != hashes[:-1]).all()) or len(set(ids)) == len(ids)


def require_unique(ids: Sequence[Any]) -> None:
    """Refuse a duplicate id, naming its row."""
    if all_distinct(ids):
        return
    seen: set[Any] = set()
    for row, identifier in enumerate(comparable_ids(ids)[0]):
        if identifier in seen:
            raise ValueError(f"duplicate id {shown(ids[row])} in row {row}; give every example a distinct id")
        seen.add(identifier)


def lacking_by_run(ids_of: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """Run -> the ids that it lacks and other runs have, in order of occurrence; without complete runs.

    Args:
        ids_of: run -> its ids, all of the same type.
    """
    every = dict.fromkeys(identifier for ids in ids_of.values() for identifier in ids)
    distinct = {run: set(ids) for run, ids in ids_of.items()}
    return {run: [i for i in every if i not in ids] for run, ids in distinct.items() if len(ids) < len(every)}


def different_questions(runs: str, lacking: Mapping[str, Sequence[Any]], n: int, advice: str) -> str:
    """The message about runs that do not have the same questions.

    Args:
        runs: the words for them in the message.
        lacking: as in `lacking_by_run`.
        n: the number of questions of all runs together.
    """
    message = "; ".join(
        f"{run} lacks {len(ids)} of {n}, such as {', '.join(map(shown, ids[:_MOST_NAMED]))}"
        for run, ids in lacking.items()
    )
    return f"{runs} have different questions: {message}; {advice}"


def match_ids(requested: Sequence[Any], given: Sequence[Any]) -> np.ndarray:
    """The row of each requested id, -1 if it is missing; a ValueError if they have no id in common.

    1 and "1" are one id.
    """
    if requested == given:
        return np.arange(len(requested))
    rows = _rows_by_id(requested, given)
    if not (rows < 0).any():
        return rows
    first, second = comparable_ids(requested, given)
    rows = rows if first is requested else _rows_by_id(first, second)
    if len(requested) and (rows < 0).all():
        example = f", for example {shown(given[0])}" if len(given) else " (there are none)"
        folded = {str(identifier).casefold() for identifier in first}
        case = any(str(identifier).casefold() in folded for identifier in second)
        advice = "write both in the same case" if case else "are these files of the same data set?"
        found = f"references have ids like {shown(requested[0])}, predictions have others{example}"
        raise InputError("", f"no prediction has the id of a reference: {found}", advice)
    return rows


def _rows_by_id(requested: Sequence[Any], given: Sequence[Any]) -> np.ndarray:
    rows = {identifier: row for row, identifier in enumerate(given)}
    return np.fromiter((rows.get(identifier, -1) for identifier in requested), np.int64, len(requested))


def values_by_id(values: Mapping[Any, Any], ids: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The values of a dict for these ids, in order, and the ids that it lacks; 1 and "1" are one id."""
    keys, of_examples = comparable_ids(list(values), ids)
    if of_examples is not ids:
        values = dict(zip(keys, values.values(), strict=True))
    absent = [identifier for identifier, key in zip(ids, of_examples, strict=True) if key not in values]
    return ([] if absent else [values[key] for key in of_examples]), absent


def matched_by_id(values: Any, ids: Sequence[Any], name: str, *, others: bool = True) -> Any:
    """A dict by id, or a pandas series indexed by id, as a list in the order of the ids; any other column unchanged.

    Args:
        others: whether values of ids that no example has are allowed, and left out.

    Raises:
        InputError: an id without a value or with two values, or an ambiguous index: see `index_counts_rows`.

    Example:
        >>> matched_by_id({"b": 2, "a": 1}, ["a", "b"], "weights")
        [1, 2]
    """
    index = index_of(values)
    if index is not None and not index_counts_rows(labels := index.tolist(), ids, name) and not isinstance(ids, range):
        keys, of_examples = comparable_ids(labels, ids)
        known = set(keys).intersection(of_examples)
        if known and (len(known) < len(of_examples) or len(set(keys)) < len(keys)):
            found = f"{name} has an index with some of the ids, or with a duplicate one"
            raise InputError(
                name, found, "give a label for every example, or, in their order, its values: series.tolist()"
            )
        values = dict(zip(labels, values.tolist(), strict=True)) if known else values
    if not isinstance(values, Mapping):
        return values
    listed, absent = values_by_id(values, ids)
    if absent:
        if isinstance(ids, range) and not isinstance(next(iter(values), 0), int):
            raise InputError(name, f"{name} are given by id, but the references have no ids", "give ids too, or a list")
        found = f"{name} has no value for the id {shown(absent[0])} ({len(absent)} in all)"
        raise InputError(name, found, "give one for every example")
    if not others and len(values) > len(ids):
        keys, of_examples = comparable_ids(list(values), ids)
        known = set(of_examples)
        foreign = [identifier for identifier, key in zip(values, keys, strict=True) if key not in known]
        if not foreign:
            found = f"{name} has a duplicate id: a number and its digits are one id"
            raise InputError(name, found, "give every example one value")
        raise InputError(
            name, f"{name} has the id {shown(foreign[0])} ({len(foreign)} in all), which no example has", "omit it"
        )
    return listed


def listed_by_id(values: Any, ids: Sequence[Any], name: str) -> list[Any]:
    """One value per example as a list, matched as by `matched_by_id`; a column without ids has any length."""
    return to_list(matched_by_id(values, ids, name), name)


def index_counts_rows(labels: list[Any], ids: Sequence[Any], name: str) -> bool:
    """Whether the index of a pandas series only counts its rows, which are then in the order of the examples.

    Args:
        name: the name of the series, for messages.

    Raises:
        InputError: it may do so or hold the ids: they are its numbers in another order.

    Example:
        >>> index_counts_rows([0, 1, 2], ["a", "b", "c"], "labels"), index_counts_rows(["b", "a"], ["a", "b"], "labels")
        (True, False)
    """
    keys, of_examples = comparable_ids(labels, ids)
    counts = labels == list(range(len(labels)))
    if list(keys) != list(of_examples) and set(keys) == set(of_examples) and (counts or isinstance(ids, range)):
        raise InputError(
            name,
            f"{name} has an index with the numbers of the examples in another order",
            "give series.tolist() where the values are in the order of the examples, series.sort_index().tolist() where the index "
            "counts them, series.to_dict() where it has the ids",
        )
    return counts
