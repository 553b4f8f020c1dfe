"""Scores of each class: of sets, and what has none; those of one label are in test_peers."""

import pytest

import qassay
from qassay.label_metrics.per_class import class_scores


def test_sets_of_labels():
    scores = qassay.score("label_metrics", [["a", "b"], ["b"]], [["a"], ["a", "b"]], task="multi")
    assert class_scores(scores) == {"a": (pytest.approx(2 / 3), 2.0), "b": (pytest.approx(2 / 3), 1.0)}
    assert class_scores(scores, "jaccard")["a"].value == 0.5


def test_other_scores_are_refused():
    with pytest.raises(ValueError, match="one label or a set of labels"):
        class_scores(qassay.score("label_metrics", [["a"]], [["a"]], task="ranked", k=(1,)))
    with pytest.raises(ValueError, match="one label or a set of labels"):
        class_scores(qassay.score("answer_match", ["a"], [["a"]]))
    with pytest.raises(ValueError, match="metric"):
        class_scores(qassay.score("label_metrics", ["a"], ["a"]), "f2")
