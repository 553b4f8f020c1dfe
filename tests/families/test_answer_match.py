"""What the command line knows about answer_match."""

import numpy as np

import karat
from karat.families import get_family

FAMILY = get_family("answer_match")


def test_usual_measures():
    gold = {f"q{i}": [f"answer {i}"] if i % 4 else [] for i in range(40)}
    both = karat.score("answer_match", dict.fromkeys(gold, "answer 1"), gold)
    assert FAMILY.usual_measures(both)[:4] == ["exact_match", "f1", "contains", "has_answer_exact_match"]
    assert FAMILY.usual_measures(both)[-1] == "no_answer_f1"
    answered = both.subset("has_answer")
    assert FAMILY.usual_measures(answered) == ["exact_match", "f1", "contains"], "no rows that repeat the others"
    doubted = karat.score("answer_match", {"a": "x"}, {"a": ["x"]}, no_answer_probabilities={"a": 0.5})
    assert FAMILY.usual_measures(doubted)[3:] == [
        "best_exact_match",
        "best_exact_match_threshold",
        "best_f1",
        "best_f1_threshold",
    ]


def test_measures_of_other_tasks():
    ranked = karat.score("answer_match", [["x"]], [["x"]], top_k=(1, 3))
    assert FAMILY.main_measures(ranked) == ["exact_match@1", "exact_match@3", "f1@1", "f1@3"]
    joint = karat.score("answer_match", ["x"], [["x"]], predicted_facts=[[]], gold_facts=[[]], task="hotpotqa")
    assert FAMILY.usual_measures(joint) == [
        "exact_match",
        "f1",
        "sp_exact_match",
        "sp_f1",
        "joint_exact_match",
        "joint_f1",
    ]


def test_rows_follow_the_policy_for_ids_given_twice():
    class Gold:
        ids = ("a", "b", "a")

    for duplicates, rows in (("first", [0, 1]), ("last", [2, 1])):
        scores = karat.score("answer_match", {"a": "x", "b": "y"}, {"a": ["x"], "b": []}, duplicates=duplicates)
        assert np.array_equal(FAMILY.gold_rows(Gold, scores), rows)
