"""Simulated judgements and runs for rankings.py, with the sizes of MS MARCO passages and of a TREC pool."""

import dataclasses
import functools
from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

Judged = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]

DEPTH = 1000
COLLECTION = 8_841_823  # passages of MS MARCO


@dataclasses.dataclass(frozen=True)
class Case:
    """Simulated judgements and a run, as Arrow columns and as dicts."""

    name: str
    run_columns: pa.Table  # query, document, score
    qrels_columns: pa.Table  # query, document, relevance

    @functools.cached_property
    def run(self) -> Run:
        return nested(self.run_columns.to_batches(100_000))

    @functools.cached_property
    def qrels(self) -> Qrels:
        return nested(self.qrels_columns.to_batches())

    @property
    def queries(self) -> int:
        return len(self.run_columns) // DEPTH

    @property
    def title(self) -> str:
        return f"{self.name}: {self.queries:,} queries x {DEPTH:,} documents, {len(self.qrels_columns):,} judgements"


def msmarco_like(queries: int) -> Case:
    """Mostly one relevant document per query, often at the top; a seventh of the queries has no find."""
    pool = 3 * DEPTH

    def judged(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        ranks = np.unique((pool ** rng.random(1 + (rng.random() < 0.07))).astype(np.int64)) - 1
        return ranks, np.ones(len(ranks), np.int64)

    return made_up("L", queries, pool, judged)


def pooled(queries: int) -> Case:
    """300 judgements per query, levels 0 to 3; 80 % of these documents are in the run."""
    pool = DEPTH * 5 // 4

    def judged(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return rng.choice(pool, 300, replace=False), rng.choice(4, 300, p=(0.6, 0.2, 0.12, 0.08))

    return made_up("D", queries, pool, judged)


def made_up(name: str, queries: int, pool: int, judged: Judged) -> Case:
    """Each query has `pool` documents; the run has the best 1,000, sorted, with a few ties.

    Args:
        judged: rng -> places in the pool of the judged documents, and their relevance.
    """
    rng = np.random.default_rng(0)
    query_ids = pa.array(rng.choice(1_100_000, queries, replace=False)).cast(pa.string())
    retrieved, scores, judged_ids, levels, counts = [], [], [], [], []
    for _ in range(queries):
        documents = rng.choice(COLLECTION, pool, replace=False)
        places, relevance = judged(rng)
        retrieved.append(documents[:DEPTH])
        # Numbers below 100 with five decimals remain distinct in pytrec_eval's float32.
        scores.append(np.round(5 + np.sort(rng.exponential(3.0, DEPTH))[::-1], 5))
        judged_ids.append(documents[places])
        levels.append(relevance)
        counts.append(len(places))
    run = {
        "query": query_ids.take(np.repeat(np.arange(queries), DEPTH)),
        "document": document_ids(retrieved),
        "score": np.concatenate(scores),
    }
    qrels = {
        "query": query_ids.take(np.repeat(np.arange(queries), counts)),
        "document": document_ids(judged_ids),
        "relevance": np.concatenate(levels),
    }
    return Case(name, pa.table(run), pa.table(qrels))


def document_ids(numbers: list[np.ndarray]) -> pa.Array:
    digits = pc.utf8_lpad(pa.array(np.concatenate(numbers)).cast(pa.string()), 7, "0")
    return pc.binary_join_element_wise("D", digits, "")


def nested(batches: Iterable[pa.RecordBatch]) -> dict[str, dict]:
    """Dicts with a separate string for every id, as if the run and the judgements come from two files."""
    found: dict[str, dict] = {}
    for batch in batches:
        for query, document, number in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            found.setdefault(query, {})[document] = number
    return found


def with_shuffled_dicts(case: Case) -> Case:
    """The case with the documents of each query in random order."""
    return dataclasses.replace(case, name=f"{case.name}, shuffled", run_columns=shuffled_in_queries(case.run_columns))


def with_long_ids(case: Case, size: int) -> Case:
    """The case with document ids of `size` characters."""

    def padded(rows: pa.Table) -> pa.Table:
        place = rows.schema.get_field_index("document")
        return rows.set_column(place, "document", pc.utf8_lpad(rows["document"], size, "D"))

    name = f"{case.name}, ids of {size} characters"
    return dataclasses.replace(
        case, name=name, run_columns=padded(case.run_columns), qrels_columns=padded(case.qrels_columns)
    )


def without_ties(case: Case) -> Case:
    """The same rankings with a distinct score for each document of a query."""
    rows = case.run_columns
    scores = np.tile(np.arange(DEPTH, 0, -1.0), len(rows) // DEPTH)
    rows = rows.set_column(rows.schema.get_field_index("score"), "score", pa.array(scores))
    return dataclasses.replace(case, name=f"{case.name}, small and without ties", run_columns=rows)


def shuffled_in_queries(run: pa.Table) -> pa.Table:
    order = np.random.default_rng(0).random(len(run)).reshape(-1, DEPTH).argsort(axis=1)
    return run.take((order + np.arange(len(order))[:, None] * DEPTH).ravel())
