"""LoCoMo: conversations with questions by category, and the same questions with the predictions of a model.

A question has no id: it is SAMPLE#NUMBER, with the id of the conversation and the number of the question in it, from 1.
Predictions are matched by the text of the question, since papers leave out categories.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from . import BOTH, GOLD, Format
from ._answers import METRIC, gold_answers, predicted_answers

_FIELD = "_prediction"


def _questions(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Id and fields of each question, of a list of conversations or of one."""
    samples = zip(value.columns["sample_id"], value.columns["qa"], strict=True) if isinstance(value, Table) else None
    for sample, questions in samples or [(value.get("sample_id", 1), value["qa"])]:
        yield from ((f"{sample}#{number}", row) for number, row in enumerate(questions, 1))


def _first(value: Any) -> Mapping[str, Any]:
    """The first question; {} for a file of another format."""
    there = isinstance(value, Table) and {"sample_id", "qa"} <= value.columns.keys() and not value.is_text
    if not there and not (isinstance(value, dict) and isinstance(value.get("qa"), list)):
        return {}
    first = next(_questions(value), ("", {}))[1]
    return first if isinstance(first, dict) and {"question", "category"} <= first.keys() else {}


def _fields_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The fields with predictions, such as gpt-4_prediction."""
    return list(dict.fromkeys(name for row in rows for name in row if name.endswith(_FIELD) or name == "prediction"))


def _keys(ids: Sequence[str], questions: Sequence[str]) -> list[tuple[str, str, int]]:
    """For each question: conversation, text, and how often the text occurred there before."""
    seen: Counter[tuple[str, str]] = Counter()
    keys = []
    for name, question in zip(ids, questions, strict=True):
        pair = (name.rpartition("#")[0], question)
        keys.append((*pair, seen[pair]))
        seen[pair] += 1
    return keys


def _read_gold(content: Content, names: Any) -> Gold:
    ids, rows = zip(*_questions(content.value), strict=True)
    answers = [[str(row["answer"])] if row.get("answer") is not None else [] for row in rows]
    details = {name: [row[name] for row in rows] for name in ("question", "category")}
    details["sample"] = [name.rpartition("#")[0] for name in ids]
    more = {"evidence": [[turn for turn in row.get("evidence") or () if turn] for row in rows]}
    return gold_answers(content.path, "locomo", ids, answers, details, more=more, preset="locomo")


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    """The answers under MODEL_prediction, and beside them the turns under MODEL_prediction_context."""
    ids, rows = zip(*_questions(content.value), strict=True)
    fields = _fields_of(rows)
    name = names.get("predictions") or fields[0]
    if name not in fields or len(fields) > 1 and not names.get("predictions"):
        problem = f"the predictions of {len(fields)} models are here, {', '.join(fields)}"
        raise ValueError(f'{problem}; name one with columns={{"predictions": {fields[0]!r}}}')
    contexts = [row.get(f"{name}_context") for row in rows]
    details = {"context": contexts} if any(contexts) else None
    answers = [None if row.get(name) is None else str(row[name]) for row in rows]
    if gold.kind == "locomo" and gold.ids is not None:
        known = dict(zip(_keys(gold.ids, gold.details["question"]), gold.ids, strict=True))
        keys = _keys(ids, [row["question"] for row in rows])
        ids = [known.get(key, f"{key[0]}: {key[1]}") for key in keys]
    return predicted_answers(content.path, gold, ids, answers, details=details)


LOCOMO = Format(
    "locomo",
    "a LoCoMo file",
    METRIC,
    lambda value, metric: bool(_first(value)),
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    describe=lambda value: (
        ("LoCoMo predictions", BOTH)
        if _fields_of([row for _, row in _questions(value)])
        else ("a LoCoMo gold file", frozenset([GOLD]))
    ),
)
