"""Inputs of odd shapes with limits on the CPU time of the call, without the preparation of its data."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import qassay

pytestmark = pytest.mark.thorough

Call = Callable[[], Any]
COLUMNS = 20_000


def refused(text: str, function: Call) -> Call:
    """The call, which must end in a ValueError with this text."""

    def call() -> None:
        with pytest.raises(ValueError, match=text):
            function()

    return call


def wide_csv(folder: Path) -> Call:
    names = ["id", "prediction", "reference", *(f"c{i}" for i in range(COLUMNS - 3))]
    rows = [[f"q{row}", "a b", "a", *["1"] * (COLUMNS - 3)] for row in range(5)]
    (folder / "wide.csv").write_text("".join(",".join(row) + "\n" for row in [names, *rows]))
    return lambda: qassay.score_files(folder / "wide.csv")["wide"]


def malformed_run(folder: Path) -> Call:
    documents = [(f"d{rank}", rank, 1000 - rank) for rank in range(1, 1001)]
    with open(folder / "run.txt", "w", encoding="ascii") as file:
        for query in range(7000):
            file.write("".join(f"q{query} Q0 {name} {rank} {score}.5 run\n" for name, rank, score in documents))
        file.write("q1 Q0 d5 1 run\n")
    (folder / "qrels.txt").write_text("".join(f"q{query} 0 d5 1\n" for query in range(7000)))
    return refused("7000001", lambda: qassay.score_files(folder / "qrels.txt", {"run": folder / "run.txt"}))


def curves(folder: Path) -> Call:
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.3
    systems = [qassay.score("average_precision", labels * 0.5 + rng.random(20_000), labels.astype(int)) for _ in "ab"]
    return lambda: qassay.compare(dict(zip("ab", systems, strict=True)), ["average_precision"])


def classes_in_groups(folder: Path) -> Call:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3000, 20_000)
    systems = [np.where(rng.random(20_000) < share, gold, rng.integers(0, 3000, 20_000)) for share in (0.5, 0.6)]
    groups = [*range(2000), *rng.integers(0, 2000, 18_000).tolist()]
    scores = {name: qassay.score("label_metrics", of, gold) for name, of in zip("ab", systems, strict=True)}
    return lambda: qassay.compare(scores, ["macro_f1"], groups=groups)


def expected_ties(folder: Path) -> Call:
    run, qrels = {"q": {f"d{i}": 1.0 for i in range(20_000)}}, {"q": {f"d{i}": int(i < 10_000) for i in range(20_000)}}
    measures = ["map", "map@1000", "mrr", "ndcg@10"]
    return lambda: qassay.score("retrieval_ranking", run, qrels, measures=measures, ties="expected")


def texts(count: int) -> list[str]:
    rng = random.Random(count)
    return [" ".join(f"w{rng.randrange(2000)}" for _ in range(5)) for _ in range(count)]


def too_many_pairs(folder: Path) -> Call:
    row = {"documents": ["d"], "answers": [{"text": text, "document_id": "d"} for text in texts(5000)]}
    return refused("25,000,000 pairs", lambda: qassay.score("retriever_reader", [row], [row], unit="token"))


def pairs_of_ranked_answers(folder: Path) -> Call:
    return lambda: qassay.score("answer_match", [texts(2000)], [texts(1999)], top_k=(1, 2000))


BUSY = 5  # how many times longer a busy machine may take; work that grows by the square takes far longer
# Name -> limit in CPU seconds on an idle machine, and the function of a folder that prepares the call.
CASES: dict[str, tuple[float, Callable[[Path], Call]]] = {
    f"{COLUMNS:,} columns": (3, wide_csv),
    "a TREC run of 7 million lines, the last one malformed": (10, malformed_run),
    "average precision of 20,000 distinct scores, 10,000 permutations": (10, curves),
    "macro F1 of 3,000 classes in 2,000 groups, 10,000 group swaps": (20, classes_in_groups),
    "measures of 20,000 tied documents, ties expected": (4, expected_ties),
    "5,000 answers x 5,000 gold answers of one question, refused": (1, too_many_pairs),
    "2,000 ranked answers x 2,000 gold answers of one question": (5, pairs_of_ranked_answers),
}


@pytest.mark.parametrize("name", CASES)
def test_odd_shapes_take_little_time(tmp_path, name):
    limit, prepare = CASES[name]
    call = prepare(tmp_path)
    start = time.process_time()
    call()
    assert time.process_time() - start <= BUSY * limit
