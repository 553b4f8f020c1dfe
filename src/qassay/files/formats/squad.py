"""SQuAD: gold answers of v1.1 and v2.0, and every file in that format."""

from typing import Any

from ...core.file_columns import Gold
from ..content import Content
from ..reading import scalars
from . import Format, lists_rows_with
from ._answers import METRIC, gold_answers


def _is_squad(value: Any, metric: str | None) -> bool:
    """Whether a value is `{"data": [{"paragraphs": ...}, ...]}`."""
    return lists_rows_with(value, "data", "paragraphs")


def _read_squad(content: Content, names: Any) -> Gold:
    """Gold answers in the format of SQuAD (Rajpurkar et al., 2016, 2018).

    Title, context, question and every other field with a single value become details. A file of version 1 in which
    every question has an answer is scored by the rules of the v1.1 script, unless a preset is named: gold answers that
    are empty after normalisation are kept, and two empty texts have an F1 of 0.
    """
    ids, answers, details = [], [], []
    for article in content.value["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                if not isinstance(question["answers"], list):
                    raise TypeError("answers must be a list")
                ids.append(question["id"])
                answers.append(question["answers"])
                details.append({**scalars(article), **scalars(paragraph), **scalars(question)})
    if not ids:
        raise ValueError("there are no questions in this SQuAD file; is it cut off?")
    version = str(content.value.get("version", "")).lower().removeprefix("v")
    is_first = version.startswith("1") and all(answers)
    options: dict[str, Any] = {"empty_gold": "keep", "empty_f1": 0.0} if is_first else {}
    return gold_answers(content.path, "squad", ids, answers, details, **options)


SQUAD = Format("squad", "a SQuAD gold file", METRIC, _is_squad, read_gold=_read_squad)
