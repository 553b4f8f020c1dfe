"""Turns cells of predicted and true labels into the columns of the metric."""

from ...core.file_columns import Column, Gold
from ._label_cells import agreed_labels, label_rows
from ._labels import PREDICTED_LABELS, label_format

LABELS_ALONE = ("label", "labels"), ("class", "classes", "category", "categories")  # in a file of predictions


def label_columns(path: str, predicted: Column, gold: Gold, separator: str | None) -> dict[str, list]:
    """Both columns for labels."""
    rows = label_rows(path, predicted, gold, separator)
    truth = label_rows(gold.path, gold.truth, gold, separator)
    rows, truth = agreed_labels(rows, truth, predicted.is_text or gold.truth.is_text, gold)
    several = any(isinstance(row, (list, dict)) for row in rows[:1])
    return {"predictions": rows, "references": _as_lists(truth) if several else truth}


def true_labels(gold: Gold) -> dict[str, list]:
    """The true labels of a table as the column for predictions that are numbers of labels, a list in every row."""
    if gold.truth is None:
        return {}
    truth = label_rows(gold.path, gold.truth, gold, gold.names.get("separator"))
    _, truth = agreed_labels([0], truth, gold.truth.is_text, gold)
    return {"references": _as_lists(truth)}


def _as_lists(truth: list) -> list:
    """One label per row as a list of one."""
    return truth if truth and isinstance(truth[0], list) else [[label] for label in truth]


# The role separator is not a column, but the text between the labels of a cell.
LABELS = label_format("label_metrics", PREDICTED_LABELS, label_columns, LABELS_ALONE, roles=("separator",))
