"""The files of BioASQ task B: questions with exact answers and documents, on the side of the gold and of a system."""

import json
from pathlib import Path
from typing import Any

from karat.core.entity_columns import is_submission
from karat.files.content import Content, Table
from karat.files.inputs import ENTITIES, FileError, Gold, Predictions
from karat.files.source import decode, find_source

_GOLD_FIELDS = ("id", "type", "exact_answer", "documents")
_SYSTEM_FIELDS = ("id", "exact_answer", "documents")
_ORDER = "the gold file comes first: karat score GOLD SYSTEM"


def is_bioasq(value: Any) -> bool:
    """Whether a JSON value is `{"questions": [{...}, ...]}`, or a list of questions with exact answers.

    Example:
        >>> is_bioasq({"questions": [{"id": "q1"}]}), is_bioasq({"questions": ["Paris"]})
        (True, False)
    """
    if isinstance(value, Table):
        return not value.is_text and {"id", "exact_answer"} <= value.columns.keys()
    return is_submission(value)


def read_bioasq(content: Content) -> Gold:
    """The gold file: each question with its type and, but for summaries, its exact answer.

    Raises:
        FileError: there are no questions, or one is no object, has no id, or an answer but no type.
    """
    rows = _questions(content)
    for place, row in enumerate(rows):
        if row.get("type") is None and "exact_answer" in row:
            raise FileError(
                content.path,
                f"question {place} (id {row['id']!r}) has no 'type'; a gold file says factoid, list, yesno or summary "
                f"of every question with an answer ({_ORDER})",
            )
    names = {"type": "type", "body": "question"}
    details = {
        shown: [row.get(field) for row in rows] for field, shown in names.items() if any(field in row for row in rows)
    }
    references = [_only(row, _GOLD_FIELDS) for row in rows]
    ids = [row["id"] for row in references]
    return Gold(content.path, "bioasq", {"references": references}, {}, ids, details, metric=ENTITIES)


def read_bioasq_system(content: Content, gold: Gold) -> Predictions:
    """What a system submitted, in the same format; its types are not looked at.

    Raises:
        FileError: there are no questions, or one is no object or has no id.
    """
    return Predictions(content.path, {"predictions": [_only(row, _SYSTEM_FIELDS) for row in _questions(content)]})


def _questions(content: Content) -> list[dict[str, Any]]:
    value = content.value
    rows = _rows_of(value, content.path) if isinstance(value, Table) else value["questions"]
    if not rows:
        raise FileError(content.path, "there are no questions in this BioASQ file; is it cut off?")
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            raise FileError(content.path, f"question {place} is no JSON object but {type(row).__name__}; give {{...}}")
        if not isinstance(row.get("id"), (str, int)):
            raise FileError(content.path, f"question {place} has no 'id'; give every question the one of the gold file")
    return rows


def _rows_of(table: Table, path: str) -> list[dict[str, Any]]:
    """The rows of a list of questions; the table has None where one lacks a field and also where it says null."""
    lacking = table.format in ("JSON", "JSONL") and any(None in column for column in table.columns.values())
    if lacking and Path(path).is_file():  # a pipe cannot be read again: there null is no answer
        text = decode(path, find_source(path).read())
        if table.format == "JSON":
            return json.loads(text)
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    cells = zip(*table.columns.values(), strict=True)
    return [{name: cell for name, cell in zip(table.columns, row, strict=True) if cell is not None} for row in cells]


def _only(row: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """These fields, with the id as text: some programs write it as a number."""
    found = {name: row[name] for name in fields if name in row}
    return {**found, "id": str(row["id"])}
