"""Tables with a row per question, its retrieved documents and its gold documents: outputs of RAG pipelines."""

from collections.abc import Sequence
from typing import Any

from ...core.file_columns import Gold, Predictions
from ...retrieval_ranking.fields import ranking_roles, score_role
from ..columns import Columns, names_here
from ..content import Table
from ..reading import FileError
from ..tables import Names
from ._documents import check_joined_ids, details_of_questions, gold_documents, question_columns, retrieved_documents

QUESTIONS = "ranking_questions"  # the kind of gold file


def read_gold_questions(path: str, table: Table, names: Names) -> Gold:
    """The gold documents of each question; null means the question is unjudged.

    A question without an id gets its row number. Columns of a system (answers, probabilities) are not details.

    Raises:
        FileError: unknown column, or several; a duplicate id; a cell that is not a list of documents.
    """
    columns = _question_columns(path, table, names)
    columns.require("qrels")
    retrieved = columns.free("run")
    ids = _ids(columns)
    rows = dict(zip(ids, gold_documents(columns), strict=True))
    references = {identifier: row for identifier, row in rows.items() if row is not None}
    details = details_of_questions(columns, *retrieved)
    given: dict[str, Any] = {"references": references}
    if (weights := columns.numbers("weights")) is not None:
        given["weights"] = {name: number for name, number in zip(ids, weights, strict=True) if name in references}
    if len(retrieved) == 1 or retrieved and "run" in names:  # each named column is a system
        columns.picked["run"] = retrieved[0] if len(retrieved) == 1 else tuple(retrieved)
    return Gold(path, QUESTIONS, given, {}, ids, details, columns.picked, may_hold_predictions=bool(retrieved))


def read_run_questions(path: str, table: Table, gold: Gold, names: Names) -> Predictions:
    """The retrieved documents of each question; where it is null, the system did not rank the question.

    Raises:
        FileError: as `read_gold_questions`, and if questions cannot be distinguished by id or by row.
    """
    columns = _question_columns(path, table, names_here(path, table, gold, names))
    columns.require("run")
    ids = _ids(columns)
    if gold.kind != QUESTIONS or "ids" in gold.names:
        if "ids" not in columns.picked:
            raise FileError(path, 'no column has the ids of the questions; say which with columns={"ids": "NAME"}')
    elif "ids" in columns.picked:
        message = f"the questions here have ids (the column {columns.picked['ids']}), but not in "
        raise FileError(path, f"{message}{gold.path}; give both files ids, or omit them in both")
    elif len(ids) != len(gold.ids or ()):
        message = f"there are {len(ids)} rows here, but {len(gold.ids or ())} in "
        raise FileError(path, f"{message}{gold.path}; give a row per question, or a column of ids in both")
    lower_is_better = bool(gold.options.get("lower_is_better"))
    field = columns.names.get("score", "")
    try:
        role = score_role(ranking_roles([field]), lower_is_better)
    except ValueError as error:
        raise FileError(path, str(error)) from None
    if role == "rank" and not lower_is_better:
        message = f"the field {field} has ranks, of which the lowest is best; documents rank in the order of the list: "
        raise FileError(path, f'{message}omit "score" from columns')
    rows = retrieved_documents(columns, lower_is_better=lower_is_better)
    run = {name: row for name, row in zip(ids, rows, strict=True) if row is not None}
    if gold.kind == QUESTIONS:
        references = gold.columns["references"]
        check_joined_ids(gold.path, ((references[name], row) for name, row in run.items() if name in references))
    return Predictions(path, {"predictions": run}, names=columns.picked)


def judged_texts(row: Any) -> frozenset[tuple[str, float]]:
    """The gold documents of a question with their grades, in any layout."""
    return frozenset((str(document), float(row[document]) if isinstance(row, dict) else 1.0) for document in row)


def _question_columns(path: str, table: Table, names: Names) -> Columns:
    columns = question_columns(path, table, {"ids": names["query"], **names} if "query" in names else names)
    columns.optional("ids")
    return columns


def _ids(columns: Columns) -> Sequence[Any]:
    """The id of each row; its number if there is none."""
    return columns.unique_ids() or range(len(next(iter(columns.table.columns.values()))))
