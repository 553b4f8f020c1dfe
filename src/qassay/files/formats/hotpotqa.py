"""HotpotQA: questions with answers and supporting facts, and predictions of both."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from . import Format
from ._answers import METRIC, gold_answers, predicted_answers


def _is_gold(value: Any, metric: str | None) -> bool:
    return isinstance(value, Table) and {"supporting_facts", "answer"} <= value.columns.keys()


def _is_predictions(value: Any, metric: str | None) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"answer", "sp"}
        and all(isinstance(part, dict) for part in value.values())
    )


def _read_gold(content: Content, names: Any) -> Gold:
    """A list of `{"_id", "question", "answer", "supporting_facts", ...}`, or the rows of the Hub."""
    columns = content.value.columns
    ids = columns["_id" if "_id" in columns else "id"]
    details = {name: columns[name] for name in ("question", "type", "level") if name in columns}
    facts = columns["supporting_facts"]
    answers = [[answer] if isinstance(answer, str) else answer for answer in columns["answer"]]
    return gold_answers(content.path, "hotpotqa", ids, answers, details, supporting_facts=facts, preset="hotpotqa")


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    """The official predictions, `{"answer": {id: text}, "sp": {id: [[title, sentence], ...]}}`.

    The two parts are scored separately, as in the official script: an id without an answer scores 0 for the answer and
    keeps its score for the facts, and vice versa; the joint scores are 0.
    """
    answers, facts = content.value["answer"], content.value["sp"]
    ids = list(dict.fromkeys([*answers, *facts]))
    texts = list(map(answers.get, ids))
    return predicted_answers(content.path, gold, ids, texts, details={"supporting_facts": list(map(facts.get, ids))})


HOTPOTQA = Format("hotpotqa", "a HotpotQA gold file", METRIC, _is_gold, read_gold=_read_gold)
PREDICTIONS = Format(
    "hotpotqa_predictions",
    'HotpotQA predictions ({"answer": ..., "sp": ...})',
    METRIC,
    _is_predictions,
    read_predictions=_read_predictions,
)
