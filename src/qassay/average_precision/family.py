"""The descriptor of average_precision."""

from ..core.family import Family
from .about import ABOUT

_IMAGES = {"boxes": [[0, 0, 1, 1]], "labels": ["a"]}


class AveragePrecisionFamily(Family):
    """Scores or boxes against true classes or boxes."""

    name = "average_precision"
    source = "scikit-learn; boxes: pycocotools and the PASCAL VOC development kit"
    function = "score_curves"
    options = "CurveOptions"
    known_as = {
        "ap": "average_precision",
        "coco": 'average_precision with task="boxes"',
        "voc": 'average_precision with task="boxes", style="voc"',
    }
    smallest = (
        ({"predictions": [0.5], "references": [True]}, {"thresholds": (0.5,)}),
        ({"predictions": [{"a": 0.5}], "references": ["a"]}, {}),
        ({"predictions": [{**_IMAGES, "scores": [0.5]}], "references": [_IMAGES]}, {"task": "boxes"}),
    )
    named_only = True
    list_options = ("labels",)
    about = ABOUT


FAMILY = AveragePrecisionFamily()
