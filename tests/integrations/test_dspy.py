"""dspy's Evaluate and GEPA with a measure of qassay, offline with its own dummy language model."""

import pytest

from .harness import need, run_section

need("dspy")

import dspy  # noqa: E402
from dspy.utils import DummyLM  # noqa: E402

EXAMPLE = dspy.Example(question="Who?", answers=["Rome", "Roma"]).with_inputs("question")


def test_the_recipe_is_true():
    answers = {"Italy": {"answer": "in Rome"}, "France": {"answer": "Paris"}}
    reflection_lm = DummyLM([{"new_instruction": "Give the name alone."}] * 9)
    names = run_section("DSPy", lm=DummyLM(answers), reflection_lm=reflection_lm)
    assert [score for *_, score in names["found"].results] == pytest.approx([2 / 3, 1])
    prompt = reflection_lm.history[0]["messages"][-1]["content"]
    assert "F1 0.67 of the answer 'in Rome'; gold answers: ['Rome', 'Roma']" in prompt
    f1, wrong = names["f1"], dspy.Prediction(answer="Oslo")
    assert (f1(EXAMPLE, wrong), f1(EXAMPLE, wrong, [])) == (0.0, 0.0)
    assert f1(EXAMPLE, wrong, None, "answer", []).score == 0.0
