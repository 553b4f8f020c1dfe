"""Reads objects of ranx, ir_measures and ir_datasets, which are recognised by their attributes; none is imported."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.columns import is_table
from ..core.errors import blamed

_SIDES = {"predictions": ("run", "qrels"), "references": ("qrels", "run")}  # column -> attribute of ranx, of the other
_NAMED = {"query_id", "doc_id"}  # fields of the named tuples of ir_measures and ir_datasets


def from_library(value: Any, name: str) -> Any:
    """A Run or Qrels of ranx as dicts, named tuples such as ScoredDoc and Qrel as columns; anything else as it is.

    Args:
        name: "predictions" or "references".

    Raises:
        TypeError: judgements given as the run or vice versa, or tuples of several kinds.
    """
    if value is None or isinstance(value, (Mapping, str)) or is_table(value):
        return value
    own, other = _SIDES[name]
    if hasattr(value, "to_dict"):
        if not hasattr(value, own) and isinstance(getattr(value, other, None), Mapping):
            told = f"{name} is a {type(value).__name__}; give the run first, or both by name: run=..., qrels=..."
            raise blamed(TypeError(told), name)
        return value.to_dict() if isinstance(getattr(value, own, None), Mapping) else value
    if isinstance(value, Iterator):
        value = list(value)
    if not isinstance(value, (list, tuple)) or not value:
        return value
    fields = getattr(value[0], "_fields", ())
    if not _NAMED.issubset(fields):
        return value
    odd = next((row for row, item in enumerate(value) if getattr(item, "_fields", None) != fields), None)
    if odd is not None:
        kinds = f"{type(value[odd]).__name__}, unlike {type(value[0]).__name__} before it"
        raise blamed(TypeError(f"{name}[{odd}] is a {kinds}; give rows of one kind"), name)
    return dict(zip(fields, map(list, zip(*value, strict=True)), strict=True))
