"""Scores.interval at seed 0 for systems of every family: methods, levels, weights, groups, few examples, all right, all wrong."""

from collections.abc import Iterator
from typing import Any

from _inputs import groups_of, of_intervals, rng, weights_of
from _systems import KINDS, system

import qassay

TOLERANCE = 1e-9

N = 36
WEIGHTS, GROUPS = weights_of(N), groups_of(N)
ALIKE = [f"g{row // 2}" for row in range(N)]  # groups of equal size
ONE_LARGE = ["large" if row < N // 2 else f"g{row}" for row in range(N)]
DRAWN = {"method": "percentile", "n_resamples": 200}
OF_SYSTEMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # name -> of the system, of the interval
    "default": ({}, {}),
    "level 0.8": ({}, {"confidence": 0.8, "n_resamples": 100}),
    "level 0.999": ({}, {"confidence": 0.999, "n_resamples": 100}),
    "percentile": ({}, DRAWN),
    "weights": ({"weights": WEIGHTS}, {"n_resamples": 100}),
    "weights, percentile": ({"weights": WEIGHTS}, DRAWN),
    "all weights 2": ({"weights": [2] * N}, {"n_resamples": 100}),
    "groups": ({"groups": GROUPS}, {"n_resamples": 100}),
    "groups, percentile": ({"groups": GROUPS}, DRAWN),
    "groups of one size": ({"groups": ALIKE}, {"n_resamples": 100}),
    "one large group": ({"groups": ONE_LARGE}, {"n_resamples": 100}),
    "weights and groups": ({"weights": WEIGHTS, "groups": GROUPS}, {"n_resamples": 100}),
    "all right": ({"skill": 2}, {"n_resamples": 100}),
    "all wrong": ({"skill": -2}, {"n_resamples": 100}),
    "few": ({"n": 3}, {"n_resamples": 100}),
    "one": ({"n": 1}, {"n_resamples": 100}),
    "another seed": ({}, {**DRAWN, "seed": 3}),
}
BRIEF = 7  # measures of each system but for the default case; the others are of the same kinds
TOLD = (
    "default",
    "weights",
    "groups",
    "one large group",
    "few",
)  # with the sample size, degrees of freedom, rarest class


def ends_of(scores: Any, told: bool = False, **settings: Any) -> dict[str, Any]:
    """Measure -> [low, high, method], and what else the interval knows."""
    found = scores.interval(**settings)
    if not told:
        return of_intervals(found)
    more = {
        name: [*ends, ends.method, ends.effective, ends.degrees, ends.rarest, ends.few_vary]
        for name, ends in found.items()
    }
    return {name: [str(part) if isinstance(part, bool) else part for part in parts] for name, parts in more.items()}


def names_of(scores: Any, case: str) -> list[str]:
    """The measures of a case: all by default, else some of each kind, such as F1 of the first and of the last class."""
    names = [name for name, count in scores.counts().items() if count or case == "default"]
    names = [name for name in names if case == "default" or not name.startswith(("no_answer_", "micro_", "all_"))]
    return names if case == "default" or len(names) <= BRIEF else [*names[:4], *names[4 :: -(-len(names) // 4)]]


def mean_interval(values: list[float], *level: float, **groups: Any) -> Any:
    """The interval of a mean of given values from 0 to 1."""
    scores = qassay.scores_of({"mean": values}, missing="skip", **groups)
    return scores.interval(confidence=level[0] if level else 0.95)["mean"]


def of_families() -> Iterator[tuple[str, Any]]:
    for kind in KINDS:
        for name, (given, asked) in OF_SYSTEMS.items():
            if kind == "ranked answers" and name != "default":
                continue  # as "answers"
            scores = system(kind, **{"n": N, **given})
            yield f"{kind}/{name}", ends_of(scores, name in TOLD, names=names_of(scores, name), **asked)


def of_shares() -> Iterator[tuple[str, Any]]:
    """Plain shares of right answers: Wilson's interval, and the modified one at three of 20 to 100."""
    for n in (1, 2, 19, 20, 21, 50, 100, 101, 2500):
        for right in sorted({0, 1, 2, 3, 4, n // 2, n - 3, n - 1, n}):
            if not 0 <= right <= n:
                continue
            for level in (0.95, 0.9):
                low, high = (ends := mean_interval([1.0] * right + [0.0] * (n - right), level))
                yield f"shares/{right} of {n}/{level}", [low, high, ends.method]


def of_means() -> Iterator[tuple[str, Any]]:
    """Means of values from 0 to 1, by number and spread, so also Student's quantiles of many degrees of freedom."""
    draw = rng("values")
    for n in (1, 2, 3, 4, 8, 12, 30, 300, 1999, 2000, 2001, 2002, 5000):
        values = [round(draw.random() ** 2, 3) for _ in range(n)]
        kinds = {
            "mixed": values,
            "equal": [0.25] * n,
            "one differs": [0.5] * (n - 1) + [1.0],
            "absent": [float("nan")] + values,
        }
        for kind, column in kinds.items():
            for level in (0.95, 0.5, 0.9999):
                low, high = (ends := mean_interval(column, level))
                yield f"means/{kind}/{n}/{level}", [low, high, ends.method, ends.effective, ends.degrees]
    values = [round(draw.random(), 3) for _ in range(60)]
    for name, groups in {
        "nine": groups_of(60),
        "two": [row % 2 for row in range(60)],
        "pairs": [row // 2 for row in range(60)],
        "one of each": [*range(60)],
        "two of unlike size": [row < 55 for row in range(60)],
    }.items():
        low, high = (ends := mean_interval(values, groups=[str(label) for label in groups]))
        yield f"means/groups/{name}", [low, high, ends.method, ends.effective, ends.degrees]


def of_thresholds() -> Iterator[tuple[str, Any]]:
    """The best scores over all thresholds of the no-answer probability; ties among these."""
    draw = rng("no answer")
    probabilities = [round(draw.random(), 1) for _ in range(N)]
    for name in ("default", "percentile", "weights", "groups", "weights and groups", "all right", "few"):
        given, asked = OF_SYSTEMS[name]
        scores = system("answers", **{"n": N, **given}, no_answer_probabilities=probabilities)
        names = [measure for measure in scores.measures if measure.startswith("best_")]
        yield f"best thresholds/{name}", {**scores.summary(names), "intervals": ends_of(scores, names=names, **asked)}


def of_other_scales() -> Iterator[tuple[str, Any]]:
    """Values of 0 to 100, measures without an upper bound, many more classes or documents than usual."""
    answers = {f"q{row}": ["a", "b", "c d", ""][row % 4] for row in range(N)}
    golds = {f"q{row}": [["a"], ["x"], ["c"], ["", "d"]][row * 7 % 4] for row in range(N)}
    for preset in ("docvqa", "quac"):
        details = {"gold_details": {"dialog": [f"c{row // 4}" for row in range(N)]}} if preset == "quac" else {}
        scores = qassay.score("answer_match", answers, golds, preset=preset, **details)
        yield f"presets/{preset}", ends_of(scores, n_resamples=50)
    settings = {"confidence": 0.95, "n_resamples": 50, "bootstrap_seed": 0}
    rows = {"squad": [{"id": key, "prediction_text": text} for key, text in answers.items()]}
    rows["squad_v2"] = [{**row, "no_answer_probability": place % 5 / 5} for place, row in enumerate(rows["squad"])]
    gold = [{"id": key, "answers": {"text": texts, "answer_start": [0] * len(texts)}} for key, texts in golds.items()]
    for config, predictions in rows.items():
        found = qassay.load("answer_match", config).compute(predictions=predictions, references=gold, **settings)
        yield f"configs/{config}", found
    result = {"confidence": 0.9, "n_resamples": 50, "bootstrap_seed": 4, "signature": True}
    yield "result", {key: value for key, value in system("answers", N).result(**result).items() if value is not None}
    for ties in ("best", "expected"):
        measures = ["map", "ndcg@3", "dcg", *(["err@5"] if ties == "best" else []), "rbp", "judged@5"]
        scores = system("rankings", N, ties=ties, measures=measures, gain="exp2")
        yield f"rankings, {ties}", ends_of(scores, n_resamples=50)
    documents = [f"d{number}" for number in range(16)]
    beyond = qassay.score("retrieval_ranking", [documents[: row % 4 * 5] for row in range(20)], [documents] * 20,
                          ap_denominator="fixed:10", measures=["map"])  # fmt: skip
    yield "beyond the bounds", {**beyond.summary(["map"]), "interval": ends_of(beyond)["map"]}
    beyond = beyond.subset([row % 4 == 3 for row in range(20)])
    yield "beyond the bounds, equal", {**beyond.summary(["map"]), "interval": ends_of(beyond)["map"]}
    beyond = qassay.score("retrieval_ranking", [documents[: 9 + row % 6] for row in range(20)], [documents] * 20,
                          ap_denominator="fixed:10", measures=["map"])  # fmt: skip
    yield "beyond the bounds, unequal", {**beyond.summary(["map"]), "interval": ends_of(beyond)["map"]}
    for version in (2, 3, 5, 8, 9):  # of which some divide by ten, so that longer lists exceed 1
        lists = [documents[: 9 + row % 8] for row in range(20)]
        scores = qassay.score("factoid_accuracy", lists, [documents] * 20, phase="A", version=version)
        yield f"beyond the bounds, version {version}", {**scores.summary(["map", "gmap"]), "intervals": ends_of(scores)}
    for division in (0.0, 1.0, float("nan")):
        for task in ("labels", "sets of labels"):
            scores = system(task, 12, skill=0.1, zero_division=division)
            yield f"{task}/zero division {division}", ends_of(scores, told=True)
    for n in (56, 64, 72):  # draws by kind of example from eight examples of each kind on, else by example
        golds, found = [row % 4 for row in range(n)], [row // 4 % 2 * (row % 4) for row in range(n)]
        scores = qassay.score("label_metrics", found, golds, labels=4)
        yield f"kinds of {n} examples", ends_of(scores, names=["accuracy", "macro_f1"], **DRAWN)
    draw = rng("many classes")
    many = [draw.randrange(400) for _ in range(60)]
    found = [label if draw.random() < 0.6 else draw.randrange(400) for label in many]
    yield "many classes", ends_of(qassay.score("label_metrics", found, many), told=True, n_resamples=50)
    # More leave-one-out sums than the jackknife takes: these are resampled.
    scores = qassay.score("label_metrics", found, many, labels=100_000)
    yield "very many classes", ends_of(scores, names=["accuracy", "macro_f1", "micro_f1"], n_resamples=20)
    for interpolation in ("voc11", "all_points", "coco101"):
        for kind in ("curve", "curves of classes"):
            scores = system(kind, N, interpolation=interpolation)
            yield f"{kind}/{interpolation}", ends_of(scores, n_resamples=50)
    yield "boxes/voc", ends_of(system("boxes", N, style="voc", per_class=True), n_resamples=50)
    yield "curves of classes/each", ends_of(system("curves of classes", N, per_class=True), told=True, n_resamples=50)


CASES = of_families, of_shares, of_means, of_thresholds, of_other_scales
