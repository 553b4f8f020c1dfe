"""CoQA: gold answers and predictions; the id of a turn is STORY#TURN."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import FileError, scalars
from . import Format
from ._answer_columns import METRIC, gold_answers, predicted_answers

_FIELDS = {"id", "questions", "answers"}


def _is_gold(value: Any, metric: str | None) -> bool:
    data = value.get("data") if isinstance(value, dict) else None
    return (
        isinstance(data, list) and bool(data) and all(isinstance(row, dict) and _FIELDS <= row.keys() for row in data)
    )


def _is_predictions(value: Any, metric: str | None) -> bool:
    return isinstance(value, Table) and value.columns.keys() == {"id", "turn_id", "answer"}


def _read_gold(content: Content, names: Any) -> Gold:
    """Stories with questions, answers and additional answers.

    Raises:
        FileError: a turn without its answer, or without one of the additional answers.
    """
    ids, answers, details = [], [], []
    for story in content.value["data"]:
        people = [story["answers"], *story.get("additional_answers", {}).values()]
        shared = {name: value for name, value in scalars(story).items() if name != "story"}
        for row, question in enumerate(story["questions"]):
            turn = question.get("turn_id", row + 1)
            given = [of_person[row] if row < len(of_person) else {} for of_person in people]
            if not all(answer.get("turn_id", turn) == turn and "input_text" in answer for answer in given):
                message = f"story {story['id']!r} lacks an answer to turn {turn}"
                raise FileError(content.path, f"{message}; every person answers every turn, in order")
            ids.append(f"{story['id']}#{turn}")
            answers.append([answer["input_text"] for answer in given])
            details.append({**shared, "context": story.get("story"), "question": question.get("input_text")})
    return gold_answers(content.path, "coqa", ids, answers, details, preset="coqa")


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    columns = content.value.columns
    ids = [f"{story}#{turn}" for story, turn in zip(columns["id"], columns["turn_id"], strict=True)]
    return predicted_answers(content.path, gold, ids, columns["answer"])


COQA = Format("coqa", "a CoQA gold file", METRIC, _is_gold, read_gold=_read_gold)
PREDICTIONS = Format(
    "coqa_predictions",
    "CoQA predictions (rows of id, turn_id and answer)",
    METRIC,
    _is_predictions,
    read_predictions=_read_predictions,
)
