"""Turns columns in any layout (lists, dicts by id, rows, tables) into checked columns, one row per example.

A family declares its `Field`s. `read` settles the layout of predictions and references, checks each cell once, by the
`Kind` of its field, and joins predictions and references by id, or by position where there are no ids.

    table = read(fields, {"predictions": {"q1": "Paris"}, "references": {"q1": ["Paris"]}})
    table.columns["predictions"], table.ids, table.given
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .columns import (
    LARGEST,
    ColumnRows,
    check_lengths,
    check_rows,
    finite_numbers,
    id_at,
    is_table,
    table_columns,
    to_list,
    with_id,
)
from .errors import InputError, NothingToScore, NoWeight, about
from .groups import Groups
from .ids import Positions, UniqueIds, first_of_each, rows_of_ids, values_by_id
from .remarks import remark
from .shown import describe, keys_of, shown

if TYPE_CHECKING:
    from .scores import Scores

PREDICTIONS, REFERENCES, EXAMPLES = "predictions", "references", "examples"
# Names of ids in rows without "id", in any case and with or without underscores.
_LIKE_IDS = frozenset(("exampleid", "guid", "idx", "ids", "qasid", "qid", "queryid", "questionid", "uid", "uuid"))


# --- what a family declares -------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Cells:
    """An unchecked column: its cells, its name in messages, the ids of its rows (a range: positions)."""

    values: list[Any]
    name: str
    ids: Sequence[Any] = range(0)

    def where(self, row: int) -> str:
        """The name of a cell in messages: `predictions[3] (id 'q7')`."""
        return f"{self.name}[{row}]{with_id(self.ids, row)}"

    def refusal(self, row: int, found: str, action: str) -> InputError:
        """The error for a cell."""
        return InputError(self.name, found, action, row, id_at(self.ids, row))


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a cell of a field is.

    Attributes:
        check: Cells -> the scored column, with None for a missing prediction; raises an InputError, TypeError or ValueError
            with the first wrong cell and what to do.
        takes_dicts: whether a dict without a usual name of the field is a cell and not a row.
        none_is_missing: whether a prediction of None is missing, not an answer.
        column: reads a whole column, given with its name, whose rows are not dicts of fields, such as sets of labels; it
            returns a list, an array or a matrix. None: other columns.
    """

    check: Callable[[Cells], Any]
    takes_dicts: Callable[[Mapping[Any, Any]], bool] = lambda row: False
    none_is_missing: bool = True
    column: Callable[[Any, str], Any] | None = None


@dataclasses.dataclass(frozen=True)
class Field:
    """A column that a family reads.

    Attributes:
        name: of the column among the arguments of the scoring function, and in `Table.columns`.
        kind: what its cells are.
        side: PREDICTIONS or REFERENCES, whose order it has; or EXAMPLES, one value per reference, in order or by id.
        usual: its usual names in rows of its side; fields of EXAMPLES are in rows of references.
        scalar: whether a single number is the value of all rows without one.
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
        counts: of rows that belong to no example: "unmatched", "duplicates" and, with missing="skip", "skipped"; {} for a
            family without such options.
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
        rows = {name: of_side[kept] for name, of_side in self.rows.items()}
        return Table(ids, columns, self.given[kept], rows, self.counts)

    def scores(self, notes: Mapping[str, int] | None = None, **parts: Any) -> "Scores":
        """The scores of these examples, with further notes; `parts` are the other fields of `Scores`."""
        from .scores import Scores  # which reads columns of confidences with this module

        weights, groups = map(self.columns.get, ("weights", "groups"))
        notes = {**self.counts, **(notes or {})}
        return Scores(ids=self.ids, notes=notes, weights=weights, groups=groups, **parts)

    def where(self, name: str, row: int) -> str:
        """The name of the cell of an example in messages: `predictions[3] (id 'q7')`, counted as the user gave them."""
        return f"{name}[{self.rows.get(name, self.rows[REFERENCES])[row]}]{with_id(self.ids, row)}"


def numbers(cells: Cells) -> np.ndarray:
    """Finite numbers, float64 (n,)."""
    return finite_numbers(cells.values, cells.where, LARGEST)


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
    """The kind of a column that is not read with the given options; `message` refuses it."""

    def refuse(cells: Cells) -> None:
        raise InputError(cells.name, message)

    return Kind(refuse)


ANYTHING = Kind(lambda cells: cells.values)
NUMBER = Kind(numbers)
WEIGHTS = Field("weights", Kind(weights), EXAMPLES, ("weight", "weights"))
GROUPS = Field("groups", Kind(lambda cells: Groups.of(cells.values, cells.ids)), EXAMPLES)


# --- layouts ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Side:
    """Predictions or references in the given order, after their layout was read; `read` takes it as a column.

    Attributes:
        columns: name of a field -> its cells as they were given.
        by_id: whether it was a dict by id.
        checked: name of a field -> the kind that has checked its cells, and the column that it made of them.
    """

    name: str
    columns: dict[str, Any]
    ids: Sequence[Any] | None = None
    by_id: bool = False
    checked: dict[str, tuple[Kind, Any]] = dataclasses.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns[self.name])

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "checked": {}}  # functions cannot be pickled

    @classmethod
    def joined(cls, parts: "Sequence[Side]") -> "Side":
        """The rows of parts with the same columns, one after the other."""
        first = parts[0]
        ids = None if first.ids is None else list(chain.from_iterable(part.ids or () for part in parts))
        columns = {name: _joined(name, [part.columns[name] for part in parts]) for name in first.columns}
        checked = {}
        for name, (kind, _) in first.checked.items():
            if all(part.checked.get(name, (None,))[0] is kind for part in parts):
                checked[name] = kind, _joined(name, [part.checked[name][1] for part in parts])
        return cls(first.name, columns, ids, first.by_id, checked)


def _taken(column: Any, rows: np.ndarray) -> Any:
    """These rows of a column; row -1 is missing: None, or 0.0 in an array of numbers."""
    if isinstance(column, Groups):
        return column.take(rows)
    if isinstance(
        column, np.ndarray
    ):  # any number is right: a missing prediction scores 0 on either side of a threshold
        return np.where(rows < 0, 0.0, column[rows])
    return [None if row < 0 else column[row] for row in rows.tolist()]


def _joined(name: str, columns: list[Any]) -> Any:
    """Columns of several batches as one; matrices must have one layout."""
    first = columns[0]
    if isinstance(first, Groups):
        return Groups.concat(columns)
    layouts = {(type(c), c.dtype.kind, c.shape[1:]) if hasattr(c, "dtype") else list for c in columns}
    if len(layouts) == 1 and isinstance(first, np.ndarray):
        return np.concatenate(columns)
    if any(getattr(column, "ndim", 1) == 2 for column in columns):
        action = "give all batches one layout and the same columns"
        raise InputError(name, f"{name} came in batches of different layouts", action)
    return list(chain.from_iterable(column.tolist() if hasattr(column, "tolist") else column for column in columns))


def rows_of_dicts(column: Sequence[Any], name: str) -> bool:
    """Whether a column contains dicts; if its first row is a dict, every row must be."""
    if isinstance(column, ColumnRows):
        return True
    if not column or not isinstance(column[0], Mapping):
        return False
    if set(map(type, column)) != {dict}:
        check_rows(column, name, (), Mapping, "give every row as a dict like the first one")
    return True


def field_of(rows: Sequence[Mapping[Any, Any]], key: str, name: str, required: bool = False) -> list[Any] | None:
    """A field of every row; None if no row has it and it is not required; an InputError if only some rows have it."""
    if isinstance(rows, ColumnRows) and (key in rows.columns or not required):
        return list(rows.columns[key]) if key in rows.columns else None
    try:
        return list(map(itemgetter(key), rows))
    except KeyError:
        present = [key in row for row in rows]
    if not required and not any(present):
        return None
    row = present.index(False)
    raise InputError(name, f"has no {key!r} (its keys: {keys_of(rows[row])})", "give it in every row", row)


def _read_side(main: Field, fields: Sequence[Field], value: Any) -> Side:
    """A side in any layout: a dict by id, rows with the usual names of its fields, a table of them, or a list of cells."""
    name = main.name
    if isinstance(value, Side):
        return dataclasses.replace(value, columns=dict(value.columns), checked=dict(value.checked))
    if isinstance(value, Mapping):
        return Side(name, {name: list(value.values())}, list(value), by_id=True)
    if main.kind.column is not None:
        return Side(name, {name: main.kind.column(value, name)})
    rows = value
    if not isinstance(value, list) and is_table(value):
        rows = ColumnRows({key: to_list(cells, f"{name}[{key!r}]") for key, cells in table_columns(value).items()})
    elif not isinstance(value, (list, ColumnRows)):
        rows = to_list(value, name)
    first = rows[0] if rows else None
    if not isinstance(first, Mapping):
        if main.kind.takes_dicts({}) and any(isinstance(row, Mapping) and id_key_of(row, name) for row in rows):
            raise InputError(name, f"is {describe(first)} among rows with ids", "omit it, or give it an id", 0)
        return Side(name, {name: rows})
    key = next((key for key in main.usual if key in first), None)
    if key is None and not main.kind.takes_dicts(first):
        action = f"give rows that have {main.usual[0]!r}, or a list of the values alone; predictions come first"
        raise InputError(name, f"has the keys {keys_of(first)}", action, 0)
    id_key = id_key_of(first, name)
    if key is None and id_key is None and not all(isinstance(row, Mapping) for row in rows):
        return Side(name, {name: rows})
    rows_of_dicts(rows, name)
    columns = {name: rows if key is None else field_of(rows, key, name, required=True)}
    is_predicted = name == PREDICTIONS
    others = [field for field in fields if field is not main and (field.side == PREDICTIONS) == is_predicted]
    for field in others:
        found = next((column for usual in field.usual if (column := field_of(rows, usual, name)) is not None), None)
        if found is not None:
            columns[field.name] = found
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
    """Remark on a key that is not read and resembles the name of a field, such as "no_answer_prob"."""
    names = {usual for field in fields for usual in field.usual}
    for key in row:
        if isinstance(key, str) and key not in names and (found := get_close_matches(key, names, 1, 0.8)):
            if found[0] not in row:
                remark(f"{name}[0] has {key!r}, which is not read; rename it to {found[0]!r}, or omit it")


# --- the join ---------------------------------------------------------------------------------------------------------


def read(
    fields: Sequence[Field],
    given: Mapping[str, Any],
    *,
    missing: str | None = None,
    duplicates: str | None = None,
) -> Table:
    """The columns of `given` as a Table, in the order of the references.

    Args:
        fields: of the family, in the order in which they are checked; "predictions" and "references" are among them.
        given: name of a column -> the column as it was given, None for none; also "ids", of predictions and references.
        missing: an example without a prediction stays ("zero"), is omitted ("skip") or refused ("error"). None: the family
            has no such options, and an id that one side lacks, or has twice, is refused.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.

    Raises:
        InputError: naming the column, the row or id, what was found and what to do.
    """
    predicted, gold = check(fields, given)
    if not len(gold):
        raise InputError(REFERENCES, "there are no examples to score: references is empty")
    ids, rows, counts = _join(predicted, gold, duplicates, missing is None)
    columns: dict[str, Any] = {}
    for side in (predicted, gold):
        order = rows[side.name]
        is_whole = len(order) == len(side) and (order == np.arange(len(side))).all()
        columns |= {name: column if is_whole else _taken(column, order) for name, (_, column) in side.checked.items()}
    there, n = rows[PREDICTIONS] >= 0, len(ids)
    kind, answers = predicted.checked[PREDICTIONS][0], columns[PREDICTIONS]
    if kind.none_is_missing and isinstance(answers, list) and type(None) in set(map(type, answers)):
        there = np.fromiter((value is not None for value in answers), bool, n)
    table = Table(ids, columns, there, rows, {} if missing is None else counts)
    if missing == "skip":
        table.counts = {"skipped": n - int(there.sum()), **counts}
    if missing == "zero" or there.all():
        return table
    if missing != "skip":
        row, number = int(np.argmin(there)), int((~there).sum())
        found = f"references[{row}]{with_id(ids, row)} has no prediction ({number} in all)"
        options = ", or use the option missing=zero or skip" if missing else ""
        raise InputError(PREDICTIONS, found, f"predict every id{options}")
    if not there.any():
        raise NothingToScore(table.counts)
    return table.take(np.flatnonzero(there))


def check(fields: Sequence[Field], given: Mapping[str, Any]) -> tuple[Side, Side]:
    """Predictions and references with checked columns, each in the given order, before the join."""
    mains = {field.name: field for field in fields if field.name in (PREDICTIONS, REFERENCES)}
    with about(PREDICTIONS):
        predicted = _read_side(mains[PREDICTIONS], fields, given.get(PREDICTIONS))
    with about(REFERENCES):
        if given.get(REFERENCES) is None and not mains[REFERENCES].required:
            none: list[None] = [None] * len(predicted)
            gold = Side(
                REFERENCES, {REFERENCES: none}, predicted.ids, checked={REFERENCES: (mains[REFERENCES].kind, none)}
            )
        else:
            gold = _read_side(mains[REFERENCES], fields, given.get(REFERENCES))
    _pair(predicted, gold, given.get("ids"))
    for field in fields:  # all lengths before any cell
        if field.name not in mains and given.get(field.name) is not None:
            side, other = (predicted, gold) if field.side == PREDICTIONS else (gold, predicted)
            with about(field.name):
                _add_column(field, side, other.ids if side.ids is None else side.ids, given[field.name])
    for field in fields:
        name, side = field.name, predicted if field.side == PREDICTIONS else gold
        if name in side.columns and (name not in side.checked or side.checked[name][0] is not field.kind):
            ids = predicted.ids if field.side == EXAMPLES and side.ids is None else side.ids
            with about(name):
                column = field.kind.check(Cells(side.columns[name], name, range(0) if ids is None else ids))
            side.checked[name] = field.kind, column
    return predicted, gold


def _add_column(field: Field, side: Side, ids: Sequence[Any] | None, value: Any) -> None:
    """Add the column of a field, given by id or in order, to its side; it replaces the column of the rows."""
    name = field.name
    if field.scalar and isinstance(value, (int, float)):
        side.columns.setdefault(name, [value] * len(side))
        return
    if ids is None and field.side != EXAMPLES and isinstance(value, Mapping):
        raise InputError(name, f"{name} are given by id, but the examples have no ids", "give ids too, or a list")
    value = value.listed() if isinstance(value, Groups) else value
    values = values_by_id(value, range(len(side)) if ids is None else ids, name, others=field.side != EXAMPLES)
    check_lengths(**{side.name: range(len(side)), name: values})
    side.columns[name] = values
    side.checked.pop(name, None)


def _pair(predicted: Side, gold: Side, ids: Any) -> None:
    """Check that predictions and references can be matched, by id or by position; both get the column of ids."""
    if ids is not None:
        ids = to_list(ids, "ids")
        for side in (predicted, gold):
            if side.ids is not None and side.ids != ids:
                found = f"{side.name} have ids that differ from the column ids"
                raise InputError(side.name, found, "omit the column ids")
            check_lengths(ids=ids, **{side.name: range(len(side))})
            side.ids = ids
    for side, other in ((predicted, gold), (gold, predicted)):
        if side.by_id and other.ids is None:
            found = f"{side.name} are a dict by id, but {other.name} have no ids"
            raise InputError(other.name, found, "give both as dicts, or both as lists")
    if predicted.ids is None or gold.ids is None:
        check_lengths(predictions=range(len(predicted)), references=range(len(gold)))


def _join(
    predicted: Side, gold: Side, duplicates: str | None, is_complete: bool
) -> tuple[Sequence[Any], dict[str, np.ndarray], dict[str, int]]:
    """The ids of the examples, in the order of the references, each once; and the rows of predictions and references for them.

    Args:
        duplicates: as for `read`; None where the family has no such option.
        is_complete: refuse a prediction without a reference.

    Returns:
        Ids, rows (-1: no prediction), and the counts "unmatched" (predictions without a reference) and "duplicates".
    """
    counts = {"unmatched": 0, "duplicates": 0}
    if predicted.ids is None or gold.ids is None or predicted.ids is gold.ids:  # by position
        ids = predicted.ids if gold.ids is None else gold.ids
        if ids is None:
            rows = np.arange(len(gold))
            return range(len(gold)), {PREDICTIONS: rows, REFERENCES: rows}, counts
        name = "ids"
        if predicted.ids is not gold.ids:
            there, other = (predicted, gold) if gold.ids is None else (gold, predicted)
            name = f"{there.name} id"
            remark(f"{there.name} have ids and {other.name} have none: they are matched by their order")
        ids, rows = _once(ids, name, duplicates, counts)
        return ids, {PREDICTIONS: rows, REFERENCES: rows}, counts
    given, of_predictions = _once(predicted.ids, "predictions id", duplicates, counts)
    ids, of_references = _once(gold.ids, "references id", duplicates, counts)
    rows = rows_of_ids(ids, given)
    if (rows < 0).all():
        example = f", for example {shown(given[0])}" if given else " (there are none)"
        found = f"references have ids like {shown(ids[0])}, predictions have others{example}"
        raise InputError(
            "", f"no prediction has the id of a reference: {found}", "are these files of the same data set?"
        )
    counts["unmatched"] = len(given) - int(np.count_nonzero(rows >= 0))
    if is_complete and counts["unmatched"]:
        row = int(np.setdiff1d(np.arange(len(given)), rows)[0])
        found = f"predictions: the id {shown(given[row])} is not in the references"
        raise InputError(PREDICTIONS, f"{found} ({counts['unmatched']} in all)", "omit it")
    return ids, {PREDICTIONS: np.where(rows < 0, -1, of_predictions[rows]), REFERENCES: of_references}, counts


def _once(
    ids: Sequence[Any], name: str, duplicates: str | None, counts: dict[str, int]
) -> tuple[UniqueIds, np.ndarray]:
    """Each id once, and its row; the other rows are counted."""
    kept = first_of_each(ids, name, duplicates)
    rows = np.arange(len(ids)) if kept is None else kept
    counts["duplicates"] += len(ids) - len(rows)
    return ids if isinstance(ids, UniqueIds) else UniqueIds(ids if kept is None else _taken(ids, rows)), rows


# --- batches ----------------------------------------------------------------------------------------------------------


def read_batch(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """The checked columns of a batch, ready to be joined with others: predictions and references with the columns of their
    rows, a column of ids, and other columns as lists.
    """
    predicted, gold = check(fields, given)
    for side in (predicted, gold):  # callers may use their lists and arrays again
        side.columns = {name: _copied(column) for name, column in side.columns.items()}
        side.checked = {name: (kind, _copied(column)) for name, (kind, column) in side.checked.items()}
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


def _copied(column: Any) -> Any:
    return column.copy() if hasattr(column, "copy") else column


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
