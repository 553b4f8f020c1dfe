"""Readers: a gold file and files of predictions, whatever their kind, as columns for `karat.score`.

gold = read_gold("gold.json")
predictions = read_predictions("model.json", gold)
scores = karat.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from karat.files.content import Content, read_content
from karat.files.drop import read_drop
from karat.files.hotpotqa import read_hotpotqa, read_hotpotqa_predictions
from karat.files.inputs import FileError, Gold, Predictions
from karat.files.sniff import Kind, sniff
from karat.files.squad import (
    read_answer_list,
    read_answers_by_id,
    read_lists_by_id,
    read_plain_list,
    read_probabilities,
    read_squad,
)
from karat.files.tables import ROLES, read_gold_table, read_prediction_table

__all__ = ["ROLES", "FileError", "Gold", "Predictions", "read_gold", "read_no_answer_probabilities", "read_predictions"]

# kind -> reader; tables are read apart, because they take names of columns.
_GOLD: dict[str, Callable[[Content], Gold]] = {
    "squad": read_squad,
    "hotpotqa": read_hotpotqa,
    "drop": read_drop,
    "mapping": read_lists_by_id,
    "list": read_plain_list,
}
_PREDICTIONS: dict[str, Callable[[Content, Gold], Predictions]] = {
    "mapping": read_answers_by_id,
    "hotpotqa_predictions": read_hotpotqa_predictions,
    "list": read_answer_list,
}
_ORDER = "the gold file comes first: karat score GOLD PREDICTIONS"


def read_gold(path: str | Path, names: Mapping[str, str] | None = None) -> Gold:
    """Read gold answers; the kind of file is told from its content.

    Args:
        path: SQuAD, HotpotQA or DROP JSON, `{id: [answer, ...]}`, or a table (JSON rows, JSONL, CSV, TSV, Parquet).
        names: of a table, role -> column where the usual names do not tell, for example `{"references": "golds"}`.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    content, names = read_content(path), names or {}
    kind = sniff(content)
    if kind.name == "table" and ("gold" in kind.serves or "references" in names):
        return read_gold_table(content, names)
    if "gold" not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not a gold file{_gold_cure(kind)}")
    named = [role for role in ("references", "weights", "question") if role in names]
    if named:
        raise FileError(
            content.path, f"this is {kind.text}, which has no columns to name; leave out --columns {named[0]}=..."
        )
    return _GOLD[kind.name](content)


def read_predictions(path: str | Path, gold: Gold, names: Mapping[str, str] | None = None) -> Predictions:
    """Read the predictions of one system for a gold file; a table that holds both may be given twice.

    Args:
        path: `{id: text}`, `{id: ranked list}`, HotpotQA's `{"answer", "sp"}`, a JSON list, or a table.
        gold: what `read_gold` gave.
        names: as for `read_gold`, for example `{"predictions": "my_answer", "ids": "qid"}`.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    content, names = read_content(path), names or {}
    kind = sniff(content)
    if kind.name == "table" and ("predictions" in kind.serves or "predictions" in names):
        predictions = read_prediction_table(content, gold, names)
    elif "predictions" not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not predictions{_prediction_cure(kind)}")
    elif "predictions" in names:
        raise FileError(
            content.path, f"this is {kind.text}, which has no columns to name; leave out --columns predictions=..."
        )
    else:
        predictions = _PREDICTIONS[kind.name](content, gold)
    if gold.options.get("task") == "hotpotqa" and not _has_facts(predictions):
        raise FileError(
            content.path,
            'there are no supporting facts here; give {"answer": ..., "sp": ...}, or score answers only with '
            "--option task=answers",
        )
    return predictions


def read_no_answer_probabilities(path: str | Path, gold: Gold) -> dict:
    """Read `{id: number}`, larger where a system doubts its answer.

    Raises:
        FileError: another kind of file.
    """
    content = read_content(path)
    kind = sniff(content)
    if kind.name != "probabilities":
        raise FileError(content.path, f"this looks like {kind.text}, not no-answer probabilities ({{id: number}})")
    return read_probabilities(content, gold)


def _gold_cure(kind: Kind) -> str:
    if "predictions" in kind.serves:
        return f"; {_ORDER}"
    if "probabilities" in kind.serves:
        return "; give it with --no-answer-probabilities"
    if kind.name == "table":
        return "; name its column of gold answers with --columns references=NAME"
    return "; give SQuAD, HotpotQA or DROP JSON, or a table with a column of gold answers"


def _prediction_cure(kind: Kind) -> str:
    if kind.name == "table":
        return "; name its column of predictions with --columns predictions=NAME"
    if "gold" in kind.serves:
        return f"; {_ORDER}"
    if "probabilities" in kind.serves:
        return "; give it with --no-answer-probabilities"
    return "; give {id: text}, or a table with a column of predictions"


def _has_facts(predictions: Predictions) -> bool:
    rows = predictions.columns["predictions"]
    return "predicted_facts" in predictions.columns or (
        bool(rows) and isinstance(rows[0], dict) and "supporting_facts" in rows[0]
    )
