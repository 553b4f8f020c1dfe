"""Numbers as plain data: Python floats and ints, None where they are not finite."""

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
