"""The evaluate module average_precision: tables of several classes, whole and in batches."""

import numpy as np
import pytest

import qassay


@pytest.mark.parametrize("kind", ["arrays", pytest.param("tensors", marks=pytest.mark.thorough)])
def test_tables_of_0_and_1_are_not_lists_of_classes(kind):
    table, truth = np.array([[0.9, 0.1], [0.3, 0.8]]), np.array([[0, 1], [1, 0]])
    expected = qassay.score("average_precision", table, truth).summary()
    assert expected["map"] == 0.5
    if kind == "tensors":
        torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
        table, truth = torch.tensor(table, requires_grad=True), torch.tensor(truth)
    metric = qassay.load("average_precision")
    assert metric.compute(predictions=table, references=truth) == expected
    for row in range(2):
        metric.add_batch(predictions=table[row : row + 1], references=truth[row : row + 1])
    assert metric.compute() == expected
