"""The evaluate modules beyond tests/contract/test_module.py: tables in batches, rows of several processes."""

import concurrent.futures
import time
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

import qassay

ONE = {"predictions": ["a"], "references": [["a"]]}


# --- columns ----------------------------------------------------------------------------------------------------------


def test_columns_that_cannot_be_added_row_by_row(pd):
    metric = qassay.load("answer_match")
    for column in ("hello", b"hello", np.array(1.0), 3, {"a", "b"}, pd.DataFrame({"a": ["x"]})):
        with pytest.raises(ValueError, match="^predictions"):
            metric.add_batch(predictions=column, references=["a"])
    assert len(metric) == 0


# --- tables of rankings -----------------------------------------------------------------------------------------------

RUN = {"qid": ["1", "1", "2", "2"], "docid": ["a", "b", "a", "c"], "score": [0.5, 0.9, 3.0, 2.0], "rank": [2, 1, 1, 2]}
QRELS = {"qid": ["1", "2", "2", "3"], "docid": ["a", "c", "d", "a"], "rel": [1, 2, 1, 1]}
SELF = {
    "question": ["x", "x", "y", "y"],
    "sentence": ["s", "t", "u", "v"],
    "score": [9.0, 5.0, 1.0, 2.0],
    "label": [0, 1, 1, 0],
}


TABLES = {
    "arrow": pa.table,
    "pandas": lambda columns: import_module("pandas").DataFrame(columns),
    "dict of columns": dict,
    "rows": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
}


def part(columns, *rows):
    return {name: [values[row] for row in rows] for name, values in columns.items()}


@pytest.mark.parametrize("form", TABLES)
def test_batches_of_tables_score_like_one_call(form):
    """Also tables with their own judgements."""
    make = TABLES[form]
    metric, measures = qassay.load("retrieval_ranking", seed=7, timeout=5), ["map", "ndcg@10", "num_rel_ret"]
    expected = metric.compute(run=pa.table(RUN), qrels=pa.table(QRELS), measures=measures)
    assert (expected["map"], expected["total"], expected["missing"]) == (pytest.approx((1 / 2 + 1 / 4) / 3), 3, 1)
    assert metric.compute(predictions=make(RUN), references=make(QRELS), measures=measures) == expected
    metric.add_batch(run=make(part(RUN, 0, 1, 2)), qrels=make(part(QRELS, 0)))
    metric.add_batch(predictions=make(part(RUN, 3)), references=make(part(QRELS, 1, 2, 3)))
    assert metric.compute(measures=measures) == expected
    for rows in ((0, 1), (2, 3)):
        metric.add_batch(predictions=make(part(SELF, *rows)))
    assert metric.compute(measures=["mrr"])["mrr"] == 0.5


def test_tables_that_cannot_be_added():
    metric = qassay.load("retrieval_ranking")
    with pytest.raises(ValueError, match="predictions .* name, docid"):
        metric.add_batch(run=pa.table({"name": ["1"], "docid": ["a"], "score": [1.0]}), qrels=pa.table(QRELS))
    assert not len(metric)
    metric.add_batch(run=pa.table(RUN), qrels=pa.table(QRELS))
    metric.add_batch(run={"3": {"a": 1.0}}, qrels={"4": {"a": 1}})
    with pytest.raises(ValueError, match=r"predictions\[4\]"):
        metric.compute()


# --- what evaluate promises -------------------------------------------------------------------------------------------


def test_the_init_parameters_of_evaluate_keep_working(tmp_path):
    metric = qassay.load(
        "answer_match",
        "squad",
        keep_in_memory=True,
        cache_dir=str(tmp_path / "cache"),
        num_process=1,
        process_id=0,
        seed=7,
        experiment_id="mine",
        max_concurrent_cache_files=3,
        timeout=5,
        normalizer="none",
    )
    assert (metric.config_name, metric.seed, metric.experiment_id, metric.timeout) == ("squad", 7, "mine", 5)
    assert (metric.name, metric.info.config_name, metric.module_type) == ("answer_match", "squad", "metric")
    assert metric.compute(predictions=["A"], references=[["a"]]) == {"exact_match": 0.0, "f1": 0.0}
    with pytest.raises(ValueError, match="keep_in_memory"):
        qassay.load("answer_match", keep_in_memory=True, num_process=2)


# --- several processes, simulated by threads; tests/distributed has real processes ------------------------------------


@pytest.fixture
def both_ranks(tmp_path):
    """A function of the columns of two ranks -> their result; the first error where one fails."""

    def call(*columns):
        metrics = [
            qassay.load("answer_match", num_process=2, process_id=rank, cache_dir=str(tmp_path)) for rank in (0, 1)
        ]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(metric.compute, **own) for metric, own in zip(metrics, columns, strict=True)]
        assert runs[1].result() is None
        assert not list(tmp_path.rglob("*.arrow")) and not any(map(len, metrics))
        return runs[0].result()

    return call


def test_ranks_must_have_the_same_columns_and_some_rows(both_ranks):
    assert both_ranks({}, ONE)["total"] == 1
    with pytest.raises(ValueError, match="differ in their columns: .*references and .*references, ids"):
        both_ranks(ONE, {**ONE, "ids": [1]})
    with pytest.raises(ValueError, match="no process has added rows"):
        both_ranks({}, {})
    with pytest.raises(ValueError, match="all weights are 0"):
        both_ranks({**ONE, "weights": [0.0]}, {**ONE, "weights": [0.0]})
    assert both_ranks(ONE, ONE)["total"] == 2


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_no_rank_waits_for_one_that_refused_its_rows(tmp_path, rank):
    ranks = [qassay.load("answer_match", num_process=3, process_id=one, cache_dir=str(tmp_path)) for one in range(3)]
    for bad, told in (
        ({**ONE, "references": [["a"], ["b"]]}, "different lengths"),
        ({**ONE, "answers": ["a"]}, "does not take 'answers'"),
        ({**ONE, "ids": [object()]}, "object cannot go"),
        (ONE, None),
    ):
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            runs = [pool.submit(one.compute, **(bad if place == rank else ONE)) for place, one in enumerate(ranks)]
        assert time.monotonic() - start < 60, "the ranks wait 100 s for one that does not come"
        if told is None:  # they meet again
            assert runs[0].result()["total"] == 3
            continue
        errors = [run.exception() for run in runs]
        assert told in str(errors[rank]) and "refused" not in str(errors[rank])
        assert rank == 0 or f"process {rank} refused its rows" in str(errors[0]) and told in str(errors[0])
        assert not list(tmp_path.rglob("*.arrow")) and not any(map(len, ranks))


def test_processes_that_time_out_leave_no_rows(tmp_path):
    for rank in (0, 1):
        settings = {"num_process": 2, "process_id": rank, "cache_dir": str(tmp_path), "timeout": 0.05}
        metric = qassay.load("answer_match", **settings)
        with pytest.raises(ValueError, match=f"process {rank} got no answer from the other 1 in 0.05 s"):
            metric.compute(**ONE)
        assert not list(tmp_path.rglob("*.arrow")) and len(metric) == 0
