"""The estimate of the share that people would accept."""

import numpy as np
import pytest

import qassay
from qassay.answer_equivalence.lite import lite_model
from qassay.answer_equivalence.measures import EstimatedAcceptance
from qassay.core.measures import Rows


def estimate(values, usual=0.7, weights=None):
    weights = np.ones(len(values)) if weights is None else np.array(weights)
    return EstimatedAcceptance("p", usual).value_once(Rows({"p": np.array(values)}, {}, weights))


def test_a_system_like_those_of_the_training_keeps_its_mean():
    assert estimate([0.6, 0.8]) == pytest.approx(0.7)
    assert estimate([0.01, 0.99, 0.99], usual=1.99 / 3) == pytest.approx(1.99 / 3)


def test_the_estimate_solves_its_equation():
    p, usual = np.array([0.2, 0.9, 0.95, 0.99]), 0.6

    def odds(share):
        return np.log(share / (1 - share))

    mean = p.mean()
    left_open = (p * (1 - p)).mean() / (mean * (1 - mean))
    found = estimate(p, usual)
    assert odds(found) == pytest.approx(odds(mean) + left_open / 2 * (odds(found) - odds(usual)))
    assert found > mean > usual


def test_decided_answers_count_as_they_are_and_unknown_ones_not_at_all():
    judged = estimate([0.8, 0.9])
    assert estimate([0.0, 1.0, 0.8, 0.9, np.nan]) == pytest.approx((1 + 2 * judged) / 4)
    assert estimate([0.0, 1.0, 0.0]) == pytest.approx(1 / 3) and estimate([np.nan]) == 0.0
    assert estimate([0.3, 0.8, 0.9], weights=[0, 1, 1]) == pytest.approx(judged)
    assert estimate([0.8, 0.8, 0.9]) == pytest.approx(estimate([0.8, 0.9], weights=[2, 1]))


def test_of_the_built_in_scorer_only_with_an_interval_and_in_parts():
    golds, questions = [["Paris"]] * 6, ["what is the capital of France?"] * 6
    answers = ["It is Paris.", "Lyon", "", "Paris or Rome", "in Paris", "the town of Parys"]
    scores = qassay.score("answer_equivalence", answers, golds, questions=questions)
    values = scores.columns["equivalence"]
    value = scores.summary(["estimated_acceptance"])["estimated_acceptance"]
    assert value == pytest.approx(estimate(values, lite_model()["accepted"]))
    low, high = scores.interval(names=["estimated_acceptance"], n_resamples=200)["estimated_acceptance"]
    assert low < value < high
    judged = qassay.score("answer_equivalence", answers, golds, questions=questions, model=lambda *row: 0.5)
    assert "estimated_acceptance" not in judged.measures


def test_intervals_hold_the_doubt_of_the_verdicts():
    right = qassay.score("answer_equivalence", [f"It is {name}." for name in ("Rome", "Oslo", "Bern", "Riga", "Lima")],
                         [["Rome"], ["Oslo"], ["Bern"], ["Riga"], ["Lima"]])  # fmt: skip
    found = right.interval(names=["equivalence", "estimated_acceptance", "accepted"])
    assert right["equivalence"] > 0.99 and found["accepted"][0] == pytest.approx(0.566, abs=1e-3)
    assert found["equivalence"][0] < 0.6 and found["estimated_acceptance"][0] < 0.6
