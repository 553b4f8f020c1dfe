"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.factoid_accuracy.module import FactoidAccuracy

__all__ = ["FactoidAccuracy"]
