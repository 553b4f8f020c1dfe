"""Reading bytes: formats told from content, and every way in which a file can be broken."""

import gzip
import io
import json
import os
import pickle
import zipfile

import pyarrow as pa
import pytest
from pyarrow import parquet

import qassay
from qassay.files import FileError, read_gold
from qassay.files.content import Table, read_content

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
def test_the_same_rows_from_every_text_format(tmp_path, name, data):
    table = read_content(write(tmp_path / name, data)).value
    assert isinstance(table, Table)
    assert table.columns == {"id": ["q1", "q2"], "answer": ["a, b", 'say "x"\nand y']}


def test_cells_of_text_tables_stay_text_and_absent_fields_are_none(tmp_path):
    table = read_content(write(tmp_path / "t.csv", 'id,prediction,x\n007,,NA\n1e3,a 5" pipe,true\n')).value
    assert table.columns == {"id": ["007", "1e3"], "prediction": ["", 'a 5" pipe'], "x": ["NA", "true"]}
    table = read_content(write(tmp_path / "t.jsonl", '{"id": 1, "x": 2}\n{"id": 2}\n')).value
    assert table.columns == {"id": [1, 2], "x": [2, None]} and table.rows[1] == {"id": 2}


def test_rows_with_different_fields_are_one_table(save_table):
    """Where most rows lack most fields, only the fields that are there are gone through."""
    rows = [{"id": row, f"field {row}": row, **({"some": None} if row % 2 else {})} for row in range(12)]
    table = read_content(save_table("".join(f"{json.dumps(row)}\n" for row in rows))).value
    assert table.columns["field 3"] == [None] * 3 + [3] + [None] * 8 and table.columns["id"] == [*range(12)]
    assert ["some" in row for row in table.rows] == [False, True] * 6


def zipped(*names, text=""):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, text)
    return data.getvalue()


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "empty"),
        (b'{"a": ', "not valid JSON"),
        (b'{"a": 1}\n{"a": \n', "line 2 is not valid JSON"),
        (b'{"a": 1}\n[1]\n', "line 2 must be a JSON object"),
        ("caf\xe9".encode("latin-1"), "not text in UTF-8 (byte 0xe9 in line 1)"),
        (b"[" * 200_000, "nested too deeply"),
        (b"\x00\x01\x02binary", "binary"),
        (b"id,prediction\nq1,a\nq2,b,c\n", "row 1 has 3 cells, not 2: 'q2,b,c'"),
        (b"id,id\n1,2\n", "the same name"),
        (b"PAR1 but no more", "Parquet file is broken"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "Excel workbook"),
        (b"\n<!DOCTYPE  html><title>404", "HTML"),
        (gzip.compress(b"{}" * 100, mtime=0)[:-12], "gzip file is broken"),
        (b'{"a": ' + b"9" * 5000 + b"}", "an integer has more than 4,300 digits"),
        ('\ufeff{"a": "b"}'.encode("utf-16-le"), "UTF-16"),
        (b"id,prediction\nq1,\0\n", "a zero byte in line 2"),
        (b'[{"a": 1}] x', "extra data"),
        (b'[{"id": "q1"}, {"id": "q2", "x": 1, "x": 2}]', "duplicate key 'x' in one object; give it"),
        (b'id,prediction\nq1,a\nq2,"a\nq3,"b"\nq4,"c"\n', "row 1: a cell begins with a quote"),
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
def test_parquet_columns_are_read_when_they_are_requested(tmp_path, pack):
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


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there are no devices here")
def test_devices_are_not_read():
    """They may have no end."""
    with pytest.raises(FileError, match="/dev/zero: this is a device"):
        read_content("/dev/zero")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("\nid,prediction\nq1,a\n", {"id": ["q1"], "prediction": ["a"]}),
        ("\ufeff\r\n\r\nid,prediction\r\nq1,a\r\n", {"id": ["q1"], "prediction": ["a"]}),
        (
            "prediction\na\n\nb\n\n\n",
            {"prediction": ["a", "", "b"]},
        ),  # without the empty cell later rows would be shifted
        ("id,x\na,b\n\nc,d\n\n", {"id": ["a", "c"], "x": ["b", "d"]}),
        (f'id,prediction\nq1,"{"word " * 600_000}"\n', {"id": ["q1"], "prediction": ["word " * 600_000]}),
    ],
)
def test_blank_lines_and_a_cell_of_several_megabytes(tmp_path, text, columns):
    assert read_content(write(tmp_path / "t.csv", text)).value.columns == columns


def test_one_line_of_json_lines_is_a_row(save):
    gold = save("gold.jsonl", [{"id": "1", "golds": ["x"]}])
    scores = qassay.score_files(gold, save("system.jsonl", [{"id": "1", "answer": "x"}]))["system"]
    assert scores["f1"] == 1 and not scores.notes.get("unmatched")


@pytest.mark.parametrize("is_gold", [True, False])
def test_a_table_without_rows_is_refused_by_its_name(tmp_path, is_gold):
    column, other = ("gold", "prediction") if is_gold else ("prediction", "gold")
    empty = write(tmp_path / "a.csv", f"id,{column}\n")
    full = write(tmp_path / "full.csv", f"id,{other}\n1,x\n")
    with pytest.raises(FileError, match="a.csv: this file has no rows"):
        qassay.score_files(*([empty, full] if is_gold else [full, empty]))


def test_a_folder_with_an_empty_file_has_rows(tmp_path):
    (tmp_path / "gold").mkdir()
    for place, ids in enumerate(([], ["1"])):
        columns = {"id": pa.array(ids, pa.string()), "gold": pa.array(["x"] * len(ids), pa.string())}
        parquet.write_table(pa.table(columns), tmp_path / "gold" / f"{place}.parquet")
    write(tmp_path / "full.csv", "id,prediction\n1,x\n")
    assert qassay.score_files(tmp_path / "gold", tmp_path / "full.csv")["full"]["f1"] == 1


def test_errors_are_pickled_and_the_middle_of_a_long_one_is_omitted():
    error = FileError("/tmp/gold.csv", f"{'x' * 300}{'y' * 10_000}")
    assert len(str(error)) < 800 and " ... " in str(error) and str(error).startswith("/tmp/gold.csv: ")
    again = pickle.loads(pickle.dumps(FileError("/tmp/gold.csv", "row 3 has no id")))
    assert str(again) == "/tmp/gold.csv: row 3 has no id" and again.path == "/tmp/gold.csv"


def test_gold_files_are_pickled(save):
    gold = read_gold(save("gold.json", {"q1": ["a"]}))
    assert pickle.loads(pickle.dumps(gold)).ids == ["q1"]
