"""SQuAD files: gold answers of v1.1 and v2.0 and everything in that format, and answers by id."""

from collections import Counter
from typing import Any

from ..core.file_columns import Gold, Predictions
from ..core.shown import type_name
from ..files.content import Content, pairs_of
from ..files.reading import FileError, columns_of, same_type, scalars
from .read_columns import gold_columns, prediction_columns


def read_squad(content: Content) -> Gold:
    """Gold answers in the format of SQuAD (Rajpurkar et al., 2016, 2018).

    Title, context, question and every other field with a single value become details. A file of version 1 in which
    every question has an answer is scored by the rules of the v1.1 script, unless a preset is named: gold
    answers that are empty after normalisation are kept, and two empty texts have an F1 of 0.

    Raises:
        FileError: a part of the format is missing; the message says where.
    """
    path, ids, answers, details = content.path, [], [], []
    for article_place, article in enumerate(content.value["data"]):
        where = f"data[{article_place}]"
        for paragraph_place, paragraph in enumerate(_list_of(path, where, article, "paragraphs")):
            spot = f"{where}['paragraphs'][{paragraph_place}]"
            shared = {**scalars(article), **_scalars_of(path, spot, paragraph)}
            for place, question in enumerate(_list_of(path, spot, paragraph, "qas")):
                spot_of_question = f"{spot}['qas'][{place}]"
                answers.append(_list_of(path, spot_of_question, question, "answers"))
                if "id" not in question:
                    raise FileError(path, f"{spot_of_question} has no 'id'; give every question one")
                ids.append(question["id"])
                details.append({**shared, **scalars(question)})
    if not ids:
        raise FileError(path, "there are no questions in this SQuAD file; is it cut off?")
    for detail in details:
        detail.pop("id", None)  # a list is not an id; scoring refuses it
    version = str(content.value.get("version", "")).lower().removeprefix("v")
    options = {"empty_gold": "keep", "empty_f1": 0.0} if version.startswith("1") and all(answers) else {}
    return Gold(path, "squad", gold_columns(ids, answers), options, ids, columns_of(details))


def read_lists_by_id(content: Content) -> Gold:
    """Gold answers as `{id: [answer, ...]}`."""
    ids, answers = _split(content.value)
    return Gold(content.path, "mapping", gold_columns(ids, answers), {}, ids, {})


def read_plain_list(content: Content) -> Gold:
    """Gold answers as a JSON list without ids: one list, or one answer, per example."""
    answers = [[row] if isinstance(row, str) else row for row in content.value]
    return Gold(content.path, "list", gold_columns(None, answers), {}, None, {})


def read_answers_by_id(content: Content, gold: Gold) -> Predictions:
    """Predictions as `{id: text}`, `{id: ranked list}` or `{id: [{"text": ...}, ...]}`, run_qa's n-best lists."""
    if gold.ids is None:
        raise FileError(
            content.path,
            f"predictions come by id, but {gold.path} has no ids; name its column with "
            'columns={"ids": "NAME"}, or give predictions as a list',
        )
    ids, answers = _split(content.value)
    return Predictions(content.path, prediction_columns(ids, list(map(_texts, answers)), gold))


def read_answer_list(content: Content, gold: Gold) -> Predictions:
    """Predictions as a JSON list without ids, in the order of the gold file."""
    return Predictions(content.path, prediction_columns(None, content.value, gold))


def read_probabilities(content: Content, gold: Gold) -> dict[Any, float]:
    """No-answer probabilities as `{id: number}`."""
    ids: Any
    ids, numbers = _split(content.value)
    if len(set(ids)) != len(ids):
        twice = next(identifier for identifier, count in Counter(ids).items() if count > 1)
        raise FileError(content.path, f"duplicate id {twice!r}; give one number for every id")
    if gold.ids is not None:
        ids = same_type(ids, gold.ids)
    return dict(zip(ids, numbers, strict=True))


def _split(mapping: dict) -> tuple[list, list]:
    pairs = pairs_of(mapping)
    return [key for key, _ in pairs], [value for _, value in pairs]


def _texts(answer: Any) -> Any:
    if isinstance(answer, list) and answer and all(isinstance(item, dict) and "text" in item for item in answer):
        return [item["text"] for item in answer]
    return answer


def _scalars_of(path: str, where: str, item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise FileError(path, f"{where} must be a JSON object as in SQuAD, not {type_name(item)}")
    return scalars(item)


def _list_of(path: str, where: str, item: Any, key: str) -> list:
    if not isinstance(item, dict) or key not in item:
        advice = "is this a test set without answers?" if key == "answers" else "every one has it in a SQuAD file"
        raise FileError(path, f"{where} has no {key!r}; {advice}")
    if not isinstance(item[key], list):
        raise FileError(path, f"{where}[{key!r}] must be a list, not {type_name(item[key])}")
    return item[key]
