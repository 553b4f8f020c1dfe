"""Compares label_metrics and average_precision with Hugging Face's f1 module and scikit-learn: CPU time and memory, in
one run.

    python benchmarks/labels.py [--evaluate CLONE] [--repeats 5] [--quick] [--page]

CLONE is a checkout of https://github.com/huggingface/evaluate (its metrics/f1 is the peer); its default is the
environment variable QASSAY_EVALUATE_CLONE. Missing peers are named and omitted. Times are CPU seconds of all threads,
medians; the programs alternate, and the first run of each does not count. Every comparison first checks that all
programs return the same numbers, to 1e-12. All data are random with fixed seeds.

One call of a peer computes one average or one k; qassay computes all measures of its card in the time shown. With --page, the table labels of docs/benchmarks.md is replaced too; this needs
all peers.
"""

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from page_tables import Measured, Shown, add_page_option, check_page_option, in_seconds, put, times_of
from peers import add_evaluate_option, installed
from rich.console import Console
from rich.table import Table
from timing import conditions, peak_megabytes, timed

import qassay

AVERAGES = ("macro", "micro", "weighted")
KS = (1, 3, 5)
CLASSES = 100
LABELS = 500_000
DEPTH = 100  # label numbers per row of a ranking
DENSE_ROWS = 100  # rows of LABELS each that fit into memory for scikit-learn
PACKAGES = ("scikit-learn", "evaluate", "datasets")
SUMMARY = "qassay.score(...).summary()"
CONSOLE = Console(width=140)


def main() -> None:
    args = arguments()
    if args.peak:
        who, folder = args.peak
        print(json.dumps(memory_of_rankings(who == "qassay", Path(folder))))
        return
    print(conditions(PACKAGES))
    shrink = 20 if args.quick else 1
    sklearn = installed("sklearn.metrics", "scikit-learn")
    f1 = hugging_face_f1(args.evaluate) if sklearn else None
    found = Measured(one_label(1_000_000 // shrink, f1, sklearn, args.repeats))
    found["few rankings"] = rankings(sklearn, args.repeats)
    large = large_rankings(1_000_000 // shrink)
    if sklearn:
        for decimals in (None, 3):
            curve = average_precision(10_000_000 // shrink, decimals, sklearn, args.repeats)
            found[f"decimals: {decimals}"] = curve
    if args.page:
        put(args.page, "labels", page_table(found, large), PACKAGES)


def page_table(found: Measured, large: tuple[str, str]) -> Shown:
    """The table labels of the page: times of each program for each data set, and time and memory of the large rankings."""
    macro, average = "scikit-learn f1_score, macro", "scikit-learn average_precision_score"
    rows = []
    for title, data, mine, peer, shown in (
        ("F1, 1 million examples, 100 classes, integers in lists", "integers, lists", "qassay module, compute",
         "Hugging Face f1, macro", "Hugging Face `f1`, macro"),
        ("the same, strings in lists", "strings, lists", SUMMARY, macro, "scikit-learn, macro"),
        ("the same, strings in arrays", "strings, arrays", SUMMARY, macro, "scikit-learn, macro"),
        ("nDCG, P and R at 5, 100 rows of 500,000 scores", "few rankings", "qassay, matrix of scores",
         "scikit-learn ndcg_score, k = 5", "scikit-learn, nDCG"),
        ("average precision, 10 million distinct scores", "decimals: None", "qassay", average, "scikit-learn"),
        ("the same, scores of 3 decimals", "decimals: 3", "qassay", average, "scikit-learn"),
    ):  # fmt: skip
        times = Measured(found[data] or {})
        ratio = times_of(times[peer] / times[mine])
        rows.append([title, in_seconds(times[mine]), f"{shown}: {in_seconds(times[peer])}", ratio])
    rows.insert(4, ["P, R, nDCG, 1 million rows of the 100 best of 500,000 labels", ", ".join(large), "too large", ""])
    return Shown("", ["", "qassay", "others", ""], rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_evaluate_option(parser)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "quick")
    return args


def hugging_face_f1(clone: Path) -> Any:
    script = Path(clone) / "metrics" / "f1" / "f1.py"
    if not script.is_file():
        print(
            "without Hugging Face's f1 module: give --evaluate, a checkout of https://github.com/huggingface/evaluate"
        )
        return None
    import evaluate

    return evaluate.load(str(script.parent))


# One label per row


def one_label(n: int, f1: Any, sklearn: Any, repeats: int) -> dict[str, dict[str, float]]:
    """Macro, micro and weighted F1 of n examples: integers, strings in lists and strings in arrays."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, CLASSES, n)
    predicted = np.where(rng.random(n) < 0.6, true, rng.integers(0, CLASSES, n))
    names = np.array([f"class {number}" for number in range(CLASSES)])
    module, found = qassay.load("label_metrics"), {}
    for kind, predictions, references in (
        ("integers, lists", predicted.tolist(), true.tolist()),
        ("integers, arrays", predicted, true),
        ("strings, lists", names[predicted].tolist(), names[true].tolist()),
        ("strings, arrays", names[predicted], names[true]),
    ):
        ways: dict[str, Callable] = {
            "qassay module, compute": lambda p=predictions, r=references: module.compute(predictions=p, references=r),
            SUMMARY: lambda p=predictions, r=references: qassay.score("label_metrics", p, r).summary(),
        }
        if f1 is not None and kind.startswith("integers"):
            ways |= hugging_face_ways(f1, predictions, references)
        if sklearn is not None:
            ways |= scikit_learn_ways(sklearn, predictions, references)
        title = f"F1 of {n:,} examples, {CLASSES} classes, {kind}"
        found[kind] = compare(title, ways, read_f1, repeats)
    return found


def hugging_face_ways(f1: Any, predictions: Any, references: Any) -> dict[str, Callable]:
    def f1_of(*averages: str) -> dict[str, float]:
        return {
            f"{average}_f1": f1.compute(predictions=predictions, references=references, average=average)["f1"]
            for average in averages
        }

    return {
        "Hugging Face f1, macro": lambda: f1_of("macro"),
        "Hugging Face f1, three times": lambda: f1_of(*AVERAGES),
    }


def scikit_learn_ways(sklearn: Any, predictions: Any, references: Any) -> dict[str, Callable]:
    def f1_of(*averages: str) -> dict[str, float]:
        return {f"{average}_f1": sklearn.f1_score(references, predictions, average=average) for average in averages}

    return {
        "scikit-learn f1_score, macro": lambda: f1_of("macro"),
        "scikit-learn f1_score, three times": lambda: f1_of(*AVERAGES),
    }


def read_f1(result: Mapping[str, Any]) -> dict[str, float]:
    return {name: result[name] for name in (f"{average}_f1" for average in AVERAGES) if name in result}


# Rankings of labels


def ranking_data(n: int) -> tuple[np.ndarray, Any]:
    """Distinct label numbers (n, DEPTH), best first, and the true labels, 0 to 9 per row, as a sparse matrix."""
    from scipy.sparse import csr_matrix

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


def rankings(sklearn: Any, repeats: int) -> dict[str, float] | None:
    """P@k and nDCG@k of few rows, which fit into memory as two dense matrices for scikit-learn."""
    if sklearn is None:
        return None
    numbers, true = ranking_data(DENSE_ROWS)
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

    def gain() -> dict[str, float]:
        return {"ndcg@5": sklearn.ndcg_score(dense, scores, k=5, ignore_ties=True)}

    ways = {
        "qassay, array of label numbers": lambda: score_rankings(numbers, true),
        "qassay, matrix of scores": lambda: score_rankings(scores, true),
        "scikit-learn ndcg_score, k = 5": gain,
        "scikit-learn precision_score of the first k, three times": precisions,
    }
    title = (
        f"nDCG@k and P@k of {DENSE_ROWS:,} rows, {LABELS:,} labels ({dense.nbytes + scores.nbytes >> 20:,} MB dense)"
    )
    return compare(title, ways, read_rankings, repeats)


def score_rankings(predictions: Any, references: Any) -> dict[str, float]:
    return qassay.score("label_metrics", predictions, references, task="ranked", k=KS).summary()


def read_rankings(result: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in result.items() if name.startswith(("p@", "ndcg@"))}


def large_rankings(n: int) -> tuple[str, str]:
    """Time and peak memory of n rankings, in a process that only reads them, and in a process that scores them too."""
    from scipy.sparse import save_npz

    with tempfile.TemporaryDirectory() as folder:
        numbers, true = ranking_data(n)
        np.save(Path(folder) / "numbers.npy", numbers)
        save_npz(Path(folder) / "true.npz", true, compressed=False)
        del numbers, true
        command = [sys.executable, __file__, "--peak"]
        alone, scored = (json.loads(subprocess.check_output([*command, who, folder])) for who in ("nothing", "qassay"))
    above = scored["peak"] - alone["peak"]
    table = Table("", "peak MB", "above the inputs, MB", "CPU s", title=f"{n:,} rows, top {DEPTH} of {LABELS:,} labels")
    table.add_row(f"inputs of {alone['inputs']:.0f} MB", f"{alone['peak']:.0f}", "", "")
    table.add_row("scored", f"{scored['peak']:.0f}", f"{above:.0f}", f"{scored['seconds']:.2f}")
    CONSOLE.print(table)
    return in_seconds(scored["seconds"]), f"{scored['peak']:.0f} MB with {alone['inputs']:.0f} MB of data"


def memory_of_rankings(scored: bool, folder: Path) -> dict[str, float]:
    """Peak memory of this process in MB (Linux) and CPU seconds, with the inputs and, if wanted, their scores."""
    from scipy.sparse import load_npz

    numbers, true = np.load(folder / "numbers.npy"), load_npz(folder / "true.npz")
    inputs = numbers.nbytes + true.data.nbytes + true.indices.nbytes + true.indptr.nbytes
    importlib.import_module("qassay.label_metrics.scoring")  # imports are not part of either memory
    start = time.process_time()
    found = score_rankings(numbers, true) if scored else {}
    sizes = {"seconds": time.process_time() - start, "peak": peak_megabytes(), "inputs": inputs / 2**20}
    if scored:
        check_means(found, numbers, true)
    return sizes


def check_means(found: Mapping[str, float], numbers: np.ndarray, true: Any) -> None:
    """Check P@1 computed with sparse matrices."""
    hits = true[np.arange(len(numbers)), numbers[:, 0]].sum()
    if not abs(found["p@1"] - hits / len(numbers)) <= 1e-12:
        raise SystemExit(f"{len(numbers):,} rankings: p@1 is {found['p@1']!r}, but {hits} rows begin with a true label")


# Average precision


def curve_data(n: int, decimals: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and labels with a fifth of positives."""
    rng = np.random.default_rng(2)
    true = rng.random(n) < 0.2
    scores = rng.normal(true, 1.0)
    return scores if decimals is None else scores.round(decimals), true


def average_precision(n: int, decimals: int | None, sklearn: Any, repeats: int) -> dict[str, float]:
    scores, true = curve_data(n, decimals)
    mine, theirs = "qassay", "scikit-learn average_precision_score"
    module = qassay.load("average_precision")
    ways = {
        mine: lambda: qassay.score("average_precision", scores, true).summary(),
        "qassay module, compute": lambda: module.compute(predictions=scores, references=true),
        theirs: lambda: {"average_precision": sklearn.average_precision_score(true, scores)},
    }
    kind = "all distinct" if decimals is None else f"{decimals} decimals"
    title = f"average precision of {n:,} scores, {kind}"
    return compare(title, ways, read_average_precision, repeats)


def read_average_precision(result: Mapping[str, Any]) -> dict[str, float]:
    return {"average_precision": result["average_precision"]}


# Tables


def compare(
    title: str,
    ways: Mapping[str, Callable],
    read: Callable[[Any], dict[str, float]],
    repeats: int,
) -> dict[str, float]:
    """Check that all programs agree, and print their times relative to the first."""
    outputs, times = timed(dict(ways), repeats)
    base = next(iter(ways))
    expected = read(outputs[base])
    for name, output in outputs.items():
        for measure, value in read(output).items():
            if not abs(value - expected[measure]) <= 1e-12:
                raise SystemExit(f"{title}: {measure} is {value!r} by {name} and {expected[measure]!r} by {base}")
    table = Table("", "CPU s", f"times {base}", title=f"{title}, medians")
    for name, seconds in times.items():
        table.add_row(name, f"{seconds:.3f}", f"{seconds / times[base]:.1f}x")
    CONSOLE.print(table)
    return times


if __name__ == "__main__":
    main()
