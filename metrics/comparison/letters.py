"""Letters of systems that cannot be told apart: a compact letter display."""

from collections.abc import Sequence

import numpy as np


def compact_letters(differ: np.ndarray) -> list[str]:
    """The letters of each of k items; two items share a letter exactly where they do not differ.

    Args:
        differ: symmetric bools (k, k), of items in the order in which letters are given out, the best first.

    Source: Piepho (2004), "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons": insert and absorb.

    Example:
        >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
        ['a', 'ab', 'b']
    """
    size = len(differ)
    columns: list[frozenset[int]] = [frozenset(range(size))]
    for first in range(size):
        for second in range(first + 1, size):
            if not differ[first, second]:
                continue
            split = [part for column in columns for part in _without_pair(column, first, second)]
            columns = [part for place, part in enumerate(split) if not _is_absorbed(part, place, split)]
    columns.sort(key=sorted)
    return ["".join(letter_of(place) for place, column in enumerate(columns) if item in column) for item in range(size)]


def _without_pair(column: frozenset[int], first: int, second: int) -> Sequence[frozenset[int]]:
    if first in column and second in column:
        return (column - {second}, column - {first})
    return (column,)


def _is_absorbed(part: frozenset[int], place: int, columns: Sequence[frozenset[int]]) -> bool:
    return any(part < other or part == other and place > at for at, other in enumerate(columns))


def letter_of(place: int) -> str:
    """The letter of a place from 0 on: a to z, then a2 to z2, and so on."""
    turn, rest = divmod(place, 26)
    return chr(ord("a") + rest) + (str(turn + 1) if turn else "")
