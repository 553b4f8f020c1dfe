"""Metrics of lighteval with measures of qassay; it needs torch, and no job installs it."""

import json

import pytest

from .harness import blocks, need

need("lighteval", in_job=False)

from lighteval.metrics import apply_metric  # noqa: E402
from lighteval.models.model_output import ModelResponse  # noqa: E402
from lighteval.tasks.lighteval_task import LightevalTask  # noqa: E402


def test_the_recipe_is_true(tmp_path, monkeypatch):
    """The task reads a local folder; its answers are scored and summed up as lighteval's pipeline does it."""
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    golds = {"Capital of Italy?": ["Rome", "Roma"], "France?": ["Paris"]}
    rows = [{"question": question, "answers": answers} for question, answers in golds.items()]
    (tmp_path / "capitals").mkdir()
    (tmp_path / "capitals" / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    names = {}
    for block in blocks("lighteval", "python"):
        exec(compile(block, "docs/integrations.md", "exec"), names)  # noqa: S102 - our own page
    task = LightevalTask(names["capitals"])
    answers = {"Italy": "in Rome", "France": "Paris"}
    texts = [next(text for word, text in answers.items() if word in doc.query) for doc in task.eval_docs()]
    found = apply_metric([ModelResponse(text=[text]) for text in texts], task.eval_docs(), task.metrics)
    means = {name: mean([row[name] for row in found]) for name, mean in task.aggregation().items()}
    assert means == pytest.approx({"exact_match": 0.5, "f1": 5 / 6})
    assert task.metrics[0].higher_is_better == {"exact_match": True, "f1": True}
