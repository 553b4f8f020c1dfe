"""The result document as JSON text, and with names of measures that trackers accept."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.safe_names import safe_name


def json_text(document: Mapping[str, Any]) -> str:
    """Strict JSON, ending with a line break: a line per field, and a line per column or list of numbers and texts.

    Example:
        >>> print(json_text({"n": 2, "systems": [{"name": "a", "runs": [1, 2]}]}), end="")
        {
         "n": 2,
         "systems": [
          {
           "name": "a",
           "runs": [1, 2]
          }
         ]
        }
    """
    return "".join(_parts(document, "\n")) + "\n"


def _parts(tree: Any, line: str) -> Iterator[str]:
    """The pieces of the text; `line` begins a line at the depth of the tree."""
    inner = line + " "
    if isinstance(tree, dict) and tree:
        before = "{"
        for key, value in tree.items():
            yield f"{before}{inner}{_plain(str(key))}: "
            yield from _parts(value, inner)
            before = ","
        yield line + "}"
    elif isinstance(tree, list) and tree and isinstance(tree[0], dict):
        before = "["
        for value in tree:
            yield before + inner
            yield from _parts(value, inner)
            before = ","
        yield line + "]"
    else:
        yield _plain(tree)


def _plain(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, allow_nan=False)


def with_safe_measures(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with names of measures that trackers accept: `ndcg_at_10` for `ndcg@10`."""
    return {**document, "parts": [_safe_part(part) for part in document["parts"]]}


def _safe_part(part: Mapping[str, Any]) -> dict[str, Any]:
    measures = [
        {**one, "name": safe_name(one["name"]), "within": one["within"] and safe_name(one["within"])}
        for one in part["measures"]
    ]
    examples = {
        **part["examples"],
        "systems": {
            system: {**columns, "values": _safe_keys(columns["values"])}
            for system, columns in part["examples"]["systems"].items()
        },
    }
    return {
        **part,
        "leads": part["leads"] and safe_name(part["leads"]),
        "measures": measures,
        "values": _by_system(part["values"]),
        "runs": _by_system(part["runs"]),
        "right_by": {system: safe_name(measure) for system, measure in part["right_by"].items()},
        "slices": [
            {
                **slicing,
                "values": _by_system(slicing["values"]),
                "comparisons": list(map(_safe_measure, slicing["comparisons"])),
                "ranks": [list(map(_safe_measure, ranks)) for ranks in slicing["ranks"]],
            }
            for slicing in part["slices"]
        ],
        **{name: list(map(_safe_measure, part[name])) for name in ("comparisons", "ranks", "curves")},
        "examples": examples,
    }


def _safe_measure(one: Mapping[str, Any]) -> dict[str, Any]:
    return {**one, "measure": one["measure"] and safe_name(one["measure"])}


def _safe_keys(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {safe_name(name): value for name, value in tree.items()}


def _by_system(tree: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {system: _safe_keys(of) for system, of in tree.items()}
