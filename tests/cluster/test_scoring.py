"""qassay.cluster on a real Ray cluster of two nodes: the same numbers as on one machine, also after failures."""

import logging
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.cluster import scoring as cluster

from .some_rows import COLUMNS, QRELS, RUN, TABLE, N, alike, one_machine, ranked_here, similar_here

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


def blocks(table: pa.Table, size: int):
    return ray.data.from_arrow([table.slice(start, size) for start in range(0, len(table), size)])


def ranked(rows, **more):
    columns = {"predictions": "docs", **more.pop("columns", {})}
    return cluster.score(rows, "retrieval_ranking", **{"qrels": QRELS, "columns": columns, **more})


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
    (tmp_path / "dataset_info.json").write_text("{}")
    same(cluster.score(tmp_path, columns=COLUMNS), one_machine())
    assert cluster.score(tmp_path, columns=COLUMNS, by="lang") == one_machine().by(TABLE["lang"])


def test_sums_match_one_machine_and_do_not_depend_on_blocks():
    order = np.random.default_rng(5).permutation(N)
    found = cluster.score(blocks(TABLE.take(order), 700), columns=COLUMNS, keep="sums")
    expected = one_machine()
    assert found.summary() == pytest.approx({**expected.summary(), **expected.notes}, abs=1e-12)
    assert found.counts() == expected.counts()
    alike(found, PartialSums.of(expected))
    assert found.n_examples == N
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


def test_a_worker_that_is_killed_changes_nothing(tmp_path, monkeypatch):
    ray.cloudpickle.register_pickle_by_value(sys.modules[die_once.__module__])  # workers do not have this file
    marker, score_rows = tmp_path / "marker", cluster.score_rows

    def score_or_die(rows: pa.Table, job):
        die_once(marker)
        yield from score_rows(rows, job)

    monkeypatch.setattr(cluster, "score_rows", score_or_die)
    found = cluster.score(blocks(TABLE, 400), columns=COLUMNS)
    assert marker.exists()
    same(found, one_machine())


# --- models ---------------------------------------------------------------------------------------------------------


def test_similarity_loads_its_model_in_actors(monkeypatch):
    table = TABLE.slice(0, 60).drop_columns(["weights"])
    same(similar(table, "lite"), similar_here(table, "lite"))
    monkeypatch.setattr(cluster, "_ROWS_OF_GPU", 7)
    same(similar(table, "lite", concurrency=None, num_gpus=1), similar_here(table, "lite"))


# --- rankings -------------------------------------------------------------------------------------------------------


def test_rankings_with_separate_judgements():
    same(ranked(blocks(RUN, 50)), ranked_here())
    alike(ranked(blocks(RUN, 50), keep="sums"), PartialSums.of(ranked_here()))
    topics = dict(zip(RUN["id"].to_pylist(), RUN["topic"].to_pylist(), strict=True))
    by_topic = ranked(blocks(RUN, 50), by="topic")
    assert by_topic == ranked_here().by([topics.get(query) for query in ranked_here().ids])
    with_rows = {query: judged for query, judged in QRELS.items() if query in topics}
    found = ranked(blocks(RUN, 50), qrels=with_rows, columns={"groups": "topic"})
    same(found, ranked_here(with_rows, groups={query: topics[query] for query in with_rows}))
    refuse(
        "'q120'", blocks(RUN, 50), "retrieval_ranking", qrels=QRELS, columns={"predictions": "docs", "groups": "topic"}
    )


def test_rankings_with_their_judgements():
    judged = [QRELS.get(query, {}) for query in RUN["id"].to_pylist()]
    rows = RUN.append_column("references", pa.array([list(levels) for levels in judged]))
    rows = rows.append_column(
        "relevances", pa.array([list(levels.values()) for levels in judged], pa.list_(pa.int64()))
    )
    here = {query: QRELS.get(query, {}) for query in RUN["id"].to_pylist()}
    same(ranked(blocks(rows, 50), qrels=None, ties="stable"), ranked_here(here, ties="stable"))


# --- bad input ------------------------------------------------------------------------------------------------------


def test_ids_in_two_blocks():
    rows = ray.data.from_arrow([TABLE.slice(0, 500), TABLE.slice(500, 300), TABLE.slice(3, 1)])
    for keep, message in (("sums", "the data set repeats the id 'q3'"), ("scores", "repeats the id 'q3'")):
        refuse(message, rows, columns=COLUMNS, keep=keep)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"names": ["f1"]}, "names"),
        ({"duplicates": "first"}, "duplicates='first'"),
        ({"columns": {"predictions": "anwser"}}, "'anwser' .*'answer'"),
        ({"metric": "retrieval_ranking", "qrels": TABLE}, "qrels must be a dict"),
        ({"metric": "retrieval_ranking", "qrels": {"x": {"d": 1}}}, "no query"),
        ({"qrels": QRELS}, "qrels is for retrieval_ranking"),
        ({"metric": "factoid_accuracy"}, "duplicates='first'"),
    ],
)
def test_options_that_do_not_go_together(given, message):
    ranks = given.get("metric") == "retrieval_ranking"
    rows = blocks(RUN if ranks else TABLE, 10_000)
    refuse(
        message,
        rows,
        error=(TypeError, ValueError),
        **{"columns": {"predictions": "docs"} if ranks else COLUMNS, **given},
    )


def test_input_must_be_a_data_set_with_examples_and_ids(tmp_path):
    refuse("Dataset", TABLE, columns=COLUMNS, error=TypeError)
    (tmp_path / "rows.csv").write_text("qid,answer\n")
    refuse("rows.csv .*ray.data", str(tmp_path / "rows.csv"), columns=COLUMNS)
    refuse("nosuch.parquet", "nosuch.parquet", columns=COLUMNS)
    refuse("empty", blocks(TABLE.slice(0, 0), 10).filter(lambda row: True), columns=COLUMNS)
    refuse("no column 'idss' .*'ids'", blocks(TABLE, 3000), columns={**COLUMNS, "idss": "qid"}, error=TypeError)
    broken = blocks(TABLE.slice(0, 4), 2).map_batches(lambda rows: 1 / 0)
    refuse("Ray lost work|could not read, move or score", broken, columns=COLUMNS)
    wrong = blocks(TABLE.slice(0, 4).append_column("weight", pa.array([1.0, 1.0, -1.0, 1.0])), 2)
    refuse("in the rows from row 2 .*weight", wrong, columns={**COLUMNS, "weights": "weight"}, concurrency=1)
    positions = blocks(TABLE.drop_columns(["qid"]), 3000)
    refuse("ids", positions, columns={"predictions": "answer"}, keep="sums")
