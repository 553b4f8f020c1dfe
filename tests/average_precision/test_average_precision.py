"""The evaluate module average_precision: loading, options, batches, its card and its cases."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from qassay.average_precision.average_precision import AveragePrecision
from qassay.average_precision.scoring import CurveOptions, score_curves

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "metrics" / "average_precision"
GIVEN = {"predictions": [0.9, 0.6, 0.4, 0.4], "references": [True, False, True, False]}
BOXES = {
    "predictions": [{"boxes": [[0, 0, 9, 9]], "scores": [0.5]}, None],
    "references": [{"boxes": [[0, 0, 9, 8]]}, {"boxes": [[1, 1, 2, 2]]}],
}
CLASSES = {"predictions": [{"a": 0.9, "b": 0.2}, {"a": 0.8, "b": 0.7}], "references": ["a", "b"]}


def test_equals_the_function():
    for given, options in ((GIVEN, {}), (CLASSES, {"per_class": True}), (BOXES, {"task": "boxes"})):
        expected = score_curves(**given, options=CurveOptions(**options)).summary()
        assert (
            AveragePrecision(**options).compute(**given) == AveragePrecision().compute(**given, **options) == expected
        )


def test_the_card_names_every_key():
    card = (FOLDER / "README.md").read_text("utf-8")
    for given, options in ((GIVEN, {"thresholds": [0.5]}), (CLASSES, {}), (BOXES, {"task": "boxes"})):
        for name in score_curves(**given, options=CurveOptions(**options)).summary():
            assert f"`{name}`" in card


def test_wrong_options_and_columns():
    with pytest.raises(TypeError, match="thresholds must be finite numbers"):
        AveragePrecision(thresholds=["a"])
    for name in ("task", "style", "box_format", "per_class"):
        with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
            AveragePrecision(**{name: None})
    with pytest.raises(ValueError, match="references missing"):
        AveragePrecision().compute(predictions=[0.5])
    with pytest.raises(ValueError, match=r"predictions\[1\] is nan"):
        AveragePrecision().compute(predictions=[0.5, float("nan")], references=[True, False])


def test_batches_equal_one_call():
    for given, options in ((CLASSES, {}), (BOXES, {"task": "boxes"})):
        metric = AveragePrecision(**options)
        whole = metric.compute(**given)
        for prediction, reference in zip(given["predictions"][:-1], given["references"][:-1], strict=True):
            metric.add_batch(predictions=[prediction], references=[reference])
        metric.add_batch(predictions=given["predictions"][-1:], references=given["references"][-1:])
        assert metric.compute() == whole


def test_arrays_and_dicts():
    whole = AveragePrecision().compute(**GIVEN)
    assert AveragePrecision().compute(**{name: np.array(column) for name, column in GIVEN.items()}) == whole
    with pytest.raises(ValueError, match="the id 'x'"):
        AveragePrecision().add_batch(predictions={"w": 0.5}, references={"w": True, "x": True})
    table, truth = np.array([[0.9, 0.2], [0.8, 0.7]]), np.array([[True, False], [False, True]])
    expected = AveragePrecision().compute(**CLASSES)
    assert AveragePrecision().compute(predictions=table, references=truth) == expected


@pytest.mark.parametrize("form", ["numbers", "bools", "floats", "torch", "float32 torch", "pandas"])
def test_tables_of_0_and_1_are_no_lists_of_classes(form):
    table, truth = np.array([[0.9, 0.1], [0.3, 0.8]]), np.array([[0, 1], [1, 0]])
    expected = score_curves(table, truth).summary()
    assert expected["map"] == 0.5
    if "torch" in form:
        table = torch.tensor(table, dtype=torch.float32 if "32" in form else torch.float64, requires_grad=True)
        truth = torch.tensor(truth)
    elif form != "numbers":
        truth = truth.astype({"bools": bool, "floats": float, "pandas": int}[form])
    if form == "pandas":
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


def test_columns_of_libraries():
    whole = AveragePrecision().compute(**GIVEN)
    for kind in (np.array, torch.tensor, pd.Series, pa.array):
        columns = {name: kind(column) for name, column in GIVEN.items()}
        assert AveragePrecision().compute(**columns, ids=kind([1, 2, 3, 4]), weights=kind([1.0] * 4)) == whole
        metric = AveragePrecision()
        metric.add_batch(**columns)
        assert metric.compute() == whole


def test_arrays_reach_the_core_as_they_are(monkeypatch):
    seen = []
    monkeypatch.setattr(
        AveragePrecision, "function", staticmethod(lambda **given: seen.append(given) or score_curves(**given))
    )
    scores, truth = np.array(GIVEN["predictions"]), pa.array(GIVEN["references"])
    AveragePrecision().compute(predictions=scores, references=truth)
    assert seen[0]["predictions"] is scores and seen[0]["references"] is truth


def test_the_curve_on_request():
    curve = AveragePrecision().compute(**GIVEN, curve=True)["curve"]
    assert curve == {
        "precisions": [0.5, 0.5, 1.0, 1.0],
        "recalls": [1.0, 0.5, 0.5, 0.0],
        "thresholds": [0.4, 0.6, 0.9],
    }
    classes = AveragePrecision().compute(**CLASSES, curve=True)["curve"]
    assert list(classes) == ["a", "b"]
    assert classes["a"] == {"precisions": [0.5, 1.0, 1.0], "recalls": [1.0, 1.0, 0.0], "thresholds": [0.8, 0.9]}
    assert "curve" not in AveragePrecision().compute(**GIVEN)
    with pytest.raises(ValueError, match="of the task 'scores'"):
        AveragePrecision().compute(**BOXES, task="boxes", curve=True)
