"""When to answer: scores by no-answer threshold, and the calibration of no-answer probabilities.

All functions take the Scores of answer_match over questions with and without an answer.
"""

from typing import NamedTuple

import numpy as np

from ..core.best_threshold import BestThreshold, Sweep
from ..core.options import did_you_mean
from ..core.scores import Scores


class ThresholdCurve(NamedTuple):
    """A mean score as a function of the threshold above which answers are withheld.

    Attributes:
        thresholds: float64 (k + 1,), increasing: -inf (all are withheld), then the k distinct probabilities.
        values: float64 (k + 1,), the score from that threshold up to the next.
        answered: float64 (k + 1,), the (weighted) share of questions with an answer that is not withheld.
    """

    thresholds: np.ndarray
    values: np.ndarray
    answered: np.ndarray


class Reliability(NamedTuple):
    """No-answer probabilities compared with observed shares, in bins of equal width; NaN in empty bins.

    Attributes:
        edges: float64 (b + 1,), the edges of the bins; a bin includes its lower edge, and the last bin both edges.
        predicted: float64 (b,), the mean probability.
        observed: float64 (b,), the share of questions without an answer.
        n: int64 (b,), questions (unweighted).
        error: the expected calibration error: the mean of |observed - predicted| over the bins, weighted by their
            questions; 0..1.
    """

    edges: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray
    n: np.ndarray
    error: float


def threshold_curve(scores: Scores, measure: str = "f1") -> ThresholdCurve:
    """A score at each no-answer threshold, as in the sweep of the SQuAD 2.0 script (Rajpurkar, Jia and Liang, 2018).

    An answer whose no-answer probability is above the threshold is withheld: it scores 1 if the question has no answer,
    else 0. The largest value is the measure `best_<measure>`, up to rounding.

    Args:
        measure: a measure that has a `best_<measure>`, such as "f1", "exact_match" or, with `top_k`, "f1@3".

    Raises:
        ValueError: scores without no-answer probabilities or questions, or an unknown measure.

    Example:
        >>> import qassay
        >>> probabilities = [0.1, 0.9, 0.3]
        >>> scores = qassay.score(
        ...     "answer_match", ["Seine", "Lyon", "Rome"], [["Seine"], [], []], no_answer_probabilities=probabilities
        ... )
        >>> curve = threshold_curve(scores, "exact_match")
        >>> curve.thresholds.tolist(), curve.values.round(3).tolist()
        ([-inf, 0.1, 0.3, 0.9], [0.667, 1.0, 0.667, 0.333])
    """
    best = _best_threshold(scores, measure)
    sweep = Sweep.of(best, scores.rows)
    (weights,), (sums,) = sweep.weights, sweep.sums
    total = _total(weights)
    answered = np.append(0.0, np.cumsum(weights[sweep.order]))[sweep.cuts]
    return ThresholdCurve(sweep.thresholds, best.scale * sums / total, answered / total)


def reliability(scores: Scores, n_bins: int = 10) -> Reliability:
    """The calibration of no-answer probabilities: a reliability diagram and the expected calibration error.

    Of the questions with a probability of 0.8, about 80 % should have no answer (DeGroot and Fienberg, 1983). The error
    follows Naeini, Cooper and Hauskrecht (2015) for this one class; it depends on the bins and, with few questions,
    is above 0 by chance. Missing predictions are omitted.

    Args:
        n_bins: bins of equal width from 0 to 1.

    Raises:
        ValueError: no probabilities, probabilities outside 0..1, no question that counts, or fewer than one bin.

    Example:
        >>> import qassay
        >>> golds, probabilities = [["a"], ["a"], [], ["a"]], [0.25, 0.25, 0.75, 0.75]
        >>> scores = qassay.score("answer_match", [""] * 4, golds, no_answer_probabilities=probabilities)
        >>> diagram = reliability(scores, 2)
        >>> diagram.predicted.tolist(), diagram.observed.tolist(), diagram.n.tolist(), diagram.error
        ([0.25, 0.75], [0.0, 0.5], [2, 2], 0.25)
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}")
    probabilities = _probabilities(scores)
    is_scored = ~np.isnan(probabilities) & ~scores.subsets["missing"]
    columns = probabilities, scores.subsets["no_answer"], scores.rows.weights
    probabilities, no_answer, weights = (column[is_scored] for column in columns)
    if len(probabilities) and not (probabilities.min() >= 0 and probabilities.max() <= 1):
        raise ValueError(
            f"no-answer probabilities go from {probabilities.min():g} to {probabilities.max():g}, not 0 to 1; map "
            "scores such as differences of logits to 0..1 first, for example with the logistic function"
        )
    total = _total(weights)
    edges = np.arange(n_bins + 1) / n_bins
    bins = np.minimum(np.searchsorted(edges, probabilities, "right") - 1, n_bins - 1)
    sizes, probability_sums, no_answer_sums = (
        np.bincount(bins, values, n_bins) for values in (weights, weights * probabilities, weights * no_answer)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        predicted, observed = probability_sums / sizes, no_answer_sums / sizes
    error = float(abs(probability_sums - no_answer_sums).sum() / total)
    return Reliability(edges, predicted, observed, np.bincount(bins, minlength=n_bins), error)


def has_no_answer_probabilities(scores: Scores) -> bool:
    """Whether scores can be swept over no-answer thresholds."""
    return "no_answer_probability" in scores.columns


def swept_measures(scores: Scores) -> list[str]:
    """The measures that have a `threshold_curve`, such as "exact_match" and "f1"; none without probabilities."""
    return [
        name.removeprefix("best_")
        for name, measure in scores.measures.items()
        if isinstance(measure, BestThreshold) and not measure.threshold
    ]


def _best_threshold(scores: Scores, measure: str) -> BestThreshold:
    _probabilities(scores)
    best = scores.measures.get(f"best_{measure}")
    if isinstance(best, BestThreshold) and not best.threshold:
        return best
    names = swept_measures(scores)
    raise ValueError(
        f"no threshold changes {measure!r}{did_you_mean(measure, names)}; available: {', '.join(names) or 'none'}"
    )


def _probabilities(scores: Scores) -> np.ndarray:
    if not has_no_answer_probabilities(scores):
        raise ValueError(
            "these scores have no no-answer probabilities; score with no_answer_probabilities, without a preset such as drop, "
            "whose rules do not use them"
        )
    return scores.columns["no_answer_probability"]


def _total(weights: np.ndarray) -> float:
    total = weights.sum()
    if not total:
        raise ValueError("no question counts: there are none, or all weights are 0; give questions to score")
    return total
