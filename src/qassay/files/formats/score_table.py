"""Cells of scores and of true labels as the columns of the metric."""

from typing import Any

from ...core.file_columns import Column, Gold
from ..reading import number_cells
from ._label_cells import agreed_labels, as_integer, label_rows, list_cells, truth_value
from ._labels import PREDICTED_SCORES, label_format


def _score_cells(path: str, cells: list[str], name: str, gold: Gold) -> list:
    """Cells of text as numbers, or as lists or objects of numbers; cells of boxes as they are."""
    if gold.options.get("task") == "boxes":
        return cells
    if any(cell.startswith(("[", "{")) for cell in cells[:1]):
        return list_cells(path, cells)
    return number_cells(path, cells, name)


def _class_columns(path: str, predicted: Column, gold: Gold, separator: str | None) -> dict[str, list]:
    """Both columns for scores."""
    scores, truth = predicted.cells, gold.truth
    if gold.options.get("task") == "boxes":
        return {"predictions": _box_cells(path, predicted), "references": _box_cells(gold.path, truth)}
    if any(isinstance(row, (list, dict)) for row in scores[:1]):
        classes = label_rows(gold.path, truth, gold, separator)
        if isinstance(scores[0], dict):
            scores, classes = agreed_labels(scores, classes, predicted.is_text or truth.is_text, gold)
        elif truth.is_text:
            _, classes = agreed_labels([], classes, True, gold)
        return {"predictions": scores, "references": classes}
    return {"predictions": scores, "references": _positives(truth, gold.options.get("pos_label"))}


def _box_cells(path: str, column: Column) -> list:
    return list_cells(path, column.cells) if column.is_text else column.cells


def _positives(truth: Column, pos_label: Any) -> list:
    """What is right: as text where the positive class is named by text, else numbers or truths where all are."""
    if isinstance(pos_label, str):
        return [cell if cell is None or isinstance(cell, (list, dict)) else str(cell) for cell in truth.cells]
    if truth.is_text:
        for parse in (as_integer, truth_value):
            parsed = list(map(parse, truth.cells))
            if None not in parsed:
                return parsed
    return truth.cells


SCORES = label_format("average_precision", PREDICTED_SCORES, _class_columns, text_cells=_score_cells, roles=("score",))
