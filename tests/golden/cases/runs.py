"""qassay.runs and majority_answers: means, intervals, variance and pass@k of every family."""

import warnings
from collections.abc import Iterator
from typing import Any

from _inputs import columns_for, of_intervals, rng
from _systems import KINDS, system

import qassay

TOLERANCE = 1e-9

N = 30
COLUMNS = columns_for(N, "weights", "groups", "pairs", "weights and groups")
MAIN = {"answers": ["exact_match", "f1", "has_answer_f1"], "labels": ["accuracy", "macro_f1", "f1[eel]"]}
PARTS = ("value", "deviation", "lowest", "highest", "by_question", "by_run", "by_noise", "always", "sometimes", "never")


def runs_of(kind: str, size: int = 3, n: int = N, apart: float = 0.2, **given: Any) -> Any:
    """Runs of a system of a kind whose skills differ."""
    return qassay.runs([system(kind, n, f"run {run}", 0.8 - apart * run, **given) for run in range(size)])


def of_variance(found: Any) -> dict[str, Any]:
    """Measure -> the parts of its variance in the order of PARTS, and their shares."""
    return {name: [*(getattr(of, part) for part in PARTS), *of.shares.values()] for name, of in found.items()}


def of_runs(runs: Any, names: list[str] | None = None, **draws: Any) -> dict[str, Any]:
    """Values, intervals, and variance."""
    return {
        "values": runs.summary(names),
        "intervals": of_intervals(runs.interval(names=names, **draws)),
        "variance": of_variance(runs.variance(names, **draws)),
    }


def of_families() -> Iterator[tuple[str, Any]]:
    few = {"n_resamples": 50}
    for kind in KINDS:
        runs = runs_of(kind)
        names = [name for name in runs.measures if not name.startswith(("no_answer_", "micro_", "list_", "yes"))][:8]
        yield f"families/{kind}", of_runs(runs, names, **few)
    for kind in ("answers", "labels", "curve"):
        for name, columns in COLUMNS.items():
            runs = runs_of(kind, **columns)
            yield f"{name}/{kind}", of_runs(runs, MAIN.get(kind), **few)


def of_one_system() -> Iterator[tuple[str, Any]]:
    runs = runs_of("answers", 4)
    yield "all draws", of_runs(runs)
    yield "run values", runs.run_values()
    yield "run values of f1", runs.run_values(["f1"])
    for name, given in {
        "two runs": {"size": 2},
        "six runs": {"size": 6, "apart": 0.01},
        "far apart": {"apart": 0.9},
        "one question": {"n": 1},
        "two questions": {"n": 2},
    }.items():
        yield f"special/{name}", of_runs(runs_of("answers", **given), MAIN["answers"])
    one = system("answers", N)
    yield "special/equal runs", of_runs(qassay.runs([one, one]), MAIN["answers"])
    opposite = [qassay.score("answer_match", list(text), [["a"]] * 4) for text in ("aaxx", "xxaa")]
    yield "special/equal means of questions", of_runs(qassay.runs(opposite), ["exact_match"])
    named = {"seed 1": system("answers", N, but=[1]), "seed 2": system("answers", N, "b", but=[2, 3])}
    common = qassay.runs(named, common=True)
    yield "common", {"summary": common.summary(), "runs": common.run_values(["f1", "total"])}
    for label, part in runs.by([row % 3 for row in range(N)]).items():
        yield f"slices/{label}", of_runs(part, ["f1"])
    yield "slices/no_answer", of_intervals(runs.subset("no_answer").interval(names=["f1"]))
    missing = [
        qassay.score("answer_match", {f"q{row}": "a" for row in range(size)}, {f"q{row}": ["a"] for row in range(9)})
        for size in (7, 9, 4)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the missing answers, which are counted here
        found = qassay.runs(dict(zip("xyz", missing, strict=True)))
    ids = {run: list(of.subset("missing").ids) for run, of in found.each_run().items()}
    counts = {run: len(of_run) for run, of_run in ids.items()}
    yield "missing", {"summary": found.summary(), "missing": counts, "ids": ids}


def of_k() -> Iterator[tuple[str, Any]]:
    """pass@k, by default of the first measure of right and wrong."""
    for kind in (
        "answers",
        "drop",
        "ranked answers",
        "equivalence",
        "rankings",
        "factoids",
        "yes and no",
        "labels",
        "grades",
    ):
        runs = runs_of(kind, 5, apart=0.1)
        scores = runs.pass_at(range(1, 6))
        yield f"k/{kind}/pass", {**scores.summary(), "intervals": of_intervals(scores.interval())}
    runs = runs_of("answers", 3)
    yield "k/per example/pass", runs.pass_at([2]).per_example()["pass@2"]
    yield "k/contains", runs.pass_at([1, 3], "contains").summary()
    yield "k/a subset", runs.pass_hat([1, 2, 3], "no_answer_exact_match").summary()
    for name, columns in COLUMNS.items():
        scores = runs_of("answers", 4, **columns).pass_at([1, 2, 4])
        yield f"k/{name}", {**scores.summary(), "intervals": of_intervals(scores.interval())}
    pair = {"a": runs.pass_at([1, 2]), "b": runs_of("answers", 3, apart=0.5).pass_at([1, 2])}
    found = qassay.compare(pair, n_permutations=200)
    yield "k/compared", {d.measure: [*d.values, *d.interval, d.p_value] for d in found.differences}


def of_majorities() -> Iterator[tuple[str, Any]]:
    draw = rng("majority")
    wordings = ["Rome", "the Rome", "rome!", "Milan", "milan", "", None, "Île", "ile", "1,000", "1000"]
    runs = [[draw.choice(wordings) for _ in range(60)] for _ in range(5)]
    for size in (2, 3, 4, 5):
        yield f"majority/{size}", qassay.majority_answers(runs[:size])
    for normalizer in ("none", "french"):
        yield f"majority/{normalizer}", qassay.majority_answers(runs[:4], normalizer)
    by_id = [dict(zip("zyxw", run, strict=False)) for run in runs]
    yield "majority/by id", qassay.majority_answers(by_id)
    texts = [["" if text is None else text for text in run] for run in runs]
    scores = qassay.score("answer_match", qassay.majority_answers(texts), [["Rome"]] * 30 + [["Milan"]] * 30)
    yield "majority/scored", scores.summary(["exact_match", "f1"])


CASES = of_families, of_one_system, of_k, of_majorities
