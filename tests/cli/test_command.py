"""The `qassay` command itself: help, exit codes, terminals and other streams, files that cannot be written, unexpected errors."""

import json
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
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")


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


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@full
def test_a_full_device():
    done = subprocess.run(["sh", "-c", f'"{sys.executable}" -m qassay list >/dev/full'], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.endswith("no space left on device\n")
    assert done.stderr.count("\n") == 1


HOSTILE = (
    "x\x1b[2J\u202e\r\nqassay: error: all is lost\t\x9b1A"  # clears the screen, turns the text round, writes a line
)


@pytest.mark.parametrize("in_terminal", [False, True])  # a log is read in a terminal later
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["score", HOSTILE, SMALL], 2),
        (["score", GOLD, SMALL, HOSTILE], 2),  # not an option
        (["score", GOLD, SMALL, f"--{HOSTILE}"], 2),
        (["score", GOLD, SMALL, "--seed", HOSTILE], 2),
        (["score", GOLD, SMALL, "--report", f"{HOSTILE}.txt"], 2),
        (["score", GOLD, SMALL, "--report", f"{HOSTILE}.html"], 0),  # "wrote ..."
        (["compare", GOLD, f"{HOSTILE}.json", SMALL], 2),
        ([HOSTILE], 2),
    ],
)
def test_names_cannot_control_a_terminal(arguments, code, in_terminal, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stderr.isatty", lambda: in_terminal)
    try:
        assert main(arguments) == code
    except SystemExit as error:
        assert error.code == code
    told = capsys.readouterr().err
    assert all(line.startswith("qassay: ") and line.isprintable() for line in told.split("\n")[:-1])
    assert r"x\x1b[2J\u202e" in told and told.count("\nqassay: error") == 0


def test_names_in_errors_of_python_are_escaped_too():
    with pytest.raises(ValueError) as error:
        qassay.score_files(HOSTILE)
    assert str(error.value).startswith(r"x\x1b[2J\u202e\r\nqassay: error: all is lost\t\x9b1A: no such file")


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--output", "--per-example", "--report"])
def test_files_that_cannot_be_written_are_refused_before_the_work(option, tmp_path, fail):
    (tmp_path / "folder.csv").mkdir()
    for path, words in (
        ("", "has an empty name: give the name of a file"),
        (f"{tmp_path}/folder.csv", f"{tmp_path}/folder.csv: give the name of a file"),
        (f"{tmp_path}/new/", f"{tmp_path}/new/: give the name of a file"),
        (f"{tmp_path}/no/x.csv", "it cannot be written (no such file or directory); choose another path"),
        ("/proc/x.html", "/proc/x.html: it cannot be written"),
    ):
        assert (
            f"{option} " in (told := fail("compare", "absent.json", "a.json", "b.json", option, path)) and words in told
        )


def test_no_file_is_both_read_and_written(put, fail, tmp_path):
    gold, path = put("gold.csv", "prediction,gold\nx,x\n"), tmp_path / "x.csv"
    for option, name in (("--output", gold), ("--per-example", f"{tmp_path}/./gold.csv")):
        assert "this file is read by the command; give another name" in fail("score", gold, option, name)
    assert gold.read_text("utf-8") == "prediction,gold\nx,x\n"
    told = fail("score", gold, "--per-example", path, "--output", path)
    assert "--per-example and --output are the same file" in told


# --- unexpected errors ------------------------------------------------------------------------------------------------


@pytest.fixture
def broken(monkeypatch, capsys):
    """The exit status and the message of the command where a function of qassay raises an error."""

    def call(error):
        def fault(*_, **__):
            if callable(error):
                error()
            raise error

        fault.__globals__["__name__"] = __name__
        monkeypatch.setattr("qassay.cli.about.one_line", int if error is int else fault)
        code = main(["list"])
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("qassay: error: ") and err.count("\n") == 1 and "Traceback" not in err
        return code, err

    return call


@pytest.mark.parametrize(
    "error",
    [OverflowError("int too large"), AssertionError(), lambda: json.loads("{"), lambda: sum(["a"]), int],
    ids=["overflow", "assertion", "ValueError of other code", "TypeError of other code", "error of C code"],
)
def test_a_defect_is_one_line_to_report(error, broken):
    code, err = broken(error)
    assert code == 70 and "this is a defect of qassay" in err
    assert error is int or "(qassay.cli.about, line " in err


@pytest.mark.parametrize(
    "error, words",
    [
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "--option batch_size=8"),
        (MemoryError(), "not enough memory"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
        (OSError(28, "No space left on device", "x.txt"), "x.txt: no space left on device"),
    ],
)
def test_errors_of_the_machine_in_words(error, words, broken):
    code, err = broken(error)
    assert code == 2 and words in err
