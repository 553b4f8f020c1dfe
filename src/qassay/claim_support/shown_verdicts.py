"""Verdicts, and what they are on, as people read them."""

from collections.abc import Mapping
from typing import Any

from ..core.shown import shown
from .claims import CLAIM_FIELDS

_NO_VERDICT = "no verdict"


def gold_texts(row: Any) -> list[str]:
    """What belongs to a question: nuggets with their importance, claims, or texts."""
    if isinstance(row, Mapping) and "gold" in row:
        row = row["gold"]
    if row is None or isinstance(row, str):
        return [row] if row else []
    items = list(row) if isinstance(row, (list, tuple)) else [row]
    return [
        f"{item['importance']}: {item['text']}"
        if isinstance(item, Mapping) and {"importance", "text"} <= item.keys()
        else _word(item)
        for item in items
    ]


def verdict_texts(row: Any) -> list[str]:
    """The verdicts of a question."""
    if isinstance(row, Mapping) and "verdicts" in row:
        row = row["verdicts"]
    if isinstance(row, Mapping) and "statements" in row:
        row = row["statements"]
    if isinstance(row, Mapping) and row.keys() & {*CLAIM_FIELDS}:
        return [f"{name}: {_word(row[name])}" for name in CLAIM_FIELDS if row.get(name) is not None]
    if row is None:
        return []
    items = list(row) if isinstance(row, (list, tuple)) else [row]
    return [_verdict_text(item) for item in items]


def _verdict_text(item: Any) -> str:
    if not isinstance(item, Mapping):
        return _word(item)
    verdict = next((item[key] for key in ("assignment", "verdict", "entailed", "grade") if key in item), None)
    text = item.get("text", f"citations {_word(item['citations'])}" if "citations" in item else "")
    return f"{_word(verdict)}: {text}" if text else _word(verdict)


def _word(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(f"({_word(item)})" if isinstance(item, (list, tuple)) else _word(item) for item in value)
    return _NO_VERDICT if value is None or value == "" else value if isinstance(value, str) else shown(value)
