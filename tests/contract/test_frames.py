"""Columns that come by id or as series of pandas: matched by id or in the order of their frame, in every family and module."""

import functools

import pandas as pd
import pytest

import qassay

from .test_module import CASES, same


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


def test_series_of_one_index_in_another_order(case):
    """Rows are matched by position: series whose indexes match differently are refused, others are not."""
    rows = len(case.predictions)
    predictions = pd.Series(list(case.predictions), index=range(rows))
    references = pd.Series(list(case.references), index=[*range(1, rows), 0])
    loaded, stream = case.load(), qassay.stream(case.metric, **case.options)
    for score in (functools.partial(qassay.score, case.metric, **case.options), stream.add, loaded.compute):
        with pytest.raises(ValueError, match="the same index in another order: row 0 is 0 in predictions, 1 in ref"):
            score(predictions=predictions, references=references)
    ids = [f"row {row}" for row in range(rows)]
    predictions.index = ids[::-1]
    for score in (functools.partial(qassay.score, case.metric, **case.options), loaded.compute):
        with pytest.raises(ValueError, match="ids and the index of predictions have the same values in another order"):
            score(predictions=predictions, references=list(case.references), ids=ids)
    predictions.index = ids
    scores = qassay.score(case.metric, predictions, references, **case.options)
    assert scores.summary() == qassay.score(case.metric, case.predictions, case.references, **case.options).summary()


@pytest.mark.parametrize("form", [dict, pd.Series])
def test_columns_of_examples_are_matched_by_id(case, form):
    count = len(case.ids)
    columns = {"weights": [*range(1, count + 1)], "groups": [f"g{row % 2}" for row in range(count)]}
    columns = {name: values for name, values in columns.items() if name in case.load()._columns}
    expected = case.load().compute(**case.given, ids=case.ids, per_example=True, **columns)
    shuffled = {
        name: form(dict(reversed(list(zip(case.ids, values, strict=True))))) for name, values in columns.items()
    }
    sides = ("predictions", "references")
    by_id = {name: dict(zip(case.ids, case.given[name], strict=True)) for name in sides}
    for given in ({**case.given, "ids": case.ids}, {**case.given, **by_id}):
        metric = case.load()
        assert same(metric.compute(**given, **shuffled, per_example=True), expected)
        metric.add_batch(**given, **shuffled)
        assert same(metric.compute(per_example=True), expected)


def test_columns_of_a_shuffled_frame_stay_together(case):
    """Its index is not in order, but the same for all columns."""
    count = len(case.predictions)
    order = [*range(1, count), 0]
    columns = {"weights": [*range(1, count + 1)], "groups": [f"g{row % 2}" for row in range(count)]}
    columns = {name: values for name, values in columns.items() if name in case.load()._columns}
    as_series = {name: pd.Series(values, index=order) for name, values in columns.items()}
    predictions = pd.Series([*case.predictions], index=order, dtype=object)
    expected = case.load().compute(**case.given, **columns)
    given = {**case.given, "predictions": predictions, **as_series}
    metric = case.load()
    assert same(metric.compute(**given), expected)
    metric.add_batch(**given)
    assert same(metric.compute(), expected)
    scores = qassay.score(case.metric, **given, **case.options)
    assert scores.summary() == qassay.score(case.metric, **case.given, **columns, **case.options).summary()
