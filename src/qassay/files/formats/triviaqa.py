"""TriviaQA: questions whose gold answers are an entity and its aliases; predictions are `{id: text}`."""

from typing import Any

from ...core.file_columns import Gold
from ..content import Content
from . import Format, lists_rows_with
from ._answers import METRIC, gold_answers

KIND = "triviaqa"


def _read_gold(content: Content, names: Any) -> Gold:
    """The official gold file, `{"Data": [{"QuestionId", "Question", "Answer": {"Value", "Aliases"}}, ...]}`."""
    rows = content.value["Data"]
    answers = [list(dict.fromkeys([row["Answer"]["Value"], *row["Answer"].get("Aliases", ())])) for row in rows]
    details = {"question": [row.get("Question") for row in rows]}
    return gold_answers(content.path, KIND, [row["QuestionId"] for row in rows], answers, details, preset=KIND)


TRIVIAQA = Format(
    KIND,
    "a TriviaQA gold file",
    METRIC,
    lambda value, metric: lists_rows_with(value, "Data", "QuestionId"),
    read_gold=_read_gold,
)
