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
_Row = dict[str, Any]  # what a cell says -> the cell


class _Layout(NamedTuple):
    """What the columns of a table of verdicts hold, and the option of the metric.

    Attributes:
        by_nugget: the table has a row per nugget.
    """

    task: str
    columns: tuple[str, ...]
    by_nugget: bool = False


# --- what the columns are ---------------------------------------------------------------------------------------------


_LAYOUTS = (  # the first whose columns exist counts
    _Layout("nuggets", ("nuggets",)),
    _Layout("citations", ("statements", "docs")),
    _Layout("nuggets", ("assignment", "importance", "nugget"), by_nugget=True),
    _Layout("grades", ("grade",)),
)
_NAMES = {  # what a column holds -> its usual names, where it has others; the rest of a layout may be absent
    "importance": ("importance", "vital"),
    "nugget": ("nugget", "text", "nugget_text"),
    "grade": ("grade", "grades"),
}
_OPTIONAL = {"docs", "nugget"}


def _layout_of(table: Table | None, names: Names) -> tuple[_Layout, dict[str, str]] | None:
    """What kind of table of verdicts this is, by its columns, and what a column holds -> its name; None if it is none."""
    if table is None:
        return None
    there = {spelled(name): name for name in reversed(list(table.columns))}
    fields = {name: there[name.lower()] for name in CLAIM_FIELDS if name.lower() in there}
    fields = {name: of for name, of in fields.items() if any(cell is not None for cell in table.columns[of])}
    if fields:
        gold = [there[name] for name in ("gt_answer_claims", "gold_claims") if name in there][:1]
        return _Layout("claims", CLAIM_FIELDS), {**fields, **({"gold": gold[0]} if gold else {})}
    if isinstance(names.get("predictions"), str) and names["predictions"] in table.columns:
        return _LAYOUTS[-1], {"grade": names["predictions"]}
    for layout in _LAYOUTS:
        usual = {of: _NAMES.get(of, (of,)) for of in layout.columns}
        found = {of: there[name] for of, names_of in usual.items() for name in names_of[::-1] if name in there}
        if found.keys() | _OPTIONAL >= usual.keys():
            is_certain = layout.by_nugget or layout.task == "grades"
            if is_certain or _holds_verdicts(table.columns[found[layout.columns[0]]]):
                return layout, found
    return None


def _holds_verdicts(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, as columns of nuggets and statements have."""
    items = [item for cell in cells if cell is not None for item in (cell if isinstance(cell, list) else [cell])]
    known = {"assignment", "importance", "citations"}
    return bool(items) and all(isinstance(item, Mapping) for item in items) and not known.isdisjoint(items[0])


# --- reading ----------------------------------------------------------------------------------------------------------


class _Read(NamedTuple):
    """The questions of a file: their ids, their rows, the columns by role, and the rows of each if it has several."""

    task: str
    table: Table
    ids: Sequence[Any] | None
    questions: list[_Row]
    columns: dict[str, str]
    id_column: dict[str, str]
    rows: list[list[int]] | None = None

    @property
    def has_verdicts(self) -> bool:
        """Whether there are verdicts, and not nuggets alone."""
        return self.task != "nuggets" or any(
            "assignment" in nugget for row in self.questions for nugget in row["nuggets"] or ()
        )


def _read(content: Content, names: Names) -> _Read:
    path, table = content.path, as_table(content.value, any_columns=True)
    found = _layout_of(table, names)
    if table is None or found is None:
        has = "" if table is None else f"; it has: {', '.join(table.columns)}"
        raise FileError(
            path,
            "no columns are known to hold verdicts of claim_support: nuggets; answer2response, ...; statements; grade; or "
            f"importance and assignment, with a row per nugget{has}",
        )
    layout, columns = found
    usual = [name for id_name in ID_NAMES for name in table.columns if spelled(name) == id_name]
    column = optional_column(path, table, "ids", usual, names)
    ids = None if column is None else table.columns[column]
    id_column = {} if column is None else {"ids": column}
    cells = zip(*(table.columns[name] for name in columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    if not layout.by_nugget:
        return _Read(layout.task, table, ids, rows, columns, id_column)
    if ids is None:
        message = "a table with a row per nugget needs the ids of questions"
        raise FileError(path, f'{message}; name their column with columns={{"ids": "NAME"}}')
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
    questions = [{"nuggets": [rows[number] for number in numbers]} for numbers in rows_of.values()]
    return _Read(layout.task, table, list(rows_of), questions, columns, id_column, list(rows_of.values()))


def _gold_of(task: str, row: _Row) -> Any:
    """What a row says of the question, beside the verdicts on an answer."""
    if task == "nuggets":
        fields = ("importance", "text")
        return [{name: nugget[name] for name in fields if name in nugget} for nugget in row["nuggets"] or ()]
    return row.get("gold") or ""


def _verdicts_of(task: str, row: _Row) -> Any:
    if task == "nuggets":
        return row["nuggets"]
    if task == "grades":
        return row["grade"]
    if task == "citations":
        return None if row["statements"] is None else {"statements": row["statements"], "docs": row.get("docs")}
    return {name: cell for name, cell in row.items() if name in CLAIM_FIELDS}


def _with_ids(ids: Sequence[Any] | None, field: str, values: list[Any]) -> list[Any]:
    if ids is None:
        return values
    return [{"id": identifier, field: value} for identifier, value in zip(ids, values, strict=True)]


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them.

    Raises:
        FileError: a nugget without its question or given twice.
    """
    found = _read(content, names)
    details = details_of(found.table, {*found.columns.values(), *found.id_column.values()})
    if found.rows is not None:  # the columns with one value per question
        details = {
            name: [cells[rows[0]] for rows in found.rows]
            for name, cells in details.items()
            if all(cells[row] == cells[rows[0]] for rows in found.rows for row in rows)
        }
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    column = next(iter(found.columns.values()))
    return Gold(
        content.path,
        f"verdicts_{found.task}",
        {"references": _with_ids(found.ids, "gold", [_gold_of(found.task, row) for row in found.questions])},
        {"task": found.task},
        found.ids,
        details,
        names={"verdicts": column, **found.id_column, **({"predictions": column} if found.has_verdicts else {})},
        may_hold_predictions=found.has_verdicts,
    )


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system.

    Raises:
        FileError: as `_read_gold`; the file has verdicts of another task, or none.
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
    ids = None if found.ids is None else same_type(found.ids, gold.ids)
    verdicts = [_verdicts_of(found.task, row) for row in found.questions]
    return Predictions(content.path, {"predictions": _with_ids(ids, "verdicts", verdicts)}, names=found.id_column)


def _has_both(table: Table | None) -> bool:
    found = _layout_of(table, {})
    return found is not None and found[0].task != "grades"


def _is_verdicts(value: Any, metric: str | None) -> bool:
    """Tables whose columns other tables may have too only where the metric is requested."""
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
