"""Layouts of labels: the same numbers from each, the task that they tell, and bad input."""

import numpy as np
import pytest

from qassay.core.label_encoding import LabelList, LabelNumbers, code_labels, to_label_list
from qassay.core.scores import Scores
from qassay.label_metrics.columns import distinct_labels, label_task
from qassay.label_metrics.scoring import LabelOptions, score_labels


def score(predictions, references, ids=None, weights=None, **options) -> Scores:
    return score_labels(predictions, references, ids, weights, options=LabelOptions(**options))


# --- layouts ----------------------------------------------------------------------------------------------------------


def test_one_label_in_every_layout():
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    found, true = [3, 1, 1, 7], [3, 1, 7, 7]
    texts, gold = [f"c{x}" for x in found], [f"c{x}" for x in true]
    wanted = score(found, true)
    assert wanted.options.classes.labels == [1, 3, 7]
    for make in (
        tuple,
        iter,
        np.array,
        pd.Series,
        pa.array,
        lambda x: np.array(x, np.uint8),
        lambda x: pa.chunked_array([x]),
    ):
        assert score(make(found), make(true)) == wanted
    named = score(texts, gold)
    assert named.options.classes.labels == ["c1", "c3", "c7"] and named.summary() == wanted.summary()
    for make in (np.array, pd.Series, pa.array, lambda x: pa.chunked_array([x[:1], x[1:]])):
        assert score(make(texts), make(gold)) == named
    assert score([True, False], [True, True]).options.classes.labels == [False, True]
    assert score([10**30, -5], [-5, -5]).options.classes.labels == [-5, 10**30]
    assert score([2**63, 2**63 + 1], np.array([2**63, 2**63], np.uint64)).summary()["accuracy"] == 0.5
    assert score([0.5, 1.5], [0.5, 0.5]).options.classes.labels == [0.5, 1.5]
    assert score([(1, "a")], [("b", 1)], task="single").options.classes.labels == [("b", 1), (1, "a")]
    far = score([-(2**62), 2**62], [2**62, 2**62])  # too far apart for a table
    assert far.options.classes.labels == [-(2**62), 2**62] and far.summary()["accuracy"] == 0.5


def test_classes_in_an_order_of_the_users():
    scores = score([5, 2], [2, 2], labels=[5, 9, 2])
    assert scores.columns["prediction"].tolist() == [0, 2] and scores.columns["reference"].tolist() == [2, 2]
    assert score(["b"], ["a"], labels=np.array(["b", "a"])).columns["prediction"].tolist() == [0]
    assert score(["b"], ["a"], labels={"b", "a"}).columns["prediction"].tolist() == [1]


def test_lists_of_0_and_1_are_not_mistaken_for_label_numbers():
    found, true = [[0, 1, 1], [1, 1, 0]], [[0, 1, 1], [0, 1, 0]]
    for predictions, references in (
        (found, true),
        (list(map(set, found)), true),
        (found, [{0}, {1}]),
        (np.array(found), true),
        ([[True, False, True]], [[True]]),
    ):
        with pytest.raises(ValueError, match=r"\[0\] is list: .* give the option layout='indicator'"):
            score(predictions, references, task="multi")
    wanted = score(np.array(found), np.array(true), task="multi").summary()
    assert score(found, true, task="multi", layout="indicator").summary() == wanted and wanted["exact_match"] == 0.5
    # What may be label numbers stays so: rows of several lengths, other numbers, no label twice.
    for rows in ([[0, 1], [1]], [[0, 1], [1, 0]], [[1], [0]], [[0, 2, 2], [1, 1, 0]], [["0", "1", "1"]]):
        assert score(rows, rows, task="multi").summary()["exact_match"] == 1


def test_true_labels_of_rankings_as_rows_of_0_and_1():
    scores, true = np.array([[0.1, 0.9, 0.5], [0.9, 0.1, 0.2]]), [[0, 1, 1], [0, 1, 0]]
    with pytest.raises(ValueError, match=r"references\[0\] is list: .* layout='indicator'"):
        score(scores, true)
    wanted = score(scores, np.array(true)).summary()
    for task in ("auto", "ranked"):
        assert score(scores, true, task=task, layout="indicator").summary() == wanted
    ranked = score([[1, 2, 0], [0, 2, 1]], true, task="ranked", layout="indicator", labels=3)
    assert ranked.summary() == wanted and wanted["p@1"] == 0.5
    with pytest.raises(ValueError, match=r"references\[1\] has 3 labels, as many as .* layout='indicator'"):
        score(scores, [[0], [2, 0, 2]])
    assert score(scores, [[0], [2, 0, 1]]).summary()["r@3"] == 1


def test_sets_in_every_layout():
    sparse = pytest.importorskip("scipy.sparse", reason="sparse matrices are those of scipy")
    found, true = np.array([[1, 0, 1], [0, 0, 0]]), np.array([[1, 1, 0], [0, 1, 0]])
    wanted = score(found, true, task="multi")
    lists = [[[0, 2], []], [(0, 1), (1,)]]
    for predictions, references, options in (
        (found.astype(bool), true, {}),
        (found.astype(float), true.astype(np.int8), {}),
        (sparse.csr_matrix(found), sparse.csc_matrix(true), {}),
        (sparse.csr_matrix(found), true, {}),
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
    explicit = sparse.csr_matrix((np.array([1, 0]), [0, 1], [0, 2]), shape=(1, 2))  # a stored 0
    assert score(explicit, np.array([[1, 0]])).summary()["exact_match"] == 1
    named = score([{"a", "c"}, set()], [["b", "a"], ["b"]], labels=["a", "b", "c"])
    assert named.summary() == wanted.summary()
    assert score(found, [["a", "b"], ["b"]], labels=["a", "b", "c"], task="multi").summary() == wanted.summary()


def test_tasks_that_the_layout_tells():
    flags, ranks = np.array([[0, 1]]), np.array([[4, 2]])
    assert label_task(flags, flags, "auto") == "multi" and label_task(ranks, [[1]], "auto") == "ranked"
    assert label_task(np.array([[0.5, 0.2]]), flags, "auto") == "ranked"
    assert label_task([[0, 1]], [[1, 1]], "indicator") == "multi"
    assert score([["a"]], [["a"]], k=2).options.task == "ranked"
    for predictions, references in (([["a"]], [["a"]]), (np.array([[0, 1]]), [[0, 1]])):
        with pytest.raises(ValueError, match="give the option task='multi' or task='ranked'"):
            label_task(predictions, references, "auto")
    with pytest.raises(ValueError, match="lists of labels on both sides"):
        label_task(["a"], [["a"]], "auto")


def test_label_lists():
    assert LabelList([0, 1]) == LabelList(range(2)) and LabelList(["a"]) != LabelList(["a"], given=False)
    assert LabelList(["a"]) != LabelList(["b"]) and LabelList(["a"]) != "a" and "1-" in repr(LabelList(["a"]))
    assert to_label_list(LabelList(["a"])) == LabelList(["a"]) and hash(LabelList(["a"])) == hash(LabelList(["a"]))
    assert LabelNumbers({"a": 1}, "label_counts") == LabelNumbers({"a": 1}, "label_counts") != LabelNumbers([1], "x")
    for labels, message in ((["a", "b", "a"], "'a' twice"), ([], "is empty"), (0, "is empty")):
        with pytest.raises(ValueError, match=message):
            to_label_list(labels)
    with pytest.raises(TypeError, match="labels of mixed type"):
        to_label_list([1, "1"])


def test_codes_and_distinct_labels():
    codes, classes = code_labels({"a": [], "b": []}, None, "{}[{}]".format)
    assert codes["a"].tolist() == [] and classes.labels == []
    assert distinct_labels(np.array([2, 0, 1]), np.array([2**61, 2**61, 3])).tolist() == [[2**61], [], [3]]


# --- bad input --------------------------------------------------------------------------------------------------------


BAD_ROWS = {
    ValueError: [
        (["a"], [], {}, "references is empty"),
        ([], [], {"task": "multi"}, "references is empty"),
        ([], [], {"task": "ranked"}, "references is empty"),
        (["cat", "dig"], ["cat", "dog"], {"labels": ["cat", "dog"]}, r"predictions\[1\].*did you mean 'dog'"),
        ([0, 4], [0, 1], {"labels": 3}, r"predictions\[1\] is int: 4, but label numbers go from 0 to 2"),
        ([0, 4], [0, 1], {"labels": [1, 0]}, r"predictions\[1\] is int: 4, which is not among the 2 classes"),
        ([10**30], [0], {"labels": 3}, r"predictions\[0\] is int: 1000"),
        ([1.0, float("nan")], [1.0, 1.0], {}, r"predictions\[1\] is NaN"),
        ([["a"], ["b", "x"]], [["a"], ["b"]], {"task": "multi", "labels": ["a", "b"]}, r"predictions\[1\]\[1\]"),
        (np.array([[0, 2]]), np.array([[0, 1]]), {"task": "multi"}, r"predictions\[0\]\[1\] is 2; .*0 and 1"),
        ([[0, 1], [1]], [[0, 1], [1, 1]], {"layout": "indicator"}, r"predictions\[1\] must be a list of 2"),
        ([[[0], [1]]], [[1, 0]], {"layout": "indicator"}, "array of shape"),
        (np.eye(2), np.eye(3)[:2], {"task": "multi"}, "predictions 2, references 3"),
        (np.eye(2), np.eye(2), {"task": "multi", "labels": 3}, "2 columns, but the option labels has 3"),
        (np.eye(2), [[5], [0]], {"task": "multi"}, r"references\[0\]\[0\] is int: 5, but label numbers go from 0 to 1"),
        ([["a", "b", "a"]], [["a"]], {"task": "ranked"}, r"predictions\[0\] ranks the label 'a' twice"),
        (np.array([[3, 1, 3]]), [[1]], {"task": "ranked", "k": 20}, "ranks the label 3 twice"),
        ([{"a": 1.0, "b": float("nan")}], [["a"]], {}, r"predictions\[0\] has the score nan"),
        (np.array([[0.5, 0.1], [0.2, np.inf]]), [[0], [1]], {}, r"predictions\[1\] has the score inf"),
        ([{"indices": [1, 2], "scores": [1.0]}], [[1]], {}, "2 indices and 1 scores"),
        ([{"indices": [1], "scores": [1.0]}, {"indices": [1]}], [[1], [1]], {}, r"predictions\[1\] must be"),
        ([{"indices": [7], "scores": [1.0]}], [[1]], {"labels": 3}, "label number 7; they go from 0 to 2"),
        (np.array([[4, 2], [1, 9]]), [[1], [2]], {"labels": 5}, r"predictions\[1\]\[1\] is 9; .* 0 to 4"),
        (np.array([[4, -2]]), [[1]], {"task": "ranked"}, r"predictions\[0\]\[1\] is -2"),
        (np.array([[4, 2]]), [[-1]], {"task": "ranked"}, r"references\[0\]\[0\] is int: -1"),
        ([["b"]], [["a"]], {"inverse_propensities": {"b": 1.0}}, "no number for label 'a'"),
        ([["b"]], [["a"]], {"label_counts": [1, 2], "n_train": 5}, "whose order only the option labels"),
        ([[7]], [[7]], {"label_counts": [1, 2], "n_train": 5}, "2 numbers and so none for label 7"),
    ],
    TypeError: [
        (["0"], ["1"], {"labels": 3}, r"predictions\[0\] is str: '0', but the option labels has int: 0"),
        (np.array([1]), np.array([0.5]), {}, r"predictions\[0\] is int: 1, references\[0\] is float: 0.5"),
        ([1, "1"], [1, 1], {}, r"mixed type: predictions\[0\] is int: 1, predictions\[1\] is str: '1'"),
        ([1, 1], ["1", "1"], {}, r"mixed type: predictions\[0\] is int: 1, references\[0\] is str: '1'"),
        ([1, True], [1, 1], {}, r"mixed type.*predictions\[1\] is bool: True"),
        (["a", None], ["a", "a"], {}, r"predictions\[1\] is None"),
        ([{"a": []}], ["a"], {"task": "single"}, r"predictions\[0\] is dict.*not a label"),
        ([["a"]], ["a"], {"task": "single"}, r"predictions\[0\] is list.*task='multi' or 'ranked'"),
        ([("a", [])], ["a"], {"task": "single"}, r"predictions\[0\] is tuple"),
        (np.eye(2), np.eye(2), {"task": "single"}, "predictions is a matrix"),
        (["a"], ["a"], {"task": "multi"}, r"predictions\[0\] must be a list, got str: 'a'"),
        ([["a"], None], [["a"], ["a"]], {"task": "multi"}, r"predictions\[1\] must be a list, got None"),
        ([["a", None]], [["a"]], {"task": "multi"}, r"predictions\[0\]\[1\] is None"),
        ([["a"], []], [[], [1]], {"task": "multi"}, r"references\[1\]\[0\] is int: 1"),
        (np.array([["0", "1"]]), np.array([[0, 1]]), {"task": "multi"}, "holds 0 and 1"),
        (np.eye(2), [["a"], ["b"]], {"task": "multi"}, r"references\[0\]\[0\] is str: 'a', but predictions are"),
        ([{"a"}], [["a"]], {"task": "ranked"}, r"predictions\[0\] must be a list"),
        ([{"a": 1.0}, {"b": "2"}], [["a"], ["b"]], {}, r"predictions\[1\] has the score str: '2' for label 'b'"),
        ([{"a": 1.0}, ["b"]], [["a"], ["b"]], {}, r"predictions\[1\] must be a dict"),
        ([{"indices": ["a"], "scores": [1.0]}], [["a"]], {"labels": ["a"]}, "'indices' must be integers"),
        (np.array([[True]]), [[0]], {"task": "ranked"}, "array of bool"),
        (np.array([[4, 2]]), [["a"]], {"task": "ranked"}, r"references\[0\]\[0\] is str: 'a'"),
        ([["a"]], ["a"], {"task": "ranked"}, r"references\[0\] must be a list, got str"),
        ([["b"]], [["a"]], {"inverse_propensities": {1: 1.0}}, "has the label int: 1, but the labels are like"),
    ],
}


@pytest.mark.parametrize(
    ("error", "predictions", "references", "options", "message"),
    [(error, *row) for error, rows in BAD_ROWS.items() for row in rows],
)
def test_bad_rows(predictions, references, options, error, message):
    with pytest.raises(error, match=message):
        score(predictions, references, **options)


def test_bad_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse", reason="sparse matrices are those of scipy")
    with pytest.raises(ValueError, match=r"references\[1\] is 2; an indicator"):
        score(np.eye(2), sparse.csr_matrix([[0, 1], [2, 0]]), task="multi")
    with pytest.raises(ValueError, match=r"predictions\[1\] has the score nan"):
        score(sparse.csr_matrix([[0.5, 1], [np.nan, 0]]), [[0], [1]])
    twice = sparse.csr_matrix((np.array([0.5, 0.6]), [1, 1], [0, 2]), shape=(1, 3))
    with pytest.raises(ValueError, match="ranks the label 1 twice"):
        score(twice, [[1]], task="ranked")


def test_ids_and_weights():
    scores = score(["a", "b"], ["a", "a"], ["q1", "q2"], [1, 3])
    assert list(scores.ids) == ["q1", "q2"] and scores.summary()["accuracy"] == 0.25
    with pytest.raises(TypeError, match=r"predictions\[1\] \(id 'q2'\) is None"):
        score(["a", None], ["a", "a"], ["q1", "q2"])


def test_scores_per_class_of_one_label():
    logits = np.array([[0.1, 2.5], [1.5, -0.3]])
    for references in ([1, 0], np.array([1, 0]), ["a", "b"]):
        with pytest.raises(TypeError, match=r"a score per class, and references one label .*scores\.argmax\(axis=1\)"):
            score(logits, references)
    assert score(logits.argmax(axis=1), np.array([1, 0])).summary("accuracy") == {"accuracy": 1.0}
