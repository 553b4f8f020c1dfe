"""Outputs of a question answering pipeline (documents and answers by id), and SQuAD files as the gold for them."""

from collections.abc import Mapping
from typing import Any

from ...answer_match.pipeline_results import is_result, is_whole_result
from ...core.file_columns import Gold, Predictions
from ..arrow_columns import ArrowColumns
from ..content import Content, Table
from ..lines import Lines
from ..reading import FileError, columns_of, same_type, scalars
from ..tables import as_table, roles_of
from . import Format, find_format
from ._documents import lists_of
from ._pipeline_questions import QUESTIONS, has_questions, read_gold_questions, read_output_questions
from .squad import SQUAD

_GIVE_GOLD = (
    'give a SQuAD file, {id: {"documents": [...], "answers": [...], "is_impossible": ...}}, or rows with these columns'
)
_GIVE_OUTPUTS = 'give {id: {"documents": [...], "answers": [...]}}, or rows with the columns id, documents, answers'


def _is_outputs(value: Any) -> bool:
    """Whether a JSON value is documents and answers by id, or results of Haystack: one, by id, or a list of them."""
    if isinstance(value, Table):
        return _has_results(value)
    if not isinstance(value, dict):
        return False
    rows = [row for row in value.values() if row is not None]
    both = bool(rows) and all(
        isinstance(row, dict) and ({"documents", "answers"} <= row.keys() or is_whole_result(row)) for row in rows
    )
    return both or is_whole_result(value)


def _has_results(table: Table) -> bool:
    """Whether the rows of a table of JSON are results of Haystack, judged by the first."""
    if isinstance(table.columns, ArrowColumns) or not table.columns:
        return False
    return is_whole_result({name: cells[0] for name, cells in table.columns.items() if cells})


def _read_plain_gold(content: Content) -> Gold:
    """Gold answers with their documents: a SQuAD file, rows by id, or a table with the column answers.

    A paragraph of a SQuAD file is a document. Its id is its `document_id`, or else its `id`, or else the title of the
    article, "#" and the number of the paragraph in it, from 1: "Paris#1".

    Raises:
        FileError: another kind of file, or paragraphs that no id tells apart.
    """
    value = content.value
    if isinstance(value, dict) and "data" in value and isinstance(value["data"], list):
        return _squad_gold(content)
    rows = _rows_of(value, "answers")
    if rows is None:
        raise FileError(
            content.path, f"this looks like {find_format(value).text}, not gold answers for a pipeline; {_GIVE_GOLD}"
        )
    ids = [row.get("id") for row in rows] if "id" in rows[0] else None
    return Gold(content.path, "pipeline", {"references": rows}, {}, ids, _details(rows))


def _read_plain_outputs(content: Content, gold: Gold) -> Predictions:
    """What a pipeline gave for each question: `{id: {"documents": [...], "answers": [...]}}`, such rows, or results of
    Haystack instead of rows, which become such rows.

    Raises:
        FileError: another kind of file.
    """
    rows = _rows_of(content.value, "documents")
    if rows is None:
        raise FileError(
            content.path,
            f"this looks like {find_format(content.value).text}, not outputs of a pipeline; {_GIVE_OUTPUTS}",
        )
    if gold.ids is not None and all("id" in row for row in rows):
        ids = same_type([row["id"] for row in rows], gold.ids)
        rows = [{**row, "id": identifier} for row, identifier in zip(rows, ids, strict=True)]
    return Predictions(content.path, {"predictions": rows})


def _rows_of(value: Any, column: str) -> list[dict] | None:
    """Rows of a table, or of an object by id, or results of Haystack instead of rows; a question twice in the object is
    two rows, null in it is none.
    """
    if is_whole_result(value):
        return [value]
    if isinstance(value, Table):
        if column not in value.columns and not _has_results(value):
            return None
        return [dict(zip(value.columns, row, strict=True)) for row in zip(*value.columns.values(), strict=True)]
    if not isinstance(value, dict):
        return None
    rows = [(identifier, row) for identifier, row in value.items() if row is not None]
    if not rows or not all(isinstance(row, dict) and (column in row or is_whole_result(row)) for _, row in rows):
        return None
    return [{**row, "id": identifier} for identifier, row in rows]


def _squad_gold(content: Content) -> Gold:
    assert SQUAD.read_gold
    gold = SQUAD.read_gold(content, {})
    answers = iter(gold.columns["references"])
    rows: list[dict[str, Any]] = []
    texts: dict[str, Any] = {}
    for article_place, article in enumerate(content.value["data"]):
        for number, paragraph in enumerate(article["paragraphs"], 1):
            document = _document_id(content.path, f"data[{article_place}]", article, paragraph, number)
            text = paragraph.get("context")
            if texts.setdefault(document, text) != text:
                raise FileError(
                    content.path,
                    f"two paragraphs have the document id {document!r}; give every paragraph a distinct 'document_id'",
                )
            whole = document if text is None else {"id": document, "text": text}
            for question in paragraph["qas"]:
                row = next(answers)
                golds = [{**answer, "document_id": document} for answer in _dicts(row["answers"])]
                flag = question.get("is_impossible")
                rows.append({"id": row["id"], "documents": [whole], "answers": golds, "is_impossible": flag})
    return Gold(content.path, "squad", {"references": rows}, {}, gold.ids, gold.details)


def _dicts(answers: list[Any]) -> list[Mapping[str, Any]]:
    return [answer if isinstance(answer, Mapping) else {"text": answer} for answer in answers]


def _document_id(path: str, where: str, article: Mapping, paragraph: Mapping, number: int) -> str:
    for name in ("document_id", "id"):
        if paragraph.get(name) is not None:
            return str(paragraph[name])
    if "title" not in article:
        raise FileError(path, f"{where} has no 'title' to name its documents by; give its paragraphs a 'document_id'")
    return f"{article['title']}#{number}"


def _details(rows: list[dict]) -> dict[str, list]:
    details = columns_of([scalars(row) for row in rows])
    details.pop("id", None)
    return details


def _fits(value: Any, metric: str | None) -> bool:
    """Any file where the metric is requested; else outputs, which are answers where answers are requested."""
    if metric == METRIC:
        return not isinstance(value, Lines)
    return _is_outputs(value) and not (metric == "answer_match" and _begins_with_result(value))


def _begins_with_result(value: Any) -> bool:
    if isinstance(value, Table):
        return is_result({name: cells[0] for name, cells in value.columns.items() if cells})
    return is_result(value) or is_result(next(iter(value.values()), None))


def _read_gold(content: Content, names: Mapping[str, Any]) -> Gold:
    """A file of any format that has gold answers with documents; names are for tables."""
    table = as_table(content.value)
    if table is not None and has_questions(table, names):
        return read_gold_questions(content.path, table, names)
    _refuse_names(content.path, table, names)
    return _read_plain_gold(content)


def _read_outputs(content: Content, gold: Gold, names: Mapping[str, Any]) -> Predictions:
    """A file of any format that has documents by question; names are for tables."""
    table = as_table(content.value)
    if table is not None and (gold.kind == QUESTIONS or has_questions(table, names)):
        return read_output_questions(content.path, table, gold, names)
    return _read_plain_outputs(content, gold)


def _refuse_names(path: str, table: Table | None, names: Mapping[str, Any]) -> None:
    if names and table is None:
        raise FileError(path, f'this has no columns to name; omit "{next(iter(names))}" from columns')


def _has_both(table: Table) -> bool:
    if "qrels" not in lists_of(table, {}) or {"gold_document_ids", "type"} <= table.columns.keys():
        return False  # the second: rows of Haystack 1's pipeline.eval()
    return not {"references", "answer"}.isdisjoint(roles_of(table))


METRIC = "retriever_reader"
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
    compared={QUESTIONS: "references"},
    harnesses={"Haystack": "results of Pipeline.run() as JSON with documents and answers, beside a gold file"},
)
