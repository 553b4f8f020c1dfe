"""deepeval's own evaluation with a measure of qassay, without its telemetry."""

import pytest

from .harness import need, run_section

need("deepeval")

from deepeval.metrics.utils import copy_metrics  # noqa: E402


def test_the_recipe_is_true():
    names = run_section("deepeval")
    (first,) = names["found"].test_results[0].metrics_data
    assert (first.name, first.score, first.error) == ("answer_match f1", pytest.approx(2 / 3), None)
    (copied,) = copy_metrics([names["AnswerF1"](0.9)])  # deepeval copies metrics for test cases at the same time
    assert copied.threshold == 0.9
