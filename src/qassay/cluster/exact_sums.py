"""Exact sums, which do not depend on the order or the partition of the summed numbers."""

import math
from typing import Any

import numpy as np

_SLICE_BITS = 30  # of a number in one integer: 2 ** 32 of them, and more, add up in 64 bits
ROWS_TOGETHER = 1 << 22  # this many slices add up exactly in a float64

Slices = dict[int, np.ndarray]


def exact_sums(column: np.ndarray, places: np.ndarray, n_places: int) -> Slices:
    """The sum of a column at each place, exact, as integers of slices, int64 (n_places,) each.

    Slice s of a number are its bits from 2 ** (30 s) down to 2 ** (30 s - 29); sums of slices are integers, which
    add up without rounding in any order.
    """
    sums: Slices = {}
    for place, part in slices_of(column).items():
        sums[place] = np.zeros(n_places, np.int64)
        for first in range(0, len(part), ROWS_TOGETHER):
            some = slice(first, first + ROWS_TOGETHER)
            sums[place] += np.bincount(places[some], part[some], n_places).astype(np.int64)
    return sums


def slices_of(column: np.ndarray) -> Slices:
    """The slices of finite numbers that are not all zero, as whole float64 numbers below 2 ** 30."""
    slices: Slices = {}
    rest = column
    while (peak := float(np.maximum(rest.max(initial=0.0), -rest.min(initial=0.0)))) > 0:
        place = -((1 - math.frexp(peak)[1]) // _SLICE_BITS)
        slices[place] = np.trunc(np.ldexp(rest, _SLICE_BITS - 1 - _SLICE_BITS * place))
        rest = rest - np.ldexp(slices[place], _SLICE_BITS * place - _SLICE_BITS + 1)
    return slices


def total_sums(slices: Slices) -> Any:
    """The correctly rounded sums over all buckets: a float, or an array (number of sums,)."""
    if not slices:
        return 0.0
    lowest = min(slices)
    totals = {place: part.sum(axis=-1) for place, part in slices.items()}
    power = _SLICE_BITS * lowest - _SLICE_BITS + 1

    def rounded(at: tuple[int, ...]) -> float:
        whole = sum(int(part[at]) << _SLICE_BITS * (place - lowest) for place, part in totals.items())
        return whole / (1 << -power) if power < 0 else float(whole << power)

    shape = totals[lowest].shape
    return np.array([rounded(at) for at in np.ndindex(shape)]).reshape(shape)


def rounded_sums(slices: Slices, n_places: int) -> np.ndarray:
    """The sums of each place, float64 (n_places,) or (number of sums, n_places)."""
    sums: np.ndarray = np.zeros(n_places)
    for place in sorted(slices):
        sums = sums + np.ldexp(slices[place].astype(np.float64), _SLICE_BITS * place - _SLICE_BITS + 1)
    return sums
