"""Precision, recall or F1 of each class of label_metrics, regardless of the requested measures."""

from typing import Any, NamedTuple

from ..core.options import check_choice
from ..core.scores import Scores
from .measures import CLASS_METRICS, class_ratio, sums_once


class ClassResult(NamedTuple):
    """The value of a class, 0..1 or NaN where it is 0 / 0 and omitted, and its support: the weight of its examples."""

    value: float
    support: float


def class_scores(scores: Scores, metric: str = "f1") -> dict[Any, ClassResult]:
    """The metric for each class, as in scikit-learn with `average=None`.

    Args:
        scores: of label_metrics, one label or a set of labels per example.
        metric: "precision", "recall", "f1" or "jaccard".

    Raises:
        ValueError: other scores, or an unknown metric.

    Example:
        >>> import qassay
        >>> results = class_scores(qassay.score("label_metrics", ["cat", "dog", "cat"], ["cat", "dog", "dog"]))
        >>> {label: (round(result.value, 3), result.support) for label, result in results.items()}
        {'cat': (0.667, 1.0), 'dog': (0.667, 2.0)}
    """
    check_choice("metric", metric, CLASS_METRICS)
    layouts = (("prediction", "reference"), ("tp", "fp", "fn"))
    columns = next((names for names in layouts if set(names) <= scores.columns.keys()), None)
    if columns is None or getattr(scores.options, "family", None) != "label_metrics":
        raise ValueError("scores of classes are made of label_metrics with one label or a set of labels per example")
    labels = scores.options.classes.labels
    tp, fp, fn = sums_once(scores.rows, columns, len(labels))
    values = class_ratio(metric, tp, fp, fn, float(scores.options.zero_division))
    return {
        label: ClassResult(float(value), float(support))
        for label, value, support in zip(labels, values, tp + fn, strict=True)
    }
