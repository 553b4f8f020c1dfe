"""Sources of bytes: compressed files in one or several parts, standard input, Arrow files, folders of files."""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import sys

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from qassay import score_files
from qassay.cli import main
from qassay.files import FileError
from qassay.files.content import read_content

ROWS = [{"id": f"q{n}", "prediction": f"a {n}", "references": [f"a {n}", "x"]} for n in range(8)]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
TABLE = pa.Table.from_pylist(ROWS)


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(data)
    return sink.getvalue().to_pybytes()


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}


@pytest.fixture
def piped(monkeypatch):
    """A function that puts bytes into standard input."""

    def pipe(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return pipe


@pytest.fixture(params=PACKERS)
def form(request):
    return request.param


def test_compressed_files_of_several_parts_are_recognised_by_their_content(tmp_path, piped, form):
    pack, path = PACKERS[form], tmp_path / "x"
    path.write_bytes(pack(LINES[:100]) + pack(LINES[100:]))
    assert read_content(path).value.columns == COLUMNS
    piped(path.read_bytes())
    assert read_content("-").value.columns == COLUMNS
    parquet.write_table(TABLE, path)
    path.write_bytes(pack(path.read_bytes()))
    assert dict(read_content(path).value.columns) == COLUMNS


def test_broken_compressed_files(tmp_path, piped, form):
    data, path = PACKERS[form](LINES), tmp_path / "x"
    for broken in (data[:-9], data[:14] + b"\xff" * 40 + data[54:]):
        path.write_bytes(broken)
        with pytest.raises(FileError, match=f"x: this {form} file is broken"):
            read_content(path)
    piped(data[:-9])
    with pytest.raises(FileError, match=f"standard input: this {form} file is broken"):
        read_content("-")


def write_stream(path, table, size=3):
    with pa.ipc.new_stream(path, table.schema) as file:
        file.write_table(table, size)


def write_feather(path, table):
    feather.write_feather(table, path)


@pytest.mark.filterwarnings("ignore:.*no mark at its end")
@pytest.mark.parametrize("write, cut", [(write_stream, -300), (write_feather, -30)])
def test_arrow_files_and_streams(tmp_path, write, cut):
    path = tmp_path / "x"
    write(path, TABLE)
    columns = read_content(path).value.columns
    assert dict(columns) == COLUMNS
    assert columns.arrow(["references", "id"]).column_names == ["references", "id"]
    whole = path.read_bytes()
    path.write_bytes(gzip.compress(whole))
    assert dict(read_content(path).value.columns) == COLUMNS
    path.write_bytes(whole[:cut])
    with pytest.raises(
        FileError, match="x: this Arrow file is broken: its end is missing or its data are damaged; make"
    ):
        read_content(path).value.columns["id"]
    write(path, TABLE.rename_columns(["id", "id", "x"]))
    with pytest.raises(FileError, match="two columns have the same name"):
        read_content(path)


def test_an_arrow_stream_cut_between_two_batches_is_reported(tmp_path):
    write_stream(tmp_path / "x", TABLE)
    whole = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(whole[:-8])
    with pytest.warns(UserWarning, match="x: this Arrow stream has no mark at its end"):
        assert read_content(tmp_path / "x").value.columns["id"] == COLUMNS["id"]


def test_wrong_offsets_of_an_arrow_file_are_refused(tmp_path):
    table = pa.table({"id": pa.array(["a", "b", "c"])})
    write_stream(tmp_path / "x", table)
    data = (tmp_path / "x").read_bytes()
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 1, 2, 3))
    assert data.count(offsets) == 1
    for place in (4, 12):
        wrong = offsets[:place] + b"\0\0\0\x10" + offsets[place + 4 :]
        (tmp_path / "x").write_bytes(data.replace(offsets, wrong))
        with pytest.raises(FileError, match="this Arrow file is broken"):
            read_content(tmp_path / "x").value.columns["id"]


def test_a_saved_dataset_is_a_table(tmp_path):
    datasets = pytest.importorskip("datasets", reason='needs datasets: pip install -e ".[test-all]"')
    datasets.disable_progress_bars()
    dataset = datasets.Dataset.from_list(ROWS)
    dataset.save_to_disk(str(tmp_path / "saved"), num_shards=3)
    assert dict(read_content(tmp_path / "saved").value.columns) == COLUMNS
    (scores,) = score_files(tmp_path / "saved").values()
    assert scores.summary(["exact_match"]) == {"exact_match": 1.0}
    datasets.DatasetDict({"train": dataset, "test": dataset}).save_to_disk(tmp_path / "both")
    with pytest.raises(FileError, match="both/train, .*both/test"):
        read_content(tmp_path / "both")
    datasets.DatasetDict({"test": dataset}).save_to_disk(tmp_path / "one")
    assert dict(read_content(tmp_path / "one").value.columns) == COLUMNS  # the only split
    for text in ("[]", "[" * 100_000):
        (tmp_path / "saved" / "state.json").write_text(text)
        with pytest.raises(FileError, match="state.json"):
            read_content(tmp_path / "saved")


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "arrow"])
def test_a_folder_of_shards_is_one_table(tmp_path, save, ending):
    def shards(names):
        for place, name in enumerate(names):
            rows = ROWS[place * 3 : place * 3 + 3]
            if ending == "arrow":
                feather.write_feather(pa.Table.from_pylist(rows), tmp_path / name)
            else:
                save(name, rows if ending == "jsonl" else pa.Table.from_pylist(rows))

    names = {kind: [f"{kind}-{n:05}-of-00003.{ending}" for n in range(3)] for kind in ("train", "test")}
    shards(names["train"])
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "README.md").touch()
    assert dict(read_content(tmp_path).value.columns) == COLUMNS
    for more, told in ((names["test"], "test-00000-of-00003"), ([f"more.{ending}"], "more")):
        shards(more)
        with pytest.raises(FileError, match=told):
            read_content(tmp_path)
        for name in more:
            (tmp_path / name).unlink()
    for absent in (2, 0):  # the last, then the first
        (tmp_path / names["train"][absent]).unlink()
        with pytest.raises(FileError, match=f"0000{absent}-of-00003"):
            read_content(tmp_path)


@pytest.mark.parametrize(
    "second, words",
    [
        ({"id": [1], "y": ["b"]}, "00001-of-00002.parquet: it has the column x, and .*00000-of-00002.parquet has not"),
        ({"id": ["q"], "x": ["b"]}, "differ in a column: .*id.*int64 vs string; write all alike"),
    ],
)
def test_files_of_a_folder_have_the_same_columns(tmp_path, second, words):
    for place, columns in enumerate([{"id": [1], "x": ["a"]}, second]):
        parquet.write_table(pa.table(columns), tmp_path / f"{place:05}-of-00002.parquet")
    with pytest.raises(FileError, match=words):
        read_content(tmp_path).value.columns["id"]


def test_other_folders_are_refused(tmp_path):
    for name, words in ((None, "empty"), ("a.json", "a.json"), ("b.csv", "a.json is not a table of rows")):
        if name:
            (tmp_path / name).write_text('{"q1": "a"}')
        with pytest.raises(FileError, match=words):
            read_content(tmp_path)


def test_standard_input_as_gold_or_as_predictions(tmp_path, piped, capsys):
    gold = tmp_path / "gold.json"
    gold.write_text('{"q1": ["a"], "q2": ["b"]}')
    piped(b'{"q1": "a", "q2": "c"}')
    assert main(["score", str(gold), "-", "--format", "csv", "--no-intervals", "--output", "-"]) == 0
    assert "stdin,answer_match,,,exact_match,2,0.5,," in capsys.readouterr().out
    piped(LINES)
    (scores,) = score_files("-").values()
    assert scores.summary(["exact_match"]) == {"exact_match": 1.0}
    assert main(["score", "-", "-", "--format", "csv", "--no-intervals"]) == 0
    assert "exact_match,8,1.0" in capsys.readouterr().out
    piped(b"")
    assert main(["score", "-"]) == 2
    assert "standard input: this file is empty" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="there are no names of pipes here")
@pytest.mark.parametrize("data", [LINES, gzip.compress(LINES), LINES[:-9]], ids=["plain", "packed", "cut"])
def test_a_pipe_is_read_as_a_file_is(tmp_path, capsys, data):
    """The same result, or the same error, with <(cat FILE), a name of an open pipe."""
    found, path = [], tmp_path / "rows"
    end, other = os.pipe()
    with open(other, "wb") as pipe:  # the pipe holds so little whole
        pipe.write(data)
    path.write_bytes(data)
    for name in (str(path), f"/dev/fd/{end}"):
        code = main(["score", name, "--format", "csv", "--no-intervals"])
        out, err = capsys.readouterr()
        found.append((code, re.sub(r"(?m)^\w+,", ",", out), err.replace(name, "FILE")))
    os.close(end)
    assert found[0] == found[1]
