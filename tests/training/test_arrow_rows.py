"""Columns of data sets, tables, dicts and lists of dicts, read alike."""

import numpy as np
import pyarrow as pa
import pytest

from qassay.training.arrow_rows import ArrowRows


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Slow imports happen when a test of this file runs, not at collection."""
    global datasets, pd
    import datasets
    import pandas as pd


COLUMNS = {"id": ["a", "b", "c"], "n": [1, 2, 3], "other": [[1], [], [2]]}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
NEEDED = {"id": "name it"}


def read(data, **more):
    return ArrowRows(data, "rows", NEEDED, **more)


@pytest.mark.parametrize(
    "data",
    [
        COLUMNS,
        ROWS,
        {"id": np.array(["a", "b", "c"]), "n": np.array([1, 2, 3])},
        pa.table(COLUMNS),
        pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
        lambda: pd.DataFrame(COLUMNS),
        lambda: datasets.Dataset.from_dict(COLUMNS),
        lambda: datasets.Dataset.from_list([*ROWS[::-1]]).select([2, 1, 0]),
    ],
    ids=["dict", "list", "arrays", "table", "chunks", "pandas", "data set", "selected"],
)
def test_kinds_of_data(data):
    rows = read(data() if callable(data) else data, optional=("n", "missing"))
    assert len(rows) == 3 and ("id" in rows, "n" in rows, "missing" in rows, "other" in rows) == (
        True,
        True,
        False,
        False,
    )
    assert isinstance(rows.read("id"), pa.Array)
    assert rows.read("id").to_pylist() == COLUMNS["id"] and rows.read("n", 1).to_pylist() == [2, 3]
    assert rows.read("n", 1, 2).to_pylist() == [2] and rows.read("n", 2, 9).to_pylist() == [3]


def test_a_column_of_a_data_set_and_no_rows():
    data = datasets.Dataset.from_dict(COLUMNS)
    assert read({"id": data["id"]}).read("id").to_pylist() == COLUMNS["id"]
    assert len(read([])) == 0 and read({"id": []}).read("id").to_pylist() == []


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"key": [1]}, ValueError, r"rows has no column 'id' \(its columns: key\); name it"),
        (lambda: datasets.Dataset.from_dict({"key": [1]}), ValueError, "rows has no column 'id'"),
        ([{"key": 1}], ValueError, r"rows has no column 'id' \(its columns: key\); name it"),
        ([{"id": 1}, {}], ValueError, r"rows\[1\] has no 'id', unlike the first row"),
        ([{"id": 1}, 3], TypeError, r"rows\[1\] must be a dict like the rows of a data set, got int: 3"),
        ({"id": [1], "n": [1, 2]}, ValueError, "columns of different lengths: id 1, n 2"),
        ({"id": [1, "a"]}, TypeError, "rows: id cannot be read as a column"),
        ("rows.json", TypeError, "rows must be a datasets.Dataset, a table"),
        (iter(ROWS), TypeError, "rows must be a datasets.Dataset, a table"),
        (
            lambda: datasets.DatasetDict({"train": datasets.Dataset.from_dict(COLUMNS)}),
            TypeError,
            r"rows has several splits \(train\); give one of them",
        ),
        (
            lambda: datasets.Dataset.from_dict(COLUMNS).to_iterable_dataset(),
            TypeError,
            "streamed data set, which has no length",
        ),
    ],
)
def test_input_must_be_a_data_set(data, error, message):
    with pytest.raises(error, match=message):
        read(data() if callable(data) else data, optional=("n",))
