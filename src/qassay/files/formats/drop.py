"""DROP: passages with questions whose answers are numbers, dates or spans."""

from typing import Any

from ...core.file_columns import Gold
from ..content import Content
from ..reading import scalars
from . import Format
from ._answers import METRIC, gold_answers


def _is_drop(value: Any, metric: str | None) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(item, dict) and "qa_pairs" in item for item in value.values())
    )


def _read_drop(content: Content, names: Any) -> Gold:
    """The official gold file: `{passage_id: {"passage", "qa_pairs": [...]}}`.

    A question is `{"query_id", "question", "answer", "validated_answers"}`; fields with one value become details.
    """
    ids, answers, details = [], [], []
    for passage_id, passage in content.value.items():
        for question in passage["qa_pairs"]:
            ids.append(question["query_id"])
            validated = question.get("validated_answers") or []
            answers.append({"answer": question["answer"], "validated_answers": validated})
            details.append({"passage_id": passage_id, "context": passage.get("passage"), **scalars(question)})
            details[-1].pop("query_id", None)
    return gold_answers(content.path, "drop", ids, answers, details, preset="drop")


DROP = Format("drop", "a DROP gold file", METRIC, _is_drop, read_gold=_read_drop)
