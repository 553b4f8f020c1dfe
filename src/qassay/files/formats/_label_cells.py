"""Cells: lists in text, what text means as a label, and labels of two files as one type."""

import ast
import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from ...core.file_columns import Column, Gold
from ..json_text import JsonError, read_json_cell
from ..reading import FileError

PLAIN = {str, int, float, bool}  # what a label may be
_WHOLE = re.compile(r"(-?(?:0|[1-9]\d{0,18}))(?:\.0+)?")
_PLACES = {"id", "answer_start", "type"}  # fields of a gold answer that are not its text
_INDICES = {"indices", "scores"}


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


def cell_key(cell: Any, separator: str | None = None) -> frozenset[str] | None:
    """The texts that a cell of gold data says, the same in every kind of file and every layout; None for null.

    Example:
        >>> cell_key(" 3.0") == cell_key(3) == cell_key({"id": 1, "answers": [{"text": "3", "answer_start": 0}]})
        True
        >>> sorted(cell_key("b; a", ";")), sorted(cell_key([{"importance": "vital", "text": "a"}]))
        (['a', 'b'], ['vital: a'])
    """
    if isinstance(cell, str) and separator is not None:
        cell = split_cell(cell, separator)
    if isinstance(cell, str) and cell.lstrip().startswith(("[", "{")):
        with contextlib.suppress(FileError):
            cell = list_cell("", 0, cell, "")
    if isinstance(cell, Mapping):
        parts = [part for name, part in cell.items() if name not in _PLACES]
        if all(part is None for part in parts):
            return None
        nested = [part for part in parts if isinstance(part, (Mapping, list, tuple))]
        texts = [text for part in parts if part not in nested for text in cell_key(part) or ()]
        return frozenset([": ".join(texts)] * bool(texts)).union(*(cell_key(part) or () for part in nested))
    if isinstance(cell, (list, tuple, set)):
        return frozenset().union(*(cell_key(part) or () for part in cell))
    if cell is None:
        return None
    label = cell.strip() if isinstance(cell, str) else cell
    truth = truth_value(label)
    whole = as_integer(label) if isinstance(label, (str, int, float)) else None
    text = str(int(truth)) if truth is not None else str(label) if whole is None else str(whole)
    return frozenset([text] * bool(text))


def label_rows(path: str, column: Column, gold: Gold, separator: str | None) -> list:
    """The cells of a column as labels, lists or dicts."""
    cells = column.cells
    if separator is not None:
        return [split_cell(cell, separator) if isinstance(cell, str) else cell for cell in cells]
    if not column.is_text:
        return cells
    first = next((cell for cell in cells if cell), "")
    task, lists = gold.options.get("task"), ("multi",) if column is gold.truth else ("multi", "ranked")
    if task in lists or (task != "single" and first.startswith(("[", "{"))):
        return list_cells(path, cells)
    for row, cell in enumerate(cells):
        if not cell:
            raise FileError(path, f"row {row} has no label; give one in every row, for example none")
    return cells


def split_cell(cell: str, separator: str) -> list[str]:
    """The values of a cell with a separator between, without blanks around them and without empty ones."""
    return [label.strip() for label in cell.split(separator) if label.strip()]


def list_cells(path: str, cells: list[str]) -> list:
    """Cells of text as lists or objects of labels; an empty cell has no label.

    Raises:
        FileError: a cell that is neither, with its row.
    """
    advice = (
        'labels; write it as ["a", "b"], or name the separator of labels, for example columns={"separator": ";"} (one label '
        "per row: the option task=single)"
    )
    return [list_cell(path, row, cell, advice) if cell.strip() else [] for row, cell in enumerate(cells)]


def list_cell(path: str, row: int, cell: str, advice: str) -> Any:
    """A list or object in a cell of text, as JSON or as Python writes it.

    Args:
        advice: what the list is of, and how to write it.

    Raises:
        FileError: naming the row.
    """
    for parse in (read_json_cell, _read_python):
        try:
            value = parse(cell)
        except JsonError as error:
            raise FileError(path, f"row {row}: {error}; {error.advice}") from None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, (list, dict, tuple)):
            return list(value) if isinstance(value, tuple) else value
    raise FileError(path, f"row {row}: {cell[:60]!r} is not a list of {advice}")


def _read_python(cell: str) -> Any:
    """A list or dict as Python writes it."""
    value = ast.literal_eval(cell)
    body: Any = ast.parse(cell.strip(), mode="eval").body
    if isinstance(value, dict) and len(body.keys) != len(value):
        raise JsonError("duplicate key in one object", "", True, "give it once")
    return value


def agreed_labels(rows: list, truth: list, is_text: bool, gold: Gold) -> tuple[list, list]:
    """Labels of both sides as one type, where files of text or JSON keys left it open.

    They are integers if all labels of both sides are, and text if one side has only text.
    """
    keys = any(isinstance(row, dict) for row in rows[:1])
    flat = [*_flat(rows), *_flat(truth)]
    kinds, requested = set(map(type, flat)), gold.options.get("labels")
    if not kinds <= PLAIN:  # the metric says what is wrong
        return rows, truth
    if isinstance(requested, (list, tuple)) and any(isinstance(label, str) for label in requested):
        return _mapped(rows, str), _mapped(truth, str)
    if not is_text and len(kinds) <= 1:
        return rows, truth
    for parse in (as_integer, truth_value):
        parse_once = functools.lru_cache(None, typed=True)(parse)
        if all(parse_once(label) is not None for label in flat):
            return _mapped(rows, parse_once), _mapped(truth, parse_once)
    return (_mapped(rows, str), _mapped(truth, str)) if is_text or keys else (rows, truth)


def _flat(rows: list) -> Iterable[Any]:
    """All labels of a column."""
    if not any(isinstance(row, (list, dict)) for row in rows[:1]):
        return rows
    return chain.from_iterable(_labels_of(row) for row in rows)


def _labels_of(row: Any) -> Iterable[Any]:
    if isinstance(row, dict):
        return row["indices"] if row.keys() == _INDICES and isinstance(row["indices"], list) else row
    return row if isinstance(row, list) else [row]


def _mapped(rows: list, parse: Callable[[Any], Any]) -> list:
    if not any(isinstance(row, (list, dict)) for row in rows[:1]):
        return list(map(parse, rows))
    return [_mapped_row(row, parse) for row in rows]


def _mapped_row(row: Any, parse: Callable[[Any], Any]) -> Any:
    if isinstance(row, dict):
        parsed = {parse(label): score for label, score in row.items()}
        return row if row.keys() == _INDICES or len(parsed) < len(row) else parsed
    return list(map(parse, row)) if isinstance(row, list) else parse(row)


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
