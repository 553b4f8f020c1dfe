"""average_precision: scores of one class and of several, boxes; every interpolation, order of ties and style."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from _inputs import groups_of, named_options, of_scores, of_values, rng, weights_of

import qassay

METRIC = "average_precision"
CLASSES = ["cat", "dog", "鳥", "no positive"]


def scored(n: int, name: str = "scored") -> tuple[list[float], list[bool]]:
    """Scores, many of them equal, that are higher for positives."""
    draw = rng(name)
    true = [draw.random() < 0.4 for _ in range(n)]
    return [draw.choice([0.1, 0.5, 0.5, 0.75, round(draw.random(), 3)]) + 0.2 * label for label in true], true


def scored_classes(n: int) -> tuple[list[dict[str, float]], list[list[str]]]:
    """A score for each class and none to two true classes; a class without a positive."""
    draw = rng("scored classes")
    true = [draw.sample(CLASSES[:3], draw.choice([0, 1, 1, 1, 2])) for _ in range(n)]
    found = []
    for labels in true:
        scores = {label: draw.choice([0.25, 0.5, draw.random()]) + 0.3 * (label in labels) for label in CLASSES}
        found.append(scores)
    return found, true


def images(n: int) -> tuple[list[Any], list[dict[str, Any]]]:
    """Boxes of three classes: shifted, repeated, with equal scores; images without boxes, and missing ones."""
    draw = rng("images")
    found: list[Any] = []
    gold = []
    for _ in range(n):
        boxes, labels = [], []
        for _ in range(draw.choice([0, 1, 2, 4])):
            left, top = draw.randrange(60), draw.randrange(60)
            boxes.append([left, top, left + draw.randrange(5, 30), top + draw.randrange(5, 30)])
            labels.append(draw.choice(["line", "line", "table", "figure"]))
        gold.append({"boxes": boxes, "labels": labels})
        rows = []
        for box, label in zip(boxes * 2, labels * 2, strict=True):
            if draw.random() < 0.75:
                shift = [draw.choice([0, 0, 1, 2, 5]) for _ in range(4)]
                moved = [corner + add for corner, add in zip(box, shift, strict=True)]
                rows.append(
                    (moved, label if draw.random() < 0.85 else "never gold", draw.choice([0.5, 0.9, draw.random()]))
                )
        if draw.random() < 0.3:
            rows.append(([0, 0, 8, 9], "line", 0.5))
        row = (
            dict(zip(("boxes", "labels", "scores"), map(list, zip(*rows, strict=True)), strict=True)) if rows else None
        )
        found.append(None if draw.random() < 0.08 else row or {"boxes": [], "labels": [], "scores": []})
    return found, gold


CURVES: dict[str, dict[str, Any]] = {
    "default": {},
    "ties=stable": {"ties": "stable"},
    **{f"interpolation={name}": {"interpolation": name} for name in ("none", "voc11", "all_points", "coco101")},
    **{
        f"interpolation={name}, ties=grouped": {"interpolation": name, "ties": "grouped"}
        for name in ("voc11", "all_points", "coco101")
    },
    "thresholds": {"thresholds": [0.7, 0.3, 0.5]},
    "thresholds, all_points": {"thresholds": [0.3, 0.5, 0.7], "interpolation": "all_points"},
    "thresholds, coco101": {"thresholds": list(np.arange(0.05, 1, 0.1)), "interpolation": "coco101"},
    "thresholds that take nothing": {"thresholds": [2.0]},
}
BOXES: dict[str, dict[str, Any]] = {
    "default": {},
    **named_options(
        "style=voc; interpolation=none; interpolation=all_points; ties=grouped; max_detections=1; per_class; "
        "box_format=xywh"
    ),
    "style=voc, voc11": {"style": "voc", "interpolation": "voc11"},
    "iou_thresholds": {"iou_thresholds": (0.8, 0.3, 1.0)},
    "iou_thresholds, voc": {"iou_thresholds": (0.75,), "style": "voc"},
    "max_detections=2, voc": {"max_detections": 2, "style": "voc"},
    "per_class, labels": {"per_class": True, "labels": ["table", "line", "figure", "never gold", "in no image"]},
}


def with_lists(scores: Any) -> dict[str, Any]:
    """As `of_scores`, for columns of lists."""
    return {"columns": scores.to_arrow().to_pydict(), "counts": scores.counts(), **of_values(scores)}


def curve(scores: Any) -> dict[str, Any]:
    from qassay.average_precision.scoring import precision_recall_curves

    return precision_recall_curves(scores)


def one_class() -> Iterator[tuple[str, Any]]:
    n = 60
    found, true = scored(n)
    weights = weights_of(n)
    for name, options in CURVES.items():
        scores = qassay.score(METRIC, found, true, **options)
        yield f"scores/{name}", of_scores(scores) if name == "default" else of_values(scores)
        weighted = qassay.score(METRIC, found, true, weights=weights, groups=groups_of(n), **options)
        yield f"scores/{name}, weights", weighted.summary()
        if name in ("default", "thresholds", "ties=stable"):
            yield f"scores/{name}/curve", curve(scores)
            yield f"scores/{name}/curve of weights", curve(weighted)
    slices = qassay.score(METRIC, found, true, weights=weights).by(groups_of(n, among=3))
    yield "scores/slices", {label: part.summary() for label, part in slices.items()}
    texts = ["spam" if label else "ham" for label in true]
    yield "scores/pos_label", of_values(qassay.score(METRIC, found, texts, pos_label="spam"))
    yield "scores/other pos_label", of_values(qassay.score(METRIC, found, texts, pos_label="ham"))
    yield "scores/layout/arrays", of_values(qassay.score(METRIC, np.array(found, np.float32), np.array(true, int)))
    by_id = {f"r{row}": score for row, score in enumerate(found)}, {f"r{row}": label for row, label in enumerate(true)}
    yield "scores/layout/by id", of_values(qassay.score(METRIC, *by_id))
    yield "scores/no positive", of_values(qassay.score(METRIC, [0.5, 0.2], [False, False], thresholds=[0.3]))
    edge = qassay.score(METRIC, [0.3, 0.2, 0.3, 0.5], [True, True, False, False], thresholds=[0.3, 0.5])
    yield "scores/a positive at the lowest threshold", of_values(edge)
    yield "scores/all equal", of_values(qassay.score(METRIC, [0.5] * 5, [True, False, False, True, False]))
    for name in ("none", "voc11", "all_points", "coco101"):
        for ties in ("grouped", "stable"):
            scores = qassay.score(METRIC, [0.5] * 4 + [0.4], [0, 1, 1, 0, 1], interpolation=name, ties=ties)
            yield f"scores/ties of five, {name}, {ties}", scores.summary()


def classes() -> Iterator[tuple[str, Any]]:
    n = 60
    found, true = scored_classes(n)
    weights = weights_of(n, "weights of classes")
    for name, options in CURVES.items():
        scores = qassay.score(METRIC, found, true, per_class=True, **options)
        yield f"classes/{name}", of_values(scores)
        yield f"classes/{name}, weights", qassay.score(METRIC, found, true, weights=weights, **options).summary()
    scores = qassay.score(METRIC, found, true)
    yield "classes/columns", with_lists(scores)
    yield "classes/curves", {"dog": curve(scores)["dog"], "no positive": curve(scores)["no positive"]}
    slices = qassay.score(METRIC, found, true, groups=groups_of(n)).by(groups_of(n, among=3))
    yield "classes/slices", {label: part.summary() for label, part in slices.items()}
    rows = [{"a": 0.3, "b": 0.5}, {"a": 0.2, "b": 0.5}, {"a": 0.4, "b": 0.1}]
    edge = qassay.score(METRIC, rows, ["a", "b", "b"], thresholds=[0.3, 0.5])
    yield "classes/a positive at the lowest threshold", of_values(edge)
    one = [labels[0] if labels else "no positive" for labels in true]
    yield "classes/layout/one class each", of_values(qassay.score(METRIC, found, one, per_class=True))
    lists = [list(row.values()) for row in found]
    yield (
        "classes/layout/lists with labels",
        of_values(qassay.score(METRIC, lists, true, labels=CLASSES, per_class=True)),
    )
    numbers = [CLASSES.index(label) for label in one]
    yield "classes/layout/array and numbers", of_values(qassay.score(METRIC, np.array(lists), numbers, per_class=True))
    flags = np.array([[label in labels for label in CLASSES] for labels in true])
    yield "classes/layout/array and flags", of_values(qassay.score(METRIC, np.array(lists), flags, labels=CLASSES))


def boxes() -> Iterator[tuple[str, Any]]:
    n = 45
    found, gold = images(n)
    weights = weights_of(n, "weights of images")
    for name, options in BOXES.items():
        scores = qassay.score(METRIC, found, gold, task="boxes", **options)
        yield f"boxes/{name}", with_lists(scores) if name in ("default", "max_detections=1") else of_values(scores)
        weighted = qassay.score(METRIC, found, gold, task="boxes", weights=weights, groups=groups_of(n), **options)
        yield f"boxes/{name}, weights", weighted.summary()
    slices = qassay.score(METRIC, found, gold, task="boxes").by(groups_of(n, among=3))
    yield "boxes/slices", {label: part.summary() for label, part in slices.items()}
    yield "boxes/subset missing", qassay.score(METRIC, found, gold, task="boxes").subset("missing").summary()
    plain = (
        [{"boxes": row["boxes"][:1]} if row else None for row in found],
        [{"boxes": row["boxes"][:2]} for row in gold],
    )
    for thresholds in (None, (0.4, 0.9)):
        scores = qassay.score(METRIC, *plain, task="boxes", iou_thresholds=thresholds)
        yield f"boxes/without scores, {thresholds}", with_lists(scores) if thresholds else of_values(scores)
    single = [[0, 0, 10, 10], [5, 5, 10, 10], None], [[0, 0, 10, 10], [0, 0, 10, 10], [1, 1, 2, 2]]
    yield "boxes/one box each", with_lists(qassay.score(METRIC, *single, task="boxes"))
    equal = (
        [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 5]], "scores": [0.5, 0.5]}],
        [{"boxes": [[0, 0, 10, 5], [0, 5, 10, 10]]}],
    )
    for threshold in (0.5, 0.51, 1.0):
        scores = qassay.score(METRIC, *equal, task="boxes", iou_thresholds=[threshold])
        yield f"boxes/equal overlaps, {threshold}", with_lists(scores)
    near = [{"boxes": [[0, 0, 10, 10 + 1e-10]], "scores": [0.5]}], [{"boxes": [[0, 0, 10, 10]]}]
    yield "boxes/almost equal", of_values(qassay.score(METRIC, *near, task="boxes", iou_thresholds=[1.0]))
    wrong, right = [50, 50, 60, 60], [0, 0, 10, 10]
    ranked = [[*[wrong] * before, right, wrong] for before in (98, 99, 100)]
    late = [{"boxes": row, "scores": [1 - place / 200 for place in range(len(row))]} for row in ranked]
    for name, options in {"coco": {}, "voc": {"style": "voc"}, "101": {"max_detections": 101}}.items():
        scores = qassay.score(METRIC, late, [{"boxes": [right]}] * 3, task="boxes", **options)
        yield f"boxes/right at places 99 to 101, {name}", of_values(scores)


CASES = one_class, classes, boxes
