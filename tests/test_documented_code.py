"""The code in the README, the cards and docs/: blocks run as written, from the top of the page, and print what they
show.
"""

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
    if path.name not in ("integrations.md", "your_log.md")  # whose blocks need harnesses: tests/integrations runs them
]
# Blocks that cannot run here, by page and first line, and the tests that run them or the like.
ELSEWHERE = {
    ("docs/training.md", "from qassay.training import ExtractiveQA"): "tests/training",
    ("docs/training.md", "from qassay.training import Classification, MultiLabel, Ranking"): "tests/training",
    ("docs/training.md", "from qassay.training import DataSets"): "tests/training",
    ("docs/training.md", "from qassay.training import GenerativeQA"): "tests/training",
    ("docs/training.md", "from qassay.training import score_generations"): "tests/training",
    ("docs/training.md", 'arguments = Seq2SeqTrainingArguments("out", predict_with_generate=True, include_for_metrics=["inputs"])'): "tests/training",
    ("docs/training.md", 'score_generations(trainer, dev_rows, metric="answer_equivalence", questions="question", measures=["equivalence"])'): "tests/training",
    ("docs/training.md", "scores = qassay.evaluate_pipeline(pipeline, dataset)  # pipeline(question=..., context=...) for each row"): "tests/training",
    ("docs/python.md", 'columns = {"predictions": "answer", "references": "golds", "ids": "id"}'): "tests/cluster",
    ("docs/people_and_judges.md", "python -m benchmarks evouna evouna_nq.json"): "tests/benchmarks",
    ("docs/page.md", 'pip install -e ".[app]"'): "tests/cli",
    ("metrics/answer_equivalence/README.md", 'bem = {"model": "kortukov/answer-equivalence-bem", "accept_label": "LABEL_1"}'): "tests/answer_equivalence",
    ("docs/people_and_judges.md", "import json"): "tests/answer_equivalence",
    ("docs/people_and_judges.md", 'labelled = "samples/answers/labelled_answers.csv"'): "tests/answer_equivalence",
    ("docs/rewards.md", "import verifiers.v1 as vf"): "tests/rewards",
    ("docs/page.md", "from gradio_client import Client, handle_file"): "tests/space",
    ("docs/page.md", "url=http://127.0.0.1:7860/gradio_api"): "tests/space",
}  # fmt: skip
TAKEN = set()


def blocks(page, *languages):
    """The blocks of a page in some languages, in its order: language, block, the text that the page prints below it.

    It omits the blocks in ELSEWHERE and titled blocks, which tests in tests/docs run.
    """
    fenced = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    found = []
    for (of, block), (below, printed) in zip(fenced, [*fenced[1:], ("", "")], strict=True):
        lines = [line for line in block.splitlines() if not line.startswith("import qassay") and line.strip()]
        if of in languages and lines and (page, lines[0]) in ELSEWHERE:
            TAKEN.add((page, lines[0]))
        elif of in languages:
            found.append((of, block, printed if below == "text" else ""))
    return found


def commands(block):
    """The lines `cd FOLDER` and `qassay ...` of a block, in words; of `a && b` each."""
    parts = [part for line in block.splitlines() for part in line.split(" && ")]
    return [shlex.split(part, comments=True) for part in parts if part.startswith(("cd ", "qassay "))]


def said_after(block):
    """Line -> what a comment at its end says that the line gives: a literal, maybe with ..., and maybe words after a colon."""
    comments = {}
    for token in tokenize.generate_tokens(io.StringIO(block).readline):
        if token.type == tokenize.COMMENT and re.match(r"# *([\[({'\"\d]|(array|Interval)\()", token.string):
            comments[token.start[0]] = token.string.lstrip("# ")
    return comments


def run(block, names, name):
    """Run a block; compare what its expressions give with the comments behind them. Returns how many were compared."""
    checked, said = 0, said_after(block)
    alike = doctest.OutputChecker().check_output
    for statement in ast.parse(block).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), name, "exec"), names)  # noqa: S102 - our own pages
            continue
        value = eval(compile(ast.Expression(statement.value), name, "eval"), names)  # noqa: S307
        words = said.get(statement.end_lineno, "")
        if words and not re.match(r"\{[^}]*\b[A-Z]\w+\}", words):  # not {'fr': Scores}
            checked += 1
            wanted = re.match(r"(?s)(.*(?:[\])}'\"\d]|\.{3}))(:? .*)?$", words)[1]
            assert any(
                alike(f"{part}\n", f"{value!r}\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
                for part in (wanted, words, words.split(": ")[0], words.split("; ")[0])
            ), (name, words, value)
    return checked


@pytest.fixture
def in_samples(tmp_path, monkeypatch):
    """A copy of the clone's samples and metrics to work in, as the pages say they do."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    (tmp_path / "metrics").symlink_to(ROOT / "metrics")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.thorough if page.startswith("docs/") else ())
        for page in PAGES
        if blocks(page, "python", "bash")
    ],
)
def test_blocks_of_a_page_run_one_after_the_other_and_give_what_it_says(page, in_samples, monkeypatch, capsys):
    """As a reader types them: Python and commands in their order, from the clone; `cd` counts for all that follows."""
    names = {}
    for place, (language, block, printed) in enumerate(blocks(page, "python", "bash")):
        if page.startswith("metrics/"):  # a card is looked up, not followed: each of its blocks begins in the clone
            monkeypatch.chdir(in_samples)
        if language == "bash":
            run_commands(block, printed, monkeypatch, capsys)
        elif ">>>" not in block:  # tests/contract/test_module.py runs the sessions of the cards
            monkeypatch.setenv("COLUMNS", "100")
            run(block, names, f"{page}, block {place}")
            capsys.readouterr()


def run_commands(block, printed, monkeypatch, capsys):
    """Run the commands of a block; compare what they print with the text below it."""
    monkeypatch.delenv("COLUMNS", raising=False)
    out = ""
    for command, *arguments in commands(block):
        if command == "cd":
            monkeypatch.chdir(arguments[0])
        else:
            assert main(arguments) == 0, arguments
            one = capsys.readouterr().out
            assert one or {"--output", "--next"} & {*arguments}, arguments
            out += one
    wanted = f"{printed.rstrip()}\n"
    assert not printed or doctest.OutputChecker().check_output(wanted, f"{out.rstrip()}\n", doctest.ELLIPSIS), block


def test_blocks_listed_as_run_elsewhere_exist():
    for page in PAGES:
        blocks(page, "python", "bash")
    assert set(ELSEWHERE) == TAKEN and all((ROOT / folder).is_dir() for folder in ELSEWHERE.values())
