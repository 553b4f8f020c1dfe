"""Areas under precision-recall curves as measures: items are ranked once, then counted under any weights."""

import abc
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ..core.measures import Measure, Rows, Tally
from ..core.ragged import Ragged, begins_run

RECALL_LEVELS = {"voc11": 11, "coco101": 101}
INTERPOLATIONS = ("none", "all_points", *RECALL_LEVELS)
CURVE_TIES = ("grouped", "stable")
_CURVE_CELLS = 1 << 17  # cells of a table (resamples, items) per block, small enough for the processor cache


@dataclasses.dataclass(frozen=True)
class RankedItems:
    """Items of one class from the highest score to the lowest, and where their curve has its points.

    Attributes:
        order: int64 (m,), the items in that order.
        positive: bool (m,), in that order.
        points: int64 (k,), how many items each point takes, by growing threshold (from most items to fewest).
    """

    order: np.ndarray
    positive: np.ndarray
    points: np.ndarray

    def where_recall_grows(self) -> "RankedItems":
        """The items with the points that take more positives than the point before: no other one adds to an area."""
        hits = np.append(0, np.cumsum(self.positive))[self.points]
        return dataclasses.replace(self, points=self.points[hits > np.append(hits[1:], 0)])


def rank_items(
    scores: np.ndarray,
    positive: np.ndarray,
    ties: str = "grouped",
    thresholds: tuple[float, ...] | None = None,
    weights: np.ndarray | None = None,
) -> RankedItems:
    """Order items by falling score.

    Args:
        scores, positive: (m,), without NaN.
        ties: "grouped" puts one point behind all items of a score, "stable" one behind every item, ties as they come.
        thresholds: growing; one point each instead, which takes the items with at least that score.
        weights: (m,), where these are not whole: items of one score are then added up in a fixed order, so that
            rounding does not depend on the order of rows.
    """
    if ties == "stable" and thresholds is None:
        order = np.argsort(-scores, kind="stable")
        return RankedItems(order, positive[order], np.arange(len(order), 0, -1))
    order = np.argsort(scores)[::-1]
    ordered = scores[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if weights is not None and len(changes) + 1 < len(order):
        order = np.lexsort((positive, weights, scores))[::-1]
    if thresholds is None:
        points = np.append(changes, [len(order)] if len(order) else [])[::-1]
    else:
        points = len(scores) - np.searchsorted(ordered[::-1], np.array(thresholds), "left")
    return RankedItems(order, positive[order], points.astype(np.int64))


def points_of(ranked: RankedItems, ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision and recall at the points of a curve, both (b, k), and the number of positives, (b,).

    Args:
        ordered: (b, m), how much each item counts, in the order of the ranks.

    Where nothing is taken, precision is 0; where there is no positive, recall is 0.
    """
    until = np.append(ranked.points, len(ranked.order))
    hits, total = np.split(hits_of_first(ordered, ranked.positive, until), [-1], 1)
    precision, recall = precision_recall(hits, sums_of_first(ordered, ranked.points), total[:, 0])
    return precision, recall, total[:, 0].astype(np.float64)


def sums_of_first(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The sums of the first `counts` (k,) of values (b, m), (b, k)."""
    if not values.shape[1]:
        return np.zeros((len(values), len(counts)))
    sums = np.cumsum(values, axis=1).take(counts - 1, axis=1)
    sums[:, counts == 0] = 0
    return sums


def hits_of_first(values: np.ndarray, positive: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """`sums_of_first` where only the `positive` (m,) of the values count."""
    return sums_of_first(values.take(np.flatnonzero(positive), axis=1), np.append(0, np.cumsum(positive))[counts])


def plain_points(
    scores: np.ndarray, positive: np.ndarray, thresholds: tuple[float, ...] | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """`points_of` items that count once each, (1, k) and a number: from sorted scores alone, which is faster."""
    ordered, hits = np.sort(scores), np.sort(scores[positive])
    if thresholds is None:
        first = np.flatnonzero(begins_run(ordered))
        values = ordered[first]
    else:
        values = np.array(thresholds)
        first = np.searchsorted(ordered, values, "left")
    total = len(hits)
    num_taken, hits = len(ordered) - first, total - np.searchsorted(hits, values, "left")
    precision = np.divide(hits, num_taken, out=np.zeros(len(hits)), where=num_taken > 0)
    return precision[None], (hits / max(total, 1))[None], total


def precision_recall(hits: np.ndarray, num_taken: np.ndarray, total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall, (b, k) each, of the positives among the items taken, (b, k), and of all, (b,); 0 of nothing."""
    total = total[:, None]
    return hits / np.where(num_taken > 0, num_taken, 1), hits / np.where(total > 0, total, 1)


def curve_areas(precision: np.ndarray, recall: np.ndarray, interpolation: str = "none") -> np.ndarray:
    """The area under curves, (b,) of points (b, k) by growing threshold (recall falls).

    Args:
        interpolation: "none": sum of precision times the step of recall (scikit-learn). The others replace precision by the
            highest one at this recall or more: "all_points" sums it in the same way (VOC from 2010), "voc11" and
            "coco101" take its mean at 11 or 101 equally spaced recalls, 0 where the curve does not reach them.
    """
    if interpolation != "none":
        precision = np.maximum.accumulate(precision, axis=1)
    if interpolation in RECALL_LEVELS:
        levels = np.linspace(0, 1, RECALL_LEVELS[interpolation])
        areas = np.empty(len(precision))
        for row, (heights, reached) in enumerate(zip(precision, recall, strict=True)):
            ranks = np.searchsorted(reached[::-1], levels, "left")
            areas[row] = np.append(heights[::-1], 0.0)[ranks].mean()
        return areas
    steps = recall.copy()
    steps[:, :-1] -= recall[:, 1:]
    steps *= precision
    return steps.sum(axis=1)


class CurveMeasure(Measure, abc.ABC):
    """A number made of the areas under the curves of several classes, which all of a family's measures share."""

    @property
    @abc.abstractmethod
    def curves(self) -> tuple:
        """What decides the areas: measures with equal `curves` share them."""

    @abc.abstractmethod
    def areas(self, rows: Rows, replicate_counts: np.ndarray | None) -> Any:
        """All that `combine` needs, when example i counts `replicate_counts[b, i]` times; None: once each, b = 1."""

    @abc.abstractmethod
    def combine(self, areas: Any) -> np.ndarray:
        """The value, (b,)."""

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return self.combine(rows.shared(self.curves, replicate_counts, lambda: self.areas(rows, replicate_counts)))

    def value_once(self, rows: Rows) -> float | int:
        key = ("once", *self.curves)
        if key not in rows.cache:
            rows.cache[key] = self.areas(rows, None)
        value = float(self.combine(rows.cache[key])[0])
        return 0.0 if np.isnan(value) else value


def _as_integers(counts: np.ndarray) -> np.ndarray:
    """Counts as int64 if all are whole, for fast running sums."""
    whole = counts.astype(np.int64)
    return whole if (whole == counts).all() else counts


def areas_in_blocks(
    owners: np.ndarray, weights: np.ndarray, replicate_counts: np.ndarray | None, areas: Callable[[np.ndarray], tuple]
) -> list[np.ndarray]:
    """The arrays (..., b) that `areas` gives for blocks of weights (fewer than b, m), joined, so that memory stays bounded.

    Args:
        owners: int64 (m,), the example of each item.
        weights: (n,), of the examples.
        replicate_counts: (b, n), how often each example counts; None: once each, b = 1.
    """
    item_weights = weights[owners]
    if replicate_counts is None:
        return list(areas(item_weights[None]))
    step = max(1, _CURVE_CELLS // max(1, len(owners)))
    is_plain = (item_weights == 1).all()
    blocks = []
    for start in range(0, len(replicate_counts), step):
        counts = _as_integers(replicate_counts[start : start + step])
        item_counts = counts.take(owners, axis=1)
        blocks.append(areas(item_counts if is_plain else item_counts * item_weights))
    return [np.concatenate(part, axis=-1) for part in zip(*blocks, strict=True)]


@dataclasses.dataclass(frozen=True)
class CurvePrecision(CurveMeasure):
    """Average precision of scored examples: of one class, or over all classes.

    Attributes:
        over: "class", "macro" (mean of the classes), "weighted" (by their positives) or "micro" (all decisions in one
            curve).
        label: for "class": its index; None: there are no classes, each example has one score.
        n_classes: how many classes there are.
        interpolation, ties, thresholds: of the curve.

    A class without a positive has 0. Reads `score` and `label`, or the lists `scores` and `labels`.
    """

    over: str
    label: int | None = None
    n_classes: int = 1
    interpolation: str = "none"
    ties: str = "grouped"
    thresholds: tuple[float, ...] | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        return ("score", "label") if self._is_binary else ("scores", "labels")

    @property
    def curves(self) -> tuple:
        kind = "micro" if self.over == "micro" else "classes"
        return ("curve", kind, self.n_classes, self.interpolation, self.ties, self.thresholds)

    @property
    def _is_binary(self) -> bool:
        return self.over == "class" and self.label is None

    def scarce(self, rows: Rows, counts: np.ndarray) -> int | None:
        """How many examples of the class there are, or others where these are fewer."""
        if self.over != "class":
            return None
        positive = self.items(rows, self.label)[1]
        return int(min(counts[positive].sum(), counts[~positive].sum()))

    def items(self, rows: Rows, label: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Scores and what is positive, (m,): of the examples for a class, or with "micro" of all pairs of both."""
        if self._is_binary:
            return rows.columns["score"], rows.columns["label"] > 0
        table, gold = rows.columns["scores"].values.reshape(-1, self.n_classes), rows.columns["labels"]
        if self.over != "micro":
            return table[:, label], has_label(gold, cast(int, label))
        positive = np.zeros(table.size, bool)
        positive[gold.rows * self.n_classes + gold.values] = True
        return table.reshape(-1), positive

    def ranked(self, rows: Rows, label: int | None) -> RankedItems:
        """The items in order."""
        weights = None if (rows.weights == np.trunc(rows.weights)).all() else rows.weights
        if weights is not None and self.over == "micro":
            weights = np.repeat(weights, self.n_classes)
        return rank_items(*self.items(rows, label), self.ties, self.thresholds, weights)

    def areas(self, rows: Rows, replicate_counts: np.ndarray | None) -> list[np.ndarray]:
        """Areas and numbers of positives, (number of curves, b) each."""
        parts = [self._areas_of(rows, replicate_counts, label) for label in self._labels]
        return [np.stack(part) for part in zip(*parts, strict=True)]

    @property
    def _labels(self) -> Sequence[int | None]:
        """The class of each curve; None: one curve of everything."""
        return [None] if self._is_binary or self.over == "micro" else range(self.n_classes)

    def _owners(self, ranked: RankedItems) -> np.ndarray:
        """The example of each item, in the order of the items."""
        return ranked.order // self.n_classes if self.over == "micro" else ranked.order

    def _areas_of(self, rows: Rows, replicate_counts: np.ndarray | None, label: int | None) -> list[np.ndarray]:
        if replicate_counts is None and self.ties == "grouped" and (rows.weights == 1).all():
            precision, recall, total = plain_points(*self.items(rows, label), self.thresholds)
            return [curve_areas(precision, recall, self.interpolation), np.array([float(total)])]
        key = ("ranked", *self.curves, label)
        if key not in rows.cache:
            rows.cache[key] = self.ranked(rows, label).where_recall_grows()
        ranked = rows.cache[key]

        def of_block(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            precision, recall, total = points_of(ranked, ordered)
            return curve_areas(precision, recall, self.interpolation), total

        return areas_in_blocks(self._owners(ranked), rows.weights, replicate_counts, of_block)

    def combine(self, areas: list[np.ndarray]) -> np.ndarray:
        values, positives = areas
        if self.over == "class":
            return values[self.label or 0]
        if self.over == "weighted":
            total = positives.sum(axis=0)
            return np.divide((values * positives).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
        return values.mean(axis=0)


@dataclasses.dataclass(frozen=True)
class WithoutPositives(Tally):
    """How many classes do not occur in a column of lists (unweighted), for all examples or those `among`."""

    column: str
    n_classes: int
    among: str | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,) if self.among is None else (self.column, self.among)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return np.array([self._count(rows, counts) for counts in replicate_counts])

    def _count(self, rows: Rows, counts: np.ndarray) -> float:
        columns = [rows.columns[name] for name in self.reads]
        occurs = [np.bincount(column.values, counts[column.rows], self.n_classes) > 0 for column in columns]
        return float(np.count_nonzero(~occurs[0] & occurs[-1] if self.among else ~occurs[0]))


@dataclasses.dataclass(frozen=True)
class BelowThreshold(Tally):
    """How many positives score less than a threshold (unweighted), so that recall never reaches 1."""

    threshold: float
    n_classes: int | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        return ("score", "label") if self.n_classes is None else ("scores", "labels")

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        scores, gold = (rows.columns[name] for name in self.reads)
        if self.n_classes is None:
            return replicate_counts @ (gold * (scores < self.threshold))
        low = scores.values[gold.rows * self.n_classes + gold.values] < np.float64(self.threshold)
        return replicate_counts[:, gold.rows] @ low


def has_label(labels: Ragged, label: int) -> np.ndarray:
    """Which lists hold a class, bool (n,)."""
    has = np.zeros(len(labels), bool)
    has[labels.rows[labels.values == label]] = True
    return has
