"""qassay.cluster with Ray: columns and sums of answers, rankings and labels, which must be those of one machine."""

import logging
import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from _examples import label_sets, labels, rankings
from _inputs import answers, weights_of

import qassay

THOROUGH = ("ray",)
TOLERANCE = 1e-9  # ends of intervals

N = 300


def cases() -> Iterator[tuple[str, Any]]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init("local", num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    try:
        for name, (metric, table, options, local) in tables().items():
            size = len(table) // 4
            blocks = ray.data.from_arrow([table.slice(start, size) for start in range(0, len(table), size)])
            found = qassay.cluster.score(blocks, metric, **options)
            yield f"{name}/columns", "as here" if found.summary() == local.summary() else found.summary()
            yield f"{name}/here", local.summary()
            sums = qassay.cluster.score(blocks, metric, keep="sums", **options)
            yield f"{name}/sums", sums.summary()
            yield f"{name}/counts", sums.counts()
            ends = sums.interval(n_resamples=50)
            yield f"{name}/intervals of sums", {one: [float(low), float(high)] for one, (low, high) in ends.items()}
    finally:
        ray.shutdown()


def tables() -> dict[str, tuple[str, pa.Table, dict[str, Any], Any]]:
    """Name -> metric, table, options of the cluster, and the Scores of one machine."""
    predictions, references = answers(N, "answers of the cluster")
    ids, weights = [f"q{row}" for row in range(N)], weights_of(N)
    words = pa.table({"predictions": predictions, "references": references, "ids": ids, "weights": weights})
    lists = {name: words[name].to_pylist() for name in words.column_names}
    run, qrels = rankings(40)
    run = {query: found for query, found in run.items() if found}
    listed = pa.table(
        {
            "ids": list(run),
            "predictions": [list(found) for found in run.values()],
            "scores": [list(found.values()) for found in run.values()],
        }
    )
    measures = {"qrels": qrels, "measures": ["ndcg@5", "map", "mrr"]}
    predicted, truth = labels(N)
    single = pa.table({"predictions": predicted, "references": truth, "ids": ids})
    classes = {"labels": ["a", "b", "c", "d"]}
    sets = label_sets(N)
    several = pa.table({"predictions": sets[0], "references": sets[1], "ids": ids})
    multi = {"labels": list("abcdef"), "task": "multi"}
    given: dict[str, tuple[str, pa.Table, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
        "answers": ("answer_match", words, lists, {}, {}),
        "answers, french": ("answer_match", words, lists, {"normalizer": "french"}, {}),
        "similarity": ("semantic_answer_similarity", words, lists, {"model": "lite"}, {}),
        "rankings": ("retrieval_ranking", listed, {"run": run}, measures, {}),
        "labels": ("label_metrics", single, {"predictions": predicted, "references": truth}, classes, {}),
        "label sets": ("label_metrics", several, dict(zip(("predictions", "references"), sets)), multi, {}),
    }
    return {
        name: (metric, table, {**options, **more}, qassay.score(metric, **columns, **options))
        for name, (metric, table, columns, options, more) in given.items()
    }
