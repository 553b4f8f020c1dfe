"""Scores.with_confidences: area under the risk-coverage curve, its excess, value at a coverage, coverage at a value."""

from collections.abc import Iterator
from typing import Any

from _inputs import columns_for, groups_of, of_intervals, rng
from _systems import KINDS, of_comparison, of_ranking, system

import qassay

TOLERANCE = 1e-9

N = 40
FEW = {"n_resamples": 60}
SHARES = {"coverages": (0.05, 0.5, 0.8, 1), "accuracies": (0.3, 0.5, 0.9, 1.0)}


def confidences_of(scores: Any, measure: str, name: str, digits: int = 1) -> list[float]:
    """Confidences that tell something about the values of a measure; with one digit there are ties."""
    draw = rng(f"confidence {name}")
    return [round(draw.random() + 0.4 * float(value), digits) for value in scores.per_example()[measure]]


CONFIDENCES = {
    "ties": lambda values: values,
    "no ties": lambda values: [value + row / 1000 for row, value in enumerate(values)],
    "all equal": lambda values: [0.5] * len(values),
    "reversed": lambda values: [-value for value in values],
    "large": lambda values: [10**9 * value for value in values],
}
COLUMNS = columns_for(N, "plain", "weights", "whole weights", "groups", "weights and groups")


def of_selective(sure: Any, before: Any, **draws: Any) -> dict[str, Any]:
    """The measures that confidences add: [value, low, high, method]."""
    names = [name for name in sure.measures if name not in before.measures]
    return {name: [sure[name], *ends] for name, ends in of_intervals(sure.interval(names=names, **draws)).items()}


def curve_of(sure: Any) -> Any:
    """Coverages, risks and thresholds of the risk-coverage curve."""
    from qassay.core.selective import risk_coverage_curve

    return [column.tolist() for column in risk_coverage_curve(sure)]


def cases() -> Iterator[tuple[str, Any]]:
    for name, columns in COLUMNS.items():
        scores = system("answers", N, **columns)
        given = confidences_of(scores, "f1", "a")
        for kind, change in CONFIDENCES.items():
            for measure in ("exact_match", "f1") if name == "plain" else ("f1",):
                sure = scores.with_confidences(change(given), measure, **SHARES)
                yield f"{name}/{kind}/{measure}", of_selective(sure, scores, **FEW)
        sure = scores.with_confidences(given)
        yield f"{name}/curve", curve_of(sure)
        yield f"{name}/percentile", of_selective(sure, scores, method="percentile", confidence=0.8, **FEW)
    yield "all draws", of_selective(scores.with_confidences(given, "f1"), scores)
    for kind in KINDS:
        scores = system(kind, 30)
        try:
            sure = scores.with_confidences([row * 7 % 10 for row in range(30)])
        except ValueError:
            continue  # no measure of it is a mean over all examples
        yield f"families/{kind}", of_selective(sure, scores, **FEW)
    for skill in (-2, 2):
        scores = system("answers", N, skill=skill)
        sure = scores.with_confidences(confidences_of(scores, "f1", "b"), "exact_match", **SHARES)
        yield f"skill {skill}", of_selective(sure, scores, **FEW)
    for n in (1, 2, 3):
        scores = system("answers", n)
        yield f"of {n}", of_selective(scores.with_confidences([0.5] * n, **SHARES), scores, **FEW)
    golds = {f"q{row}": ["a"] for row in range(12)}
    scores = qassay.score("answer_match", {f"q{row}": "ab"[row % 3 > 1] for row in range(10)}, golds)
    sure = scores.with_confidences({f"q{row}": row / 10 for row in range(10)})
    yield "missing", of_selective(sure, scores, **FEW)
    probabilities = [row * 3 % 10 / 10 for row in range(N)]
    scores = system("answers", N, no_answer_probabilities=probabilities)
    yield "no-answer probability", of_selective(scores.with_confidences("no_answer_probability"), scores, **FEW)
    found = system("answers", N).result(confidences=[row % 7 for row in range(N)], confidence=0.9, n_resamples=50)
    yield "result", {name: value for name, value in found.items() if "(" in name}
    weights = [10_000.5, *[3000] * (N - 1)]  # too large for a table of harmonic numbers, or not whole
    for name, given_weights in {"large and not whole": weights, "large and whole": [2**16 + 1] * N}.items():
        scores = system("answers", N, weights=given_weights)
        yield f"weights/{name}", of_selective(scores.with_confidences([row // 5 for row in range(N)]), scores, **FEW)
    systems = {}
    for name, skill in {"a": 0.5, "b": 0.7, "c": 0.9}.items():
        scores = system("answers", N, name, skill, groups=groups_of(N))
        systems[name] = scores.with_confidences(confidences_of(scores, "f1", name), "f1")
    names = [name for name in systems["a"].measures if "(" in name]
    draws = {"n_resamples": 60, "n_permutations": 100}
    yield "compared", of_comparison(qassay.compare(systems, names, **draws))
    plain = {name: scores.with_groups(None) for name, scores in systems.items()}
    for test in ("t", "bootstrap"):
        yield f"compared/{test}", of_comparison(qassay.compare(plain, names, test=test, **draws))
    yield "ranked", {name: of_ranking(own) for name, own in qassay.leaderboard(plain, names, **draws).rankings.items()}
    runs = qassay.runs([systems[name] for name in "ab"])
    yield "runs", {name: [*ends, runs[name]] for name, ends in runs.interval(names=names, **FEW).items()}
    for label, part in systems["a"].by([row % 2 for row in range(N)]).items():
        yield f"slices/{label}", part.summary(names)
