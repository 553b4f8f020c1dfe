"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.retriever_reader.module import RetrieverReader

__all__ = ["RetrieverReader"]
