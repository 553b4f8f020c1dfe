"""Answers by id, `{id: text}`, `{id: [text, ...]}` or `{id: [{"text": ...}, ...]}`, and answers in a JSON list."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content
from ..tables import as_table
from . import PROBABILITIES, Format
from ._answers import METRIC, gold_answers, predicted_answers
from .triviaqa import KIND as TRIVIAQA

_ANSWER = (str, list, type(None))


def _is_probabilities(value: Any, metric: str | None) -> bool:
    return isinstance(value, dict) and bool(value) and set(map(type, value.values())) <= {int, float}


def _is_lists(value: Any, metric: str | None) -> bool:
    return isinstance(value, dict) and set(map(type, value.values())) == {list} and as_table(value) is None


def _is_texts(value: Any, metric: str | None) -> bool:
    # A few other values among many texts are accepted here: scoring refuses them with their ids and advice.
    if not isinstance(value, dict) or as_table(value) is not None:
        return False
    texts = sum(isinstance(item, _ANSWER) for item in value.values())
    odd = sum(isinstance(item, (int, float)) for item in value.values())
    return texts + odd == len(value) and texts > odd


def _is_list(value: Any, metric: str | None) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, _ANSWER) for item in value)


def _read_gold(content: Content, names: Any) -> Gold:
    """Gold answers by id; without ids a list of gold answers, or one answer, per example."""
    if isinstance(content.value, dict):
        return gold_answers(content.path, "mapping", list(content.value), list(content.value.values()))
    return gold_answers(content.path, "list", None, [[row] if isinstance(row, str) else row for row in content.value])


def _read_answers(content: Content, gold: Gold, names: Any) -> Predictions:
    """Answers by id, or in the order of the gold file; also ranked lists, and the n-best lists of run_qa, `{id: [{"text":
    ...}, ...]}`.
    """
    if isinstance(content.value, list):
        return predicted_answers(content.path, gold, None, content.value)
    if gold.ids is None:
        raise ValueError(
            f"predictions come by id, but {gold.path} has no ids; name its column with "
            'columns={"ids": "NAME"}, or give predictions as a list',
        )
    ids = list(content.value)
    if gold.kind == TRIVIAQA:
        ids = [identifier.partition("--")[0] for identifier in ids]  # QUESTION--DOCUMENT
    return predicted_answers(content.path, gold, ids, list(map(_texts, content.value.values())))


def _texts(answer: Any) -> Any:
    if isinstance(answer, list) and answer and all(isinstance(item, dict) and "text" in item for item in answer):
        return [item["text"] for item in answer]
    return answer


NO_ANSWER_PROBABILITIES = Format(
    "probabilities",
    "no-answer probabilities ({id: number})",
    METRIC,
    _is_probabilities,
    order=60,
    serves=frozenset([PROBABILITIES]),
)
_BOTH: Any = {"read_gold": _read_gold, "read_predictions": _read_answers}
LISTS = Format("mapping", "lists of answers by id ({id: [text, ...]})", METRIC, _is_lists, order=61, **_BOTH)
TEXTS = Format("mapping", "predictions ({id: text})", METRIC, _is_texts, order=62, read_predictions=_read_answers)
LIST = Format("list", "a JSON list without ids", METRIC, _is_list, order=63, **_BOTH)
