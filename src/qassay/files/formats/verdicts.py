"""Verdicts on nuggets, claims, citations and answers: JSON of the programs that give them, or a table with a row per nugget."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...claim_support.claims import CLAIM_FIELDS
from ...core.columns import spelled
from ...core.file_columns import Gold, Predictions
from ...core.shown import shown
from ..content import Content, Table
from ..reading import ID_NAMES, QUESTION_NAMES, FileError, same_type
from ..tables import Names, as_table
from . import Format
from ._columns import Columns, names_here, rows_of

METRIC = "claim_support"
_BY_NUGGET = "a row per nugget"
# Kind of table -> what its columns hold and their usual names; all must be there but the optional ones, and the first kind
# whose columns are there counts.
_KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "nuggets": {"nuggets": ("nuggets",)},
    "citations": {"statements": ("statements",), "docs": ("docs",)},
    _BY_NUGGET: {
        "assignment": ("assignment",), "importance": ("importance", "vital"), "nugget": ("nugget", "text", "nugget_text"),
    },
    "grades": {"grade": ("grade", "grades")},
}  # fmt: skip
_OPTIONAL = {"docs", "nugget"}
_FIELDS_OF_ITEMS = {"assignment", "importance", "citations"}  # of nuggets and statements


def _find_columns(table: Table, names: Names) -> tuple[str, dict[str, str]] | None:
    """The kind of a table of verdicts, by its columns, and what a column holds -> its name; None if it is none."""
    there = {spelled(name): name for name in reversed(list(table.columns))}
    fields = {name: there[name.lower()] for name in CLAIM_FIELDS if name.lower() in there}
    if any(cell is not None for of in fields.values() for cell in table.columns[of]):
        fields = {name: of for name, of in fields.items() if any(cell is not None for cell in table.columns[of])}
        gold = [there[name] for name in ("gt_answer_claims", "gold_claims") if name in there][:1]
        return "claims", fields | ({"gold": gold[0]} if gold else {})
    if isinstance(names.get("predictions"), str) and names["predictions"] in table.columns:
        return "grades", {"grade": names["predictions"]}
    for kind, usual in _KINDS.items():
        found = {of: there[name] for of, names_of in usual.items() for name in names_of[::-1] if name in there}
        if found.keys() | _OPTIONAL >= usual.keys() and (
            kind not in ("nuggets", "citations") or _hold_items(table.columns[next(iter(found.values()))])
        ):
            return kind, found
    return None


def _hold_items(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, as columns of nuggets and statements have."""
    items = [item for cell in cells if cell is not None for item in (cell if isinstance(cell, list) else [cell])]
    return (
        bool(items) and all(isinstance(item, Mapping) for item in items) and not _FIELDS_OF_ITEMS.isdisjoint(items[0])
    )


def _read(columns: Columns) -> tuple[str, list[dict[str, Any]], Any, dict[str, list]]:
    """The task, what a column holds -> its cell of each question, the ids and the details of the questions."""
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
    ids: Sequence[Any] | None = columns.cells("ids")
    details = columns.others(*names.values())
    rows = rows_of({of: table.columns[name] for of, name in names.items()})
    if kind == _BY_NUGGET:
        if ids is None:
            message = f"a table with {_BY_NUGGET} needs the ids of questions"
            raise FileError(path, f'{message}; name their column with columns={{"ids": "NAME"}}')
        questions = _nuggets_of_questions(path, columns.picked["ids"], ids, rows)
        details = {
            name: [cells[numbers[0]] for numbers in questions.values()]
            for name, cells in details.items()
            if all(cells[number] == cells[numbers[0]] for numbers in questions.values() for number in numbers)
        }
        kind, ids = "nuggets", list(questions)
        rows = [{"nuggets": [rows[number] for number in numbers]} for numbers in questions.values()]
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    columns.picked = {"verdicts": next(iter(names.values())), **columns.picked}
    return kind, rows, ids, details


def _nuggets_of_questions(path: str, column: str, ids: Sequence[Any], rows: Sequence[dict]) -> dict[Any, list[int]]:
    """The rows of the nuggets of each question; the text of a nugget is named as in JSON.

    Raises:
        FileError: a nugget without its question, or given twice.
    """
    questions: dict[Any, list[int]] = {}
    seen: dict[Any, int] = {}
    for number, (identifier, row) in enumerate(zip(ids, rows, strict=True)):
        if identifier is None or identifier == "":
            message = f"row {number}: the column {column} is empty"
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
    there = () if table is None else table.columns
    ids = [name for id_name in ID_NAMES for name in there if spelled(name) == id_name]
    return Columns(content.path, table, names, {"ids": ids})


def _have_verdicts(task: str, rows: Sequence[dict[str, Any]]) -> bool:
    """Whether there are verdicts, and not nuggets alone."""
    return task != "nuggets" or any("assignment" in nugget for row in rows for nugget in row.get("nuggets") or ())


def _with_ids(ids: Sequence[Any] | None, field: str, values: list[Any]) -> list[Any]:
    return values if ids is None else rows_of({"id": ids, field: values})


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them."""
    columns = _columns(content, names)
    task, rows, ids, details = _read(columns)
    golds: list[Any] = [row.get("gold") or "" for row in rows]
    if task == "nuggets":
        fields = ("importance", "text")
        golds = [[{of: nugget[of] for of in fields if of in nugget} for nugget in row["nuggets"] or ()] for row in rows]
    have_verdicts = _have_verdicts(task, rows)
    picked = columns.picked | ({"predictions": columns.picked["verdicts"]} if have_verdicts else {})
    return Gold(
        content.path, f"verdicts_{task}", {"references": _with_ids(ids, "gold", golds)}, {"task": task}, ids, details,
        picked, may_hold_predictions=have_verdicts,
    )  # fmt: skip


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system.

    Raises:
        FileError: the file has verdicts of another task, or none.
    """
    path, columns = content.path, _columns(content, names)
    if path != gold.path and columns.table is not None:
        columns.names = names_here(path, columns.table, gold, names)
    task, rows, ids, _ = _read(columns)
    requested = gold.options.get("task", task)
    if requested != task:
        of_gold = f", but {gold.path} has the task {requested}"
        also = f"; omit the option task={requested}" if path == gold.path else of_gold
        raise FileError(path, f"this has verdicts of the task {task}{also}")
    if not _have_verdicts(task, rows):
        raise FileError(path, "this has nuggets without assignments; give a file with verdicts")
    if task == "claims":
        verdicts: list[Any] = [{name: cell for name, cell in row.items() if name != "gold"} for row in rows]
    elif task == "citations":
        verdicts = [None if row["statements"] is None else {"docs": None, **row} for row in rows]
    else:
        verdicts = [next(iter(row.values())) for row in rows]
    ids = None if ids is None else same_type(ids, gold.ids)
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
    compared={f"verdicts_{task}": "verdicts" for task in ("nuggets", "claims", "citations", "grades")},
    has_both=_has_both,
)
