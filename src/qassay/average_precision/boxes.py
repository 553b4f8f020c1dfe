"""Boxes: how much they overlap, which found box takes which gold box, and measures of both.

The rules follow COCO's evaluation (Lin et al., 2014, "Microsoft COCO: Common Objects in Context") without crowds,
masks and splits by area.
"""

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.arrow import mixed
from ..core.gold_fingerprints import GoldFingerprints, float_prints, label_prints, print_sums
from ..core.measures import Count, Mean, Measure, Rows, Share
from ..core.ragged import Ragged, begins_run
from .box_rows import Boxes, BoxSide
from .measures import (
    CurveMeasure,
    WithoutPositives,
    areas_in_blocks,
    curve_areas,
    hits_of_first,
    precision_recall,
    rank_items,
    sums_of_first,
)

_FULL_OVERLAP = 1 - 1e-10  # despite rounding, a box matches an equal one at a threshold of 1
_BOX_COLUMNS = ("found_class", "found_score", "found_matches", "gold_class")


def _overlaps(boxes: BoxSide, indices: np.ndarray, others: BoxSide, other_indices: np.ndarray) -> np.ndarray:
    """The IoU of predicted and gold boxes, by indices that are broadcast."""
    first, second = boxes.corners[indices], others.corners[other_indices]
    edges = np.minimum(first[..., 2:], second[..., 2:]) - np.maximum(first[..., :2], second[..., :2])
    shared = np.where((edges > 0).all(axis=-1), edges[..., 0] * edges[..., 1], 0.0)
    union = boxes.areas[indices] + others.areas[other_indices] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)


def match_boxes(overlaps: np.ndarray, levels: Sequence[float]) -> np.ndarray:
    """Which found boxes take a gold box, at each of t IoU thresholds, bool (m, t).

    Args:
        overlaps: float64 (m, k), the IoU of m found boxes, the highest score first, with k gold boxes.
        levels: t IoU thresholds, each above 0.

    In this order each found box takes the free gold box with the highest IoU of at least the threshold; of equal ones
    the last.
    """
    m, k = overlaps.shape
    needed = np.minimum(levels, _FULL_OVERLAP)
    matched, free = np.zeros((m, len(needed)), bool), np.ones((len(needed), k), bool)
    for box in np.flatnonzero(overlaps.max(axis=1, initial=0.0) >= needed.min()):
        possible = free & (overlaps[box] >= needed[:, None])
        best = k - 1 - np.argmax(np.where(possible, overlaps[box], -1.0)[:, ::-1], axis=1)
        matched[box] = possible.any(axis=1)
        free[matched[box], best[matched[box]]] = False
    return matched


def box_columns_of(
    boxes: Boxes, levels: Sequence[float], most: int | None
) -> tuple[dict[str, np.ndarray | Ragged], dict[str, np.ndarray]]:
    """The columns and subsets of images.

    Args:
        levels: IoU thresholds.
        most: how many boxes of a class count in an image, None for all.

    Returns:
        `iou`: of the found box with the highest score (ties go to the first) with the nearest gold box of its class; 0
        where nothing was found, NaN where there is no gold box. Where found boxes have scores also the lists `found_class`,
        `found_score`, `found_matches` (bit t: the box takes a gold box at threshold t) and `gold_class`. The subset
        `missing`: images without a prediction.
    """
    from tqdm import tqdm

    detected, gold, scores = boxes.detected, boxes.gold, boxes.detected.scores
    width = int(max(detected.labels.max(initial=0), gold.labels.max(initial=0))) + 1
    keys, gold_keys = (side.owners * width + side.labels for side in (detected, gold))  # of an image and a class
    order = np.argsort(keys, kind="stable") if scores is None else np.lexsort((-scores, keys))
    if scores is not None and most is not None:
        starts = np.flatnonzero(begins_run(keys[order]))
        order = order[np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order))) < most]
    gold_order = np.argsort(gold_keys, kind="stable")
    starts = np.flatnonzero(begins_run(keys[order]))
    ends = np.append(starts[1:], len(order))
    first, last = (np.searchsorted(gold_keys[gold_order], keys[order[starts]], side) for side in ("left", "right"))
    nearest, matches, bits = np.zeros(len(keys)), np.zeros(len(order), np.int64), 1 << np.arange(len(levels))
    for group in tqdm(np.flatnonzero(last > first), "boxes", delay=1, leave=False, disable=None):
        block = order[starts[group] : ends[group]]
        overlaps = _overlaps(detected, block[:, None], gold, gold_order[first[group] : last[group]])
        nearest[block] = overlaps.max(axis=1)
        if scores is not None:
            matches[starts[group] : ends[group]] = match_boxes(overlaps, levels) @ bits
    owners = detected.owners
    by_score = np.arange(len(owners)) if scores is None else np.lexsort((-scores, owners))
    best = by_score[np.flatnonzero(begins_run(owners))]
    iou = np.zeros(len(boxes.given))
    iou[owners[best]] = nearest[best]
    columns: dict[str, np.ndarray | Ragged] = {"iou": np.where(np.diff(gold.offsets) > 0, iou, np.nan)}
    if scores is not None:
        offsets = np.append(0, np.cumsum(np.bincount(owners[order], minlength=len(iou))))
        columns["found_class"] = Ragged(offsets, detected.labels[order])
        columns["found_score"] = Ragged(offsets, scores[order])
        columns["found_matches"] = Ragged(offsets, matches)
        columns["gold_class"] = Ragged(gold.offsets, gold.labels)
    return columns, {"missing": ~boxes.given}


def gold_boxes(boxes: Boxes) -> GoldFingerprints:
    """Fingerprints of the gold boxes of each image with their classes, whatever their order."""
    gold, classes = boxes.gold, boxes.classes

    def made() -> np.ndarray | None:
        prints = label_prints(gold.labels, range(1) if classes is None else classes.labels)
        if prints is not None:
            for side in gold.corners.T:
                prints = mixed(prints + float_prints(side))
        return prints if prints is None else print_sums(prints, gold.offsets)

    return GoldFingerprints(len(boxes.given), {"gold boxes": made})


@dataclasses.dataclass(frozen=True)
class BoxPrecision(CurveMeasure):
    """Average precision of boxes: the mean over IoU thresholds and over the classes that have a gold box.

    Attributes:
        level: the index of one IoU threshold; None: all.
        label: the index of one class; None: all.
        n_levels, n_classes: how many there are.
        interpolation, ties: of the curve.
    """

    level: int | None
    label: int | None
    n_levels: int
    n_classes: int
    interpolation: str
    ties: str

    reads = _BOX_COLUMNS

    @property
    def curves(self) -> tuple:
        return ("boxes", self.n_levels, self.n_classes, self.interpolation, self.ties)

    def areas(self, rows: Rows, replicate_counts: np.ndarray | None) -> np.ndarray:
        """The area of each class and threshold, (c, t, b); NaN for a class without a gold box."""
        detected, scores, matches, gold = (rows.columns[name] for name in _BOX_COLUMNS)
        images, gold_images = detected.rows, gold.rows
        areas = np.empty((self.n_classes, self.n_levels, 1 if replicate_counts is None else len(replicate_counts)))
        for label in range(self.n_classes):
            of_label = np.flatnonzero(detected.values == label)
            ranked = rank_items(scores.values[of_label], np.zeros(len(of_label), bool), self.ties)
            found = of_label[ranked.order]
            hits = (matches.values[found][None] >> np.arange(self.n_levels)[:, None] & 1).astype(bool)
            owners = np.append(images[found], gold_images[gold.values == label])
            of_block = partial(self._areas_of_block, hits, ranked.points)
            (areas[label],) = areas_in_blocks(owners, rows.weights, replicate_counts, of_block)
        return areas

    def _areas_of_block(self, hits: np.ndarray, points: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray]:
        """The areas of a class, (t, b); counts of the found boxes, then of the gold boxes."""
        ordered, total = counts[:, : hits.shape[1]], counts[:, hits.shape[1] :].sum(axis=1)
        num_taken = sums_of_first(ordered, points)
        areas = np.empty((self.n_levels, len(counts)))
        for level, hit in enumerate(hits):
            precision, recall = precision_recall(hits_of_first(ordered, hit, points), num_taken, total)
            areas[level] = curve_areas(precision, recall, self.interpolation)
        areas[:, total == 0] = np.nan
        return (areas,)

    def combine(self, areas: np.ndarray) -> np.ndarray:
        picked = areas if self.level is None else areas[:, [self.level]]
        picked = picked if self.label is None else picked[[self.label]]
        has_gold = ~np.isnan(picked)
        count = has_gold.sum(axis=(0, 1))
        total = np.where(has_gold, picked, 0.0).sum(axis=(0, 1))
        return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


def box_measures(boxes: Boxes, options: Any) -> dict[str, Measure]:
    """The measures of boxes, by name; only the measures of the best box where boxes have no scores."""
    measures: dict[str, Measure] = {}
    levels = options.iou_levels
    named = [level for level in levels if options.iou_thresholds is not None or level in (0.5, 0.75)]
    if boxes.detected.scores is not None:
        n_classes = 1 if boxes.classes is None else len(boxes.classes)
        rules = (len(levels), n_classes, options.interpolation, options.ties)
        measures["map"] = BoxPrecision(None, None, *rules)
        measures |= {f"map@{level:g}": BoxPrecision(levels.index(level), None, *rules) for level in named}
        if options.per_class and boxes.classes is not None:
            measures |= {
                f"average_precision[{label}]": BoxPrecision(None, index, *rules)
                for index, label in enumerate(boxes.classes.labels)
            }
        measures["no_positives"] = WithoutPositives("gold_class", n_classes, among="found_class")
    measures["iou"] = Mean("iou")
    measures |= {f"accuracy@{level:g}": Share("iou", least=level) for level in named}
    return {**measures, "missing": Count("missing")}
