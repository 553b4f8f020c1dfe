"""Tables of rankings through the base class: as a whole in one call, as rows in batches."""

from importlib import import_module

import pyarrow as pa
import pytest


def RetrievalRanking(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.retrieval_ranking.retrieval_ranking import RetrievalRanking

    return RetrievalRanking(*config, **options)


RUN = {"qid": ["1", "1", "2", "2"], "docid": ["a", "b", "a", "c"], "score": [0.5, 0.9, 3.0, 2.0], "rank": [2, 1, 1, 2]}
QRELS = {"qid": ["1", "2", "2", "3"], "docid": ["a", "c", "d", "a"], "rel": [1, 2, 1, 1]}
SELF = {
    "question": ["x", "x", "y", "y"],
    "sentence": ["s", "t", "u", "v"],
    "score": [9.0, 5.0, 1.0, 2.0],
    "label": [0, 1, 1, 0],
}


class Frame:
    """What is used of a polars data frame."""

    def __init__(self, columns):
        self.data = columns
        self.columns, self.dtypes = list(columns), list(columns)

    def __getitem__(self, name):
        class Series:
            def to_arrow(series):
                return pa.array(self.data[name])

            def to_list(series):
                return list(self.data[name])

        return Series()


TABLES = {
    "arrow": pa.table,
    "record batch": lambda columns: pa.table(columns).to_batches()[0],
    "pandas": lambda columns: import_module("pandas").DataFrame(columns),
    "polars": Frame,
    "data set": lambda columns: import_module("datasets").Dataset.from_dict(columns),
    "dict of columns": dict,
    "Hugging Face": lambda columns: [columns],
    "rows": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
}


def part(columns, *rows):
    return {name: [values[row] for row in rows] for name, values in columns.items()}


@pytest.mark.parametrize("form", TABLES)
def test_batches_of_tables_score_like_one_call(form):
    """Also tables with their own judgements."""
    make = TABLES[form]
    metric, measures = RetrievalRanking(), ["map", "ndcg@10", "num_rel_ret"]
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
    metric = RetrievalRanking()
    with pytest.raises(ValueError, match="predictions .* name, docid"):
        metric.add_batch(run=pa.table({"name": ["1"], "docid": ["a"], "score": [1.0]}), qrels=pa.table(QRELS))
    assert not len(metric)
    metric.add_batch(run=pa.table(RUN), qrels=pa.table(QRELS))
    metric.add_batch(run={"3": {"a": 1.0}}, qrels={"4": {"a": 1}})
    with pytest.raises(ValueError, match=r"predictions\[4\] has no 'qid'"):
        metric.compute()
