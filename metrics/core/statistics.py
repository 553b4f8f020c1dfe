"""Resampling: which examples count how often."""

from collections.abc import Iterable, Sequence

import numpy as np

from .ragged import Ragged

_CELLS_AT_ONCE = 1 << 22  # resampling weights held at a time


def distinct_rows(arrays: Sequence[np.ndarray | Ragged], n: int) -> tuple[np.ndarray, np.ndarray]:
    """An example of each distinct row of n-long columns and how often the row occurs, in an order that the values alone decide.

    Resampling needs no more than this: drawing examples is drawing kinds of examples with their counts.
    """
    codes = np.zeros(n, np.int64)
    first, counts = np.zeros(min(n, 1), np.int64), np.full(min(n, 1), n)
    for array in arrays:
        array = array.codes() if isinstance(array, Ragged) else array
        if n == 0 or (array[0] == array).all():
            continue
        values, inverse = np.unique(array, return_inverse=True)
        _, first, codes, counts = np.unique(
            codes * len(values) + inverse, return_index=True, return_inverse=True, return_counts=True
        )
    return first, counts


def resampling_weights(counts: np.ndarray, n_resamples: int, seed: int) -> Iterable[np.ndarray]:
    """Bootstrap weights of g kinds of examples of which there are `counts` (g,): blocks of (b, g) floats, n_resamples rows in all."""
    rng = np.random.default_rng(seed)
    n = int(counts.sum())
    few = 8 * len(counts) <= n  # one multinomial draw per kind is then cheaper than one draw per example
    kind_of = None if few else np.repeat(np.arange(len(counts)), counts)
    step = max(1, _CELLS_AT_ONCE // max(1, len(counts)))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        if n == 0:
            yield np.zeros((size, 0))
        elif few:
            yield rng.multinomial(n, counts / n, size=size).astype(np.float64)
        else:
            draws = (np.bincount(kind_of[rng.integers(0, n, n)], minlength=len(counts)) for _ in range(size))
            yield np.stack([draw.astype(np.float64) for draw in draws])
