"""Files that qassay writes: a full disk or a killed process leaves the one that was there whole."""

import subprocess
import sys
from pathlib import Path

import pytest

from qassay.cli import main
from qassay.core.writing import ENDING
from qassay.files.example_tables import write_examples

ROOT = Path(__file__).resolve().parent.parent
GOLD, *SYSTEMS = (ROOT / "samples" / "answers" / name for name in ("gold.json", "small_model.json", "large_model.json"))
QUICK = ("--resamples", "20", "--permutations", "20")


def compare(path):
    code = main([*map(str, ["compare", GOLD, *SYSTEMS, *QUICK, "--report", path])])
    assert code in (0, 2)
    if code:
        raise OSError


def examples(path):
    ids = [f"q{place}" for place in range(500)]
    write_examples(str(path), {"id": ids, "f1": [1 / (1 + place) for place in range(500)]})


# What is written -> how, given the path of the file.
WRITERS = {
    "report.html": compare,
    "examples.csv": examples,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_file_of_every_writer_whole(tmp_path, capsys, full_disk, name):
    path = tmp_path / name
    WRITERS[name](path)
    capsys.readouterr()
    before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    assert path in before and len(before[path]) > 1_000
    with full_disk(1_000), pytest.raises(OSError) as caught:
        WRITERS[name](path)
    told = capsys.readouterr().err or str(caught.value)
    assert path.name in told and "Traceback" not in told
    assert {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()} == before


def killed(program, *arguments):
    """Runs a program that says `half` when it has written and not yet moved its file, and kills it there."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    wait = "import os, sys\ndef wait(file):\n    print('half', flush=True)\n    sys.stdin.read()\nos.fsync = wait\n"
    with subprocess.Popen([sys.executable, "-c", wait + program, *map(str, arguments)], **pipes) as child:
        assert child.stdout.readline() == "half\n"
        child.kill()


@pytest.mark.thorough
@pytest.mark.parametrize("option, name", [("--report", "a.html"), ("--report", "a.csv"), ("--per-example", "a.jsonl")])
def test_a_killed_command_leaves_the_old_file_whole(tmp_path, option, name):
    path = tmp_path / name
    path.write_text("old")
    program = "from qassay.cli import main\nmain(sys.argv[1:])\n"
    killed(program, "compare", GOLD, *SYSTEMS, *QUICK, "--format", "json", option, path)
    assert path.read_text() == "old"
    assert [one.name.endswith(ENDING) for one in tmp_path.iterdir() if one != path] == [True]
