"""Plain data: numbers as Python floats and ints, None where they are not finite, and their text as JSON."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

MOST_POINTS = 500  # of a curve


def finite(value: Any, factor: float = 1) -> Any:
    """A number times a factor; None if it is not finite."""
    if value is None:
        return None
    if isinstance(value, (int, np.integer)) and factor == 1:
        return int(value)
    value = factor * float(value)
    return value if math.isfinite(value) else None


def numbers(values: Any, factor: float = 1) -> list[Any]:
    """A column of numbers as a list, None where they are not finite."""
    column = factor * np.asarray(values, np.float64)
    return [value if math.isfinite(value) else None for value in column.tolist()]


def short_numbers(values: np.ndarray) -> list[Any]:
    """A column rounded to 6 decimals, whole numbers as ints; None where they are not finite."""
    distinct, codes = np.unique(np.round(values, 6), return_inverse=True)  # far fewer than values
    listed = [int(value) if value.is_integer() else finite(value) for value in distinct.tolist()]
    return [listed[code] for code in codes.tolist()]


def plain(tree: Any) -> Any:
    """Nested dicts and lists with plain numbers."""
    if isinstance(tree, Mapping):
        return {str(key): plain(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [plain(value) for value in tree]
    if isinstance(tree, (bool, str)) or tree is None:
        return tree
    return finite(tree)


def kept_points(values: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """The indices of at most so many points, evenly spread, with the ends, the highest and the lowest one."""
    n = len(values)
    if n <= most:
        return np.arange(n)
    spread = np.unique(np.linspace(0, n - 1, most - 2).round().astype(np.int64))
    return np.unique([*spread, int(np.nanargmax(values)), int(np.nanargmin(values))])


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
