"""Tables with a row per question: retrieved and gold documents, and of pipelines the answers and the gold answers too."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.answers import empty_golds
from ...core.columns import rows_of_table, spelled
from ...core.file_columns import Gold, Predictions
from ...retrieval_ranking.fields import ranking_roles, score_role
from ..columns import Columns, names_here
from ..content import Table
from ..reading import same_type
from ..same_gold import first_difference
from ..tables import Names
from ._answers import gold_cells, ranked_cells
from ._documents import (
    check_joined_ids,
    document_columns,
    gold_documents,
    question_columns,
    ranked_items,
    retrieved_documents,
)

RANKED, ANSWERED = "ranking_questions", "pipeline_table"  # the kinds of gold files
_OTHER_NAMES = {"run": "documents", "predictions": "answers"}  # roles of other metrics -> those of pipelines
_OF_SYSTEM = ("predictions", "answer", "no_answer_probabilities")
_RELEVANT = 1  # the grade from which a document is a gold document of a pipeline


def _gold(
    columns: Columns,
    kind: str,
    ids: Any,
    references: Any,
    of_system: Mapping[str, Sequence[str]],
    *no_details: str,
    **more: Any,
) -> Gold:
    """The gold data of a table, with the columns that describe its questions.

    Args:
        of_system: role -> the columns beside the gold data that could serve a system; the only one is picked, or all that
            the user named.
        no_details: further columns that do not describe the questions.
    """
    columns.optional("weights", "questions")
    question, weights = columns.picked.pop("questions", ""), columns.numbers("weights")
    found = [name for role in _OF_SYSTEM for name in (*columns.usual.get(role, ()), *columns.free(role))]
    details = columns.others(question, *no_details, *found, *(name for names in of_system.values() for name in names))
    if question:
        details = {"question": columns.table.columns[question], **details}
    for role, names in of_system.items():
        if len(names) == 1 or names and role in columns.names:
            columns.picked[role] = names[0] if len(names) == 1 else tuple(names)
    given = {"references": references} | ({} if weights is None else {"weights": weights})
    return Gold(
        columns.path, kind, given, {}, ids, details, columns.picked, why_no_detail=columns.why_no_detail, **more
    )


# --- rankings --------------------------------------------------------------------------------------------------------


def read_gold_ranking(path: str, table: Table, names: Names) -> Gold:
    """The gold documents of each question; null means the question is unjudged.

    A question without an id gets its row number. Columns of a system (answers, probabilities) are not details.

    Raises:
        FileError: unknown column, or several; a duplicate id; a cell that is not a list of documents.
    """
    columns = _ranking_columns(path, table, names)
    columns.require("qrels")
    ids, retrieved = _ids(columns), columns.free("run")
    rows = dict(zip(ids, gold_documents(columns), strict=True))
    references = {identifier: row for identifier, row in rows.items() if row is not None}
    gold = _gold(
        columns, RANKED, ids, references, {"run": retrieved},
        may_hold_predictions=bool(retrieved), compared="qrels", difference=_difference,
    )  # fmt: skip
    if "weights" in gold.columns:
        weights = zip(ids, gold.columns["weights"], strict=True)
        gold.columns["weights"] = {name: number for name, number in weights if name in references}
    return gold


def read_ranking(path: str, table: Table, gold: Gold, names: Names) -> Predictions:
    """The retrieved documents of each question; where it is null, the system did not rank the question.

    Raises:
        FileError: as `read_gold_ranking`, and if questions cannot be distinguished by id or by row.
    """
    columns = _ranking_columns(path, table, names_here(path, table, gold, names))
    columns.require("run")
    ids = _ids(columns)
    if gold.kind != RANKED or "ids" in gold.names:
        if "ids" not in columns.picked:
            raise ValueError('no column has the ids of the questions; say which with columns={"ids": "NAME"}')
    elif "ids" in columns.picked:
        found = f"the questions here have ids (the column {columns.picked['ids']}), but not in {gold.path}"
        raise ValueError(f"{found}; give both files ids, or omit them in both")
    elif len(ids) != len(gold.ids or ()):
        found = f"there are {len(ids)} rows here, but {len(gold.ids or ())} in {gold.path}"
        raise ValueError(f"{found}; give a row per question, or a column of ids in both")
    lower_is_better = bool(gold.options.get("lower_is_better"))
    field = columns.names.get("score", "")
    if score_role(ranking_roles([field]), lower_is_better) == "rank" and not lower_is_better:
        found = f"the field {field} has ranks, of which the lowest is best"
        raise ValueError(f'{found}; documents rank in the order of the list: omit "score" from columns')
    rows = retrieved_documents(columns, lower_is_better=lower_is_better)
    run = {name: row for name, row in zip(ids, rows, strict=True) if row is not None}
    if gold.kind == RANKED:
        references = gold.columns["references"]
        check_joined_ids(gold.path, ((references[name], row) for name, row in run.items() if name in references))
    return Predictions(path, {"predictions": run}, names=columns.picked)


def _difference(found: Gold, gold: Gold) -> str | None:
    """The first question with other gold documents or grades, whatever their layout; questions without ids by row."""
    keys = [
        [None if row is None else _judged(row) for row in map(of.columns["references"].get, of.ids or ())]
        for of in (found, gold)
    ]
    found, gold = (of if "ids" in of.names else dataclasses.replace(of, ids=None) for of in (found, gold))
    return first_difference(found, gold, *keys)


def _judged(row: Any) -> frozenset[tuple[str, float]]:
    return frozenset((str(document), float(row[document]) if isinstance(row, dict) else 1.0) for document in row)


def _ranking_columns(path: str, table: Table, names: Names) -> Columns:
    columns = question_columns(path, table, {"ids": names["query"], **names} if "query" in names else names)
    columns.optional("ids")
    return columns


def _ids(columns: Columns) -> Sequence[Any]:
    """The id of each row; its number if there is none."""
    return columns.unique_ids() or range(len(next(iter(columns.table.columns.values()))))


# --- pipelines -------------------------------------------------------------------------------------------------------


def has_questions(table: Table, names: Names) -> bool:
    """Whether the user named columns of this table, or they have the usual names of retrieved or gold documents.

    Other tables have the columns that the format of pipelines takes as they are.
    """
    return bool(names or document_columns(table))


def _pipeline_columns(path: str, table: Table, names: Names) -> Columns:
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
    columns.optional("ids")
    return columns


def read_gold_pipeline(path: str, table: Table, names: Names) -> Gold:
    """Gold answers and gold documents of each question; of graded documents the grades from 1.

    Raises:
        FileError: unknown column, or several.
    """
    columns = _pipeline_columns(path, table, names)
    columns.require("qrels")
    columns.require("references", "answer")
    of_system = {"documents": columns.free("documents"), "answers": columns.free("answers", "listed")}
    ids = columns.cells("ids")
    golds = gold_cells(table, columns.picked["references"], names.get("separator"))
    rows: dict[str, Any] = {} if ids is None else {"id": ids}
    rows["documents"] = [
        [name for name in row or () if not isinstance(row, dict) or row[name] >= _RELEVANT]
        for row in gold_documents(columns)
    ]
    rows["answers"] = [[cell] if isinstance(cell, str) else cell for cell in empty_golds(golds, path, ids)]
    if "is_impossible" in table.columns and not table.is_text:
        rows["is_impossible"] = table.columns["is_impossible"]
    return _gold(
        columns, ANSWERED, ids, rows_of_table(rows), of_system, "is_impossible",
        may_hold_predictions=all(of_system.values()), compared="references",
    )  # fmt: skip


def read_pipeline(path: str, table: Table, gold: Gold, names: Names) -> Predictions:
    """Retrieved documents and answers of each question: a list of ranked answers, or one; "" means no answer.

    A question for which both are null is missing.

    Raises:
        FileError: unknown column, or several.
    """
    columns = _pipeline_columns(path, table, names_here(path, table, gold, names))
    columns.require("documents")
    columns.require("answers", "listed")
    documents, answers = ranked_items(columns), columns.cells("answers") or []
    if table.is_text and ("answers" in names or spelled(columns.picked["answers"]) == "answers"):
        answers = ranked_cells(answers)
    answers = [[cell] if isinstance(cell, (str, Mapping)) else cell for cell in answers]
    ids = columns.cells("ids")
    rows: dict[str, Any] = {} if ids is None else {"id": same_type(ids, gold.ids)}
    rows |= {"documents": [row or [] for row in documents], "answers": [row or [] for row in answers]}
    is_given = [first is not None or second is not None for first, second in zip(documents, answers, strict=True)]
    outputs = [row if given else None for row, given in zip(rows_of_table(rows), is_given, strict=True)]
    if gold.kind == ANSWERED:
        right = {row.get("id", index): row["documents"] for index, row in enumerate(gold.columns["references"])}
        pairs = zip(rows.get("id", range(len(documents))), rows["documents"], strict=True)
        check_joined_ids(gold.path, ((right[name], list(map(_id_of, row))) for name, row in pairs if name in right))
    if ids is not None:
        outputs = [row for row in outputs if row is not None]
    return Predictions(path, {"predictions": outputs}, names=columns.picked)


def _id_of(document: Any) -> Any:
    return document["id"] if isinstance(document, Mapping) else document
