"""The kinds of files of average_precision: tables of scores and true labels, and rows of boxes."""

import dataclasses
from typing import Any

from ..core.file_columns import Gold, Predictions
from ..files.content import Content
from ..files.kinds import GOLD_AND_PREDICTIONS, Kind
from ..files.label_tables import PREDICTED_SCORES, LabelFiles, LabelReader, as_labels, label_table
from ..files.tables import Names
from .read_boxes import has_boxes, read_found_boxes, read_gold_boxes
from .read_scores import class_columns, score_cells

_METRIC = "average_precision"
_READER = LabelReader(_METRIC, PREDICTED_SCORES, class_columns, text_cells=score_cells)


def _as_boxes(value: Any) -> bool | dict[str, Any]:
    table = label_table(value)
    return table is not None and has_boxes(table) and as_labels(value)


_BOXES = Kind(
    "boxes",
    "rows of boxes",
    GOLD_AND_PREDICTIONS,
    _METRIC,
    read_gold_boxes,
    read_found_boxes,
    is_table=True,
    fits=lambda value, asked: asked == _METRIC and _as_boxes(value),
    order=30,
)


class CurveFiles(LabelFiles):
    """Rows of boxes, and tables of scores and true labels where the metric is requested."""

    metric = _METRIC
    kinds = (
        _BOXES,
        _READER.kind(),
        dataclasses.replace(_BOXES, fits=lambda value, asked: asked is None and _as_boxes(value), order=55),
    )
    other_roles = ("score",)
    predicted = PREDICTED_SCORES
    gold_files = "give a table with columns of scores and true labels, or rows of boxes (JSON), {id, boxes, labels}"

    def read_gold(self, content: Content, kind: Kind, names: Names) -> Gold:
        return super().read_gold(content, kind, _with_scores(names))

    def read_predictions(self, content: Content, kind: Kind, gold: Gold, names: Names) -> Predictions:
        return super().read_predictions(content, kind, gold, _with_scores(names))


def _with_scores(names: Names) -> Names:
    """The names of columns, where the role `score`, of rankings, is another name of predictions."""
    if "score" not in names or "predictions" in names:
        return names
    return {"predictions" if role == "score" else role: name for role, name in names.items()}


FILES = CurveFiles()
