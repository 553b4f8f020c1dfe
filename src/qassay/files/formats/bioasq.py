"""The files of BioASQ task B: questions with exact answers and documents, both of the gold file and of systems."""

from typing import Any

from ...core.columns import rows_of_table
from ...core.file_columns import Gold, Predictions
from ...factoid_accuracy.fields import is_submission
from ..content import Content, Table
from . import Format

METRIC = "factoid_accuracy"
_SYSTEM_FIELDS = ("exact_answer", "documents")


def _is_bioasq(value: Any, metric: str | None) -> bool:
    """Whether a value is `{"questions": [{...}, ...]}`, or a list of questions with exact answers where no other metric is requested."""
    if isinstance(value, Table):
        return metric in (None, METRIC) and not value.is_text and {"id", "exact_answer"} <= value.columns.keys()
    return is_submission(value)


def _read_gold(content: Content, names: Any) -> Gold:
    """The gold file: each question with its type and, but for summaries, its exact answer."""
    rows = _questions(content)
    references = _rows_with(("type", *_SYSTEM_FIELDS), rows)
    for index, row in enumerate(references):
        if row.get("type") is None and "exact_answer" in row:
            raise ValueError(
                f"question {index} (id {row['id']!r}) has no 'type'; a gold file says factoid, list, yesno or "
                "summary of every question with an answer (give the gold file as gold)",
            )
    fields = {"type": "type", "body": "question"}
    details = {
        name: [row.get(field) for row in rows] for field, name in fields.items() if any(field in row for row in rows)
    }
    ids, more = [row["id"] for row in references], {"ideal_answer": [row.get("ideal_answer") for row in rows]}
    return Gold(content.path, "bioasq", {"references": references}, {}, ids, details, more=more)


def _read_system(content: Content, gold: Gold, names: Any) -> Predictions:
    """What a system submitted, in the same format; its types are ignored."""
    rows = _questions(content)
    ideal = {type(row.get("ideal_answer")) for row in rows}
    of_gold = set(map(type, gold.more.get("ideal_answer", ())))
    if list in ideal and str in of_gold and list not in of_gold:
        found = f"ideal answers are lists here, as in gold files, and texts in {gold.path}, as in files of systems"
        raise ValueError(f"{found}; give the gold file as gold, and files of predictions as systems")
    return Predictions(content.path, {"predictions": _rows_with(_SYSTEM_FIELDS, rows)})


def _rows_with(fields: tuple[str, ...], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The id of each row, as text since some programs write it as a number, and these fields where it has them."""
    return [{"id": str(row["id"]), **{name: row[name] for name in fields if name in row}} for row in rows]


def _questions(content: Content) -> list[dict[str, Any]]:
    """The questions, without the fields that they lack; what is not there is null in Parquet and Arrow."""
    table = content.value
    if not isinstance(table, Table):
        if not table["questions"]:
            raise ValueError("there are no questions in this BioASQ file; is it cut off?")
        return list(table["questions"])
    rows = rows_of_table(table.columns) if table.rows is None else list(table.rows)
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows] if table.is_typed else rows


BIOASQ = Format(
    "bioasq",
    'a BioASQ file ({"questions": [...]})',
    METRIC,
    _is_bioasq,
    order=10,
    read_gold=_read_gold,
    read_predictions=_read_system,
)
