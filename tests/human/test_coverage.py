"""Simulated coverage of the intervals of agreement: the figures of docs/people_and_judges.md."""

import numpy as np
import pytest

from qassay.core.groups import Groups
from qassay.core.interval_settings import Intervals
from qassay.core.measures import Rows
from qassay.human.agreement import FIGURES, figures_of
from qassay.human.agreement_measures import LABEL, RIGHT, VERDICT, Auc, BestCut, CalibrationError, Correlation

CASES = (  # groups, and answers of each
    ("calibrated", 20, 5),
    ("in steps, too low", 100, 5),
    ("right or wrong", 100, 1),
)
DRAWS = 120
# The mean width may be so many times 1 / sqrt(n), where five answers of a group say as much as four. It was 5 to 15 % less.
WIDEST = {"auc": 2.0, "accuracy": 2.0, "best_accuracy": 3.0, "pearson": 3.6, "ece": 2.0, "kappa": 3.8}
WIDEST_THRESHOLDS = 0.55


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def drawn(rng, kind, groups, each):
    """Scores and verdicts of answers, alike within a group."""
    known = (rng.normal(size=groups).repeat(each) + rng.normal(size=groups * each)) * 0.8
    right = (rng.random(len(known)) < sigmoid(1.2 * known + 0.5)).astype(float)
    seen = known + 0.4 * rng.normal(size=len(known))
    scores = {
        "calibrated": sigmoid(1.2 * seen + 0.3),
        "in steps, too low": np.round(sigmoid(2.5 * seen - 1), 1),
        "right or wrong": (seen > 0.3).astype(float),
    }[kind]
    return scores, right


def rows_of(scores, right):
    return Rows({"s": scores, LABEL: right, RIGHT: right, VERDICT: right}, {}, np.ones(len(scores)))


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "groups", "each"), CASES)
def test_intervals_hold_what_very_many_answers_say(kind, groups, each):
    scores, right = drawn(np.random.default_rng(9), kind, 100_000, 5)
    every = rows_of(scores, right)
    measures = (Auc("s"), Correlation("s"), CalibrationError("s"), BestCut("s"))
    names = ("auc", "pearson", "ece", "best_threshold")
    truth = dict(zip(names, (one.value_once(every) for one in measures), strict=True))
    accepted = scores >= 0.5
    truth["accuracy"] = (accepted == right).mean()
    chance = accepted.mean() * right.mean() + (1 - accepted.mean()) * (1 - right.mean())
    truth["kappa"] = (truth["accuracy"] - chance) / (1 - chance)
    held: dict[str, list[bool]] = {figure: [] for figure in FIGURES}
    widths: dict[str, list[float]] = {figure: [] for figure in FIGURES}
    for seed in range(DRAWS):
        scores_of, labels = drawn(np.random.default_rng([seed, groups]), kind, groups, each)
        of_groups = Groups.of(np.arange(groups).repeat(each))
        found, intervals = figures_of(scores_of, rows_of(scores_of, labels), of_groups, Intervals(n_resamples=300))
        truth["best_accuracy"] = ((scores >= found["best_threshold"]) == right).mean()
        for figure, (low, high) in intervals.items():
            held[figure].append(low - 1e-9 <= truth[figure] <= high + 1e-9)
            widths[figure].append(high - low)
    assert min(np.mean(of_figure) for of_figure in held.values() if of_figure) >= 0.88
    widest = {figure: times / np.sqrt(groups * min(each, 4)) for figure, times in WIDEST.items()}
    for figure, of_figure in widths.items():
        assert not of_figure or np.mean(of_figure) <= widest.get(figure, WIDEST_THRESHOLDS), figure
