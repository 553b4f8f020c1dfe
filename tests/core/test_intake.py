"""The door for columns: batches that are read once, labels of frames, ids."""

import warnings

import numpy as np
import pytest

import qassay
from qassay.core.errors import InputError
from qassay.core.intake import PREDICTIONS, REFERENCES, Field, Kind, joined_batches, read, read_batch


def test_each_cell_of_a_batch_is_checked_once():
    """Other options may bring other kinds, which read the cells as they were given."""
    seen = []

    def doubled(cells):
        seen.extend(cells.values)
        return [2 * value for value in cells.values]

    kinds = Kind(doubled), Kind(lambda cells: [-value for value in cells.values])
    fields = [tuple(Field(name, kind, name) for name in (REFERENCES, PREDICTIONS)) for kind in kinds]
    batches = [read_batch(fields[0], {"predictions": [row], "references": [row + 10]}) for row in (1, 2)]
    given = joined_batches(batches)
    assert [read(fields[0], given).columns[name] for name in (PREDICTIONS, REFERENCES)] == [[2, 4], [22, 24]]
    assert sorted(seen) == [1, 2, 11, 12]
    assert read(fields[1], given).columns[PREDICTIONS] == [-1, -2]


def test_remarks_of_batches_come_once():
    metric = qassay.load("answer_match")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric.add_batch(predictions=["a", "b"], references=[["a"], None])
        metric.compute()
    assert [str(one.message).partition(",")[0] for one in caught] == ["1 gold answer is empty"]


def test_lists_of_a_batch_may_be_used_again():
    metric, answers, golds, weights = qassay.load("answer_match"), ["a", "b"], [["a"], ["x"]], [1.0, 3.0]
    metric.add_batch(predictions=answers, references=golds, weights=weights)
    for column in (answers, golds, weights):
        column.clear()
    assert metric.compute()["exact_match"] == 0.25


def test_a_row_without_a_prediction_can_be_added():
    metric = qassay.load("answer_match")
    metric.add(prediction=None, reference=["a"])
    metric.add(prediction="a", reference=["a"])
    found = metric.compute()
    assert (found["missing"], found["total"], found["exact_match"]) == (1, 2, 0.5)


def test_frames_of_labels_agree_in_columns_and_rows():
    pd = pytest.importorskip("pandas", reason='needs pandas: pip install -e ".[test-all]"')
    true = pd.DataFrame(np.eye(3, dtype=bool), columns=list("abc"))
    found = true.copy()
    found.loc[0, "b"] = True
    expected = qassay.score("label_metrics", found.to_numpy(), true.to_numpy()).summary()
    assert qassay.score("label_metrics", found[list("cab")], true).summary() == expected
    metric = qassay.load("label_metrics")
    metric.add_batch(predictions=found[list("cab")], references=true)
    assert metric.compute() == metric.compute(predictions=found, references=true)
    with pytest.raises(InputError, match="same labels in another order"):
        qassay.score("label_metrics", found.loc[[2, 0, 1]], true)


def test_ids_that_pandas_made_floats_are_refused():
    with pytest.raises(InputError, match=r"ids\[0\] must be str or int, got float: 1.0; .*astype\(\"Int64\"\)"):
        qassay.score("answer_match", ["a", "b"], [["a"], ["b"]], ids=[1.0, 2.0])


def test_errors_of_input_say_where_they_are():
    with pytest.raises(qassay.InputError) as caught:
        qassay.score("answer_match", {"x": "a", "y": 5}, {"x": ["a"], "y": ["b"]})
    error = caught.value
    assert (error.column, error.row, error.id) == ("predictions", 1, "y")
    assert str(error) == f"predictions[1] (id 'y') {error.found}; {error.action}"


def test_frames_of_rows_are_matched_by_their_ids():
    """Their index may be in any order, and that of a series that only counts its rows."""
    pd = pytest.importorskip("pandas", reason='needs pandas: pip install -e ".[test-all]"')
    frame = pd.DataFrame({"id": [2, 0, 1], "prediction_text": list("abc"), "answers": [["a"], ["x"], ["c"]]})
    predictions, references = frame[["id", "prediction_text"]], frame[["id", "answers"]].loc[[2, 0, 1]]
    assert qassay.score("answer_match", predictions, references)["exact_match"] == pytest.approx(2 / 3)
    columns = frame["prediction_text"], frame["answers"].set_axis([5, 6, 7])
    assert qassay.score("answer_match", *columns, ids=[2, 0, 1])["exact_match"] == pytest.approx(2 / 3)
    run = pd.DataFrame({"query": [1, 1, 2], "document": [5, 6, 5], "score": [2.0, 1.0, 1.0]})
    qrels = pd.DataFrame({"query": [2, 1], "document": [5, 5], "relevance": [1, 1]})
    assert qassay.score("retrieval_ranking", run, qrels)["mrr"] == 1.0
