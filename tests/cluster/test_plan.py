"""qassay.cluster on a real Ray cluster of two nodes: the same numbers as on one machine, also after failures."""

import logging
import os
import signal
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qassay
from qassay.cluster import files, results, shuffled_rows
from qassay.cluster import plan as cluster
from qassay.cluster.partial_sums import PartialSums

from .some_rows import (
    COLUMNS,
    DEPTH,
    QRELS,
    RUN,
    TABLE,
    N,
    one_machine,
    ranked_here,
    similar_here,
)

ray = pytest.importorskip("ray", reason='needs ray: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough
STORE = {"object_store_memory": 100 * 2**20, "include_dashboard": False}  # of each node


@pytest.fixture(scope="module", autouse=True)
def nodes():
    """Two nodes with a processor each."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    quick = {"idle_worker_killing_time_threshold_ms": 600_000, "num_workers_soft_limit": 4}  # start workers once
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "_system_config": quick, **STORE})
    found.add_node(num_cpus=1, num_gpus=1, **STORE)  # a GPU that exists only for Ray
    ray.init(address=found.address, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    yield found
    ray.shutdown()
    found.shutdown()


@pytest.fixture(autouse=True)
def not_here(monkeypatch):
    """Score data sets of any size on the cluster."""
    monkeypatch.setattr(files, "MOST_ROWS", 0)


def blocks(table: pa.Table, size: int):
    return ray.data.from_arrow([table.slice(start, size) for start in range(0, len(table), size)])


def ranked(rows, **more):
    """The scores of a run, a data set or the number of rows of its blocks, on the cluster."""
    rows = blocks(RUN, rows) if isinstance(rows, int) else rows
    return cluster.score(rows, **{"metric": "retrieval_ranking", "qrels": QRELS, "partitions": 3, **more})


def similar(table: pa.Table, model, **more) -> qassay.Scores:
    options = {"columns": COLUMNS, "model": model, "concurrency": 1, **more}
    return cluster.score(blocks(table, 20), "semantic_answer_similarity", **options)


def same(found, expected) -> None:
    """Identical, to the last bit, and in the same order."""
    assert found == expected
    assert list(found.ids) == list(expected.ids)
    assert found.summary() == expected.summary()
    assert found.interval(n_resamples=50) == expected.interval(n_resamples=50)


def refuse(message: str, *given, error=ValueError, **options) -> None:
    with pytest.raises(error, match=message):
        cluster.score(*given, **options)


# --- rows -----------------------------------------------------------------------------------------------------------


def test_scores_match_one_machine():
    same(cluster.score(blocks(TABLE, 400), columns=COLUMNS), one_machine())


def test_files(tmp_path):
    pq.write_table(TABLE.slice(0, 1000), tmp_path / "a.parquet")
    pq.write_table(TABLE.slice(1000), tmp_path / "b.parquet")
    same(cluster.score(tmp_path, columns=COLUMNS), one_machine())
    lines = tmp_path / "rows.jsonl"
    TABLE.drop_columns(["weights"]).to_pandas().to_json(lines, orient="records", lines=True, force_ascii=False)
    same(cluster.score(str(lines), columns=COLUMNS), one_machine(TABLE.drop_columns(["weights"])))


def test_sums_match_one_machine_and_do_not_depend_on_blocks():
    order = np.random.default_rng(5).permutation(N)
    found = cluster.score(blocks(TABLE.take(order), 700), columns=COLUMNS, keep="sums", n_resamples=60, seed=3)
    expected = one_machine()
    assert found.summary() == {**expected.summary(), **expected.notes}
    assert found.counts() == expected.counts()
    assert found.interval() == PartialSums.of(expected, n_resamples=60, seed=3).interval()
    assert len(found) == N
    assert found.signature() == expected.signature()


# --- workers that die -----------------------------------------------------------------------------------------------


def die_once(marker: Path) -> None:
    """Kill this process, once."""
    if not marker.exists():
        marker.write_text("died")
        os.kill(os.getpid(), signal.SIGKILL)


def node_killer(marker: Path, head: str):
    """Kill the other node, once: its processes, and all blocks in its memory."""

    def run(block: pa.Table) -> pa.Table:
        import ray  # of the worker

        if ray.get_runtime_context().get_node_id() != head and not marker.exists():
            marker.write_text("died")
            os.kill(os.getppid(), signal.SIGKILL)  # the process of the node, which the workers follow
        return block

    return run


def test_a_node_that_is_lost_changes_nothing(nodes, tmp_path):
    marker, head = tmp_path / "marker", ray.get_runtime_context().get_node_id()
    rows = blocks(TABLE, 100).map_batches(node_killer(marker, head), batch_size=None, batch_format="pyarrow")
    lost = nodes.worker_nodes.copy()
    try:
        found = cluster.score(rows, columns=COLUMNS)
        assert marker.exists() and not any(node.live_processes() for node in lost)
    finally:
        for node in lost:
            nodes.remove_node(node, allow_graceful=False)
        nodes.add_node(num_cpus=1, num_gpus=1, **STORE)
    same(found, one_machine())


def read_or_die(ref, marker: Path):
    """The judgements for all workers, which kill the first worker that reads them."""
    die_once(marker)
    return ray.get(ref)


def test_a_worker_that_is_killed_after_the_shuffle_changes_nothing(tmp_path, monkeypatch):
    ray.cloudpickle.register_pickle_by_value(sys.modules[read_or_die.__module__])  # workers do not have this file
    marker = tmp_path / "marker"
    monkeypatch.setattr(shuffled_rows, "_Shared", lambda ref: partial(read_or_die, ref, marker))
    found = ranked(1200)
    assert marker.exists()
    same(found, ranked_here())


# --- models ---------------------------------------------------------------------------------------------------------


def test_similarity_loads_its_model_in_actors(monkeypatch):
    table = TABLE.slice(0, 60).drop_columns(["weights"])
    same(similar(table, "lite"), similar_here(table, "lite"))
    monkeypatch.setattr(cluster, "_ROWS_OF_GPU", 7)
    same(similar(table, "lite", concurrency=None, num_gpus=1), similar_here(table, "lite"))


# --- rankings -------------------------------------------------------------------------------------------------------


def test_rankings_and_judgements_by_key():
    triples = [(query, document, level) for query, own in QRELS.items() for document, level in own.items()]
    qrels = pa.table(
        dict(zip(("query_id", "corpus_id", "relevance"), map(list, zip(*triples, strict=True)), strict=True))
    )
    expected, found = ranked_here(), ranked(1000, qrels=blocks(qrels, 300), join="key")
    assert found == expected
    assert found.summary() == expected.summary()
    assert list(found.ids) == sorted(QRELS)
    same(ranked(1000, qrels=blocks(qrels, 300)), expected)


def test_grouped_rows_are_not_shuffled():
    table = RUN.sort_by("qid").drop_columns(["lang"])
    expected = qassay.score("retrieval_ranking", table, QRELS, ties="stable")
    given = {"partitions": None, "grouped": True, "ties": "stable"}
    same(ranked(blocks(table, 10 * DEPTH), **given), expected)
    with pytest.raises(ValueError, match="'q100'"):
        ranked(blocks(table, 3 * DEPTH + 5), **given)
    lists = table.group_by("qid", use_threads=False).aggregate([("docid", "list"), ("score", "list")])
    columns = {"document": "docid_list", "score": "score_list"}
    same(ranked(blocks(lists, 50), partitions=None, ties="stable", columns=columns), expected)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffled", [False, True])
def test_ids_in_two_blocks(monkeypatch, shuffled):
    rows = ray.data.from_arrow([TABLE.slice(0, 500), TABLE.slice(500, 300), TABLE.slice(3, 1)])
    monkeypatch.setattr(results, "_MOST_KEYS", 10 if shuffled else 10_000)
    refuse("duplicate id 'q3'", rows, columns=COLUMNS, keep="sums", n_resamples=0)
    if not shuffled:
        refuse("duplicate id 'q3'", rows, columns=COLUMNS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"names": ["f1"]}, "names"),
        ({"duplicates": "first"}, "duplicates='first'"),
        ({"columns": {"predictions": "anwser"}}, "'anwser' .*'answer'"),
        ({"metric": "retrieval_ranking"}, "relevance.*qrels"),
        ({"metric": "retrieval_ranking", "qrels": QRELS, "ties": "stable"}, "ties='stable'"),
        ({"metric": "retrieval_ranking", "qrels": QRELS, "join": "key"}, "qrels"),
        ({"metric": "retrieval_ranking", "qrels": {"x": {"d": 1}}, "grouped": True}, "no query"),
    ],
)
def test_options_that_do_not_go_together(given, message):
    ranks = given.get("metric") == "retrieval_ranking"
    rows = blocks(RUN if ranks else TABLE, 10_000)
    refuse(message, rows, **{"columns": None if ranks else COLUMNS, **given})


def test_input_must_be_a_data_set_with_examples_and_ids(tmp_path):
    refuse("Dataset", TABLE, columns=COLUMNS, error=TypeError)
    refuse("rows.csv", str(tmp_path / "rows.csv"), columns=COLUMNS)
    refuse("'nosuch/'", "nosuch/", columns=COLUMNS)
    refuse("empty", blocks(TABLE.slice(0, 0), 10).filter(lambda row: True), columns=COLUMNS)
    positions = blocks(TABLE.drop_columns(["qid"]), 3000)
    refuse("n_resamples=0", positions, columns={"predictions": "answer"}, keep="sums")
