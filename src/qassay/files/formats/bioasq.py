"""The files of BioASQ task B: questions with exact answers and documents, on the side of the gold and of a system."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ...core.shown import type_name
from ...factoid_accuracy.fields import is_submission
from ..content import Content, Table
from ..reading import FileError
from . import Format

METRIC = "factoid_accuracy"
_GOLD_FIELDS = ("id", "type", "exact_answer", "documents")
_SYSTEM_FIELDS = ("id", "exact_answer", "documents")


def _is_bioasq(value: Any, metric: str | None) -> bool:
    """Whether a value is `{"questions": [{...}, ...]}`, or a list of questions with exact answers where no other metric is requested."""
    if isinstance(value, Table):
        if metric not in (None, METRIC):
            return False
        return not value.is_text and {"id", "exact_answer"} <= value.columns.keys()
    return is_submission(value)


def _read_gold(content: Content, names: Any) -> Gold:
    """The gold file: each question with its type and, but for summaries, its exact answer.

    Raises:
        FileError: there are no questions, or one is not an object, has no id, or an answer but no type.
    """
    rows = _questions(content)
    for index, row in enumerate(rows):
        if row.get("type") is None and "exact_answer" in row:
            raise FileError(
                content.path,
                f"question {index} (id {row['id']!r}) has no 'type'; a gold file says factoid, list, yesno or "
                "summary of every question with an answer (give the gold file as gold)",
            )
    names = {"type": "type", "body": "question"}
    details = {
        shown: [row.get(field) for row in rows] for field, shown in names.items() if any(field in row for row in rows)
    }
    references = [_only(row, _GOLD_FIELDS) for row in rows]
    ids = [row["id"] for row in references]
    return Gold(content.path, "bioasq", {"references": references}, {}, ids, details)


def _read_system(content: Content, gold: Gold, names: Any) -> Predictions:
    """What a system submitted, in the same format; its types are not looked at.

    Raises:
        FileError: there are no questions, or one is not an object or has no id.
    """
    return Predictions(content.path, {"predictions": [_only(row, _SYSTEM_FIELDS) for row in _questions(content)]})


def _questions(content: Content) -> list[dict[str, Any]]:
    value = content.value
    rows = _rows_of(value) if isinstance(value, Table) else value["questions"]
    if not rows:
        raise FileError(content.path, "there are no questions in this BioASQ file; is it cut off?")
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise FileError(content.path, f"question {index} must be a JSON object, not {type_name(row)}; give {{...}}")
        if not isinstance(row.get("id"), (str, int)):
            raise FileError(content.path, f"question {index} has no 'id'; give every question the id of the gold file")
    return rows


def _rows_of(table: Table) -> list[dict[str, Any]]:
    """The rows of a list of questions, without the fields that they lack; what is not there is null in Parquet and Arrow."""
    n = len(next(iter(table.columns.values())))
    absent: list[Any] = [table.absent.get(name, bytes(n)) for name in table.columns]
    if table.is_typed:
        absent = [[cell is None for cell in column] for column in table.columns.values()]
    cells = zip(*table.columns.values(), strict=True)
    return [
        {name: cell for name, cell, lacks in zip(table.columns, row, gaps, strict=True) if not lacks}
        for row, gaps in zip(cells, zip(*absent, strict=True), strict=True)
    ]


def _only(row: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """These fields, with the id as text: some programs write it as a number."""
    kept_fields = {name: row[name] for name in fields if name in row}
    return {**kept_fields, "id": str(row["id"])}


BIOASQ = Format(
    "bioasq",
    'a BioASQ file ({"questions": [...]})',
    METRIC,
    _is_bioasq,
    order=10,
    read_gold=_read_gold,
    read_predictions=_read_system,
)
