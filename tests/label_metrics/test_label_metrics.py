"""The evaluate module label_metrics: loading, options, layouts, batches, its card and its cases."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix

from qassay.label_metrics.scoring import LabelOptions, score_labels


def LabelMetrics(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.label_metrics.label_metrics import LabelMetrics

    return LabelMetrics(*config, **options)


ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "metrics" / "label_metrics"
ONE = {"predictions": ["cat", "dog", "dog", "cow"], "references": ["cat", "cat", "dog", "fox"]}
SETS = {"predictions": [["a"], ["b", "c"], [], ["a"]], "references": [["a", "b"], ["b"], [], ["c"]]}
RANKED = {"predictions": [["b", "a", "c"], ["c", "a"], ["a"]], "references": [["a", "c"], ["b"], []]}
COUNTS = {"label_counts": {"a": 5, "b": 2}, "n_train": 10, "A": 0.5, "B": 2.0}
TASKS = (
    (ONE, {"per_class": True}),
    (SETS, {"task": "multi", "labels": ["c", "b", "a"]}),
    (RANKED, {"k": (1, 2), "task": "ranked"} | COUNTS),
)
RNG = np.random.default_rng(0)
TRUE = RNG.random((8, 6)) < 0.4
SCORES = RNG.random((8, 6))
SPARSE = csr_matrix(SCORES * (RNG.random((8, 6)) < 0.7))


def found(given, **options):
    return score_labels(**given, options=LabelOptions(**options)).summary()


@pytest.mark.parametrize(("given", "options"), TASKS)
def test_batches_equal_one_call(given, options):
    metric, expected = LabelMetrics(**options), found(given, **options)
    parts = [{name: column[rows] for name, column in given.items()} for rows in (slice(1), slice(1, None))]
    metric.add_batch(**parts[0])
    for prediction, reference in zip(*parts[1].values(), strict=True):
        metric.add(prediction=prediction, reference=reference)
    assert metric.compute() == LabelMetrics().compute(**given, **options) == expected
    metric.add_batch(**parts[0])
    assert metric.compute(**parts[1], **options) == expected


@pytest.mark.parametrize(
    ("predictions", "references", "options"),
    [
        (SPARSE, csr_matrix(TRUE), {}),
        (SPARSE.tocoo(), coo_matrix(TRUE), {}),
        (SCORES, TRUE, {}),
        (np.argsort(-SCORES)[:, :4], [np.flatnonzero(row).tolist() for row in TRUE], {"labels": 6}),
        (TRUE[::-1], TRUE, {}),
        (csr_matrix(TRUE[::-1]), csr_matrix(TRUE), {"task": "multi"}),
    ],
)
def test_matrices_reach_the_core(predictions, references, options):
    expected = found({"predictions": predictions, "references": references}, **options)
    metric = LabelMetrics(**options)
    assert metric.compute(predictions=predictions, references=references) == expected
    rows = [column.tocsr() if hasattr(column, "tocsr") else column for column in (predictions, references)]
    for part in (slice(0, 3), slice(3, 8)):
        metric.add_batch(predictions=rows[0][part], references=rows[1][part])
    assert len(metric) == 8
    assert metric.compute() == expected


def test_the_confusion_matrix_on_request():
    result = LabelMetrics().compute(**ONE, confusion=True, labels=["cat", "dog", "cow", "fox"])
    assert result["confusion_matrix"] == {
        "labels": ["cat", "dog", "cow", "fox"],
        "counts": [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]],
    }
    with pytest.raises(ValueError, match="task='single'"):
        LabelMetrics().compute(**SETS, task="multi", confusion=True)


def test_batches_of_different_matrices():
    for other, error in ((SCORES[:, :5], ValueError), (csr_matrix(SCORES), TypeError), (SCORES.tolist(), TypeError)):
        metric = LabelMetrics()
        for predictions in (SCORES, other):
            metric.add_batch(predictions=predictions, references=TRUE)
        with pytest.raises(error, match=r"predictions\[8\] "):
            metric.compute()
