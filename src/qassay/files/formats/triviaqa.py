"""TriviaQA: questions whose gold answers are an entity and its aliases; predictions are `{id: text}`."""

from typing import Any

from ...core.file_columns import Gold
from ..content import Content
from ..reading import FileError
from . import Format
from ._answer_columns import METRIC, gold_answers

KIND = "triviaqa"


def _is_triviaqa(value: Any, metric: str | None) -> bool:
    data = value.get("Data") if isinstance(value, dict) else None
    return isinstance(data, list) and bool(data) and all(isinstance(row, dict) and "QuestionId" in row for row in data)


def _read_gold(content: Content, names: Any) -> Gold:
    """The official gold file, `{"Data": [{"QuestionId", "Question", "Answer": {"Value", "Aliases"}}, ...]}`.

    Raises:
        FileError: a question without an answer, as in a test set.
    """
    rows = content.value["Data"]
    for row in rows:
        if not isinstance(row.get("Answer"), dict) or "Value" not in row["Answer"]:
            raise FileError(content.path, f"the question {row['QuestionId']!r} has no 'Answer'; is this a test set?")
    answers = [list(dict.fromkeys([row["Answer"]["Value"], *row["Answer"].get("Aliases", ())])) for row in rows]
    details = {"question": [row.get("Question") for row in rows]}
    return gold_answers(content.path, KIND, [row["QuestionId"] for row in rows], answers, details, preset="triviaqa")


TRIVIAQA = Format("triviaqa", "a TriviaQA gold file", METRIC, _is_triviaqa, read_gold=_read_gold)
