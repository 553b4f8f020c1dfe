"""Inputs of odd shapes with limits on the CPU time of the call, without the preparation of its data."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qassay

pytestmark = pytest.mark.thorough

Call = Callable[[], Any]
COLUMNS = 20_000


# Files


def wide_csv(folder: Path) -> Call:
    names = ["id", "prediction", "reference", *(f"c{i}" for i in range(COLUMNS - 3))]
    rows = [[f"q{row}", "a b", "a", *["1"] * (COLUMNS - 3)] for row in range(5)]
    (folder / "wide.csv").write_text("".join(",".join(row) + "\n" for row in [names, *rows]))
    return scored(folder / "wide.csv", 5)


def wide_parquet(folder: Path) -> Call:
    columns = {"id": ["q1"], "prediction": ["a b"], "reference": ["a"]} | {f"c{i}": ["1"] for i in range(COLUMNS - 3)}
    pq.write_table(pa.table(columns), folder / "wide.parquet")
    return scored(folder / "wide.parquet", 1)


def different_fields(folder: Path) -> Call:
    rows = [{"id": row, "prediction": "a", "reference": "b", f"field {row}": 1} for row in range(2000)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return scored(folder / "rows.jsonl", 2000)


def scored(path: Path, total: int) -> Call:
    def call() -> None:
        (scores,) = qassay.score_files(path).values()
        assert scores.summary(["total"]) == {"total": total}

    return call


def malformed_run(folder: Path) -> Call:
    documents = [(f"d{rank}", rank, 1000 - rank) for rank in range(1, 1001)]
    with open(folder / "run.txt", "w", encoding="ascii") as file:
        for query in range(7000):
            file.write("".join(f"q{query} Q0 {name} {rank} {score}.5 run\n" for name, rank, score in documents))
        file.write("q1 Q0 d5 1 run\n")
    (folder / "qrels.txt").write_text("".join(f"q{query} 0 d5 1\n" for query in range(7000)))
    return refused("7000001", lambda: qassay.score_files(folder / "qrels.txt", {"run": folder / "run.txt"}))


def refused(text: str, function: Call) -> Call:
    """The call, which must end in a ValueError with this text."""

    def call() -> None:
        with pytest.raises(ValueError, match=text):
            function()

    return call


# Comparisons of measures that are not means over examples


def compared(first: Any, second: Any, measure: str, **settings: Any) -> Call:
    def call() -> None:
        found = qassay.compare({"first": first, "second": second}, measures=[measure], **settings)
        assert found.differences[0].test == "permutation", found

    return call


def curves(folder: Path) -> Call:
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.3
    scores = [qassay.score("average_precision", labels * 0.5 + rng.random(20_000), labels.astype(int)) for _ in "ab"]
    return compared(*scores, "average_precision")


def classes_in_groups(folder: Path) -> Call:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3000, 20_000)
    systems = [np.where(rng.random(20_000) < share, gold, rng.integers(0, 3000, 20_000)) for share in (0.5, 0.6)]
    groups = [*range(2000), *rng.integers(0, 2000, 18_000).tolist()]
    return compared(*(qassay.score("label_metrics", system, gold) for system in systems), "macro_f1", groups=groups)


# Rankings and answers


def expected_ties(measure: str, relevant: int) -> Callable[[Path], Call]:
    def prepared(folder: Path) -> Call:
        run = {"q": {f"d{i}": 1.0 for i in range(20_000)}}
        qrels = {"q": {f"d{i}": int(i < relevant) for i in range(20_000)}}
        return lambda: qassay.score("retrieval_ranking", run, qrels, measures=[measure], ties="expected")

    return prepared


def texts(count: int) -> list[str]:
    rng = random.Random(count)
    return [" ".join(f"w{rng.randrange(2000)}" for _ in range(5)) for _ in range(count)]


def pipeline_of(count: int) -> dict[str, Any]:
    return {"documents": ["d"], "answers": [{"text": text, "document_id": "d"} for text in texts(count)]}


def too_many_pairs(folder: Path) -> Call:
    row = pipeline_of(5000)
    return refused("25,000,000 pairs", lambda: qassay.score("retriever_reader", [row], [row], unit="token"))


def pairs_of_a_pipeline(folder: Path) -> Call:
    row, gold = pipeline_of(2000), pipeline_of(1999)
    return lambda: qassay.score("retriever_reader", [row], [gold], unit="token")


def pairs_of_ranked_answers(folder: Path) -> Call:
    return lambda: qassay.score("answer_match", [texts(2000)], [texts(1999)], top_k=(1, 2000))


def long_ids(folder: Path) -> Call:
    ids = [f"{number:05d}" + "x" * 2_000_000 for number in range(1000)]
    return lambda: qassay.score("answer_match", dict.fromkeys(ids, "a"), dict.fromkeys(ids, ["a"])).summary()


BUSY = 5  # how many times longer a busy machine may take; work that grows by the square takes far longer
# Name -> limit in CPU seconds on an idle machine, and the function of a folder that prepares the call.
CASES: dict[str, tuple[float, Callable[[Path], Call]]] = {
    f"{COLUMNS:,} columns, csv": (3, wide_csv),
    f"{COLUMNS:,} columns, parquet": (3, wide_parquet),
    "2,000 rows of JSON, each with a different field": (3, different_fields),
    "a TREC run of 7 million lines, the last one malformed": (10, malformed_run),
    "average precision of 20,000 distinct scores, 10,000 permutations": (10, curves),
    "macro F1 of 3,000 classes in 2,000 groups, 10,000 group swaps": (20, classes_in_groups),
    **{
        f"{measure} of 20,000 tied documents, {relevant:,} relevant, ties expected": (
            1,
            expected_ties(measure, relevant),
        )
        for measure in ("bpref", "map", "err", "ndcg@10")
        for relevant in (10, 10_000)
    },
    "5,000 answers x 5,000 gold answers of one question, refused": (1, too_many_pairs),
    "2,000 answers x 2,000 gold answers of one question, retriever_reader": (10, pairs_of_a_pipeline),
    "2,000 ranked answers x 2,000 gold answers of one question, answer_match": (5, pairs_of_ranked_answers),
    "1,000 ids of 2 MB": (10, long_ids),
}


@pytest.mark.parametrize("name", CASES)
def test_odd_shapes_take_little_time(tmp_path, name):
    limit, prepare = CASES[name]
    call = prepare(tmp_path)
    start = time.process_time()
    call()
    assert time.process_time() - start <= BUSY * limit
