"""The recipes of docs/how_it_is_built.md, written into a copy of the package, work at once."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w+) title=\"([^\"\n]+)\"\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = _BLOCK.findall((ROOT / "docs" / "how_it_is_built.md").read_text("utf-8"))
_COMMAND = "import sys; from qassay.cli import main; sys.exit(main(sys.argv[1:]))"
SAMPLES = ROOT / "samples" / "answers"
FAQ = [
    {"key": "f1", "ask": "Where is the ferry office?", "accept": ["Skarrow"]},
    {"key": "f2", "ask": "Who sank the ferry?", "accept": []},
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the package with the files and the changes of the page."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "src" / "qassay", folder / "qassay", ignore=shutil.ignore_patterns("__pycache__"))
    for language, title, text in BLOCKS:
        path = folder / re.sub("^src/", "", title)
        if language == "diff":
            path.write_text(changed(path.read_text("utf-8"), text), "utf-8")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    (folder / "faq.json").write_text(json.dumps({"faq": FAQ}), "utf-8")
    (folder / "broken.json").write_text(json.dumps({"faq": [*FAQ, {"key": "f3"}]}), "utf-8")
    (folder / "replies.json").write_text('{"f1": "in Skarrow", "f2": ""}', "utf-8")
    return folder


def changed(text, diff):
    """A text with the changes of a diff of lines of context and added lines."""
    lines = diff.splitlines(keepends=True)
    assert {line[0] for line in lines} == {" ", "+"}, diff
    before = "".join(line[1:] for line in lines if line[0] == " ")
    assert text.count(before) == 1, before
    return text.replace(before, "".join(line[1:] for line in lines))


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", _COMMAND, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=300)


def printed_values(ran):
    assert ran.returncode == 0, ran.stderr
    return {row["measure"]: round(float(row["value"]), 4) for row in csv.DictReader(ran.stdout.splitlines())}


def test_the_format_is_read(clone):
    scored = run(clone, "score", "faq.json", "replies.json", "--by", "question_word", "--format", "csv")
    assert scored.returncode == 0 and ",where," in scored.stdout
    found = printed_values(run(clone, "score", "faq.json", "replies.json", "-m", "f1", "--format", "csv"))
    assert found == {"f1": 0.8333}


def test_the_format_names_the_question_of_an_error(clone):
    ran = run(clone, "score", "broken.json", "replies.json")
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("qassay: error: broken.json: ") and "faq[2] lacks 'accept'" in ran.stderr


def test_the_metric_scores_compares_and_explains(clone):
    files = [SAMPLES / f"{name}.json" for name in ("gold", "small_model", "large_model")]
    metric = ["--metric", "letter_overlap"]
    found = printed_values(run(clone, "score", *files[:2], *metric, "--measures", "letters", "--format", "csv"))
    assert found == {"letters": 0.635}
    compared = run(clone, "compare", *files, *metric, "--report", "report.html")
    assert compared.returncode == 0 and "better" in compared.stdout and "letter_overlap|v:" in compared.stdout
    assert "letters shared with the nearest gold" in run(clone, "explain", "letters").stdout
