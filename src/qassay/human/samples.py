"""Examples with and without a human verdict, as arrays, and the variance of sums by groups."""

import math
from typing import NamedTuple

import numpy as np

from ..core.intervals import effective_units

# Intervals add half a verdict in each corner of (lowest, highest verdict) x (lowest, highest prediction). So labels that
# agree by chance give an interval that has a width. The half was chosen by simulation; see docs/human_labels.md.
_PER_CORNER = 0.5


class Sample(NamedTuple):
    """The input of the estimates: n examples.

    Attributes:
        predictions: the values of the measure, float64 (n,).
        verdicts: float64 (n,), NaN for an example without a verdict.
        weights: float64 (n,).
        groups: group numbers from 0 on, int64 (n,); None: each example is a group.
        bounds: the lowest and the highest possible verdict.
    """

    predictions: np.ndarray
    verdicts: np.ndarray
    weights: np.ndarray
    groups: np.ndarray | None
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def is_labelled(self) -> np.ndarray:
        """Which examples have a verdict, (n,)."""
        return ~np.isnan(self.verdicts)


class Side(NamedTuple):
    """The labelled examples, or the unlabelled; weights have the mean 1."""

    predictions: np.ndarray
    verdicts: np.ndarray
    weights: np.ndarray
    groups: np.ndarray

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.predictions)

    @property
    def n_groups(self) -> int:
        """The number of groups with an example on this side."""
        return count_groups(self.groups)

    @property
    def are_too_few(self) -> bool:
        """Whether their mean has no variance: fewer than two examples or groups."""
        return len(self) < 2 or self.n_groups < 2

    @property
    def like_groups(self) -> float:
        """How many groups of like size say as much (Kish)."""
        sizes = np.bincount(self.groups, self.weights)
        return effective_units(sizes, sizes > 0)

    def mean(self, values: np.ndarray) -> float:
        """The weighted mean."""
        return float(np.sum(self.weights * values) / len(self.weights))


def count_groups(groups: np.ndarray) -> int:
    """The number of distinct group numbers."""
    return int(np.count_nonzero(np.bincount(groups)))


def sides_of(sample: Sample) -> tuple[Side, Side]:
    """The labelled and the unlabelled examples."""
    groups = np.arange(len(sample.predictions)) if sample.groups is None else sample.groups
    sides = []
    for mask in (sample.is_labelled, ~sample.is_labelled):
        weights = sample.weights[mask]
        weights = weights / weights.mean() if weights.any() else weights
        sides.append(Side(sample.predictions[mask], sample.verdicts[mask], weights, groups[mask]))
    return sides[0], sides[1]


class Corners(NamedTuple):
    """The verdicts and predictions that an interval adds to the labels.

    Each of them stands for `groups` groups of `size` labels.
    """

    verdicts: np.ndarray
    predictions: np.ndarray
    groups: float
    size: float

    @property
    def weight(self) -> float:
        """The number of labels that each verdict stands for."""
        return self.groups * self.size


def corners_of(labelled: Side, others: Side, bounds: tuple[float, float], lam: float, is_padded: bool) -> Corners:
    """The corners that are added to the labels; of no weight where the interval is not padded."""
    predictions = np.concatenate([labelled.predictions, others.predictions])
    low, high = bounds
    return Corners(
        np.array([low, low, high, high]),
        np.tile([predictions.min(), predictions.max()], 2),
        _PER_CORNER if is_padded else 0.0,
        _labels_worth_one(labelled, lam) if is_padded else 1.0,
    )


def _labels_worth_one(labelled: Side, lam: float) -> float:
    """The number of labels of one group that are worth one independent label (the design effect): from 1 to all."""
    most = len(labelled) / labelled.n_groups
    rest = labelled.weights * (labelled.verdicts - lam * labelled.predictions)
    rest = rest - rest.mean()
    alone = float(np.sum(rest**2))
    if most == 1 or not alone:
        return most
    together = float(np.sum(np.bincount(labelled.groups, rest) ** 2))
    effect = min(max(1.0, together / alone * labelled.n_groups / (labelled.n_groups - 1)), most)
    return math.sqrt(effect * most)


def variance_of_sums(parts: dict[int, tuple[np.ndarray, np.ndarray]], factors: dict[int, float]) -> float:
    """The variance of a sum of deviations from means; deviations of one group are added up before they are squared.

    Args:
        parts: side -> the groups and the deviations of its examples, (m,) each.
        factors: side -> the factor of its variance, because its mean was estimated from few groups.
    """
    size = 1 + max((int(groups.max()) for groups, _ in parts.values() if len(groups)), default=0)
    sums = np.zeros(size)
    for side, (groups, deviations) in parts.items():
        sums += math.sqrt(factors[side]) * np.bincount(groups, deviations, size)
    return float(np.sum(sums**2))
