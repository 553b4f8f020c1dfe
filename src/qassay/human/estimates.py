"""Estimates of the mean verdict from a few verdicts and many predictions: PPI++ and Rogan-Gladen.

Angelopoulos, Duchi, Zrnic 2023, "PPI++: Efficient Prediction-Powered Inference", arXiv 2311.01453; Rogan and Gladen 1978,
"Estimating prevalence from the results of a screening test"; its interval by Lang and Reiczigel 2014, "Confidence limits
for prevalence of disease adjusted for estimated sensitivity and specificity", as in arXiv 2511.21140.
"""

import dataclasses
import functools
import math
from typing import NamedTuple

import numpy as np

from ..core.intervals import effective_units
from ..core.rounding import TINY
from ..core.student import student_quantile

# Intervals add half a verdict in each corner of (lowest, highest verdict) x (lowest, highest prediction), so their width is
# not 0 if labels happen to agree. The half was chosen by simulation; see docs/people_and_judges.md.
_PER_CORNER = 0.5


class Part(NamedTuple):
    """The labelled examples of a sample, or the others; weights have the mean 1, and each example has a group number."""

    predictions: np.ndarray
    verdicts: np.ndarray
    weights: np.ndarray
    groups: np.ndarray

    def __len__(self) -> int:
        return len(self.predictions)

    @property
    def n_groups(self) -> int:
        """The number of groups with an example here."""
        return count_groups(self.groups)

    @property
    def are_too_few(self) -> bool:
        """Whether their mean has no variance: fewer than two examples or groups."""
        return len(self) < 2 or self.n_groups < 2

    @property
    def effective_groups(self) -> float:
        """The effective number of groups (Kish)."""
        sizes = np.bincount(self.groups, self.weights)
        return effective_units(sizes, sizes > 0)

    def mean(self, values: np.ndarray) -> float:
        """The weighted mean."""
        return float(np.sum(self.weights * values) / len(self.weights))


@dataclasses.dataclass(frozen=True, eq=False)
class Sample:
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
        return np.asarray(~np.isnan(self.verdicts))

    @functools.cached_property
    def labelled(self) -> Part:
        """The examples with a verdict."""
        return self._part(self.is_labelled)

    @functools.cached_property
    def others(self) -> Part:
        """The examples without a verdict."""
        return self._part(~self.is_labelled)

    def _part(self, mask: np.ndarray) -> Part:
        groups = np.arange(len(self.predictions)) if self.groups is None else self.groups
        weights = self.weights[mask]
        weights = weights / weights.mean() if weights.any() else weights
        return Part(self.predictions[mask], self.verdicts[mask], weights, groups[mask])


class Estimate(NamedTuple):
    """An estimate of the mean verdict over all examples.

    Attributes:
        value: the estimate of the published method, cut at the bounds of verdicts.
        standard_error: the published standard error of the estimate, by groups where there are groups.
        lam: the lambda of PPI++, the weight of the predictions; None for Rogan-Gladen.
        half: half the width of the interval before it is cut at the bounds.
        interval: its ends, cut at the bounds.
    """

    value: float
    standard_error: float
    lam: float | None
    half: float
    interval: tuple[float, float]


def _estimate(
    value: float, error: float, lam: float | None, centre: float, half: float, bounds: tuple[float, float]
) -> Estimate:
    """An estimate with an interval around `centre`, which also holds the value."""
    low, high = bounds
    value = min(max(value, low), high)
    ends = max(low, min(centre - half, value)), min(high, max(centre + half, value))
    return Estimate(value, error, lam, half, ends)


# --- PPI++ ------------------------------------------------------------------------------------------------------------


def ppi(sample: Sample, lam: float | None, confidence: float) -> Estimate:
    """Prediction-powered inference of the mean verdict.

    The estimate is the mean of lam * prediction over the unlabelled examples plus the mean of verdict - lam * prediction
    over the labelled examples. The interval is for few labels: half a verdict is added in each corner, with t quantiles.

    Args:
        lam: the weight of the predictions; 0: the labels alone; None: the lambda of the smallest variance.
        confidence: of the interval.
    """
    requested, lam = lam, best_lam(sample) if lam is None else lam
    if sample.others.are_too_few:
        lam = 0.0
    value, published = _ppi_moments(sample, lam, False, 0.0)
    is_tuned = requested is None and lam != 0  # else it is the interval of the labels
    centre, variance = _ppi_moments(sample, lam, is_tuned, _PER_CORNER)
    half = student_quantile(confidence, sample.labelled.n_groups - 1) * math.sqrt(variance)
    return _estimate(value, math.sqrt(published), lam, centre, half, sample.bounds)


def best_lam(sample: Sample) -> float:
    """The lambda of the smallest variance: cov(verdict, prediction) / (var(prediction) (1 + n / N)).

    It is 0 if predictions are constant, and not cut to 0..1, so it fits predictions on any scale.
    """
    labelled, others = sample.labelled, sample.others
    if len(others) < 2:
        return 0.0
    predictions = np.concatenate([labelled.predictions, others.predictions])
    weights = np.concatenate([labelled.weights, others.weights])
    middle = np.sum(weights * predictions) / len(weights)
    variance = np.sum(weights * (predictions - middle) ** 2) / (len(weights) - 1)
    if not variance > TINY * np.max(np.abs(predictions)) ** 2:
        return 0.0
    prediction, verdict = labelled.mean(labelled.predictions), labelled.mean(labelled.verdicts)
    covariance = labelled.mean((labelled.predictions - prediction) * (labelled.verdicts - verdict))
    return float(covariance / (variance * (1 + len(labelled) / len(others))))


def _ppi_moments(sample: Sample, lam: float, is_tuned: bool, of_corner: float) -> tuple[float, float]:
    """The estimate and its variance, with so many groups of labels added in each corner."""
    labelled, others = sample.labelled, sample.others
    low, high = sample.bounds
    verdicts = np.array([low, low, high, high])
    predictions = np.tile([sample.predictions.min(), sample.predictions.max()], 2)
    size = _labels_worth_one(labelled, lam)
    n, n_groups = len(labelled) + 4 * of_corner * size, labelled.n_groups + 4 * of_corner
    rest, extra = labelled.verdicts - lam * labelled.predictions, verdicts - lam * predictions
    middle = float((np.sum(labelled.weights * rest) + of_corner * size * np.sum(extra)) / n)
    factor = n_groups / (n_groups - (2 if is_tuned else 1))  # since the mean is estimated
    parts = [(labelled.groups, math.sqrt(factor) * labelled.weights * (rest - middle) / n)]
    of_others = 0.0
    if lam != 0:
        of_others = others.mean(others.predictions)
        deviations = lam * others.weights * (others.predictions - of_others) / len(others)
        parts.append((others.groups, math.sqrt(others.n_groups / (others.n_groups - 1)) * deviations))
    added = factor * of_corner * float(np.sum((size * (extra - middle) / n) ** 2))
    return lam * of_others + middle, _variance_of_sums(*map(np.concatenate, zip(*parts, strict=True))) + added


def _labels_worth_one(labelled: Part, lam: float) -> float:
    """The number of labels of one group that are worth one independent label (the design effect): from 1 to all."""
    most = len(labelled) / labelled.n_groups
    rest = labelled.weights * (labelled.verdicts - lam * labelled.predictions)
    rest = rest - rest.mean()
    alone = float(np.sum(rest**2))
    if most == 1 or not alone:
        return most
    effect = _variance_of_sums(labelled.groups, rest) / alone * labelled.n_groups / (labelled.n_groups - 1)
    return math.sqrt(min(max(1.0, effect), most) * most)


# --- Rogan-Gladen -----------------------------------------------------------------------------------------------------


def rogan_gladen(sample: Sample, confidence: float) -> Estimate:
    """The share of right answers, from the share that a judge accepts and from its sensitivity and specificity.

    Args:
        sample: predictions and verdicts of 0 or 1, with both verdicts among the labels.
        confidence: of the interval of Lang and Reiczigel.

    Raises:
        ValueError: sensitivity + specificity is at most 1, so there is no estimate.
    """
    labelled, weights = sample.labelled, sample.weights / sample.weights.mean()
    total, right = len(weights), labelled.verdicts == 1
    accepted = float(np.sum(weights * sample.predictions) / total)
    sensitivity, specificity = rates(labelled)
    n_right, n_wrong = (float(np.sum(labelled.weights[mask])) for mask in (right, ~right))
    youden = sensitivity + specificity - 1
    _check_youden(sensitivity, specificity, youden)
    value = (accepted + specificity - 1) / youden
    # The parts of the variance of the value that come from all examples and from the labels.
    of_all = accepted * (1 - accepted) / total / youden**2
    of_right = value**2 * sensitivity * (1 - sensitivity) / n_right / youden**2
    of_wrong = (1 - value) ** 2 * specificity * (1 - specificity) / n_wrong / youden**2
    of_labels, effect = of_right + of_wrong, float(np.mean(weights**2))
    if sample.groups is not None:
        added = weights * (sample.predictions - accepted) / total  # the part of each example in the error of the value
        of_right_answers = -value * (labelled.predictions - sensitivity) / n_right
        of_wrong_answers = (1 - value) * (1 - labelled.predictions - specificity) / n_wrong
        added[sample.is_labelled] += labelled.weights * np.where(right, of_right_answers, of_wrong_answers)
        n_groups = count_groups(sample.groups)
        by_group = n_groups / (n_groups - 1) * _variance_of_sums(sample.groups, added)
        effect *= by_group / (float(np.sum(added**2)) * total / (total - 1))
    error = math.sqrt((of_all + of_labels) * effect)
    z = student_quantile(confidence, math.inf if sample.groups is None else labelled.n_groups - 1)
    # Lang and Reiczigel: labels added for each rate.
    accepted = (total * accepted + z**2 / 2) / (total + z**2)
    of_kind = (n_right * sensitivity + 1) / (n_right + 2), (n_wrong * specificity + 1) / (n_wrong + 2)
    youden = sum(of_kind) - 1
    _check_youden(sensitivity, specificity, youden)
    share = (accepted + of_kind[1] - 1) / youden
    in_right, in_wrong = (rate * (1 - rate) / (n + 2) for rate, n in zip(of_kind, (n_right, n_wrong), strict=True))
    centre = share + 2 * z**2 * (share * in_right - (1 - share) * in_wrong)
    of_all = accepted * (1 - accepted) / (total + z**2) / youden**2
    of_labels = ((1 - share) ** 2 * in_wrong + share**2 * in_right) / youden**2
    half = z * math.sqrt(max(1.0, effect) * (of_all + of_labels))
    return _estimate(value, error, None, centre, half, (0.0, 1.0))


def rates(labelled: Part) -> tuple[float, float]:
    """Sensitivity and specificity of the measure: the share of right answers that it accepts, and of wrong answers that it
    refuses; NaN where there is no such answer.
    """
    shares = []
    for verdict in (1.0, 0.0):
        mask = labelled.verdicts == verdict
        weight = float(np.sum(labelled.weights[mask]))
        agreeing = float(np.sum(labelled.weights[mask] * (labelled.predictions[mask] == verdict)))
        shares.append(agreeing / weight if weight else math.nan)
    return shares[0], shares[1]


def _check_youden(sensitivity: float, specificity: float, youden: float) -> None:
    """Refuse a judge that is no better than chance, also after an interval added labels in the corners."""
    if not youden > TINY:
        raise ValueError(
            f"the measure agrees with the labels no better than chance can: sensitivity {sensitivity:.3g} + specificity "
            f"{specificity:.3g} is not above 1, or not by enough for so few labels, so the Rogan-Gladen correction "
            "is undefined; use the method ppi"
        )


# --- groups -----------------------------------------------------------------------------------------------------------


def count_groups(groups: np.ndarray) -> int:
    """The number of distinct group numbers."""
    return int(np.count_nonzero(np.bincount(groups)))


def _variance_of_sums(groups: np.ndarray, deviations: np.ndarray) -> float:
    """The sum of squares of deviations, where deviations of one group are added up before they are squared."""
    return float(np.sum(np.bincount(groups, deviations) ** 2))
