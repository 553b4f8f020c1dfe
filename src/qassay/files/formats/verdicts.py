"""Verdicts on nuggets, claims, citations and answers: JSON of the programs that give them, or a table with a row per nugget."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...claim_support.claims import CLAIM_FIELDS
from ...core.columns import spelled
from ...core.file_columns import Gold, Predictions
from ...core.shown import shown
from ..content import Content, Table
from ..reading import ID_NAMES, QUESTION_NAMES, FileError, same_type
from ..tables import Names, as_table, optional_column
from . import Format
from ._cells import details_of

METRIC = "claim_support"
_BY_NUGGET = "a row per nugget"
# Kind of table -> what its columns hold, the first of which it must have; the first kind whose columns exist counts.
_KINDS = {
    "nuggets": ("nuggets",),
    "citations": ("statements", "docs"),
    _BY_NUGGET: ("assignment", "importance", "nugget"),
    "grades": ("grade",),
}
_NAMES = {  # what a column holds -> its usual names, where it has others
    "importance": ("importance", "vital"),
    "nugget": ("nugget", "text", "nugget_text"),
    "grade": ("grade", "grades"),
}
_OPTIONAL = {"docs", "nugget"}


class _Verdicts(NamedTuple):
    """The questions of a file.

    Attributes:
        task: the option of the metric.
        ids: of the questions.
        rows: what a column holds -> its cell, of each question.
        names: the columns of verdicts and of ids by role.
        details: the columns with one value per question.
    """

    task: str
    ids: Sequence[Any] | None
    rows: list[dict[str, Any]]
    names: dict[str, str]
    details: dict[str, list]

    @property
    def has_verdicts(self) -> bool:
        """Whether there are verdicts, and not nuggets alone."""
        nuggets = [nugget for row in self.rows for nugget in row.get("nuggets") or ()]
        return self.task != "nuggets" or any("assignment" in nugget for nugget in nuggets)

    def with_ids(self, ids: Sequence[Any] | None, field: str, values: list[Any]) -> list[Any]:
        """Values of the questions as rows with ids, where there are ids."""
        if ids is None:
            return values
        return [{"id": identifier, field: value} for identifier, value in zip(ids, values, strict=True)]


def _columns_of(table: Table | None, names: Names) -> tuple[str, dict[str, str]] | None:
    """The kind of a table of verdicts, by its columns, and what a column holds -> its name; None if it is none."""
    if table is None:
        return None
    there = {spelled(name): name for name in reversed(list(table.columns))}
    fields = {name: there[name.lower()] for name in CLAIM_FIELDS if name.lower() in there}
    fields = {name: of for name, of in fields.items() if any(cell is not None for cell in table.columns[of])}
    if fields:
        gold = [there[name] for name in ("gt_answer_claims", "gold_claims") if name in there][:1]
        return "claims", {**fields, **({"gold": gold[0]} if gold else {})}
    if isinstance(names.get("predictions"), str) and names["predictions"] in table.columns:
        return "grades", {"grade": names["predictions"]}
    for kind, columns in _KINDS.items():
        usual = {of: _NAMES.get(of, (of,)) for of in columns}
        found = {of: there[name] for of, names_of in usual.items() for name in names_of[::-1] if name in there}
        if found.keys() | _OPTIONAL >= usual.keys() and (
            kind not in ("nuggets", "citations") or _holds_verdicts(table.columns[found[columns[0]]])
        ):
            return kind, found
    return None


def _holds_verdicts(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, as columns of nuggets and statements have."""
    items = [item for cell in cells if cell is not None for item in (cell if isinstance(cell, list) else [cell])]
    known = {"assignment", "importance", "citations"}
    return bool(items) and all(isinstance(item, Mapping) for item in items) and not known.isdisjoint(items[0])


def _read(content: Content, names: Names) -> _Verdicts:
    path, table = content.path, as_table(content.value, any_columns=True)
    found = _columns_of(table, names)
    if table is None or found is None:
        has = "" if table is None else f"; it has: {', '.join(table.columns)}"
        raise FileError(
            path,
            "no columns are known to hold verdicts of claim_support: nuggets; answer2response, ...; statements; grade; or "
            f"importance and assignment, with {_BY_NUGGET}{has}",
        )
    kind, columns = found
    usual = [name for id_name in ID_NAMES for name in table.columns if spelled(name) == id_name]
    column = optional_column(path, table, "ids", usual, names)
    ids: Sequence[Any] | None = None if column is None else table.columns[column]
    details = details_of(table, {*columns.values(), column})
    cells = zip(*(table.columns[name] for name in columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    if kind == _BY_NUGGET:
        if ids is None:
            message = f"a table with {_BY_NUGGET} needs the ids of questions"
            raise FileError(path, f'{message}; name their column with columns={{"ids": "NAME"}}')
        rows_of = _rows_of_questions(path, column, ids, rows)
        details = {
            name: [cells[numbers[0]] for numbers in rows_of.values()]
            for name, cells in details.items()
            if all(cells[number] == cells[numbers[0]] for numbers in rows_of.values() for number in numbers)
        }
        kind, ids = "nuggets", list(rows_of)
        rows = [{"nuggets": [rows[number] for number in numbers]} for numbers in rows_of.values()]
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    picked = {"verdicts": next(iter(columns.values())), **({} if column is None else {"ids": column})}
    return _Verdicts(kind, ids, rows, picked, details)


def _rows_of_questions(
    path: str, column: str, ids: Sequence[Any], rows: Sequence[dict[str, Any]]
) -> dict[Any, list[int]]:
    """The rows of the nuggets of each question; the text of a nugget is named as in JSON.

    Raises:
        FileError: a nugget without its question, or given twice.
    """
    rows_of: dict[Any, list[int]] = {}
    seen: dict[Any, int] = {}
    for number, (identifier, row) in enumerate(zip(ids, rows, strict=True)):
        if identifier is None or identifier == "":
            raise FileError(
                path, f"row {number}: the column {column} is empty; give every nugget the id of its question"
            )
        rows_of.setdefault(identifier, []).append(number)
        text = row.pop("nugget", None)
        row |= {"text": text} if text else {}
        if text and (first := seen.setdefault((identifier, text), number)) != number:
            message = f"row {number}: duplicate {shown(text)} of the question {shown(identifier)}, as in row {first}"
            raise FileError(path, f"{message}; give each nugget once")
    return rows_of


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them."""
    found = _read(content, names)
    golds = [row.get("gold") or "" for row in found.rows]
    if found.task == "nuggets":
        golds = [
            [
                {name: nugget[name] for name in ("importance", "text") if name in nugget}
                for nugget in row["nuggets"] or ()
            ]
            for row in found.rows
        ]
    picked = {**found.names, **({"predictions": found.names["verdicts"]} if found.has_verdicts else {})}
    return Gold(
        content.path,
        f"verdicts_{found.task}",
        {"references": found.with_ids(found.ids, "gold", golds)},
        {"task": found.task},
        found.ids,
        found.details,
        picked,
        may_hold_predictions=found.has_verdicts,
    )


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system.

    Raises:
        FileError: the file has verdicts of another task, or none.
    """
    table = as_table(content.value, any_columns=True)
    columns = () if table is None else table.columns
    found = _read(content, {role: name for role, name in names.items() if role != "ids" or name in columns})
    requested = gold.options.get("task", found.task)
    if requested != found.task:
        of_gold = f", but {gold.path} has the task {requested}"
        also = f"; omit the option task={requested}" if content.path == gold.path else of_gold
        raise FileError(content.path, f"this has verdicts of the task {found.task}{also}")
    if not found.has_verdicts:
        raise FileError(content.path, "this has nuggets without assignments; give a file with verdicts")
    verdicts: list[Any]
    if found.task == "claims":
        verdicts = [{name: cell for name, cell in row.items() if name != "gold"} for row in found.rows]
    elif found.task == "citations":
        verdicts = [None if row["statements"] is None else {"docs": None, **row} for row in found.rows]
    else:
        verdicts = [next(iter(row.values())) for row in found.rows]
    ids = None if found.ids is None else same_type(found.ids, gold.ids)
    picked = {role: name for role, name in found.names.items() if role == "ids"}
    return Predictions(content.path, {"predictions": found.with_ids(ids, "verdicts", verdicts)}, names=picked)


def _has_both(table: Table | None) -> bool:
    found = _columns_of(table, {})
    return found is not None and found[0] != "grades"


def _is_verdicts(value: Any, metric: str | None) -> bool:
    """Tables of grades, whose columns other tables may have too, only where the metric is requested."""
    table = as_table(value) if metric in (None, METRIC) else None
    return table is not None and (metric == METRIC or _has_both(table))


VERDICTS = Format(
    "verdicts",
    "a table of verdicts",
    METRIC,
    _is_verdicts,
    order=10,
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    is_table=True,
    compared={f"verdicts_{task}": "verdicts" for task in ("nuggets", "claims", "citations", "grades")},
    has_both=_has_both,
)
