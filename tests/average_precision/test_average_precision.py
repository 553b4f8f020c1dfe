"""The evaluate module average_precision: loading, options, batches, its card and its cases."""

import numpy as np
import pytest

from qassay.average_precision.scoring import CurveOptions, score_curves


def AveragePrecision(*config, **options):
    """The metric of the script, which loads evaluate."""
    from qassay.average_precision.average_precision import AveragePrecision

    return AveragePrecision(*config, **options)


GIVEN = {"predictions": [0.9, 0.6, 0.4, 0.4], "references": [True, False, True, False]}
BOXES = {
    "predictions": [{"boxes": [[0, 0, 9, 9]], "scores": [0.5]}, None],
    "references": [{"boxes": [[0, 0, 9, 8]]}, {"boxes": [[1, 1, 2, 2]]}],
}
CLASSES = {"predictions": [{"a": 0.9, "b": 0.2}, {"a": 0.8, "b": 0.7}], "references": ["a", "b"]}


def test_batches_equal_one_call():
    for given, options in ((CLASSES, {"per_class": True}), (BOXES, {"task": "boxes"})):
        metric = AveragePrecision(**options)
        whole = score_curves(**given, options=CurveOptions(**options)).summary()
        assert metric.compute(**given) == AveragePrecision().compute(**given, **options) == whole
        for rows in (slice(-1), slice(-1, None)):
            metric.add_batch(**{name: column[rows] for name, column in given.items()})
        assert metric.compute() == whole


@pytest.mark.parametrize(
    "form", ["numbers", "bools", "floats", pytest.param("torch", marks=pytest.mark.thorough), "pandas"]
)
def test_tables_of_0_and_1_are_not_lists_of_classes(form):
    table, truth = np.array([[0.9, 0.1], [0.3, 0.8]]), np.array([[0, 1], [1, 0]])
    expected = score_curves(table, truth).summary()
    assert expected["map"] == 0.5
    if form == "torch":
        torch = pytest.importorskip("torch", reason="tensors are those of torch")
        table = torch.tensor(table, dtype=torch.float64, requires_grad=True)
        truth = torch.tensor(truth)
    elif form != "numbers":
        truth = truth.astype({"bools": bool, "floats": float, "pandas": int}[form])
    if form == "pandas":
        import pandas as pd

        with pytest.raises(TypeError, match="references is a whole DataFrame"):
            AveragePrecision().compute(predictions=table, references=pd.DataFrame(truth))
        return
    assert AveragePrecision().compute(predictions=table, references=truth) == expected
    metric = AveragePrecision()
    for row in range(2):
        metric.add_batch(predictions=table[row : row + 1], references=truth[row : row + 1])
    assert metric.compute() == expected
    metric.add_batch(predictions=table, references=truth)
    assert metric.compute() == expected
