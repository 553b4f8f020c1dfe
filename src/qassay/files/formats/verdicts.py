"""Verdicts on nuggets, claims, citations and answers: the JSON of the programs that give them, or a table of grades."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...claim_support.claims import CLAIM_FIELDS
from ...core.columns import rows_of_table, spelled, usual_roles
from ...core.file_columns import Gold, Predictions
from ..columns import Columns, names_here
from ..content import Content, Table
from ..reading import ID_NAMES, QUESTION_NAMES, same_type
from ..tables import Names, as_table
from . import Format

METRIC = "claim_support"
_USUAL = {  # what a column holds -> its usual names
    **{name: (name.lower(),) for name in (*CLAIM_FIELDS, "nuggets", "statements", "docs")},
    "gold": ("gt_answer_claims", "gold_claims"),
    "grade": ("grade", "grades"),
}
_FIELDS_OF_ITEMS = {"assignment", "importance", "citations"}  # of nuggets and statements


def _find_columns(table: Table, names: Names) -> tuple[str, dict[str, str]] | None:
    """The task of a table of verdicts, by its columns, and what a column holds -> its name; None if it is none."""
    there = {role: columns[0] for role, columns in usual_roles(table.columns, _USUAL).items()}
    claims = [name for name in CLAIM_FIELDS if name in there]
    if any(cell is not None for name in claims for cell in table.columns[there[name]]):
        return "claims", {name: there[name] for name in (*claims, "gold") if name in there}
    named = names.get("predictions")
    if isinstance(named, str) and named in table.columns:
        return "grades", {"grade": named}
    for task, roles in (("nuggets", ["nuggets"]), ("citations", ["statements", "docs"])):
        if roles[0] in there and _are_items(table.columns[there[roles[0]]]):
            return task, {role: there[role] for role in roles if role in there}
    return ("grades", {"grade": there["grade"]}) if "grade" in there else None


def _are_items(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, as columns of nuggets and statements have."""
    items = [item for cell in cells if cell is not None for item in (cell if isinstance(cell, list) else [cell])]
    are_dicts = bool(items) and all(isinstance(item, Mapping) for item in items)
    return are_dicts and not _FIELDS_OF_ITEMS.isdisjoint(items[0])


class _Verdicts(NamedTuple):
    """The verdicts in a table.

    Attributes:
        columns: of the table, with the picked ones.
        rows: of each question what a column holds -> its cell.
        details: the columns that describe the questions.
        are_there: whether there are verdicts, and not nuggets alone.
    """

    columns: Columns
    task: str
    rows: list[dict[str, Any]]
    details: dict[str, list]
    are_there: bool


def _read(content: Content, names: Names, gold: Gold | None = None) -> _Verdicts:
    path, table = content.path, as_table(content.value, any_columns=True) or as_table(content.value)
    if gold is not None and path != gold.path:
        names = names_here(path, table, gold, names)
    columns = Columns(path, table, names, usual_roles(table.columns, {"ids": ID_NAMES}))
    found = _find_columns(table, names)
    if found is None:
        known = "nuggets, answer2response, ..., statements or grade"
        has = f"it has: {', '.join(table.columns)}"
        raise ValueError(f"no column is known to hold verdicts of claim_support: {known}; {has}")
    task, there = found
    columns.optional("ids")
    details = columns.others(*there.values())
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    columns.picked = {"verdicts": next(iter(there.values())), **columns.picked}
    rows = rows_of_table({of: table.columns[name] for of, name in there.items()})
    nuggets = [nugget for row in rows for nugget in row.get("nuggets") or ()]
    return _Verdicts(columns, task, rows, details, task != "nuggets" or any("assignment" in of for of in nuggets))


def _with_ids(ids: Sequence[Any] | None, field: str, values: list[Any]) -> list[Any]:
    return values if ids is None else rows_of_table({"id": ids, field: values})


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them."""
    found = _read(content, names)
    golds: list[Any] = [row.get("gold") or "" for row in found.rows]
    if found.task == "nuggets":
        fields = ("importance", "text")
        golds = [
            [{of: nugget[of] for of in fields if of in nugget} for nugget in row["nuggets"] or ()] for row in found.rows
        ]
    picked, ids = found.columns.picked, found.columns.cells("ids")
    picked |= {"predictions": picked["verdicts"]} if found.are_there else {}
    return Gold(
        content.path, f"verdicts_{found.task}", {"references": _with_ids(ids, "gold", golds)},
        {"task": found.task}, ids, found.details, picked, may_hold_predictions=found.are_there, compared="verdicts",
    )  # fmt: skip


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system."""
    path, found = content.path, _read(content, names, gold)
    requested = gold.options.get("task", found.task)
    if requested != found.task:
        of_gold = f", but {gold.path} has the task {requested}"
        also = f"; omit the option task={requested}" if path == gold.path else of_gold
        raise ValueError(f"this has verdicts of the task {found.task}{also}")
    if not found.are_there:
        raise ValueError("this has nuggets without assignments; give a file with verdicts")
    if found.task == "claims":
        verdicts: list[Any] = [{name: cell for name, cell in row.items() if name != "gold"} for row in found.rows]
    elif found.task == "citations":
        verdicts = [None if row["statements"] is None else {"docs": None, **row} for row in found.rows]
    else:
        verdicts = [next(iter(row.values())) for row in found.rows]
    cells = found.columns.cells("ids")
    ids = None if cells is None else same_type(cells, gold.ids)
    picked = {role: name for role, name in found.columns.picked.items() if role == "ids"}
    return Predictions(path, {"predictions": _with_ids(ids, "verdicts", verdicts)}, names=picked)


def _has_both(table: Table | None) -> bool:
    found = None if table is None else _find_columns(table, {})
    return found is not None and found[0] != "grades"


def _fits(value: Any, metric: str | None) -> bool:
    """Tables of grades, whose columns other tables may have too, only where the metric is requested."""
    table = as_table(value) if metric in (None, METRIC) else None
    return table is not None and (metric == METRIC or _has_both(table))


VERDICTS = Format(
    "verdicts",
    "a table of verdicts",
    METRIC,
    _fits,
    order=10,
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    is_table=True,
    has_both=_has_both,
)
