"""Figures of agreement as measures of a table of examples, which gives them intervals as other measures.

They read a column of scores and the columns LABEL (any number), RIGHT (1.0 or 0.0), VERDICT (0 to 1) and FOLD; `Kappas`
and `Alpha` read a column per rater. Sources: Mann and Whitney (1947) for the AUC with ties; Pearson (1895); Naeini,
Cooper and Hauskrecht (2015) for the calibration error.
"""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from ..core.measures import Measure, Rows, TermMeasure

LABEL, RIGHT, VERDICT, FOLD = "label", "right", "verdict", "fold"
_BINS = 10  # of the calibration error, of equal width
ACCEPTED_FROM = 0.5  # the lowest value that counts as a verdict of right
REJECTS_ALL = 1.01  # a threshold above every value


@dataclasses.dataclass(frozen=True)
class _OfScores(Measure):
    """A figure of a column of scores, which also reads the columns `others`."""

    column: str
    others: ClassVar[tuple[str, ...]] = (RIGHT,)

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column, *self.others)


@dataclasses.dataclass(frozen=True)
class Auc(_OfScores):
    """The probability that a right answer has a higher score than a wrong one; equal scores count half."""

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        _, right, wrong = _by_score(self.column, rows, replicate_counts)
        below = np.cumsum(wrong, axis=1) - wrong
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((right * (below + wrong / 2)).sum(axis=1) / (right.sum(axis=1) * wrong.sum(axis=1)))

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        right = rows.columns[RIGHT]
        return int(min(counts @ right, counts @ (1 - right)))


@dataclasses.dataclass(frozen=True)
class Correlation(_OfScores, TermMeasure):
    """Pearson's correlation of the scores with the labels; `centers` are near their means, for precision."""

    centers: tuple[float, float] = (0.0, 0.0)
    others = (LABEL,)

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0, 1.0)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        score, label = rows.columns[self.column] - self.centers[0], rows.columns[LABEL] - self.centers[1]
        parts = (np.ones(len(score)), score, label, score * score, label * label, score * label)
        return [rows.weights * part for part in parts]

    def finish(self, sums: Any) -> Any:
        n, score, label, of_score, of_label, of_both = sums
        spread = np.maximum(n * of_score - score * score, 0.0) * np.maximum(n * of_label - label * label, 0.0)
        return np.clip((n * of_both - score * label) / np.sqrt(spread), -1.0, 1.0)


@dataclasses.dataclass(frozen=True)
class CalibrationError(_OfScores, TermMeasure):
    """The mean distance, over bins of equal width, between the mean score and the mean verdict, by examples (ECE)."""

    others = (VERDICT,)
    lower_is_better = True

    def terms(self, rows: Rows) -> list[np.ndarray]:
        score, weights = rows.columns[self.column], rows.weights
        bins = np.clip((score * _BINS).astype(np.int64), 0, _BINS - 1)
        distance = weights * (score - rows.columns[VERDICT])
        return [weights, *(np.where(bins == number, distance, 0.0) for number in range(_BINS))]

    def finish(self, sums: Any) -> Any:
        return sum(abs(part) for part in sums[1:]) / sums[0]


@dataclasses.dataclass(frozen=True)
class BestCut(_OfScores):
    """The threshold whose verdicts agree with people most often; of several, the nearest to 0.5.

    `REJECTS_ALL` if no threshold agrees more often than rejecting every answer.
    """

    is_rate = False

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        values, right, wrong = _by_score(self.column, rows, replicate_counts)
        cuts = _cuts(values)
        return np.asarray(cuts[_best_cut(cuts, right, wrong)])


@dataclasses.dataclass(frozen=True)
class HeldOutAccuracy(_OfScores):
    """The share of answers on which people and the scores agree, with the threshold that is best on the other folds.

    The column FOLD has the fold of each answer.
    """

    others = (RIGHT, FOLD)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        folds = rows.columns[FOLD]
        parts = [_by_score(self.column, rows, replicate_counts * (folds == fold)) for fold in np.unique(folds)]
        cuts = _cuts(parts[0][0])
        every_right, every_wrong = (np.sum([part[side] for part in parts], axis=0) for side in (1, 2))
        agreed = np.zeros(len(replicate_counts))
        for _, right, wrong in parts:
            best = _best_cut(cuts, every_right - right, every_wrong - wrong)[:, None]
            agreed += right.sum(axis=1) + np.take_along_axis(_gained(right, wrong), best, axis=1)[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(agreed / (every_right + every_wrong).sum(axis=1))


def _cuts(values: np.ndarray) -> np.ndarray:
    """A threshold below each of the g rising values and one above all, (g + 1,); the first is 0."""
    return np.concatenate([[0.0], (values[:-1] + values[1:]) / 2, [REJECTS_ALL]])


def _best_cut(cuts: np.ndarray, right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The index of the best threshold, given the right and wrong answers of each value, (b,)."""
    order = np.argsort(abs(cuts - ACCEPTED_FROM), kind="stable")
    return np.asarray(order[np.argmax(_gained(right, wrong)[:, order], axis=1)])


def _gained(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """The verdicts gained at each threshold of `_cuts`, compared with accepting all answers, (b, g + 1)."""
    return np.pad(np.cumsum(wrong - right, axis=1), ((0, 0), (1, 0)))


def _by_score(name: str, rows: Rows, replicate_counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different scores, rising, (g,), and the number of right and of wrong answers with each, (b, g) each."""
    values, codes = np.unique(rows.columns[name], return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(values)))
    counts = (replicate_counts * rows.weights)[:, order]
    right = rows.columns[RIGHT][order]
    return (
        values,
        np.add.reduceat(counts * right, starts, axis=1),
        np.add.reduceat(counts * (1 - right), starts, axis=1),
    )


@dataclasses.dataclass(frozen=True)
class Kappas(TermMeasure):
    """A sum of Cohen's kappas of pairs of raters, such as their mean, or the difference of two means.

    A column per rater has the index of each label among all labels, -1 for no label. The kappa of a pair is that of the
    items that both labelled.

    Attributes:
        pairs: of each pair two columns, a third column or "", and a factor; with a third column, the items that all
            three labelled count.
        steps: the step of each label on the scale.
        weights: None: all disagreements count equally; "linear" or "quadratic": by their distance in steps.

    Source: Cohen (1960, 1968).
    """

    pairs: tuple[tuple[str, str, str, float], ...]
    steps: tuple[float, ...]
    weights: str | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0, 1.0) if sum(factor for *_, factor in self.pairs) > 0.5 else (-2.0, 2.0)

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for *pair, _ in self.pairs for name in pair if name))

    def terms(self, rows: Rows) -> list[np.ndarray]:
        size = len(self.steps)
        cells, known = np.arange(size**2), {name: rows.columns[name] for name in self.reads}
        parts = []
        for first, second, third, _ in self.pairs:
            least = np.minimum(np.minimum(known[first], known[second]), known[third or first])
            cell = np.where(least < 0, -1, known[first] * size + known[second])
            parts += list((cells[:, None] == cell) * rows.weights)
        return parts

    def finish(self, sums: Any) -> Any:
        size = len(self.steps)
        table = np.asarray(sums, np.float64).reshape(len(self.pairs), size, size, -1)
        steps = abs(np.subtract.outer(self.steps, self.steps))
        cost = (steps > 0 if self.weights is None else steps if self.weights == "linear" else steps**2)[..., None]
        rows, columns = table.sum(2), table.sum(1)
        expected = (cost * rows[:, :, None] * columns[:, None]).sum((1, 2)) / rows.sum(1)
        kappas = 1 - (cost * table).sum((1, 2)) / expected
        total = np.tensordot([factor for *_, factor in self.pairs], kappas, 1)
        return total if np.ndim(sums[0]) else total[0]


@dataclasses.dataclass(frozen=True)
class Alpha(TermMeasure):
    """Krippendorff's alpha of any number of raters, with a column per rater as in `Kappas`.

    Attributes:
        raters: the columns.
        labels: the labels in rising order; numbers for the interval scale.
        scale: "nominal", "ordinal" or "interval".

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability"; the ordinal distance is between midranks.
    """

    raters: tuple[str, ...]
    labels: tuple[Any, ...]
    scale: str

    @property
    def bounds(self) -> tuple[float, float]:
        return (-1.0, 1.0)

    @property
    def reads(self) -> tuple[str, ...]:
        return self.raters

    def weights_of(self, rows: Rows) -> np.ndarray:
        """Only items with two labels count."""
        ratings = np.sum([rows.columns[name] >= 0 for name in self.raters], axis=0)
        return np.asarray(rows.weights * (ratings > 1))

    def terms(self, rows: Rows) -> list[np.ndarray]:
        codes = np.column_stack([rows.columns[name] for name in self.raters]).astype(np.int64)
        ratings = (codes >= 0).sum(1)
        weights = np.where(ratings > 1, rows.weights, 0.0)
        per_pair = weights / np.maximum(ratings - 1, 1)
        if self.scale == "interval":
            numbers = np.array(self.labels, np.float64)
            numbers = np.where(codes >= 0, (numbers - numbers.mean())[codes], 0.0)
            total, squares = numbers.sum(1), (numbers**2).sum(1)
            observed = 2 * (ratings * squares - total**2) * per_pair
            return [weights * ratings, weights * total, weights * squares, observed]
        counts = np.column_stack([(codes == code).sum(1) for code in range(len(self.labels))])
        pairs = counts[:, :, None] * (counts[:, None] - np.eye(len(self.labels)))
        return list((pairs * per_pair[:, None, None]).reshape(len(codes), -1).T)

    def finish(self, sums: Any) -> Any:
        table = np.asarray(sums, np.float64).reshape(len(sums), -1)
        if self.scale == "interval":
            n, total, squares, observed = table
            expected = 2 * (n * squares - total**2)
        else:
            pairs = table.reshape(len(self.labels), len(self.labels), -1)
            each = pairs.sum(0)
            n = each.sum(0)
            if self.scale == "ordinal":
                ranks = np.cumsum(each, axis=0) - each / 2
                cost = (ranks[:, None] - ranks) ** 2
            else:
                cost = 1 - np.eye(len(self.labels))[..., None]
            observed, expected = (cost * pairs).sum((0, 1)), (cost * each[:, None] * each).sum((0, 1))
        alpha = 1 - (n - 1) * observed / expected
        return alpha if np.ndim(sums[0]) else alpha[0]
