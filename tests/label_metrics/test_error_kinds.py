"""Kinds of errors of labels."""

import qassay
from qassay.label_metrics.error_kinds import LABEL_ERRORS, label_error_kinds


def test_kinds_of_labels():
    one = qassay.score("label_metrics", ["a", "b"], ["a", "a"])
    sets = qassay.score(
        "label_metrics",
        [["a"], ["a", "b"], ["a"], ["a", "c"], ["c"], [], ["a"], []],
        [["a"], ["a"], ["a", "b"], ["a", "b"], ["a"], ["a"], [], []],
        task="multi",
    )
    ranked = qassay.score("label_metrics", [["a"], ["b", "a"], ["c"], ["a"]], [["a"]] * 3 + [[]], task="ranked", k=1)
    found = [label_error_kinds(scores) for scores in (one, sets, ranked)]
    assert found == [
        ["correct", "wrong"],
        ["correct", "too many", "too few", "partial", "wrong", "too few", "too many", "correct"],
        ["true label first", "found, not first", "not found", "no true labels"],
    ]
    assert set().union(*found) == set(LABEL_ERRORS.order)
