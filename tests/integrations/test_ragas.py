"""A numeric metric of ragas with measures of qassay."""

import pytest

from .harness import need, run_page

need("ragas")

from qassay.integrations.ragas import metric_of  # noqa: E402


def test_the_page_is_true():
    assert run_page("ragas")["f1"].name == "answer_match_f1"


def test_what_does_not_fit_is_reported():
    found = metric_of("answer_match", "f1").score(response="Rome", reference=5)
    assert found.value is None and "gold answers" in found.reason
    with pytest.raises(ValueError, match="'f2'"):
        metric_of("answer_match", "f2")
    with pytest.raises(ValueError, match="'question'.*'user_input'"):
        metric_of("answer_equivalence", "accepted", columns={"questions": "question"})
