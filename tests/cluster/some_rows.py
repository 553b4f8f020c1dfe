"""Rows of answers and of rankings, and their scores without a cluster."""

import numpy as np
import pyarrow as pa
import pytest

import qassay

N, QUERIES, DEPTH = 3000, 120, 30
WORDS = ["le", "chat", "noir", "dort", "mange", "la", "souris", "grise"]


def answers(n: int = N) -> pa.Table:
    rng = np.random.default_rng(0)

    def text() -> str:
        return " ".join(rng.choice(WORDS, 3))

    return pa.table(
        {
            "qid": [f"q{row}" for row in range(n)],
            "answer": [text() for _ in range(n)],
            "references": [[text() for _ in range(int(rng.integers(0, 3)))] for _ in range(n)],
            "lang": [("fr", "it", None)[row % 3] for row in range(n)],
            "weights": rng.random(n) * (np.arange(n) >= 400),  # the first block has no weight at all
        }
    )


def rankings() -> tuple[pa.Table, dict]:
    """Rankings with ties, and judgements of their queries and of others."""
    rng = np.random.default_rng(1)
    run = pa.table(
        {
            "id": [f"q{query}" for query in range(QUERIES)],
            "docs": [[f"d{place}" for place in range(DEPTH)] for _ in range(QUERIES)],
            "scores": [np.round(rng.random(DEPTH), 2).tolist() for _ in range(QUERIES)],
            "topic": [f"topic {query % 9}" for query in range(QUERIES)],
        }
    )
    qrels = {
        f"q{query}": {f"d{place}": int(rng.integers(0, 3)) for place in rng.choice(40, 6, replace=False).tolist()}
        for query in range(10, QUERIES + 5)
    }
    return run, qrels


TABLE = answers()
COLUMNS = {"predictions": "answer", "ids": "qid"}
RUN, QRELS = rankings()


def ranked_here(qrels: dict = QRELS, **options) -> qassay.Scores:
    lists = zip(*(RUN[name].to_pylist() for name in ("id", "docs", "scores")), strict=True)
    run = [{"id": query, "documents": documents, "scores": scores} for query, documents, scores in lists]
    return qassay.score("retrieval_ranking", run, qrels, **options)


def similar_here(table: pa.Table, model) -> qassay.Scores:
    columns = {"predictions": table["answer"], "references": table["references"], "ids": table["qid"]}
    return qassay.score("semantic_answer_similarity", **columns, model=model)


def one_machine(table: pa.Table = TABLE, **options) -> qassay.Scores:
    names = {"predictions": "answer", "references": "references", "ids": "qid", "weights": "weights"}
    given = {name: table[column].to_pylist() for name, column in names.items() if column in table.column_names}
    return qassay.score("answer_match", **given, **options)


def alike(found: qassay.Scores, expected: qassay.Scores, **settings) -> None:
    """The same intervals, but for rounding: other parts add up in another order."""
    given = expected.interval(**settings)
    for name, interval in found.interval(**settings).items():
        assert interval == pytest.approx(given[name], abs=1e-12, nan_ok=True), name
        assert interval.method == given[name].method, name
