"""retrieval_ranking: its preset and configs, as options, in `evaluate` modules and with options that override them."""

from collections.abc import Iterator
from typing import Any

from _inputs import named_options, of_scores, of_values, rng, weights_of

import qassay

METRIC = "retrieval_ranking"

OVERRIDDEN: dict[str, dict[str, Any]] = {
    **named_options(
        "skip_trivial; ties=trec; ties=worst, tie_bounds; ap_denominator=num_relevant; relevance_level=2; depth=3"
    ),
    "measures": {"measures": ["map", "map@3", "p@1", "set_p", "set_recall"]},
}


def sentences(n: int) -> dict[str, list[Any]]:
    """Candidate sentences of questions, with ties: some questions have only right or only wrong sentences."""
    draw = rng("sentences")
    questions, scores, labels = [], [], []
    for number in range(n):
        share = draw.choice([0, 1, 0.2, 0.3, 0.3, 0.5])
        for _ in range(draw.choice([1, 2, 4, 7, 12])):
            questions.append(f"问题 {number}")
            scores.append(draw.choice([0.1, 0.5, draw.random()]))
            labels.append(int(draw.random() < share) * draw.choice([1, 1, 2]))
    return {"question": questions, "score": scores, "label": labels}


def lists(n: int) -> tuple[list[list[str]], list[list[str]]]:
    """Ranked sentences and right ones, some of which were not ranked: R, n and k differ."""
    draw = rng("lists of sentences")
    names = [f"s{number}" for number in range(12)]
    ranked = [draw.sample(names, draw.choice([0, 1, 3, 8])) for _ in range(n)]
    return ranked, [draw.sample(names, draw.choice([0, 1, 2, 5])) for _ in range(n)]


def cases() -> Iterator[tuple[str, Any]]:
    table = sentences(50)
    yield "nlpcc", of_scores(qassay.score(METRIC, table, preset="nlpcc"))
    yield "default, same table", of_values(qassay.score(METRIC, table, ties="stable"))
    for name, options in OVERRIDDEN.items():
        yield f"nlpcc, {name}", of_values(qassay.score(METRIC, table, preset="nlpcc", **options))
    yield "trec_eval", of_values(qassay.score(METRIC, table, preset="trec_eval"))
    ranked, right = lists(40)
    yield "nlpcc, lists", of_scores(qassay.score(METRIC, ranked, right, preset="nlpcc"))
    skipped = qassay.score(METRIC, ranked, right, preset="nlpcc", skip_trivial=True, weights=weights_of(40))
    yield "nlpcc, lists, weights, skip_trivial", of_values(skipped)

    for config in ("default", "nlpcc"):
        module = qassay.load(METRIC, config)
        yield f"module/{config}", module.compute(predictions=ranked, references=right, signature=True, counts=True)
    rows = module.compute(predictions=ranked, references=right, per_example=True, safe_names=True)
    yield "module/nlpcc, per_example and safe_names", rows
    sure = [len(row) / 8 for row in ranked]
    found = qassay.load(METRIC, measures=["map", "p@1"]).compute(predictions=ranked, references=right, confidences=sure)
    yield "module/confidences", found
