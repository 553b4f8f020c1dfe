"""qassay.compare: every test, correction and option, for systems of every family, with groups, weights, slices and runs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from _inputs import columns_for, groups_of, of_intervals, rng, weights_of
from _systems import KINDS, of_comparison, of_ranking, system

import qassay

TOLERANCE = 1e-9

N = 36
FEW = {"n_resamples": 60, "n_permutations": 200}
WEIGHTS, GROUPS = weights_of(N), groups_of(N)
TESTS = ("permutation", "bootstrap", "t", "wilcoxon", "mcnemar")
COLUMNS = columns_for(N, "plain", "weights", "all weights 3", "groups", "weights and groups", "three groups", "pairs")
OPTIONS: dict[str, dict[str, Any]] = {  # of a comparison of three systems
    "default": {"measures": None},
    "bonferroni": {"correction": "bonferroni"},
    "benjamini-hochberg": {"correction": "benjamini-hochberg"},
    "none": {"correction": "none"},
    "baseline b": {"baseline": "b"},
    "baseline c, benjamini-hochberg": {"baseline": "c", "correction": "benjamini-hochberg"},
    "level 0.8": {"confidence": 0.8},
    "level 0.99": {"confidence": 0.99},
    "seed 1": {"seed": 1},
    "percentile": {"method": "percentile"},
    "percentile, bootstrap": {"method": "percentile", "test": "bootstrap"},
    "more resamples than permutations": {"test": "bootstrap", "n_resamples": 300},
    "all measures": {"measures": "all"},
    "one measure": {"measures": "f1"},
    "two measures": {"measures": ["no_answer_exact_match", "recall"]},
    "a subset": {"by": "has_answer", "measures": None},
    "labels": {"by": {"kind": [f"{row * row % 7}" for row in range(N)]}},
    "labels by id": {"by": {"place": {f"q{row}": "even" if row % 2 else "odd" for row in range(N)}}},
    "a column": {"by": np.array([row % 3 for row in range(N)]), "measures": ["exact_match"]},
    "slices, bonferroni": {"by": ["has_answer", "no_answer"], "correction": "bonferroni", "measures": ["f1"]},
    "groups": {"groups": GROUPS},
    "groups by id": {"groups": {f"q{row}": row // 3 for row in range(N)}},
    "groups by a subset": {"groups": "has_answer", "measures": ["exact_match"]},
    "groups and slices": {"groups": GROUPS, "by": "has_answer", "test": "t"},
}


def pair(kind: str, n: int = N, first: float = 0.5, second: float = 0.8, **given: Any) -> dict[str, Any]:
    """Two systems of one kind."""
    return {"a": system(kind, n, "a", first, **given), "b": system(kind, n, "b", second, **given)}


def of_families() -> Iterator[tuple[str, Any]]:
    for kind in KINDS:
        yield f"families/{kind}", of_comparison(qassay.compare(pair(kind), **FEW))
    for kind in ("answers", "rankings", "labels", "sets of labels", "curve", "claims", "grades"):
        found = qassay.compare(pair(kind, groups=GROUPS), method="percentile", **FEW)
        yield f"families, groups, percentile/{kind}", of_comparison(found)
        found = qassay.compare(pair(kind, weights=WEIGHTS), test="bootstrap", **FEW)
        yield f"families, weights, bootstrap/{kind}", of_comparison(found)


def of_tests() -> Iterator[tuple[str, Any]]:
    for name, columns in COLUMNS.items():
        for test in TESTS:
            asked = {"test": test, "measures": ["exact_match", "f1", "has_answer_f1"], **FEW}
            yield f"tests/{name}/{test}", of_comparison(qassay.compare(pair("answers", **columns), **asked))
            asked["measures"] = ["error_rate", "macro_f1"]
            yield f"tests/{name}/{test}", of_comparison(qassay.compare(pair("labels", **columns), **asked))


def of_options() -> Iterator[tuple[str, Any]]:
    systems = {**pair("answers"), "c": system("answers", N, "c", 0.75)}
    yield "options, all draws", of_comparison(qassay.compare(systems))
    for name, options in OPTIONS.items():
        asked = {"measures": ["exact_match", "has_answer_f1"], **FEW, **options}
        yield f"options/{name}", of_comparison(qassay.compare(systems, **asked))
    labels = {"kind": [["other", "10", "9 words", "a", "3-5", "west", "-1"][row % 7] for row in range(N)]}
    yield "order of labels", list(qassay.compare(systems, "f1", labels, **FEW).slices["kind"])
    found = qassay.compare(systems, **FEW)
    yield "ranking", of_ranking(found.ranking())
    yield "ranking by f1", of_ranking(found.ranking("f1"))
    for measure in ("f1", "exact_match"):
        ids, changes = found.changes(measure, "a", "c")
        yield f"changes/{measure}", {"ids": ids, "changes": changes}
    yield "turned", of_comparison(qassay.compare(dict(reversed(systems.items())), **FEW))
    yield "intervals of systems", {d.measure: of_intervals(dict(enumerate(d.intervals))) for d in found.differences[:2]}
    yield "better", [str(d.winner) for d in found.differences]
    yield "least p", [str(d.is_least(200, 60)) for d in found.differences]
    apart = {"a": system("answers", N, "a", -1), "b": system("answers", N, "b", 2)}
    for n_resamples, n_permutations in ((300, 100), (100, 300)):
        draws = {"n_resamples": n_resamples, "n_permutations": n_permutations}
        found = qassay.compare(apart, test="bootstrap", **draws)
        least = [str(d.is_least(n_permutations, n_resamples)) for d in found.differences]
        yield f"least p/{n_resamples}, {n_permutations}", least


def of_other_examples() -> Iterator[tuple[str, Any]]:
    """Systems that lack some examples, or to which a measure applies in some."""
    lacking = {"a": system("answers", N, "a", 0.5, but=[1, 2, 3]), "b": system("answers", N, "b", 0.8, but=[3, 4])}
    yield "lacking examples", of_comparison(qassay.compare(lacking, **FEW))
    yield "lacking examples, slices", of_comparison(qassay.compare(lacking, ["f1"], "no_answer", **FEW))
    partly = pair("pipelines", first=0.3, second=0.9)
    for test in ("permutation", "bootstrap", "t"):
        asked = {"test": test, "measures": ["reader_top1_accuracy", "reader_top1_f1"], **FEW}
        asked["measures"] = [name for name in asked["measures"] if name in partly["a"].measures]
        yield f"left out/{test}", of_comparison(qassay.compare(partly, **asked))
    asked = {"measures": ["accuracy_given_attempted", "f1"], **FEW}
    yield "left out/ratio", of_comparison(qassay.compare(pair("grades", first=0.3, second=0.9), **asked))


def of_special_pairs() -> Iterator[tuple[str, Any]]:
    """Few examples, equal systems, systems of which all answers differ, one differs, or differ by the same amount."""
    for n in (1, 2, 3, 5, 8, 12):
        for test in TESTS:
            found = qassay.compare(pair("answers", n, 0.3, 0.9), ["exact_match", "f1"], test=test, **FEW)
            yield f"of {n}/{test}", of_comparison(found)
    golds = {f"q{row}": ["a b", "c"] for row in range(24)}
    answers = {
        "right": dict.fromkeys(golds, "c"),
        "equal": dict.fromkeys(golds, "c"),
        "half": dict.fromkeys(golds, "a"),
        "wrong": dict.fromkeys(golds, "x"),
        "one": {**dict.fromkeys(golds, "c"), "q3": "x"},
        "two": {**dict.fromkeys(golds, "x"), "q3": "c", "q4": "c"},
        "six": {**dict.fromkeys(golds, "x"), **dict.fromkeys([f"q{row}" for row in range(6)], "c")},
        "mostly": {key: "a" if row % 8 else "x" for row, key in enumerate(golds)},
    }
    systems = {name: qassay.score("answer_match", given, golds) for name, given in answers.items()}
    for test in TESTS:
        for second in list(systems)[1:]:
            both = {"right": systems["right"], second: systems[second]}
            yield f"pairs/{test}", of_comparison(qassay.compare(both, ["exact_match", "f1"], test=test, **FEW))
        both = {"two": systems["two"], "mostly": systems["mostly"]}
        yield f"pairs/{test}", of_comparison(qassay.compare(both, ["exact_match", "f1"], test=test, **FEW))
    for test in ("t", "permutation"):
        both = {"half": systems["half"], "right": systems["right"]}
        groups = [f"g{row // 2}" for row in range(24)]
        yield f"pairs, groups/{test}", of_comparison(qassay.compare(both, ["f1"], groups=groups, test=test, **FEW))
    none = pair("answers", 24, weights=[0] * 12 + [1] * 12)
    yield "half of the weights are 0", of_comparison(qassay.compare(none, **FEW))


def of_many_examples() -> Iterator[tuple[str, Any]]:
    """Enough examples for the draws by kind of example, and for McNemar's test without its exact sum."""
    draw = rng("many")
    for n in (400, 44_000):
        golds = np.array([draw.randrange(2) for _ in range(n)])
        flips = np.array([[draw.random() < 0.5, draw.random() < 0.51] for _ in range(n)]).T
        systems = {
            name: qassay.score("label_metrics", np.where(flip, golds, 1 - golds), golds, labels=2)
            for name, flip in zip("ab", flips, strict=True)
        }
        for test in ("mcnemar", "permutation", "bootstrap", "t") if n == 400 else ("mcnemar",):
            found = qassay.compare(systems, ["accuracy"], test=test, **FEW)
            yield f"{n} examples/{test}", of_comparison(found)
        if n == 400:
            asked = {"groups": [row // 40 for row in range(n)], **FEW}
            yield (
                f"{n} examples in ten groups",
                of_comparison(qassay.compare(systems, ["accuracy", "macro_f1"], **asked)),
            )


def of_kinds() -> Iterator[tuple[str, Any]]:
    """Swaps of pairs of a kind together from eight pairs of each kind on, else one by one; swaps of ties."""
    for n in (14, 16, 18):
        golds = [row % 2 for row in range(n)]
        right = [row // 2 % 3 == 0 for row in range(n)]
        systems = {
            "a": qassay.score("label_metrics", [g if of else 1 - g for g, of in zip(golds, right, strict=True)], golds),
            "b": qassay.score("label_metrics", [1 - g if of else g for g, of in zip(golds, right, strict=True)], golds),
        }
        found = qassay.compare(systems, ["accuracy", "macro_f1"], n_resamples=100, n_permutations=60)
        yield f"kinds of {n} pairs", of_comparison(found)


def of_runs() -> Iterator[tuple[str, Any]]:
    """Systems of several runs: t over other examples and other runs where its p is larger."""
    for kind in ("answers", "labels", "curve"):
        for columns in ({}, {"groups": GROUPS}):
            parts = {
                name: [system(kind, N, f"{name}{run}", skill - run / 4, **columns) for run in range(size)]
                for name, skill, size in (("a", 0.5, 2), ("b", 0.9, 3), ("c", 0.9, 1))
            }
            systems = {name: qassay.runs(own) if len(own) > 1 else own[0] for name, own in parts.items()}
            called = f"runs/{kind}{', groups' * bool(columns)}"
            names = {"answers": ["exact_match", "f1"], "labels": ["accuracy", "macro_f1"]}.get(kind)
            yield called, of_comparison(qassay.compare(systems, names, **FEW))
            yield f"{called}, bootstrap", of_comparison(qassay.compare(systems, names, test="bootstrap", **FEW))
    same = qassay.runs([system("answers", N, "a")] * 2)
    yield "runs/equal", of_comparison(qassay.compare({"a": same, "b": system("answers", N, "b", 0.9)}, **FEW))


CASES = of_families, of_tests, of_options, of_other_examples, of_special_pairs, of_many_examples, of_kinds, of_runs
