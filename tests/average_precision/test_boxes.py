"""Boxes: overlaps, matching, COCO and VOC numbers against pycocotools and a slow program, bad input."""

import contextlib
import io
import math

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from qassay.average_precision.scoring import CurveOptions, score_curves

BOXES = CurveOptions(task="boxes")


def boxed(predictions, references, ids=None, weights=None, **options):
    return score_curves(predictions, references, ids, weights, options=CurveOptions(task="boxes", **options))


def random_images(seed, n=40, classes=3, rounded=False):
    """Images with gold boxes and detections: moved gold boxes, and random boxes."""
    rng = np.random.default_rng(seed)
    predictions, references = [], []
    for _ in range(n):
        count = int(rng.integers(0, 6))
        corner, size = rng.uniform(0, 60, (count, 2)), rng.uniform(5, 40, (count, 2))
        gold = np.hstack([corner, corner + size])
        labels = rng.integers(0, classes, count)
        moved = gold + rng.normal(0, 3, gold.shape)
        stray = rng.uniform(0, 50, (int(rng.integers(0, 5)), 2))
        found = np.vstack([moved, np.hstack([stray, stray + rng.uniform(1, 30, stray.shape)])])
        found[:, 2:] = np.maximum(found[:, 2:], found[:, :2])
        found_labels = np.append(labels, rng.integers(0, classes, len(stray)))
        scores = rng.random(len(found))
        if rounded:
            gold, found, scores = gold.round(), found.round(), scores.round(1)
        predictions.append({"boxes": found.tolist(), "scores": scores.tolist(), "labels": found_labels.tolist()})
        references.append({"boxes": gold.tolist(), "labels": labels.tolist()})
    return predictions, references


def coco(predictions, references, levels=None, max_detections=100):
    """Precision (t, 101, classes) and the classes of pycocotools' evaluation."""

    def rows(images):
        for image, row in enumerate(images, 1):
            scores = row.get("scores", [0.0] * len(row["boxes"]))
            for (x1, y1, x2, y2), label, score in zip(row["boxes"], row["labels"], scores, strict=True):
                width, height = x2 - x1, y2 - y1
                yield {
                    "image_id": image, "category_id": label + 1, "bbox": [x1, y1, width, height],
                    "area": width * height, "iscrowd": 0, "score": score,
                }  # fmt: skip

    with contextlib.redirect_stdout(io.StringIO()):
        gold = COCO()
        gold.dataset = {
            "images": [{"id": image} for image in range(1, len(references) + 1)],
            "categories": [{"id": label} for label in range(1, 5)],
            "annotations": [{**row, "id": number} for number, row in enumerate(rows(references), 1)],
        }
        gold.createIndex()
        run = COCOeval(gold, gold.loadRes(list(rows(predictions))), "bbox")
        run.params.maxDets = [max_detections]
        if levels is not None:
            run.params.iouThrs = np.array(levels)
        run.params.areaRng, run.params.areaRngLbl = run.params.areaRng[:1], run.params.areaRngLbl[:1]
        run.evaluate()
        run.accumulate()
    return run.eval["precision"][:, :, :, 0, 0]


def mean_of_known(precision):
    return precision[precision > -1].mean()


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(3, 12))])
def test_equals_pycocotools(seed):
    predictions, references = random_images(seed, rounded=seed % 3 == 2)
    precision = coco(predictions, references)
    summary = boxed(predictions, references, per_class=True).summary()
    assert summary["map"] == pytest.approx(mean_of_known(precision), rel=0, abs=1e-12)
    assert summary["map@0.5"] == pytest.approx(mean_of_known(precision[0]), rel=0, abs=1e-12)
    assert summary["map@0.75"] == pytest.approx(mean_of_known(precision[5]), rel=0, abs=1e-12)
    for label in range(3):
        theirs = mean_of_known(precision[:, :, label])
        assert summary[f"average_precision[{label}]"] == pytest.approx(theirs, rel=0, abs=1e-12)


def test_equals_pycocotools_with_few_detections_and_other_thresholds():
    predictions, references = random_images(50, n=25, classes=2)
    for most in (1, 3):
        precision = coco(predictions, references, [0.3, 0.6, 1.0], most)
        found = boxed(predictions, references, iou_thresholds=[1.0, 0.6, 0.3], max_detections=most).summary()
        assert found["map"] == pytest.approx(mean_of_known(precision), rel=0, abs=1e-12)
        for place, level in enumerate(("0.3", "0.6", "1")):
            assert found[f"map@{level}"] == pytest.approx(mean_of_known(precision[place]), rel=0, abs=1e-12)


def overlap_of(box, other):
    """Intersection over union of two boxes of left, top, right and bottom."""
    width, height = (min(box[axis + 2], other[axis + 2]) - max(box[axis], other[axis]) for axis in (0, 1))
    shared = max(width, 0) * max(height, 0)
    areas = [(corner[2] - corner[0]) * (corner[3] - corner[1]) for corner in (box, other)]
    return shared / (sum(areas) - shared)


def slow_average_precision(predictions, references, level, interpolation):
    """One class, no limit: the rules written out."""
    pooled, golds = [], 0
    for found, gold in zip(predictions, references, strict=True):
        free, golds = set(range(len(gold["boxes"]))), golds + len(gold["boxes"])
        for score, box in sorted(zip(found["scores"], found["boxes"], strict=True), key=lambda pair: -pair[0]):
            best, taken = level, None
            for place in sorted(free):
                overlap = overlap_of(box, gold["boxes"][place])
                if overlap >= best:
                    best, taken = overlap, place
            free -= {taken}
            pooled.append((score, taken is not None))
    pooled.sort(key=lambda pair: -pair[0])
    hits, points = 0, []
    for rank, (_, hit) in enumerate(pooled, 1):
        hits += hit
        points.append((hits / golds, hits / rank))
    if interpolation == "voc11":
        levels = np.linspace(0, 1, 11)
        return sum(max((p for r, p in points if r >= level), default=0.0) for level in levels) / 11
    area, before = 0.0, 0.0
    for place, (recall, _) in enumerate(points):
        area += (recall - before) * max(p for _, p in points[place:])
        before = recall
    return area


@pytest.mark.parametrize("interpolation", ["all_points", "voc11"])
def test_voc_equals_the_rules_written_out(interpolation):
    for seed in range(4):
        predictions, references = random_images(100 + seed, n=15, classes=1, rounded=seed % 2 == 1)
        found = boxed(predictions, references, style="voc", interpolation=interpolation).summary()
        expected = slow_average_precision(predictions, references, 0.5, interpolation)
        assert found["map"] == found["map@0.5"] == pytest.approx(expected, rel=0, abs=1e-12)


def test_one_box_per_question():
    several = {"boxes": [[0, 0, 1, 1], [0, 0, 10, 10], [0, 0, 9, 9]], "scores": [0.1, 0.9, 0.9]}
    assert boxed([several], [[0, 0, 10, 10]]).summary(["iou"]) == {"iou": 1.0}, "the best box, the first of equal ones"
    named = {"boxes": [[0, 0, 10, 10]], "labels": ["x"]}
    other = {"boxes": [[0, 0, 10, 10], [0, 0, 10, 5]], "labels": ["y", "x"]}
    assert boxed([named], [other]).summary(["iou"]) == {"iou": 0.5}, "only gold boxes of its class"


def test_weights_are_copies():
    predictions, references = random_images(56, n=24)
    options = {"labels": [0, 1, 2], "per_class": True}
    times = np.random.default_rng(57).integers(0, 4, 24)
    copies = np.repeat(np.arange(24), times)
    copied = boxed([predictions[i] for i in copies], [references[i] for i in copies], **options)
    rows, weighted = boxed(predictions, references, **options), boxed(predictions, references, weights=times, **options)
    for name in ("map", "map@0.5", "average_precision[1]", "iou"):
        expected = copied.summary([name])[name]
        assert rows.measures[name].value(rows.rows, times[None].astype(float))[0] == pytest.approx(expected, abs=1e-12)
        assert weighted.summary([name])[name] == pytest.approx(expected, abs=1e-12)


def test_forms_of_boxes():
    predictions, references = random_images(53, n=10)
    expected = boxed(predictions, references)
    arrays = [{key: np.array(values) for key, values in row.items()} for row in predictions]
    assert boxed(arrays, references) == expected
    for found, gold in (([], [[0, 0, 1, 1]]), ([[0, 0, 1, 1]], [])):
        summary = boxed([{"boxes": found, "scores": [0.5] * len(found)}], [{"boxes": gold}]).summary()
        assert (summary["map"], summary["iou"]) == (0.0, 0.0 if gold else None)
        assert summary["no_positives"] == (not gold)


def test_identity_is_one_and_order_does_not_count():
    predictions, references = random_images(54, n=20)
    perfect = [{**row, "scores": [1.0] * len(row["boxes"])} for row in references]
    summary = boxed(perfect, references).summary()
    assert summary["map"] == summary["iou"] == summary["accuracy@0.75"] == 1.0
    rows = boxed(predictions, references)
    order = np.random.default_rng(55).permutation(20)
    moved = boxed([predictions[i] for i in order], [references[i] for i in order], ids=order.tolist())
    assert moved == score_curves(predictions, references, range(20), options=BOXES)
    assert moved.summary() == pytest.approx(rows.summary(), abs=1e-15)
    assert moved.interval(n_resamples=30) == rows.interval(n_resamples=30)
    assert 0 <= rows.summary()["map"] <= rows.summary()["map@0.5"] <= 1


def box(*numbers, **more):
    return {"boxes": [list(numbers)], "scores": [0.5], **more}


GOLD = {"boxes": [[0, 0, 1, 1]]}


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        ([box(5, 0, 1, 1)], [GOLD], {}, r"predictions\[0\]\['boxes'\]\[0\] is \[5.*x2.*xywh"),
        ([box(0, 0, 1, 1)], [{"boxes": [[0, 0, 1, 1], [0, 9, 1, 1]]}], {}, r"references\[0\]\['boxes'\]\[1\] is .*y2"),
        ([box(0, 0, 1, math.nan)], [GOLD], {}, r"predictions\[0\]"),
        ([box(0, 0, 1, 1, scores=[0.1, 0.2])], [GOLD], {}, r"predictions\[0\] has 1 boxes but 2 scores"),
        ([box(0, 0, 1, 1, scores=[math.nan])], [GOLD], {}, r"predictions\[0\]\['scores'\]\[0\] is nan"),
        ([GOLD], [[]], {}, r"references\[0\] is an empty list"),
        ([box(0, 0, 1, 1, labels=["a"])], [GOLD], {}, "predictions have labels, references have none"),
        ([box(0, 0, 1, 1, labels=["a"])], [{**GOLD, "labels": ["c"]}], {"labels": ["a", "b"]}, r"references\[0\]\['labels'\]\[0\] is str: 'c'"),
        ([box(0, 0, 1, 1, label=["a"])], [GOLD], {}, "'label' .*'labels'"),
    ],
)  # fmt: skip
def test_bad_boxes(predictions, references, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        boxed(predictions, references, **options)
