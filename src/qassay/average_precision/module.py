"""average_precision: the area under precision-recall curves, of scored classes and of boxes. The core does the work."""

import datasets

from ..core.label_columns import ROW_FIELDS
from ..core.module import QAMetric
from .about import CITATION
from .scoring import CurveOptions, precision_recall_curves, score_curves

_DESCRIPTION = """
Average precision (AP) and its mean over classes (mAP), from precision-recall curves: of examples with a score, or a
score per class, with a point of the curve at every score as in scikit-learn or at thresholds of your own, without
interpolation or interpolated as in Pascal VOC and COCO; and of boxes in images and pages, by the rules of COCO and VOC,
with the overlap (IoU) of one box per question.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1) and counts.

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/average_precision")  # in a clone
    >>> metric = qassay.load("average_precision")  # anywhere
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
_NUMBERS = datasets.Sequence(_NUMBER)
_LABELS = datasets.Sequence(datasets.Value("string"))
_BOXES = {"boxes": datasets.Sequence(_NUMBERS), "labels": _LABELS}


class AveragePrecision(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_curves), CurveOptions
    fields = staticmethod(lambda options: ROW_FIELDS)
    extras = {"curve": "adds the curve: precisions, recalls and thresholds, of each class where there are several."}

    def _info(self):
        return self.card(
            ["https://github.com/cocodataset/cocoapi", "http://host.robots.ox.ac.uk/pascal/VOC/"],
            {"predictions": _NUMBER, "references": datasets.Value("bool")},
            {"predictions": _NUMBERS, "references": _LABELS},
            {"predictions": {**_BOXES, "scores": _NUMBERS}, "references": _BOXES},
        )

    def additions(self, scores, options):
        return {"curve": precision_recall_curves(scores)} if options.get("curve") else {}
