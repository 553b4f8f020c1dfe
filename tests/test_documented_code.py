"""The code in the README, the cards and docs/: blocks run as they stand, from the top of the page, and give what they say."""

import ast
import doctest
import io
import re
import shlex
import shutil
import tokenize
from pathlib import Path

import pytest

from qassay.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "metrics").glob("*/*.md"))]
]
# Blocks that cannot run here, by page and first line, and who runs the like.
ELSEWHERE = {
    ("README.md", "from qassay.training import ExtractiveQA"): "trains a model of the reader: tests/training",
    ("README.md", "from qassay.training import Classification, ExtractiveQA, GenerativeQA, MultiLabel, Ranking"): (
        "trains models of the reader: tests/training"
    ),
    ("README.md", "scores = qassay.evaluate_pipeline(pipeline, dataset)  # pipeline(question=..., context=...) for each row"): (
        "asks a model of the reader: tests/training/test_evaluation.py"
    ),
    ("README.md", 'scores = qassay.cluster.score("answers/", columns={"predictions": "answer", "references": "golds", "ids": "id"})'): (
        "needs a cluster: tests/cluster"
    ),
    ("metrics/answer_equivalence/README.md", 'qassay.score("answer_equivalence", answers, golds, questions=questions, model="kortukov/answer-equivalence-bem")'): (
        "loads models from the hub: tests/answer_equivalence/test_scorers.py"
    ),
    ("docs/evaluate.md", 'metric = qassay.load("answer_match")'): "needs accelerate and two processes: tests/distributed",
    ("docs/evaluate.md", "metric = qassay.load("): "needs several processes: tests/distributed",
    ("docs/judges.md", "import json"): "asks a server: tests/answer_equivalence/test_judges_page.py",
    ("docs/judges.md", 'labelled = "samples/answers/labelled_answers.csv"'): "goes on with the judge: the same test",
    ("docs/rewards.md", "import verifiers.v1 as vf"): "needs verifiers: tests/rewards calls a reward alike",
    ("docs/space.md", "from gradio_client import Client, handle_file"): "asks a page that runs: tests/spaces_app/test_api.py",
}  # fmt: skip
TAKEN = set()


def blocks(page, language):
    """The blocks of a page in a language, without those that others run."""
    text = (ROOT / page).read_text("utf-8")
    found = []
    for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        lines = [line for line in block.splitlines() if not line.startswith("import qassay") and line.strip()]
        if lines and (page, lines[0]) in ELSEWHERE:
            TAKEN.add((page, lines[0]))
        else:
            found.append(block)
    return found


def said_after(block):
    """Line -> what a comment at its end says that the line gives: a literal, maybe with ..., and maybe words after a colon."""
    comments = {}
    for token in tokenize.generate_tokens(io.StringIO(block).readline):
        if token.type == tokenize.COMMENT and re.match(r"# *([\[({'\"\d]|array\()", token.string):
            comments[token.start[0]] = token.string.lstrip("# ")
    return comments


def run(block, names, name):
    """Run a block; compare what its expressions give with the comments behind them."""
    said, checked = said_after(block), 0
    alike = doctest.OutputChecker().check_output
    for statement in ast.parse(block).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), name, "exec"), names)  # noqa: S102 - our own pages
            continue
        value = eval(compile(ast.Expression(statement.value), name, "eval"), names)  # noqa: S307
        words = said.get(statement.end_lineno, "")
        if words and not re.match(r"\{[^}]*\b[A-Z]\w+\}", words):  # not {'fr': Scores}
            wanted = re.match(r"(?s)(.*(?:[\])}'\"\d]|\.{3}))(:? .*)?$", words)[1]
            assert any(
                alike(f"{part}\n", f"{value!r}\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
                for part in (wanted, words, words.split(": ")[0], words.split("; ")[0])
            ), (name, words, value)
            checked += 1
    return checked


@pytest.fixture
def in_samples(tmp_path, monkeypatch):
    """A copy of the clone's samples and metrics to work in, as the pages say they do."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    (tmp_path / "metrics").symlink_to(ROOT / "metrics")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_of_a_page_runs_and_gives_what_it_says(page, in_samples):
    names = {}
    for place, block in enumerate(blocks(page, "python")):
        if ">>>" not in block:  # tests/contract/test_module.py runs the sessions of the cards
            run(block, names, f"{page}, block {place}")


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if (
            "/README.md" in page
            or page
            in (
                "docs/agreement.md",
                "docs/exports.md",
                "docs/human_labels.md",
                "docs/leaderboard.md",
                "docs/leaderboard_space.md",
            )
        )
        and blocks(page, "bash")
    ],
)
def test_commands_of_a_page_run(page, in_samples, monkeypatch, capsys):
    for block in blocks(page, "bash"):
        for line in block.splitlines():
            command, *arguments = shlex.split(line)
            if command == "cd":
                monkeypatch.chdir(in_samples / arguments[0])
            elif command == "qassay":
                assert main(arguments) == 0, line
                assert capsys.readouterr().out or "--output" in arguments


def test_nothing_is_run_elsewhere_that_is_not_there():
    for page in PAGES:
        blocks(page, "python")
    assert set(ELSEWHERE) == TAKEN


def test_what_a_comment_says_is_compared():
    assert run("[1, 2]  # [1, 2]\n{'a': 0.25}  # {'a': 0.2...}: words\n3 + 4  # the sum\n", {}, "x") == 2
    with pytest.raises(AssertionError):
        run("(1, 2)  # (1, 3)\n", {}, "x")
