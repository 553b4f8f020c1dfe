"""Layouts of labels: the same numbers from each, the task that they tell, and bad input."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from qassay.core.scores import Scores
from qassay.label_metrics.scoring import LabelOptions, score_labels


def score(predictions, references, ids=None, weights=None, **options) -> Scores:
    return score_labels(predictions, references, ids, weights, options=LabelOptions(**options))


# --- layouts ----------------------------------------------------------------------------------------------------------


def test_types_of_one_label():
    found, true = [3, 1, 1, 7], [3, 1, 7, 7]
    texts, gold = [f"c{x}" for x in found], [f"c{x}" for x in true]
    wanted = score(found, true)
    assert wanted.options.classes.labels == [1, 3, 7]
    assert score(np.array(found, np.uint8), np.array(true, np.uint8)) == wanted
    named = score(texts, gold)
    assert named.options.classes.labels == ["c1", "c3", "c7"] and named.summary() == wanted.summary()
    for make in (np.array, pa.array, lambda x: pa.chunked_array([x[:1], x[1:]])):
        assert score(make(texts), make(gold)) == named
    assert score([True, False], [True, True]).options.classes.labels == [False, True]
    assert score([10**30, -5], [-5, -5]).options.classes.labels == [-5, 10**30]
    assert score([2**63, 2**63 + 1], np.array([2**63, 2**63], np.uint64)).summary()["accuracy"] == 0.5
    assert score([0.5, 1.5], [0.5, 0.5]).options.classes.labels == [0.5, 1.5]
    assert score([(1, "a")], [("b", 1)], task="single").options.classes.labels == [("b", 1), (1, "a")]


def test_lists_of_0_and_1_are_not_mistaken_for_label_numbers():
    found, true = [[0, 1, 1], [1, 1, 0]], [[0, 1, 1], [0, 1, 0]]
    for predictions, references in (
        (found, true),
        (list(map(set, found)), true),
        (found, [{0}, {1}]),
        (np.array(found), true),
        ([[True, False, True]], [[True]]),
    ):
        with pytest.raises(ValueError, match=r"\[0\] is list: .* give the option layout=indicator"):
            score(predictions, references, task="multi")
    wanted = score(np.array(found), np.array(true), task="multi").summary()
    assert score(found, true, task="multi", layout="indicator").summary() == wanted and wanted["exact_match"] == 0.5
    # What may be label numbers stays so: rows of several lengths, other numbers, no label twice.
    for rows in ([[0, 1], [1]], [[0, 1], [1, 0]], [[1], [0]], [[0, 2, 2], [1, 1, 0]], [["0", "1", "1"]]):
        assert score(rows, rows, task="multi").summary()["exact_match"] == 1


def test_true_labels_of_rankings_as_rows_of_0_and_1():
    scores, true = np.array([[0.1, 0.9, 0.5], [0.9, 0.1, 0.2]]), [[0, 1, 1], [0, 1, 0]]
    with pytest.raises(ValueError, match=r"references\[0\] is list: .* layout=indicator"):
        score(scores, true)
    wanted = score(scores, np.array(true)).summary()
    for task in ("auto", "ranked"):
        assert score(scores, true, task=task, layout="indicator").summary() == wanted
    ranked = score([[1, 2, 0], [0, 2, 1]], true, task="ranked", layout="indicator", labels=3)
    assert ranked.summary() == wanted and wanted["p@1"] == 0.5
    with pytest.raises(ValueError, match=r"references\[1\] has 3 labels, as many as .* layout=indicator"):
        score(scores, [[0], [2, 0, 2]])
    assert score(scores, [[0], [2, 0, 1]]).summary()["r@3"] == 1


def test_sets_in_every_layout():
    found, true = np.array([[1, 0, 1], [0, 0, 0]]), np.array([[1, 1, 0], [0, 1, 0]])
    wanted = score(found, true, task="multi")
    lists = [[[0, 2], []], [(0, 1), (1,)]]
    for predictions, references, options in (
        (found.astype(bool), true, {}),
        (found.astype(float), true.astype(np.int8), {}),
        (found.tolist(), true.tolist(), {"layout": "indicator"}),
        (found.astype(bool), lists[1], {}),
        (found, lists[1], {"task": "multi"}),
        ([{0, 2}, set()], true, {}),
        (*lists, {"labels": 3, "task": "multi"}),
        ([np.array([2, 0, 0]), np.array([], int)], lists[1], {"labels": 3, "task": "multi"}),
    ):
        scores = score(predictions, references, **options)
        assert scores.summary() | {"repeated_labels": 0} == wanted.summary(), options
        assert scores.options.task == "multi"
    assert scores.notes == {"repeated_labels": 1}
    named = score([{"a", "c"}, set()], [["b", "a"], ["b"]], labels=["a", "b", "c"])
    assert named.summary() == wanted.summary()
    assert score(found, [["a", "b"], ["b"]], labels=["a", "b", "c"], task="multi").summary() == wanted.summary()


def test_tasks_that_the_layout_tells():
    flags, logits = np.array([[0, 1]]), np.array([[0.1, 2.5], [1.5, -0.3]])
    for predictions, references, options, task in (
        (flags, flags, {}, "multi"),
        (np.array([[1, 0]]), [[1]], {"labels": 2, "k": 1}, "ranked"),
        (np.array([[0.5, 0.2]]), flags, {}, "ranked"),
        ([["a"]], [["a"]], {"k": 2}, "ranked"),
    ):
        assert score(predictions, references, **options).options.task == task
    for predictions, references in (([["a"]], [["a"]]), (flags, [[0, 1]])):
        with pytest.raises(ValueError, match="task=multi or task=ranked"):
            score(predictions, references)
    for references in ([1, 0], ["a", "b"]):
        with pytest.raises((TypeError, ValueError), match=r"one label .*scores\.argmax\(axis=1\)"):
            score(logits, references)


# --- bad input --------------------------------------------------------------------------------------------------------


EYE = np.eye(2)
BAD_ROWS = [
    ([0, 4], [0, 1], {"labels": 3}, r"predictions\[1\] is int: 4.* 0 to 2"),
    ([["a"], ["b", "x"]], [["a"], ["b"]], {"task": "multi", "labels": ["a", "b"]}, r"predictions\[1\]\[1\]"),
    ([[0, 1], [1]], [[0, 1], [1, 1]], {"layout": "indicator"}, r"predictions\[1\] "),
    ([[pd.NA, 1]], [[0, 1]], {"layout": "indicator"}, r"predictions\[0\]\[0\] is <NA>; an indicator matrix holds"),
    ([["a", "b", "a"]], [["a"]], {"task": "ranked"}, r"predictions\[0\] .*'a' twice"),
    ([{"a": 1.0, "b": float("nan")}], [["a"]], {}, r"predictions\[0\]\['b'\] is nan"),
    (np.array([[0.5, 0.1], [0.2, np.inf]]), [[0], [1]], {}, r"predictions\[1\]\[1\] is inf"),
    (np.array([[4, 2], [1, 9]]), [[1], [2]], {"labels": 5}, r"predictions\[1\]\[1\] is 9; .* 0 to 4"),
    ([0, 2**70], [0, 1], {"labels": 3}, r"predictions\[1\] is int: 1180\d*, but label numbers go from 0 to 2"),
    ([2, 5], [2, 3], {"labels": [2, 3, 2**70]}, r"predictions\[1\] is int: 5, .*among the 3 classes"),
    ([["a"]], ["a"], {"task": "single"}, r"predictions\[0\] is list.*task=multi or ranked"),
    (EYE, [["a"], ["b"]], {"task": "multi"}, r"references\[0\]\[0\] is str: 'a'"),
    ([{"a"}], [["a"]], {"task": "ranked"}, r"predictions\[0\] must be list or tuple"),
    (csr_matrix(EYE), EYE, {"task": "multi"}, r"predictions is a sparse matrix; .*toarray\(\)"),
    ([1, 2], [1, 2], {"labels": ["a", "b"]}, r"predictions\[0\] is int: 1, but the option labels has str: 'a'"),
    ([0], [1], {"zero_division": 0.5}, "zero_division=0.5 .*0.0, 1.0, nan"),
    ([0], [1], {"task": "ranked", "per_class": True}, "task=ranked .*per_class"),
    ([0], [1], {"labels": 10**8}, "option labels has 100,000,000 classes, and at most 5,000,000 can be counted"),
    ([0], [1], {"labels": []}, "option labels is empty"),
]


@pytest.mark.parametrize(("predictions", "references", "options", "message"), BAD_ROWS)
def test_bad_rows(predictions, references, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        score(predictions, references, **options)
