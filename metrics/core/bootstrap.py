"""Resampling: which examples count how often."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .options import check_whole
from .ragged import Ragged
from .shown import shown

CELLS_AT_ONCE = 1 << 22  # resampling weights held at a time
_MOST_DRAWS = 10**7  # of resamples and permutations: their values are held at once
_SEED_BITS = 1024  # numpy takes any, but more say nothing and take ever longer


def row_codes(arrays: Sequence[np.ndarray | Ragged], n: int) -> np.ndarray:
    """Numbers from 0 on, equal exactly for equal rows of n-long columns, int64 (n,); the values alone decide their order."""
    codes = np.zeros(n, np.int64)
    for array in arrays:
        array = array.codes() if isinstance(array, Ragged) else array
        if n == 0 or (array[0] == array).all():
            continue
        values, inverse = np.unique(array, return_inverse=True)
        _, codes = np.unique(codes * len(values) + inverse, return_inverse=True)
    return codes


def distinct_rows(arrays: Sequence[np.ndarray | Ragged], n: int) -> tuple[np.ndarray, np.ndarray]:
    """An example of each distinct row of n-long columns and how often the row occurs, in an order that the values alone decide.

    Resampling needs no more than this: drawing examples is drawing kinds of examples with their counts.
    """
    _, first, counts = np.unique(row_codes(arrays, n), return_index=True, return_counts=True)
    return first, counts


def resampling_weights(counts: np.ndarray, n_resamples: int, seed: int) -> Iterable[np.ndarray]:
    """Bootstrap weights of g kinds of examples of which there are `counts` (g,): blocks of (b, g) floats, n_resamples rows in all."""
    rng = np.random.default_rng(seed)
    n = int(counts.sum())
    few = 8 * len(counts) <= n  # one multinomial draw per kind is then cheaper than one draw per example
    kind_of = np.zeros(0, np.int64) if few else np.repeat(np.arange(len(counts)), counts)
    step = max(1, CELLS_AT_ONCE // max(1, len(counts)))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        if n == 0:
            yield np.zeros((size, 0))
        elif few:
            yield rng.multinomial(n, counts / n, size=size).astype(np.float64)
        else:
            draws = (np.bincount(kind_of[rng.integers(0, n, n)], minlength=len(counts)) for _ in range(size))
            yield np.stack([draw.astype(np.float64) for draw in draws])


def check_confidence(level: Any) -> float:
    """A level of intervals and tests: a number between 0 and 1, exclusive; a ValueError for all else."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, exclusive, for example 0.95; got {shown(level)}")
    return float(level)


def check_draws(seed: Any, **counts: Any) -> tuple[int, ...]:
    """The seed and the numbers of draws as ints; a TypeError or ValueError that names the argument."""
    whole = [check_whole(name, count, most=_MOST_DRAWS, kind="") for name, count in counts.items()]
    return check_whole("seed", seed, 0, 2**_SEED_BITS - 1, kind=""), *whole
