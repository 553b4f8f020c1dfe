"""The code of docs/how_it_is_built.md that changes the package: written into a copy of it, it does what the page says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w+) title=\"([^\"\n]+)\"\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
BLOCKS = _BLOCK.findall((ROOT / "docs" / "how_it_is_built.md").read_text("utf-8"))
_COMMAND = "import sys; from qassay.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the package and the samples with the files and the changes of the page."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "src" / "qassay", folder / "qassay", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "samples", folder / "samples")
    for language, title, text, _ in BLOCKS:
        path = folder / re.sub("^src/", "", title)
        if language == "diff":
            path.write_text(changed(path.read_text("utf-8"), text), "utf-8")
        elif language != "bash":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    (folder / "replies.json").write_text('{"f1": "in Skarrow", "f2": "Ida"}', "utf-8")  # as the page says
    return folder


def changed(text, diff):
    """A text with the changes of a diff, whose parts have lines of context and added ones."""
    for part in diff.split("@@\n"):
        lines = part.splitlines(keepends=True)
        assert {line[0] for line in lines} == {" ", "+"}, part
        before = "".join(line[1:] for line in lines if line[0] == " ")
        assert text.count(before) == 1, before
        text = text.replace(before, "".join(line[1:] for line in lines))
    return text


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"}
    environment.pop("COLUMNS", None)
    command = [sys.executable, "-c", _COMMAND, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=300)


@pytest.mark.parametrize("block", [block for block in BLOCKS if block[0] == "bash"], ids=["format", "metric"])
def test_what_the_page_adds_works_at_once(clone, block):
    _, title, commands, printed = block
    assert title == "in the clone" and printed
    found = ""
    for line in commands.splitlines():
        command, *arguments = shlex.split(line)
        ran = run(clone, *arguments)
        assert command == "qassay" and not ran.returncode, ran.stderr
        found += ran.stdout
    assert found.rstrip() == printed.rstrip()


def test_the_format_names_the_question_of_an_error(clone):
    (clone / "broken.json").write_text('{"faq": [{"key": "f1", "accept": ["a"]}, {"key": "f2"}]}')
    ran = run(clone, "score", "broken.json", "replies.json")
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("qassay: error: broken.json: ") and "faq[1] lacks 'accept'" in ran.stderr
