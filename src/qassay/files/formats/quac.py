"""QuAC: predictions, a row for each dialog; its gold file is in the format of SQuAD."""

from collections.abc import Mapping
from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import FileError
from . import Format
from ._answer_columns import METRIC, predicted_answers

_FIELDS = ("qid", "best_span_str", "yesno", "followup")


def _columns(value: Any) -> Mapping[str, Any]:
    """The columns of a table, or of the only dialog."""
    if isinstance(value, dict):
        return {name: [cell] for name, cell in value.items()}
    return value.columns if isinstance(value, Table) else {}


def _is_predictions(value: Any, metric: str | None) -> bool:
    return {"qid", "best_span_str"} <= _columns(value).keys()


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    """Lists "qid", "best_span_str", "yesno" and "followup" in each row.

    Raises:
        FileError: lists of different lengths in a dialog.
    """
    columns = _columns(content.value)
    found: dict[str, list[Any]] = {name: [] for name in _FIELDS if name in columns}
    for row in range(len(columns["qid"])):
        lists = {name: columns[name][row] for name in found}
        if not all(isinstance(part, list) and len(part) == len(lists["qid"]) for part in lists.values()):
            raise FileError(content.path, f"row {row} needs lists of equal length in {', '.join(found)}")
        for name, part in lists.items():
            found[name] += part
    ids, answers = found.pop("qid"), found.pop("best_span_str")
    return predicted_answers(content.path, gold, ids, answers, details=found)


QUAC = Format(
    "quac_predictions",
    "QuAC predictions (rows of lists, qid and best_span_str)",
    METRIC,
    _is_predictions,
    read_predictions=_read_predictions,
)
