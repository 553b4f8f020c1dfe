"""The document of a call: equal to the command line's, with the names that the owner of the files gave them."""

import gzip
import json
import shlex
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.cli import main
from qassay.results.read import check_document
from qassay.space.limits import MAX_SYSTEMS
from qassay.space.samples import FOLDER, SAMPLES, sample_of
from qassay.space.scoring import document_of
from qassay.space.worker import file_name, score_in_process

ANSWERS = FOLDER / "answers"


@pytest.fixture
def put(tmp_path, monkeypatch):
    """`put(name, content)` writes a file (text, bytes or a JSON value) into the current folder, and gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    return write


@pytest.fixture
def sample(put):
    """`sample(path)` puts a sample there."""
    return lambda path: put(path.rpartition("/")[2], (FOLDER / path).read_bytes())


def scored(files, options=""):
    """The document of (path, name) pairs, the gold file first, by a process."""
    return json.loads(gzip.decompress(score_in_process(files[0], files[1:], options)))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_of_a_document_makes_its_numbers_again(name, capsys, sample):
    of = SAMPLES[name]
    gold, *systems = map(sample, (of.gold, *of.systems))
    found = document_of(gold, systems, of.options)
    check_document(found)
    program, *arguments = shlex.split(found["command"].replace("--report report.html", "--format json"))
    assert program == "qassay" and main(arguments) == 0
    printed = json.loads(capsys.readouterr().out)
    assert found["parts"] == printed["parts"] and found["systems"] == printed["systems"]


def test_every_metric_has_a_sample():
    from qassay import list_metrics

    assert {SAMPLES[sample_of(metric)].metric for metric in list_metrics()} == {*list_metrics()}


def test_files_are_named_as_their_owner_has_them(tmp_path):
    """Whatever they are called on the server, also two of one name, and names that no file can have."""
    names = ("../<b>gold.json", "same.json", "same.json")
    files = []
    for stored, name in zip(("gold", "small_model", "large_model"), names, strict=True):
        (tmp_path / stored).write_bytes((ANSWERS / f"{stored}.json").read_bytes())
        files.append((str(tmp_path / stored), name))
    found = scored(files)
    assert found["gold"] == "<b>gold.json"
    assert [system["file"] for system in found["systems"]] == ["same.json", "same (2).json"]
    assert str(tmp_path) not in json.dumps(found)
    (tmp_path / "small_model").write_text('{"q": [')
    with pytest.raises(ValueError, match=r"^same\.json: ") as error:
        scored(files)
    assert "/" not in str(error.value)


def test_file_names_are_names_in_a_folder():
    for name in ("", ".", "..", "/", "a/..", "\0", "-", "--report=x", "x" * 300 + ".json", "\n\x07", "a\\b", "\ud800"):
        found = file_name(name)
        assert found and "/" not in found and not found.startswith("-") and found not in (".", "..")
        assert found.isprintable() and len(found) <= 100


def test_probabilities_runs_slices_and_groups(sample, put):
    gold, small, large, probabilities = (
        sample(f"answers/{name}.json") for name in ("gold", "small_model", "large_model", "large_model_no_answer")
    )
    found = document_of(gold, [probabilities, small, large], "by=language\ngroups=article")
    assert any(one["text"].startswith("large_model_no_answer.json is taken as") for one in found["remarks"])
    assert found["interval"]["group_name"] == "article"
    assert [one["name"] for one in found["parts"][0]["slices"] if one["requested"]] == ["language"]
    found = document_of(gold, [small, large], "names=model")
    assert found["kind"] == "score" and found["systems"][0]["runs"] == ["small_model", "large_model"]
    put("numbers.json", (FOLDER / "answers/large_model_no_answer.json").read_bytes())
    assert "--no-answer-probabilities large_model=" in document_of(gold, [large, "numbers.json"])["command"]
    with pytest.raises(ValueError, match=r"numbers.json.*small_model, large_model"):
        document_of(gold, [small, large, "numbers.json"])


def test_names_and_numbers_of_systems(put):
    gold = put("gold.csv", "id,gold\n1,a\n2,b\n")
    files = [put(f"{number}.csv", "id,prediction\n1,a\n2,x\n") for number in range(7)]
    with pytest.raises(ValueError, match=f"7 systems .* {MAX_SYSTEMS}"):
        document_of(gold, files)
    with pytest.raises(ValueError, match="3 for 2 systems"):
        document_of(gold, files[:2], "names=a,b,c")
    with pytest.raises(ValueError, match="2 for 3 files"):
        document_of(gold, files[:3], "names=a,a")
    with pytest.raises(ValueError, match='"="'):
        document_of(gold, files[:2], "names=a=b,c")
    found = document_of(gold, files[:3], "names=a,b,a")
    assert [(system["name"], system["runs"]) for system in found["systems"]] == [("a", ["0", "2"]), ("b", [])]
    table = put("wide.csv", "id,gold,small,large\n1,a,a,b\n2,b,b,b\n")
    found = document_of(table, [], "columns=predictions=small\ncolumns=predictions=large\nnames=S,L")
    values = found["parts"][0]["values"]
    assert {name: of["exact_match"]["value"] for name, of in values.items()} == {"S": 1.0, "L": 0.5}


def test_systems_without_a_common_example_are_shown_and_not_compared(put):
    gold = put("gold.csv", "id,gold\n1,a\n2,b\n")
    files = [put("first.csv", "id,prediction\n1,a\n"), put("second.csv", "id,prediction\n2,b\n")]
    found = document_of(gold, files, "missing=skip")
    assert found["kind"] == "score" and len(found["systems"]) == 2
    assert any(one["id"] == "not_compared" for one in found["remarks"])


def test_tables_of_numbers_are_all_systems(put):
    files = [put(f"{name}.csv", f"id,judge\n1,0.5\n2,{number}\n") for name, number in (("a", 0.7), ("b", 1.2))]
    found = document_of(files[0], files[1:], "metric=own_scores")
    assert [system["name"] for system in found["systems"]] == ["a", "b"]
    assert found["command"].startswith("qassay compare a.csv b.csv --metric own_scores")
    assert document_of(files[0], [], "metric=own_scores")["command"].startswith(
        "qassay score a.csv --metric own_scores"
    )
    with pytest.raises(ValueError, match="a.csv: there is no column 'gone'; it has: id, judge"):
        document_of(files[0], files[1:], "metric=own_scores\nmeasures=gone")


# --- hostile files ----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path):
    """By the reader, or by the limit of memory of the process: the server itself reads nothing."""
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), ["x" * 1_000_000])
    path = tmp_path / "bomb.parquet"
    table = pa.table({"id": range(100_000), "prediction": text, "gold": text})
    parquet.write_table(table, path, compression="zstd")
    assert path.stat().st_size < 2_000_000
    with pytest.raises(ValueError, match=r"bomb\.parquet: |too large"):
        scored([(str(path), "bomb.parquet")])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "content",
    [
        b"plain words", b'{"name": "x", "engines": {}}', b'{"a":' * 100_000, b"\xff", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"a,b\n1,\0", "Zürich".encode("utf-16"), gzip.compress(b"{}", mtime=0), b"PAR1 and no more", b"PK\x03\x04....",
        gzip.compress(b"[" + b" " * 1_500_000_000, 1), b"\n".join(b'{"k%d":1}' % row for row in range(50_000)),
        b",".join(b"c%d" % column for column in range(2_000)) + b"\n", b"PAR1" + b"\x15" * 500 + b"\xf4\1\0\0PAR1",
    ],
    ids=range(14),
)  # fmt: skip
def test_hostile_bytes_are_refused_by_the_name_of_the_file(tmp_path, content):
    gold, system = tmp_path / "1", tmp_path / "2"
    gold.write_text('{"q": ["a"]}')
    system.write_bytes(content)
    with pytest.raises(ValueError, match=r"odd\.json: |too large|system|no predictions"):
        scored([(str(gold), "gold.json"), (str(system), "odd.json")])
