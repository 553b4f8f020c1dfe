"""Ends of intervals at seed 0 of rankings, pipelines, entities, labels and curves, with weights and groups."""

from collections.abc import Iterator
from typing import Any

import average_precision
import factoid_accuracy
import label_metrics
import retrieval_ranking
import retriever_reader
from _inputs import groups_of, of_intervals, weights_of

import qassay

TOLERANCE = 1e-9
N = 40

RANKING = [
    "mrr",
    "map",
    "ndcg@10",
    "p@5",
    "dcg",
    "err@5",
    "rprec",
    "bpref",
    "hit_rate@1",
    "utility",
    "yaap",
    "gm_map",
    "num_rel_ret",
]
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "weights": ({"weights": weights_of(N)}, {}),
    "groups": ({"groups": groups_of(N, among=12)}, {}),
    "weights and groups": ({"weights": weights_of(N), "groups": groups_of(N, among=12)}, {"confidence": 0.9}),
    "percentile": ({}, {"method": "percentile", "n_resamples": 200}),
}


def inputs() -> Iterator[tuple[str, str, tuple[Any, Any], dict[str, Any]]]:
    """Name, metric, columns, options."""
    yield "rankings", "retrieval_ranking", retrieval_ranking.queries(N), {"measures": RANKING}
    yield (
        "rankings, fixed:2",
        "retrieval_ranking",
        retrieval_ranking.queries(N),
        {"measures": "map", "ap_denominator": "fixed:2"},
    )
    yield "pipelines", "retriever_reader", retriever_reader.pipelines(N), {"unit": "character"}
    gold, system = factoid_accuracy.questions(N)
    yield "entities", "factoid_accuracy", (system, gold), {}
    gold, system = factoid_accuracy.documents(N)
    gold = [{**row, "documents": row["documents"] or ["x"]} for row in gold]
    yield "documents", "factoid_accuracy", (system, gold), {"phase": "A", "missing": "zero"}
    yield "one label", "label_metrics", label_metrics.one_label(N), {}
    yield (
        "sets of labels",
        "label_metrics",
        label_metrics.label_sets(N),
        {"task": "multi", "zero_division": float("nan")},
    )
    yield "rankings of labels", "label_metrics", label_metrics.rankings(N), {"task": "ranked", "k": (1, 3)}
    yield "scores", "average_precision", average_precision.scored(N), {}
    yield "scores, voc11", "average_precision", average_precision.scored(N), {"interpolation": "voc11"}
    yield "classes", "average_precision", average_precision.scored_classes(N), {"ties": "stable"}
    yield "boxes", "average_precision", average_precision.images(N), {"task": "boxes", "style": "voc"}


def cases() -> Iterator[tuple[str, Any]]:
    for name, metric, columns, options in inputs():
        for setting, (more, asked) in SETTINGS.items():
            scores = qassay.score(metric, *columns, **more, **options)
            yield f"{name}/{setting}", of_intervals(scores.interval(**{"n_resamples": 400, **asked}))
