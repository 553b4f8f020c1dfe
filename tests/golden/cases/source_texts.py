"""The worked examples of the five source texts (docs/why_numbers_differ.md); `test_golden.py` has the numbers that they print."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from _inputs import of_scores

import qassay

# BioASQ: six questions, five candidates each. An earlier cell of the notebook prints a lenient accuracy of 1.0.
CANDIDATES = [list(row) for row in ("czzzz", "zzzzz", "zzozz", "zmzzz", "bzzzz", "zzzlz")]
NAMES = [[name] for name in "cgombl"]

# Extractive question answering.
ANSWERS = ["four nations", "Denmark"]
GOLDS = [["four"], ['Danish-Norwegian patronymic surname meaning "son of Anders"']]

# Average precision of a curve.
TRUE = [label == "+" for label in "+--+++-+-++++---"]
CONFIDENCE = [0.7, 0.3, 0.5, 0.6, 0.55, 0.9, 0.4, 0.2, 0.4, 0.3, 0.7, 0.5, 0.8, 0.2, 0.3, 0.35]

# Average precision by five denominators: relevance in the order of the ranks, relevant documents in all.
RANKINGS = [("11", 5), ("0101", 2), ("10011", 3), ("1", 3), ("00", 4)]
DENOMINATORS = ("num_relevant", "min_mn", "num_retrieved_relevant", "min_k_relevant", "fixed:10")

# Text classification: the rows of the card of label_metrics, for formulas that the text prints without an example.
ONE_LABEL = [0, 2, 2, 1, 1, 0, 2], [0, 1, 2, 2, 1, 0, 2]
SETS = (
    [[1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
    [[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]],
)
RANKED = [list("abcde"), list("cdbae"), list("xqyrz")], [["a", "c"], ["b"], ["x", "y", "z", "w"]]


def cases() -> Iterator[tuple[str, Any]]:
    for version in (2, 9):
        rows = [[[name] for name in row] for row in CANDIDATES] if version == 9 else CANDIDATES
        yield f"bioasq/version {version}", of_scores(qassay.score("factoid_accuracy", rows, NAMES, version=version))

    yield "extractive/answer_match", of_scores(qassay.score("answer_match", ANSWERS, GOLDS))

    at = [f"p@{k}" for k in range(1, 6)]
    ranking = qassay.score("retrieval_ranking", [list("abcde")], [["a", "d", "e"]], measures=[*at, "map", "set_p"])
    yield "nlpcc/relevant at ranks 1, 4, 5", of_scores(ranking)
    yield (
        "nlpcc/preset",
        qassay.score("retrieval_ranking", [list("abcde")], [["a", "d", "e"]], preset="nlpcc").summary(),
    )
    for relevance, total in RANKINGS:
        documents = [f"d{place}" for place in range(len(relevance))]
        relevant = [document for document, mark in zip(documents, relevance, strict=True) if mark == "1"]
        relevant += [f"not found {place}" for place in range(total - len(relevant))]
        names = [f"map(denominator={denominator})@10" for denominator in DENOMINATORS]
        scores = qassay.score("retrieval_ranking", [documents], [relevant], measures=names)
        yield f"nlpcc/average precision of {relevance}, {total} relevant", scores.summary(names)

    thresholds = np.arange(start=0.2, stop=0.7, step=0.05)
    yield "curve/thresholds", of_scores(qassay.score("average_precision", CONFIDENCE, TRUE, thresholds=thresholds))
    yield "curve/one threshold", qassay.score("average_precision", CONFIDENCE, TRUE, thresholds=[0.5]).summary()
    rules: dict[str, dict[str, Any]] = {
        "every score": {},
        "ties=stable": {"ties": "stable"},
        "voc11": {"interpolation": "voc11"},
        "all_points": {"interpolation": "all_points"},
        "coco101": {"interpolation": "coco101"},
    }
    for name, options in rules.items():
        yield f"curve/{name}", qassay.score("average_precision", CONFIDENCE, TRUE, **options).summary()
    curve = qassay.load("average_precision").compute(
        predictions=CONFIDENCE, references=TRUE, thresholds=list(thresholds), curve=True
    )
    yield "curve/points", curve

    found, first = [list("abcde")], [["b", "d"]]
    measures = ["p@2", "p@4", "map", "map(denominator=num_retrieved_relevant)", "hit_rate@5"]
    yield "piaf/relevant at ranks 2, 4", of_scores(qassay.score("retrieval_ranking", found, first, measures=measures))
    more = qassay.score("retrieval_ranking", found, [["b", "d", "x", "y"]], measures=measures)
    yield "piaf/and two that are not found", more.summary(measures)
    golds, rows = [["a"], ["b"], ["d"]], [list("abcd")] * 3
    yield "piaf/first at ranks 1, 2, 4", qassay.score("retrieval_ranking", rows, golds, measures=["mrr"]).summary()
    for denominator in ("num_relevant", "num_retrieved_relevant"):
        pipeline = [{"documents": row, "answers": []} for row in (*found, *rows)]
        gold = [{"documents": row, "answers": ["?"]} for row in (*first, *golds)]
        scores = qassay.score("retriever_reader", pipeline, gold, ap_denominator=denominator, unit="character")
        yield f"piaf/retriever, {denominator}", of_scores(scores)

    yield "classification/one label", of_scores(qassay.score("label_metrics", *ONE_LABEL, per_class=True))
    yield "classification/sets", of_scores(qassay.score("label_metrics", *SETS, layout="indicator", per_class=True))
    yield "classification/rankings", of_scores(qassay.score("label_metrics", *RANKED, task="ranked"))
