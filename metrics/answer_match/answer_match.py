"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.answer_match.module import AnswerMatch

__all__ = ["AnswerMatch"]
