"""The files of HotpotQA: questions with answers and supporting facts, and predictions of both."""

from ..core.file_columns import Gold, Predictions
from ..files.content import Content
from ..files.reading import FileError
from .read_columns import gold_columns, prediction_columns

_DETAILS = ("question", "type", "level")


def read_hotpotqa(content: Content) -> Gold:
    """The official gold file, a list of `{"_id", "question", "answer", "supporting_facts", ...}`, or the Hub's rows.

    Raises:
        FileError: a question without id.
    """
    columns = content.value.columns
    ids = columns.get("_id", columns.get("id"))
    if ids is None or None in ids:
        row = 0 if ids is None else ids.index(None)
        raise FileError(content.path, f"question {row} has no '_id'; give every question one")
    answers = [[answer] if isinstance(answer, str) else answer for answer in columns["answer"]]
    details = {name: columns[name] for name in _DETAILS if name in columns}
    return Gold(
        content.path,
        "hotpotqa",
        gold_columns(ids, answers, columns["supporting_facts"]),
        {"preset": "hotpotqa"},
        ids,
        details,
    )


def read_hotpotqa_predictions(content: Content, gold: Gold) -> Predictions:
    """The official predictions, `{"answer": {id: text}, "sp": {id: [[title, sentence], ...]}}`.

    The two parts are scored separately, as in the official script: an id without an answer scores 0 for the answer and
    keeps its score for the facts, and vice versa; the joint scores are 0.
    """
    answers, facts = content.value["answer"], content.value["sp"]
    ids = list(dict.fromkeys([*answers, *facts]))
    texts = [answers.get(identifier) for identifier in ids]
    return Predictions(
        content.path, prediction_columns(ids, texts, gold, facts=[facts.get(identifier) for identifier in ids])
    )
