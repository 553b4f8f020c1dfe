"""Slices, and wholes made of parts: Scores.by, subset, concat, qassay.stream, and PartialSums."""

from collections.abc import Iterator
from typing import Any

from _inputs import columns_for, groups_of, of_intervals, rng, weights_of
from _systems import KINDS, of_comparison, system

import qassay
from qassay.cluster import PartialSums

TOLERANCE = 1e-9

N = 36
FEW = {"n_resamples": 40}
COLUMNS = columns_for(N)
SUMMED = (
    "answers",
    "similarity",
    "rankings",
    "factoids",
    "labels",
    "sets of labels",
    "ranked labels",
    "claims",
    "grades",
)


def parts_of(scores: Any, seed: str = "parts") -> list[Any]:
    """Three parts of Scores, of unlike sizes and with the rows in another order."""
    draw = rng(seed)
    places = [draw.choice([0, 0, 0, 1, 1, 2]) for _ in scores.ids]
    return [scores.subset([place == part for place in places]) for part in (1, 0, 2)]


def brief(scores: Any) -> list[str]:
    """Some measures that have intervals: the first and others from all over."""
    names = list(scores.interval(n_resamples=1))
    return names[:: -(-len(names) // 4)]


def of_slices() -> Iterator[tuple[str, Any]]:
    draw = rng("slices")
    labels = {
        "texts": [draw.choice(["10", "9", "a", "other", "Ü", ""]) for _ in range(N)],
        "numbers": [draw.choice([3, 1.5, 10, None, float("nan")]) for _ in range(N)],
        "one": ["same"] * N,
    }
    for name, columns in COLUMNS.items():
        scores = system("answers", N, **columns)
        for slicing, values in labels.items():
            for label, part in scores.by(values).items():
                yield (
                    f"by/{name}/{slicing}/{label}",
                    [*part.summary(["exact_match", "f1", "has_answer_f1", "total"]).values()],
                )
            yield f"order/{name}/{slicing}", [str(label) for label in scores.by(values)]
        for label, part in scores.by(dict(zip(scores.ids, labels["texts"], strict=True))).items():
            yield f"by id/{name}/{label}", {measure: [*ends] for measure, ends in part.interval(names=["f1"]).items()}
    for kind in KINDS:
        scores = system(kind, N)
        for name in sorted(scores.subsets):
            part = scores.subset(name)
            yield f"subset/{kind}/{name}", [len(part), *part.summary(brief(scores)).values()]
        yield f"mask/{kind}", scores.subset([row % 3 == 0 for row in range(N)]).summary(brief(scores))
    probabilities = [row * 7 % 10 / 10 for row in range(N)]
    scores = system("answers", N, no_answer_probabilities=probabilities)
    names = [name for name in scores.measures if name.startswith("best_")]
    for label, part in scores.by(labels["texts"]).items():
        yield f"best thresholds/{label}", part.summary(names)
    joined = qassay.Scores.concat(parts_of(scores))
    yield (
        "best thresholds/joined",
        {**joined.summary(names), "intervals": of_intervals(joined.interval(names=names, **FEW))},
    )


def of_parts() -> Iterator[tuple[str, Any]]:
    """The whole, and the same examples joined again."""
    for kind in KINDS:
        for name in ("plain", "weights and groups"):
            whole = system(kind, N, **COLUMNS[name])
            joined = qassay.Scores.concat(parts_of(whole))
            names = brief(whole)
            for told, scores in (("whole", whole), ("joined", joined)):
                intervals = {measure: [*ends] for measure, ends in scores.interval(names=names, **FEW).items()}
                yield (
                    f"{told}/{kind}/{name}",
                    {measure: [scores[measure], *ends] for measure, ends in intervals.items()},
                )


def of_streams() -> Iterator[tuple[str, Any]]:
    """Batches of 1, 2, 3, ... examples, and some that add nothing."""
    for kind in KINDS:
        metric, options, gold_of, answer_to = KINDS[kind]
        draw, own = rng(f"{kind} gold"), rng(f"{kind} a")
        golds = [gold_of(draw, row) for row in range(N)]
        answers = [answer_to(own, gold, row % 3 > 0) for row, gold in enumerate(golds)]
        columns = {"predictions": answers, "references": golds, "weights": weights_of(N), "groups": groups_of(N)}
        stream, start = qassay.stream(metric, **options), 0
        for size in range(1, 9):
            batch = {name: column[start : start + size] for name, column in columns.items()}
            stream.add(**batch, ids=[f"q{row}" for row in range(start, start + size)])
            start += size
        whole = qassay.score(metric, **columns, ids=[f"q{row}" for row in range(N)], **options)
        for told, scores in (("stream", stream), ("of once", whole)):
            names = brief(whole)
            intervals = scores.interval(names=names, **FEW)
            values = scores.summary(names)
            yield f"{told}/{kind}", {name: [values[name], *ends] for name, ends in intervals.items()}
    stream = qassay.stream("answer_match", missing="skip", no_answer_threshold=0.5)
    for row in range(6):
        stream.add(predictions=["a", None], references=[["a"], ["b"]], no_answer_probabilities=[row / 6, 0.1])
    yield "skipped", stream.summary()
    stream.reset()
    given = {"predictions": ["x", None], "references": [["a"], ["a"]], "no_answer_probabilities": [0.7, 0.2]}
    stream.add(**given, weights=[0, 0])
    stream.add(**{**given, "predictions": ["a", "b"]}, weights=[2, 1])
    yield "after a reset", stream.summary()


def of_sums() -> Iterator[tuple[str, Any]]:
    """PartialSums of the whole and of three parts that are put together; comparisons by bucket."""
    for kind in SUMMED:
        for name, columns in COLUMNS.items():
            whole = system(kind, N, **columns)
            names = brief(whole)
            sums = {
                "whole": PartialSums.of(whole, names),
                "joined": PartialSums.concat(PartialSums.of(part, names) for part in parts_of(whole)),
            }
            for told, own in sums.items():
                found = {"auto": own.interval(), "percentile": own.interval(method="percentile", **FEW)}
                values = own.summary(names)
                yield (
                    f"sums/{told}/{kind}/{name}",
                    {
                        m: [values[m], *found["auto"][m], *found["percentile"][m], found["auto"][m].method]
                        for m in names
                    },
                )
            yield f"sums/counts/{kind}/{name}", [*sums["joined"].counts().values()]
    for name in ("plain", "weights and groups"):
        systems = {
            called: PartialSums.of(system("answers", N, called, skill, **COLUMNS[name]), ["exact_match", "f1"])
            for called, skill in (("a", 0.4), ("b", 0.8))
        }
        for test in ("permutation", "bootstrap", "t"):
            found = qassay.compare(systems, test=test, n_resamples=60, n_permutations=100)
            yield f"buckets/{name}/{test}", of_comparison(found)
    # So many examples that some share a bucket.
    draw = rng("examples of sums")
    golds = {f"q{row}": draw.randrange(3) for row in range(2500)}
    found = {key: label if draw.random() < 0.6 else draw.randrange(3) for key, label in golds.items()}
    sums = PartialSums.of(qassay.score("label_metrics", found, golds, labels=3), ["accuracy", "macro_f1"])
    for method in ("auto", "percentile"):
        yield f"2,500 examples/{method}", of_intervals(sums.interval(method=method, n_resamples=100))
    # So many classes that there are few buckets, which several examples share.
    draw = rng("classes of sums")
    golds = {f"q{row}": draw.randrange(3000) for row in range(300)}
    for called, groups in (("plain", None), ("groups", groups_of(300, among=40))):
        found = {key: label if draw.random() < 0.6 else draw.randrange(3000) for key, label in golds.items()}
        scores = qassay.score("label_metrics", found, golds, labels=3000, groups=groups)
        sums = PartialSums.of(scores, ["accuracy", "macro_f1", "weighted_f1"])
        yield (
            f"shared buckets/{called}",
            {
                "values": sums.summary(["accuracy", "macro_f1"]),
                "intervals": of_intervals(sums.interval(confidence=0.9)),
            },
        )


CASES = of_slices, of_parts, of_streams, of_sums
