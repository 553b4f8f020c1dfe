"""The page "Your log, your command": each row of its tables is a small file, a line, and the number that the line gives."""

import csv
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from qassay.cli import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "your_log.md"
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
