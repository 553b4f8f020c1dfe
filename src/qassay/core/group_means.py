"""Means with intervals of many groups of examples at once: sums by group in place of a table for each group.

The formulas are those of `core.intervals` for a mean in which all examples count alike: its jackknife has a closed form in
the number, the squares and the fourth powers of the deviations.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .intervals import PER_CARRIER, Interval, Spread, spread_interval
from .measures import Mean, Measure, Share


def mean_spread(n: int, squares: float, fourths: float) -> Spread:
    """The jackknife spread of the mean of n values, from the sums of squares and fourth powers of their deviations."""
    if n < 2:
        return Spread(0.0, float(n), 0.0)
    carriers = squares**2 / fourths if fourths > 0 else math.inf
    return Spread(squares / (n * (n - 1)), float(n), max(1.0, min(n - 1.0, PER_CARRIER * carriers)))


def is_summed_by_group(scores: Any, measure: Measure) -> bool:
    """Whether a measure is a mean in which all examples of the scores count alike, each by itself and once."""
    if type(measure) not in (Mean, Share) or scores.n_runs > 1 or scores.are_buckets:
        return False
    weights = scores.weights
    alike = weights is None or bool(len(weights)) and bool((weights == weights[0]).all()) and bool(weights[0] > 0)
    return alike and (scores.groups is None or scores.groups.are_single)


def group_intervals(
    measure: Measure, values: np.ndarray, codes: np.ndarray, n_groups: int, level: float | None
) -> Sequence[tuple[float | None, int, Interval | None]]:
    """Value, number of examples and interval of a measure in each group; value None for a group without examples.

    Args:
        measure: one that `is_summed_by_group`.
        values: its value for each example, (n,), NaN where it does not apply.
        codes: the group of each example, (n,), below `n_groups`; -1 for none.
        level: of the intervals; None without intervals.
    """
    known = ~np.isnan(values) & (codes >= 0)
    values, codes = values[known], codes[known]
    n = np.bincount(codes, minlength=n_groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(codes, values, n_groups) / n
    deviations = values - means[codes]
    squares, fourths = (np.bincount(codes, deviations**power, n_groups).tolist() for power in (2, 4))
    are_shares = np.ones(n_groups, bool) if measure.is_share else _are_at_bounds(measure, values, codes, n_groups)
    cells: list[tuple[float | None, int, Interval | None]] = []
    sums = zip(n.tolist(), means.tolist(), squares, fourths, are_shares.tolist(), strict=True)
    for count, mean, square, fourth, is_share in sums:
        spread = mean_spread(count, square, fourth)
        if is_share and count:
            spread = spread._replace(variance=None, degrees=math.inf)
        value = mean if count else 0.0
        interval = None if level is None else spread_interval(measure.bounds, value, spread, level)
        cells.append((value if count else None, count, interval))
    return cells


def _are_at_bounds(measure: Measure, values: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """Whether all values of a group are at a bound of the measure, (groups,)."""
    if measure.bounds is None:
        return np.zeros(n_groups, bool)
    low, high = measure.bounds
    return ~np.bincount(codes[(values != low) & (values != high)], minlength=n_groups).astype(bool)
