"""Recognises the kind of a file by its content, never by its name."""

from typing import Any

from .content import Content
from .kinds import Kind, all_kinds

__all__ = ["Kind", "sniff"]


def sniff(content: Content, metric: str | None = None) -> Kind:
    """The kind of a file.

    Args:
        metric: what is to be scored, which decides what tables and lists by id are; by default their columns do.
    """
    for kind in all_kinds():
        fitting = kind.of(content.value, metric)
        if fitting is not None:
            return fitting
    return Kind("unknown", _shape(content.value), frozenset(), keeps_duplicates=True)


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        keys = [str(key) for key in value]
        if not keys:
            return "an empty JSON object"
        return f"a JSON object with the keys {', '.join(keys[:5])}" + (", ..." if len(keys) > 5 else "")
    if isinstance(value, list):
        kinds = sorted({_JSON_NAMES.get(type(item), "other value") for item in value})
        return f"a JSON list of {' and '.join(kind + 's' for kind in kinds)}" if value else "an empty JSON list"
    return f"a JSON {_JSON_NAMES.get(type(value), 'value')}"


_JSON_NAMES = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "list",
}
