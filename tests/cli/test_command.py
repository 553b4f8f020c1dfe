"""The `qassay` command itself: list, explain, exit codes, terminals, what it imports."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.files.systems import system_names

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "answers"
GOLD, SMALL = (str(SAMPLES / f"{name}.json") for name in ("gold", "small_model"))


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, env={**os.environ, **environment}, timeout=300, check=False
    )


@pytest.mark.parametrize(
    "arguments", [("--version",), ("score", "--help"), ("check", "--help"), ("leaderboard", "--help")]
)
def test_version_and_help(arguments, capsys):
    """argparse replaces a single % in a help text by its data on the argument."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    out = capsys.readouterr().out
    assert stop.value.code == 0 and "option_strings" not in out
    assert out.startswith(f"qassay {qassay.__version__}\n" if arguments == ("--version",) else "usage: qassay ")


def test_system_names():
    assert system_names(["a.json", "b.jsonl.gz", "dir/c.v2.parquet"]) == ["a", "b", "c.v2"]
    assert system_names(["x/r/p.json", "y/r/p.json", "q.json"]) == ["x/r/p", "y/r/p", "q"]
    assert system_names(["p.json", "p.json", "p.csv"]) == ["p", "p (2)", "p (3)"]
    assert len(set(system_names(["p.json", "a/p.json", "b/a/p.json"]))) == 3
    assert system_names(["p.json", "p.csv", "p (2).json"]) == ["p", "p (3)", "p (2)"]


@pytest.mark.thorough
def test_an_old_terminal_gets_plain_characters():
    done = python("-m", "qassay", "score", GOLD, SMALL, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"0.4844  0." in done.stdout and b"----" in done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX shells")
def test_a_reader_that_goes_away_is_not_an_error():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "qassay", "score", GOLD, SMALL, "--no-intervals"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=300)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupt_is_quiet(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("qassay.files.gold_and_predictions.read_gold", interrupt)
    assert main(["score", GOLD, SMALL]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_narrow_terminal_omits_nothing(run, monkeypatch):
    files = ("score", GOLD, SMALL, SMALL, SMALL, "--by", "language", "--resamples", "20")
    words = []
    for width in (400, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        words.append(Counter(run(*files).replace("-", " ").split()))  # a line may break behind a hyphen
    assert not [word for word in words[0] - words[1] if set(word) != {"─"}]
