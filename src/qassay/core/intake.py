"""One door in: columns as people give them (lists, dicts by id, rows, tables) become checked columns, one row per example.

A family declares its `Field`s. `read` settles the layout of predictions and references, checks each cell once, by the
`Kind` of its field, and joins predictions and references by id, or by position where there are no ids.

    table = read(fields, {"predictions": {"q1": "Paris"}, "references": {"q1": ["Paris"]}})
    table.columns["predictions"], table.ids, table.given
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from .columns import check_lengths, check_rows, id_at, is_table, table_columns, to_list, to_numbers, with_id
from .errors import InputError, NothingToScore, NoWeight, about
from .groups import Groups
from .ids import Positions, UniqueIds, first_of_each, match_ids, matched_by_id, values_by_id
from .remarks import remark
from .shown import describe, keys_of, shown

PREDICTIONS, REFERENCES, EXAMPLES = "predictions", "references", "examples"
# Names of ids in rows without "id", in any case and with or without underscores.
_LIKE_IDS = frozenset(("exampleid", "guid", "idx", "ids", "qasid", "qid", "queryid", "questionid", "uid", "uuid"))


# --- what a family declares -------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Cells:
    """A column on its way to being checked: its cells, its name in messages, the ids of its rows (a range: positions),
    and the cells of predictions beside those of references, and the other way round.
    """

    values: list[Any]
    name: str
    ids: Sequence[Any] = range(0)
    beside: Sequence[Any] = ()

    def where(self, row: int) -> str:
        """The name of a cell in messages: `predictions[3] (id 'q7')`."""
        return f"{self.name}[{row}]{with_id(self.ids, row)}"

    def refusal(self, row: int, found: str, action: str) -> InputError:
        """The error for a cell."""
        return InputError(self.name, found, action, row, id_at(self.ids, row))


def _no_dicts(row: Mapping[Any, Any]) -> bool:
    return False


def _no_advice(row: Mapping[Any, Any]) -> str:
    return ""


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a cell of a field is.

    Attributes:
        check: Cells -> the column that is scored, with None for a missing prediction; a TypeError or ValueError names the
            first wrong cell and what to do.
        takes_dicts: whether a dict, the first of a column without the field's usual name, is a cell and not a row.
        advice: what to do with a dict that is neither; "" for nothing to say.
        none_is_missing: whether a prediction of None is missing, not an answer.
        column: reads a column whose rows are no dicts of fields, such as sets of labels, by its name: it becomes a list,
            an array or a matrix of rows. None: any other column.
    """

    check: Callable[[Cells], Any]
    takes_dicts: Callable[[Mapping[Any, Any]], bool] = _no_dicts
    advice: Callable[[Mapping[Any, Any]], str] = _no_advice
    none_is_missing: bool = True
    column: Callable[[Any, str], Any] | None = None


@dataclasses.dataclass(frozen=True)
class Field:
    """A column that a family reads.

    Attributes:
        name: of the column among the arguments of the scoring function, and in `Table.columns`.
        kind: what its cells are.
        side: PREDICTIONS or REFERENCES, whose order it has; or EXAMPLES, one value per reference, in order or by id.
        usual: the names under which rows of its side hold it; rows of references those of EXAMPLES.
        scalar: whether a single number stands for every row whose rows hold none.
        required: whether "references" must be given; else they are None in every row, unchecked, where they are not.
    """

    name: str
    kind: Kind
    side: str
    usual: tuple[str, ...] = ()
    scalar: bool = False
    required: bool = True


@dataclasses.dataclass
class Table:
    """Checked, aligned columns, one row per example, in the order of the references.

    Attributes:
        ids: n unique ids, or a range.
        columns: name of a field -> its column: a list, an array or `Groups`; fields that are not given are absent.
        given: bool (n,), which examples have a prediction.
        rows: PREDICTIONS and REFERENCES -> int64 (n,), the row of each as it was given, -1 for a missing prediction.
        counts: of rows that belong to no example: "unmatched", "duplicates" and, with missing="skip", "skipped".
    """

    ids: Sequence[Any]
    columns: dict[str, Any]
    given: np.ndarray
    rows: dict[str, np.ndarray]
    counts: dict[str, int]

    def take(self, kept: np.ndarray) -> "Table":
        """The table of some examples, by their rows."""
        ids = (Positions if isinstance(self.ids, (range, Positions)) else UniqueIds)(_taken(self.ids, kept))
        columns = {name: _taken(column, kept) for name, column in self.columns.items()}
        rows = {name: places[kept] for name, places in self.rows.items()}
        return Table(ids, columns, self.given[kept], rows, self.counts)

    def where(self, name: str, row: int) -> str:
        """The name of the cell of an example in messages: `predictions[3] (id 'q7')`, counted as the user gave them."""
        return f"{name}[{self.rows.get(name, self.rows[REFERENCES])[row]}]{with_id(self.ids, row)}"


def numbers(cells: Cells) -> np.ndarray:
    """Finite numbers, float64 (n,)."""
    return to_numbers(cells.values, cells.name, cells.ids)


def weights(cells: Cells) -> np.ndarray:
    """Weights of examples, float64 (n,): finite, at least 0, not all 0."""
    found = numbers(cells)
    if (found < 0).any():
        row = int(np.argmax(found < 0))
        raise cells.refusal(row, f"is {found[row]:g}", "give weights of at least 0")
    if not found.any():
        raise NoWeight()
    return found


def refused(message: str) -> Kind:
    """The kind of a column that nothing reads with the given options."""

    def refuse(cells: Cells) -> None:
        raise InputError(cells.name, message)

    return Kind(refuse)


ANYTHING = Kind(lambda cells: cells.values)
NUMBER = Kind(numbers)
WEIGHTS = Field("weights", Kind(weights), EXAMPLES, ("weight", "weights"))
GROUPS = Field("groups", Kind(lambda cells: Groups.of(cells.values, cells.ids)), EXAMPLES)


# --- layouts ----------------------------------------------------------------------------------------------------------


class ColumnRows(Sequence[Any]):
    """Rows of one layout, stored as columns: a row is a dict that is created on access."""

    def __init__(self, **columns: list[Any]):
        check_lengths(**columns)
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, row: Any) -> Any:
        return {name: column[row] for name, column in self.columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True))


@dataclasses.dataclass
class Side:
    """Predictions or references in their own order, after their layout was read; `read` takes it as a column.

    Attributes:
        columns: name of a field -> its column.
        by_id: whether it was a dict by id.
        kinds: name of a field -> the kind that has checked its column.
        cells: name of such a field -> its cells as they were given, which another kind reads.
        rows: the row of each of its cells as it was given, -1 for none, int64 (n,).
    """

    name: str
    columns: dict[str, Any]
    ids: Sequence[Any] | None = None
    by_id: bool = False
    kinds: dict[str, Kind] = dataclasses.field(default_factory=dict)
    cells: dict[str, Any] = dataclasses.field(default_factory=dict)
    rows: np.ndarray | None = None

    def __len__(self) -> int:
        column = self.columns[self.name]
        return int(column.shape[0]) if hasattr(column, "shape") else len(column)  # sparse matrices have no len()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "kinds": {}}

    def take(self, rows: np.ndarray) -> None:
        """Keep these rows of every column; row -1 is missing: None, or 0.0 in an array of numbers."""
        self.rows = rows if self.rows is None else np.where(rows < 0, -1, self.rows[rows])
        for name, column in self.columns.items():
            self.columns[name] = _taken(column, rows)
        if self.ids is not None:
            self.ids = _taken(self.ids, rows)

    @classmethod
    def joined(cls, parts: "Sequence[Side]") -> "Side":
        """The rows of parts with the same columns, one after the other."""
        first = parts[0]
        ids = None if first.ids is None else list(chain.from_iterable(part.ids or () for part in parts))
        columns, cells = (
            {name: _joined(name, [getattr(part, of)[name] for part in parts]) for name in getattr(first, of)}
            for of in ("columns", "cells")
        )
        kinds = {
            name: kind for name, kind in first.kinds.items() if all(part.kinds.get(name) is kind for part in parts)
        }
        return cls(first.name, columns, ids, first.by_id, kinds, cells)


def _taken(column: Any, rows: np.ndarray) -> Any:
    if isinstance(column, Groups):
        return column.take(rows)
    if isinstance(column, np.ndarray):  # any number would do: what is missing scores 0 on either side of a threshold
        return np.where(rows < 0, 0.0, column[rows])
    return [None if row < 0 else column[row] for row in rows.tolist()]


def _joined(name: str, columns: list[Any]) -> Any:
    """Columns of several batches as one; matrices must have one layout."""
    first = columns[0]
    if isinstance(first, Groups):
        return Groups.concat(columns)
    layouts = {(type(c), c.dtype.kind, c.shape[1:]) if hasattr(c, "dtype") else list for c in columns}
    if len(layouts) == 1 and hasattr(first, "tocsr"):
        from scipy.sparse import vstack

        return vstack(columns, format="csr")
    if len(layouts) == 1 and isinstance(first, np.ndarray):
        return np.concatenate(columns)
    if any(getattr(column, "ndim", 1) == 2 for column in columns):
        action = "give all batches one layout and the same columns"
        raise InputError(name, f"{name} came in batches of different layouts", action)
    return list(chain.from_iterable(column.tolist() if hasattr(column, "tolist") else column for column in columns))


def rows_of_dicts(column: Sequence[Any], name: str) -> bool:
    """Whether a column contains dicts; if its first row is a dict, every row must be."""
    if isinstance(column, ColumnRows):
        return len(column) > 0
    if not len(column) or not isinstance(column[0], Mapping):
        return False
    if set(map(type, column)) != {dict}:
        check_rows(column, name, (), Mapping, "give every row as a dict like the first one")
    return True


def field_of(rows: Sequence[Mapping[Any, Any]], key: str, name: str, required: bool = False) -> list[Any] | None:
    """A field of every row; None if no row has it and it is not required; an InputError if only some rows have it."""
    if isinstance(rows, ColumnRows):
        if key in rows.columns or not len(rows):
            return rows.columns.get(key, [])
        present = [False]
    else:
        try:
            return list(map(itemgetter(key), rows))
        except KeyError:
            present = [key in row for row in rows]
    if not required and not any(present):
        return None
    row = present.index(False)
    raise InputError(name, f"has no {key!r} (its keys: {keys_of(rows[row])})", "give it in every row", row)


def _read_side(main: Field, others: Sequence[Field], value: Any) -> Side:
    """A side in any layout: a dict by id, rows with the usual names of its fields, a table of them, or a list of cells."""
    name = main.name
    if isinstance(value, Side):
        return dataclasses.replace(value, columns={**value.columns}, kinds={**value.kinds}, cells={**value.cells})
    if isinstance(value, Mapping):
        return Side(name, {name: list(value.values())}, list(value), by_id=True)
    if main.kind.column is not None:
        return Side(name, {name: main.kind.column(value, name)})
    if not isinstance(value, list) and is_table(value):
        value = ColumnRows(**{key: to_list(column, f"{name}[{key!r}]") for key, column in table_columns(value).items()})
    rows = value if isinstance(value, (ColumnRows, list)) else to_list(value, name)
    first = rows[0] if len(rows) else None
    if not isinstance(first, Mapping):
        if main.kind.takes_dicts({}) and any(isinstance(row, Mapping) and id_key_of(row, name) for row in rows):
            raise InputError(name, f"is {describe(first)} among rows with ids", "omit it, or give it an id", 0)
        return Side(name, {name: list(rows)})
    key = next((key for key in main.usual if key in first), None)
    if key is None and not main.kind.takes_dicts(first):
        advice = main.kind.advice(first) or f"give rows that have {main.usual[0]!r}, or a list of the values alone"
        raise InputError(name, f"has the keys {keys_of(first)}", advice, 0)
    if key is None and id_key_of(first, name) is None and not all(isinstance(row, Mapping) for row in rows):
        return Side(name, {name: list(rows)})
    rows_of_dicts(rows, name)
    id_key = id_key_of(first, name)
    columns = {name: list(rows) if key is None else list(field_of(rows, key, name, required=True) or ())}
    for field in others:
        found = next((column for usual in field.usual if (column := field_of(rows, usual, name)) is not None), None)
        if found is not None:
            columns[field.name] = list(found)
    _remark_unread(first, others, name)
    return Side(name, columns, None if id_key is None else field_of(rows, id_key, name))


def id_key_of(row: Mapping[Any, Any], name: str) -> str | None:
    """The key that holds the id of a row: "id", or the only one that is called like an id; None if there is none."""
    if "id" in row:
        return "id"
    alike = [key for key in row if isinstance(key, str) and key.lower().replace("_", "") in _LIKE_IDS]
    if len(alike) > 1:
        raise InputError(name, f"has no 'id', but {' and '.join(map(repr, alike))}", "name the one to match by 'id'", 0)
    return alike[0] if alike else None


def _remark_unread(row: Mapping[Any, Any], fields: Sequence[Field], name: str) -> None:
    """Remark on a key that is nearly the name of a field, such as "no_answer_prob", and is not read."""
    names = {usual for field in fields for usual in field.usual}
    for key in row:
        if isinstance(key, str) and key not in names and (found := get_close_matches(key, names, 1, 0.8)):
            if found[0] not in row:
                remark(f"{name}[0] has {key!r}, which is not read; {found[0]!r} is: rename it, or omit it")


# --- the join ---------------------------------------------------------------------------------------------------------


def read(
    fields: Sequence[Field],
    given: Mapping[str, Any],
    *,
    missing: str | None = None,
    duplicates: str | None = None,
    advice: str = "predict every id",
) -> Table:
    """The columns of `given` as a Table, in the order of the references.

    Args:
        fields: of the family, in the order in which they are checked; "predictions" and "references" are among them.
        given: name of a column -> the column as it was given, None for none; also "ids", of predictions and references.
        missing: an example without a prediction stays ("zero"), is omitted ("skip") or refused ("error"). None: the family
            has no such options, and an id that one side lacks, or has twice, is refused.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        advice: what to do where a prediction is missing and refused.

    Raises:
        InputError: naming the column, the row or id, what was found and what to do.
    """
    predicted, gold = check(fields, given)
    if not len(gold):
        raise InputError(REFERENCES, "there are no examples to score: references is empty")
    counts = _join(predicted, gold, duplicates, missing is None)
    n = len(gold)
    ids = gold.ids if gold.ids is not None else predicted.ids
    ids = range(n) if ids is None else ids
    rows = {side.name: np.arange(n) if side.rows is None else side.rows for side in (predicted, gold)}
    there = rows[PREDICTIONS] >= 0
    values = predicted.columns[PREDICTIONS]
    if _field(fields, PREDICTIONS).kind.none_is_missing and isinstance(values, list):
        there = np.ones(n, bool)
        if type(None) in set(map(type, values)):
            there = np.fromiter((value is not None for value in values), bool, n)
    table = Table(ids, predicted.columns | gold.columns, there, rows, counts)
    if missing == "skip":
        table.counts = {"skipped": n - int(there.sum()), **counts}
    if missing in (None, "zero") or there.all():
        return table
    if missing == "error":
        row, number = int(np.argmin(there)), int((~there).sum())
        found = f"references[{row}]{with_id(ids, row)} has no prediction ({number} in all)"
        raise InputError(PREDICTIONS, found, f"{advice}, or use the option missing=zero or skip")
    if not there.any():
        message = "no question is left to score: all are missing; give predictions, or missing=zero"
        raise NothingToScore(message, table.counts)
    return table.take(np.flatnonzero(there))


def check(fields: Sequence[Field], given: Mapping[str, Any]) -> tuple[Side, Side]:
    """Predictions and references with their columns checked, each in its own order, before the join."""
    checked: list[Side] = []
    for name in (PREDICTIONS, REFERENCES):
        main, read_with = _field(fields, name), (name, EXAMPLES) if name == REFERENCES else (name,)
        others = [field for field in fields if field.side in read_with and field.name != name]
        with about(name):
            if given.get(name) is None and not main.required:
                checked.append(Side(name, {name: [None] * len(checked[0])}, checked[0].ids))
            else:
                checked.append(_read_side(main, others, given.get(name)))
    predicted, gold = checked
    _pair(predicted, gold, given.get("ids"))
    cells = []
    for field in fields:
        side, other = (predicted, gold) if field.side == PREDICTIONS else (gold, predicted)
        with about(field.name):
            values = _values(field, side, predicted, given.get(field.name))
        if values is not None and side.kinds.get(field.name) is not field.kind:
            ids = side.ids if side.ids is not None or field.side != EXAMPLES else predicted.ids
            cells.append(
                (field, side, Cells(values, field.name, range(0) if ids is None else ids, other.columns[other.name]))
            )
    for field, side, of_field in cells:
        with about(field.name):
            side.columns[field.name] = field.kind.check(of_field)
        side.kinds[field.name], side.cells[field.name] = field.kind, of_field.values
    return predicted, gold


def _field(fields: Sequence[Field], name: str) -> Field:
    return next(field for field in fields if field.name == name)


def _values(field: Field, side: Side, predicted: Side, value: Any) -> Any:
    """The cells of a field in the order of its side: from its own column, else from the rows; None where there are none."""
    name = field.name
    if name in side.cells and (value is None or name == side.name):
        return side.cells[name]
    if name == side.name:
        return side.columns[name] if value is not None else None
    if value is None or field.scalar and isinstance(value, (int, float)):
        return side.columns.get(name, None if value is None else [value] * len(side))
    if field.side == EXAMPLES:
        ids = next((ids for ids in (side.ids, predicted.ids) if ids is not None), range(len(side)))
        value = value.listed() if isinstance(value, Groups) else matched_by_id(value, ids, name, others=False)
    elif isinstance(value, Mapping):
        if side.ids is None:
            action = "give both by id or as lists"
            raise InputError(name, f"{name} are given by id, but {side.name} have no ids", action)
        value, absent = values_by_id(value, side.ids)
        if absent:
            found = f"{name} has no value for the id {shown(absent[0])} ({len(absent)} in all)"
            raise InputError(name, found, f"give one for every row of {side.name}")
    values = to_list(value, name)
    check_lengths(**{side.name: range(len(side)), name: values})
    return values


def _pair(predicted: Side, gold: Side, ids: Any) -> None:
    """Check that predictions and references can be matched, by id or by position; both get the column of ids."""
    if ids is not None:
        ids = to_list(ids, "ids")
        for side in (predicted, gold):
            if side.ids is not None and side.ids != ids:
                found = f"{side.name} have their own ids, which differ from the column ids"
                raise InputError(side.name, found, "omit the column ids")
            check_lengths(ids=ids, **{side.name: range(len(side))})
            side.ids = ids
    for side, other in ((predicted, gold), (gold, predicted)):
        if side.by_id and other.ids is None:
            found = f"{side.name} are a dict by id, but {other.name} have no ids"
            raise InputError(other.name, found, "give both as dicts, or both as lists")
    if predicted.ids is None or gold.ids is None:
        check_lengths(predictions=range(len(predicted)), references=range(len(gold)))


def _join(predicted: Side, gold: Side, duplicates: str | None, is_complete: bool) -> dict[str, int]:
    """Bring the predictions into the order of the references, with each id once.

    Args:
        duplicates: as for `read`; None where the family has no such option.
        is_complete: refuse an id that only one side has.

    Returns:
        The counts "unmatched" (predictions without a reference) and "duplicates".
    """
    counts = {"unmatched": 0, "duplicates": 0}
    both = predicted.ids is not None and gold.ids is not None and predicted.ids is not gold.ids
    for side in (predicted, gold):
        if side.ids is None or isinstance(side.ids, UniqueIds):
            continue
        name = f"{side.name} id" if both or gold.ids is not predicted.ids else "ids"
        kept = first_of_each(list(side.ids), name, duplicates)
        same = (side,) if both else (predicted, gold)  # rows without ids belong to rows with ids, by position
        if kept is not None:
            counts["duplicates"] += len(side.ids) - len(kept)
            for one in same:
                one.take(kept)
        for one in same:
            one.ids = one.ids and UniqueIds(one.ids)
    if not both:
        if (predicted.ids is None) != (gold.ids is None):
            there, other = (predicted, gold) if gold.ids is None else (gold, predicted)
            remark(f"{there.name} have ids and {other.name} have none: they are matched by their order")
        return counts
    rows = match_ids(gold.ids or (), predicted.ids or ())
    counts["unmatched"] = len(predicted) - int(np.count_nonzero(rows >= 0))
    if is_complete and (rows < 0).any():
        found = f"references: the id {shown((gold.ids or ())[int(np.argmin(rows))])} has no prediction"
        raise InputError(REFERENCES, f"{found} ({int((rows < 0).sum())} in all)", "predict every id")
    if is_complete and counts["unmatched"]:
        row = int(np.setdiff1d(np.arange(len(predicted)), rows)[0])
        found = f"predictions: the id {shown((predicted.ids or ())[row])} is not in the references"
        raise InputError(PREDICTIONS, f"{found} ({counts['unmatched']} in all)", "omit it")
    if len(rows) != len(predicted) or (rows != np.arange(len(rows))).any():
        predicted.take(rows)
    return counts


# --- batches ----------------------------------------------------------------------------------------------------------


def read_batch(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a batch, checked and ready to be joined with others: predictions and references with what their rows
    hold, a column of ids, and the columns that are no fields, as lists.
    """
    predicted, gold = check(fields, given)
    for side in (predicted, gold):  # callers may use their arrays again
        side.columns, side.cells = (
            {name: column.copy() if hasattr(column, "copy") else column for name, column in columns.items()}
            for columns in (side.columns, side.cells)
        )
    names = {field.name for field in fields}
    batch: dict[str, Any] = {PREDICTIONS: predicted, REFERENCES: gold}
    if given.get(REFERENCES) is None:
        del batch[REFERENCES]
        batch |= {name: column for name, column in gold.columns.items() if name != REFERENCES}
    for name, column in given.items():
        if name not in names and name != "ids" and column is not None:
            batch[name] = list(to_list(column, name))
    if given.get("ids") is not None:
        batch["ids"], predicted.ids, gold.ids = predicted.ids, None, None
    return batch


def joined_batches(batches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rows of batches with the same columns, one after the other."""
    return {
        name: Side.joined([batch[name] for batch in batches])
        if isinstance(column, Side)
        else _joined(name, [batch[name] for batch in batches])
        for name, column in batches[0].items()
    }


def columns_of_batch(batch: Mapping[str, Any]) -> list[str]:
    """The names of the columns of a batch, also of those within a side."""
    within = {name: None for side in batch.values() if isinstance(side, Side) for name in side.columns}
    return [*dict.fromkeys([*batch, *within])]
