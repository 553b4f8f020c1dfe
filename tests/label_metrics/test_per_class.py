"""Scores of each class against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

import qassay
from qassay.label_metrics.per_class import class_scores

LABELS = st.sampled_from(["cat", "dog", "emu"])


@given(st.lists(st.tuples(LABELS, LABELS, st.sampled_from([0.5, 1.0, 3.0])), min_size=1, max_size=12))
@settings(deadline=None)
def test_one_label_is_scikit_learns(rows):
    predictions, references, weights = zip(*rows, strict=True)
    scores = qassay.score("label_metrics", list(predictions), list(references), weights=list(weights), task="single")
    names = sorted({*predictions, *references})
    peer = precision_recall_fscore_support(
        references, predictions, labels=names, sample_weight=weights, zero_division=0
    )
    for metric, column in zip(("precision", "recall", "f1"), peer, strict=False):
        found = class_scores(scores, metric)
        assert list(found) == names
        np.testing.assert_allclose([result.value for result in found.values()], column)
        np.testing.assert_allclose([result.support for result in found.values()], peer[3])


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
