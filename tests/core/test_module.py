"""The evaluate modules beyond tests/contract/test_module.py: tables in batches, the arguments of evaluate."""

from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

import qassay

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


def test_rows_that_are_read_while_others_are_scored_are_kept(monkeypatch):
    metric = qassay.load("answer_match")
    read, row = metric._read_batch, {"predictions": ["a"], "references": [["a"]]}
    metric.add_batch(**row)
    monkeypatch.setattr(metric, "_read_batch", lambda *given: (metric.compute(), read(*given))[1])
    metric.add_batch(**row)
    assert len(metric) == 1


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
    with pytest.raises(ValueError, match="num_process=2 is not supported: gather the rows of all processes"):
        qassay.load("answer_match", num_process=2)
