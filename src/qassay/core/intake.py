"""One door in: columns as people give them (lists, dicts by id, rows, tables) become checked columns, one row per example.

A family declares its `Field`s. `read` settles the layout of predictions and references, checks each cell once, by the
`Kind` of its field, and joins both sides by id, or by position where there are no ids.

    table = read(fields, {"predictions": {"q1": "Paris"}, "references": {"q1": ["Paris"]}})
    table.columns["predictions"], table.ids, table.given
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from operator import itemgetter
from typing import Any

import numpy as np

from .columns import check_lengths, check_rows, is_table, table_columns, to_list, to_numbers, with_id
from .errors import NothingToScore, NoWeight, about, blamed
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
        rows: PREDICTIONS and REFERENCES -> int64 (n,), the row of each as it was given, -1 for a missing prediction; {}
            where `read` was to refuse incomplete columns.
        counts: of rows that belong to no example: "unmatched", "duplicates" and, with missing="skip", "skipped".
    """

    ids: Sequence[Any]
    columns: dict[str, Any]
    given: np.ndarray
    rows: dict[str, np.ndarray]
    counts: dict[str, int]

    def take(self, kept: np.ndarray) -> "Table":
        """The table of some examples, by their rows."""
        columns = {name: _taken(column, kept) for name, column in self.columns.items()}
        rows = {name: places[kept] for name, places in self.rows.items()}
        return Table(_taken(self.ids, kept), columns, self.given[kept], rows, self.counts)

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
        raise ValueError(f"{cells.where(row)} is {found[row]:g}; give weights of at least 0")
    if not found.any():
        raise NoWeight("all weights are 0; give at least one example a weight")
    return found


def refused(message: str) -> Kind:
    """The kind of a column that nothing reads with the given options."""

    def refuse(cells: Cells) -> None:
        raise ValueError(message)

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

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass
class _Side:
    """Predictions or references in their own order: their cells and what else their rows hold, by name of the field."""

    name: str
    columns: dict[str, Any]
    ids: Sequence[Any] | None = None
    by_id: bool = False

    @functools.cached_property
    def rows(self) -> np.ndarray:
        """The row of each of its cells as it was given, -1 for none, int64 (n,)."""
        return np.arange(len(self))

    def __len__(self) -> int:
        column = self.columns[self.name]
        return int(column.shape[0]) if hasattr(column, "shape") else len(column)  # sparse matrices have no len()

    def take(self, rows: np.ndarray) -> None:
        """Keep these rows of every column; row -1 is missing: None, or 0.0 in an array of numbers."""
        self.rows = np.where(rows < 0, -1, self.rows[rows])
        for name, column in self.columns.items():
            self.columns[name] = _taken(column, rows)
        if self.ids is not None:
            self.ids = _taken(self.ids, rows)


def _taken(column: Any, rows: np.ndarray) -> Any:
    if isinstance(column, Groups):
        return column.take(rows)
    if isinstance(column, np.ndarray):  # any number would do: what is missing scores 0 on either side of a threshold
        return np.where(rows < 0, 0.0, column[rows])
    return [None if row < 0 else column[row] for row in rows.tolist()]


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
    """A field of every row; None if no row has it and it is not required; a ValueError if only some rows have it."""
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
    keys = keys_of(rows.columns if isinstance(rows, ColumnRows) else rows[row])
    raise ValueError(f"{name}[{row}] has no {key!r} (its keys: {keys}); give it in every row")


def _read_side(main: Field, others: Sequence[Field], value: Any) -> _Side:
    """A side in any layout: a dict by id, rows with the usual names of its fields, a table of them, or a list of cells."""
    name = main.name
    if isinstance(value, Mapping):
        return _Side(name, {name: list(value.values())}, list(value), by_id=True)
    if main.kind.column is not None:
        return _Side(name, {name: main.kind.column(value, name)})
    if not isinstance(value, list) and is_table(value):
        value = ColumnRows(**{key: to_list(column, f"{name}[{key!r}]") for key, column in table_columns(value).items()})
    rows = value if isinstance(value, (ColumnRows, list)) else to_list(value, name)
    first = rows[0] if len(rows) else None
    if not isinstance(first, Mapping):
        if main.kind.takes_dicts({}) and any(isinstance(row, Mapping) and id_key_of(row, name) for row in rows):
            raise TypeError(f"{name}[0] is {describe(first)} among rows with ids; omit it, or give it an id")
        return _Side(name, {name: list(rows)})
    key = next((key for key in main.usual if key in first), None)
    if key is None and not main.kind.takes_dicts(first):
        raise _no_field(main, first)
    if key is None and id_key_of(first, name) is None and not all(isinstance(row, Mapping) for row in rows):
        return _Side(name, {name: list(rows)})
    rows_of_dicts(rows, name)
    id_key = id_key_of(first, name)
    columns = {name: list(rows) if key is None else list(field_of(rows, key, name, required=True) or ())}
    for field in others:
        found = next((column for usual in field.usual if (column := field_of(rows, usual, name)) is not None), None)
        if found is not None:
            columns[field.name] = list(found)
    _remark_unread(first, others, name)
    return _Side(name, columns, None if id_key is None else field_of(rows, id_key, name))


def id_key_of(row: Mapping[Any, Any], name: str) -> str | None:
    """The key that holds the id of a row: "id", or the only one that is called like an id; None if there is none."""
    if "id" in row:
        return "id"
    alike = [key for key in row if isinstance(key, str) and key.lower().replace("_", "") in _LIKE_IDS]
    if len(alike) > 1:
        raise ValueError(f"{name}[0] has no 'id', but {' and '.join(map(repr, alike))}; name the one to match by 'id'")
    return alike[0] if alike else None


def _remark_unread(row: Mapping[Any, Any], fields: Sequence[Field], name: str) -> None:
    """Remark on a key that is nearly the name of a field, such as "no_answer_prob", and is not read."""
    names = {usual for field in fields for usual in field.usual}
    for key in row:
        if isinstance(key, str) and key not in names and (found := get_close_matches(key, names, 1, 0.8)):
            if found[0] not in row:
                remark(f"{name}[0] has {key!r}, which is not read; {found[0]!r} is: rename it, or omit it")


def _no_field(main: Field, row: Mapping[Any, Any]) -> Exception:
    """The error for a dict that is neither a row of a side nor one of its cells."""
    keys = f"{main.name}[0] has the keys {keys_of(row)}"
    if advice := main.kind.advice(row):
        return ValueError(f"{keys}; {advice}")
    return ValueError(f"{keys}, and no {main.usual[0]!r}; give rows that have it, or a list of the values alone")


# --- the join ---------------------------------------------------------------------------------------------------------


def read(
    fields: Sequence[Field],
    given: Mapping[str, Any],
    *,
    missing: str = "zero",
    duplicates: str = "error",
    advice: str = "predict every id",
    complete: bool = False,
) -> Table:
    """The columns of `given` as a Table, in the order of the references.

    Args:
        fields: of the family, in the order in which they are checked; "predictions" and "references" are among them.
        given: name of a column -> the column as it was given, None for none; also "ids", of both sides.
        missing: an example without a prediction stays ("zero"), is omitted ("skip") or refused ("error").
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        advice: what to do where a prediction is missing and refused.
        complete: an id that one side lacks is refused, as is a duplicate one: the family has no options for them.

    Raises:
        TypeError, ValueError: naming the column, the row or id, what was found and what to do.
    """
    predicted, gold = check(fields, given)
    if not len(gold):
        raise blamed(ValueError("there are no examples to score: references is empty"), REFERENCES)
    if complete:
        _require_all_ids(predicted, gold)
    counts = _align(predicted, gold, duplicates)
    n = len(gold)
    ids = gold.ids if gold.ids is not None else predicted.ids
    ids = range(n) if ids is None else ids
    if complete:
        return Table(ids, predicted.columns | gold.columns, np.ones(n, bool), {}, counts)
    there = predicted.rows >= 0
    values = predicted.columns[PREDICTIONS]
    if _field(fields, PREDICTIONS).kind.none_is_missing and isinstance(values, list):
        there = np.ones(n, bool)
        if type(None) in set(map(type, values)):
            there = np.fromiter((value is not None for value in values), bool, n)
    if missing == "skip":
        counts = {"skipped": 0, **counts}
    if missing != "zero" and not there.all():
        if missing == "error":
            row = int(np.argmin(there))
            message = f"references[{row}]{with_id(ids, row)} has no prediction ({int((~there).sum())} in all)"
            raise blamed(ValueError(f"{message}; {advice}, or use the option missing=zero or skip"), PREDICTIONS)
        kept = np.flatnonzero(there)
        counts["skipped"] = n - len(kept)
        if not len(kept):
            message = "no question is left to score: all are missing; give predictions, or missing=zero"
            raise NothingToScore(message, counts)
        predicted.take(kept)
        gold.take(kept)
        ids = (Positions if isinstance(ids, range) else UniqueIds)(ids[row] for row in kept.tolist())
        there = there[kept]
    rows = {PREDICTIONS: predicted.rows, REFERENCES: gold.rows}
    return Table(ids, predicted.columns | gold.columns, there, rows, counts)


def check(fields: Sequence[Field], given: Mapping[str, Any]) -> tuple[_Side, _Side]:
    """Both sides with their columns checked, each in its own order, before the join."""
    sides: list[_Side] = []
    for name in (PREDICTIONS, REFERENCES):
        sides_of = (name, EXAMPLES) if name == REFERENCES else (name,)
        others = [field for field in fields if field.side in sides_of and field.name != name]
        try:
            main = _field(fields, name)
            if given.get(name) is None and not main.required:
                sides.append(_Side(name, {name: [None] * len(sides[0])}, sides[0].ids))
            else:
                sides.append(_read_side(main, others, given.get(name)))
        except (TypeError, ValueError) as error:
            raise blamed(error, name)
    predicted, gold = sides
    _pair(predicted, gold, given.get("ids"))
    cells = []
    for field in fields:
        side = predicted if field.side == PREDICTIONS else gold
        values = _cells(field, side, predicted, given.get(field.name))
        if values is not None:
            other = gold if side is predicted else predicted
            ids = side.ids if side.ids is not None or field.side != EXAMPLES else predicted.ids
            ids = range(0) if ids is None else ids
            cells.append((field, Cells(values, field.name, ids, other.columns[other.name])))
    for field, of_field in cells:
        try:
            column = field.kind.check(of_field)
        except (TypeError, ValueError) as error:
            raise blamed(error, field.name)
        (predicted if field.side == PREDICTIONS else gold).columns[field.name] = column
    return predicted, gold


def _field(fields: Sequence[Field], name: str) -> Field:
    return next(field for field in fields if field.name == name)


def _cells(field: Field, side: _Side, predicted: _Side, value: Any) -> list[Any] | None:
    """The cells of a field in the order of its side: from its own column, else from the rows; None where there are none."""
    name = field.name
    if name == side.name:
        return side.columns[name] if value is not None else None
    if value is None or field.scalar and isinstance(value, (int, float)):
        return side.columns.get(name, None if value is None else [value] * len(side))
    with about(name):
        if field.side == EXAMPLES:
            ids = next((ids for ids in (side.ids, predicted.ids) if ids is not None), range(len(side)))
            value = value.listed() if isinstance(value, Groups) else matched_by_id(value, ids, name, others=False)
        elif isinstance(value, Mapping):
            if side.ids is None:
                raise ValueError(f"{name} are given by id, but {side.name} have no ids; give both by id or as lists")
            value, absent = values_by_id(value, side.ids)
            if absent:
                raise ValueError(
                    f"{name} has no value for the id {shown(absent[0])} ({len(absent)} in all); give one for every row of "
                    f"{side.name}"
                )
        values = to_list(value, name)
        check_lengths(**{side.name: range(len(side)), name: values})
    return values


def _pair(predicted: _Side, gold: _Side, ids: Any) -> None:
    """Check that both sides can be matched, by id or by position; both get the column of ids."""
    if ids is not None:
        ids = to_list(ids, "ids")
        for side in (predicted, gold):
            if side.ids is not None and side.ids != ids:
                message = f"{side.name} have their own ids, which differ from the column ids; omit the column ids"
                raise blamed(ValueError(message), side.name)
            check_lengths(ids=ids, **{side.name: range(len(side))})
            side.ids = ids
    for side, other in ((predicted, gold), (gold, predicted)):
        if side.by_id and other.ids is None:
            message = (
                f"{side.name} are a dict by id, but {other.name} have no ids; give both as dicts, or both as lists"
            )
            raise blamed(ValueError(message), other.name)
    if predicted.ids is None or gold.ids is None:
        check_lengths(predictions=range(len(predicted)), references=range(len(gold)))


def _align(predicted: _Side, gold: _Side, duplicates: str) -> dict[str, int]:
    """Bring the predictions into the order of the references, with each id once.

    Returns:
        The counts "unmatched" (predictions without a reference) and "duplicates".
    """
    counts = {"unmatched": 0, "duplicates": 0}
    both = predicted.ids is not None and gold.ids is not None and predicted.ids is not gold.ids
    for side in (predicted, gold):
        if side.ids is None:
            continue
        with about(side.name):
            kept = first_of_each(
                list(side.ids) if not isinstance(side.ids, list) else side.ids, f"{side.name} id", duplicates
            )
        same = (side,) if both else (predicted, gold)  # rows without ids belong to rows with ids, by position
        if kept is not None:
            counts["duplicates"] += len(side.ids) - len(kept)
            for one in same:
                one.take(kept)
        for one in same:
            if one.ids is not None and not isinstance(one.ids, UniqueIds):
                one.ids = UniqueIds(one.ids)
    if not both:
        if (predicted.ids is None) != (gold.ids is None):
            there, other = (predicted, gold) if gold.ids is None else (gold, predicted)
            remark(f"{there.name} have ids and {other.name} have none: they are matched by their order")
        return counts
    rows = match_ids(gold.ids or (), predicted.ids or ())
    counts["unmatched"] = len(predicted) - int(np.count_nonzero(rows >= 0))
    if len(rows) != len(predicted) or (rows != np.arange(len(rows))).any():
        predicted.take(rows)
    return counts


def _require_all_ids(predicted: _Side, gold: _Side) -> None:
    """Refuse a duplicate id, and an id that is on one side only."""
    for side in (gold, predicted):
        if side.ids is not None:
            name = "ids" if predicted.ids is gold.ids else f"{side.name} id"
            with about(side.name):
                first_of_each(list(side.ids), name, "error", advice="")
    if predicted.ids is None or gold.ids is None or predicted.ids is gold.ids:
        return
    for side, other, problem in (
        (gold, predicted, "has no prediction ({} in all); predict every id"),
        (predicted, gold, "is not in the references ({} in all); omit it"),
    ):
        absent = np.flatnonzero(match_ids(side.ids or (), other.ids or ()) < 0)
        if len(absent):
            message = f"{side.name}: the id {shown((side.ids or ())[absent[0]])} {problem.format(len(absent))}"
            raise blamed(ValueError(message), side.name)


# --- batches ----------------------------------------------------------------------------------------------------------


def as_rows(fields: Sequence[Field], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of which predictions and references, where both are dicts by id, are rows with ids, so that they can be added
    batch by batch; of a kind that reads whole columns, they are in one order with a column of ids.
    """
    if any(field.kind.column for field in fields if field.name in (PREDICTIONS, REFERENCES)):
        return {**columns, **_whole_columns(fields, columns)}
    if not all(isinstance(columns.get(name), Mapping) for name in (PREDICTIONS, REFERENCES)):
        return dict(columns)
    rows = {}
    for name in (PREDICTIONS, REFERENCES):
        usual = _field(fields, name).usual
        rows[name] = [
            {"id": identifier, usual[0]: value} if usual else {**value, "id": identifier}
            for identifier, value in columns[name].items()
            if usual or value is not None
        ]
    return {**columns, **rows}


def _whole_columns(fields: Sequence[Field], columns: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: columns[name] for name in (PREDICTIONS, REFERENCES) if columns.get(name) is not None}
    if not any(isinstance(column, Mapping) for column in given.values()) or len(given) < 2:
        return {name: _read_side(_field(fields, name), (), column).columns[name] for name, column in given.items()}
    table = read(fields, {**given, "ids": columns.get("ids")}, complete=True)
    return {name: table.columns[name] for name in given} | {"ids": table.ids}


def rows_have_ids(columns: Mapping[str, list[Any]]) -> bool:
    """Whether predictions and references are rows with ids, so that one side may have more rows."""
    filled = [columns[name] for name in (PREDICTIONS, REFERENCES) if columns.get(name)]
    return bool(filled) and all(isinstance(rows[0], Mapping) and id_key_of(rows[0], "rows") for rows in filled)


def ids_of_references(columns: Mapping[str, list[Any]]) -> Sequence[Any]:
    """The ids of the references of a batch: a column of ids, or ids in their rows; else positions."""
    rows = columns.get(REFERENCES, ())
    have_ids = all(isinstance(row, Mapping) and "id" in row for row in rows)
    return columns.get("ids") or ([row["id"] for row in rows] if have_ids else range(len(rows)))
