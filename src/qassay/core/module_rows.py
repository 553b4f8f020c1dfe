"""Rows of batches: rows of matrices, which are joined into one matrix, and rows from other processes."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_ROWS_OF_A_TEXT = 10_000


class MatrixRow:
    """A row of a matrix that `add_batch` took in."""

    __slots__ = ("matrix", "number")

    def __init__(self, matrix: Any, number: int):
        self.matrix, self.number = matrix, number

    @property
    def layout(self) -> tuple[bool, str]:
        """The common properties of the rows of a matrix: whether it is sparse, and its number type."""
        return hasattr(self.matrix, "tocsr"), self.matrix.dtype.kind


def is_matrix(column: Any) -> bool:
    """Whether this is an array of two dimensions or a sparse matrix of scipy."""
    return hasattr(column, "dtype") and getattr(column, "ndim", 1) == 2


def matrix_rows(matrix: Any) -> list[MatrixRow]:
    """The rows of a copy of a matrix, because callers may reuse the array for the next batch."""
    kept = matrix.copy() if hasattr(matrix, "tocsr") else np.array(matrix)
    return [MatrixRow(kept, number) for number in range(kept.shape[0])]


def joined_matrix(rows: list[Any], name: str) -> Any:
    """Join the rows of a column into one matrix if they were added as matrices; else return them unchanged."""
    first = next((row for row in rows if isinstance(row, MatrixRow)), None)
    if first is None:
        return rows
    for number, row in enumerate(rows):
        if not isinstance(row, MatrixRow) or row.layout != first.layout:
            raise TypeError(
                f"{name}[{number}] came in a batch of another layout than the others; give all batches one layout"
            )
        if row.matrix.shape[1] != first.matrix.shape[1]:
            raise ValueError(
                f"{name}[{number}] came in a matrix of {row.matrix.shape[1]} columns, others in one of "
                f"{first.matrix.shape[1]}; give all batches the same columns"
            )
    matrices = [row.matrix for row in rows if row.number == 0]
    if not hasattr(first.matrix, "tocsr"):
        return np.concatenate(matrices)
    from scipy.sparse import vstack

    return vstack(matrices, format="csr")


def rows_as_texts(columns: Mapping[str, list[Any]]) -> list[str]:
    """Columns as JSON texts, which keep every value of a row exactly, whichever columns a process happens to have."""
    count = max(map(len, columns.values()), default=0)
    starts = range(0, max(count, 1), _ROWS_OF_A_TEXT)
    parts = ({name: rows[start : start + _ROWS_OF_A_TEXT] for name, rows in columns.items()} for start in starts)
    return [json.dumps(part, default=_plain_value) for part in parts]


def refusal_as_text(process: int, error: Exception) -> str:
    """The error of a process as the text that it sends in place of its rows."""
    return json.dumps(f"process {process} refused its rows: {error}")


def texts_as_rows(texts: Iterable[str]) -> dict[str, list[Any]]:
    """The columns of texts in order; texts without columns add nothing, and a refusal is an error."""
    gathered: dict[str, list[Any]] = {}
    for part in filter(None, map(json.loads, texts)):
        if isinstance(part, str):
            raise ValueError(part)
        if gathered and part.keys() != gathered.keys():
            raise ValueError(f"processes differ in their columns: {', '.join(gathered)} and {', '.join(part)}")
        for name, rows in part.items():
            gathered.setdefault(name, []).extend(rows)
    return gathered


def _plain_value(value: Any) -> Any:
    """Convert values without a JSON type, in columns whose rows are not checked yet."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(
        f"a {type(value).__name__} cannot go from one process to another: use strings, numbers, lists, dicts"
    )
