"""Columns of data sets, tables, dicts and lists of dicts, read alike."""

import numpy as np
import pyarrow as pa
import pytest

from qassay.training.arrow_rows import ArrowRows

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
        lambda datasets, pd: pd.DataFrame(COLUMNS),
        lambda datasets, pd: datasets.Dataset.from_list([*ROWS[::-1]]).select([2, 1, 0]),
    ],
    ids=["dict", "list", "arrays", "table", "chunks", "pandas", "data set"],
)
def test_kinds_of_data(data, datasets, pd):
    rows = read(data(datasets, pd) if callable(data) else data, optional=("n", "missing"))
    assert len(rows) == 3 and [name in rows for name in ("id", "n", "missing", "other")] == [True, True, False, False]
    assert rows.read("id").to_pylist() == COLUMNS["id"] and rows.read("n", 1).to_pylist() == [2, 3]
    assert rows.read("n", 1, 2).to_pylist() == [2] and rows.read("n", 2, 9).to_pylist() == [3]


def test_a_column_of_a_data_set_and_no_rows(datasets):
    data = datasets.Dataset.from_dict(COLUMNS)
    assert read({"id": data["id"]}).read("id").to_pylist() == COLUMNS["id"]
    assert len(read([])) == 0 and read({"id": []}).read("id").to_pylist() == []


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"key": [1]}, ValueError, "'id' .*key"),
        ([{"key": 1}], ValueError, "'id' .*key"),
        ([{"id": 1}, {}], ValueError, r"rows\[1\] .*'id'"),
        ([{"id": 1}, 3], TypeError, r"rows\[1\] .*int: 3"),
        ({"id": [1], "n": [1, 2]}, ValueError, "id 1, n 2"),
        ({"id": [1, "a"]}, TypeError, "id"),
        (iter(ROWS), TypeError, "rows"),
    ],
)
def test_input_must_be_a_data_set(data, error, message):
    with pytest.raises(error, match=message):
        read(data, optional=("n",))


@pytest.mark.thorough
def test_a_data_set_of_several_splits_or_without_a_length_is_refused(datasets):
    data = datasets.Dataset.from_dict(COLUMNS)
    for wrong, told in ((datasets.DatasetDict({"train": data}), "train"), (data.to_iterable_dataset(), "length")):
        with pytest.raises(TypeError, match=told):
            read(wrong)
