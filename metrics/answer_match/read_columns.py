"""The columns of gold answers and of predictions, as the readers return them."""

from collections.abc import Sequence
from typing import Any

from ..core.file_columns import Gold
from ..files.reading import same_type


def gold_columns(ids: Sequence | None, answers: Sequence, facts: Sequence | None = None) -> dict[str, Any]:
    """The columns of references: rows with their id, so that scoring sees duplicates; plain lists without ids.

    Example:
        >>> gold_columns(["q1"], [["Paris"]])
        {'references': [{'id': 'q1', 'answers': ['Paris']}]}
    """
    if ids is None:
        return {"references": list(answers)} | ({} if facts is None else {"gold_facts": list(facts)})
    rows = [{"id": identifier, "answers": answer} for identifier, answer in zip(ids, answers, strict=True)]
    return {"references": _with_field(rows, "supporting_facts", facts)}


def prediction_columns(
    ids: Sequence | None,
    answers: Sequence,
    gold: Gold,
    probabilities: Sequence | None = None,
    facts: Sequence | None = None,
) -> dict[str, Any]:
    """The columns of predictions, ids typed as the gold ids: JSON keys are strings, tables may have numbers."""
    if ids is None:
        columns = {"predictions": list(answers)}
        columns |= {} if probabilities is None else {"no_answer_probabilities": list(probabilities)}
        return columns | ({} if facts is None else {"predicted_facts": list(facts)})
    rows = [
        {"id": identifier, "prediction_text": answer}
        for identifier, answer in zip(same_type(ids, gold.ids), answers, strict=True)
    ]
    rows = _with_field(rows, "no_answer_probability", probabilities)
    return {"predictions": _with_field(rows, "supporting_facts", facts)}


def _with_field(rows: list[dict], name: str, values: Sequence | None) -> list[dict]:
    return rows if values is None else [{**row, name: value} for row, value in zip(rows, values, strict=True)]
