"""The evaluate module average_precision: tables of several classes, whole and in batches."""

import numpy as np
import pandas as pd
import pytest

from qassay.average_precision.scoring import score_curves


def AveragePrecision(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.average_precision.average_precision import AveragePrecision

    return AveragePrecision(*config, **options)


@pytest.mark.parametrize("kind", [int, bool, float, pytest.param("torch", marks=pytest.mark.thorough)])
def test_tables_of_0_and_1_are_not_lists_of_classes(kind):
    table, truth = np.array([[0.9, 0.1], [0.3, 0.8]]), np.array([[0, 1], [1, 0]])
    expected = score_curves(table, truth).summary()
    assert expected["map"] == 0.5
    if kind == "torch":
        torch = pytest.importorskip("torch", reason="tensors are those of torch")
        table, truth = torch.tensor(table, requires_grad=True), torch.tensor(truth)
    else:
        truth = truth.astype(kind)
    metric = AveragePrecision()
    assert metric.compute(predictions=table, references=truth) == expected
    for row in range(2):
        metric.add_batch(predictions=table[row : row + 1], references=truth[row : row + 1])
    assert metric.compute() == expected


def test_what_the_module_refuses():
    with pytest.raises(TypeError, match="references is a whole DataFrame"):
        AveragePrecision().compute(predictions=np.eye(2), references=pd.DataFrame(np.eye(2)))
    boxes = {"predictions": [{"boxes": [[0, 0, 9, 9]], "scores": [0.5]}], "references": [{"boxes": [[0, 0, 9, 8]]}]}
    with pytest.raises(ValueError, match="task 'scores'"):
        AveragePrecision().compute(**boxes, task="boxes", curve=True)
