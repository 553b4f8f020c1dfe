"""The evaluate module label_metrics: matrices, whole and in batches."""

import numpy as np
import pytest

import qassay

RNG = np.random.default_rng(0)
TRUE = RNG.random((8, 6)) < 0.4
SCORES = RNG.random((8, 6))


@pytest.mark.parametrize(
    ("predictions", "references", "options"),
    [
        (SCORES, TRUE, {}),
        (np.argsort(-SCORES)[:, :4], [np.flatnonzero(row).tolist() for row in TRUE], {"labels": 6}),
        (TRUE[::-1], TRUE, {"task": "multi"}),
    ],
)
def test_matrices_reach_the_core(predictions, references, options):
    expected = qassay.score("label_metrics", predictions, references, **options).summary()
    metric = qassay.load("label_metrics", **options)
    assert metric.compute(predictions=predictions, references=references) == expected
    for part in (slice(0, 3), slice(3, 8)):
        metric.add_batch(predictions=predictions[part], references=references[part])
    assert len(metric) == 8
    assert metric.compute() == expected


def test_batches_of_different_matrices():
    metric = qassay.load("label_metrics")
    for predictions in (SCORES, SCORES[:, :5]):
        metric.add_batch(predictions=predictions, references=TRUE)
    with pytest.raises(ValueError, match="predictions came in"):
        metric.compute()
