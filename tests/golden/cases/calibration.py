"""qassay.calibrate: PPI++ with lambda chosen, 0 or 1, Rogan-Gladen, groups, differences of systems."""

from collections.abc import Iterator
from typing import Any

from _inputs import columns_for, groups_of, rng
from _systems import system

import qassay

TOLERANCE = 1e-9

N = 60
METHODS: dict[str, dict[str, Any]] = {
    "ppi": {},
    "lambda 0": {"lam": 0},
    "lambda 1": {"lam": 1},
    "lambda 0.3": {"lam": 0.3},
    "lambda -1": {"lam": -1},
    "level 0.8": {"confidence": 0.8},
    "rogan_gladen": {"method": "rogan_gladen"},
    "rogan_gladen, level 0.5": {"method": "rogan_gladen", "confidence": 0.5},
}
COLUMNS = columns_for(N, "plain", "weights", "groups", "pairs", "groups of one", "weights and groups")


def labels_of(scores: Any, measure: str, name: str, share: float = 0.5, agreeing: float = 0.85) -> list[float | None]:
    """Verdicts on about that share of the examples; so many agree with the measure."""
    draw = rng(f"labels {name}")
    found: list[float | None] = []
    for value in scores.per_example()[measure]:
        verdict = float(value) if draw.random() < agreeing else 1 - float(value)
        found.append(verdict if draw.random() < share else None)
    return found


def of_calibration(found: Any) -> dict[str, Any]:
    """The value with its interval, the labels alone, and agreement."""
    same = found.agreement
    return {
        "n": [found.n, found.n_labelled, found.n_groups, found.n_labelled_groups],
        "value": [found.measured, found.value, *found.interval, found.interval.method, found.standard_error, found.lam],
        "labels": [found.labelled, *found.labelled_interval, found.labelled_interval.method],
        "agreement": [same.accuracy, same.sensitivity, same.specificity, same.correlation],
        "worth": [found.saved, found.worth],
    }


def or_refused(scores: Any, labels: Any, measure: Any = None, **asked: Any) -> Any:
    """The calibration; "refused" where no estimate follows from the labels."""
    try:
        return of_calibration(qassay.calibrate(scores, labels, measure, **asked))
    except ValueError:
        return "refused"


def of_methods() -> Iterator[tuple[str, Any]]:
    for columns_name, columns in COLUMNS.items():
        scores = system("answers", N, **columns)
        labels = labels_of(scores, "exact_match", "a")
        for name, asked in METHODS.items():
            found = qassay.calibrate(scores, labels, "exact_match", **asked)
            yield f"{columns_name}/{name}/exact_match", of_calibration(found)
            if "method" not in asked:
                found = qassay.calibrate(scores, labels_of(scores, "f1", "b"), "f1", **asked)
                yield f"{columns_name}/{name}/f1", of_calibration(found)
    scores = system("answers", N)
    labels = labels_of(scores, "exact_match", "a")
    for name, measures in {"default": None, "all": "all", "two": ["f1", "contains"]}.items():
        found = qassay.calibrate(scores, labels, measures)
        found = found if isinstance(found, dict) else {found.measure: found}
        yield f"measures/{name}", {measure: [of.value, *of.interval] for measure, of in found.items()}
    found = qassay.calibrate(scores, labels)
    yield "to next", {f"{k}, seed {seed}": found.to_next(k, seed) for k in (1, 5, 100) for seed in (0, 7)}
    by_group = qassay.calibrate(scores, dict(zip(scores.ids, labels, strict=True)), groups=groups_of(N))
    yield "groups of the call", of_calibration(by_group)
    for kind in ("similarity", "equivalence", "labels", "rankings", "grades", "pipelines"):
        scores = system(kind, N, skill=0.7)
        draw = rng(f"labels of {kind}")
        given = [draw.random() < 0.6 if draw.random() < 0.6 else None for _ in range(N)]
        yield f"families/{kind}", of_calibration(qassay.calibrate(scores, given))


def of_labels() -> Iterator[tuple[str, Any]]:
    """Few labels, all of them, equal ones, ones that agree with nothing or the other way round; large samples."""
    scores = system("answers", N)
    values = [float(value) for value in scores.per_example()["exact_match"]]
    some = labels_of(scores, "exact_match", "c", 1.0)
    kinds: dict[str, list[Any]] = {
        "ten": some[:10] + [None] * (N - 10),
        "eleven, all right": [1] * 11 + [None] * (N - 11),
        "all wrong": [0] * 30 + [None] * (N - 30),
        "all": some,
        "all but one": [None, *some[1:]],
        "all but two": [None, None, *some[2:]],
        "as the measure": values[:30] + [None] * (N - 30),
        "the other way round": [1 - value for value in values[:30]] + [None] * (N - 30),
        "by chance": [float(row % 2) for row in range(30)] + [None] * (N - 30),
        "graded": [round(0.25 + value / 2, 2) for value in values[:30]] + [None] * (N - 30),
        "constant": [0.5] * 30 + [None] * (N - 30),
    }
    for name, labels in kinds.items():
        for method in ("ppi", "lambda 1", "rogan_gladen"):
            yield f"labels/{name}/{method}", or_refused(scores, labels, "exact_match", **METHODS[method])
    for skill in (-2, 2):
        scores = system("answers", N, skill=skill)
        yield f"skill {skill}", or_refused(scores, kinds["ten"], "exact_match")
    few_groups = {"groups": ["a" if row < 50 else f"g{row}" for row in range(N)]}
    yield "labels/one large group", or_refused(scores, some[:56] + [None] * 4, **few_groups)
    one_left = {"groups": ["a" if row >= 30 else f"g{row}" for row in range(N)]}
    yield "labels/one group without a label", or_refused(scores, some[:30] + [None] * 30, **one_left)
    scores = system("answers", 600)
    labels = labels_of(scores, "exact_match", "d", 0.1)
    for name in ("ppi", "lambda 1", "rogan_gladen"):
        yield f"labels/of 600/{name}", or_refused(scores, labels, "exact_match", **METHODS[name])


def of_pairs() -> Iterator[tuple[str, Any]]:
    """The difference of two systems, second minus first."""
    for columns_name in ("plain", "weights", "groups"):
        systems = {
            "a": system("answers", N, "a", 0.5, **COLUMNS[columns_name]),
            "b": system("answers", N, "b", 0.8, **COLUMNS[columns_name]),
        }
        for measure in ("exact_match", "f1"):
            labels = {name: labels_of(scores, measure, "pair") for name, scores in systems.items()}
            for name in ("ppi", "lambda 0", "lambda 1"):
                found = qassay.calibrate(systems, labels, measure, **METHODS[name])
                yield f"pairs/{columns_name}/{name}/{measure}", of_calibration(found)
    lacking = {"a": system("answers", N, "a", 0.5, but=[1, 2]), "b": system("answers", N, "b", 0.8, but=[5])}
    labels = {name: labels_of(scores, "exact_match", name, 0.7) for name, scores in lacking.items()}
    yield "pairs/lacking examples", of_calibration(qassay.calibrate(lacking, labels, "exact_match"))


CASES = of_methods, of_labels, of_pairs
