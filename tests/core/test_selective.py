"""Selective answering: the area under the risk-coverage curve and its neighbours, against sums over all orders of ties."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import qassay

CHANCE = np.random.default_rng(22)


def scored(values, weights=None):
    """Scores of answers; answers with the value 1 are right."""
    answers = ["a" if value else "b" for value in values]
    return qassay.score("answer_match", answers, [["a"]] * len(answers), weights=weights)


def mean_over_orders(values, confidences, number):
    """The mean of a number of the values in order, over all orders of examples of the same confidence."""
    groups = [
        [value for value, own in zip(values, confidences, strict=True) if own == confidence]
        for confidence in sorted(set(confidences), reverse=True)
    ]
    orders = itertools.product(*(itertools.permutations(group) for group in groups))
    return np.mean([number([value for group in order for value in group]) for order in orders])


def area(values):
    return np.mean([1 - sum(values[:i]) / i for i in range(1, len(values) + 1)])


def largest_coverage(values, confidences, least):
    shares = [0.0]
    for threshold in confidences:
        answered = [value for value, own in zip(values, confidences, strict=True) if own >= threshold]
        if sum(answered) >= least * len(answered) - 1e-9:
            shares.append(len(answered) / len(values))
    return max(shares)


def test_all_orders_of_ties():
    for _ in range(30):
        n = int(CHANCE.integers(1, 7))
        values, confidences = CHANCE.integers(2, size=n).tolist(), CHANCE.integers(3, size=n).tolist()
        scores = scored(values).with_confidences(confidences, coverages=(0.3, 0.5, 1), accuracies=(0.5, 1))
        expected = {"aurc(exact_match)": mean_over_orders(values, confidences, area)}
        for coverage in (0.3, 0.5, 1):
            first = math.ceil(round(coverage * n, 9))
            expected[f"selective(exact_match)@{coverage:g}"] = mean_over_orders(
                values, confidences, lambda order, first=first: np.mean(order[:first])
            )
        for least in (0.5, 1):
            expected[f"coverage(exact_match)@{least:g}"] = largest_coverage(values, confidences, least)
        assert scores.summary(expected) == pytest.approx(expected, abs=1e-12)


def test_a_weight_is_so_many_examples_of_one_confidence():
    values, confidences, weights = [1, 0, 1, 0, 1], [5, 4, 4, 2, 1], [2, 1, 3, 0, 1]
    weighted = scored(values, weights).with_confidences(confidences)
    times = [row for row, weight in enumerate(weights) for _ in range(weight)]
    copies = scored([values[row] for row in times]).with_confidences([confidences[row] for row in times])
    names = ["aurc(exact_match)", "selective(exact_match)@0.8", "coverage(exact_match)@0.9"]
    assert weighted.summary(names) == pytest.approx(copies.summary(names), abs=1e-12)
    near = scored(values, [weight + 1e-9 for weight in weights]).with_confidences(confidences)
    assert near["aurc(exact_match)"] == pytest.approx(copies["aurc(exact_match)"], abs=1e-7)
    counts = np.array([[1, 2, 0, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]], float)
    drawn = weighted.measures["aurc(exact_match)"].value(scored(values).with_confidences(confidences).rows, counts)
    again = scored([values[row] for row in (0, 1, 1, 3, 4)]).with_confidences([5, 4, 4, 2, 1])
    assert drawn[0] == pytest.approx(again["aurc(exact_match)"], abs=1e-12) and math.isnan(drawn[2])


def test_confidences_by_id_missing_answers_and_no_answer_probabilities():
    golds = [{"id": name, "answers": {"text": ["x"], "answer_start": [0]}} for name in "pqr"]
    scores = qassay.score("answer_match", {"p": "x", "q": "y"}, golds)
    sure = scores.with_confidences({"q": 0.1, "p": 0.9, "unused": 3})
    assert sure["aurc(exact_match)"] == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)
    with pytest.raises(ValueError, match="confidences has no number for the id 'q'"):
        scores.with_confidences({"p": 0.9})
    likely = qassay.score("answer_match", ["x", "y"], [["x"], ["x"]], no_answer_probabilities=[0.2, 0.7])
    own = likely.with_confidences("no_answer_probability")
    assert own["aurc(exact_match)"] == likely.with_confidences([0.8, 0.3])["aurc(exact_match)"] == 0.25
    with pytest.raises(ValueError, match="no no-answer probabilities; score with no_answer_probabilities"):
        scores.with_confidences("no_answer_probability")


def test_confidences_of_a_module_are_by_id_where_examples_have_ids():
    predictions = [{"id": "b", "prediction_text": "x"}, {"id": "a", "prediction_text": "wrong"}]
    references = [{"id": "a", "answers": ["y"]}, {"id": "b", "answers": ["x"]}, {"id": "c", "answers": ["z"]}]
    metric = qassay.load("answer_match")
    given = {"predictions": predictions, "references": references}
    by_id = metric.compute(**given, confidences={"a": 0.1, "b": 0.9})
    assert by_id["aurc(exact_match)"] == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)
    for listed in ([0.9, 0.1], np.array([0.9, 0.1, 0.5]), pd.Series([0.9, 0.1, 0.5])):
        with pytest.raises(ValueError, match="confidences must be given by id"):
            metric.compute(**given, confidences=listed)
    ranking = qassay.load("retrieval_ranking")
    table = pd.DataFrame({"query": ["q2", "q1"], "document": ["d", "e"], "score": [1.0, 1.0]})
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}}
    assert ranking.compute(run=table, qrels=qrels, confidences={"q1": 0.1, "q2": 0.9})["aurc(mrr)"] == 0.25


def test_other_confidences_beside_those_there_are():
    sure = scored([1, 0]).with_confidences([0.1, 0.9], "exact_match")
    assert {"aurc(exact_match)", "aurc(f1)"} <= sure.with_confidences([0.1, 0.9], "f1").measures.keys()
    with pytest.raises(ValueError, match="these scores have other confidences already"):
        sure.with_confidences([0.9, 0.1], "f1")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (([1, 2],), "confidences"),
        (([1, 2, math.nan],), "confidences has no number for the id 2"),
        (([1, 2, math.inf],), "give a finite number"),
        (([1, 2, 3], "exact_mach"), r"no accuracy 'exact_mach' \(did you mean 'exact_match'\?\)"),
    ],
)
def test_confidences_that_are_refused(arguments, told):
    with pytest.raises((ValueError, TypeError), match=told):
        scored([1, 0, 1]).with_confidences(*arguments)
