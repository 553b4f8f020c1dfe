"""dspy's Evaluate and GEPA with measures of qassay, offline with its own dummy language model."""

import pytest

from .harness import need, run_page

need("dspy")

import dspy  # noqa: E402
from dspy.utils import DummyLM  # noqa: E402

from qassay.integrations.dspy import metric_of  # noqa: E402

EXAMPLE = dspy.Example(question="Who?", answers=["Rome", "Roma"]).with_inputs("question")


def test_the_page_is_true():
    answers = {"Italy": {"answer": "in Rome"}, "France": {"answer": "Paris"}}
    reflection_lm = DummyLM([{"new_instruction": "Give the name alone."}] * 9)
    names = run_page("dspy", lm=DummyLM(answers), reflection_lm=reflection_lm)
    scores = [score for *_, score in names["found"].results]
    assert scores == pytest.approx([2 / 3, 1])
    prompt = reflection_lm.history[0]["messages"][-1]["content"]
    assert "too long: " in prompt and "Gold answers: 'Rome', 'Roma'. Given: 'in Rome'." in prompt


def test_a_plain_call_gives_a_float_and_gepa_gets_words():
    """A Prediction is truthy even with the score 0, so optimizers would count every answer as a success."""
    metric = metric_of("answer_match", "f1", gold="answers")
    wrong = dspy.Prediction(answer="Oslo")
    assert (metric(EXAMPLE, wrong), metric(EXAMPLE, wrong, [])) == (0.0, 0.0)
    told = metric(EXAMPLE, wrong, None, "answer", [])
    assert told.score == 0.0 and told.feedback.startswith("no shared word: ")
    assert metric.__name__ == "answer_match_f1"
