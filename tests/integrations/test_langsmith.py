"""A recipe for langsmith, in evaluations that stay on this machine."""

import pytest

import qassay

from .harness import need, run_section

need("langsmith")


def test_the_recipe_is_true():
    found = run_section("LangSmith")["found"]
    wanted = qassay.score("answer_match", ["Paris"] * 2, [["Paris", "City of Paris"], ["Rome"]])
    for place, row in enumerate(found):
        values = {result.key: result.score for result in row["evaluation_results"]["results"]}
        assert values == {name: values[place] for name, values in wanted.columns.items()}
    known = {name: value for name, value in wanted.result(confidence=0.95).items() if value is not None}
    assert {result.key: result.score for result in found._summary_results["results"]} == pytest.approx(known)
