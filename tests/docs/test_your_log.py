"""The page "Your log, your command": each row of its tables is a small file, a line, and the number that the line gives.

The table of the README has lines without files, which run on files of these shapes.
"""

import csv
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from qassay.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "your_log.md"
_ROW = re.compile(
    r"^\| (?P<shape>[^|]+) \| (?P<files>`.+`) \| `(?P<line>qassay [^`]+)` \| `(?P<measure>[^`]+)` (?P<values>[^|]+) \|$"
)
_FILE = re.compile(r"`(?P<name>[\w.]+)`: (?P<lines>`[^`]+`(?:<br>`[^`]+`)*)")


class Row(NamedTuple):
    """A row of the page: a shape, name of a file -> its text, a line, a measure, and its value by each system."""

    shape: str
    files: dict[str, str]
    line: str
    measure: str
    values: list[float]


def rows():
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| ") and (row := _ROW.match(line)):
            files = {
                file["name"]: "".join(f"{text}\n" for text in re.findall("`([^`]+)`", file["lines"]))
                for file in _FILE.finditer(row["files"])
            }
            values = [float(value) for value in row["values"].split(" and ")]
            found.append(Row(row["shape"], files, row["line"], row["measure"], values))
    return found


ROWS = rows()


def test_every_row_of_the_tables_is_read():
    tables = PAGE.read_text("utf-8").partition("## Logs of harnesses")[0]
    assert len(ROWS) == len(re.findall("`qassay score [^`]*` \\| `", tables)) >= 18


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.shape)
def test_the_line_scores_the_file(row, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in row.files.items():
        Path(name).write_text(text, "utf-8")
    command, *arguments = shlex.split(row.line)
    assert command == "qassay" and main([*arguments, "--format", "csv"]) == 0
    printed = csv.DictReader(capsys.readouterr().out.splitlines())
    found = [round(float(line["value"]), 4) for line in printed if line["measure"] == row.measure]
    assert found == row.values


@pytest.fixture
def files_of_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    samples = ROOT / "samples"
    Path("runs").mkdir()
    for name in ("qrels.txt", "bm25.run", "dense.run"):
        shutil.copy(samples / "rankings" / name, name)
        if name.endswith(".run"):
            shutil.copy(name, "runs")
    for of, name in (("gold", "gold"), ("small_model", "small"), ("large_model", "large")):
        shutil.copy(samples / "answers" / f"{of}.json", f"{name}.json")
    row = {
        "retrieval": {"hits": [{"id": "d2", "score": 0.9}]},
        "generation": {"text": "Rome"},
        "expected": {"answers": ["Rome"], "docs": ["d2"]},
        "topic": {"name": "capitals"},
    }
    sample = {"doc_id": 0, "doc": {"question": "Capital?"}, "target": "Rome", "resps": [["Rome"]]}
    sample |= {"filtered_resps": ["Rome"], "arguments": {}, "filter": "none"}
    texts = {
        "log.csv": "reply,truth\nin Rome,Rome\n",
        "log.jsonl": f"{json.dumps(row)}\n" * 2,
        "new.jsonl": f"{json.dumps(row)}\n" * 2,
        "scores.csv": "id,system,bertscore\nq1,small,0.5\nq1,large,0.75\nq2,small,0.25\nq2,large,0.5\n",
        "out/small/samples_capitals_2026-11-28T12-00-00.000000.jsonl": f"{json.dumps(sample)}\n",
        "out/large/samples_capitals_2026-11-28T12-00-00.000000.jsonl": f"{json.dumps(sample)}\n",
    }
    for path, text in texts.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, "utf-8")


def test_the_lines_of_the_readme_run(files_of_readme, capsys):
    table = (ROOT / "README.md").read_text("utf-8").partition("| you have | you type |")[2].partition("\n\n")[0]
    lines = re.findall(r"\| `(qassay (?:score|compare|leaderboard) [^`]+)` \|", table)
    assert len(lines) == 9
    for line in lines:
        assert main(shlex.split(line)[1:]) == 0, line
        assert "95 %" in capsys.readouterr().out
