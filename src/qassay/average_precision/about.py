"""What tables, documents and pages need to know of average_precision, and how to cite it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.about import About, Texts
from ..core.examples import Examples, said

if TYPE_CHECKING:
    from ..core.scores import Scores

CITATION = """
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
_MEANINGS = {
    "average_precision": "area under the precision-recall curve",
    "map": "mean average precision of the classes; of boxes also over the IoU thresholds",
    "weighted_average_precision": "the same mean, weighted by the positives of the classes",
    "micro_average_precision": "average precision of all pairs of example and class together",
    "no_positives": "number of classes without a positive example (0) or a gold box (omitted)",
    "positives": "number of positive examples",
    "below_thresholds": "positives with a score below the lowest threshold: recall does not reach 1",
    "iou": "mean overlap (intersection over union) of each image's best box with the nearest gold box",
    "map@0.5": "map of boxes at IoU 0.5",
    "map@0.75": "map of boxes at IoU 0.75",
    "accuracy@0.5": "share of images whose best box has an IoU of at least 0.5",
    "accuracy@0.75": "share of images whose best box has an IoU of at least 0.75",
}
_SHOWN = 5  # classes or boxes of an answer


def _first_measures(scores: "Scores") -> list[str]:
    """The average precision or its mean; for boxes the overlap of the best one too."""
    return [name for name in ("average_precision", "map", "iou") if name in scores.measures][:2]


def _notes(options: Any) -> dict[str, str]:
    left_out = "found but not in any gold box: these classes are omitted from the mean"
    return {
        "missing": "without a prediction: no box found",
        "no_positives": left_out
        if options.task == "boxes"
        else "without a positive example: these classes count as 0 in the mean",
        "below_thresholds": "positive but below the lowest threshold: recall does not reach 1",
    }


def _more_notes(scores: "Scores") -> dict[str, int]:
    """Classes without a positive, and positives below all thresholds."""
    names = [name for name in ("no_positives", "below_thresholds") if name in scores.measures]
    return {name: int(count) for name, count in scores.summary(names).items() if count}


def _texts(examples: Examples) -> Texts:
    """The true label, and the score; of classes the true ones, and the five with the highest scores; of boxes all
    gold ones, and the five found with the highest scores, each with its class.
    """
    scores, rows = examples.scores, examples.rows
    if scores.options.task == "boxes":
        given = examples.predictions["predictions"]
        golds = [_box_texts(row)[0] for row in examples.references]
        return golds, [said(_best_first(*_box_texts(given[index])), _SHOWN) for index in examples.gold_rows]
    columns = scores.columns
    if "score" in columns:
        golds = [["yes" if columns["label"][row] else "no"] for row in rows]
        return golds, [[f"{columns['score'][row]:g}"] for row in rows]
    classes = scores.coded["labels"]
    golds = [[str(classes[number]) for number in numbers] for numbers in columns["labels"].take(rows).tolist()]
    names = [str(label) for label in classes]
    answers = [_best_first(names, of_row) for of_row in columns["scores"].take(rows).tolist()]
    return golds, [said(row, _SHOWN) for row in answers]


def _best_first(texts: Sequence[str], numbers: Sequence[float]) -> list[str]:
    """Texts with the numbers behind them, highest first."""
    pairs = sorted(zip(texts, numbers, strict=True), key=lambda pair: -pair[1])
    return [f"{text} {number:.3g}" for text, number in pairs]


def _box_texts(row: Mapping[str, Any] | None) -> tuple[list[str], list[float]]:
    """The boxes of one image with their classes, and the scores of the found boxes."""
    boxes = (row or {}).get("boxes") or []
    labels = (row or {}).get("labels") or [""] * len(boxes)
    texts = [
        f"{label} [{', '.join(f'{edge:g}' for edge in box)}]".strip() for label, box in zip(labels, boxes, strict=True)
    ]
    return texts, list((row or {}).get("scores") or [1.0] * len(boxes))


def _precision_recall(scores: "Scores") -> Iterator[tuple[Any, Any, Any]]:
    from .scoring import precision_recall_curve

    if scores.options.task != "scores":
        return
    classes = scores.options.classes
    for label in [None] if classes is None else classes.labels:
        precision, recall, _ = precision_recall_curve(scores, label)
        yield label, precision, recall


ABOUT = About(
    meanings=_MEANINGS,
    groups=("map@", "average_precision[", "accuracy@"),
    usual_slices=("question_word",),
    first_measures=_first_measures,
    notes=_notes,
    more_notes=_more_notes,
    texts=_texts,
    cells=lambda examples: {},  # the statistics are the scores and labels, or the classes and scores of boxes
    precision_recall=_precision_recall,
)
