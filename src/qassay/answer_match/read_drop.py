"""The gold files of DROP: passages with questions whose answers are numbers, dates or spans."""

from typing import Any

from ..core.file_columns import Gold
from ..files.content import Content, pairs_of
from ..files.reading import FileError, columns_of, scalars
from .read_columns import gold_columns


def read_drop(content: Content) -> Gold:
    """The official gold file: `{passage_id: {"passage", "qa_pairs": [...]}}`.

    A question is `{"query_id", "question", "answer", "validated_answers"}`; fields with one value become details.

    Raises:
        FileError: a passage without questions, a question without id or answer.
    """
    ids, answers, details = [], [], []
    for passage_id, passage in pairs_of(content.value):
        questions = passage.get("qa_pairs") if isinstance(passage, dict) else None
        if not isinstance(questions, list):
            raise FileError(content.path, f"{passage_id!r} has no list 'qa_pairs'; every passage of DROP has one")
        for place, question in enumerate(questions):
            where = f"{passage_id!r}['qa_pairs'][{place}]"
            ids.append(_field(content.path, where, question, "query_id"))
            answers.append(
                {
                    "answer": _field(content.path, where, question, "answer"),
                    "validated_answers": question.get("validated_answers") or [],
                }
            )
            details.append({"passage_id": passage_id, "context": passage.get("passage"), **scalars(question)})
    for detail in details:
        detail.pop("query_id", None)
    return Gold(content.path, "drop", gold_columns(ids, answers), {"preset": "drop"}, ids, columns_of(details))


def _field(path: str, where: str, question: Any, key: str) -> Any:
    if not isinstance(question, dict) or key not in question:
        raise FileError(path, f"{where} has no {key!r}; every question of DROP has one")
    return question[key]
