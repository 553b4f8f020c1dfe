"""Tables with a row per question: retrieved and gold documents, the answers of a pipeline and the gold answers."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ...core.answers import empty_golds
from ...core.columns import spelled
from ...core.file_columns import Gold, Predictions
from ..content import Table
from ..reading import same_type
from ..tables import Names, each_column, optional_column, pick_column, roles_of
from ._answers import gold_cells, ranked_cell
from ._documents import gold_documents, lists_of, others_of, ranked_items, refuse_joined_ids

QUESTIONS = "pipeline_table"  # the kind of gold file
_OTHER_NAMES = {"documents": "run", "answers": "predictions"}  # roles whose columns serve where these have none
_RELEVANT = 1  # the grade from which a document is a gold document


def has_questions(table: Table, names: Names) -> bool:
    """Whether this is a table whose columns are named, or have the usual names of retrieved or of gold documents.

    Other tables have the columns that the format of pipelines takes as they are.
    """
    return bool(names or lists_of(table, {}))


def read_gold_questions(path: str, table: Table, names: Names) -> Gold:
    """Gold answers and gold documents of each question; of graded documents the grades from 1.

    Raises:
        FileError: unknown column, or several.
    """
    picked: dict[str, Any] = {"qrels": _gold_documents_column(path, table, names)}
    picked["references"] = _references_column(path, table, {**names, **picked})
    picked |= _ids_column(path, table, {**names, **picked})
    of_system = {role: _candidates(table, role, {**names, **picked}) for role in _OTHER_NAMES}
    picked |= {
        role: _one_or_all(found) for role, found in of_system.items() if len(found) == 1 or _is_named(role, names)
    }
    rows: dict[str, Sequence[Any]] = {"id": table.columns[picked["ids"]]} if "ids" in picked else {}
    rows["documents"] = list(map(_gold_ids, gold_documents(path, table, picked["qrels"], names)))
    golds = gold_cells(path, table, picked["references"], names.get("separator"))
    golds = empty_golds(golds, path, rows.get("id"))
    rows["answers"] = [[cell] if isinstance(cell, str) else cell for cell in golds]
    if "is_impossible" in table.columns and not table.is_text:
        rows["is_impossible"] = table.columns["is_impossible"]
    columns: dict[str, Any] = {"references": _rows(rows)}
    weights, details = others_of(path, table, [*chain(*of_system.values()), "is_impossible"], names, picked)
    if weights is not None:
        columns["weights"] = weights
    return Gold(
        path, QUESTIONS, columns, {}, rows.get("id"), details, names=picked,
        may_hold_predictions=all(of_system.values()),
    )  # fmt: skip


def read_output_questions(path: str, table: Table, gold: Gold, names: Names) -> Predictions:
    """Retrieved documents and answers of each question: a list of ranked answers, or one; "" says that there is none.

    A question for which both are null is missing.

    Raises:
        FileError: unknown column, or several.
    """
    if path == gold.path:
        names = {**{role: name for role, name in gold.names.items() if _OTHER_NAMES.get(role) not in names}, **names}
    names = {role: name for role, name in names.items() if name in table.columns or gold.names.get(role) != name}
    picked = _ids_column(path, table, names)
    picked |= {role: _pick(path, table, role, {**names, **picked}) for role in _OTHER_NAMES}
    rows: dict[str, Sequence[Any]] = {}
    if "ids" in picked:
        rows["id"] = same_type(table.columns[picked["ids"]], gold.ids)
    documents = ranked_items(path, table, picked["documents"], names)
    is_text = table.is_text and (spelled(picked["answers"]) == "answers" or "answers" in names)
    cells = table.columns[picked["answers"]]
    if is_text:
        cells = [ranked_cell(cell, row, path, None) for row, cell in enumerate(cells)]
    answers = [[cell] if isinstance(cell, (str, Mapping)) else cell for cell in cells]
    is_missing = [first is None and second is None for first, second in zip(documents, answers, strict=True)]
    rows |= {"documents": [row or [] for row in documents], "answers": [row or [] for row in answers]}
    outputs = [None if missing else row for row, missing in zip(_rows(rows), is_missing, strict=True)]
    if gold.kind == QUESTIONS:
        right = {row.get("id", index): row["documents"] for index, row in enumerate(gold.columns["references"])}
        pairs = zip(rows.get("id", range(len(documents))), rows["documents"], strict=True)
        refuse_joined_ids(gold.path, ((right[name], list(map(_id_of, row))) for name, row in pairs if name in right))
    if "ids" in picked:
        outputs = [row for row in outputs if row is not None]
    return Predictions(path, {"predictions": outputs}, names=picked)


def _is_named(role: str, names: Names) -> bool:
    return not names.keys().isdisjoint((role, _OTHER_NAMES[role]))


def _one_or_all(columns: Sequence[str]) -> str | tuple[str, ...]:
    return columns[0] if len(columns) == 1 else tuple(columns)


def _pick(path: str, table: Table, role: str, names: Names) -> str:
    other = _OTHER_NAMES[role]
    if role not in names and other in names:
        return pick_column(path, table, other, (), names)
    return pick_column(path, table, role, _candidates(table, role, names), names)


def _candidates(table: Table, role: str, names: Names) -> list[str]:
    """The columns that could hold the documents, or the answers, of a system.

    The name "answers" is the usual one of gold answers: beside "documents" a column of ranked answers may have it too.
    """
    if _is_named(role, names):
        return each_column([names[role] if role in names else names[_OTHER_NAMES[role]]])
    taken = set(each_column(names.values()))
    named = [name for name in table.columns if spelled(name) == role and name not in taken]
    if role == "documents":
        return named + lists_of(table, names).get("run", [])
    usual = roles_of(table)
    answers = [name for name in usual.get("predictions", []) or usual.get("answer", []) if name not in taken]
    return answers or [name for name in named if "documents" in map(spelled, table.columns)]


def _gold_documents_column(path: str, table: Table, names: Names) -> str:
    usual = lists_of(table, names).get("qrels", [])
    named = [name for name in table.columns if spelled(name) == "documents" and name not in names.values()]
    return pick_column(path, table, "qrels", usual or named, names)


def _references_column(path: str, table: Table, names: Names) -> Any:
    usual, there = roles_of(table), set(map(spelled, table.columns))
    candidates = [name for name in usual.get("references", ()) if name not in names.values()]
    if len(candidates) > 1 and "documents" in there:
        candidates = [name for name in candidates if spelled(name) != "answers"]
    return pick_column(path, table, "references", candidates or usual.get("answer", []), names)


def _ids_column(path: str, table: Table, names: Names) -> dict[str, str]:
    column = optional_column(path, table, "ids", roles_of(table).get("ids", ()), names)
    return {} if column is None else {"ids": column}


def _gold_ids(row: Any) -> list[Any]:
    graded = row.items() if isinstance(row, dict) else ((document, _RELEVANT) for document in row or ())
    return [document for document, grade in graded if grade >= _RELEVANT]


def _id_of(document: Any) -> Any:
    return document["id"] if isinstance(document, Mapping) else document


def _rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
