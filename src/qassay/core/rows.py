"""Brings rows, dicts by id and columns of ids into one order, and handles duplicate, unmatched and missing rows."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from .columns import check_lengths, check_rows, index_of, to_list, to_weights, with_id
from .errors import NothingToScore, about, blamed
from .groups import Groups
from .shown import keys_of, shown

_MOST_NAMED = 3  # ids in a message
OR_DUPLICATES = ", or the option duplicates=first or last"


class UniqueIds(list[Any]):
    """Ids that are known to be unique, so they are not checked again."""


class ColumnRows(Sequence[Any]):
    """Rows of one layout, stored as columns: a row is a dict that is created on access."""

    def __init__(self, **columns: list[Any]):
        check_lengths(**columns)
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return ColumnRows(**{name: column[place] for name, column in self.columns.items()})
        return {name: column[place] for name, column in self.columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ColumnRows):
            return self.columns == other.columns
        return isinstance(other, list) and list(self) == other


def unique_ids(ids: list[Any], name: str, refusal: Callable[[int], Exception] | None = None) -> UniqueIds:
    """A column of ids, checked as in `first_of_each`; `refusal` makes the error for the first duplicate id."""
    kept = first_of_each(ids, name, "first" if refusal else "error", advice="")
    if refusal and kept is not None:
        raise refusal(next(row for row, first in enumerate([*kept.tolist(), -1]) if row != first))
    return UniqueIds(ids)


def row_ids_and_weights(
    ids: Any, weights: Any, n_predictions: int, n_references: int
) -> tuple[Sequence[Any], np.ndarray | None]:
    """The checked ids and weights of rows that are matched by position; a range if no ids are given."""
    if not n_references:
        raise blamed(ValueError("there are no examples to score: references is empty"), "references")
    rows: Sequence[Any] = range(n_references)
    ids = None if ids is None else to_list(ids, "ids")
    check_lengths(predictions=range(n_predictions), references=rows, ids=ids)
    ids = rows if ids is None else unique_ids(ids, "ids")
    return ids, None if weights is None else _to_weights(weights, rows, ids)


def to_groups(labels: Any, rows: Sequence[Any], ids: Sequence[Any]) -> Groups | None:
    """The group of each row of the references, from labels in order or by id; None without labels.

    Raises:
        ValueError: wrong number of labels, an empty label, or an id without a label. TypeError: a label of a wrong
            type.
    """
    if labels is None:
        return None
    with about("groups"):
        groups = labels if isinstance(labels, Groups) else Groups.of(listed_by_id(labels, ids, "groups"), ids)
        check_lengths(references=rows, groups=groups.codes)
        return groups


def weights_and_groups(
    columns: Mapping[str, Any], predicted: Mapping[str, Any], gold: Mapping[str, Any]
) -> dict[str, Any]:
    """The checked columns `weights` and `groups` of the references, if given.

    Args:
        columns: the columns of a scoring function by name.
        predicted, gold: as `pair_sides` leaves them.
    """
    rows = gold["values"]
    ids = gold.get("ids", predicted.get("ids", range(len(rows))))
    weights, groups = columns.get("weights"), to_groups(columns.get("groups"), rows, ids)
    given = {"weights": None if weights is None else _to_weights(weights, rows, ids), "groups": groups}
    return {name: column for name, column in given.items() if column is not None}


def _to_weights(weights: Any, rows: Sequence[Any], ids: Sequence[Any]) -> np.ndarray:
    with about("weights"):
        return to_weights(matched_by_id(weights, ids, "weights", others=False), rows, ids)


def first_of_each(ids: list[Any], name: str, policy: str, advice: str = OR_DUPLICATES) -> np.ndarray | None:
    """Which rows to keep, by the policy for duplicate ids; None for all.

    Args:
        policy: "error", "first" or "last".
        advice: advice for the message; "" for a metric without such an option.

    Raises:
        ValueError: an empty id, or a duplicate one with the policy "error". TypeError: an id that is neither str nor int.
    """
    check_rows(ids, name, (), (str, int, np.integer), "give every example a string or an integer")
    if isinstance(ids, UniqueIds):
        return None
    if isinstance(ids, list) and "" in ids:
        raise ValueError(f"{name}[{ids.index('')}] is empty; give every example an id")
    if all_distinct(ids):
        return None
    places: dict[Any, Any] = {}
    for row, identifier in enumerate(comparable_ids(ids)[0]):
        if identifier not in places:
            places[identifier] = row
        elif policy == "error":
            raise ValueError(
                f"{name}[{row}] repeats the id {shown(ids[row])} of row "
                f"{places[identifier]}{_also(ids, row, places[identifier])}; give every example a distinct "
                f"id{advice}"
            )
        elif policy == "last":
            places[identifier] = row
    return np.sort(np.fromiter(places.values(), np.int64, len(places)))


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


def _also(ids: Sequence[Any], row: int, first: int) -> str:
    return "" if ids[row] == ids[first] else f", {shown(ids[first])}: a number and its digits are one id"


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
    own = {run: set(ids) for run, ids in ids_of.items()}
    return {run: [i for i in every if i not in ids] for run, ids in own.items() if len(ids) < len(every)}


def different_questions(runs: str, lacking: Mapping[str, Sequence[Any]], n: int, advice: str) -> str:
    """The message about runs that do not have the same questions.

    Args:
        runs: the words for them in the message.
        lacking: as in `lacking_by_run`.
        n: the number of questions of all runs together.
    """
    told = "; ".join(
        f"{run} lacks {len(ids)} of {n}, such as {', '.join(map(shown, ids[:_MOST_NAMED]))}"
        for run, ids in lacking.items()
    )
    return f"{runs} have different questions: {told}; {advice}"


def match_ids(wanted: Sequence[Any], given: Sequence[Any]) -> np.ndarray:
    """The row of each wanted id, -1 if it is missing; a ValueError if no id is on both sides.

    1 and "1" are one id.
    """
    if wanted == given:
        return np.arange(len(wanted))
    rows = _places(wanted, given)
    if (rows < 0).any():
        own, other = comparable_ids(wanted, given)
        rows = rows if own is wanted else _places(own, other)
    if len(wanted) and (rows < 0).all():
        example = f", for example {shown(given[0])}" if len(given) else " (there are none)"
        folded = {str(identifier).casefold() for identifier in own}
        case = any(str(identifier).casefold() in folded for identifier in other)
        advice = "write both in the same case" if case else "are these files of the same data set?"
        raise ValueError(
            "no prediction has the id of a reference: references have ids like "
            f"{shown(wanted[0])}, predictions have others{example}; {advice}"
        )
    return rows


def _places(wanted: Sequence[Any], given: Sequence[Any]) -> np.ndarray:
    place = {identifier: row for row, identifier in enumerate(given)}
    return np.fromiter((place.get(identifier, -1) for identifier in wanted), np.int64, len(wanted))


def values_by_id(values: Mapping[Any, Any], ids: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The values of a dict for these ids, in order, and the ids that it lacks; 1 and "1" are one id."""
    keys, own = comparable_ids(list(values), ids)
    if own is not ids:
        values = dict(zip(keys, values.values(), strict=True))
    absent = [identifier for identifier, key in zip(ids, own, strict=True) if key not in values]
    return ([] if absent else [values[key] for key in own]), absent


def matched_by_id(values: Any, ids: Sequence[Any], name: str, *, others: bool = True) -> Any:
    """A dict by id, or a pandas series indexed by id, as a list in the order of the ids; any other column unchanged.

    Args:
        others: whether values of ids that no example has are allowed, and left out.

    Raises:
        ValueError: an id without a value or with two values; or an ambiguous index, which may mean ids or positions:
            positions in another order, or 0, 1, ... while the ids are texts of these numbers in another order.

    Example:
        >>> matched_by_id({"b": 2, "a": 1}, ["a", "b"], "weights")
        [1, 2]
    """
    index = index_of(values)
    if index is not None and not counts_rows(labels := index.tolist(), ids, name):
        values = _by_index(values, labels, ids, name)
    if not isinstance(values, Mapping):
        return values
    listed, absent = values_by_id(values, ids)
    if absent:
        told = f"{name} has no value for the id {shown(absent[0])} ({len(absent)} in all); give one for every example"
        if isinstance(ids, range) and not isinstance(next(iter(values), 0), int):
            told = f"{name} are given by id, but the references have no ids; give ids too, or a list"
        raise ValueError(told)
    if not others and len(values) > len(ids):
        keys, own = comparable_ids(list(values), ids)
        known = set(own)
        foreign = [identifier for identifier, key in zip(values, keys, strict=True) if key not in known]
        if not foreign:
            raise ValueError(
                f"{name} has a duplicate id: a number and its digits are one id; give every example one value"
            )
        told = f"{name} has the id {shown(foreign[0])} ({len(foreign)} in all), which no example has"
        raise ValueError(f"{told}; omit it")
    return listed


def listed_by_id(values: Any, ids: Sequence[Any], name: str) -> list[Any]:
    """One value per example as a list, matched as by `matched_by_id`; a column without ids has any length."""
    return to_list(matched_by_id(values, ids, name), name)


def counts_rows(labels: list[Any], ids: Sequence[Any], name: str) -> bool:
    """Whether the index of a pandas series is the default 0, 1, ..., and not the ids in any order.

    Args:
        name: the name of the series, for messages.

    Raises:
        ValueError: the ids are texts of these numbers in another order, so the index is ambiguous.

    Example:
        >>> counts_rows([0, 1, 2], ["a", "b", "c"], "labels"), counts_rows([0, 1, 2], [2, 0, 1], "labels")
        (True, False)
    """
    if labels != list(range(len(labels))):
        return False
    keys, own = comparable_ids(labels, ids)
    if list(keys) == list(own) or set(keys) != set(own):
        return True
    if any(isinstance(identifier, str) for identifier in ids):
        raise ValueError(
            f"{name} has the index 0, 1, ..., and the ids are texts of these numbers in another order; give series.tolist() "
            "where the values are in the order of the examples, series.to_dict() where the index has the ids"
        )
    return False


def _by_index(values: Any, labels: list[Any], ids: Sequence[Any], name: str) -> Any:
    if isinstance(ids, range):
        if len(labels) == len(ids) and set(labels) == set(ids):
            raise ValueError(
                f"{name} has the numbers of the examples as its index, in another order; give series.tolist() where the "
                "values are in the order of the examples, series.sort_index() where the index counts"
            )
        return values
    keys, own = comparable_ids(labels, ids)
    known = set(own).intersection(keys)
    if not known:
        return values
    if len(known) < len(own):
        absent = next(identifier for identifier, key in zip(ids, own, strict=True) if key not in known)
        raise ValueError(
            f"{name} has an index with some of the ids, but not {shown(absent)}; give a label for every "
            "example, or, in the order of the examples, its values: series.tolist()"
        )
    if len(set(keys)) < len(keys):
        raise ValueError(f"{name} has an index with a duplicate id; give every example one label")
    return dict(zip(labels, values.tolist(), strict=True))


def dicts_as_lists(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with predictions and references given as dicts by id turned into lists, in the order of the
    references.

    A ValueError if an id, or a dict, is on one side only, or if a column of ids is also given.
    """
    predictions: Any = columns.get("predictions")
    references: Any = columns.get("references")
    kinds = [isinstance(column, Mapping) for column in (predictions, references)]
    if not any(kinds):
        return dict(columns)
    if not all(kinds):
        side, other = ("predictions", "references") if kinds[0] else ("references", "predictions")
        told = f"{side} are a dict by id, but {other} have no ids; give both as dicts, or both as lists"
        raise blamed(ValueError(told), side)
    if columns.get("ids") is not None:
        raise ValueError("the rows have ids already: omit the column ids")
    given, gold = list(predictions), list(references)
    for ids, name in ((given, "predictions"), (gold, "references")):
        if comparable_ids(ids)[0] is not ids:
            with about(name):
                first_of_each(ids, f"{name} id", "error", advice="")
    rows = match_ids(gold, given)
    taken = np.zeros(len(given), bool)
    taken[rows[rows >= 0]] = True
    for name, absent, problem in (
        (
            "references",
            [gold[row] for row in np.flatnonzero(rows < 0)],
            "has no prediction ({} in all); predict every id",
        ),
        ("predictions", [given[row] for row in np.flatnonzero(~taken)], "has no true labels ({} in all); omit it"),
    ):
        if absent:
            raise blamed(ValueError(f"{name}: the id {shown(absent[0])} {problem.format(len(absent))}"), name)
    values = list(predictions.values())
    return {
        **columns,
        "predictions": [values[row] for row in rows.tolist()],
        "references": list(references.values()),
        "ids": UniqueIds(gold),
    }


def listed_rows(column: Any, name: str) -> "list[Any] | ColumnRows":
    """A column as from `to_list`, or rows that are already columns."""
    return column if isinstance(column, ColumnRows) else to_list(column, name)


def rows_of_dicts(column: Sequence[Any], name: str) -> bool:
    """Whether a column contains dicts; if its first row is a dict, every row must be."""
    if isinstance(column, ColumnRows):
        return len(column) > 0
    if not len(column) or not isinstance(column[0], Mapping):
        return False
    check_rows(column, name, (), Mapping, "give every row as a dict like the first one")
    return True


def field_of(rows: Sequence[Mapping[Any, Any]], key: str, name: str, required: bool = False) -> list[Any] | None:
    """A field of every row; None if no row has it and it is not required; a ValueError if only some rows have it."""
    columns = rows.columns if isinstance(rows, ColumnRows) else None
    if columns is not None and (key in columns or not len(rows)):
        return columns.get(key, [])
    with contextlib.suppress(KeyError):
        if columns is None:
            return list(map(itemgetter(key), rows))
    present = [key in row for row in rows] if columns is None else [False]
    if not required and not any(present):
        return None
    row = present.index(False)
    keys = keys_of(rows[row] if columns is None else columns)
    raise ValueError(f"{name}[{row}] has no {key!r} (its keys: {keys}); give it in every row")


def rows_have_ids(columns: Mapping[str, list[Any]]) -> bool:
    """Whether predictions and references are rows with ids, so that one side may have more rows."""
    filled = [columns[name] for name in ("predictions", "references") if columns.get(name)]
    return bool(filled) and all(isinstance(rows[0], Mapping) and "id" in rows[0] for rows in filled)


def gold_ids(columns: Mapping[str, list[Any]]) -> Sequence[Any]:
    """The ids of the references of a batch: a column of ids, or ids in their rows; else positions."""
    rows = columns.get("references", ())
    have_ids = all(isinstance(row, Mapping) and "id" in row for row in rows)
    return columns.get("ids") or ([row["id"] for row in rows] if have_ids else range(len(rows)))


def dicts_as_rows(columns: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Turn dicts by id into rows with ids, so that they can be added batch by batch.

    Nothing changes unless all columns of `fields` (name -> the field of a row that holds the value) are dicts: the rows
    of a single dict could only be matched by position.
    """
    if not all(isinstance(columns.get(name), Mapping) for name in fields):
        return dict(columns)
    rows = {
        name: [{"id": identifier, field: value} for identifier, value in columns[name].items()]
        for name, field in fields.items()
    }
    return {**columns, **rows}


def pair_sides(predicted: dict[str, Any], gold: dict[str, Any], ids: Any) -> None:
    """Check that predictions and references can be matched by id or by position; both sides get the column of ids.

    Args:
        predicted, gold: the columns of a side by name: "values" and, if there are any, "ids"; "by_id" is true if the
            side was a dict by id, and is removed.
        ids: the common column of ids of both sides; None if there is none.
    """
    if ids is not None:
        ids = to_list(ids, "ids")
        for side, name in ((predicted, "predictions"), (gold, "references")):
            if "ids" in side and side["ids"] != ids:
                told = f"{name} have their own ids, which differ from the column ids; omit the column ids"
                raise blamed(ValueError(told), name)
            check_lengths(ids=ids, **{name: side["values"]})
            side["ids"] = ids
    for side, other, name in ((predicted, gold, "references"), (gold, predicted, "predictions")):
        if side.pop("by_id", False) and "ids" not in other:
            told = f"{name} have no ids to match the dict with; give them as a dict too, or give both as lists"
            raise blamed(ValueError(told), name)
    if not ("ids" in predicted and "ids" in gold):
        check_lengths(predictions=predicted["values"], references=gold["values"])


def align_sides(
    predicted: dict[str, Any], gold: dict[str, Any], duplicates: str
) -> tuple[np.ndarray | None, dict[str, int]]:
    """Bring the predictions into the order of the references, with each id once.

    Args:
        predicted, gold: the columns of a side by name, from `pair_sides`; they are modified.
        duplicates: as in `first_of_each`.

    Returns:
        int64 (n,): for each reference, the row of its prediction, -1 if there is none; None if the rows are already in
        the same order. The counts "unmatched" (predictions without a reference) and "duplicates".
    """
    counts = {"unmatched": 0, "duplicates": 0}
    both = "ids" in predicted and "ids" in gold and predicted["ids"] is not gold["ids"]
    for side, name in ((predicted, "predictions"), (gold, "references")):
        if "ids" not in side:
            continue
        with about(name):
            kept = first_of_each(side["ids"], f"{name} id", duplicates)
        # Rows without ids belong to rows with ids, by position.
        sides = (side,) if both else (predicted, gold)
        if kept is not None:
            counts["duplicates"] += len(side["ids"]) - len(kept)
            for same in sides:
                reorder_side(same, kept)
        for same in sides:
            if not isinstance(same.get("ids", UniqueIds()), UniqueIds):
                same["ids"] = UniqueIds(same["ids"])
    if not both:
        return None, counts
    rows = match_ids(gold["ids"], predicted["ids"])
    counts["unmatched"] = len(predicted["values"]) - int(np.count_nonzero(rows >= 0))
    if len(rows) == len(predicted["values"]) and (rows == np.arange(len(rows))).all():
        return None, counts
    reorder_side(predicted, rows)
    return rows, counts


def settle_rows(
    predicted: dict[str, Any], gold: dict[str, Any], *, missing: str, duplicates: str, advice: str, may_be_none: bool
) -> tuple[Sequence[Any], np.ndarray, np.ndarray | None, dict[str, int]]:
    """Bring both sides into one order, with each id once, and apply the policy for missing predictions.

    Args:
        predicted, gold, duplicates: as in `align_sides`.
        missing, advice: as in `rows_to_score`.
        may_be_none: a prediction of None also counts as missing.

    Returns:
        The n ids; bool (n,), whether a row has a prediction; for each row the row of its prediction, as `align_sides`
        gives them; and the notes "skipped" (under the policy "skip"), "unmatched" and "duplicates".
    """
    places, counts = align_sides(predicted, gold, duplicates)
    notes = {**({"skipped": 0} if missing == "skip" else {}), **counts}
    n = len(gold["values"])
    given = np.ones(n, bool) if places is None else places >= 0
    if may_be_none:
        some = type(None) in set(map(type, predicted["values"]))
        given = np.fromiter((value is not None for value in predicted["values"]), bool, n) if some else np.ones(n, bool)
    ids = gold.get("ids", predicted.get("ids", range(n)))
    kept = rows_to_score(given, missing, ids, advice)
    if kept is None:
        return ids, given, places, notes
    if not len(kept):
        told = "no question is left to score: all are missing; give predictions, or "
        raise NothingToScore(f"{told}missing=zero")
    notes["skipped"] = n - len(kept)
    for side in (predicted, gold):
        reorder_side(side, kept)
    ids = UniqueIds(ids[row] for row in kept.tolist())
    return ids, given[kept], None if places is None else places[kept], notes


def reorder_side(side: dict[str, Any], rows: np.ndarray) -> None:
    """Take these rows from every column of a side; row -1 is missing: None, or 0.0 in an array of numbers."""
    for name, column in side.items():
        if isinstance(column, Groups):
            side[name] = column.take(rows)
        elif isinstance(column, np.ndarray):
            # any probability would do: a missing answer scores 0 on either side of a threshold.
            side[name] = np.where(rows < 0, 0.0, column[rows])
        else:
            side[name] = [None if row < 0 else column[row] for row in rows.tolist()]


def rows_to_score(given: np.ndarray, missing: str, ids: Sequence[Any], advice: str) -> np.ndarray | None:
    """The rows to score by the policy for missing predictions, "zero", "skip" or "error"; None for all.

    Args:
        given: bool (n,), whether a row has a prediction.
        ids, advice: for the message, which names the row and says what to do.
    """
    if missing == "zero" or given.all():
        return None
    if missing == "skip":
        return np.flatnonzero(given)
    absent = int(np.argmin(given))
    problem = f"references[{absent}]{with_id(ids, absent)} has no prediction ({int((~given).sum())} in all)"
    told = f"{problem}; {advice}, or use the option missing=zero or skip"
    raise blamed(ValueError(told), "predictions")
