"""Plain data as JSON text that people can read too, and a document with names of measures that trackers accept."""

import json
from collections.abc import Mapping
from typing import Any

from ..core.safe_names import safe_name

_NAMING = ("name", "measure", "leads", "within")  # fields that hold the name of a measure


def json_text(document: Mapping[str, Any]) -> str:
    """Strict JSON, ending with a line break: a line per field, and a line per column or list of numbers and texts."""
    return _indented(document, "\n") + "\n"


def _indented(tree: Any, line: str) -> str:
    """The text of a tree; `line` begins a line at its depth."""
    inner = line + " "
    if isinstance(tree, dict) and tree:
        pairs = [f"{inner}{_on_one_line(str(key))}: {_indented(value, inner)}" for key, value in tree.items()]
        return f"{{{','.join(pairs)}{line}}}"
    if isinstance(tree, list) and tree and isinstance(tree[0], dict):
        return f"[{','.join(inner + _indented(value, inner) for value in tree)}{line}]"
    return _on_one_line(tree)


def _on_one_line(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, allow_nan=False)


def with_safe_measures(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with names of measures that trackers accept: `ndcg_at_10` for `ndcg@10`."""
    safe = {one["name"]: safe_name(one["name"]) for part in document["parts"] for one in part["measures"]}

    def renamed(fields: dict[str, Any]) -> dict[str, Any]:
        found = {safe.get(key, key): value for key, value in fields.items()}
        found |= {
            key: safe.get(value, value) for key, value in found.items() if key in _NAMING and isinstance(value, str)
        }
        if "right_by" in found:
            found["right_by"] = {system: safe.get(measure, measure) for system, measure in found["right_by"].items()}
        return found

    return {**document, "parts": json.loads(json.dumps(document["parts"]), object_hook=renamed)}
