"""Intervals at the edges: what has no weight, and values that did not vary."""

import pytest

import qassay


def test_examples_of_no_weight_change_no_interval():
    answers, golds = ["yes"] * 16 + ["no"] * 4, [["yes"]] * 20
    weighted = qassay.score("answer_match", answers, golds, weights=[1.0] * 18 + [0.0] * 2)
    found, wanted = weighted.interval(), qassay.score("answer_match", answers[:18], golds[:18]).interval()
    assert found == wanted
    assert found["exact_match"].method == wanted["exact_match"].method == "wilson"


@pytest.mark.parametrize(("positives", "low"), [(0, 0.0), (1, 0.0), (5, 0.39), (20, 0.82)])
def test_a_curve_at_a_bound_says_as_much_as_its_positives(positives, low):
    negatives = 30
    labels = [1] * positives + [0] * negatives
    scores = qassay.score("average_precision", list(range(len(labels)))[::-1], labels)
    found = scores.interval()["average_precision"]
    assert found == pytest.approx((low, 1.0), abs=0.01)
