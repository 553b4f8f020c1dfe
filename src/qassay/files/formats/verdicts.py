"""Verdicts on nuggets, claims, citations and answers: JSON of the programs that give them, a row per question or per verdict."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...claim_support.claims import CLAIM_FIELDS
from ...core.columns import is_none, spelled
from ...core.file_columns import Gold, Predictions
from ...core.shown import shown
from ..content import Content, Table
from ..reading import ID_NAMES, QUESTION_NAMES, FileError, same_type
from ..tables import Names, as_table, optional_column
from . import Format
from ._label_cells import list_cell
from ._labels import details_of

METRIC = "claim_support"
_TEXTS = ("nugget", "claim", "statement", "text", "nugget_text", "claim_text")
_SIDES = {"response": "response", **dict.fromkeys(("answer", "gold", "gt_answer", "reference"), "answer")}
_Cells = Mapping[str, Any]  # what a cell says -> the cell
_Row = tuple[int, _Cells]  # with the number of the row


# --- a row per question: (file, row, cells) -> verdicts, gold data ----------------------------------------------------


def _nuggets(path: str, row: int, cells: _Cells) -> tuple[Any, Any]:
    fields = "importance", "text"
    golds = [{name: nugget[name] for name in fields if name in nugget} for nugget in cells["nuggets"] or ()]
    return cells["nuggets"], golds


def _claims(path: str, row: int, cells: _Cells) -> tuple[Any, Any]:
    gold = cells.get("gold")
    return {name: cell for name, cell in cells.items() if name != "gold"}, "" if gold is None else gold


def _citations(path: str, row: int, cells: _Cells) -> tuple[Any, Any]:
    statements = cells["statements"]
    return None if statements is None else {"statements": statements, "docs": cells.get("docs")}, ""


def _grades(path: str, row: int, cells: _Cells) -> tuple[Any, Any]:
    return cells["grade"], ""


# --- a row per verdict: (file, the rows of a question) -> verdicts, gold data -----------------------------------------


def _nugget_rows(path: str, rows: Sequence[_Row]) -> tuple[Any, Any]:
    golds = []
    for _, cells in rows:
        text = cells.get("nugget")
        golds.append({"importance": cells["importance"], **({} if text is None else {"text": text})})
    return [{**gold, "assignment": cells["assignment"]} for gold, (_, cells) in zip(golds, rows, strict=True)], golds


def _claim_rows(path: str, rows: Sequence[_Row]) -> tuple[Any, Any]:
    has_documents = "retrieved" in rows[0][1]
    fields: dict[str, list[Any]] = {name: [] for name in CLAIM_FIELDS[: 4 if has_documents else 2]}
    texts = []
    for row, cells in rows:
        side = _SIDES.get(spelled(cells["side"]))
        if side is None:
            raise FileError(
                path,
                f"row {row}: {shown(cells['side'])} in the column side is not known; sides are: {', '.join(_SIDES)}",
            )
        number = int(side == "answer")
        fields[CLAIM_FIELDS[number]].append(cells["verdict"])
        if has_documents:
            fields[CLAIM_FIELDS[2 + number]].append(_list_cell(path, row, cells["retrieved"]))
        texts += [cells.get("nugget")] if number else []
    return fields, texts if texts and all(isinstance(text, str) for text in texts) else ""


def _citation_rows(path: str, rows: Sequence[_Row]) -> tuple[Any, Any]:
    statements, docs, first = [], None, -1
    for row, cells in rows:
        statement = {name: _list_cell(path, row, cells.get(name)) or None for name in ("alone", "without")}
        cited = [_whole(cell) for cell in _list_cell(path, row, cells["citations"])]
        statements.append({"citations": cited, "entailed": cells["entailed"], **statement})
        if is_none(cells.get("docs")) or cells["docs"] == "":
            continue
        number = _whole(cells["docs"])
        if first >= 0 and number != docs:
            message = f"row {row}: docs is {shown(number)}, but {shown(docs)} in row {first} of the same question"
            raise FileError(path, f"{message}; give one number of documents per question")
        docs, first = number, row if first < 0 else first
    return {"statements": statements, "docs": docs}, ""


def _list_cell(path: str, row: int, cell: Any) -> list[Any]:
    """The values of a cell: a list, JSON of one, or texts with ";", "," or blanks between, "" for one that is missing."""
    if is_none(cell) or cell == "":
        return []
    if not isinstance(cell, str):
        return list(cell) if isinstance(cell, (list, tuple)) else [cell]
    if cell.lstrip().startswith("["):
        return list_cell(path, row, cell, "values; write it as [1, 0] or 1;0")
    separator = next((mark for mark in (";", ",") if mark in cell), None)
    return [part.strip() for part in cell.split(separator)]


def _whole(cell: Any) -> Any:
    """The number in a cell of text; anything else as it is, for scoring to refuse."""
    digits = cell.strip().strip("[]") if isinstance(cell, str) else ""
    return int(digits) if digits.isdecimal() else cell


# --- what the columns are ---------------------------------------------------------------------------------------------


class _Layout(NamedTuple):
    """What the columns of a table of verdicts are.

    Attributes:
        task: the option of the metric.
        needed, others: the usual names of columns, the first of which says what they hold.
        read: of one row per question; read_rows: of one row per verdict.
        is_plain: its columns have names that other tables may have too.
        columns: what a column holds -> its name.
    """

    task: str
    needed: tuple[tuple[str, ...], ...]
    others: tuple[tuple[str, ...], ...] = ()
    read: Callable[[str, int, _Cells], tuple[Any, Any]] | None = None
    read_rows: Callable[[str, Sequence[_Row]], tuple[Any, Any]] | None = None
    is_plain: bool = False
    columns: Mapping[str, str] = {}


_VERDICTS = ("verdict", "entailed")
_CLAIMS = _Layout("claims", (), read=_claims)
_GRADES = _Layout("grades", (("grade", "grades"),), read=_grades, is_plain=True)
_LAYOUTS = (  # the first whose columns exist counts
    _Layout("nuggets", (("nuggets",),), read=_nuggets),
    _Layout("citations", (("statements",),), (("docs",),), read=_citations),
    _Layout("nuggets", (("assignment",), ("importance", "vital")), (_TEXTS,), read_rows=_nugget_rows),
    _Layout("claims", (("side", "claim_of"), _VERDICTS), (("retrieved", "documents", "docs"), _TEXTS),
            read_rows=_claim_rows, is_plain=True),
    _Layout("citations", (("citations",), ("entailed", "verdict")), (("alone",), ("without",), ("docs",), _TEXTS),
            read_rows=_citation_rows, is_plain=True),
    _GRADES,
)  # fmt: skip


def _layout_of(table: Table | None, names: Names) -> _Layout | None:
    """What kind of table of verdicts this is, by its columns; None if it is none."""
    if table is None:
        return None
    there = {spelled(name): name for name in reversed(list(table.columns))}
    fields = {name: there[name.lower()] for name in CLAIM_FIELDS if name.lower() in there}
    fields = {
        name: column for name, column in fields.items() if any(cell is not None for cell in table.columns[column])
    }
    if fields:
        gold = [there[name] for name in ("gt_answer_claims", "gold_claims") if name in there][:1]
        return _CLAIMS._replace(columns={**fields, **dict.fromkeys(["gold"] * len(gold), *gold)} if gold else fields)
    named = names.get("predictions")
    if isinstance(named, str) and named in table.columns:
        return _GRADES._replace(columns={"grade": named})
    for layout in _LAYOUTS:
        found = {
            usual[0]: there[name] for usual in (*layout.needed, *layout.others) for name in usual[::-1] if name in there
        }
        if all(usual[0] in found for usual in layout.needed):
            first = table.columns[found[layout.needed[0][0]]]
            if layout.read_rows or layout.is_plain or _holds_verdicts(first):
                return layout._replace(columns=found)
    return None


def _holds_verdicts(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, told by the first, as columns of nuggets and statements have."""
    lists = [cell for cell in cells if cell is not None]
    first = next((item for cell in lists if isinstance(cell, list) for item in cell), None)
    return (
        isinstance(first, Mapping)
        and not first.keys().isdisjoint(("assignment", "importance", "citations"))
        and all(isinstance(cell, list) and all(isinstance(item, Mapping) for item in cell) for cell in lists)
    )


class _Read(NamedTuple):
    """The questions of a file: their ids, verdicts and gold data, the column of ids, and the rows of each if it has several."""

    layout: _Layout
    table: Table
    ids: Sequence[Any] | None
    verdicts: list[Any] | None
    golds: list[Any]
    picked: dict[str, str]
    rows: list[list[int]] | None


def _read(content: Content, names: Names) -> _Read:
    path, table = content.path, as_table(content.value, any_columns=True)
    layout = _layout_of(table, names)
    if table is None or layout is None:
        has = "" if table is None else f"; it has: {', '.join(table.columns)}"
        raise FileError(
            path,
            "no columns are known to hold verdicts of claim_support: nuggets; answer2response, ...; statements; grade; or, with "
            f"a row per verdict, importance and assignment, side and verdict, citations and entailed{has}",
        )
    usual = [name for id_name in ID_NAMES for name in table.columns if spelled(name) == id_name]
    column = optional_column(path, table, "ids", usual, names)
    ids = None if column is None else table.columns[column]
    picked = {} if column is None else {"ids": column}
    cells = zip(*(table.columns[name] for name in layout.columns.values()), strict=True)
    rows = [dict(zip(layout.columns, row, strict=True)) for row in cells]
    if layout.read is not None:
        pairs = [layout.read(path, number, row) for number, row in enumerate(rows)]
        judged = layout.read is not _nuggets or any(
            "assignment" in item for row in rows for item in row["nuggets"] or ()
        )
        verdicts = [verdict for verdict, _ in pairs] if judged else None
        return _Read(layout, table, ids, verdicts, [gold for _, gold in pairs], picked, None)
    if ids is None:
        message = "a table with a row per verdict needs the ids of questions; name their column "
        raise FileError(path, f'{message}with columns={{"ids": "NAME"}}')
    rows_of: dict[Any, list[int]] = {}
    seen: dict[Any, int] = {}
    for number, (identifier, row) in enumerate(zip(ids, rows, strict=True)):
        if identifier is None or identifier == "":
            raise FileError(
                path, f"row {number}: the column {column} is empty; give every verdict the id of its question"
            )
        rows_of.setdefault(identifier, []).append(number)
        text = next((row[name] for name in ("nugget", "claim") if name in row), None)
        first = number if text in (None, "") else seen.setdefault((identifier, text, row.get("side")), number)
        if first != number:
            message = f"row {number}: duplicate {shown(text)} of the question {shown(identifier)}, as in row {first}"
            raise FileError(path, f"{message}; give each verdict once")
    assert layout.read_rows is not None
    pairs = [layout.read_rows(path, [(number, rows[number]) for number in numbers]) for numbers in rows_of.values()]
    verdicts = [verdict for verdict, _ in pairs]
    return _Read(layout, table, list(rows_of), verdicts, [gold for _, gold in pairs], picked, [*rows_of.values()])


def _with_ids(ids: Sequence[Any] | None, field: str, values: list[Any]) -> list[Any]:
    if ids is None:
        return values
    return [{"id": identifier, field: value} for identifier, value in zip(ids, values, strict=True)]


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them.

    Raises:
        FileError: a verdict without its question, a row given twice, or a cell that cannot be read.
    """
    found = _read(content, names)
    details = details_of(found.table, {*found.layout.columns.values(), *found.picked.values()})
    if found.rows is not None:  # the columns with one value per question
        details = {
            name: [cells[rows[0]] for rows in found.rows]
            for name, cells in details.items()
            if all(cells[row] == cells[rows[0]] for rows in found.rows for row in rows)
        }
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    column = next(iter(found.layout.columns.values()))
    picked = {"verdicts": column, **found.picked, **({"predictions": column} if found.verdicts is not None else {})}
    return Gold(
        content.path,
        f"verdicts_{found.layout.task}",
        {"references": _with_ids(found.ids, "gold", found.golds)},
        {"task": found.layout.task},
        found.ids,
        details,
        names=picked,
        may_hold_predictions=found.verdicts is not None,
    )


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system.

    Raises:
        FileError: as `_read_gold`; the file has verdicts of another task, or none.
    """
    table = as_table(content.value, any_columns=True)
    columns = () if table is None else table.columns
    found = _read(content, {role: name for role, name in names.items() if role != "ids" or name in columns})
    task, requested = found.layout.task, gold.options.get("task", found.layout.task)
    if requested != task:
        also = (
            f"; omit the option task={requested}"
            if content.path == gold.path
            else f", but {gold.path} has the task {requested}"
        )
        raise FileError(content.path, f"this has verdicts of the task {task}{also}")
    if found.verdicts is None:
        raise FileError(content.path, "this has nuggets without assignments; give a file with verdicts")
    ids = None if found.ids is None else same_type(found.ids, gold.ids)
    return Predictions(content.path, {"predictions": _with_ids(ids, "verdicts", found.verdicts)}, names=found.picked)


def _has_both(table: Table | None) -> bool:
    layout = _layout_of(table, {})
    return layout is not None and not layout.is_plain


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
