"""A measure of one example with feedback in words, of every family that has one; it needs no harness."""

import math

import pytest

from qassay.integrations.one_measure import OneMeasure

CASES = {
    "answer_match": ("f1", "in Rome", ["Rome"], {}, "too long: "),
    "answer_equivalence": ("accepted", "Oslo", ["Rome"], {}, "other entity: "),
    "semantic_answer_similarity": ("sas", "in Rome", ["Rome"], {"model": "lite"}, "Given: 'in Rome'."),
    "factoid_accuracy": ("mrr", ["Oslo", "Rome"], [["Rome"]], {}, "correct later: "),
    "label_metrics": ("accuracy", "art", "law", {}, "Gold answers: 'law'. Given: 'art'."),
    "retrieval_ranking": ("mrr", ["a", "b"], {"b": 1}, {}, "Gold answers: {'b': 1}. Given: ['a', 'b']."),
}


@pytest.mark.parametrize("metric", CASES)
def test_words_come_with_the_value_of_a_call(metric):
    measure, prediction, gold, options, words = CASES[metric]
    one = OneMeasure(metric, measure, options)
    value, told = one.told(prediction, gold)
    assert value == one(prediction, gold) and words in told and not one.lower_is_better


def test_a_measure_that_does_not_apply_is_not_a_number():
    one = OneMeasure("factoid_accuracy", "list_f1", {})
    assert math.isfinite(one(["Rome"], [["Rome"]], question_types="list"))
    for call in (one, one.told):
        with pytest.raises(ValueError, match="list_f1"):
            call(["Rome"], [["Rome"]], question_types="factoid")
