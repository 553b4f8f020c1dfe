"""Metrics of lighteval with measures of qassay; it needs torch, so that it is in no environment with other harnesses."""

import importlib.util

import pytest

from .harness import run_page

if importlib.util.find_spec("lighteval") is None:
    pytest.skip("lighteval is not installed; it needs torch", allow_module_level=True)

from lighteval.models.model_output import ModelResponse  # noqa: E402
from lighteval.tasks.requests import Doc  # noqa: E402

from qassay.integrations.lighteval import metric_of  # noqa: E402

DOC = Doc(query="Capital of Italy?", choices=["Rome"], gold_index=0, id="q1")


def test_the_page_is_true():
    names = run_page("lighteval")
    means = {
        name: mean([row[name] for row in names["rows"]])
        for name, mean in names["metric"].get_corpus_aggregations().items()
    }
    assert means == pytest.approx({"exact_match": 0.5, "f1": 5 / 6})
    assert names["metric"].higher_is_better == {"exact_match": True, "f1": True}


def test_several_answers_are_ranked_or_refused():
    answers = ModelResponse(text=["Oslo", "Rome"])
    ranked = metric_of("answer_match", ["f1@1", "f1@2"], top_k=(1, 2))
    assert ranked.compute_sample(doc=DOC, model_response=answers) == {"f1@1": 0.0, "f1@2": 1.0}
    with pytest.raises(ValueError, match="'q1' has 2 answers; take 1 sample, or give the option top_k"):
        metric_of("answer_match", ["f1"]).compute_sample(doc=DOC, model_response=answers)


def test_its_text_tells_the_options():
    assert str(metric_of("answer_match", ["f1"], normalizer="french").sample_level_fn).startswith(
        "_Computation(of=[f1 of answer_match|norm:french"
    )
