"""label_metrics: one label, sets and rankings of labels; every option and layout, weights, groups."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from _inputs import groups_of, of_scores, of_values, rng, weights_of

import qassay

METRIC = "label_metrics"
LABELS = ["cat", "dog", "Füchse", "鳥", "a b", "x[1]", "never found", "never true"]


def one_label(n: int, name: str = "one label") -> tuple[list[str], list[str]]:
    """A label on each side: one that is only true, one that is only predicted."""
    draw = rng(name)
    true = [draw.choices(LABELS[:7], [9, 5, 4, 3, 2, 1, 1])[0] for _ in range(n)]
    other = [label for label in LABELS if label != "never found"]
    return [label if draw.random() < 0.6 and label != "never found" else draw.choice(other) for label in true], true


def label_sets(n: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sets of none to four labels, some with a label twice."""
    draw = rng("label sets")
    true = [draw.sample(LABELS[:7], draw.choice([0, 1, 2, 2, 4])) for _ in range(n)]
    found = [[label for label in labels if draw.random() < 0.7] for labels in true]
    found = [[*labels, *draw.sample(LABELS[:1] + LABELS[7:], draw.choice([0, 0, 1, 2]))] for labels in found]
    return [labels + labels[:1] * (draw.random() < 0.1) for labels in found], true


def rankings(n: int) -> tuple[list[list[str]], list[list[str]]]:
    """Rankings of none to eight labels against none to four."""
    draw = rng("rankings of labels")
    true = [draw.sample(LABELS[:7], draw.choice([0, 1, 1, 2, 4])) for _ in range(n)]
    ranked = []
    for labels in true:
        order = [*draw.sample(labels, len(labels)), *draw.sample([x for x in LABELS if x not in labels], 3)]
        draw.shuffle(order)
        ranked.append(order[: draw.choice([0, 1, 2, 4, 8, 8])])
    return ranked, true


SINGLE: dict[str, dict[str, Any]] = {
    "default": {},
    "per_class": {"per_class": True},
    "zero_division=1": {"zero_division": 1.0},
    "zero_division=nan": {"zero_division": float("nan")},
    "zero_division=nan, per_class": {"zero_division": "nan", "per_class": True},
    "labels": {"labels": [*reversed(LABELS), "in no row"]},
    "labels, zero_division=1, per_class": {"labels": [*LABELS, "in no row"], "zero_division": 1, "per_class": True},
    "labels, zero_division=nan": {"labels": [*LABELS, "in no row"], "zero_division": float("nan")},
}
RANKED: dict[str, dict[str, Any]] = {
    "default": {"task": "ranked"},
    "k=1": {"task": "ranked", "k": 1},
    "k=2,4,7": {"k": (7, 2, 4)},
    "k=9": {"k": [1, 9]},
    "labels": {"task": "ranked", "labels": LABELS},
}


def single() -> Iterator[tuple[str, Any]]:
    n = 70
    found, true = one_label(n)
    weights, groups = weights_of(n), groups_of(n)
    for name, options in SINGLE.items():
        scores = qassay.score(METRIC, found, true, **options)
        yield f"single/{name}", of_scores(scores) if name == "default" else of_values(scores)
    scores = qassay.score(METRIC, found, true, weights=weights, groups=groups, per_class=True)
    yield "single/weights and groups", of_values(scores)
    yield "single/confusion of weights", confusion(scores)
    yield "single/confusion", confusion(qassay.score(METRIC, found, true))
    only = [0.0 if label == "cat" else 1.0 for label in true]
    for zero in (0.0, 1.0, float("nan")):
        scores = qassay.score(METRIC, found, true, weights=only, zero_division=zero)
        yield f"single/a class of weight 0, zero_division={zero}", of_values(scores)
    slices = qassay.score(METRIC, found, true).by(groups_of(n, among=3))
    yield "single/slices", {label: part.summary() for label, part in slices.items()}
    slices = qassay.score(METRIC, found, true, labels=LABELS).by(groups_of(n, among=3))
    yield (
        "single/slices with labels",
        {label: part.summary(["macro_f1", "balanced_accuracy"]) for label, part in slices.items()},
    )
    by_id = {f"r{row}": label for row, label in enumerate(found)}, {f"r{row}": label for row, label in enumerate(true)}
    yield "single/layout/by id", of_values(qassay.score(METRIC, *by_id))
    numbers = [LABELS.index(label) for label in found], [LABELS.index(label) for label in true]
    yield "single/layout/numbers", of_values(qassay.score(METRIC, *map(np.array, numbers), labels=8, per_class=True))
    yield (
        "single/layout/true and false",
        of_values(qassay.score(METRIC, [True, False, True], [True, True, False], per_class=True)),
    )
    yield "single/layout/one table", of_values(qassay.score(METRIC, {"prediction": found, "label": true}))
    yield "single/one class", of_scores(qassay.score(METRIC, ["a", "a"], ["a", "a"]))


def multi() -> Iterator[tuple[str, Any]]:
    n = 60
    found, true = label_sets(n)
    weights = weights_of(n, "weights of sets")
    for name, options in SINGLE.items():
        scores = qassay.score(METRIC, found, true, task="multi", **options)
        yield f"multi/{name}", of_scores(scores) if name in ("default", "zero_division=nan") else of_values(scores)
    scores = qassay.score(METRIC, found, true, task="multi", weights=weights, groups=groups_of(n), per_class=True)
    yield "multi/weights and groups", of_values(scores)
    slices = qassay.score(METRIC, found, true, task="multi").by(groups_of(n, among=3))
    yield "multi/slices", {label: part.summary() for label, part in slices.items()}
    yield "multi/subset no_labels", scores.subset("no_labels").summary()
    yield "multi/layout/sets", of_values(qassay.score(METRIC, list(map(set, found)), list(map(set, true))))
    flags = [np.array([[int(label in row) for label in LABELS] for row in side]) for side in (found, true)]
    yield "multi/layout/matrix", of_values(qassay.score(METRIC, *flags, task="multi", per_class=True))
    yield (
        "multi/layout/matrix with labels",
        of_values(qassay.score(METRIC, *flags, task="multi", labels=LABELS, per_class=True)),
    )
    lists = [side.tolist() for side in flags]
    for zero in (0.0, 1.0, float("nan")):
        scores = qassay.score(METRIC, *lists, layout="indicator", zero_division=zero)
        yield f"multi/layout/indicator, zero_division={zero}", of_values(scores)
    nothing = qassay.score(METRIC, [[], []], [[], ["a"]], task="multi", zero_division=1.0)
    for zero in (0.0, 1.0, float("nan")):
        scores = qassay.score(METRIC, [["a"], ["b", "a"]], [[], []], task="multi", zero_division=zero)
        yield f"multi/nothing is true, zero_division={zero}", of_values(scores)
    yield "multi/empty sets", of_scores(nothing)


def ranked() -> Iterator[tuple[str, Any]]:
    n = 60
    found, true = rankings(n)
    weights = weights_of(n, "weights of rankings")
    for name, options in RANKED.items():
        scores = qassay.score(METRIC, found, true, **options)
        yield f"ranked/{name}", of_scores(scores) if name == "default" else of_values(scores)
        yield f"ranked/{name}, weights", qassay.score(METRIC, found, true, weights=weights, **options).summary()
    scores = qassay.score(METRIC, found, true, groups=groups_of(n), task="ranked")
    yield "ranked/groups", of_values(scores)
    yield "ranked/slices", {label: part.summary() for label, part in scores.by(groups_of(n, among=3)).items()}
    for subset in ("no_labels", "short"):
        yield f"ranked/subset {subset}", scores.subset(subset).summary()

    draw = rng("label scores")
    by_label = [{label: draw.choice([0.5, draw.random()]) for label in LABELS} for _ in range(n)]
    yield "ranked/layout/label scores with ties", of_scores(qassay.score(METRIC, by_label, true))
    numbers = [[LABELS.index(label) for label in row] for row in true]
    matrix = np.array([list(row.values()) for row in by_label])
    yield "ranked/layout/matrix of scores", of_values(qassay.score(METRIC, matrix, numbers, k=(1, 2, 6)))
    wide = np.array([[draw.choice([0.25, 0.5, draw.random()]) for _ in range(30)] for _ in range(n)])
    many = [draw.sample(range(30), draw.choice([1, 4, 9])) for _ in range(n)]
    for k in ((1, 16), (1, 20)):
        yield f"ranked/layout/30 classes with ties, k={k}", of_values(qassay.score(METRIC, wide, many, k=k))
    places = np.array([(np.argsort(-row, kind="stable")[:5]) for row in matrix])
    places[::4, 3:] = -1
    yield "ranked/layout/matrix of numbers", of_values(qassay.score(METRIC, places, numbers, task="ranked"))
    flags = [[int(label in row) for label in LABELS] for row in true]
    yield "ranked/layout/indicator", of_values(qassay.score(METRIC, matrix, flags, layout="indicator", k=2))
    scored = qassay.score(METRIC, found, true, task="ranked", ids=[f"r{row}" for row in range(n)])
    yield "ranked/subset with ids", of_values(scored.subset("short"))


def confusion(scores: Any) -> dict[str, Any]:
    from qassay.label_metrics.scoring import confusion_matrix

    labels, counts = confusion_matrix(scores)
    return {"labels": labels, "counts": counts}


CASES = single, multi, ranked
