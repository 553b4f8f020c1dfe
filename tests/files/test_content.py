"""Reading bytes: formats told from content, and every way in which a file can be broken."""

import gzip
import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from karat.files import FileError
from karat.files.content import RepeatedKeys, Table, pairs_of, read_content

ROWS = [{"id": "q1", "answer": "a, b"}, {"id": "q2", "answer": 'say "x"\nand y'}]


def write(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return path


@pytest.mark.parametrize(
    "name, data",
    [
        ("rows.json", json.dumps(ROWS)),
        ("rows.jsonl", "\n".join(map(json.dumps, ROWS)) + "\n\n"),
        ("rows.csv", 'id,answer\nq1,"a, b"\nq2,"say ""x""\nand y"\n'),
        ("rows.tsv", 'id\tanswer\r\nq1\ta, b\r\nq2\t"say ""x""\nand y"\r\n'),
        ("rows.csv", '\ufeffid;answer\nq1;a, b\nq2;"say ""x""\nand y"'),
        ("a.name.that.says.nothing", "\n".join(map(json.dumps, ROWS))),
    ],
)
@pytest.mark.parametrize("compress", [False, True])
def test_the_same_rows_from_every_text_format(tmp_path, name, data, compress):
    data = gzip.compress(data.encode("utf-8")) if compress else data
    table = read_content(write(tmp_path / name, data)).value
    assert isinstance(table, Table)
    assert table.columns == {"id": ["q1", "q2"], "answer": ["a, b", 'say "x"\nand y']}


def test_parquet_is_told_by_its_content(tmp_path):
    parquet.write_table(pa.table({"id": [1, 2], "answers": [["a"], []]}), tmp_path / "data.bin")
    table = read_content(tmp_path / "data.bin").value
    assert table.columns == {"id": [1, 2], "answers": [["a"], []]}
    assert not table.is_text


def test_cells_of_text_tables_stay_text(tmp_path):
    table = read_content(write(tmp_path / "t.csv", "id,prediction,x\n007,,NA\n1e3,null,true\n")).value
    assert table.columns == {"id": ["007", "1e3"], "prediction": ["", "null"], "x": ["NA", "true"]}


def test_a_cell_of_several_megabytes(tmp_path):
    long = "word " * 600_000
    table = read_content(write(tmp_path / "t.csv", f'id,prediction\nq1,"{long}"\nq2,b\n')).value
    assert [len(cell) for cell in table.columns["prediction"]] == [len(long), 1]


def test_keys_given_twice_are_kept(tmp_path):
    value = read_content(write(tmp_path / "p.json", '{"a": "1", "b": "2", "a": "3"}')).value
    assert isinstance(value, RepeatedKeys)
    assert pairs_of(value) == [("a", "1"), ("b", "2"), ("a", "3")]
    assert pairs_of({"a": 1}) == [("a", 1)]


def test_rows_without_a_field_have_none_there(tmp_path):
    table = read_content(write(tmp_path / "t.jsonl", '{"id": 1, "x": 2}\n{"id": 2}\n')).value
    assert table.columns == {"id": [1, 2], "x": [2, None]}


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b'{"a": ', "not valid JSON"),
        (b'[{"id": 1},]', "line 1, column 12"),
        (b'{"a": 1}\n{"a": \n', "line 2 is not valid JSON"),
        (b'{"a": 1}\n[1]\n', "line 2 must be a JSON object"),
        ("caf\xe9".encode("latin-1"), "not text in UTF-8 (byte 0xe9 in line 1)"),
        ('{"a": "b"}'.encode("utf-16"), "UTF-16"),
        (b"[" * 200_000, "nested too deeply"),
        (b"\x00\x01\x02binary", "binary"),
        (b"id,prediction\nq1,a\nq2,b,c\n", "Expected 2 columns, got 3"),
        (b"id,id\n1,2\n", "the same name"),
        (b"PAR1 but no more", "Parquet file is broken"),
        (gzip.compress(b"{}" * 100, mtime=0)[:-12], "gzip file is broken"),
        (b'{"a": ' + b"9" * 5000 + b"}", "cannot be read"),
    ],
)
def test_broken_files_say_what_is_wrong(tmp_path, data, words):
    path = write(tmp_path / "file", data)
    with pytest.raises(FileError) as caught:
        read_content(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read_content(tmp_path / "nothing.json")
    with pytest.raises(FileError, match="folder"):
        read_content(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        read_content("zero\0byte")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_parquet_columns_are_read_when_they_are_asked_for(tmp_path, pack):
    parquet.write_table(pa.table({"id": [1, 2], "text": ["wxyz", "b"]}), tmp_path / "data")
    data = (tmp_path / "data").read_bytes()
    columns = read_content(write(tmp_path / "whole", pack(data))).value.columns
    assert columns.arrow(["text", "id"]).to_pydict() == {"text": ["wxyz", "b"], "id": [1, 2]}
    assert dict(columns) == {"id": [1, 2], "text": ["wxyz", "b"]}
    place = data.index(b"wxyz")
    broken = data[: place - 6] + b"\xff" * 12 + data[place + 6 :]
    columns = read_content(write(tmp_path / "broken", pack(broken))).value.columns
    assert ("text" in columns, "x" in columns, len(columns)) == (True, False, 2)
    assert columns["id"] == [1, 2]
    with pytest.raises(FileError, match="this Parquet file is broken"):
        columns["text"]
    with pytest.raises(KeyError):
        columns["x"]
