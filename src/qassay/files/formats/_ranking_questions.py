"""Tables with a row per question, its retrieved documents and its gold documents: outputs of RAG pipelines."""

from collections.abc import Sequence
from typing import Any

from ...core.file_columns import Gold, Predictions
from ...retrieval_ranking.fields import ranking_roles, score_role
from ..content import Table
from ..reading import FileError
from ..tables import Names, optional_column, pick_column, roles_of
from ._cells import ids_column
from ._documents import gold_documents, lists_of, others_of, refuse_joined_ids, retrieved_documents

QUESTIONS = "ranking_questions"  # the kind of gold file


def read_gold_questions(path: str, table: Table, names: Names) -> Gold:
    """The gold documents of each question; null means the question is unjudged.

    A question without an id gets its row number. Columns of a system (answers, probabilities) are not details.

    Raises:
        FileError: unknown column, or several; a duplicate id; a cell that is not a list of documents.
    """
    picked: dict[str, Any] = {
        "qrels": pick_column(path, table, "qrels", lists_of(table, names).get("qrels", ()), names)
    }
    retrieved = lists_of(table, {**names, **picked}).get("run", [])
    retrieved = [name for name in retrieved if name in table.columns]
    if len(retrieved) == 1 or retrieved and "run" in names:  # each named column is a system
        picked["run"] = retrieved[0] if len(retrieved) == 1 else tuple(retrieved)
    ids = _ids(path, table, names, picked)
    rows = gold_documents(path, table, picked["qrels"], names)
    references = {identifier: row for identifier, row in zip(ids, rows, strict=True) if row is not None}
    columns: dict[str, Any] = {"references": references}
    weights, details = others_of(path, table, retrieved, names, picked)
    if weights is not None:
        columns["weights"] = {
            identifier: number for identifier, number in zip(ids, weights, strict=True) if identifier in references
        }
    return Gold(path, QUESTIONS, columns, {}, ids, details, names=picked, may_hold_predictions=bool(retrieved))


def read_run_questions(path: str, table: Table, gold: Gold, names: Names) -> Predictions:
    """The retrieved documents of each question; where it is null, the system did not rank the question.

    Raises:
        FileError: as `read_gold_questions`, and if questions cannot be distinguished by id or by row.
    """
    if path == gold.path:
        names = {**gold.names, **names}
    names = {role: name for role, name in names.items() if name in table.columns or gold.names.get(role) != name}
    picked = {"run": pick_column(path, table, "run", lists_of(table, names).get("run", ()), names)}
    ids = _ids(path, table, names, picked)
    by_row = gold.kind == QUESTIONS and "ids" not in gold.names
    if by_row and "ids" in picked:
        message = f"the questions here have ids (the column {picked['ids']}), but not in "
        raise FileError(path, f"{message}{gold.path}; give both files ids, or omit them in both")
    if not by_row and "ids" not in picked:
        raise FileError(path, 'no column has the ids of the questions; say which with columns={"ids": "NAME"}')
    if by_row and len(ids) != len(gold.ids or ()):
        message = f"there are {len(ids)} rows here, but {len(gold.ids or ())} in "
        raise FileError(path, f"{message}{gold.path}; give a row per question, or a column of ids in both")
    lower_is_better = bool(gold.options.get("lower_is_better"))
    field = names.get("score", "")
    try:
        role = score_role(ranking_roles([field]), lower_is_better)
    except ValueError as error:
        raise FileError(path, str(error)) from None
    if role == "rank" and not lower_is_better:
        message = f"the field {field} has ranks, of which the lowest is best; documents rank in the order of the list: "
        raise FileError(path, f'{message}omit "score" from columns')
    rows = retrieved_documents(path, table, picked["run"], names, lower_is_better)
    run = {name: row for name, row in zip(ids, rows, strict=True) if row is not None}
    if gold.kind == QUESTIONS:
        references = gold.columns["references"]
        refuse_joined_ids(gold.path, ((references[name], row) for name, row in run.items() if name in references))
    return Predictions(path, {"predictions": run}, names=picked)


def judged_texts(row: Any) -> frozenset[tuple[str, float]]:
    """The gold documents of a question with their grades, in any layout."""
    return frozenset((str(document), float(row[document]) if isinstance(row, dict) else 1.0) for document in row)


def _ids(path: str, table: Table, names: Names, picked: dict[str, str]) -> Sequence[Any]:
    """The id of each row, by the column that is then in `picked`; the number of the row if there is none."""
    named = {"ids": names["query"], **names} if "query" in names else names
    column = optional_column(path, table, "ids", roles_of(table).get("ids", ()), {**named, **picked})
    if column is None:
        return range(len(table.columns[next(iter(table.columns))]))
    picked["ids"] = column
    return ids_column(path, table, column)
