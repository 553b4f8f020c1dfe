"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.semantic_answer_similarity.module import SemanticAnswerSimilarity

__all__ = ["SemanticAnswerSimilarity"]
