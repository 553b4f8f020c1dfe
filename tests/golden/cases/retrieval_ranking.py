"""retrieval_ranking: every measure with cutoffs and parameters, every option, layouts."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from _inputs import groups_of, named_options, of_scores, of_values, rng, weights_of

import qassay

METRIC = "retrieval_ranking"
DOCUMENTS = [*(f"d{number}" for number in range(18)), "D2", "Zürich", "北京", "z 1", "0", "7"]
LEVELS = (-2, -1, 0, 0, 0, 1, 1, 2, 3, 4)

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def queries(n: int, name: str = "queries") -> tuple[Run, Qrels]:
    """Runs with ties and scores that differ behind float32, judgements from -2 to 4.

    Some queries are missing, empty, without a relevant document, with relevant ones only,
    or not judged; some rank themselves.
    """
    draw = rng(name)
    run: Run = {}
    qrels: Qrels = {}
    for number in range(n):
        query = f"q{number}"
        judged = draw.sample(DOCUMENTS, draw.choice([1, 3, 6, 10, 15]))
        levels = [(0,), (1, 2), LEVELS, LEVELS, LEVELS, LEVELS][draw.randrange(6)]
        qrels[query] = {document: draw.choice(levels) for document in judged}
        if draw.random() < 0.1:
            continue
        pool = judged if levels == (1, 2) else DOCUMENTS
        found = draw.sample(pool, min(len(pool), draw.choice([0, 1, 2, 5, 9, 14, 20])))
        run[query] = {document: draw.choice([0.5, 1, 1 + 1e-9, 2, draw.random() * 3, -1]) for document in found}
        if draw.random() < 0.3:
            run[query][query] = draw.choice([1, 4])
            qrels[query][query] = 1
    run["not judged"] = {"d1": 1.0}
    return run, qrels


MEASURES = [
    "mrr", "mrr@1", "mrr@3", "mrr(rel=2)", "mrr(rel=3, judged_only=true)@4",
    "map", "map@2", "map@5", "map(rel=2)@100", "map(denominator=min_mn)", "map(denominator=num_retrieved_relevant)",
    "map(denominator=num_retrieved_relevant)@4", "map(denominator=min_k_relevant)@3", "map(denominator=fixed:10)",
    "map(denominator=fixed:2)@6", "map(judged_only=true)",
    "ndcg", "ndcg@1", "ndcg@3", "ndcg@10", "ndcg(gain=exp2)", "ndcg(gain=exp2)@5", "ndcg(gain=1:0.5;2:2.5)",
    "ndcg(judged_only=true)@5",
    "dcg", "dcg@4", "dcg(gain=exp2)", "dcg(gain=exp2, judged_only=true)@3", "ideal_dcg", "ideal_dcg@3",
    "ideal_dcg(gain=exp2)", "ndcg_rel", "ndcg_rel(gain=exp2)", "rndcg", "rndcg(rel=2)", "rndcg(gain=exp2)",
    "bing", "bing(rel=2)", "g", "g(gain=exp2)",
    "p@1", "p@3", "p@5", "p@10", "p@30", "p(rel=2)@3", "p(judged_only=true)@5",
    "recall", "recall@1", "recall@5", "recall@10", "recall(rel=2)@5",
    "hit_rate@1", "hit_rate@3", "hit_rate@10", "hit_rate(rel=3)@5", "f1@1", "f1@3", "f1@10", "f1(rel=2)@5",
    "rprec", "rprec(mult=0.2)", "rprec(mult=0.5)", "rprec(mult=1.4)", "rprec(mult=2)", "rprec(rel=2)",
    "bpref", "bpref(rel=2)", "infap", "infap(rel=2)",
    "rbp", "rbp@3", "rbp(p=0.8)", "rbp(p=0.5)@4", "rbp(rel=2)", "rbp_resid", "rbp_resid(p=0.8)",
    "err", "err@3", "err@10", "err(max=5)", "err(max=5, judged_only=true)@4",
    "iprec@0", "iprec@0.1", "iprec@0.3", "iprec@0.5", "iprec@0.75", "iprec@1", "iprec(rel=2)@0.5", "11pt_avg",
    "11pt_avg(rel=2)",
    "relative_p@1", "relative_p@5", "relative_p(rel=2)@10", "judged@1", "judged@5", "judged@10", "unjudged@1",
    "unjudged@5", "unjudged@20",
    "set_p", "set_recall", "set_f", "set_map", "set_relative_p", "set_p(rel=2)", "set_f(rel=2)", "utility",
    "utility(rel=2)", "yaap", "yaap(rel=2)", "relstring", "relstring@3", "relstring(judged_only=true)@4",
    "gm_map", "gm_map@3", "gm_map(denominator=min_mn)", "gm_bpref", "gm_bpref(rel=2)",
    "num_q", "num_ret", "num_rel", "num_rel(rel=2)", "num_rel_ret", "num_rel_ret(rel=3)", "num_nonrel_judged_ret",
]  # fmt: skip

OTHER_NAMES = (
    "RR, recip_rank, reciprocal_rank, ap, average_precision, map_cut_5, nDCG@5, ndcg_cut.5,10, P_5, "
    "precision@3, P.5,10, R@5, recall_10, success_5, accuracy@1, acc@3, hit@3, hits@5, f_1, f1_score@3, "
    "R-precision, Rprec_mult_0.20, rbp_residual, iprec_at_recall_0.10, iprec_at_recall.0.2,0.4, 11pt, "
    "unj_10, set_f1, infAP, binG, G, relative_P_5"
)

SHORT = [
    "mrr", "mrr@2", "map", "map@3", "ndcg", "ndcg@3", "dcg@5", "p@3", "recall@5", "hit_rate@2", "f1@3", "rprec",
    "bpref", "rbp", "rbp_resid", "err@5", "judged@5", "unjudged@5", "set_p", "set_f", "utility", "gm_map",
    "num_ret", "num_rel", "num_rel_ret",
]  # fmt: skip
CURVES = [
    "ndcg_rel",
    "rndcg",
    "bing",
    "g",
    "infap",
    "iprec@0.3",
    "11pt_avg",
    "yaap",
    "relstring@5",
]  # not for "expected"
EXPECTED = [name for name in SHORT if name not in ("bpref", "err@5")]

OPTIONS: dict[str, dict[str, Any]] = {
    **named_options(
        "ties=trec; ties=stable; ties=best; ties=worst; ties=expected; tie_bounds; tie_bounds, ties=expected; "
        "score_dtype=float32; score_dtype=float32, ties=stable; missing=skip; relevance_level=0; "
        "relevance_level=1.5; relevance_level=2; ap_denominator=min_mn; ap_denominator=num_retrieved_relevant; "
        "ap_denominator=min_k_relevant; ap_denominator=fixed:10; ap_denominator=3; gain=exp2; depth=1; depth=4; "
        "depth=4, judged_only; depth=3, ties=worst; judged_only; judged_only, ties=expected; skip_trivial; "
        "skip_trivial, relevance_level=2; drop_identical_ids"
    ),
    "gain=levels": {"gain": {0: 0.5, 1: 3, 2: 7, 3: 7, 4: 7.5}},
    "gain=levels, ties=expected": {"gain": {1: 0.5, 2: 2.5}, "ties": "expected"},
    "lower_is_better": {"lower_is_better": True},
}


def duplicated() -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Tables of a run and of judgements in which documents occur twice and three times."""
    draw = rng("duplicates")
    queries_, documents, scores, judged, levels, asked = [], [], [], [], [], []
    for number in range(25):
        for document in draw.choices(DOCUMENTS[:8], k=9):
            queries_.append(f"q{number}")
            documents.append(document)
            scores.append(draw.choice([0, 1, 2, draw.random() * 2]))
        for document in draw.choices(DOCUMENTS[:8], k=5):
            asked.append(f"q{number}")
            judged.append(document)
            levels.append(draw.choice([-1, 0, 1, 2]))
    run = {"query": queries_, "document": documents, "score": scores}
    return run, {"query": asked, "document": judged, "relevance": levels}


def layouts(run: Run, qrels: Qrels) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same data in other layouts: all but the last three have the numbers of the dicts."""
    qrels = {query: qrels[query] for query in qrels if qrels[query]}
    rows = [(query, document, score) for query, found in run.items() for document, score in found.items()]
    judged = [(query, document, level) for query, levels in qrels.items() for document, level in levels.items()]
    table = dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
    gold = dict(zip(("query", "document", "relevance"), map(list, zip(*judged, strict=True)), strict=True))
    yield "run and qrels", {"run": run, "qrels": qrels}
    yield "tables", {"predictions": table, "references": gold}
    yield "pandas", {"run": pd.DataFrame(table), "qrels": pd.DataFrame(gold)}
    yield "arrow", {"run": pa.table(table), "qrels": pa.table(gold)}
    columns = {
        "predictions": [None if query not in run else list(run[query]) for query in qrels],
        "scores": [list(run.get(query, {}).values()) for query in qrels],
        "references": [list(levels) for levels in qrels.values()],
        "relevances": [list(levels.values()) for levels in qrels.values()],
    }
    yield "four columns", {**columns, "ids": list(qrels)}
    yield "pairs", {"run": {query: list(found.items()) for query, found in run.items()}, "qrels": qrels}
    ordered = [sorted(run.get(query, {}), key=lambda d, q=query: (-run[q][d], d)) for query in qrels]
    relevant = [[document for document, level in levels.items() if level > 0] for levels in qrels.values()]
    yield "ranked lists and relevant documents", {"predictions": ordered, "references": relevant}
    yield "sets of relevant documents", {"predictions": ordered, "references": list(map(set, relevant))}
    labels = [max(0, qrels.get(query, {}).get(document, 0)) for query, document, _ in rows]
    yield "labels in the run", {"predictions": {**table, "label": labels}}


def cases() -> Iterator[tuple[str, Any]]:
    run, qrels = queries(40)
    yield "default", of_values(qassay.score(METRIC, run, qrels))
    yield "every measure", of_scores(qassay.score(METRIC, run, qrels, measures=MEASURES))
    yield "other names", of_values(qassay.score(METRIC, run, qrels, measures=OTHER_NAMES))
    for group in ("official", "all_trec", "set"):
        yield f"group {group}", of_values(qassay.score(METRIC, run, qrels, measures=group))

    for name, options in OPTIONS.items():
        measures = EXPECTED if "expected" in name else [*SHORT, *CURVES]
        scores = qassay.score(METRIC, run, qrels, measures=measures, **options)
        yield (
            name,
            of_scores(scores) if name in ("ties=expected", "depth=4, judged_only") else of_values(scores),
        )
    for choice in ("first", "best"):
        for ties in ("trec", "stable"):
            scores = qassay.score(METRIC, *duplicated(), measures=SHORT, duplicates=choice, ties=ties)
            yield f"duplicates={choice}, ties={ties}", {**of_values(scores), "p@3": scores.columns["p@3"]}
    lists = {"q": ["b", "a", "b", "c", "a"], "r": ["x", "x"]}, {"q": ["a", "c", "a"], "r": ["y", "x"]}
    for choice in ("first", "best"):
        yield f"lists, duplicates={choice}", of_scores(qassay.score(METRIC, *lists, measures=SHORT, duplicates=choice))

    pairs = {"q": [("a", 1), ("b", 1), ("a", 1), ("c", 2), ("c", 3)]}
    for choice in ("first", "best"):
        scores = qassay.score(METRIC, pairs, {"q": ["a", "c"]}, measures=SHORT, duplicates=choice, ties="stable")
        yield f"pairs, duplicates={choice}", of_values(scores)
    alone = qassay.score(METRIC, run, qrels, measures=["map", "p@3", "ndcg@3"], judged_only=True)
    yield "judged_only without measures that need all judgements", of_scores(alone)

    n = len(qrels)
    weights, groups = weights_of(n), groups_of(n)
    scores = qassay.score(METRIC, run, qrels, measures=SHORT, weights=weights, groups=groups)
    yield "weights and groups", {**of_values(scores), "counts": scores.counts()}
    by_query = dict(zip(reversed(qrels), weights, strict=True))
    yield "weights by query", of_values(qassay.score(METRIC, run, qrels, measures=SHORT, weights=by_query))
    skipped = qassay.score(METRIC, run, qrels, measures=SHORT, weights=weights, missing="skip", skip_trivial=True)
    yield "weights, missing=skip, skip_trivial", of_values(skipped)
    slices = scores.by(["odd" if row % 2 else "even" for row in range(n)])
    yield "slices with weights", {label: part.summary() for label, part in slices.items()}
    for subset in ("no_relevant", "tied", "missing"):
        yield f"subset {subset}", scores.subset(subset).summary()

    for name, columns in layouts(run, qrels):
        yield f"layout/{name}", of_values(qassay.score(METRIC, measures=SHORT, **columns))
    stable = dict(layouts(run, qrels))["labels in the run"]
    yield "layout/labels in the run, stable", of_values(qassay.score(METRIC, measures=SHORT, ties="stable", **stable))
    numbers = {7: {1: 0.5, 2: 0.25}, 8: {3: 1}}, {"7": {"1": 1}, "8": {"3": 0.5, "4": 1.25}}
    yield "ids of numbers, fractions", of_scores(qassay.score(METRIC, *numbers, relevance_level=0.5, measures=SHORT))
