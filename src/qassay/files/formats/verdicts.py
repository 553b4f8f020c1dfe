"""Files of verdicts: JSON of the programs that give them, a row per question, and tables with a row per verdict."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...claim_support.claims import CLAIM_FIELDS
from ...claim_support.shown_verdicts import gold_texts
from ...core.columns import is_none, spelled
from ...core.file_columns import Gold, Predictions
from ...core.shown import shown
from ..content import Content, Table
from ..json_text import JsonError, read_json_cell
from ..reading import ID_NAMES, QUESTION_NAMES, FileError, same_type
from ..tables import Names, as_table, optional_column
from . import Format
from ._labels import details_of

METRIC = "claim_support"
VERDICT_TABLE = "verdicts"  # the kind of file, and the role of its column
_TEXT_NAMES = ("nugget", "claim", "statement", "text", "nugget_text", "claim_text")
_SIDE_NAMES = {
    "response": "response",
    "answer": "answer",
    "gold": "answer",
    "gt_answer": "answer",
    "reference": "answer",
}


class VerdictLayout(NamedTuple):
    """What the columns of a table of verdicts are.

    Attributes:
        task: the option of the metric.
        columns: what a column holds -> its name.
        per_verdict: whether a row is a verdict, and not a question.
        is_plain: its columns have names that other tables may have too.
    """

    task: str
    columns: dict[str, str]
    per_verdict: bool
    is_plain: bool


# task, columns that it needs, others, row per verdict, is plain; the first whose columns exist counts
_LAYOUTS: tuple[tuple[str, tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...], bool, bool], ...] = (
    ("nuggets", (("nuggets",),), (), False, False),
    ("citations", (("statements",),), (("docs",),), False, False),
    ("nuggets", (("assignment",), ("importance", "vital")), (_TEXT_NAMES,), True, False),
    (
        "claims",
        (("side", "claim_of"), ("verdict", "entailed")),
        (("retrieved", "documents", "docs"), _TEXT_NAMES),
        True,
        True,
    ),
    (
        "citations",
        (("citations",), ("entailed", "verdict")),
        (("alone",), ("without",), ("docs",), _TEXT_NAMES),
        True,
        True,
    ),
    ("grades", (("grade", "grades"),), (), False, True),
)


def _layout_of(table: Table | None, names: Names) -> VerdictLayout | None:
    """What kind of table of verdicts this is, by its columns; None if it is none."""
    if table is None:
        return None
    there = {spelled(name): name for name in reversed(list(table.columns))}
    fields = {name: there[name.lower()] for name in CLAIM_FIELDS if name.lower() in there}
    fields = {name: column for name, column in fields.items() if any(map(_is_there, table.columns[column]))}
    if fields:
        claims = next((there[name] for name in ("gt_answer_claims", "gold_claims") if name in there), None)
        return VerdictLayout("claims", {**fields, **({"gold": claims} if claims else {})}, False, False)
    named = names.get("predictions")
    if isinstance(named, str) and named in table.columns:
        return VerdictLayout("grades", {"grade": named}, False, True)
    for task, needed, others, per_verdict, is_plain in _LAYOUTS:
        found = {usual[0]: _first(usual, there) for usual in needed}
        if None not in found.values():
            found |= {usual[0]: _first(usual, there) for usual in others}
            columns = {what: name for what, name in found.items() if name is not None}
            layout = VerdictLayout(task, columns, per_verdict, is_plain)
            if per_verdict or is_plain or _holds_verdicts(table.columns[columns[next(iter(columns))]]):
                return layout
    return None


def _is_there(cell: Any) -> bool:
    return cell is not None


def _first(usual: Sequence[str], there: Mapping[str, str]) -> str | None:
    return next((there[name] for name in usual if name in there), None)


def _holds_verdicts(cells: Sequence[Any]) -> bool:
    """Whether a column has lists of dicts, told by the first, as columns of nuggets and statements have."""
    lists = [cell for cell in cells if cell is not None]
    first = next((item for cell in lists if isinstance(cell, list) for item in cell), None)
    return (
        isinstance(first, Mapping)
        and not first.keys().isdisjoint(("assignment", "importance", "citations"))
        and all(isinstance(cell, list) and all(isinstance(item, Mapping) for item in cell) for cell in lists)
    )


def _read_gold(content: Content, names: Names) -> Gold:
    """What belongs to the questions of a file of verdicts, which is a system too where it holds them.

    Raises:
        FileError: a verdict without its question, a row given twice, or a cell that cannot be read.
    """
    table, layout = _table_and_layout(content, names)
    ids, verdicts, golds, picked, rows_of = _read(content.path, table, layout, names)
    taken = {*layout.columns.values(), *picked.values()}
    details = details_of(table, taken)
    if rows_of is not None:
        details = {name: kept for name, cells in details.items() if (kept := _constant(cells, rows_of))}
    question = next((name for name in details if spelled(name) in QUESTION_NAMES), None)
    if question is not None:
        details = {"question": details.pop(question), **details}
    column = next(iter(layout.columns.values()))
    told = {VERDICT_TABLE: column, **picked, **({"predictions": column} if verdicts is not None else {})}
    return Gold(
        content.path,
        f"{VERDICT_TABLE}_{layout.task}",
        {"references": golds if ids is None else _with_ids(ids, "gold", golds)},
        {"task": layout.task},
        ids,
        details,
        names=told,
        may_hold_predictions=verdicts is not None,
    )


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """The verdicts on the answers of a system.

    Raises:
        FileError: as `_read_gold`; the file has verdicts of another task, or none.
    """
    names = {role: name for role, name in names.items() if role != "ids" or name in _columns_of(content)}
    table, layout = _table_and_layout(content, names)
    if gold.options.get("task", layout.task) != layout.task:
        told, asked = f"this has verdicts of the task {layout.task}", gold.options["task"]
        if content.path == gold.path:
            raise FileError(content.path, f"{told}; omit the option task={asked}")
        raise FileError(content.path, f"{told}, but {gold.path} has the task {asked}")
    ids, verdicts, _, picked, _ = _read(content.path, table, layout, names)
    if verdicts is None:
        raise FileError(content.path, "this has nuggets without assignments; give a file with verdicts")
    rows = verdicts if ids is None else _with_ids(same_type(ids, gold.ids), "verdicts", verdicts)
    return Predictions(content.path, {"predictions": rows}, names=picked)


def _columns_of(content: Content) -> Sequence[str]:
    table = as_table(content.value, any_columns=True)
    return () if table is None else list(table.columns)


def _table_and_layout(content: Content, names: Names) -> tuple[Table, VerdictLayout]:
    table = as_table(content.value, any_columns=True)
    layout = _layout_of(table, names)
    if table is None or layout is None:
        has = "" if table is None else f"; it has: {', '.join(table.columns)}"
        raise FileError(
            content.path,
            "no columns are known to hold verdicts of claim_support: nuggets; answer2response, ...; statements; grade; or, with a row per verdict, "
            f"importance and assignment, side and verdict, citations and entailed{has}",
        )
    return table, layout


def _read(
    path: str, table: Table, layout: VerdictLayout, names: Names
) -> tuple[Sequence[Any] | None, list[Any] | None, list[Any], dict[str, str], list[list[int]] | None]:
    """Ids, verdicts and gold data of the questions, role -> column, and the rows of each question if it has several."""
    usual = [name for wanted in ID_NAMES for name in table.columns if spelled(name) == wanted]
    column = optional_column(path, table, "ids", usual, names)
    ids = None if column is None else table.columns[column]
    picked = {} if column is None else {"ids": column}
    if not layout.per_verdict:
        verdicts, golds = _QUESTION_READERS[layout.task](path, table, layout)
        return ids, verdicts, golds, picked, None
    if ids is None:
        told = "a table with a row per verdict needs the ids of questions; name their column "
        raise FileError(path, f'{told}with columns={{"ids": "NAME"}}')
    rows_of: dict[Any, list[int]] = {}
    for row, identifier in enumerate(ids):
        if identifier is None or identifier == "":
            raise FileError(path, f"row {row}: the column {column} is empty; give every verdict the id of its question")
        rows_of.setdefault(identifier, []).append(row)
    _refuse_duplicates(path, table, layout, rows_of)
    pairs = [_VERDICT_READERS[layout.task](path, table, layout, rows) for rows in rows_of.values()]
    return list(rows_of), [verdicts for verdicts, _ in pairs], [gold for _, gold in pairs], picked, [*rows_of.values()]


def _refuse_duplicates(path: str, table: Table, layout: VerdictLayout, rows_of: Mapping[Any, list[int]]) -> None:
    texts, side = (layout.columns.get(what) for what in (_TEXT_NAMES[0], "side"))
    if texts is None:
        return
    for identifier, rows in rows_of.items():
        seen: dict[Any, int] = {}
        for row in rows:
            text = table.columns[texts][row]
            if text is None or text == "":
                continue
            first = seen.setdefault((text, None if side is None else table.columns[side][row]), row)
            if first != row:
                told = f"row {row}: duplicate {shown(text)} of the question {shown(identifier)}, as in row {first}"
                raise FileError(path, f"{told}; give each verdict once")


def _constant(cells: Sequence[Any], rows_of: Sequence[Sequence[int]]) -> list[Any] | None:
    """One value per question; None if a question has several."""
    firsts = [cells[rows[0]] for rows in rows_of]
    same = all(cells[row] == first for rows, first in zip(rows_of, firsts, strict=True) for row in rows)
    return firsts if same else None


def _with_ids(ids: Sequence[Any], field: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"id": identifier, field: value} for identifier, value in zip(ids, values, strict=True)]


# --- a row per question ----------------------------------------------------------------------------------------------


def _question_nuggets(path: str, table: Table, layout: VerdictLayout) -> tuple[list[Any] | None, list[Any]]:
    cells = table.columns[layout.columns["nuggets"]]
    golds = [[_nugget_gold(path, row, item) for item in cell or ()] for row, cell in enumerate(cells)]
    judged = any("assignment" in item for cell in cells for item in cell or ())
    return (cells if judged else None), golds


def _nugget_gold(path: str, row: int, item: Mapping[str, Any]) -> dict[str, Any]:
    if "importance" not in item:
        raise FileError(path, f"row {row}: a nugget has no 'importance'; give it as vital or okay")
    return {name: item[name] for name in ("importance", "text") if name in item}


def _question_claims(path: str, table: Table, layout: VerdictLayout) -> tuple[list[Any], list[Any]]:
    columns = {name: table.columns[layout.columns[name]] for name in CLAIM_FIELDS if name in layout.columns}
    verdicts = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if "gold" not in layout.columns:
        return verdicts, [""] * len(verdicts)
    return verdicts, ["" if cell is None else cell for cell in table.columns[layout.columns["gold"]]]


def _question_citations(path: str, table: Table, layout: VerdictLayout) -> tuple[list[Any], list[Any]]:
    cells = table.columns[layout.columns["statements"]]
    docs = table.columns[layout.columns["docs"]] if "docs" in layout.columns else [None] * len(cells)
    verdicts = [
        None if cell is None else {"statements": cell, "docs": of} for cell, of in zip(cells, docs, strict=True)
    ]
    return verdicts, [""] * len(verdicts)


def _question_grades(path: str, table: Table, layout: VerdictLayout) -> tuple[list[Any], list[Any]]:
    cells = table.columns[layout.columns["grade"]]
    return list(cells), [""] * len(cells)


# --- a row per verdict -----------------------------------------------------------------------------------------------


def _cells_of(table: Table, layout: VerdictLayout, what: str, rows: Sequence[int]) -> list[Any]:
    """The cells of a column of the layout; None for each if there is none."""
    column = table.columns[layout.columns[what]] if what in layout.columns else None
    return [None if column is None else column[row] for row in rows]


def _nugget_rows(path: str, table: Table, layout: VerdictLayout, rows: Sequence[int]) -> tuple[Any, Any]:
    given, importances = (_cells_of(table, layout, what, rows) for what in ("assignment", "importance"))
    texts = _cells_of(table, layout, _TEXT_NAMES[0], rows)
    golds = []
    for row, importance, text in zip(rows, importances, texts, strict=True):
        if importance is None or importance == "":
            raise FileError(path, f"row {row}: a nugget has no importance; give it as vital or okay")
        golds.append({"importance": importance, **({} if text is None else {"text": text})})
    return [{**gold, "assignment": verdict} for gold, verdict in zip(golds, given, strict=True)], golds


def _claim_rows(path: str, table: Table, layout: VerdictLayout, rows: Sequence[int]) -> tuple[Any, Any]:
    fields: dict[str, list[Any]] = {name: [] for name in CLAIM_FIELDS[: 4 if "retrieved" in layout.columns else 2]}
    texts: list[Any] = []
    columns = ("side", "verdict", "retrieved", _TEXT_NAMES[0])
    cells = (_cells_of(table, layout, what, rows) for what in columns)
    for row, side, verdict, retrieved, text in zip(rows, *cells, strict=True):
        of = _SIDE_NAMES.get(spelled(side))
        if of is None:
            told = f"row {row}: {shown(side)} in the column {layout.columns['side']} is not a side; known are: "
            raise FileError(path, told + ", ".join(_SIDE_NAMES))
        by_text, by_document = (
            (CLAIM_FIELDS[0], CLAIM_FIELDS[2]) if of == "response" else (CLAIM_FIELDS[1], CLAIM_FIELDS[3])
        )
        fields[by_text].append(verdict)
        if by_document in fields:
            fields[by_document].append(_list_cell(path, row, retrieved))
        texts += [text] if of == "answer" else []
    return fields, texts if texts and all(isinstance(text, str) for text in texts) else ""


def _citation_rows(path: str, table: Table, layout: VerdictLayout, rows: Sequence[int]) -> tuple[Any, Any]:
    cells = [_cells_of(table, layout, what, rows) for what in ("citations", "entailed", "alone", "without")]
    statements = []
    for row, cited, entailed, alone, without in zip(rows, *cells, strict=True):
        lists = (_list_cell(path, row, cell) or None for cell in (alone, without))
        citations = [_whole(path, row, cell) for cell in _list_cell(path, row, cited)]
        statements.append(
            dict(zip(("citations", "entailed", "alone", "without"), (citations, entailed, *lists), strict=True))
        )
    return {"statements": statements, "docs": _docs_of(path, table, layout, rows)}, ""


def _docs_of(path: str, table: Table, layout: VerdictLayout, rows: Sequence[int]) -> Any:
    """The documents of a question, or how many there are; None if no row says it."""
    cells = zip(rows, _cells_of(table, layout, "docs", rows), strict=True)
    given = [(row, _whole(path, row, cell)) for row, cell in cells if not is_none(cell) and cell != ""]
    for row, docs in given:
        if docs != given[0][1]:
            told = (
                f"row {row}: docs is {shown(docs)}, but {shown(given[0][1])} in row {given[0][0]} of the same question"
            )
            raise FileError(path, f"{told}; give one number of documents per question")
    return given[0][1] if given else None


def _list_cell(path: str, row: int, cell: Any) -> list[Any]:
    """The values of a cell: a list, JSON of one, or texts with ";", "," or blanks between, "" for one that is missing."""
    if is_none(cell) or cell == "":
        return []
    if isinstance(cell, (list, tuple)):
        return list(cell)
    if not isinstance(cell, str):
        return [cell]
    if not cell.lstrip().startswith("["):
        separator = next((mark for mark in (";", ",") if mark in cell), None)
        return [part.strip() for part in cell.split(separator)]
    try:
        return read_json_cell(cell)
    except (JsonError, ValueError, RecursionError):
        raise FileError(path, f"row {row}: {shown(cell)} is not a JSON list; write it as [1, 0] or 1;0") from None


def _whole(path: str, row: int, cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return int(cell.strip().strip("[]"))
    except ValueError:
        raise FileError(path, f"row {row}: {shown(cell)} is not the number of a document") from None


_Reader = Callable[[str, Table, VerdictLayout], tuple[Any, list[Any]]]
_QUESTION_READERS: dict[str, _Reader] = {
    "nuggets": _question_nuggets,
    "claims": _question_claims,
    "citations": _question_citations,
    "grades": _question_grades,
}
_VERDICT_READERS: dict[str, Callable[[str, Table, VerdictLayout, Sequence[int]], tuple[Any, Any]]] = {
    "nuggets": _nugget_rows,
    "claims": _claim_rows,
    "citations": _citation_rows,
}


def _is_verdicts(value: Any, metric: str | None) -> bool:
    """Tables whose columns other tables may have too only where the metric is requested."""
    table = as_table(value) if metric in (None, METRIC) else None
    layout = _layout_of(table, {})
    return metric == METRIC and table is not None or layout is not None and not layout.is_plain


def _has_both(table: Table) -> bool:
    layout = _layout_of(table, {})
    return layout is not None and not layout.is_plain


VERDICTS = Format(
    VERDICT_TABLE,
    "a table of verdicts",
    METRIC,
    _is_verdicts,
    order=10,
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    is_table=True,
    compared={f"{VERDICT_TABLE}_{task}": VERDICT_TABLE for task in ("nuggets", "claims", "citations", "grades")},
    has_both=_has_both,
    gold_cells=lambda gold: [tuple(gold_texts(row)) for row in gold.columns["references"]],
)
