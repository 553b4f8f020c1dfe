"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.answer_equivalence.module import AnswerEquivalence

__all__ = ["AnswerEquivalence"]
