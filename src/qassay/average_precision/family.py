"""The descriptor of average_precision."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.examples import Examples, said
from ..core.family import Family
from ..core.family_telling import Sides, Telling

if TYPE_CHECKING:
    from ..core.scores import Scores

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
_IMAGES = {"boxes": [[0, 0, 1, 1]], "labels": ["a"]}


class CurveTelling(Telling):
    """Scores of examples, or boxes, with precision-recall curves."""

    meanings = _MEANINGS
    groups = ("map@", "average_precision[", "accuracy@")
    usual_slices = ("question_word",)

    def main_measures(self, scores: "Scores") -> list[str]:
        """The average precision or its mean; for boxes the overlap of the best one too."""
        main = [name for name in ("average_precision", "map", "iou") if name in scores.measures]
        return main[:2]

    def note_words(self, options: Any) -> Mapping[str, str]:
        left_out = "found but not in any gold box: these classes are omitted from the mean"
        return {
            **super().note_words(options),
            "missing": "without a prediction: no box found",
            "no_positives": left_out
            if options.task == "boxes"
            else "without a positive example: these classes count as 0 in the mean",
            "below_thresholds": "positive but below the lowest threshold: recall does not reach 1",
        }

    def notes_of(self, scores: "Scores") -> dict[str, int]:
        """Also classes without a positive, and positives below all thresholds."""
        names = [name for name in ("no_positives", "below_thresholds") if name in scores.measures]
        counts = {name: int(count) for name, count in scores.summary(names).items() if count}
        return {**super().notes_of(scores), **counts}

    def sides(self, examples: Examples) -> Sides:
        """The true label, and the score; of classes the true ones, and the five with the highest scores; of boxes all
        gold ones, and the five found with the highest scores, each with its class.
        """
        scores, rows = examples.scores, examples.rows
        if scores.options.task == "boxes":
            given = examples.predictions["predictions"]
            golds = [_box_texts(row)[0] for row in examples.references]
            return golds, [said(_best_first(*_box_texts(given[place])), _SHOWN) for place in examples.places]
        columns = scores.columns
        if "score" in columns:
            golds = [["yes" if columns["label"][row] else "no"] for row in rows]
            return golds, [[f"{columns['score'][row]:g}"] for row in rows]
        classes = scores.coded["labels"]
        golds = [[str(classes[number]) for number in numbers] for numbers in columns["labels"].take(rows).tolist()]
        names = [str(label) for label in classes]
        answers = [_best_first(names, of_row) for of_row in columns["scores"].take(rows).tolist()]
        return golds, [said(row, _SHOWN) for row in answers]

    def answer_cells(self, examples: Examples) -> dict[str, tuple[str, list]]:
        """None: the statistics are the scores and labels, or the classes and scores of boxes."""
        return {}

    def curve_labels(self, scores: "Scores") -> list[Any]:
        if scores.options.task != "scores":
            return []
        classes = scores.options.classes
        return [None] if classes is None else list(classes.labels)

    def precision_recall(self, scores: "Scores", label: Any) -> tuple[Any, Any, Any]:
        from .scoring import precision_recall_curve

        return precision_recall_curve(scores, label)

    def score_and_label(self, scores: "Scores") -> tuple[Any, Any] | None:
        columns = scores.columns
        return (columns["score"], columns["label"]) if "score" in columns else None


class AveragePrecisionFamily(Family):
    """Scores, or boxes, against what is right."""

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
    telling = CurveTelling()


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


FAMILY = AveragePrecisionFamily()
