"""Results of Haystack's `Pipeline.run()` as predicted answers: one, a list of them, or results by id."""

from collections.abc import Mapping
from typing import Any

from ...answer_match.pipeline_results import (
    ANSWER_TEXTS,
    field_value,
    is_result,
    output_of_node,
    text_of_reply,
    unwrapped,
)
from ...core.columns import is_list, rows_of_table
from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import FileError
from . import Format
from ._answers import METRIC, check_questions, predicted_answers
from .pipeline import first_row


def _is_results(value: Any, metric: str | None) -> bool:
    """Whether a JSON value contains results, judged by the first."""
    first = first_row(value)
    return is_result(first) or isinstance(value, dict) and is_result(next(iter(value.values()), None))


def _read_results(content: Content, gold: Gold, names: Any) -> Predictions:
    """The answers of each result, from the node with `answers`, or `replies`; None if there are none.

    Several answers are a ranked list. Rows of a list may have an id besides the names of the nodes.
    """
    rows = _rows_of(content.value, gold)
    ids = [row.get("id") for row in rows]
    if None in ids and any(identifier is not None for identifier in ids):
        raise FileError(content.path, f"row {ids.index(None)} has no id, and other rows have; give every result one")
    answers: list[Any] = []
    queries: list[Any] = []
    for row in rows:
        try:
            output = output_of_node(row, "answers")
        except ValueError as error:
            raise FileError(content.path, f"row {len(answers)} {error}") from None
        items = list(map(unwrapped, output if is_list(output) else [output]))
        texts = list(map(_text, items))
        answers.append(texts[0] if len(texts) == 1 else texts or None)
        # Haystack writes the question into its answers
        queries.append(field_value(items[0], "query") if items and isinstance(items[0], Mapping) else None)
    if None in ids:
        check_questions(content.path, queries, gold)
    return predicted_answers(content.path, gold, None if None in ids else ids, answers)


def _rows_of(value: Any, gold: Gold) -> list[dict[str, Any]]:
    """The results; results by id get their id, also if only the outputs of one node are by id."""
    if isinstance(value, Table):
        return rows_of_table(value.columns)
    if is_result(value) and not any(key in map(str, gold.ids or ()) for key in value):
        return [value]
    return [{**(row if is_result(row) else {"node": row}), "id": key} for key, row in value.items() if row is not None]


def _text(item: Any) -> Any:
    answer = text_of_reply(item)
    return (field_value(answer, *ANSWER_TEXTS) or "") if isinstance(answer, Mapping) else answer


HAYSTACK = Format(
    "haystack_results",
    "results of a pipeline of Haystack",
    METRIC,
    _is_results,
    order=80,
    read_predictions=_read_results,
)
