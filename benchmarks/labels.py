"""label_metrics and average_precision against Hugging Face's f1 and scikit-learn, on random data.

One call of a peer computes one average or one k; qassay computes all measures of its card in the time shown.
"""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import qassay

from . import inputs
from .measure import Table, Times, Way, compare, in_seconds, times_of

PACKAGES = ("scikit-learn", "evaluate", "datasets")
CLASSES, LABELS = 100, 1_000
KS = (1, 3, 5)
MODULE, SUMMARY, MATRIX = "qassay module, compute", "qassay.score(...).summary()", "qassay, matrix of scores"
PEER, MACRO, GAIN = "Hugging Face f1, macro", "scikit-learn f1_score, macro", "scikit-learn ndcg_score, k = 5"
AVERAGE = "scikit-learn average_precision_score"


def run(args: argparse.Namespace) -> Iterator[Table]:
    shrink = 1 if args.full else 100
    sklearn, f1 = inputs.installed("sklearn.metrics"), inputs.hugging_face(args, "f1")
    n, scores, rankings = 1_000_000 // shrink, 10_000_000 // shrink, 10_000 // shrink
    many = f"{n:,} examples, {CLASSES} classes"
    found = {name: compare(f"F1 of {many}, {name}", ways, args.repeats) for name, ways in one_label(n, f1, sklearn)}
    found["rankings"] = compare(f"rankings of {LABELS:,} labels", ways_of_rankings(rankings, sklearn), args.repeats)
    for decimals in (None, 3):
        title = f"average precision of {scores:,} scores, {decimals or 'all'} decimals"
        found[f"decimals: {decimals}"] = compare(title, curves(scores, decimals, sklearn), args.repeats)
    rows = []
    for title, data, mine, peer, shown in (
        (f"F1, {many}, integers in lists", "integers, lists", MODULE, PEER, "Hugging Face `f1`, macro"),
        ("the same, strings in lists", "strings, lists", SUMMARY, MACRO, "scikit-learn, macro"),
        ("the same, strings in arrays", "strings, arrays", SUMMARY, MACRO, "scikit-learn, macro"),
        (f"nDCG, P and R at 5, {rankings:,} rows of {LABELS:,} scores", "rankings", MATRIX, GAIN, "scikit-learn, nDCG"),
        (f"average precision, {scores:,} distinct scores", "decimals: None", SUMMARY, AVERAGE, "scikit-learn"),
        ("the same, scores of 3 decimals", "decimals: 3", SUMMARY, AVERAGE, "scikit-learn"),
    ):
        times: Times = found[data]
        cells = [in_seconds(times[mine]), f"{shown}: {in_seconds(times[peer])}", times_of(times[peer] / times[mine])]
        rows.append([title, *cells])
    yield Table("labels", ["", "qassay", "others", ""], rows)


def one_label(n: int, f1: Any, sklearn: Any) -> Iterator[tuple[str, dict[str, Way]]]:
    """F1 of n examples: integers and strings, in lists and arrays."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, CLASSES, n)
    predicted = np.where(rng.random(n) < 0.6, true, rng.integers(0, CLASSES, n))
    names = np.array([f"class {number}" for number in range(CLASSES)])
    module = qassay.load("label_metrics")

    def ways(predictions: Any, references: Any, is_number: bool) -> dict[str, Way]:
        both = {"predictions": predictions, "references": references}
        found = {
            MODULE: Way(lambda: module.compute(**both)),
            SUMMARY: Way(lambda: qassay.score("label_metrics", predictions, references).summary()),
        }
        if f1 is not None and is_number:
            found[PEER] = Way(lambda: {"macro_f1": f1.compute(**both, average="macro")["f1"]})
        if sklearn is not None:
            found[MACRO] = Way(lambda: {"macro_f1": sklearn.f1_score(references, predictions, average="macro")})
            found["scikit-learn f1_score, three times"] = Way(
                lambda: {
                    f"{average}_f1": sklearn.f1_score(references, predictions, average=average)
                    for average in ("macro", "micro", "weighted")
                }
            )
        return found

    yield "integers, lists", ways(predicted.tolist(), true.tolist(), True)
    yield "integers, arrays", ways(predicted, true, True)
    yield "strings, lists", ways(names[predicted].tolist(), names[true].tolist(), False)
    yield "strings, arrays", ways(names[predicted], names[true], False)


def ways_of_rankings(n: int, sklearn: Any) -> dict[str, Way]:
    """P@k and nDCG@k of rows of scores, a thousandth of whose labels are true."""
    rng = np.random.default_rng(1)
    scores, true = rng.random((n, LABELS)), rng.random((n, LABELS)) < 0.001
    numbers = np.argsort(-scores, axis=1)

    def precisions() -> dict[str, float]:
        found = {}
        for k in KS:  # scikit-learn has no P@k: the mean of the precisions of indicators of the first k
            first = np.zeros(true.shape, np.int8)
            np.put_along_axis(first, np.argsort(-scores, axis=1)[:, :k], 1, axis=1)
            found[f"p@{k}"] = sklearn.precision_score(true, first, average="samples", zero_division=0.0)
        return found

    ways = {
        "qassay, array of label numbers": Way(lambda: score_rankings(numbers, true)),
        MATRIX: Way(lambda: score_rankings(scores, true)),
    }
    if sklearn is not None:
        ways[GAIN] = Way(lambda: {"ndcg@5": sklearn.ndcg_score(true, scores, k=5, ignore_ties=True)})
        ways["scikit-learn precision_score of the first k, three times"] = Way(precisions)
    return ways


def score_rankings(predictions: Any, references: Any) -> Mapping[str, float]:
    return qassay.score("label_metrics", predictions, references, task="ranked", k=KS).summary()


def curves(n: int, decimals: int | None, sklearn: Any) -> dict[str, Way]:
    """Average precision of n scores, a fifth of them positive."""
    rng = np.random.default_rng(2)
    true = rng.random(n) < 0.2
    scores = rng.normal(true, 1.0)
    scores = scores if decimals is None else scores.round(decimals)
    module = qassay.load("average_precision")
    ways: dict[str, Way] = {
        SUMMARY: Way(lambda: qassay.score("average_precision", scores, true).summary()),
        MODULE: Way(lambda: module.compute(predictions=scores, references=true)),
    }
    if sklearn is not None:
        ways[AVERAGE] = Way(lambda: {"average_precision": sklearn.average_precision_score(true, scores)})
    return ways
