"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.retrieval_ranking.module import RetrievalRanking

__all__ = ["RetrievalRanking"]
