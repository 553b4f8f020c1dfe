"""How well scores agree with labels, as measures of a table of examples, so that intervals are those of other measures.

They read a column of scores and the columns LABEL (any number), RIGHT (1.0 or 0.0) and VERDICT (0 to 1). Sources: Mann and
Whitney (1947) for the AUC with ties; Pearson (1895); Naeini, Cooper and Hauskrecht (2015) for the calibration error.
"""

import dataclasses
from typing import Any

import numpy as np

from ..core.measures import Measure, Rows, TermMeasure

LABEL, RIGHT, VERDICT = "label", "right", "verdict"
BINS = 10  # of the calibration error, of equal width
HALF = 0.5


@dataclasses.dataclass(frozen=True)
class Auc(Measure):
    """The probability that a right answer has a higher score than a wrong one; equal scores count half."""

    scores: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.scores, RIGHT)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        _, right, wrong = _by_score(self.scores, rows, replicate_counts)
        below = np.cumsum(wrong, axis=1) - wrong
        with np.errstate(divide="ignore", invalid="ignore"):
            return (right * (below + wrong / 2)).sum(axis=1) / (right.sum(axis=1) * wrong.sum(axis=1))

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        right = rows.columns[RIGHT]
        return int(min(counts @ right, counts @ (1 - right)))


@dataclasses.dataclass(frozen=True)
class Correlation(TermMeasure):
    """Pearson's correlation of the scores with the labels; `centers` are about their means, which spares digits."""

    scores: str
    centers: tuple[float, float] = (0.0, 0.0)

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0, 1.0)

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.scores, LABEL)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        score, label = rows.columns[self.scores] - self.centers[0], rows.columns[LABEL] - self.centers[1]
        parts = (np.ones(len(score)), score, label, score * score, label * label, score * label)
        return [rows.weights * part for part in parts]

    def finish(self, sums: Any) -> Any:
        n, score, label, of_score, of_label, of_both = sums
        spread = np.maximum(n * of_score - score * score, 0.0) * np.maximum(n * of_label - label * label, 0.0)
        return np.clip((n * of_both - score * label) / np.sqrt(spread), -1.0, 1.0)


@dataclasses.dataclass(frozen=True)
class CalibrationError(TermMeasure):
    """The mean distance, over bins of equal width, between the mean score and the mean verdict, by examples (ECE)."""

    scores: str
    lower_is_better = True

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.scores, VERDICT)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        score, weights = rows.columns[self.scores], rows.weights
        bins = np.clip((score * BINS).astype(np.int64), 0, BINS - 1)
        distance = weights * (score - rows.columns[VERDICT])
        return [weights, *(np.where(bins == place, distance, 0.0) for place in range(BINS))]

    def finish(self, sums: Any) -> Any:
        return sum(abs(part) for part in sums[1:]) / sums[0]


@dataclasses.dataclass(frozen=True)
class BestCut(Measure):
    """The threshold from which on scores are accepted, so that most verdicts are as people's; of several the nearest to 0.5."""

    scores: str
    is_rate = False

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.scores, RIGHT)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        values, right, wrong = _by_score(self.scores, rows, replicate_counts)
        cuts = np.concatenate([[0.0], (values[:-1] + values[1:]) / 2])
        refused_right, refused_wrong = np.cumsum(right, axis=1) - right, np.cumsum(wrong, axis=1) - wrong
        agreed = refused_wrong - refused_right
        order = np.argsort(abs(cuts - HALF), kind="stable")
        best: np.ndarray = cuts[order][np.argmax(agreed[:, order], axis=1)]
        return best


def _by_score(name: str, rows: Rows, replicate_counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different scores, rising, (g,), and how many right and wrong answers have each, (b, g) each."""
    values, places = np.unique(rows.columns[name], return_inverse=True)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(len(values)))
    counts = (replicate_counts * rows.weights)[:, order]
    right = rows.columns[RIGHT][order]
    return (
        values,
        np.add.reduceat(counts * right, starts, axis=1),
        np.add.reduceat(counts * (1 - right), starts, axis=1),
    )
