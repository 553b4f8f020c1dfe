"""The figures of how well one measure agrees with labels, and their intervals."""

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from ..core.bootstrap import resampled_values, units_of
from ..core.columns import is_real
from ..core.groups import Groups
from ..core.interval_settings import Intervals
from ..core.intervals import Interval, intervals_of
from ..core.measures import Mean, Measure, Rows, exact_sum
from ..core.shown import shown
from .measures import (
    ACCEPTED_FROM,
    FOLD,
    LABEL,
    RIGHT,
    VERDICT,
    Auc,
    BestCut,
    CalibrationError,
    Correlation,
    HeldOutAccuracy,
)

FIGURES = ("auc", "accuracy", "best_accuracy", "best_threshold", "pearson", "ece")
_RIGHT_FROM = 0.5  # of labels from 0 to 1
_FOLDS = 5
_SCORE, _AGREED = "score", "agreed"


class Labels(NamedTuple):
    """What people say about n answers.

    Attributes:
        labels: as they were given, float64 (n,); `right` and `verdicts` have the same shape.
        right: 1.0 or 0.0.
        verdicts: the labels where they are shares from 0 to 1, else `right`.
        right_from: the label from which on an answer is right.
    """

    labels: np.ndarray
    right: np.ndarray
    verdicts: np.ndarray
    right_from: float = _RIGHT_FROM

    @classmethod
    def of(cls, labels: np.ndarray, right_from: Any = None) -> "Labels":
        """The labels, and which are right.

        Args:
            right_from: the label from which on an answer is right; None: 0.5, of labels from 0 to 1.

        Raises:
            ValueError: other labels without `right_from`, or labels that are all right or all wrong.
        """
        low, high = float(labels.min()), float(labels.max())
        are_shares = 0 <= low and high <= 1
        if right_from is None:
            if not are_shares:
                told = f"labels are from {low:g} to {high:g}; say from which label on an answer is right: "
                raise ValueError(f"{told}right_from={high:g}")
            right_from = _RIGHT_FROM
        elif isinstance(right_from, bool) or not is_real(right_from) or not math.isfinite(right_from):
            raise ValueError(f"right_from must be a finite number; got {shown(right_from)}")
        right = (labels >= right_from).astype(np.float64)
        if np.ptp(right) == 0:
            which = "right" if right[0] else "wrong"
            by = "" if np.isin(labels, (0, 1)).all() else f" (right is a label from {right_from:g} on)"
            raise ValueError(
                f"all {len(labels)} labels say {which}{by}; agreement needs right and wrong answers, label more"
            )
        return cls(labels, right, labels if are_shares else right, float(right_from))

    def take(self, places: np.ndarray) -> "Labels":
        """What people say about the answers at these places."""
        return Labels(self.labels[places], self.right[places], self.verdicts[places], self.right_from)


def figures_of(
    scores: np.ndarray, labels: Labels, groups: Groups, settings: Intervals
) -> tuple[dict[str, float], dict[str, Interval]]:
    """The figures of one measure that are defined, and their intervals.

    Args:
        scores: the values of the measure, from 0 to 1, float64 (n,).
        groups: what rows are drawn together and in one fold.
    """
    if len(scores) == 0 or np.ptp(labels.right) == 0:
        return {}, {}
    columns = {
        _SCORE: scores,
        LABEL: labels.labels,
        RIGHT: labels.right,
        VERDICT: labels.verdicts,
        FOLD: folds_of(groups, settings.seed),
        _AGREED: ((scores >= ACCEPTED_FROM) == labels.right).astype(np.float64),
    }
    rows = Rows(columns, {}, np.ones(len(scores)))
    centers = (exact_sum(scores) / len(scores), exact_sum(labels.labels) / len(scores))
    measures: dict[str, Measure] = {
        "auc": Auc(_SCORE),
        "accuracy": Mean(_AGREED),
        "best_accuracy": HeldOutAccuracy(_SCORE),
        "best_threshold": BestCut(_SCORE),
        "pearson": Correlation(_SCORE, centers),
        "ece": CalibrationError(_SCORE),
    }
    if np.ptp(scores) == 0 or np.ptp(labels.labels) == 0:
        del measures["pearson"]
    cut = {"best_threshold": measures["best_threshold"]}
    rest = {figure: measure for figure, measure in measures.items() if figure not in cut}
    intervals = {
        **intervals_of(rest, rest, rows, groups, settings),
        **intervals_of(cut, cut, rows, groups, dataclasses.replace(settings, method="percentile")),
    }
    figures = {figure: float(measure.value_once(rows)) for figure, measure in measures.items()}
    bias = _bias(measures["ece"], figures["ece"], rows, groups, settings)
    intervals["ece"] = _without_bias(intervals["ece"], figures["ece"], bias)
    if intervals["best_threshold"].low == intervals["best_threshold"].high:  # nearly all resamples have the same
        del intervals["best_threshold"]
    return figures, {figure: intervals[figure] for figure in measures if figure in intervals}


def folds_of(groups: Groups, seed: int) -> np.ndarray:
    """The fold of each answer, 0.0 to 4.0, (n,): whole groups, by chance."""
    order = np.random.default_rng(seed).permutation(len(groups.labels))
    return np.asarray((order % _FOLDS)[groups.codes], np.float64)


def _bias(measure: Measure, value: float, rows: Rows, groups: Groups, settings: Intervals) -> float:
    """By how much chance raises a value, as resampling raises it once more."""
    drawn = resampled_values({"": measure}, units_of(rows, groups, [measure]), settings)[""]
    return max(0.0, float(np.nanmean(drawn)) - value)


def _without_bias(interval: Interval, value: float, bias: float) -> Interval:
    """The interval of a calibration error, moved down by its bias; docs/agreement.md has the simulated coverage.

    The lower end moves twice as far, because resampling shows too small a bias for a measure that is well calibrated.
    """
    if interval.method == "none":
        return interval
    low, high = max(0.0, interval.low - 2 * bias), max(value, interval.high - bias)
    return Interval(low, high, "shifted wilson", interval.effective, interval.degrees)
