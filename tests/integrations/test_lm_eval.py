"""The adapter of lm_eval, by its own command and its own log."""

import json
import shlex
from pathlib import Path

import pytest

import qassay

from .harness import blocks, need

need("lm_eval")


@pytest.fixture
def task():
    """The files of the page's task, in the working folder: a function that changes the text of the task file."""
    files = {"capitals.jsonl": "json", "capitals.yaml": "yaml", "capitals.py": "python"}
    for name, language in files.items():
        (block,) = blocks("lm_eval", language)
        Path(name).write_text(block, "utf-8")

    def change(old, new):
        text = Path("capitals.yaml").read_text("utf-8")
        assert old in text
        Path("capitals.yaml").write_text(text.replace(old, new), "utf-8")

    return change


def run_lm_eval(monkeypatch, line):
    """Run a command of lm_eval in this process; gives its results and the samples of its log."""
    from lm_eval.__main__ import cli_evaluate

    monkeypatch.setattr("sys.argv", shlex.split(line))
    cli_evaluate()
    (results,), (samples,) = Path("results").rglob("results_*.json"), Path("results").rglob("samples_*.jsonl")
    lines = samples.read_text("utf-8").splitlines()
    return json.loads(results.read_text("utf-8"))["results"]["capitals"], [json.loads(line) for line in lines]


def test_page(task, monkeypatch):
    (command,) = blocks("lm_eval", "bash")
    found, samples = run_lm_eval(monkeypatch, command)
    scores = qassay.score("answer_match", ["lol"] * 3, [sample["doc"]["answers"] for sample in samples])
    wanted = scores.result(confidence=0.95)
    for name in ("exact_match", "f1", "f1_low", "f1_high"):
        assert found[f"{name},none"] == pytest.approx(wanted[name], abs=1e-15), name
    assert [sample["f1"] for sample in samples] == scores.columns["f1"].tolist() == [0.0, 1.0, 0.0]


def evaluate(answers):
    """What `lm_eval.simple_evaluate` gives for the task with a model that gives these answers."""
    import lm_eval
    from lm_eval.api.model import LM

    class Told(LM):
        def generate_until(self, requests, disable_tqdm=False):
            return [answers[request.doc["question"].split()[-1]] for request in requests]

        loglikelihood = loglikelihood_rolling = None

    manager = lm_eval.tasks.TaskManager(include_path=".", include_defaults=False)
    found = lm_eval.simple_evaluate(Told(), tasks=["capitals"], task_manager=manager, bootstrap_iters=100)
    return found["results"]["capitals"]


ANSWERS = {"France?": "the city of Paris", "loud?": "lol", "Italy?": "Rome or Milan"}


def test_results_with_options_and_a_field_of_another_name(task):
    Path("capitals.py").write_text(
        "from qassay.integrations.lm_eval import results_of\n"
        "process_results = results_of('answer_match', gold='golds', measures=['contains', 'f1'], normalizer='none')\n"
    )
    text = Path("capitals.jsonl").read_text("utf-8")
    Path("capitals.jsonl").write_text(text.replace("answers", "golds"), "utf-8")
    task("doc_to_target: answers", "doc_to_target: golds")
    golds = [json.loads(line)["golds"] for line in text.replace("answers", "golds").splitlines()]
    wanted = qassay.score("answer_match", [*ANSWERS.values()], golds, normalizer="none").summary()
    found = evaluate(ANSWERS)
    assert {name: found[f"{name},none"] for name in ("contains", "f1")} == pytest.approx(
        {name: wanted[name] for name in ("contains", "f1")}
    )
    assert wanted["f1"] not in (0, 1) and "exact_match,none" not in found
