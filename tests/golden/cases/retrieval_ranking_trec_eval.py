"""retrieval_ranking on the topics that tests/data/trec_eval_rest.json has the output of trec_eval 10 for.

The first topics value by value; all of them as means.
"""

import json
from collections.abc import Iterator
from typing import Any

from _inputs import ROOT

import qassay

METRIC = "retrieval_ranking"
SHOWN = 20  # topics with their own values
DOCUMENTS = [f"d{number:02d}" for number in range(24)]
OPTIONS: dict[str, dict[str, Any]] = {
    "-c": {},
    "-c -l2": {"relevance_level": 2},
    "-c -J": {"judged_only": True},
    "-c -M3": {"depth": 3},
    "-c -M4 -J -l2": {"depth": 4, "judged_only": True, "relevance_level": 2},
    "-M2": {"depth": 2, "missing": "skip"},
}


class Draw:
    """The generator of the files: integers below n."""

    def __init__(self, seed: int):
        self.state = seed

    def __call__(self, n: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def some(self, items: Any, n: int) -> list[Any]:
        items = list(items)
        return [items.pop(self(len(items))) for _ in range(n)]


def made_topics(n: int = 240) -> tuple[dict[str, Any], dict[str, Any]]:
    draw = Draw(22)
    run, qrels = {}, {}
    for number in range(n):
        topic = f"t{number:03d}"
        top = (0, 1, 1, 2, 3, 4, 12)[draw(7)]
        levels = (-2, -1, 0, 0, *range(top + 1))
        judged = draw.some(DOCUMENTS, (1, 2, 4, 8, 15, 24)[draw(6)])
        qrels[topic] = {document: levels[draw(len(levels))] for document in judged}
        if max(qrels[topic].values()) < 0:
            qrels[topic]["x"] = 0
        found = draw.some(DOCUMENTS, (0, 1, 2, 3, 5, 8, 12, 20)[draw(8)])
        if found:
            run[topic] = {document: float((draw(4), draw(1000) / 8)[draw(2)]) for document in found}
    return run, qrels


def first_values(scores: Any) -> dict[str, Any]:
    return {name: list(values[:SHOWN]) for name, values in scores.per_example().items()}


def cases() -> Iterator[tuple[str, Any]]:
    printed = json.loads((ROOT / "tests/data/trec_eval_rest.json").read_text("utf-8"))
    topics = made_topics()
    for arguments, options in OPTIONS.items():
        scores = qassay.score(METRIC, *topics, measures=printed["order"], **options)
        yield arguments, {"columns": first_values(scores), "summary": scores.summary()}
