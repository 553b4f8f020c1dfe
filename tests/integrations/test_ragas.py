"""A numeric metric of ragas with a measure of qassay."""

from .harness import need, run_section

need("ragas")


def test_the_recipe_is_true():
    f1 = run_section("ragas")["f1"]
    assert f1.name == "answer_match_f1"
    found = f1.score(response="Rome", reference=5)
    assert found.value is None and "gold answers" in found.reason
