"""The adapter of inspect_ai, by evaluations with its mock model and by its own command."""

import shlex
import sys
from pathlib import Path

import pytest

import qassay

from .harness import blocks, need, run_inspect, run_section

need("inspect_ai")


def test_page_and_a_log_scored_by_name(monkeypatch):
    from inspect_ai._cli.score import score_command
    from inspect_ai._util import entrypoints, registry
    from inspect_ai.log import read_eval_log

    names = run_section("inspect_ai")
    entrypoints.clear_entry_points_state()  # the command finds the scorer by the entry point, as in a process of its own
    others = {key: value for key, value in registry._registry.items() if "qassay/" not in key}
    assert others.keys() < registry._registry.keys()
    monkeypatch.setattr(registry, "_registry", others)
    monkeypatch.delitem(sys.modules, "qassay.integrations.inspect_ai")
    (command,) = blocks("inspect_ai", "bash")
    (path,) = Path("logs").glob("*.eval")
    words = shlex.split(command.replace("LOG", path.stem))
    assert words[:2] == ["inspect", "score"]
    score_command(words[2:], standalone_mode=False)
    added = read_eval_log("rescored.eval").results.scores[len(names["log"].results.scores) :]
    golds = [["Paris", "City of Paris"], ["Rome"]]
    wanted = qassay.score("answer_match", ["Paris", "in Rome"], golds, normalizer="none").result(confidence=0.95)
    assert {score.name: score.metrics["mean"].value for score in added} == {
        name: wanted[name] for name in wanted if name in qassay.scorer("answer_match").names
    }
    assert added[0].params == {"normalizer": "none"}
    ends = [added[1].metrics[f"qassay/interval_{end}"].value for end in ("low", "high")]
    assert ends == [wanted["f1_low"], wanted["f1_high"]]


def test_epochs_questions_and_what_does_not_apply():
    from inspect_ai import Epochs
    from inspect_ai.dataset import Sample

    from qassay.integrations.inspect_ai import answer_equivalence

    samples = [Sample("What is the capital of France?", target="Paris")]
    answers = ["the city of Paris", "Lyon"]
    log = run_inspect(samples, answers, scorer=answer_equivalence(), epochs=Epochs(2))
    questions = {"questions": [samples[0].input]}
    wanted = [qassay.score("answer_equivalence", [one], [["Paris"]], **questions)["equivalence"] for one in answers]
    scores = [sample.scores["answer_equivalence"].value["equivalence"] for sample in log.samples]
    assert scores == wanted
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(sum(wanted) / 2)


def test_samples_of_one_article_are_drawn_together():
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import mean

    from qassay.integrations.inspect_ai import answer_match, interval

    articles = ["a", "a", "b", "b", "c", "c"]
    samples = [Sample("?", target="Rome", metadata={"article": article}) for article in articles]
    answers = ["Rome", "Rome", "Bern", "Bern", "Rome", "Bern"]
    metrics = {"exact_match": [mean(), interval(confidence=0.9, cluster="article")]}
    log = run_inspect(samples, answers, scorer=answer_match(), metrics=metrics)
    wanted = qassay.score("answer_match", answers, [["Rome"]] * 6, groups=articles).interval(confidence=0.9)[
        "exact_match"
    ]
    found = log.results.scores[0].metrics
    assert (found["qassay/interval_low"].value, found["qassay/interval_high"].value) == tuple(wanted)


def test_no_target_is_an_error_and_no_answer_is_reported():
    from inspect_ai.dataset import Sample

    from qassay.integrations.inspect_ai import answer_match

    log = run_inspect([Sample("?", id="q7")], ["Rome"], scorer=answer_match())
    assert log.status == "error" and "sample q7 has no target" in log.error.message
    log = run_inspect([Sample("?", target="Rome")], [""], scorer=answer_match())
    (sample,) = log.samples
    score = sample.scores["answer_match"]
    assert score.reason == "no_response" and score.value["exact_match"] == 0
    with pytest.raises(TypeError, match="'normaliser'"):
        answer_match(normaliser="none")
