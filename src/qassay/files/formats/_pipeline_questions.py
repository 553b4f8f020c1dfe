"""Tables with a row per question: retrieved and gold documents, the answers of a pipeline and the gold answers."""

from collections.abc import Mapping
from typing import Any

from ...core.answers import empty_golds
from ...core.columns import rows_of_table, spelled
from ...core.file_columns import Gold, Predictions
from ..columns import Columns, names_here
from ..content import Table
from ..reading import same_type
from ..tables import Names
from ._answers import gold_cells, ranked_cells
from ._documents import (
    check_joined_ids,
    details_of_questions,
    document_columns,
    gold_documents,
    question_columns,
    ranked_items,
)

QUESTIONS = "pipeline_table"  # the kind of gold file
_OTHER_NAMES = {"run": "documents", "predictions": "answers"}  # roles of other metrics -> those of this one
_RELEVANT = 1  # the grade from which a document is a gold document


def has_questions(table: Table, names: Names) -> bool:
    """Whether this is a table whose columns are named, or have the usual names of retrieved or of gold documents.

    Other tables have the columns that the format of pipelines takes as they are.
    """
    return bool(names or document_columns(table))


def _columns(path: str, table: Table, names: Names) -> Columns:
    """The columns by role. The name "answers" is the usual one of gold answers: beside "documents" a column of ranked
    answers may have it too.
    """
    names = {**{_OTHER_NAMES[role]: of for role, of in names.items() if role in _OTHER_NAMES}, **names}
    names = {role: of for role, of in names.items() if role not in _OTHER_NAMES}
    columns = question_columns(path, table, names)
    usual = {role: list(of) for role, of in columns.usual.items()}
    documents, answers = ([name for name in table.columns if spelled(name) == of] for of in ("documents", "answers"))
    references = columns.free("references")
    if len(references) > 1 and documents:
        references = [name for name in references if name not in answers]
    columns.usual = {
        **usual,
        "documents": documents + usual.get("run", []),
        "answers": usual.get("predictions") or usual.get("answer", []),
        "listed": answers if documents else [],
        "qrels": usual.get("qrels") or documents,
        "references": references,
    }
    return columns


def read_gold_questions(path: str, table: Table, names: Names) -> Gold:
    """Gold answers and gold documents of each question; of graded documents the grades from 1.

    Raises:
        FileError: unknown column, or several.
    """
    columns = _columns(path, table, names)
    columns.require("qrels")
    columns.require("references", "answer")
    columns.optional("ids")
    of_system = {"documents": columns.free("documents"), "answers": columns.free("answers", "listed")}
    taken = [name for found in of_system.values() for name in found]
    ids = columns.cells("ids")
    golds = gold_cells(path, table, columns.picked["references"], names.get("separator"))
    rows: dict[str, Any] = {} if ids is None else {"id": ids}
    rows["documents"] = [
        [name for name, grade in _graded(row) if grade >= _RELEVANT] for row in gold_documents(columns)
    ]
    rows["answers"] = [[cell] if isinstance(cell, str) else cell for cell in empty_golds(golds, path, ids)]
    if "is_impossible" in table.columns and not table.is_text:
        rows["is_impossible"] = table.columns["is_impossible"]
    details = details_of_questions(columns, *taken, "is_impossible")
    weights = columns.numbers("weights")
    given = {"references": rows_of_table(rows), **({} if weights is None else {"weights": weights})}
    for role, found in of_system.items():
        if len(found) == 1 or role in columns.names:  # each named column is a system
            columns.picked[role] = found[0] if len(found) == 1 else tuple(found)
    is_whole = all(of_system.values())
    return Gold(path, QUESTIONS, given, {}, ids, details, columns.picked, may_hold_predictions=is_whole)


def read_output_questions(path: str, table: Table, gold: Gold, names: Names) -> Predictions:
    """Retrieved documents and answers of each question: a list of ranked answers, or one; "" says that there is none.

    A question for which both are null is missing.

    Raises:
        FileError: unknown column, or several.
    """
    columns = _columns(path, table, names_here(path, table, gold, names))
    columns.optional("ids")
    columns.require("documents")
    columns.require("answers", "listed")
    documents, answers = ranked_items(columns, "documents"), columns.cells("answers") or []
    if table.is_text and ("answers" in names or spelled(columns.picked["answers"]) == "answers"):
        answers = ranked_cells(path, answers)
    answers = [[cell] if isinstance(cell, (str, Mapping)) else cell for cell in answers]
    ids = columns.cells("ids")
    rows: dict[str, Any] = {} if ids is None else {"id": same_type(ids, gold.ids)}
    rows |= {"documents": [row or [] for row in documents], "answers": [row or [] for row in answers]}
    is_given = [first is not None or second is not None for first, second in zip(documents, answers, strict=True)]
    outputs = [row if given else None for row, given in zip(rows_of_table(rows), is_given, strict=True)]
    if gold.kind == QUESTIONS:
        right = {row.get("id", index): row["documents"] for index, row in enumerate(gold.columns["references"])}
        pairs = zip(rows.get("id", range(len(documents))), rows["documents"], strict=True)
        check_joined_ids(gold.path, ((right[name], list(map(_id_of, row))) for name, row in pairs if name in right))
    if ids is not None:
        outputs = [row for row in outputs if row is not None]
    return Predictions(path, {"predictions": outputs}, names=columns.picked)


def _graded(row: Any) -> Any:
    return row.items() if isinstance(row, dict) else ((document, _RELEVANT) for document in row or ())


def _id_of(document: Any) -> Any:
    return document["id"] if isinstance(document, Mapping) else document
