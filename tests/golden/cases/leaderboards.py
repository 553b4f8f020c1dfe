"""qassay.leaderboard: ranks with intervals, letters, p-values and shares, for every family, with groups, slices and runs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from _inputs import columns_for, groups_of, rng
from _systems import KINDS, of_ranking, system

import qassay

TOLERANCE = 1e-9

N = 40
FEW = {"n_resamples": 50, "n_permutations": 200}
SKILLS = {"base": 0.2, "fair": 0.5, "good": 0.8, "best": 1.2}
MANY = {f"s{number}": 0.1 + number / 9 for number in range(9)}
COLUMNS = columns_for(N, "weights", "groups", "weights and groups", "four groups", "pairs")
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {"measures": None},
    "level 0.8": {"confidence": 0.8},
    "level 0.999": {"confidence": 0.999},
    "seed 2": {"seed": 2},
    "percentile": {"method": "percentile"},
    "one measure": {"measures": "f1"},
    "two measures": {"measures": ["no_answer_exact_match", "recall"]},
    "slices of a subset": {"by": "has_answer", "measures": None},
    "slices of labels": {"by": {"kind": [f"{row * row % 5}" for row in range(N)]}, "measures": ["f1"]},
    "groups": {"groups": groups_of(N, "other groups")},
    "groups by a subset": {"groups": "has_answer", "measures": ["exact_match"]},
}


def systems_of(kind: str, n: int = N, skills: Any = SKILLS, **given: Any) -> dict[str, Any]:
    """Systems of a kind, by name."""
    return {name: system(kind, n, name, skill, **given) for name, skill in skills.items()}


def of_board(found: Any) -> dict[str, Any]:
    """Measure -> the ranking, of all examples and of slices."""
    parts = {"all": found.rankings}
    parts |= {f"{name}={label}": own for name, labels in found.slices.items() for label, own in labels.items()}
    values = {f"{part}/{name}": of_ranking(ranking) for part, own in parts.items() for name, ranking in own.items()}
    unmatched = {"unmatched": found.unmatched} if any(found.unmatched.values()) else {}
    return {"order": found.names, **values, **unmatched}


def of_families() -> Iterator[tuple[str, Any]]:
    for kind in KINDS:
        skills = {name: SKILLS[name] for name in ("good", "base", "fair")}
        systems = systems_of(kind, 30, skills)
        names = list(systems["good"].interval(n_resamples=1))  # without counts and thresholds
        names = [name for name in names if systems["good"].counts()[name]]
        yield f"families/{kind}", of_board(qassay.leaderboard(systems, names[:: -(-len(names) // 5)], **FEW))
    for kind in ("answers", "labels", "curve", "grades", "rankings"):
        for name, columns in COLUMNS.items():
            asked = {"answers": "f1", "labels": "macro_f1", "grades": "f1", "rankings": "dcg@5"}.get(kind)
            yield f"{name}/{kind}", of_board(qassay.leaderboard(systems_of(kind, **columns), asked, **FEW))


def of_options() -> Iterator[tuple[str, Any]]:
    systems = systems_of("answers")
    yield "all draws", of_board(qassay.leaderboard(systems, ["exact_match", "f1"]))
    for name, options in OPTIONS.items():
        yield (
            f"options/{name}",
            of_board(qassay.leaderboard(systems, **{"measures": ["exact_match", "f1"], **FEW, **options})),
        )
    yield "options/all measures", of_board(qassay.leaderboard(systems_of("labels", 30), "all", **FEW))
    ranking = qassay.leaderboard(systems, "f1", **FEW).rankings["f1"]
    yield "tied with the best", [of.system for of in ranking.tied_with_best]
    lacking = {
        **systems,
        "best": system("answers", N, "best", 1.2, but=range(5)),
        "fair": system("answers", 35, "fair"),
    }
    yield "common", of_board(qassay.leaderboard(lacking, "f1", common=True, **FEW))
    yield (
        "left out",
        of_board(qassay.leaderboard(systems_of("pipelines"), ["reader_top1_f1", "reader_top1_accuracy"], **FEW)),
    )


def of_many() -> Iterator[tuple[str, Any]]:
    """Ties, one example, equal systems, more systems, more letters than the alphabet has, an error rate, runs."""
    yield "two systems", of_board(qassay.leaderboard(systems_of("answers", N, {"b": 0.4, "a": 0.9}), "f1", **FEW))
    yield "nine systems", of_board(qassay.leaderboard(systems_of("answers", 80, MANY), "exact_match", **FEW))
    yield "an error rate", of_board(qassay.leaderboard(systems_of("labels"), "error_rate", **FEW))
    for n in (1, 2, 4, 6, 9):
        yield f"of {n}", of_board(qassay.leaderboard(systems_of("answers", n), "f1", **FEW))
    equal = {**systems_of("answers"), "copy": system("answers", N, "good", 0.8)}
    yield "a copy", of_board(qassay.leaderboard(equal, ["exact_match", "f1"], **FEW))
    for kind in ("curve", "curves of classes", "labels"):
        yield f"all right/{kind}", of_board(qassay.leaderboard(systems_of(kind, 12, {"a": 2, "b": 2, "c": -1}), **FEW))
    n = 60
    draw = rng("chain")
    golds = {f"q{row}": "a" for row in range(n)}
    rows = draw.sample(range(n), n)
    chain = {  # each is indistinguishable from the next ones only
        f"s{place:02}": qassay.score("label_metrics", {f"q{row}": "b" if row in rows[:right] else "a" for row in range(n)}, golds)
        for place, right in enumerate(range(0, n, 2))
    }  # fmt: skip
    found = qassay.leaderboard(chain, "accuracy", **FEW).rankings["accuracy"]
    yield "a chain", {of.system: [of.rank, *of.rank_interval, of.letters, of.best_share] for of in found.systems}
    for columns in ({}, {"groups": groups_of(N)}):
        for kind, measure in (("answers", "f1"), ("labels", "macro_f1"), ("curve", "average_precision")):
            runs = {
                name: qassay.runs([system(kind, N, f"{name}{run}", skill - run / 5, **columns) for run in range(2)])
                for name, skill in SKILLS.items()
            }
            alike = {
                name: qassay.runs([system(kind, N, f"{name}{run}", 0.5 + run / 3, **columns) for run in range(2)])
                for name in "ab"
            }
            yield f"runs alike/{kind}{', groups' * bool(columns)}", of_board(qassay.leaderboard(alike, measure, **FEW))
            runs["fair"] = system(kind, N, "fair", 0.5, **columns)
            yield f"runs/{kind}{', groups' * bool(columns)}", of_board(qassay.leaderboard(runs, measure, **FEW))


def of_letters() -> Iterator[tuple[str, Any]]:
    """Letters of systems of which some pairs differ, at random, in all pairs, or in none: also more than the alphabet has."""
    from qassay.stats.letters import compact_letters

    draw = rng("letters")
    for n, share in ((3, 0.5), (6, 0.3), (8, 0.5), (12, 0.4), (16, 0.6), (20, 0.2), (30, 1.0), (5, 0.0)):
        for number in range(3):
            differ = np.zeros((n, n), bool)
            for row in range(n):
                for column in range(row):
                    differ[row, column] = differ[column, row] = draw.random() < share
            yield f"letters/{n}/{share}/{number}", " ".join(compact_letters(differ))


CASES = of_families, of_options, of_many, of_letters
