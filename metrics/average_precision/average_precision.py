"""average_precision: the area under precision-recall curves, of scored classes and of boxes. The core does the work."""

import datasets
import evaluate

from .shim import (
    CurveOptions,
    QAMetric,
    dicts_as_lists,
    kept_array,
    precision_recall_curves,
    score_curves,
)

_DESCRIPTION = """
Average precision (AP) and its mean over classes (mAP), from precision-recall curves: of examples with a score, or a score
per class, with a point of the curve at every score as in scikit-learn or at thresholds of your own, without interpolation
or with that of Pascal VOC and COCO; and of boxes in images and pages, by the rules of COCO and VOC, with the overlap (IoU)
of one box per question.
"""

_CITATION = """
@inproceedings{lin2014microsoft,
    title = "Microsoft {COCO}: Common Objects in Context",
    author = "Lin, Tsung-Yi and Maire, Michael and Belongie, Serge and Hays, James and Perona, Pietro and Ramanan, Deva
      and Doll{\\'a}r, Piotr and Zitnick, C. Lawrence",
    booktitle = "Computer Vision - ECCV 2014",
    year = "2014",
    pages = "740--755",
}
@article{everingham2010pascal,
    title = "The {P}ascal Visual Object Classes ({VOC}) Challenge",
    author = "Everingham, Mark and Van Gool, Luc and Williams, Christopher K. I. and Winn, John and Zisserman, Andrew",
    journal = "International Journal of Computer Vision",
    volume = "88",
    year = "2010",
    pages = "303--338",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: a score per example, or a dict {class: score} or a list with a score per class. With task="boxes" per
        image {"boxes": [[x1, y1, x2, y2], ...], "scores": [...], "labels": [...]}, None for nothing, or one box.
    references: True or False per example, or 1 or 0, or values of which pos_label is positive; with a score per class
        the class of each example, or a list of its classes, or a row of bools. With task="boxes" {"boxes", "labels"}.
    ids, weights: optional columns, one entry per example.
    task: "scores" or "boxes".
    labels: the classes, in the order of lists of scores, or how many there are (0, 1, 2, ...).
    pos_label: the positive reference.
    thresholds: where the curve has points; at every score when left out.
    interpolation: "none", "voc11", "all_points" or "coco101".
    ties: "grouped" (equal scores are one point) or "stable" (one point each, in the order of rows).
    per_class: adds average_precision[cat] of each class.
    style: of boxes: "coco" or "voc".
    box_format: "xyxy" or "xywh".
    iou_thresholds: those of the style when left out.
    max_detections: boxes of a class that count in an image: 100 for "coco", all for "voc", when left out.
    curve: adds the curve, {"precisions": [...], "recalls": [...], "thresholds": [...]}, or one of these for each class.
    per_example: adds the table of examples.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1) and counts.

Examples:
    >>> metric = evaluate.load("./metrics/average_precision")
    >>> metric.compute(predictions=[0.9, 0.6, 0.4], references=[True, False, True])
    {'average_precision': 0.8333333333333333, 'positives': 2, 'total': 3}
    >>> scores = [{"cat": 0.9, "dog": 0.6}, {"cat": 0.2, "dog": 0.5}]
    >>> metric.compute(predictions=scores, references=["cat", "dog"])["map"]
    0.75
    >>> found = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "scores": [0.9, 0.8]}]
    >>> gold = [{"boxes": [[0, 0, 10, 8]]}]
    >>> boxes = metric.compute(predictions=found, references=gold, task="boxes")
    >>> boxes["map"], boxes["map@0.75"], boxes["iou"]
    (0.7, 1.0, 0.8)
"""

_NUMBER = datasets.Value("float64")
_BOXES = {"boxes": datasets.Sequence(datasets.Sequence(_NUMBER)), "labels": datasets.Sequence(datasets.Value("string"))}


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class AveragePrecision(QAMetric):
    optional = ("ids", "weights")
    core_checks = True
    matrices = True

    def _info(self):
        if self.config_name != "default":
            raise ValueError(f"average_precision has no config {self.config_name!r}; leave it out")
        scored_boxes = {**_BOXES, "scores": datasets.Sequence(_NUMBER)}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features({"predictions": _NUMBER, "references": datasets.Value("bool")}),
                datasets.Features(
                    {
                        "predictions": datasets.Sequence(_NUMBER),
                        "references": datasets.Sequence(datasets.Value("string")),
                    }
                ),
                datasets.Features({"predictions": scored_boxes, "references": _BOXES}),
            ],
            reference_urls=["https://github.com/cocodataset/cocoapi", "http://host.robots.ox.ac.uk/pascal/VOC/"],
        )

    def check_options(self, options):
        CurveOptions.from_some(options)

    def adapt(self, columns, options):
        return dicts_as_lists(columns)

    def batch_rows(self, column, name):
        return super().batch_rows(kept_array(column, name), name)

    def is_whole(self, column):
        # Arrays, tensors and Arrow columns: the family reads them as they are, much faster than lists.
        return super().is_whole(column) or hasattr(column, "__array__")

    def _compute(
        self,
        predictions,
        references,
        ids=None,
        weights=None,
        *,
        task="scores",
        labels=None,
        pos_label=None,
        thresholds=None,
        interpolation=None,
        ties=None,
        per_class=False,
        style="coco",
        box_format="xyxy",
        iou_thresholds=None,
        max_detections=None,
        curve=False,
        per_example=False,
        level=None,
        n_resamples=1000,
        bootstrap_seed=0,
        signature=False,
        counts=False,
    ):
        options = CurveOptions.from_some(
            {
                "task": task,
                "labels": labels,
                "pos_label": pos_label,
                "thresholds": thresholds,
                "interpolation": interpolation,
                "ties": ties,
                "per_class": per_class,
                "style": style,
                "box_format": box_format,
                "iou_thresholds": iou_thresholds,
                "max_detections": max_detections,
            }
        )
        scores = score_curves(predictions, references, ids, weights, options=options)
        result = scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
        if curve:
            result["curve"] = precision_recall_curves(scores)
        return result
