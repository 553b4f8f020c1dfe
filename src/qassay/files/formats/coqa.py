"""CoQA: gold answers and predictions; the id of a turn is STORY#TURN."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import scalars
from . import Format, lists_rows_with
from ._answers import METRIC, gold_answers, predicted_answers


def _read_gold(content: Content, names: Any) -> Gold:
    """Stories with questions, answers and additional answers."""
    ids, answers, details = [], [], []
    for story in content.value["data"]:
        people = [story["answers"], *story.get("additional_answers", {}).values()]
        shared = {**scalars(story), "context": story.get("story")}
        shared.pop("story", None)
        for row, question in enumerate(story["questions"]):
            turn = question.get("turn_id", row + 1)
            given = [of_person[row] if row < len(of_person) else {"turn_id": None} for of_person in people]
            if any(answer.get("turn_id", turn) != turn for answer in given):
                found = f"story {story['id']!r} lacks an answer to turn {turn}"
                raise ValueError(f"{found}; every person answers every turn, in order")
            ids.append(f"{story['id']}#{turn}")
            answers.append([answer["input_text"] for answer in given])
            details.append({**shared, "question": question.get("input_text")})
    return gold_answers(content.path, "coqa", ids, answers, details, preset="coqa")


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    columns = content.value.columns
    ids = [f"{story}#{turn}" for story, turn in zip(columns["id"], columns["turn_id"], strict=True)]
    return predicted_answers(content.path, gold, ids, columns["answer"])


COQA = Format(
    "coqa",
    "a CoQA gold file",
    METRIC,
    lambda value, metric: lists_rows_with(value, "data", "id", "questions", "answers"),
    read_gold=_read_gold,
)
PREDICTIONS = Format(
    "coqa_predictions",
    "CoQA predictions (rows of id, turn_id and answer)",
    METRIC,
    lambda value, metric: isinstance(value, Table) and value.columns.keys() == {"id", "turn_id", "answer"},
    read_predictions=_read_predictions,
)
