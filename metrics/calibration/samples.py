"""Examples with and without a human verdict, as arrays, and the moments that estimates and intervals follow from."""

import math
from typing import NamedTuple

import numpy as np

from ..core.intervals import effective_units

# What an interval adds to the labels: half a verdict in each corner of (lowest, highest verdict) x (lowest, highest prediction),
# so that labels that agree by chance do not give an interval of no width. It was chosen by simulation; see docs/human_labels.md.
_PER_CORNER = 0.5


class Sample(NamedTuple):
    """What the estimates need of n examples.

    Attributes:
        predictions: of the measure, float64 (n,).
        verdicts: float64 (n,), NaN where there is none.
        weights: float64 (n,).
        groups: numbers from 0 on, int64 (n,); None: each example is a group of its own.
        bounds: the lowest and the highest verdict there can be.
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
    """The labelled or the other examples; weights have the mean 1."""

    predictions: np.ndarray
    verdicts: np.ndarray
    weights: np.ndarray
    groups: np.ndarray

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.predictions)

    @property
    def n_groups(self) -> int:
        """How many groups have an example here."""
        return count_groups(self.groups)

    @property
    def like_groups(self) -> float:
        """How many groups of like size say as much (Kish)."""
        sizes = np.bincount(self.groups, self.weights)
        return effective_units(sizes, sizes > 0)

    def mean(self, values: np.ndarray) -> float:
        """The weighted mean."""
        return float(np.sum(self.weights * values) / len(self.weights))


def count_groups(groups: np.ndarray) -> int:
    """How many distinct numbers there are among those of groups."""
    return int(np.count_nonzero(np.bincount(groups)))


def sides_of(sample: Sample) -> tuple[Side, Side]:
    """The labelled examples and the others."""
    groups = np.arange(len(sample.predictions)) if sample.groups is None else sample.groups
    sides = []
    for mask in (sample.is_labelled, ~sample.is_labelled):
        weights = sample.weights[mask]
        weights = weights / weights.mean() if weights.any() else weights
        sides.append(Side(sample.predictions[mask], sample.verdicts[mask], weights, groups[mask]))
    return sides[0], sides[1]


class Corners(NamedTuple):
    """The verdicts and predictions that an interval adds to the labels: each of them stands for `groups` groups of `size`
    labels.
    """

    verdicts: np.ndarray
    predictions: np.ndarray
    groups: float
    size: float

    @property
    def weight(self) -> float:
        """How many labels each stands for."""
        return self.groups * self.size


def corners_of(labelled: Side, others: Side, bounds: tuple[float, float], lam: float, is_padded: bool) -> Corners:
    """What is added to the labels; nothing where the interval is not padded."""
    predictions = np.concatenate([labelled.predictions, others.predictions])
    low, high = bounds
    return Corners(
        np.array([low, low, high, high]),
        np.tile([predictions.min(), predictions.max()], 2),
        _PER_CORNER if is_padded else 0.0,
        _labels_worth_one(labelled, lam) if is_padded else 1.0,
    )


def _labels_worth_one(labelled: Side, lam: float) -> float:
    """How many labels of a group say as much as one label of a group of its own (the design effect): 1 up to all."""
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
    """The variance of a sum of deviations from means, by groups: those of one group belong together.

    Args:
        parts: side -> the groups and the deviations of its examples, (m,) each.
        factors: side -> what its sums are multiplied by, because its mean was estimated from as many groups.
    """
    size = 1 + max((int(groups.max()) for groups, _ in parts.values() if len(groups)), default=0)
    sums = np.zeros(size)
    for side, (groups, deviations) in parts.items():
        sums += math.sqrt(factors[side]) * np.bincount(groups, deviations, size)
    return float(np.sum(sums**2))
