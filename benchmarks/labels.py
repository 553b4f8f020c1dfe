"""label_metrics and average_precision against Hugging Face's f1 and scikit-learn, on random data.

One call of a peer computes one average or one k; qassay computes all measures of its card in the time shown.
"""

import argparse
import importlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, load_npz, save_npz

import qassay

from . import inputs
from .measure import Table, Times, Way, compare, in_process, in_seconds, times_of

PACKAGES = ("scikit-learn", "evaluate", "datasets")
CLASSES, LABELS = 100, 500_000
DEPTH = 100  # label numbers per row of a ranking
KS = (1, 3, 5)
MODULE, SUMMARY, MATRIX = "qassay module, compute", "qassay.score(...).summary()", "qassay, matrix of scores"
PEER, MACRO, GAIN = "Hugging Face f1, macro", "scikit-learn f1_score, macro", "scikit-learn ndcg_score, k = 5"
AVERAGE = "scikit-learn average_precision_score"


def run(args: argparse.Namespace) -> Iterator[Table]:
    shrink = 1 if args.full else 100
    sklearn, f1 = inputs.installed("sklearn.metrics"), inputs.hugging_face(args, "f1")
    n, scores, rankings = 1_000_000 // shrink, 10_000_000 // shrink, 100 if args.full else 2
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
        (f"nDCG, P and R at 5, {rankings} rows of 500,000 scores", "rankings", MATRIX, GAIN, "scikit-learn, nDCG"),
        (f"average precision, {scores:,} distinct scores", "decimals: None", SUMMARY, AVERAGE, "scikit-learn"),
        ("the same, scores of 3 decimals", "decimals: 3", SUMMARY, AVERAGE, "scikit-learn"),
    ):
        times: Times = found[data]
        cells = [in_seconds(times[mine]), f"{shown}: {in_seconds(times[peer])}", times_of(times[peer] / times[mine])]
        rows.append([title, *cells])
    large = f"P, R, nDCG, {n:,} rows of the 100 best of 500,000 labels"
    rows.insert(4, [large, large_rankings(n), "too large", ""])
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


def ranking_data(n: int) -> tuple[np.ndarray, csr_matrix]:
    """Distinct label numbers (n, DEPTH), best first, and the true labels, 0 to 9 per row, as a sparse matrix."""
    rng = np.random.default_rng(1)
    numbers = np.empty((n, DEPTH), np.int32)
    step = LABELS // DEPTH
    lengths = rng.integers(0, 10, n)
    indices = np.empty(int(lengths.sum()), np.int32)
    ends = np.append(0, np.cumsum(lengths))
    for first in range(0, n, 20_000):  # in blocks, to limit peak memory
        block = numbers[first : first + 20_000]
        places = rng.permuted(np.broadcast_to(np.arange(DEPTH, dtype=np.int32), block.shape), axis=1)
        block[:] = places * step + rng.integers(0, step, block.shape, dtype=np.int32)
        for row in range(first, min(n, first + 20_000)):
            size = lengths[row]
            right = numbers[row, rng.integers(0, 8, size)]
            indices[ends[row] : ends[row + 1]] = np.where(rng.random(size) < 0.5, right, rng.integers(0, LABELS, size))
    true = csr_matrix((np.ones(len(indices), np.int8), indices, ends), shape=(n, LABELS))
    true.sum_duplicates()
    true.data[:] = 1
    return numbers, true


def ways_of_rankings(n: int, sklearn: Any) -> dict[str, Way]:
    """P@k and nDCG@k of few rows, which fit into memory as two dense matrices for scikit-learn."""
    numbers, true = ranking_data(n)
    dense = true.toarray()
    scores = np.zeros(dense.shape)
    np.put_along_axis(scores, numbers, np.arange(DEPTH, 0.0, -1), axis=1)

    def precisions() -> dict[str, float]:
        found = {}
        for k in KS:  # scikit-learn has no P@k: the mean of the precisions of indicators of the first k
            first = np.zeros(dense.shape, np.int8)
            np.put_along_axis(first, np.argsort(-scores, axis=1)[:, :k], 1, axis=1)
            found[f"p@{k}"] = sklearn.precision_score(dense, first, average="samples", zero_division=0.0)
        return found

    ways = {
        "qassay, array of label numbers": Way(lambda: score_rankings(numbers, true)),
        MATRIX: Way(lambda: score_rankings(scores, true)),
    }
    if sklearn is not None:
        ways[GAIN] = Way(lambda: {"ndcg@5": sklearn.ndcg_score(dense, scores, k=5, ignore_ties=True)})
        ways["scikit-learn precision_score of the first k, three times"] = Way(precisions)
    return ways


def score_rankings(predictions: Any, references: Any) -> Mapping[str, float]:
    return qassay.score("label_metrics", predictions, references, task="ranked", k=KS).summary()


def large_rankings(n: int) -> str:
    """Time and peak memory of n rankings."""
    with tempfile.TemporaryDirectory() as folder:
        numbers, true = ranking_data(n)
        np.save(Path(folder) / "numbers.npy", numbers)
        save_npz(Path(folder) / "true.npz", true, compressed=False)
        inputs_size = (numbers.nbytes + true.data.nbytes + true.indices.nbytes + true.indptr.nbytes) / 2**20
        share = true[np.arange(n), numbers[:, 0]].sum() / n
        del numbers, true
        read, scored = (in_process(read_and_score, Path(folder), is_scored) for is_scored in (False, True))
    if not abs(scored.result - share) <= 1e-12:
        raise SystemExit(f"{n:,} rankings: p@1 is {scored.result!r}, but {share!r} of the rows begin with a true label")
    seconds = in_seconds(scored.seconds - read.seconds)
    return f"{seconds}, {scored.megabytes:.0f} MB with {inputs_size:.0f} MB of data"


def read_and_score(folder: Path, is_scored: bool) -> float | None:
    """P@1 of the rankings in a folder."""
    numbers, true = np.load(folder / "numbers.npy"), load_npz(folder / "true.npz")
    importlib.import_module("qassay.label_metrics.scoring")
    return score_rankings(numbers, true)["p@1"] if is_scored else None


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
