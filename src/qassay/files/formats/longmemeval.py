"""LongMemEval: questions about long chats, and the log of its judge, which says yes or no to each answer."""

from typing import Any

from ...core.columns import rows_of_table
from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import same_type
from . import Format

METRIC = "claim_support"


def _has_columns(value: Any, metric: str | None, *names: str) -> bool:
    return metric in (None, METRIC) and isinstance(value, Table) and {"question_id", *names} <= value.columns.keys()


def _read_gold(content: Content, names: Any) -> Gold:
    """The ids and types of the questions; those whose ids contain _abs have no answer in the chats."""
    columns = content.value.columns
    ids = columns["question_id"]
    details = {name: columns[name] for name in ("question", "question_type", "question_date") if name in columns}
    details["abstention"] = ["yes" if "_abs" in str(name) else "no" for name in ids]
    golds = rows_of_table({"id": ids, "gold": columns["answer"]})
    golds = [{**row, "gold": str(row["gold"])} for row in golds]
    return Gold(content.path, "longmemeval", {"references": golds}, {"preset": "longmemeval"}, ids, details)


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    """The verdicts of `evaluate_qa.py`, of rows {"question_id", "hypothesis", "autoeval_label": {"label": true}}."""
    columns = content.value.columns
    if "autoeval_label" not in columns:
        problem = "this has answers without the verdicts of a judge (autoeval_label)"
        raise ValueError(f"{problem}; give what evaluate_qa.py writes, or score the texts with metric=answer_match")
    verdicts = [label if label is None else label["label"] for label in columns["autoeval_label"]]
    ids = same_type(columns["question_id"], gold.ids)
    return Predictions(content.path, {"predictions": rows_of_table({"id": ids, "verdicts": verdicts})})


LONGMEMEVAL = Format(
    "longmemeval",
    "a LongMemEval gold file",
    METRIC,
    lambda value, metric: _has_columns(value, metric, "question_type", "answer_session_ids", "haystack_session_ids"),
    read_gold=_read_gold,
)
LOG = Format(
    "longmemeval_log",
    "a log of LongMemEval's judge",
    METRIC,
    lambda value, metric: _has_columns(value, metric, "autoeval_label" if metric is None else "hypothesis"),
    order=10,
    read_predictions=_read_predictions,
)
