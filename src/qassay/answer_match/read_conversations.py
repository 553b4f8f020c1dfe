"""The files of CoQA, gold answers and predictions, and the predictions of QuAC, whose gold file is in the format of SQuAD."""

from typing import Any

from ..core.file_columns import Gold, Predictions
from ..files.content import Content
from ..files.reading import FileError, columns_of, scalars
from .read_columns import gold_columns, prediction_columns

_SAID = ("yesno", "followup")  # columns of QuAC besides the answers


def read_coqa(content: Content) -> Gold:
    """The official gold file: stories with questions, answers and additional answers. An id is STORY#TURN.

    Raises:
        FileError: a turn without its answer, or without one of the additional answers.
    """
    ids, answers, details = [], [], []
    for story in content.value["data"]:
        people = [story["answers"], *story.get("additional_answers", {}).values()]
        for place, question in enumerate(story["questions"]):
            turn = question.get("turn_id", place + 1)
            given = [said[place] if place < len(said) else {} for said in people]
            if not all(answer.get("turn_id", turn) == turn and "input_text" in answer for answer in given):
                told = (
                    f"story {story['id']!r} lacks an answer to turn {turn}; every person answers every turn, in order"
                )
                raise FileError(content.path, told)
            ids.append(f"{story['id']}#{turn}")
            answers.append([answer["input_text"] for answer in given])
            details.append({**scalars(story), "context": story.get("story"), "question": question.get("input_text")})
    for detail in details:
        detail.pop("id", None)
        detail.pop("story", None)
    return Gold(content.path, "coqa", gold_columns(ids, answers), {"preset": "coqa"}, ids, columns_of(details))


def read_coqa_predictions(content: Content, gold: Gold) -> Predictions:
    """The official predictions, rows of `{"id", "turn_id", "answer"}`."""
    columns = content.value.columns
    ids = [f"{story}#{turn}" for story, turn in zip(columns["id"], columns["turn_id"], strict=True)]
    return Predictions(content.path, prediction_columns(ids, columns["answer"], gold))


def read_quac_predictions(content: Content, gold: Gold) -> Predictions:
    """The official predictions: a row for each dialog with lists "qid", "best_span_str", "yesno" and "followup".

    Raises:
        FileError: lists of different lengths in a dialog.
    """
    value = content.value
    columns = {name: [cell] for name, cell in value.items()} if isinstance(value, dict) else value.columns  # one dialog
    there = [name for name in ("qid", "best_span_str", *_SAID) if name in columns]
    joined: dict[str, list[Any]] = {name: [] for name in there}
    for row in range(len(columns["qid"])):
        lists = {name: columns[name][row] for name in there}
        if not all(isinstance(said, list) and len(said) == len(lists["qid"]) for said in lists.values()):
            raise FileError(content.path, f"row {row} needs lists of equal length in {', '.join(there)}")
        for name, said in lists.items():
            joined[name] += said
    details = {name: joined[name] for name in _SAID if name in joined}
    return Predictions(content.path, prediction_columns(joined["qid"], joined["best_span_str"], gold, details=details))
