"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.label_metrics.module import LabelMetrics

__all__ = ["LabelMetrics"]
