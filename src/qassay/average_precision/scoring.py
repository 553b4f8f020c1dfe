"""average_precision: average precision (AP, mAP) of scored classes and of boxes, from precision-recall curves.

Two tasks: scores of examples (one class, or several), with scikit-learn's rule or given thresholds; and boxes in
images or pages, by the rules of COCO (Lin et al., 2014) and of Pascal VOC (Everingham et al., 2010).
"""

import dataclasses
import math
import numbers
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core.columns import is_real
from ..core.gold_fingerprints import GoldFingerprints
from ..core.intake import read
from ..core.label_columns import ROW_FIELDS
from ..core.label_encoding import LabelList, plain_label, to_label_list
from ..core.measures import Count, Measure, Total
from ..core.options import Options, check_whole, did_you_mean, listed, option
from ..core.scores import Scores
from ..core.shown import describe, shown
from .box_rows import BOX_FORMATS, read_boxes
from .boxes import box_columns_of, box_measures, gold_boxes
from .fields import read_scored
from .measures import CURVE_TIES, INTERPOLATIONS, BelowThreshold, CurvePrecision, WithoutPositives, points_of

CURVE_TASKS = ("scores", "boxes")
_TASKS_OF = {
    **dict.fromkeys(("pos_label", "thresholds"), ("scores",)),
    **dict.fromkeys(("style", "box_format", "iou_thresholds", "max_detections"), ("boxes",)),
}  # option -> the tasks that have it
_CODED = ("labels", "found_class", "gold_class")  # columns of class numbers
_MOST_IOU_THRESHOLDS = 62  # bits of an integer


@dataclasses.dataclass(frozen=True)
class CurveOptions(Options):
    """The options of average_precision.

    Attributes:
        task: "scores" (examples with a score, or a score per class) or "boxes" (found boxes against gold boxes).
        labels: the classes, or their number (0, 1, 2, ...); for lists of scores, in the order of the lists. None: the
            classes that occur, sorted. Parts to be joined must have the same labels.
        pos_label: for one score per example: the positive reference, if references are not true or false.
        thresholds: the thresholds of the points of the curve, in any order; None: every score that occurs, as in
            scikit-learn.
        interpolation: "none" (the step sum), "voc11", "all_points" or "coco101", which make precision monotonic first; None:
            "none" for scores, and for boxes the choice of the style.
        ties: equal scores are one point of the curve ("grouped"), or one point each in the order of rows ("stable"); None:
            "grouped" without interpolation or with thresholds, else "stable", as in the official programs.
        per_class: add the average precision of each class.
        style: for boxes: "coco" (the mean over IoU .50, .55, ... .95; 101 points) or "voc" (IoU .50; all points).
        box_format: "xyxy" (left, top, right, bottom) or "xywh" (left, top, width, height).
        iou_thresholds: the required overlap of a found box with a gold box, above 0 up to 1; None: the thresholds of
            the style.
        max_detections: the number of boxes of a class that count in an image, by highest score; None: 100 for "coco",
            all for "voc".
    """

    family: ClassVar[str] = "average_precision"
    pointers: ClassVar[Mapping[str, str]] = {
        "average": "every result has the means over classes",
        "y_true": "write references=",
        "y_score": "write predictions=",
        "sample_weight": "write weights=",
        "iou": "write iou_thresholds=(0.5,)",
    }

    task: str = option("scores", "task", choices=CURVE_TASKS, always=True)
    labels: Any = option(None, compare=False, repr=False)
    # The classes: `labels` or, once the columns are read, the classes that occur.
    classes: LabelList | None = dataclasses.field(
        default=None,
        init=False,
        metadata={"key": "labels", "option": "labels", "advice": "give all of them the same option labels"},
    )
    pos_label: str | float | None = option(None, "pos")
    thresholds: tuple[float, ...] | None = option(None, "thresholds")
    interpolation: str | None = option(None, "interp", choices=(None, *INTERPOLATIONS), always=True)
    ties: str | None = option(None, "ties", choices=(None, *CURVE_TIES), always=True)
    per_class: bool = option(False)
    style: str = option("coco", "style", choices=("coco", "voc"))
    box_format: str = option("xyxy", "boxes", choices=BOX_FORMATS)
    iou_thresholds: tuple[float, ...] | None = option(None, "iou")
    max_detections: int | None = option(None, "max")

    def _settle(self):
        self.refuse_options_of_other_tasks(self.task, _TASKS_OF)
        if self.labels is not None:
            self._set(classes=to_label_list(self.labels))
            self._set(labels=self.classes)
        if self.pos_label is not None:
            self._set(pos_label=_positive_label(self.pos_label))
        if self.thresholds is not None:
            self._set(thresholds=_threshold_numbers(self.thresholds, "thresholds"))
        if self.iou_thresholds is not None:
            levels = _threshold_numbers(self.iou_thresholds, "iou_thresholds")
            if not (0 < levels[0] and levels[-1] <= 1):
                raise ValueError(f"iou_thresholds must be above 0 and at most 1, got {list(levels)}")
            if len(levels) > _MOST_IOU_THRESHOLDS:
                raise ValueError(f"at most {_MOST_IOU_THRESHOLDS} iou_thresholds, got {len(levels)}")
            self._set(iou_thresholds=levels)
        if self.max_detections is not None:
            self._set(max_detections=check_whole("max_detections", self.max_detections))
        if self.interpolation is None:
            usual = "none" if self.task == "scores" else {"coco": "coco101", "voc": "all_points"}[self.style]
            self._set(interpolation=usual)
        if self.ties is None:
            grouped = self.interpolation == "none" or self.thresholds is not None
            self._set(ties="grouped" if grouped else "stable")
        elif self.ties == "stable" and self.thresholds is not None:
            raise ValueError("ties=stable does not go with thresholds, which take equal scores together; omit ties")

    @property
    def iou_levels(self) -> tuple[float, ...]:
        """The IoU thresholds of boxes, growing."""
        if self.iou_thresholds is not None:
            return self.iou_thresholds
        return (0.5,) if self.style == "voc" else tuple(np.linspace(0.5, 0.95, 10).tolist())

    @property
    def detections(self) -> int | None:
        """How many boxes of a class count in an image; None for all."""
        return 100 if self.max_detections is None and self.style == "coco" else self.max_detections

    def differences(self, other: Any) -> list[dataclasses.Field]:
        """As for all options, but classes of boxes that come from the columns may differ between systems of the same
        data: a class without a gold box is omitted from the mean.
        """
        classes_may_differ = self.task == "boxes" and self.labels is None and other.labels is None
        return [field for field in super().differences(other) if not (classes_may_differ and field.name == "classes")]

    def resolved(self, classes: LabelList | None) -> "CurveOptions":
        """These options with the classes of the columns, where the user gave none."""
        if classes is None or self.classes is not None:
            return self
        options = dataclasses.replace(self)
        options._set(classes=LabelList(classes.labels, given=False))
        return options


def _positive_label(given: Any) -> str | int | float:
    """A string or a number; True is 1, as in the comparison with references, and has one signature with it."""
    label = plain_label(given)
    if isinstance(label, str):
        return label
    if not is_real(label) or not math.isfinite(label) or not isinstance(label, numbers.Real):
        raise TypeError(f"option pos_label must be a string or a finite number, got {describe(given)}")
    return int(label) if isinstance(label, numbers.Integral) else float(label)


def _threshold_numbers(thresholds: Any, name: str) -> tuple[float, ...]:
    values = listed(thresholds)
    for value in values:
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not (is_number and is_real(value) and math.isfinite(value)):
            raise TypeError(f"{name} must be finite numbers, for example (0.5, 0.75); got {describe(value)}")
    if not values:
        raise ValueError(f"{name} needs at least one number, for example (0.5, 0.75); omit it for the default")
    return tuple(sorted({float(value) for value in values}))


def score_curves(
    predictions: Any,
    references: Any,
    ids: Any = None,
    weights: Any = None,
    groups: Any = None,
    *,
    options: CurveOptions | None = None,
) -> Scores:
    """Average precision of scored examples, or of boxes.

    Args:
        predictions: n scores (higher is more likely positive); or per example a dict {class: score}, or a list with a score
            per class (also an array (n, c)). With task="boxes" per image `{"boxes": [...], "scores": [...], "labels": [...]}`,
            None for nothing found, or one box of 4 numbers; also a dict id -> row.
        references: n times true or false, or 1 or 0, or any values, with `pos_label` for the positive one; with a score per class the
            class of each example, or a list of its classes, or a row of bools. With task="boxes" per image `{"boxes":
            [...], "labels": [...]}`, or one box; also a dict id -> row.
        ids: n unique ids, when the columns are not dicts.
        weights: the weight of each example (image), n numbers of at least 0.
        groups: n labels (str or number), such as the article of each example, or a dict by id: examples of one group are
            not independent, so intervals draw whole groups. None: examples are independent.

    Returns:
        Scores. One score per example: `average_precision`, `positives` and `total`. A score per class: `map` (the mean over
        classes), `weighted_average_precision`, `micro_average_precision`, `no_positives` (classes without one, which have
        0) and `total`. Boxes: `map`, `map@0.5`, `map@0.75`, `iou` and `accuracy@t` of the best box of each image,
        `no_positives` (classes found that have no gold box, which are omitted), `missing` and `total`.

    Raises:
        TypeError, ValueError: naming the row and what to do.

    Example:
        >>> score_curves([0.9, 0.6, 0.4], [True, False, True]).summary()
        {'average_precision': 0.8333333333333333, 'positives': 2, 'total': 3}
        >>> by_class = score_curves([{"a": 0.9, "b": 0.1}, {"a": 0.8, "b": 0.7}], ["a", "b"])
        >>> by_class.summary(["map", "micro_average_precision"])
        {'map': 1.0, 'micro_average_precision': 0.8333333333333333}
    """
    options = options or CurveOptions()
    given = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "groups": groups}
    table = read(ROW_FIELDS, given)
    subsets: dict[str, np.ndarray] = {}
    if options.task == "boxes":
        boxes = read_boxes(table, options.classes, options.box_format)
        columns, subsets = box_columns_of(boxes, options.iou_levels, options.detections)
        measures: dict[str, Measure] = box_measures(boxes, options)
        classes, gold = boxes.classes, gold_boxes(boxes)
    else:
        columns, classes = read_scored(table, options.classes, options.pos_label)
        measures = _score_measures(classes, options)
        true = (columns["label"], range(2)) if classes is None else (columns["labels"], classes.labels)
        gold = GoldFingerprints.of_labels(*true)
    measures["total"] = Count()
    coded = {} if classes is None else {name: classes.labels for name in _CODED if name in columns}
    return table.scores(
        columns=columns,
        subsets=subsets,
        measures=measures,
        options=options.resolved(classes),
        coded=coded,
        gold=gold,
    )


def _score_measures(classes: LabelList | None, options: CurveOptions) -> dict[str, Measure]:
    rules: dict[str, Any] = {name: getattr(options, name) for name in ("interpolation", "ties", "thresholds")}
    n_classes: Any = None if classes is None else len(classes)
    if classes is None:
        measures: dict[str, Measure] = {"average_precision": CurvePrecision("class", **rules)}
        measures["positives"] = Total("label")
    else:
        names = {"map": "macro", "weighted_average_precision": "weighted", "micro_average_precision": "micro"}
        measures = {name: CurvePrecision(over, None, n_classes, **rules) for name, over in names.items()}
        if options.per_class:
            for index, label in enumerate(classes.labels):
                measures[f"average_precision[{label}]"] = CurvePrecision("class", index, n_classes, **rules)
        measures["no_positives"] = WithoutPositives("labels", n_classes)
    if options.thresholds is not None:
        measures["below_thresholds"] = BelowThreshold(options.thresholds[0], n_classes)
    return measures


def precision_recall_curve(scores: Scores, label: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The precision-recall curve behind an average precision, as in scikit-learn.

    Args:
        scores: the result of `score_curves` with the task "scores".
        label: the class, if each example has a score per class.

    Returns:
        Precisions (k + 1,), recalls (k + 1,) and thresholds (k,): point i takes the examples with a score of at least
        thresholds[i]; thresholds grow, and the last point is precision 1, recall 0. Examples count by their weights,
        and examples of weight 0 add no point. Without a positive, recall is 1 at every threshold.

    Raises:
        ValueError: scores of boxes, or an unknown class.

    Example:
        >>> precisions, recalls, thresholds = precision_recall_curve(score_curves([0.9, 0.6, 0.4], [True, False, True]))
        >>> precisions.round(3).tolist(), recalls.tolist(), thresholds.tolist()
        ([0.667, 0.5, 1.0, 1.0], [1.0, 0.5, 0.5, 0.0], [0.4, 0.6, 0.9])
    """
    labels = _curve_labels(scores)
    label = plain_label(label)
    is_class = label is None or isinstance(label, (str, int)) and label in (labels or ())
    if (label is None) != (labels is None) or not is_class:
        advice = "each example has one score: omit label" if labels is None else f"give one of: {labels[:10]}"
        raise ValueError(f"no class {shown(label)}{did_you_mean(label, labels or ())}; {advice}")
    options, index = scores.options, None if labels is None else labels.index(label)
    rules = options.interpolation, options.ties, options.thresholds
    measure = CurvePrecision("class", index, len(labels or "x"), *rules)
    rows = scores.rows if scores.rows.weights.all() else scores.subset(scores.rows.weights > 0).rows
    ranked = measure.ranked(rows, index)
    precision, recall, total = points_of(ranked, rows.weights[None, ranked.order])
    if options.thresholds is not None:
        thresholds = np.array(options.thresholds)
    else:
        thresholds = measure.items(rows, index)[0][ranked.order[ranked.points - 1]]
    recall = recall[0] if total[0] else np.ones(len(thresholds))
    return np.append(precision[0], 1.0), np.append(recall, 0.0), thresholds


def precision_recall_curves(scores: Scores) -> dict[Any, Any]:
    """`precision_recall_curve` as a dict; where each example has a score per class, a dict of such dicts by class.

    Raises:
        ValueError: scores of boxes.

    Example:
        >>> precision_recall_curves(score_curves([0.9, 0.4], [True, False]))["recalls"].tolist()
        [1.0, 1.0, 0.0]
    """
    labels = _curve_labels(scores)
    names = ("precisions", "recalls", "thresholds")
    if labels is None:
        return dict(zip(names, precision_recall_curve(scores), strict=True))
    return {label: dict(zip(names, precision_recall_curve(scores, label), strict=True)) for label in labels}


def _curve_labels(scores: Scores) -> tuple | None:
    """The classes of scores that have curves; None if each example has one score."""
    options = scores.options
    if getattr(options, "family", None) != "average_precision" or options.task != "scores":
        raise ValueError("a precision-recall curve is made of scores of the task 'scores' of average_precision")
    return None if options.classes is None else tuple(options.classes.labels)
