"""Outlier slices: better or worse than all examples by more than chance explains, corrected for their number."""

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.interval_settings import Intervals
from ..core.scores import Scores

_DRAWS_IN_A_TAIL = 10  # resamples beyond each end of an interval, at least


class OutlierSlice(NamedTuple):
    """A slice that is better or worse than all examples by more than chance explains.

    Attributes:
        interval: of the value, at the corrected level.
        n: how many of its examples the measure applies to.
        is_better: whether the slice is better than all examples together, or worse.
    """

    label: str
    value: float
    interval: tuple[float, float]
    n: int
    is_better: bool


def outlier_slices(
    scores: Scores,
    labels: Sequence[str],
    measure: str,
    settings: Intervals = Intervals(),
    *,
    fewest: int = 30,
) -> list[OutlierSlice]:
    """The slices whose interval excludes the value of all examples; intervals respect the groups of the examples.

    The level of the intervals is corrected for the number m of slices (Bonferroni): each interval has the level
    1 - (1 - confidence) / m, so with probability `confidence` or more no slice is reported by chance alone. The value of all
    examples is treated as known although the slice is part of them, which is conservative for large slices. With the
    method "percentile", a slice of equal values has an interval of width 0; it is reported if as many examples drawn from
    all would hardly ever all have this value.

    Args:
        labels: one per example.
        measure: a measure of `scores.measures`.
        settings: of the intervals; their confidence is for all slices together, and the method "percentile" draws more
            resamples where the corrected level needs them.
        fewest: slices with fewer examples to which the measure applies are skipped.

    Returns:
        In the order of the labels; [] for a measure without an interval.

    Raises:
        ValueError: no such measure; not one label per example.
    """
    (whole,) = scores.summary([measure]).values()
    kind = scores.measures[measure]
    if whole is None or not kind.has_interval:
        return []
    own = scores.with_measures({measure: kind})
    parts = {
        label: part
        for label, part in own.by(labels).items()
        if part.counts()[measure] >= fewest and part[measure] is not None
    }
    if not parts:
        return []
    corrected = dataclasses.replace(settings, confidence=1 - (1 - settings.confidence) / len(parts))
    outside, by_quantiles = 1 - corrected.confidence, settings.method == "percentile"
    if by_quantiles:
        draws = max(settings.n_resamples, math.ceil(2 * _DRAWS_IN_A_TAIL / outside))
        corrected = dataclasses.replace(corrected, n_resamples=draws)
    of_each = kind.by_example(own.rows)
    outliers = []
    for label, part in parts.items():
        # A cheap check first: a slice that is not an outlier without the correction is not one with it.
        if by_quantiles and not _lies_aside(part.intervals_by(settings)[measure], whole):
            continue
        low, high = part.intervals_by(corrected)[measure]
        value, n = kind.value_once(part.rows), part.counts()[measure]
        if low == high and not _is_rare(of_each, kind.by_example(part.rows), n, outside / 2):
            continue
        if _lies_aside((low, high), whole):
            outliers.append(OutlierSlice(label, value, (low, high), n, (low > whole) != kind.lower_is_better))
    return outliers


def _lies_aside(interval: tuple[float, float], whole: float) -> bool:
    return interval[1] < whole or interval[0] > whole


def _is_rare(of_each: np.ndarray | None, inside: np.ndarray | None, n: int, chance: float) -> bool:
    """Whether n examples drawn from all hardly ever all have the value of the slice; False without a value."""
    if of_each is None or inside is None:
        return False
    values, here = of_each[~np.isnan(of_each)], inside[~np.isnan(inside)]
    if not len(here) or (here != here[0]).any():
        return False
    return float((values == here[0]).mean()) ** n < chance
