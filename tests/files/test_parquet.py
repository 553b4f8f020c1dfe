"""Parquet files: only needed columns are read."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.files import FileError, read_gold, read_predictions
from qassay.files.content import read_content

# Types that no reader uses as a detail, and that let a file of a few kB unpack to GBs.
HEAVY = {
    "fixed": pa.array([b"x" * 9] * 4, pa.binary(9)),
    "bytes": [b"x"] * 4,
    "list": [[0]] * 4,
    "vector": pa.array([[0]] * 4, pa.list_(pa.int8(), 1)),
    "struct": [{"a": 1}] * 4,
    "map": pa.array([[("a", 1)]] * 4, pa.map_(pa.string(), pa.int8())),
    "day": pa.array([1] * 4, pa.date32()),
}
LIGHT = {
    "text": ["a"] * 4,
    "few": pa.array(["a"] * 4).dictionary_encode(),
    "number": [0.5] * 4,
    "truth": [True] * 4,
    "nothing": pa.nulls(4),
}


@pytest.mark.parametrize(
    "roles",
    [
        {"id": [*"abcd"], "prediction": ["x"] * 4, "reference": ["x"] * 4},
        {"query": ["q"] * 4, "document": [*"abcd"], "score": [0.5] * 4, "relevance": [1] * 4},
    ],
)
def test_columns_that_nothing_needs_are_not_read(save, monkeypatch, roles):
    found, read, opened, plain = [], parquet.ParquetFile.read, [], parquet.ParquetFile
    monkeypatch.setattr(
        parquet.ParquetFile, "read", lambda self, columns: found.extend(columns) or read(self, columns=columns)
    )
    monkeypatch.setattr(parquet, "ParquetFile", lambda *given: opened.append(given) or plain(*given))
    path = save("a.parquet", {**HEAVY, **roles, **LIGHT})
    gold = read_gold(path)
    assert len(opened) == 1, "reading the footer for each column would take quadratic time"
    read_predictions(path, gold)
    assert set(roles) <= set(found) and not set(found) & set(HEAVY)
    if "query" not in roles:
        assert set(LIGHT) <= set(gold.details)


def test_what_is_broken_is_named(save):
    wrong = pa.array([b"\xff"]).view(pa.string())
    path = save("a.parquet", {"id": ["a"], "reference": wrong, "prediction": ["x"]})
    with pytest.raises(FileError, match="a.parquet: the column reference has text that is not UTF-8"):
        read_gold(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FileError, match="a.parquet: this Parquet file is broken"):
        read_content(path)
