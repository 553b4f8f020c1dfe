"""Estimates of the mean verdict from a few verdicts and many predictions: PPI++ and Rogan-Gladen.

Angelopoulos, Duchi, Zrnic 2023, "PPI++: Efficient Prediction-Powered Inference", arXiv 2311.01453; Rogan and Gladen 1978,
"Estimating prevalence from the results of a screening test"; its interval by Lang and Reiczigel 2014, "Confidence limits
for prevalence of disease adjusted for estimated sensitivity and specificity", as in arXiv 2511.21140.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.rounding import TINY
from ..core.student import student_quantile
from .samples import Sample, Side, corners_of, count_groups, sides_of, variance_of_sums

_LABELLED, _OTHERS = 0, 1


class Estimate(NamedTuple):
    """An estimate of the mean verdict over all examples.

    Attributes:
        value: the estimate of the published method, cut at the bounds of verdicts.
        standard_error: the published standard error of the estimate, by groups where there are groups.
        interval: the interval of the estimate, cut at the bounds.
        lam: the lambda of PPI++, the weight of the predictions; None for Rogan-Gladen.
        plan: predicts the width of the interval with a different number of labels.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    lam: float | None
    plan: "PpiPlan | RoganGladenPlan"


class Ends(NamedTuple):
    """Where the ends of an interval lie: around `centre`, about the value, and within the bounds of verdicts."""

    centre: float
    value: float
    low: float
    high: float

    def interval(self, half: float) -> tuple[float, float]:
        """The interval of half that width before it is cut at the bounds."""
        low, high = min(self.centre - half, self.value), max(self.centre + half, self.value)
        return max(self.low, low), min(self.high, high)

    def width(self, half: float) -> float:
        """The width of that interval."""
        low, high = self.interval(half)
        return high - low


def best_lam(labelled: Side, others: Side) -> float:
    """The lambda of the smallest variance: cov(verdict, prediction) / (var(prediction) (1 + n / N)).

    It is 0 where predictions are constant, and not cut to 0..1, so that it fits predictions of any scale.
    """
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


def ppi(sample: Sample, lam: float | None, confidence: float, is_padded: bool = True) -> Estimate:
    """Prediction-powered inference of the mean verdict.

    The estimate is the mean of lam * prediction over the unlabelled examples plus the mean of verdict - lam * prediction
    over the labelled examples.

    Args:
        lam: the weight of the predictions; 0: the labels alone; None: the lambda of the smallest variance.
        confidence: of the interval.
        is_padded: True: an interval for few labels, with half a verdict added in each corner and t quantiles; False: the
            published interval, with normal quantiles (t quantiles for groups).
    """
    labelled, others = sides_of(sample)
    given, lam = lam, best_lam(labelled, others) if lam is None else lam
    if others.are_too_few:
        lam = 0.0  # too few unlabelled examples or groups
    is_tuned = given is None and lam != 0  # else it is the interval of the labels
    centre, variance = _ppi_moments(labelled, others, sample, lam, False, False)
    value, error = centre, math.sqrt(variance)
    n_groups = labelled.n_groups
    has_t = is_padded or sample.groups is not None
    quantile = student_quantile(confidence, n_groups - 1 if has_t else math.inf)
    if is_padded:
        centre, variance = _ppi_moments(labelled, others, sample, lam, is_tuned, True)
    half = quantile * math.sqrt(variance)
    low, high = sample.bounds
    ends = Ends(centre, min(max(value, low), high), low, high)
    plan = _ppi_plan(sample, given, half, ends, confidence if is_padded else None)
    return Estimate(ends.value, error, ends.interval(half), lam, plan)


def _ppi_moments(
    labelled: Side, others: Side, sample: Sample, lam: float, is_tuned: bool, is_padded: bool
) -> tuple[float, float]:
    """The estimate and its variance; with the corners among the labels where is_padded."""
    corners = corners_of(labelled, others, sample.bounds, lam, is_padded)
    n = len(labelled) + len(corners.verdicts) * corners.weight
    rest, extra = labelled.verdicts - lam * labelled.predictions, corners.verdicts - lam * corners.predictions
    middle = float((np.sum(labelled.weights * rest) + corners.weight * np.sum(extra)) / n)
    parts = {_LABELLED: (labelled.groups, labelled.weights * (rest - middle) / n)}
    n_groups = labelled.n_groups + len(extra) * corners.groups
    factors = {_LABELLED: n_groups / (n_groups - (2 if is_tuned else 1))}
    of_others = 0.0
    if lam != 0:
        of_others = others.mean(others.predictions)
        parts[_OTHERS] = others.groups, lam * others.weights * (others.predictions - of_others) / len(others)
        factors[_OTHERS] = others.n_groups / (others.n_groups - 1)
    added = factors[_LABELLED] * corners.groups * float(np.sum((corners.size * (extra - middle) / n) ** 2))
    return lam * of_others + middle, variance_of_sums(parts, factors) + added


def _ppi_plan(sample: Sample, lam: float | None, half: float, ends: Ends, confidence: float | None) -> "PpiPlan":
    """The plan from the spread of the labels, the corners and the predictions."""
    labelled, others = sides_of(sample)
    corners = corners_of(labelled, others, sample.bounds, lam or 0.0, confidence is not None)
    verdicts = np.concatenate([labelled.verdicts, corners.verdicts])
    predictions = np.concatenate([labelled.predictions, corners.predictions])
    weights = np.concatenate([labelled.weights, np.full(len(corners.verdicts), corners.weight)])
    ((of_verdicts, shared), (_, of_predictions)) = np.cov(verdicts, predictions, aweights=weights, ddof=0).tolist()
    sizes = len(labelled), labelled.n_groups, len(sample.predictions)
    everything = np.var(sample.predictions, ddof=1)
    return PpiPlan(half, ends, lam, confidence, *sizes, of_verdicts, shared, of_predictions, float(everything))


class PpiPlan(NamedTuple):
    """Predicts the width of an interval of PPI++ from the spread of the labels so far.

    Attributes:
        half: half the width of the interval so far, before it is cut at the bounds.
        ends: where the interval so far lies.
        lam: the weight of the predictions; None for the lambda of the smallest variance.
        confidence: of the interval; None if its quantile does not depend on the number of labels.
        n, n_groups, total: the numbers of labels, of groups with a label, and of examples.
        of_verdicts, of_predictions: the variances of verdicts and predictions of the labelled examples.
        shared: the covariance of verdicts and predictions of the labelled examples.
        of_all: the variance of the predictions of all examples.
    """

    half: float
    ends: Ends
    lam: float | None
    confidence: float | None
    n: int
    n_groups: int
    total: int
    of_verdicts: float
    shared: float
    of_predictions: float
    of_all: float

    def half_width(self, m: int) -> float:
        """Half the width with m labels of the same examples; inf where there are fewer than m examples."""
        now = self._variance(self.n)
        if not 0 < m <= self.total or not 0 < now < math.inf:
            return self.half if m == self.n else math.inf
        return self.half * math.sqrt(self._variance(m) / now) * self._quantile(m) / self._quantile(self.n)

    def _quantile(self, m: int) -> float:
        """The quantile with m labels, where groups grow with the labels."""
        return (
            1.0
            if self.confidence is None
            else student_quantile(self.confidence, max(1.0, self.n_groups * m / self.n - 1))
        )

    def _variance(self, m: int) -> float:
        left, lam = self.total - m, self.lam
        if left < 2:  # the estimate itself then takes the labels alone
            lam = 0.0
        elif lam is None:
            lam = self.shared / (self.of_all * (1 + m / left)) if self.of_all else 0.0
        rest = self.of_verdicts - 2 * lam * self.shared + lam**2 * self.of_predictions
        return max(rest, 0.0) / m + (lam**2 * self.of_all / left if lam else 0.0)


def rogan_gladen(sample: Sample, confidence: float, is_padded: bool = True) -> Estimate:
    """The share of right answers, from the share that a judge accepts and from its sensitivity and specificity.

    Args:
        sample: predictions and verdicts of 0 or 1, with both verdicts among the labels.
        confidence: of the interval.
        is_padded: True: the interval of Lang and Reiczigel; False: the interval with a standard error by the delta method
            and normal quantiles (t quantiles for groups).

    Raises:
        ValueError: sensitivity + specificity is at most 1, so that no estimate follows.
    """
    labelled, others = sides_of(sample)
    weights = sample.weights / sample.weights.mean()
    total = len(weights)
    accepted = float(np.sum(weights * sample.predictions) / total)
    sensitivity, specificity = rates(labelled)
    _check_youden(sensitivity, specificity, sensitivity + specificity - 1)
    value = (accepted + specificity - 1) / (sensitivity + specificity - 1)
    right = labelled.verdicts == 1
    sizes = [float(np.sum(labelled.weights[mask])) for mask in (right, ~right)]

    n, n_groups = len(labelled), labelled.n_groups
    youden = sensitivity + specificity - 1
    known = (accepted, float(total)), (sensitivity, sizes[0]), (specificity, sizes[1])
    parts = [part / youden**2 for part in _binomial(*known, value)]
    effect = float(np.mean(weights**2))
    if sample.groups is not None:
        added = weights * (sample.predictions - accepted) / total  # the part of each example in the error of the value
        of_right = value * (labelled.predictions - sensitivity) / sizes[0]
        of_wrong = (1 - value) * (1 - labelled.predictions - specificity) / sizes[1]
        added[sample.is_labelled] += labelled.weights * np.where(right, -of_right, of_wrong)
        effect *= _design_effect(added, sample.groups)
    error = math.sqrt(sum(parts) * effect)
    quantile = student_quantile(confidence, math.inf if sample.groups is None else n_groups - 1)
    centre, half, of_all, of_labels = value, quantile * error, parts[0], sum(parts[1:])
    if is_padded:
        centre, of_all, of_labels = _lang_reiczigel(*known, quantile)
        half = quantile * math.sqrt(max(1.0, effect) * (of_all + of_labels))
    ends = Ends(centre, min(max(value, 0.0), 1.0), 0.0, 1.0)
    return Estimate(
        ends.value, error, ends.interval(half), None, RoganGladenPlan(half, ends, of_all, of_labels, n, total)
    )


class RoganGladenPlan(NamedTuple):
    """Predicts the width of a Rogan-Gladen interval.

    Attributes:
        half: half the width of the interval so far, before it is cut at 0 and 1.
        ends: where the interval so far lies.
        of_all, of_labels: the parts of the variance that come from the predictions of all examples and from the labels.
        n, total: the numbers of labels and of examples.
    """

    half: float
    ends: Ends
    of_all: float
    of_labels: float
    n: int
    total: int

    def half_width(self, m: int) -> float:
        """Half the width with m labels of the same examples; inf where there are fewer than m examples."""
        if not 0 < m <= self.total:
            return math.inf
        return self.half * math.sqrt((self.of_all + self.of_labels * self.n / m) / (self.of_all + self.of_labels))


def rates(labelled: Side) -> tuple[float, float]:
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


def _binomial(
    accepted: tuple[float, float], sensitivity: tuple[float, float], specificity: tuple[float, float], value: float
) -> list[float]:
    """The parts of three rates in the variance of the value; each rate comes with its number of examples."""
    factors, known = (1.0, value**2, (1 - value) ** 2), (accepted, sensitivity, specificity)
    return [factor * rate * (1 - rate) / n for factor, (rate, n) in zip(factors, known, strict=True)]


def _lang_reiczigel(
    accepted: tuple[float, float], sensitivity: tuple[float, float], specificity: tuple[float, float], z: float
) -> tuple[float, float, float]:
    """The middle of the interval, and the parts of all examples and of the labels in its variance.

    Each rate comes with its number of examples.
    """
    (share_accepted, total), (of_right, n_right), (of_wrong, n_wrong) = accepted, sensitivity, specificity
    of_all = (total * share_accepted + z**2 / 2) / (total + z**2)
    of_right, of_wrong = (n_right * of_right + 1) / (n_right + 2), (n_wrong * of_wrong + 1) / (n_wrong + 2)
    youden = of_right + of_wrong - 1
    _check_youden(sensitivity[0], specificity[0], youden)
    share = (of_all + of_wrong - 1) / youden
    spread_right, spread_wrong = of_right * (1 - of_right) / (n_right + 2), of_wrong * (1 - of_wrong) / (n_wrong + 2)
    moved = 2 * z**2 * (share * spread_right - (1 - share) * spread_wrong)
    labels = (1 - share) ** 2 * spread_wrong + share**2 * spread_right
    return share + moved, of_all * (1 - of_all) / (total + z**2) / youden**2, labels / youden**2


def _design_effect(deviations: np.ndarray, groups: np.ndarray) -> float:
    """The variance of a sum by groups, divided by the variance by examples."""
    n, n_groups = len(deviations), count_groups(groups)
    by_group = variance_of_sums({0: (groups, deviations)}, {0: n_groups / (n_groups - 1)})
    return by_group / (float(np.sum(deviations**2)) * n / (n - 1))


def _check_youden(sensitivity: float, specificity: float, youden: float) -> None:
    """Refuse a judge that is no better than chance, also after an interval added labels in the corners."""
    if not youden > TINY:
        raise ValueError(
            f"the measure agrees with the labels no better than chance can: sensitivity {sensitivity:.3g} + specificity "
            f"{specificity:.3g} is not above 1, or not by enough for so few labels, so that the Rogan-Gladen correction "
            "is not defined; use the method ppi"
        )
