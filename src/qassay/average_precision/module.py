"""average_precision: the area under precision-recall curves, of scored classes and of boxes. The core does the work."""

from datasets import Sequence, Value

from ..core.label_columns import ROW_FIELDS
from ..core.module import QAMetric
from .family import FAMILY
from .scoring import precision_recall_curves

_NUMBER, _LABELS = Value("float64"), Sequence(Value("string"))
_BOXES = {"boxes": Sequence(Sequence(_NUMBER)), "labels": _LABELS}


class AveragePrecision(QAMetric):
    """Average precision (AP) and its mean over classes (mAP), from precision-recall curves: of examples with a score, or a
    score per class, with a point of the curve at every score as in scikit-learn or at given thresholds, without
    interpolation or interpolated as in Pascal VOC and COCO; and of boxes in images and pages, by the rules of COCO and VOC,
    with the overlap (IoU) of one box per question.

    Returns:
        A flat dict of floats (0 to 1) and counts.

    Examples:
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

    family = FAMILY
    fields = staticmethod(lambda options: ROW_FIELDS)
    urls = ("https://github.com/cocodataset/cocoapi", "http://host.robots.ox.ac.uk/pascal/VOC/")
    layouts = (
        {"predictions": _NUMBER, "references": Value("bool")},
        {"predictions": Sequence(_NUMBER), "references": _LABELS},
        {"predictions": {**_BOXES, "scores": Sequence(_NUMBER)}, "references": _BOXES},
    )
    extras = {"curve": "adds the curve: precisions, recalls and thresholds, of each class where there are several."}

    def additions(self, scores, options):
        return {"curve": precision_recall_curves(scores)} if options.get("curve") else {}
