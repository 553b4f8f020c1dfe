"""Gold answers as texts, for slices and for families that compare texts."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..core.answers import empty_golds
from ..core.columns import ColumnRows
from ..core.file_columns import Gold
from ..core.intake import field_of
from .rules.drop import drop_gold_spans


def gold_columns(ids: Sequence | None, answers: Sequence, **details: Sequence) -> dict[str, Any]:
    """The columns of references: rows with their ids, because scoring must see duplicates; plain lists without ids."""
    if ids is None:
        return {"references": list(answers), **({"gold_details": details} if details else {})}
    return {"references": ColumnRows(present_columns(id=ids, answers=answers, **details))}


def present_columns(**columns: Sequence[Any] | None) -> dict[str, Any]:
    """The given columns, as lists."""
    return {name: list(column) for name, column in columns.items() if column is not None}


def without_empty(gold: Gold) -> Gold:
    """A gold file in which empty cells are questions without an answer, which are remarked."""
    answers = gold.columns["references"]
    if gold.ids is not None:
        answers = field_of(answers, "answers", "references", required=True)
    if None not in answers and "" not in answers:
        return gold
    rows = empty_golds(list(answers), gold.path, gold.ids)
    return dataclasses.replace(gold, columns={**gold.columns, **gold_columns(gold.ids, rows)})


def gold_texts(gold: Gold, indices: Sequence[int] | None = None, *, joined: bool = True) -> list[list[str]]:
    """The gold answers of selected rows (None: all) of any kind of file as lists of texts; several spans are one
    text, or with `joined=False` a list, which metrics of texts refuse.
    """
    answers = gold.columns["references"]
    if gold.ids is not None:
        answers = field_of(answers, "answers", "references", required=True)
    rows = answers if indices is None else [answers[index] for index in indices]
    return [_texts_of(row, joined) for row in rows]


def _texts_of(row: Any, joined: bool) -> Any:
    if isinstance(row, dict) and isinstance(row.get("answer"), dict):
        golds = [row["answer"], *row.get("validated_answers", [])]
        return [" ".join(" ".join(drop_gold_spans(gold)).split()) for gold in golds]
    row = row.get("text", row) if isinstance(row, dict) else row
    if not isinstance(row, (list, tuple)):
        return row  # scoring refuses these, with the row
    return [_text_of(answer, joined) for answer in row]


def _text_of(answer: Any, joined: bool) -> Any:
    if isinstance(answer, dict):
        return answer["text"]
    return " / ".join(map(str, answer)) if joined and isinstance(answer, (list, tuple)) else answer
