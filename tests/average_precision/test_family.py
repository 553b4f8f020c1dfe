"""What the command line knows about average_precision."""

from qassay.average_precision.family import AveragePrecisionFamily
from qassay.average_precision.scoring import CurveOptions, score_curves

FAMILY = AveragePrecisionFamily()
CLASSES = ([{"a": 0.9, "b": 0.2}, {"a": 0.8, "b": 0.7}], ["a", "a"])
FOUND = {"boxes": [[0, 0, 9, 9]], "scores": [0.5], "labels": ["b"]}
GOLD = {"boxes": [[0, 0, 9, 9]], "labels": ["a"]}


def test_usual_measures_are_the_shares():
    scores = score_curves(*CLASSES, options=CurveOptions(per_class=True))
    usual = FAMILY.telling.usual_measures(scores)
    assert usual[:3] == ["map", "weighted_average_precision", "micro_average_precision"]
    assert usual[3:] == ["average_precision[a]", "average_precision[b]"]
    assert FAMILY.telling.main_measures(scores) == ["map"]
    boxes = score_curves([FOUND], [GOLD], options=CurveOptions(task="boxes"))
    assert FAMILY.telling.usual_measures(boxes) == [
        "map",
        "map@0.5",
        "map@0.75",
        "iou",
        "accuracy@0.5",
        "accuracy@0.75",
    ]
    assert FAMILY.telling.main_measures(boxes) == ["map", "iou"]
    assert FAMILY.telling.main_measures(score_curves([0.5], [1])) == ["average_precision"]


def test_counts_are_told_in_words():
    scores = score_curves([0.1, 0.9], [1, 0], options=CurveOptions(thresholds=[0.5]))
    assert FAMILY.telling.notes_of(scores) == {"below_thresholds": 1}
    assert FAMILY.telling.notes_of(score_curves(*CLASSES)) == {"no_positives": 1}
    boxes = score_curves([None], [GOLD], options=CurveOptions(task="boxes"))
    assert FAMILY.telling.notes_of(boxes) == {"missing": 1}
    boxes = score_curves([FOUND], [GOLD], options=CurveOptions(task="boxes"))
    assert FAMILY.telling.notes_of(boxes) == {"no_positives": 1}
    for scores, words in ((boxes, "left out of the mean"), (score_curves(*CLASSES), "0 in the mean")):
        assert words in FAMILY.telling.note_words(scores.options)["no_positives"]
    assert FAMILY.telling.notes_of(score_curves([0.9], [1])) == {}


def test_examples_as_texts(examples_of):
    kinds, texts = examples_of("label,score\n1,0.25\n0,0.5\n", None, "average_precision")
    assert kinds is None and texts == [(None, ["yes"], ["0.25"]), (None, ["no"], ["0.5"])]
    rows = (
        '{"label": "cat", "scores": {"cat": 0.3, "dog": 0.7}}\n{"label": "dog", "scores": {"cat": 0.1, "dog": 0.9}}\n'
    )
    texts = examples_of(rows, None, "average_precision")[1]
    assert texts == [(None, ["cat"], ["dog 0.7", "cat 0.3"]), (None, ["dog"], ["dog 0.9", "cat 0.1"])]
    gold = '{"id": 1, "boxes": [[0, 0, 9, 9]], "labels": ["a"]}\n{"id": 2, "boxes": [], "labels": []}\n'
    found = '{"id": 2, "boxes": [], "scores": [], "labels": []}\n'
    found += '{"id": 1, "boxes": [[0, 0, 1.5, 1], [0, 0, 9, 9]], "scores": [0.2, 0.9], "labels": ["a", "b"]}\n'
    texts = examples_of(gold, found)[1]
    assert texts == [(None, ["a [0, 0, 9, 9]"], ["b [0, 0, 9, 9] 0.9", "a [0, 0, 1.5, 1] 0.2"]), (None, [], [])]
