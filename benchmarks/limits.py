"""Inputs of odd shapes with limits on their CPU time, one case after another.

    python benchmarks/limits.py [NAME ...] [--list]

A NAME selects the cases whose names contain it. All data are simulated. Each case runs in a separate process, so no
case warms up another; its preparation does not count. The exit status is 1 if a case exceeds its target or has a wrong
result.
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from timing import cpu_seconds

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS")}
CASES: dict[str, "Case"] = {}


@dataclasses.dataclass(frozen=True)
class Case:
    """A case with `target` CPU seconds: `prepare(folder)` returns the timed call, which checks its result."""

    target: float
    prepare: Callable[[Path], Callable[[], Any]]


def case(name: str, target: float) -> Callable:
    """Register a function that prepares a case."""

    def kept(prepare: Callable[[Path], Callable[[], Any]]) -> Callable:
        CASES[name] = Case(target, prepare)
        return prepare

    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="the names and targets, without running anything")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only:
        print(json.dumps(seconds_of(CASES[args.only])))
        return
    chosen = [name for name in CASES if not args.names or any(part in name for part in args.names)]
    if not chosen:
        parser.error(f"no case holds any of {', '.join(args.names)}; --list shows them")
    missed = 0
    print(f"{'case':<72}{'seconds':>9}{'target':>9}")
    for name in chosen:
        taken = "" if args.list else in_own_process(name)
        late = isinstance(taken, str) or taken > CASES[name].target
        missed += late and not args.list
        told = taken if isinstance(taken, str) else f"{taken:.2f}"
        print(f"{name:<72}{told:>9}{CASES[name].target:>9g}{'  MISSED' if late and not args.list else ''}", flush=True)
    sys.exit(bool(missed))


def in_own_process(name: str) -> float | str:
    """The CPU seconds of a case in a separate process, or the last line of its error."""
    command = [sys.executable, __file__, "--only", name]
    done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return float(done.stdout.splitlines()[-1])


def seconds_of(wanted: Case) -> float:
    with tempfile.TemporaryDirectory() as folder:
        call = wanted.prepare(Path(folder))
        start = cpu_seconds()
        call()
        return cpu_seconds() - start


@contextmanager
def refused(*told: str) -> Iterator[None]:
    """Check that the block raises a ValueError with all these words."""
    try:
        yield
    except ValueError as error:
        absent = [part for part in told if part not in str(error)]
        if absent:
            raise RuntimeError(f"the message does not say {absent}: {error}") from None
        return
    raise RuntimeError("was not refused")


# Tables of many columns

COLUMNS = 20_000


def wide_names() -> list[str]:
    return ["id", "prediction", "reference", *(f"c{i}" for i in range(COLUMNS - 3))]


def wide_rows() -> list[list[str]]:
    return [[f"q{row}", "a b", "a", *["1"] * (COLUMNS - 3)] for row in range(5)]


def scored(path: Path, total: int = 5) -> Callable[[], None]:
    import qassay

    def call() -> None:
        (scores,) = qassay.score_files(path).values()
        assert scores.summary(["total"]) == {"total": total}

    return call


for ending, separator in (("csv", ","), ("tsv", "\t")):

    @case(f"{COLUMNS:,} columns, {ending}", 3)
    def _(folder: Path, ending: str = ending, separator: str = separator) -> Callable:
        path = folder / f"wide.{ending}"
        path.write_text("".join(separator.join(row) + "\n" for row in [wide_names(), *wide_rows()]))
        return scored(path)


@case(f"{COLUMNS:,} columns, jsonl", 3)
def _(folder: Path) -> Callable:
    path = folder / "wide.jsonl"
    path.write_text("".join(json.dumps(dict(zip(wide_names(), row))) + "\n" for row in wide_rows()))
    return scored(path)


@case(f"{COLUMNS:,} columns, parquet", 3)
def _(folder: Path) -> Callable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "wide.parquet"
    pq.write_table(pa.table(dict(zip(wide_names(), map(list, zip(*wide_rows()))))), path)
    return scored(path)


@case("2,000 rows of JSON, each with a different field", 3)
def _(folder: Path) -> Callable:
    rows = [{"id": row, "prediction": "a", "reference": "b", f"field {row}": 1} for row in range(2000)]
    (folder / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return scored(folder / "own.jsonl", total=2000)


# Comparisons of measures that are not means over examples


def compared(first: Any, second: Any, measure: str, **settings: Any) -> Callable[[], None]:
    import qassay

    def call() -> None:
        difference = qassay.compare({"first": first, "second": second}, measures=[measure], **settings)
        assert difference.differences[0].test == "permutation", difference

    return call


def groups_of(n: int, n_groups: int) -> list[int]:
    """A group for each of n examples; no group is empty."""
    import random

    rng = random.Random(n)
    return [*range(n_groups), *(rng.randrange(n_groups) for _ in range(n - n_groups))]


@case("4 means of 11,873 questions in 1,204 groups, 10,000 group swaps", 0.5)
def _(folder: Path) -> Callable:
    import numpy as np

    import qassay
    from qassay.stats.pairs import Pairs
    from qassay.stats.permutation import permutation_tests

    n, measures = 11_873, ["exact_match", "f1", "precision", "recall"]
    rng, letters = np.random.default_rng(0), np.array(list("bcdefghijk"))
    golds = [" ".join(rng.choice(letters, rng.integers(1, 6))) for _ in range(n)]
    systems = [
        [gold if rng.random() < right else " ".join(rng.choice(letters, rng.integers(1, 6))) for gold in golds]
        for right in (0.6, 0.605)
    ]
    scores = [
        qassay.score("answer_match", system, [[gold] for gold in golds]).with_groups(groups_of(n, 1204))
        for system in systems
    ]
    used = {name: scores[0].measures[name] for name in measures}

    def call() -> None:
        found = permutation_tests(Pairs(scores[0].rows, scores[1].rows, used, scores[0].groups), measures, 10_000, 0)
        assert all(outcome.test == "permutation" for outcome in found.values()), found

    return call


def curves_compared(**settings: Any) -> Callable[[], None]:
    import numpy as np

    import qassay

    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.3
    scores = [qassay.score("average_precision", labels * 0.5 + rng.random(20_000), labels.astype(int)) for _ in "ab"]
    return compared(*scores, "average_precision", **settings)


@case("average precision of 20,000 distinct scores compared, 10,000 permutations", 10)
def _(folder: Path) -> Callable:
    return curves_compared()


@case("average precision of 20,000 scores in 2,000 groups, 10,000 group swaps", 10)
def _(folder: Path) -> Callable:
    return curves_compared(groups=groups_of(20_000, 2000))


def classes_compared(**settings: Any) -> Callable[[], None]:
    import numpy as np

    import qassay

    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3000, 20_000)
    systems = [np.where(rng.random(20_000) < share, gold, rng.integers(0, 3000, 20_000)) for share in (0.5, 0.6)]
    return compared(*(qassay.score("label_metrics", system, gold) for system in systems), "macro_f1", **settings)


@case("macro F1 of 3,000 classes x 20,000 rows compared, 10,000 permutations", 20)
def _(folder: Path) -> Callable:
    return classes_compared()


@case("macro F1 of 3,000 classes in 2,000 groups, 10,000 group swaps", 20)
def _(folder: Path) -> Callable:
    return classes_compared(groups=groups_of(20_000, 2000))


# Rankings


def expected_ties(measure: str, relevant: int, target: float, tied: int = 20_000) -> None:
    @case(f"{measure} of {tied:,} tied documents, {relevant:,} relevant, ties expected", target)
    def _(folder: Path) -> Callable:
        import qassay

        run = {"q": {f"d{i}": 1.0 for i in range(tied)}}
        qrels = {"q": {f"d{i}": int(i < relevant) for i in range(tied)}}
        return lambda: qassay.score("retrieval_ranking", run, qrels, measures=[measure], ties="expected")


for measure in ("bpref", "mrr", "map", "err", "hit_rate@1000", "ndcg@10", "rprec"):
    for relevant in (10, 10_000):
        expected_ties(measure, relevant, 1)


@case("a TREC run of 7 million lines, the last one malformed", 10)
def _(folder: Path) -> Callable:
    import qassay

    documents = [(f"d{rank}", rank, 1000 - rank) for rank in range(1, 1001)]
    with open(folder / "run.txt", "w", encoding="ascii") as file:
        for query in range(7000):
            file.write("".join(f"q{query} Q0 {name} {rank} {score}.5 run\n" for name, rank, score in documents))
        file.write("q1 Q0 d5 1 run\n")
    (folder / "qrels.txt").write_text("".join(f"q{query} 0 d5 1\n" for query in range(7000)))

    def call() -> None:
        with refused("7000001"):
            qassay.score_files(folder / "qrels.txt", {"run": folder / "run.txt"})

    return call


# Answers


def texts(count: int) -> list[str]:
    import random

    rng = random.Random(count)
    return [" ".join(f"w{rng.randrange(2000)}" for _ in range(5)) for _ in range(count)]


def pipeline_of(count: int) -> dict:
    return {"documents": ["d"], "answers": [{"text": text, "document_id": "d"} for text in texts(count)]}


@case("5,000 answers x 5,000 gold answers of one question, refused", 1)
def _(folder: Path) -> Callable:
    import qassay

    row = pipeline_of(5000)

    def call() -> None:
        with refused("25,000,000 pairs", "4,000,000"):
            qassay.score("retriever_reader", [row], [row], unit="token")
        with refused("25,000,000 pairs", "4,000,000"):
            qassay.score("answer_match", [texts(5000)], [texts(5000)], top_k=(1, 5000))

    return call


@case("2,000 answers x 2,000 gold answers of one question, retriever_reader", 10)
def _(folder: Path) -> Callable:
    import qassay

    row, gold = pipeline_of(2000), pipeline_of(1999)
    return lambda: [qassay.score("retriever_reader", [row], [gold], unit=unit) for unit in ("token", "character")]


@case("2,000 ranked answers x 2,000 gold answers of one question, answer_match", 5)
def _(folder: Path) -> Callable:
    import qassay

    return lambda: qassay.score("answer_match", [texts(2000)], [texts(1999)], top_k=(1, 2000))


@case("1,000 ids of 2 MB", 10)
def _(folder: Path) -> Callable:
    import qassay

    ids = [f"{place:05d}" + "x" * 2_000_000 for place in range(1000)]
    return lambda: qassay.score("answer_match", dict.fromkeys(ids, "a"), dict.fromkeys(ids, ["a"])).summary()


@case("one id of 2 MB among 200,000 lines of a TREC run", 2)
def _(folder: Path) -> Callable:
    import qassay

    names = [f"d{place}" + "x" * 2_000_000 * (place == 300) for place in range(200_000)]
    run = (f"q{place // 1000} Q0 {name} 1 {place}.5 run\n" for place, name in enumerate(names))
    (folder / "run.txt").write_text("".join(run))
    (folder / "qrels.txt").write_text(
        "".join(f"q{place // 1000} 0 {names[place]} 1\n" for place in range(0, 200_000, 10))
    )

    def call() -> None:
        (scores,) = qassay.score_files(folder / "qrels.txt", {"run": folder / "run.txt"}).values()
        assert scores.summary(["total"]) == {"total": 200}

    return call


if __name__ == "__main__":
    main()
