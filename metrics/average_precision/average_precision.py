"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.average_precision.module import AveragePrecision

__all__ = ["AveragePrecision"]
