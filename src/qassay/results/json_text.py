"""Plain data as JSON text that people can read too."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


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
