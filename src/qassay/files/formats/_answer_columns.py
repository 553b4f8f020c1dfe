"""Gold answers and predicted answers as the columns of answer_match."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...answer_match.gold_texts import gold_columns, present_columns
from ...core.file_columns import Gold, Predictions
from ...core.intake import ColumnRows
from ..reading import FileError, columns_of, same_type

METRIC = "answer_match"


def gold_answers(
    path: str,
    kind: str,
    ids: Sequence[Any] | None,
    answers: Sequence[Any],
    details: Sequence[dict[str, Any]] | Mapping[str, Any] = (),
    *,
    id_field: str = "id",
    facts: Sequence[Any] | None = None,
    **options: Any,
) -> Gold:
    """Gold answers of each question, and what else is known of it: as columns, or as rows, whose ids are left out.

    Args:
        options: that the format implies, such as `preset="drop"`.
    """
    if not isinstance(details, Mapping):
        columns = columns_of(details)
        columns.pop(id_field, None)
        details = columns
    return Gold(path, kind, gold_columns(ids, answers, facts), options, ids, details)


def predicted_answers(
    path: str,
    gold: Gold,
    ids: Sequence[Any] | None,
    answers: Sequence[Any],
    *,
    probabilities: Sequence[Any] | None = None,
    facts: Sequence[Any] | None = None,
    details: Mapping[str, Sequence[Any]] | None = None,
    names: Mapping[str, Any] | None = None,
) -> Predictions:
    """Predicted answers, their ids typed as the gold ids: JSON keys are strings, tables may have numbers.

    Raises:
        FileError: supporting facts are scored, and there are none.
    """
    if facts is None and gold.kind == gold.options.get("preset") == "hotpotqa":
        raise FileError(
            path,
            'there are no supporting facts here; give {"answer": ..., "sp": ...}, or score answers only '
            "with preset=squad_v2",
        )
    if ids is None:
        columns = present_columns(predictions=answers, no_answer_probabilities=probabilities, predicted_facts=facts)
        columns |= {"predicted_details": dict(details)} if details else {}
    else:
        rows = present_columns(
            id=same_type(ids, gold.ids),
            prediction_text=answers,
            no_answer_probability=probabilities,
            supporting_facts=facts,
            **(details or {}),
        )
        columns = {"predictions": ColumnRows(**rows)}
    return Predictions(path, columns, names=names or {})
