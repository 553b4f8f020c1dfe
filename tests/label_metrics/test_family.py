"""What the command line knows about label_metrics."""

import qassay
from qassay.registry import get_family


def test_kinds_of_errors():
    one = qassay.score("label_metrics", ["a", "b"], ["a", "a"])
    found = [["a"], ["a", "b"], ["a"], ["a", "c"], ["c"], [], ["a"], []]
    true = [["a"], ["a"], ["a", "b"], ["a", "b"], ["a"], ["a"], [], []]
    sets = qassay.score("label_metrics", found, true, task="multi")
    ranked = qassay.score("label_metrics", [["a"], ["b", "a"], ["c"], ["a"]], [["a"]] * 3 + [[]], task="ranked", k=1)
    errors = get_family("label_metrics").about.errors
    kinds = [errors.of(scores) for scores in (one, sets, ranked)]
    assert kinds == [
        ["correct", "wrong"],
        ["correct", "too many", "too few", "partial", "wrong", "too few", "too many", "correct"],
        ["true label first", "found, not first", "not found", "no true labels"],
    ]
    assert set().union(*kinds) == set(errors.order)


def test_examples_as_texts(examples_of):
    one = "id,label,prediction\n1,cat,cat\n2,dog,cat\n"
    assert examples_of(one, None, "label_metrics") == (
        ["correct", "wrong"],
        [(None, ["cat"], ["cat"]), (None, ["dog"], ["cat"])],
    )
    rows = '{"labels": ["b", "a"], "predictions": ["c", "a"]}\n{"labels": [], "predictions": []}\n'
    kinds, texts = examples_of(rows, None, "label_metrics", task="multi")
    assert kinds == ["partial", "correct"] and texts == [(None, ["a", "b"], ["a", "c"]), (None, [], [])]
    kinds, texts = examples_of(rows, None, "label_metrics", task="ranked", k=1)
    assert kinds == ["found, not first", "no true labels"] and texts == [(None, ["b", "a"], ["c"]), (None, [], [])]
    scored = '{"labels": ["b"], "predictions": {"a": 0.1, "b": 0.9}}\n'
    assert examples_of(scored, None, "label_metrics", task="ranked")[1] == [(None, ["b"], ["b", "a"])]
