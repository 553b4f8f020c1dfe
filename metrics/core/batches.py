"""Rows of matrices: batches of arrays and sparse matrices, kept row by row until they are one matrix again."""

from typing import Any

import numpy as np


class MatrixRow:
    """A row of a matrix that `add_batch` took in."""

    __slots__ = ("matrix", "number")

    def __init__(self, matrix: Any, number: int):
        self.matrix, self.number = matrix, number

    @property
    def layout(self) -> tuple[bool, str]:
        """What rows of one matrix have in common: whether it is sparse, and its kind of numbers."""
        return hasattr(self.matrix, "tocsr"), self.matrix.dtype.kind


def is_matrix(column: Any) -> bool:
    """Whether this is an array of two dimensions or a sparse matrix of scipy.

    >>> is_matrix(np.zeros((2, 3))), is_matrix(np.zeros(2))
    (True, False)
    """
    return hasattr(column, "dtype") and getattr(column, "ndim", 1) == 2


def matrix_rows(matrix: Any) -> list[MatrixRow]:
    """The rows of a copy of a matrix: callers may fill the same array again for the next batch."""
    kept = matrix.copy() if hasattr(matrix, "tocsr") else np.array(matrix)
    return [MatrixRow(kept, number) for number in range(kept.shape[0])]


def joined_matrix(rows: list, name: str) -> Any:
    """The rows of a column as one matrix, where they were added as matrices; otherwise as they are.

    Raises:
        TypeError: matrices and something else; ValueError: matrices of different widths.
    """
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
