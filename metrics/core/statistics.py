"""Resampling: which examples count how often, and which of two systems a pair of statistics goes to."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .ragged import Ragged

CELLS_AT_ONCE = 1 << 22  # resampling weights held at a time


def row_codes(arrays: Sequence[np.ndarray | Ragged], n: int) -> np.ndarray:
    """Numbers from 0 on, equal exactly for equal rows of n-long columns, int64 (n,); their order the values alone decide.

    Example:
        >>> row_codes([np.array([0.5, 0.5, 0.0]), np.array([1.0, 0.0, 1.0])], 3).tolist()
        [2, 1, 0]
    """
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
    kind_of = None if few else np.repeat(np.arange(len(counts)), counts)
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


def swap_counts(counts: np.ndarray, n_permutations: int, seed: int) -> Iterable[np.ndarray]:
    """Of `counts` (g,) pairs of each kind how many are swapped, when each is with probability 1/2.

    Returns:
        Blocks of (b, g) floats, n_permutations rows in all.
    """
    rng = np.random.default_rng(seed)
    m = int(counts.sum())
    few = 8 * len(counts) <= m  # one binomial draw per kind is then cheaper than one bit per pair
    starts = np.append(0, np.cumsum(counts)[:-1])
    step = max(1, CELLS_AT_ONCE // max(1, len(counts) if few else m))
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        if m == 0:
            yield np.zeros((size, len(counts)))
        elif few:
            yield rng.binomial(counts, 0.5, size=(size, len(counts))).astype(np.float64)
        else:
            width = 4 * -(-m // 32)  # whole words of the generator, so that the blocks do not matter
            bits = np.unpackbits(np.frombuffer(rng.bytes(size * width), np.uint8).reshape(size, width), axis=1)[:, :m]
            if len(counts) < m:
                bits = np.add.reduceat(bits, starts, axis=1, dtype=np.float64)
            yield bits.astype(np.float64, copy=False)


def every_swap(counts: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """All that `swap_counts` may give, (b, g), and how probable each is, (b,); None where they are more than `most`.

    Example:
        >>> swaps, shares = every_swap(np.array([2]), most=10)
        >>> swaps.tolist(), shares.round(6).tolist()
        ([[0.0], [1.0], [2.0]], [0.25, 0.5, 0.25])
    """
    if sum(math.log(count + 1) for count in counts.tolist()) > math.log(most) + 1e-9:
        return None
    swaps, shares = np.zeros((1, 0)), np.ones(1)
    for count in counts.tolist():
        logs = [math.lgamma(count + 1) - math.lgamma(x + 1) - math.lgamma(count - x + 1) for x in range(count + 1)]
        own = np.exp(np.array(logs) - count * math.log(2))
        swaps = np.column_stack([np.repeat(swaps, count + 1, axis=0), np.tile(np.arange(count + 1.0), len(swaps))])
        shares = np.repeat(shares, count + 1) * np.tile(own, len(shares))
    return swaps, shares


def check_level(level: Any) -> float:
    """A level of intervals and tests: a number between 0 and 1, exclusive.

    Raises:
        ValueError: it is none.
    """
    if isinstance(level, bool) or not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, exclusive, for example 0.95; got {level!r}")
    return float(level)


def check_draws(seed: Any, **counts: Any) -> None:
    """Refuse a seed, or numbers of draws, with which nothing can be drawn.

    Raises:
        ValueError: naming the argument.
    """
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ValueError(f"{name} must be a whole number of at least 1; got {count!r}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed must be a whole number of at least 0; got {seed!r}")
