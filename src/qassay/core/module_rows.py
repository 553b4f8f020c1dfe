"""Rows of batches on their way from one process to another."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .intake import Side

_ROWS_OF_A_TEXT = 10_000


def rows_as_texts(batch: Mapping[str, Any]) -> list[str]:
    """The columns of a batch as JSON texts, which keep every value of a row exactly, whichever columns a process happens to have."""
    starts = range(0, max([1, *map(len, batch.values())]), _ROWS_OF_A_TEXT)
    parts = ({name: _part(name, column, start) for name, column in batch.items()} for start in starts)
    return [json.dumps(part, default=_plain_value) for part in parts]


def _part(name: str, column: Any, start: int) -> Any:
    """Some rows of a column; of a side all that they hold."""
    if isinstance(column, Side):
        columns = {key: _part(name, cells, start) for key, cells in (column.columns | column.cells).items()}
        ids = None if column.ids is None else column.ids[start : start + _ROWS_OF_A_TEXT]
        return {"side": [column.name, columns, ids, column.by_id]}
    if getattr(column, "ndim", 1) == 2:
        raise TypeError(f"{name}: a matrix cannot go from one process to another: give lists")
    column = column.listed() if hasattr(column, "listed") else column
    return column[start : start + _ROWS_OF_A_TEXT]


def refusal_as_text(process: int, error: Exception) -> str:
    """The error of a process as the text that it sends in place of its rows."""
    return json.dumps(f"process {process} refused its rows: {error}")


def texts_as_batches(texts: Iterable[str]) -> list[dict[str, Any]]:
    """The batches of texts in order; texts without columns add nothing, and a refusal is an error."""
    batches = []
    for part in filter(None, map(json.loads, texts)):
        if isinstance(part, str):
            raise ValueError(part)
        batches.append({n: Side(*column["side"]) if isinstance(column, dict) else column for n, column in part.items()})
    return batches


def _plain_value(value: Any) -> Any:
    """Convert values without a JSON type, in columns whose rows are not checked yet."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(
        f"a {type(value).__name__} cannot go from one process to another: use strings, numbers, lists, dicts"
    )
