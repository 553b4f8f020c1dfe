"""Logs that lm_eval and Inspect wrote in the test, read as files."""

import json
import shlex
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.files import FileError

from .harness import ROOT, blocks, need, run_inspect, run_section

need("lm_eval", "inspect_ai", "haystack")

QUESTIONS = {
    "What is the capital of France?": ["Paris", "the city of Paris"],
    "Which river flows through Cairo?": ["Nile"],
    "What is the highest mountain?": ["Mount Everest", "Everest"],
    "What is the largest ocean?": ["Pacific"],
}
SMALL = ["paris", "the Nile", "K2, I think", "Pacific."]
LARGE = ["Paris", "Nile", "Mount Everest", "the Atlantic"]
TASK = """
task: capitals
dataset_path: json
dataset_kwargs: {data_files: {test: questions.jsonl}}
test_split: test
doc_to_text: "{{question}}"
"""
GENERATED = """
output_type: generate_until
generation_kwargs: {until: ["\\n"]}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""


@pytest.fixture
def lm_eval(monkeypatch):
    """A function of a task file and answers: runs the task, writes its log and gives the log and the results."""
    monkeypatch.setenv("HF_DATASETS_CACHE", "cache")
    rows = [
        {"question": question, "answers": golds, "topic": "land" if "ocean" not in question else "sea", "right": 0}
        for question, golds in QUESTIONS.items()
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def run(task, answers, model="small"):
        import lm_eval
        from lm_eval.api.model import LM
        from lm_eval.loggers import EvaluationTracker
        from lm_eval.tasks import TaskManager

        class Told(LM):
            def generate_until(self, requests, disable_tqdm=False):
                order = list(QUESTIONS)
                asked = dict.fromkeys(order, 0)
                said = []
                for request in requests:
                    question = request.doc["question"]
                    given = answers[order.index(question)]
                    said.append(given if isinstance(given, str) else given[asked[question]])
                    asked[question] += 1
                return said

            def loglikelihood(self, requests, disable_tqdm=False):
                return [(-1.0 - number, False) for number, _ in enumerate(requests)]

            loglikelihood_rolling = None

        Path("capitals.yaml").write_text(TASK + task, "utf-8")
        manager = TaskManager(include_path=".", include_defaults=False)
        found = lm_eval.simple_evaluate(Told(), tasks=["capitals"], task_manager=manager, log_samples=True)
        tracker = EvaluationTracker(output_path=f"out/{model}/x.json")
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        tracker.save_results_samples("capitals", samples["capitals"])
        (log,) = Path("out", model).glob("samples_*.jsonl")
        return log, found["results"]["capitals"]

    return run


def inspect_log(answers, epochs=1, form="eval", samples=None, **settings):
    """The log of an Inspect task with these answers, and its path."""
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import exact, f1

    samples = samples or [
        Sample(question, target=golds, id=f"q{number}", metadata={"number": number})
        for number, (question, golds) in enumerate(QUESTIONS.items())
    ]
    log = run_inspect(samples, answers, form, epochs=epochs, **{"scorer": [f1(), exact()], **settings})
    return log, log.location.removeprefix("file://")


def means(path, names=("exact_match",), **given):
    (scores,) = qassay.score_files(path, **given).values()
    return scores.summary(names)


@pytest.mark.parametrize(
    "flags, normalizer, wanted",
    [("", "none", 0.0), (", ignore_case: true, ignore_punctuation: true", "lower+ascii_punctuation", 0.5)],
)
def test_exact_match_of_lm_eval(lm_eval, flags, normalizer, wanted):
    task = GENERATED.replace("better: true", f"better: true{flags}") + 'doc_to_target: "{{answers[0]}}"\n'
    log, results = lm_eval(task, SMALL)
    assert results["exact_match,none"] == means(log, normalizer=normalizer)["exact_match"] == wanted
    (scores,) = qassay.score_files(log, normalizer=normalizer).values()
    written = [json.loads(line)["exact_match"] for line in log.read_text("utf-8").splitlines()]
    assert scores.columns["exact_match"].tolist() == written


def test_several_targets_filters_and_repeats_of_lm_eval(lm_eval):
    filters = """
filter_list:
  - {name: first, filter: [{function: take_first}]}
  - {name: words, filter: [{function: regex, regex_pattern: "([A-Z]\\\\w+)"}, {function: take_first}]}
"""
    log, results = lm_eval(f"{GENERATED}{filters}doc_to_target: answers\n", SMALL)
    for name in ("first", "words"):
        found = means(log, columns={"predictions": f"prediction_{name}"}, normalizer="none")
        assert found["exact_match"] == results[f"exact_match,{name}"], name
    assert results["exact_match,words"] == 0.5
    log.unlink()
    repeats = "repeats: 2\nfilter_list: [{name: all, filter: [{function: take_first_k, k: 2}]}]\n"
    task = GENERATED.replace("metric: exact_match", "metric: !function own.zero") + repeats
    Path("own.py").write_text("def zero(references, predictions, **other):\n    return 0.0\n")
    log, _ = lm_eval(f"{task}doc_to_target: answers\n", list(zip(SMALL, LARGE, strict=True)))
    with pytest.raises(FileError, match='"run_id": "NAME"'):
        qassay.score_files(log)
    (runs,) = qassay.score_files(log, columns={"run_id": "repeat"}).values()
    assert [run.summary(["exact_match"])["exact_match"] for run in runs.each_run().values()] == [0.75, 0.75]


def test_numbers_of_lm_eval_are_measures(lm_eval):
    filters = """
filter_list:
  - {name: first, filter: [{function: take_first}]}
  - {name: words, filter: [{function: regex, regex_pattern: "([A-Z]\\\\w+)"}, {function: take_first}]}
"""
    log, results = lm_eval(f'{GENERATED}{filters}doc_to_target: "{{{{answers[0]}}}}"\n', SMALL)
    with pytest.raises(FileError, match='name their column: columns={"system": "NAME"}'):
        qassay.score_files(log, metric="own_scores")
    found = qassay.score_files(log, columns={"system": "filter", "questions": "doc.question"}, groups="doc.topic")
    for name in ("first", "words"):
        assert found[name]["exact_match"] == results[f"exact_match,{name}"]
        assert found[name].groups.labels == ("land", "sea")
    chosen = GENERATED.replace("generate_until", "multiple_choice").replace("exact_match", "acc")
    chosen = "\n".join(line for line in chosen.splitlines() if "until" not in line)
    log, results = lm_eval(f"{chosen}\ndoc_to_choice: [Paris, Nile, Rome]\ndoc_to_target: right\n", SMALL, "other")
    (scores,) = qassay.score_files(log, metric="own_scores").values()
    assert scores["acc"] == results["acc,none"]


@pytest.mark.parametrize("form", ["eval", "json"])
def test_scorers_of_inspect(form):
    log, path = inspect_log([*SMALL, *LARGE], epochs=2, form=form)
    (runs,) = qassay.score_files(path, columns={"run_id": "epoch"}).values()
    values = {f"{sample.id} {sample.epoch}": sample.scores for sample in log.samples}
    for epoch, run in runs.each_run().items():
        for place, identifier in enumerate(run.ids):
            theirs = values[f"{identifier} {epoch}"]
            assert (theirs["exact"].value == "C") == (run.columns["exact_match"][place] == 1), (identifier, epoch)
            assert theirs["f1"].value == round(run.columns["f1"][place], 2), (identifier, epoch)
    theirs = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert theirs["exact"] == runs.summary(["exact_match"])["exact_match"] == 0.75
    assert theirs["f1"] == pytest.approx(runs.summary(["f1"])["f1"], abs=0.01)


def test_inspect_that_stopped_early_or_left_samples_out():
    from inspect_ai.solver import generate, solver

    @solver
    def broken(limit):
        async def solve(state, generate_):
            if state.metadata["number"] >= limit:
                raise RuntimeError("out of memory")
            return state

        return solve

    _, path = inspect_log(SMALL, solver=[generate(), broken(2)])
    with pytest.raises(FileError, match="error, .*out of memory"):
        qassay.score_files(path)
    log, path = inspect_log(SMALL, solver=[generate(), broken(3)], fail_on_error=False)
    assert log.status == "success"
    assert means(path, ["exact_match", "missing"]) == {"exact_match": 0.5, "missing": 1}


def test_page(lm_eval, capsys):
    for model, answers in (("small", SMALL), ("large", LARGE)):
        lm_eval(f"{GENERATED}doc_to_target: answers\n", answers, model)
        _, path = inspect_log(answers * 2, epochs=2)
        Path(path).rename(f"{model}.eval")
    Path("gold.json").write_text(json.dumps(QUESTIONS))
    page = ROOT / "docs" / "your_log.md"
    run_section("Logs of harnesses", page, questions=list(QUESTIONS))
    capsys.readouterr()
    lines = [line for block in blocks("Logs of harnesses", "bash", page) for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines]
    commands = [arguments for name, *arguments in commands if name == "qassay"]
    assert len(commands) >= 5
    for arguments in commands:
        assert main(arguments) == 0, arguments
        printed = capsys.readouterr().out
        if arguments[0] == "compare":
            assert "large − small" in printed and "0.7500" in printed
