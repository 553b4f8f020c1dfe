"""The columns of gold answers and of predictions, as the readers return them."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.file_columns import Gold
from ..core.intake import ColumnRows
from ..files.reading import same_type


def gold_columns(ids: Sequence | None, answers: Sequence, facts: Sequence | None = None) -> dict[str, Any]:
    """The columns of references: rows with their id, so that scoring sees duplicates; plain lists without ids."""
    if ids is None:
        return present_columns(references=answers, gold_facts=facts)
    return {"references": ColumnRows(**present_columns(id=ids, answers=answers, supporting_facts=facts))}


def prediction_columns(
    ids: Sequence | None,
    answers: Sequence,
    gold: Gold,
    probabilities: Sequence | None = None,
    facts: Sequence | None = None,
    details: Mapping[str, Sequence] | None = None,
) -> dict[str, Any]:
    """The columns of predictions, ids typed as the gold ids: JSON keys are strings, tables may have numbers."""
    if ids is None:
        columns = present_columns(predictions=answers, no_answer_probabilities=probabilities, predicted_facts=facts)
        return columns | ({"predicted_details": dict(details)} if details else {})
    columns = present_columns(
        id=same_type(ids, gold.ids),
        prediction_text=answers,
        no_answer_probability=probabilities,
        supporting_facts=facts,
        **(details or {}),
    )
    return {"predictions": ColumnRows(**columns)}


def present_columns(**columns: Sequence[Any] | None) -> dict[str, Any]:
    """The given columns, as lists."""
    return {name: list(column) for name, column in columns.items() if column is not None}
