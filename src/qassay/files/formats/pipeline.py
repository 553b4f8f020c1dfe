"""Outputs of a question answering pipeline (documents and answers by id), and SQuAD files as the gold for them."""

from collections.abc import Mapping
from typing import Any

from ...core.columns import rows_of_table
from ...core.file_columns import Gold, Predictions
from ...retriever_reader.haystack import is_whole_result
from ..arrow_columns import ArrowColumns
from ..content import Content, Table
from ..lines import Lines
from ..reading import columns_of, same_type, scalars
from ..tables import Names, as_table, roles_of
from . import GOLD, Format, find_format
from ._documents import document_columns
from ._questions import ANSWERED, has_questions, read_gold_pipeline, read_pipeline
from .squad import SQUAD

METRIC = "retriever_reader"
_GIVE_GOLD = (
    "gold answers for a pipeline; give a SQuAD file, "
    '{id: {"documents": [...], "answers": [...], "is_impossible": ...}}, or rows with these columns'
)
_GIVE_OUTPUTS = 'outputs of a pipeline; give {id: {"documents": [...], "answers": [...]}}, or rows with the columns id, documents, answers'


def _first_row(value: Any) -> Any:
    """A value that may be a result of Haystack: the first row of a table, or any other value; None for a table with columns
    such as `doc.answers`, which the user named as paths into objects.
    """
    if not isinstance(value, Table):
        return value
    names = value.columns.keys()
    if isinstance(value.columns, ArrowColumns) or any(name.partition(".")[0] in names for name in names if "." in name):
        return None
    return {name: cells[0] for name, cells in value.columns.items() if cells}


def _fits(value: Any, metric: str | None) -> bool:
    """Whether this can be a file of pipelines: any file if the metric is requested; otherwise documents and answers by id, or
    results of Haystack (one, by id, or a list).
    """
    if metric == METRIC:
        return not isinstance(value, Lines)
    rows = [row for row in value.values() if row is not None] if isinstance(value, dict) else []
    are_whole = bool(rows) and all(
        isinstance(row, dict) and ({"documents", "answers"} <= row.keys() or is_whole_result(row)) for row in rows
    )
    return are_whole or is_whole_result(_first_row(value))


def _read_gold(content: Content, names: Names) -> Gold:
    """Gold answers with their documents: a SQuAD file, rows by id, or a table."""
    path, value, table = content.path, content.value, as_table(content.value)
    if table is not None and has_questions(table, names):
        return read_gold_pipeline(path, table, names)
    if names and table is None:
        raise ValueError(f'this has no columns to name; omit "{next(iter(names))}" from columns')
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        return _squad_gold(content)
    rows = _rows_of(content, "answers", _GIVE_GOLD)
    ids = [row.get("id") for row in rows] if rows and "id" in rows[0] else None
    details = columns_of([{name: cell for name, cell in scalars(row).items() if name != "id"} for row in rows])
    return Gold(path, "pipeline", {"references": rows}, {}, ids, details)


def _read_outputs(content: Content, gold: Gold, names: Names) -> Predictions:
    """The output of a pipeline for each question: `{id: {"documents": [...], "answers": [...]}}`, such rows, results of
    Haystack instead of rows, or a table.
    """
    path, table = content.path, as_table(content.value)
    if table is not None and (gold.kind == ANSWERED or has_questions(table, names)):
        return read_pipeline(path, table, gold, names)
    rows = _rows_of(content, "documents", _GIVE_OUTPUTS)
    if gold.ids is not None and all("id" in row for row in rows):
        ids = same_type([row["id"] for row in rows], gold.ids)
        rows = [{**row, "id": identifier} for row, identifier in zip(rows, ids, strict=True)]
    return Predictions(path, {"predictions": rows})


def _rows_of(content: Content, column: str, expected: str) -> list[dict]:
    """Rows of a table, or of an object by id, or results of Haystack instead of rows; a question twice in the object is
    two rows, null in it is none.

    Raises:
        ValueError: some of them have no such column, or there are none.
    """
    value, rows = content.value, []
    if isinstance(value, Table):
        if column in value.columns or is_whole_result(_first_row(value)):
            return rows_of_table(value.columns)
    elif is_whole_result(value):
        rows = [value]
    elif isinstance(value, dict):
        rows = [{**row, "id": key} if isinstance(row, dict) else {} for key, row in value.items() if row is not None]
    if not rows or not all(column in row or is_whole_result(row) for row in rows):
        raise ValueError(f"this looks like {find_format(value).text}, not {expected}")
    return rows


def _squad_gold(content: Content) -> Gold:
    """A SQuAD file, whose paragraphs are documents. The id of a paragraph is its `document_id`, or its `id`, or
    the title of the article, "#" and the number of the paragraph in it, from 1: "Paris#1".
    """
    gold = SQUAD.read(GOLD, content, {})
    answers = iter(gold.columns["references"])
    rows: list[dict[str, Any]] = []
    texts: dict[str, Any] = {}
    for number_of_article, article in enumerate(content.value["data"]):
        for number, paragraph in enumerate(article["paragraphs"], 1):
            document = _document_id(f"data[{number_of_article}]", article, paragraph, number)
            text = paragraph.get("context")
            if texts.setdefault(document, text) != text:
                found = f"two paragraphs have the document id {document!r}"
                raise ValueError(f"{found}; give every paragraph a distinct 'document_id'")
            whole = document if text is None else {"id": document, "text": text}
            for question in paragraph["qas"]:
                row = next(answers)
                given = [answer if isinstance(answer, Mapping) else {"text": answer} for answer in row["answers"]]
                golds = [{**answer, "document_id": document} for answer in given]
                flag = question.get("is_impossible")
                rows.append({"id": row["id"], "documents": [whole], "answers": golds, "is_impossible": flag})
    return Gold(content.path, "squad", {"references": rows}, {}, gold.ids, gold.details)


def _document_id(where: str, article: Mapping, paragraph: Mapping, number: int) -> str:
    for name in ("document_id", "id"):
        if paragraph.get(name) is not None:
            return str(paragraph[name])
    if "title" not in article:
        raise ValueError(f"{where} has no 'title' to name its documents by; give its paragraphs a 'document_id'")
    return f"{article['title']}#{number}"


def _has_both(table: Table) -> bool:
    return "qrels" in document_columns(table) and not {"references", "answer"}.isdisjoint(roles_of(table))


PIPELINE = Format(
    "pipeline_outputs",
    "documents and answers of a pipeline by id",
    METRIC,
    _fits,
    order=10,
    read_gold=_read_gold,
    read_predictions=_read_outputs,
    is_table=True,
    roles=("documents", "answers", "run", "qrels", "document", "score", "relevance"),
    prediction_role="documents",
    has_both=_has_both,
)
