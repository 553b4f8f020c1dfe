"""Every file that qassay writes: a full disk or a killed process leaves the one that was there whole."""

import ast
import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qassay.cli import main
from qassay.core.writing import ENDING, folder_locked
from qassay.pages.build import render_space
from qassay.pages.demo import render_demo
from qassay.reports.example_tables import ExampleColumn, write_examples

ROOT = Path(__file__).resolve().parent.parent
GOLD, *SYSTEMS = (ROOT / "samples" / "answers" / name for name in ("gold.json", "small_model.json", "large_model.json"))
QUICK = ("--resamples", "20", "--permutations", "20")


def command(*arguments):
    """A call of the command line, of which an error is raised."""

    def call(path):
        code = main([*map(str, arguments), str(path)])
        assert code in (0, 2)
        if code:
            raise OSError

    return call


def compare(path):
    return command("compare", GOLD, *SYSTEMS, *QUICK, "--report")(path)


def score_to(path):
    return command("score", GOLD, *SYSTEMS, *QUICK[:2], "--format", "json", "--by", "question_word", "--output")(path)


def examples(path):
    ids = ExampleColumn("string", [f"q{place}" for place in range(500)])
    write_examples(str(path), {"id": ids, "f1": ExampleColumn("double", [1 / (1 + place) for place in range(500)])})


def evaluations(path):
    from qassay.training.ranking import Ranking

    evaluator = Ranking({"q": "?"}, {"d": "text"}, {"q": ["d"]}, name="dev", measures=["map"], level=None)
    for epoch in range(2):
        evaluator._write_csv(path.parent, {"epoch": epoch, **{f"recall@{place}": 0.5 for place in range(1, 300)}})


# What is written -> how, given the path of the file.
WRITERS = {
    "report.html": compare,
    "output.json": score_to,
    "examples.parquet": examples,
    "examples.csv": examples,
    "examples.jsonl": examples,
    "answer_match/answer_match.py": lambda path: render_space("answer_match", path.parent.parent),
    "demo/qassay/registry.py": lambda path: render_demo(path.parent.parent.parent),
    "Ranking_dev_results.csv": evaluations,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_file_of_every_writer_whole(tmp_path, capsys, full_disk, name):
    if name.startswith("Ranking"):
        pytest.importorskip("sentence_transformers", reason="the evaluator is one of sentence-transformers")
    path = tmp_path / name
    WRITERS[name](path)
    capsys.readouterr()
    before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    assert path in before and len(before[path]) > 1_000
    with full_disk(1_000), pytest.raises(OSError) as caught:
        WRITERS[name](path)
    told = capsys.readouterr().err or str(caught.value)
    assert "cannot write " in told and ": File too large; the file that was there is unchanged" in told
    assert "Errno" not in told and "Traceback" not in told
    assert {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()} == before


@pytest.mark.parametrize("option", ["--report", "--per-example"])
def test_a_killed_command_leaves_the_old_file_whole(tmp_path, option):
    """Killed after writing and before moving: the last moment of the old file."""
    path = tmp_path / "report.csv"
    path.write_text("old")
    program = (
        "import os, sys\nfrom qassay.cli import main\n"
        "def wait(file):\n    print('half', flush=True)\n    sys.stdin.read()\n"
        "os.fsync = wait\nmain(sys.argv[1:])\n"
    )
    arguments = map(str, ["compare", GOLD, *SYSTEMS, *QUICK, "--format", "json", option, path])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", program, *arguments], **pipes) as child:
        assert child.stdout.readline() == "half\n"
        child.kill()
    assert path.read_text() == "old"
    assert [one.name.endswith(ENDING) for one in tmp_path.iterdir() if one != path] == [True]


def test_a_line_of_an_evaluation_is_below_its_own_names(add_line, usual_csv_limit):
    """Other measures, a line cut by a crash, an empty file: old lines stay, and no number moves to another column."""
    path = add_line.path
    path.write_bytes(b"")
    add_line({"epoch": 1, "map": 0.5})
    assert path.read_bytes() == b"epoch,map\n1,0.5\n"
    path.write_bytes(b"epoch,map\r\n1,0.5\r\n2")
    add_line({"epoch": 3, "mrr": 0.25})
    assert path.read_bytes() == b"epoch,map,mrr\n1,0.5,\n2,,\n3,,0.25\n"
    path.write_bytes(b"x" * 200_000)
    with pytest.raises(ValueError, match="Ranking_results.csv is not a table of evaluations; move it, or give another"):
        add_line({"epoch": 3})


@pytest.fixture
def add_line(tmp_path):
    """Writes a line of an evaluation to the file, whose path it has."""
    pytest.importorskip("sentence_transformers", reason="the evaluator is one of sentence-transformers")
    from qassay.training.ranking import Ranking

    def add(line):
        Ranking({"q": "?"}, {"d": "text"}, {"q": ["d"]}, measures=["map"], level=None)._write_csv(tmp_path, line)

    add.path = tmp_path / "Ranking_results.csv"
    return add


def test_a_line_that_another_process_adds_meanwhile_stays(add_line, monkeypatch):
    """A process without a lock adds its line after this one has read the file."""
    from qassay.training import ranking

    add_line({"epoch": 1, "map": 0.5})
    inode, reader = add_line.path.stat().st_ino, ranking.csv.reader

    def read_and_wait(*arguments):
        rows = list(reader(*arguments))
        with add_line.path.open("a") as file:
            file.write("2,0.25\n")
        return rows

    monkeypatch.setattr(ranking.csv, "reader", read_and_wait)
    add_line({"map": 0.125, "epoch": 3})
    assert add_line.path.read_bytes() == b"epoch,map\n1,0.5\n2,0.25\n3,0.125\n"
    assert add_line.path.stat().st_ino == inode


def test_evaluators_that_write_at_the_same_time_lose_no_line(add_line):
    """They start from a missing file, and add columns."""
    pytest.importorskip("fcntl", reason="folders are locked by POSIX only")

    def write(name):
        for epoch in range(10):
            add_line({"epoch": f"{name}{epoch}", **({name: 0.5} if epoch > 5 else {})})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd"))
    lines = list(csv.DictReader(add_line.path.read_text().splitlines()))
    assert sorted(line["epoch"] for line in lines) == sorted(f"{name}{epoch}" for name in "abcd" for epoch in range(10))
    for line in lines:
        own = line["epoch"][0]
        assert {name for name in "abcd" if line[name]} == ({own} if line["epoch"][1:] > "5" else set())


def test_a_line_that_does_not_fit_on_the_disk_is_not_begun(add_line, full_disk):
    for epoch in range(20):
        add_line({"epoch": epoch, "map": 0.5})
    before = add_line.path.read_bytes()
    with (
        full_disk(len(before) + 3),
        pytest.raises(OSError, match="File too large; the file that was there is unchanged"),
    ):
        add_line({"epoch": 20, "map": 0.5})
    assert add_line.path.read_bytes() == before
    add_line({"epoch": 20, "map": 0.5})
    assert add_line.path.read_bytes() == before + b"20,0.5\n"


@pytest.mark.parametrize("old", [b"epoch,map\n1,0.5\n2\n", b"epoch,map\n1,0.5\n2,", b"epoch,map\n1,0.5\n2,\n"])
def test_a_line_that_was_cut_is_fixed_before_the_next(add_line, old):
    add_line.path.write_bytes(old)
    add_line({"epoch": 3, "map": 0.25})
    assert add_line.path.read_bytes() == b"epoch,map\n1,0.5\n2,\n3,0.25\n"


def test_a_process_that_is_killed_while_it_adds_a_line_leaves_a_table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"epoch,map\n1,0.5\n")
    program = (
        "import os, sys\nfrom qassay.core.writing import append_whole, folder_locked\n"
        "def wait(file):\n    print('half', flush=True)\n    sys.stdin.read()\n"
        "os.fsync = wait\nwith folder_locked(os.path.dirname(sys.argv[1])): append_whole(sys.argv[1], b'2,0.5\\n')\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", program, path], **pipes) as child:
        assert child.stdout.readline() == "half\n"
        child.kill()
    with folder_locked(tmp_path):  # the lock went with the process
        assert path.read_bytes() == b"epoch,map\n1,0.5\n2,0.5\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_download_that_does_not_fit_leaves_nothing(tmp_path, monkeypatch, full_disk):
    gradio = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    from qassay.pages.upload_folder import save_file

    with full_disk(1_000), pytest.raises(gradio.Error, match="cannot write qassay_report.md: File too large; try"):
        save_file("qassay_report.md", b"x" * 2_000)
    assert list(tmp_path.iterdir()) == []


# Temporary files that nobody keeps: pasted texts and texts of programs, in folders that go with the request.
_TEMPORARY = {"spaces_app/pasted.py", "spaces_app/api_arguments.py", "metrics/pages/upload_folder.py"}


def opens_for_writing(call):
    """Whether a call of open has a mode that writes, and not to nowhere."""
    given = [*call.args, *(word.value for word in call.keywords)]
    modes = [part.value for part in given if isinstance(part, ast.Constant)]
    writing = (isinstance(mode, str) and mode[:1] in "wax" and mode[1:] in ("", "b", "t") for mode in modes if mode)
    return any(writing) and not any(ast.unparse(argument) == "os.devnull" for argument in call.args)


def writes(tree):
    """The calls of a module that write to a file by themselves."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if (name == "open" and opens_for_writing(node)) or name in (
                "write_text",
                "write_bytes",
                "to_csv",
                "to_json",
                "to_parquet",
                "savez",
                "NamedTemporaryFile",
            ):
                yield f"{node.lineno}: {name}"


def test_nothing_else_writes_files():
    found = {}
    for folder in ("metrics", "spaces_app"):
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if (
                path.name != "tests.py"
                and name not in _TEMPORARY
                and (lines := list(writes(ast.parse(path.read_bytes()))))
            ):
                found[name] = lines
    assert found == {}
    assert list(writes(ast.parse("open(path, 'w', encoding='utf-8')\npath.write_text('')"))) == [
        "1: open",
        "2: write_text",
    ]
