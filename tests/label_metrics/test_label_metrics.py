"""The evaluate module label_metrics: matrices, whole and in batches."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix

from qassay.label_metrics.scoring import LabelOptions, score_labels


def LabelMetrics(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.label_metrics.module import LabelMetrics

    return LabelMetrics(*config, **options)


RNG = np.random.default_rng(0)
TRUE = RNG.random((8, 6)) < 0.4
SCORES = RNG.random((8, 6))
SPARSE = csr_matrix(SCORES * (RNG.random((8, 6)) < 0.7))


def found(given, **options):
    return score_labels(**given, options=LabelOptions(**options)).summary()


@pytest.mark.parametrize(
    ("predictions", "references", "options"),
    [
        (SPARSE, csr_matrix(TRUE), {}),
        (SPARSE.tocoo(), coo_matrix(TRUE), {}),
        (np.argsort(-SCORES)[:, :4], [np.flatnonzero(row).tolist() for row in TRUE], {"labels": 6}),
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


@pytest.mark.parametrize("other", [SCORES[:, :5], csr_matrix(SCORES)])
def test_batches_of_different_matrices(other):
    metric = LabelMetrics()
    for predictions in (SCORES, other):
        metric.add_batch(predictions=predictions, references=TRUE)
    with pytest.raises(ValueError, match="predictions came in"):
        metric.compute()
