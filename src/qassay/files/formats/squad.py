"""SQuAD: gold answers of v1.1 and v2.0, and every file in that format."""

from typing import Any

from ...core.file_columns import Gold
from ...core.shown import type_name
from ..content import Content
from ..reading import FileError, scalars
from . import Format
from ._answer_columns import METRIC, gold_answers


def is_squad(value: Any, metric: str | None) -> bool:
    """Whether a value is `{"data": [{"paragraphs": ...}, ...]}`."""
    data = value.get("data") if isinstance(value, dict) else None
    return isinstance(data, list) and bool(data) and all(isinstance(row, dict) and "paragraphs" in row for row in data)


def read_squad(content: Content, names: Any = None) -> Gold:
    """Gold answers in the format of SQuAD (Rajpurkar et al., 2016, 2018).

    Title, context, question and every other field with a single value become details. A file of version 1 in which
    every question has an answer is scored by the rules of the v1.1 script, unless a preset is named: gold answers that
    are empty after normalisation are kept, and two empty texts have an F1 of 0.

    Raises:
        FileError: a part of the format is missing; the message says where.
    """
    path, ids, answers, details = content.path, [], [], []
    for number, article in enumerate(content.value["data"]):
        where = f"data[{number}]"
        for number, paragraph in enumerate(_list_of(path, where, article, "paragraphs")):
            spot = f"{where}['paragraphs'][{number}]"
            if not isinstance(paragraph, dict):
                raise FileError(path, f"{spot} must be a JSON object as in SQuAD, not {type_name(paragraph)}")
            shared = {**scalars(article), **scalars(paragraph)}
            for number, question in enumerate(_list_of(path, spot, paragraph, "qas")):
                spot_of_question = f"{spot}['qas'][{number}]"
                answers.append(_list_of(path, spot_of_question, question, "answers"))
                if "id" not in question:
                    raise FileError(path, f"{spot_of_question} has no 'id'; give every question one")
                ids.append(question["id"])
                details.append({**shared, **scalars(question)})
    if not ids:
        raise FileError(path, "there are no questions in this SQuAD file; is it cut off?")
    version = str(content.value.get("version", "")).lower().removeprefix("v")
    options: dict[str, Any] = (
        {"empty_gold": "keep", "empty_f1": 0.0} if version.startswith("1") and all(answers) else {}
    )
    return gold_answers(path, "squad", ids, answers, details, **options)


def _list_of(path: str, where: str, item: Any, key: str) -> list:
    if not isinstance(item, dict) or key not in item:
        advice = "is this a test set without answers?" if key == "answers" else "every one has it in a SQuAD file"
        raise FileError(path, f"{where} has no {key!r}; {advice}")
    if not isinstance(item[key], list):
        raise FileError(path, f"{where}[{key!r}] must be a list, not {type_name(item[key])}")
    return item[key]


SQUAD = Format("squad", "a SQuAD gold file", METRIC, is_squad, read_gold=read_squad)
