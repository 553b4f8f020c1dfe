"""Cells of tables that are written as text: lists and objects in JSON or Python, or values with a separator between."""

import contextlib
import re
from collections.abc import Mapping
from typing import Any

from ...core.written import python_value
from ..json_text import JsonError, read_json

_WHOLE = re.compile(r"(-?(?:0|[1-9]\d{0,18}))(?:\.0+)?")
_NOT_TEXT = {"id", "answer_start", "type"}  # fields of gold data


def without_nulls(cells: list) -> list:
    """Cells of Parquet that are objects: there each has the keys of all, null where a row does not, or is a map."""
    first = next((cell for cell in cells if cell), None)
    if isinstance(first, list) and isinstance(first[0], tuple):
        return [cell if cell is None else dict(cell) for cell in cells]
    if not isinstance(first, dict):
        return cells
    return [
        {key: value for key, value in cell.items() if value is not None} if isinstance(cell, dict) else cell
        for cell in cells
    ]


def read_cell(row: int, cell: Any, separator: str | None, of: str, begins: tuple[str, ...] = ("[",)) -> Any:
    """A cell of text as the list or object in it, or as the values between separators; other cells unchanged.

    Args:
        of: what a list is of, and how to write it.
        begins: how a list or an object begins.
    """
    if not isinstance(cell, str):
        return cell
    if separator is None:
        return list_cell(row, cell, of) if cell.lstrip().startswith(begins) else cell
    if cell.lstrip().startswith(("[", "{")):
        with contextlib.suppress(ValueError):
            return list_cell(row, cell, of)
    return split_cell(cell, separator)


def split_cell(cell: str, separator: str) -> list[str]:
    """The values of a cell with a separator between, without blanks around them and without empty ones."""
    return [label.strip() for label in cell.split(separator) if label.strip()]


def list_cell(row: int, cell: str, of: str) -> Any:
    """A list or object in a cell of text, as JSON or as Python writes it.

    Raises:
        ValueError: naming the row.
    """
    try:
        value = read_json(cell)
    except JsonError as error:
        if error.is_complete:
            raise ValueError(f"row {row}: {error}; {error.advice}") from None
        value = python_value(cell.strip())
    if not isinstance(value, (list, dict, tuple)):
        raise ValueError(f"row {row}: {cell[:60]!r} is not a list of {of}")
    return list(value) if isinstance(value, tuple) else value


def as_integer(label: Any) -> int | None:
    """A label as an integer, where it is one: 3, "3", "3.0"."""
    if isinstance(label, str):
        digits = _WHOLE.fullmatch(label)
        return int(digits[1]) if digits else None
    if isinstance(label, bool):
        return None
    return int(label) if isinstance(label, int) or label.is_integer() else None


def truth_value(label: Any) -> bool | None:
    """A label as true or false, where it is one: True, "true", "False"."""
    if isinstance(label, str):
        return {"true": True, "false": False}.get(label.lower())
    return label if isinstance(label, bool) else None


def cell_key(cell: Any, separator: str | None = None) -> frozenset[str] | None:
    """The texts in a cell of gold data, the same for every kind of file and every layout; None for null.

    Example:
        >>> cell_key(" 3.0") == cell_key(3) == cell_key({"id": 1, "answers": [{"text": "3", "answer_start": 0}]})
        True
        >>> sorted(cell_key("b; a", ";")), sorted(cell_key([{"importance": "vital", "text": "a"}]))
        (['a', 'b'], ['vital: a'])
    """
    if cell is None:
        return None
    if isinstance(cell, str) and separator is not None:
        cell = split_cell(cell, separator)
    if isinstance(cell, str) and cell.lstrip().startswith(("[", "{")):
        with contextlib.suppress(ValueError):
            cell = list_cell(0, cell, "")
    if isinstance(cell, Mapping):
        parts = [part for name, part in cell.items() if name not in _NOT_TEXT]
        if all(part is None for part in parts):
            return None
        nested = [part for part in parts if isinstance(part, (Mapping, list, tuple))]
        texts = [text for part in parts if part not in nested for text in cell_key(part) or ()]
        return frozenset([": ".join(texts)] * bool(texts)).union(*(cell_key(part) or () for part in nested))
    if isinstance(cell, (list, tuple, set)):
        return frozenset().union(*(cell_key(part) or () for part in cell))
    label = cell.strip() if isinstance(cell, str) else cell
    truth = truth_value(label)
    whole = as_integer(label) if isinstance(label, (str, int, float)) else None
    text = str(int(truth)) if truth is not None else str(label) if whole is None else str(whole)
    return frozenset([text] * bool(text))
