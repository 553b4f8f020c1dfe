"""The result document: all numbers of a result as plain data, which every output format and the viewer read."""

from .document import document

__all__ = ["document"]
