"""The README's commands do what it prints."""

import re
import shlex
from pathlib import Path

import karat
from karat.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def commands(block):
    return [shlex.split(line) for line in block.splitlines() if line.startswith("karat ")]


def test_the_first_command_prints_the_table(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)
    (_, installing), (_, printed) = BLOCKS[0], BLOCKS[1]
    assert installing.startswith("pip install -r requirements.txt && karat score ")
    assert main(shlex.split(installing.partition("&& karat ")[2])) == 0
    assert capsys.readouterr().out.rstrip() == printed.rstrip()


def test_the_other_commands_run(monkeypatch, capsys, tmp_path):
    block = next(text for language, text in BLOCKS if language == "bash" and text.startswith("cd samples/answers\n"))
    for sample in (ROOT / "samples" / "answers").glob("*.json"):
        (tmp_path / sample.name).write_bytes(sample.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert len(commands(block)) >= 6
    for _, *arguments in commands(block):
        assert main(arguments) == 0, arguments
        assert capsys.readouterr().out


def test_the_python_lines_give_what_they_say():
    block = next(text for language, text in BLOCKS if language == "python" and "karat.score" in text)
    names: dict = {}
    exec(block, names)  # noqa: S102 - our own README
    scores = names["scores"]
    assert scores.interval() == scores.interval(level=0.95)
    assert scores.summary(["exact_match", "total"]) == {"exact_match": 2 / 3, "total": 3}
    assert scores.per_example()["f1"].tolist() == [2 / 3, 1.0, 1.0]
    assert f"'{scores.signature()}'" in block
    assert list(scores.by(["fr", "it", "it"])) == ["fr", "it"]


def test_ci_runs_the_two_commands():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for language, text in BLOCKS[:3]:
        if language == "bash":
            assert text.strip().replace("pip install", "pip install --quiet") in script
    assert karat.__version__ in README
