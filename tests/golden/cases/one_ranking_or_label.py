"""Scorers of one example (`qassay.scorer`) of rankings, entities and labels."""

from collections.abc import Iterator
from typing import Any

import factoid_accuracy
import label_metrics
import retrieval_ranking
from _inputs import named_options

import qassay

Rows = list[tuple[Any, Any]]

SHORT_WAY = [
    "mrr@2", "mrr(rel=2)", "map@3", "map(denominator=min_mn)", "map(denominator=min_mn)@2",
    "map(denominator=fixed:10)@3", "map(denominator=min_k_relevant)@3", "map(denominator=num_retrieved_relevant)@4",
    "ndcg", "ndcg@3", "ndcg(gain=exp2)@5",
    "dcg@4", "ideal_dcg@3", "p@3", "recall@2", "recall", "hit_rate@2", "f1@3",
    "rprec", "rprec(mult=0.2)", "rprec(mult=0.5)", "rprec(mult=1.4)", "rprec(rel=2)",
    "relative_p@5", "set_p", "set_recall", "set_f", "set_map", "set_relative_p", "utility",
]  # fmt: skip
RANKINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "short way": {"measures": SHORT_WAY},
    "short way, depth=3, judged_only": {"measures": SHORT_WAY, "depth": 3, "judged_only": True},
    "long way": {"measures": [*retrieval_ranking.SHORT, *retrieval_ranking.CURVES]},
    **named_options(
        "ties=stable; ties=best; ties=expected; score_dtype=float32; relevance_level=2; gain=exp2; depth=3; "
        "judged_only; ap_denominator=min_mn; ap_denominator=fixed:10"
    ),
    "tie_bounds": {"tie_bounds": True, "measures": ["map", "ndcg@3"]},
    "gain=levels": {"gain": {1: 0.5, 2: 2.5}},
    "nlpcc": {"preset": "nlpcc"},
}
ENTITIES: dict[str, dict[str, Any]] = {
    "default": {},
    **named_options("version=2; version=3; top_k=1; normalizer=squad"),
    "top_k=none": {"top_k": None},
}


def values(
    metric: str, rows: Rows, options: dict[str, Any], columns: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Each measure of each row; None where it does not apply, and the name of the error of rows that are refused."""
    scorer = qassay.scorer(metric, **options)
    found = []
    for (prediction, gold), more in zip(rows, columns or [{}] * len(rows), strict=True):
        try:
            found.append(scorer(prediction, gold, **more))
        except (TypeError, ValueError) as error:
            found.append({"refused": type(error).__name__})
    names = dict.fromkeys(name for row in found for name in row)
    return {name: [row.get(name) for row in found] for name in names}


def cases() -> Iterator[tuple[str, Any]]:
    run, qrels = retrieval_ranking.queries(16, "single queries")
    rankings = [(run.get(query), levels) for query, levels in qrels.items()]
    for name, options in RANKINGS.items():
        yield f"retrieval_ranking/{name}", values("retrieval_ranking", rankings, options)
    lists = [
        (sorted(found or [], key=str), {doc for doc, level in levels.items() if level > 0})
        for found, levels in rankings
    ]
    for name in ("default", "short way", "ties=stable", "depth=3", "nlpcc"):
        yield f"retrieval_ranking/lists, {name}", values("retrieval_ranking", lists, RANKINGS[name])

    gold, system = factoid_accuracy.questions(45, "single questions")
    answers = {row["id"]: row.get("exact_answer") for row in reversed(system)}
    asked = [row for row in gold if row["type"] != "summary"]
    pairs = [(answers.get(row["id"]), row["exact_answer"]) for row in asked]
    types = [{"question_types": row["type"]} for row in asked]
    pairs += [([["x", "dog"], ["y", "fox"]], [["dog"], ["fox", "vulpes"]])] * 2
    types += [{"question_types": "factoid"}, {"question_types": "list"}]
    for name, options in ENTITIES.items():
        yield f"factoid_accuracy/{name}", values("factoid_accuracy", pairs, options, types)
    gold, found = factoid_accuracy.documents(16)
    documents = {row["id"]: row["documents"] for row in found}
    pairs = [(documents.get(row["id"]), row["documents"]) for row in gold]
    for version in (2, 5, 9):
        yield (
            f"factoid_accuracy/phase A, {version}",
            values("factoid_accuracy", pairs, {"phase": "A", "version": version}),
        )

    labels = list(zip(*label_metrics.one_label(12), strict=True))
    yield "label_metrics/one label", values("label_metrics", labels, {})
    sets = list(zip(*label_metrics.label_sets(16), strict=True))
    for zero in (0.0, 1.0, float("nan")):
        options = {"task": "multi", "zero_division": zero}
        yield f"label_metrics/sets, zero_division={zero}", values("label_metrics", sets, options)
    options = {"task": "multi", "labels": label_metrics.LABELS}
    yield "label_metrics/sets, labels", values("label_metrics", sets, options)
    ranked = list(zip(*label_metrics.rankings(16), strict=True))
    for k in ((1, 3, 5), (2, 9)):
        yield f"label_metrics/rankings, k={k}", values("label_metrics", ranked, {"task": "ranked", "k": k})
