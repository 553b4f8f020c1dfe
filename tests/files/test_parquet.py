"""Parquet files: only needed columns are read."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.files import FileError, read_gold, read_predictions

ROWS = 4
# A type that no reader uses as a detail, and that lets a file of a few kB unpack to GBs.
HEAVY = {
    "fixed": pa.array([b"x" * 9] * ROWS, pa.binary(9)),
    "bytes": pa.array([b"x"] * ROWS),
    "list": [[0]] * ROWS,
    "vector": pa.array([[0]] * ROWS, pa.list_(pa.int8(), 1)),
    "struct": [{"a": 1}] * ROWS,
    "map": pa.array([[("a", 1)]] * ROWS, pa.map_(pa.string(), pa.int8())),
    "day": [datetime.date(2026, 1, 1)] * ROWS,
}
LIGHT = {
    "text": ["a"] * ROWS,
    "few": pa.array(["a"] * ROWS).dictionary_encode(),
    "number": [0.5] * ROWS,
    **({"half": np.zeros(ROWS, np.float16)} if int(pa.__version__.partition(".")[0]) >= 15 else {}),
    "truth": [True] * ROWS,
    "nothing": pa.nulls(ROWS),
}


@pytest.fixture
def read_names(monkeypatch):
    """The names of the columns that are read."""
    found, read = [], parquet.ParquetFile.read
    monkeypatch.setattr(
        parquet.ParquetFile, "read", lambda self, columns: found.extend(columns) or read(self, columns=columns)
    )
    return found


@pytest.mark.parametrize(
    ("metric", "roles"),
    [
        (None, {"id": ["a", "b", "c", "d"], "prediction": ["x"] * ROWS, "reference": ["x"] * ROWS}),
        (None, {"query": ["q"] * ROWS, "document": list("abcd"), "score": [0.5] * ROWS, "relevance": [1] * ROWS}),
    ],
)
def test_columns_that_nothing_needs_are_not_read(tmp_path, read_names, metric, roles):
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pa.table({**HEAVY, **roles, **LIGHT}), path)
    gold = read_gold(path, metric=metric)
    read_predictions(path, gold)
    assert set(roles) <= set(read_names) and not set(read_names) & set(HEAVY)
    if "query" not in roles:
        assert set(LIGHT) <= set(gold.details)


def test_text_that_is_not_utf_8_is_named(tmp_path):
    path = str(tmp_path / "a.parquet")
    wrong = pa.array([b"\xff"]).view(pa.string())
    parquet.write_table(pa.table({"id": ["a"], "reference": wrong, "prediction": ["x"]}), path)
    with pytest.raises(FileError, match="a.parquet: the column reference has text that is not UTF-8"):
        read_gold(path)


def test_a_file_of_many_columns_is_opened_once(tmp_path, monkeypatch):
    """Reading its footer for each column would take quadratic time."""
    opened, plain = [], parquet.ParquetFile
    monkeypatch.setattr(parquet, "ParquetFile", lambda *given: opened.append(given) or plain(*given))
    path = str(tmp_path / "a.parquet")
    columns = {f"c{number}": ["x"] for number in range(20)}
    parquet.write_table(pa.table({"prediction": ["x"], "reference": ["x"], **columns}), path)
    gold = read_gold(path)
    assert (len(gold.details), len(opened)) == (20, 1)
