"""deepeval's own evaluation with measures of qassay, without its telemetry."""

import pytest

from .harness import need, run_page

need("deepeval")

from deepeval.metrics.utils import copy_metrics  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

from qassay.integrations.deepeval import QassayMetric  # noqa: E402


def test_the_page_is_true():
    found = run_page("deepeval")["found"]
    (first,) = found.test_results[0].metrics_data
    assert (first.name, first.score, first.threshold, first.error) == (
        "answer_match f1",
        pytest.approx(2 / 3),
        0.7,
        None,
    )
    assert first.reason.startswith("too long: ")


def test_a_copy_measures_the_same():
    """deepeval copies metrics by the names of their arguments, for test cases at the same time."""
    own = QassayMetric("answer_match", "precision", 0.9, {"normalizer": "none"}, "context", "input", {})
    (copied,) = copy_metrics([own])
    kept = ("metric", "measure_name", "threshold", "options", "gold", "prediction", "columns")
    assert [getattr(copied, name) for name in kept] == [getattr(own, name) for name in kept]


def test_up_to_the_threshold_where_lower_is_better():
    metric = QassayMetric("label_metrics", "error_rate", threshold=0.5)
    cases = [LLMTestCase(input="?", actual_output=label, expected_output="art") for label in ("art", "law")]
    assert [(metric.measure(case), metric.is_successful()) for case in cases] == [(0.0, True), (1.0, False)]
