"""Verdicts on nuggets, claims, citations and answers: JSON of the programs that give them, or a table with a row per nugget."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...claim_support.claims import CLAIM_FIELDS
from ...core.columns import rows_of_table, spelled, usual_roles
from ...core.file_columns import Gold, Predictions
from ...core.shown import shown
from ..columns import Columns, names_here
from ..content import Content, Table
from ..reading import ID_NAMES, QUESTION_NAMES, FileError, same_type
from ..tables import Names, as_table
from . import Format

METRIC = "claim_support"
_BY_NUGGET = "a row per nugget"
_USUAL = {  # what a column holds -> its usual names
    **{name: (name.lower(),) for name in (*CLAIM_FIELDS, "nuggets", "statements", "docs", "assignment")},
    "gold": ("gt_answer_claims", "gold_claims"),
    "importance": ("importance", "vital"),
    "nugget": ("nugget", "text", "nugget_text"),
    "grade": ("grade", "grades"),
}
# Kind of table -> what its columns hold, the first of which must be there; the first kind whose columns are there counts.
_KINDS = {
    "nuggets": ("nuggets",),
    "citations": ("statements", "docs"),
    _BY_NUGGET: ("assignment", "importance", "nugget"),
    "grades": ("grade",),
}
_OPTIONAL = {"docs", "nugget"}
_FIELDS_OF_ITEMS = {"assignment", "importance", "citations"}  # of nuggets and statements


def _find_columns(table: Table, names: Names) -> tuple[str, dict[str, str]] | None:
    """The kind of a table of verdicts, by its columns, and what a column holds -> its name; None if it is none."""
    there = {role: columns[0] for role, columns in usual_roles(table.columns, _USUAL).items()}
    claims = [name for name in CLAIM_FIELDS if name in there]
    claims = [name for name in claims if any(cell is not None for cell in table.columns[there[name]])]
    if claims:
        return "claims", {name: there[name] for name in (*claims, "gold") if name in there}
    if isinstance(names.get("predictions"), str) and names["predictions"] in table.columns:
        return "grades", {"grade": names["predictions"]}
    for kind, roles in _KINDS.items():
        found = {role: there[role] for role in roles if role in there}
        holds_items = (
            kind not in ("nuggets", "citations") or roles[0] in found and _are_items(table.columns[found[roles[0]]])
        )
        if found.keys() | _OPTIONAL >= {*roles} and holds_items:
            return kind, found
    return None


def _are_items(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, as columns of nuggets and statements have."""
    items = [item for cell in cells if cell is not None for item in (cell if isinstance(cell, list) else [cell])]
    return (
        bool(items) and all(isinstance(item, Mapping) for item in items) and not _FIELDS_OF_ITEMS.isdisjoint(items[0])
    )


class _Verdicts(NamedTuple):
    """The task of a file, and of its questions what each column holds -> its cell, the ids and the details."""

    task: str
    rows: list[dict[str, Any]]
    ids: Sequence[Any] | None
    details: dict[str, list]

    @property
    def are_there(self) -> bool:
        """Whether there are verdicts, and not nuggets alone."""
        nuggets = [nugget for row in self.rows for nugget in row.get("nuggets") or ()]
        return self.task != "nuggets" or any("assignment" in nugget for nugget in nuggets)


def _read(columns: Columns) -> _Verdicts:
    path, table = columns.path, columns.table
    found = None if table is None else _find_columns(table, columns.names)
    if found is None:
        has = "" if table is None else f"; it has: {', '.join(table.columns)}"
        raise FileError(
            path,
            "no columns are known to hold verdicts of claim_support: nuggets; answer2response, ...; statements; grade; or "
            f"importance and assignment, with {_BY_NUGGET}{has}",
        )
    kind, names = found
    columns.optional("ids")
    ids, details = columns.cells("ids"), columns.others(*names.values())
    rows = rows_of_table({of: table.columns[name] for of, name in names.items()})
    if kind == _BY_NUGGET:
        questions = _nuggets_of_questions(columns, ids, rows)
        kind, ids = "nuggets", list(questions)
        rows = [{"nuggets": [rows[number] for number in numbers]} for numbers in questions.values()]
        by_question = {
            name: [[cells[number] for number in numbers] for numbers in questions.values()]
            for name, cells in details.items()
        }
        details = {
            name: [cells[0] for cells in parts]
            for name, parts in by_question.items()
            if all(cell == cells[0] for cells in parts for cell in cells)
        }
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    columns.picked = {"verdicts": next(iter(names.values())), **columns.picked}
    return _Verdicts(kind, rows, ids, details)


def _nuggets_of_questions(columns: Columns, ids: Sequence[Any] | None, rows: Sequence[dict]) -> dict[Any, list[int]]:
    """The rows of the nuggets of each question, each nugget once; the text of a nugget is named as in JSON."""
    path = columns.path
    if ids is None:
        message = f"a table with {_BY_NUGGET} needs the ids of questions"
        raise FileError(path, f'{message}; name their column with columns={{"ids": "NAME"}}')
    questions: dict[Any, list[int]] = {}
    seen: dict[Any, int] = {}
    for number, (identifier, row) in enumerate(zip(ids, rows, strict=True)):
        if identifier is None or identifier == "":
            message = f"row {number}: the column {columns.picked['ids']} is empty"
            raise FileError(path, f"{message}; give every nugget the id of its question")
        questions.setdefault(identifier, []).append(number)
        text = row.pop("nugget", None)
        row |= {"text": text} if text else {}
        if text and (first := seen.setdefault((identifier, text), number)) != number:
            message = f"row {number}: duplicate {shown(text)} of the question {shown(identifier)}, as in row {first}"
            raise FileError(path, f"{message}; give each nugget once")
    return questions


def _columns(content: Content, names: Names) -> Columns:
    table = as_table(content.value, any_columns=True)
    return Columns(content.path, table, names, usual_roles(() if table is None else table.columns, {"ids": ID_NAMES}))


def _with_ids(ids: Sequence[Any] | None, field: str, values: list[Any]) -> list[Any]:
    return values if ids is None else rows_of_table({"id": ids, field: values})


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them."""
    columns = _columns(content, names)
    found = _read(columns)
    golds: list[Any] = [row.get("gold") or "" for row in found.rows]
    if found.task == "nuggets":
        fields = ("importance", "text")
        golds = [
            [{of: nugget[of] for of in fields if of in nugget} for nugget in row["nuggets"] or ()] for row in found.rows
        ]
    picked = columns.picked | ({"predictions": columns.picked["verdicts"]} if found.are_there else {})
    return Gold(
        content.path, f"verdicts_{found.task}", {"references": _with_ids(found.ids, "gold", golds)},
        {"task": found.task}, found.ids, found.details, picked, may_hold_predictions=found.are_there, compared="verdicts",
    )  # fmt: skip


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system."""
    path, columns = content.path, _columns(content, names)
    if path != gold.path and columns.table is not None:
        columns.names = names_here(path, columns.table, gold, names)
    found = _read(columns)
    requested = gold.options.get("task", found.task)
    if requested != found.task:
        of_gold = f", but {gold.path} has the task {requested}"
        also = f"; omit the option task={requested}" if path == gold.path else of_gold
        raise FileError(path, f"this has verdicts of the task {found.task}{also}")
    if not found.are_there:
        raise FileError(path, "this has nuggets without assignments; give a file with verdicts")
    if found.task == "claims":
        verdicts: list[Any] = [{name: cell for name, cell in row.items() if name != "gold"} for row in found.rows]
    elif found.task == "citations":
        verdicts = [None if row["statements"] is None else {"docs": None, **row} for row in found.rows]
    else:
        verdicts = [next(iter(row.values())) for row in found.rows]
    ids = None if found.ids is None else same_type(found.ids, gold.ids)
    picked = {role: name for role, name in columns.picked.items() if role == "ids"}
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
