"""Means with intervals of many groups of examples at once: sums by group in place of a table for each group.

The formulas are those of `core.intervals` for a mean in which all examples count alike: its jackknife has a closed form in
the number, the squares and the fourth powers of the deviations.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .intervals import PER_CARRIER, Interval, Spread, spread_interval
from .measures import Mean, Measure, Share


class GroupMeans(NamedTuple):
    """A column summed by group.

    Attributes:
        n: int64 (groups,), the number of values in each group.
        means: float64 (groups,), NaN for an empty group.
        spreads: the spread of each mean.
    """

    n: np.ndarray
    means: np.ndarray
    spreads: list[Spread]

    @classmethod
    def of(cls, values: np.ndarray, codes: np.ndarray, n_groups: int) -> "GroupMeans":
        """Make it from values and the group of each; NaN values and groups below 0 are left out."""
        known = ~np.isnan(values) & (codes >= 0)
        if not known.all():
            values, codes = values[known], codes[known]
        n = np.bincount(codes, minlength=n_groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(codes, values, n_groups) / n
        deviations = values - means[codes]
        squares, fourths = (np.bincount(codes, deviations**power, n_groups).tolist() for power in (2, 4))
        spreads = [mean_spread(*of) for of in zip(n.tolist(), squares, fourths, strict=True)]
        return cls(n, means, spreads)


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
    found = GroupMeans.of(values, codes, n_groups)
    are_shares = np.ones(n_groups, bool) if measure.is_share else _are_at_bounds(measure, values, codes, n_groups)
    cells: list[tuple[float | None, int, Interval | None]] = []
    for n, mean, spread, is_share in zip(
        found.n.tolist(), found.means.tolist(), found.spreads, are_shares.tolist(), strict=True
    ):
        value = mean if n else 0.0
        spread = spread._replace(variance=None, degrees=math.inf) if is_share and n else spread
        interval = None if level is None else spread_interval(measure.bounds, value, spread, level)
        cells.append((value if n else None, n, interval))
    return cells


def _are_at_bounds(measure: Measure, values: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """Whether all values of a group are at a bound of the measure, (groups,)."""
    if measure.bounds is None:
        return np.zeros(n_groups, bool)
    low, high = measure.bounds
    inside = ~((values == low) | (values == high) | np.isnan(values)) & (codes >= 0)
    return ~np.bincount(codes[inside], minlength=n_groups).astype(bool)
