"""QuAC: predictions, a row for each dialog; its gold file is in the format of SQuAD."""

from collections.abc import Mapping
from typing import Any

from ...core.columns import check_lengths
from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from ..reading import FileError
from . import Format
from ._answers import METRIC, predicted_answers

_FIELDS = ("qid", "best_span_str", "yesno", "followup")


def _columns(value: Any) -> Mapping[str, Any]:
    """The columns of a table, or of the only dialog."""
    if isinstance(value, dict):
        return {name: [cell] for name, cell in value.items()}
    return value.columns if isinstance(value, Table) else {}


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    """Lists "qid", "best_span_str", "yesno" and "followup" in each row, of one length."""
    columns = _columns(content.value)
    fields = [name for name in _FIELDS if name in columns]
    found: dict[str, list[Any]] = {name: [] for name in fields}
    for row, lists in enumerate(zip(*(columns[name] for name in fields), strict=True)):
        try:
            check_lengths(**dict(zip(fields, lists, strict=True)))
        except ValueError as error:
            raise FileError(content.path, f"row {row}: {error}") from None
        for name, part in zip(fields, lists, strict=True):
            found[name] += part
    ids, answers = found.pop("qid"), found.pop("best_span_str")
    return predicted_answers(content.path, gold, ids, answers, details=found)


QUAC = Format(
    "quac_predictions",
    "QuAC predictions (rows of lists, qid and best_span_str)",
    METRIC,
    lambda value, metric: {"qid", "best_span_str"} <= _columns(value).keys(),
    read_predictions=_read_predictions,
)
