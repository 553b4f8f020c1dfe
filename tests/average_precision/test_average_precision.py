"""The evaluate module average_precision: loading, options, batches, its card and its cases."""

import dataclasses
import doctest
import inspect
import runpy
import threading
from pathlib import Path

import evaluate
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
        for metric in (evaluate.load(str(FOLDER)), AveragePrecision(**options)):
            result = metric.compute(**given, **options)
            assert result == expected
            assert {type(value) for value in result.values()} == {float, int}


def test_loads_by_relative_path(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert evaluate.load("./metrics/average_precision").name == "average_precision"


@pytest.mark.parametrize("case", runpy.run_path(str(FOLDER / "tests.py"))["test_cases"])
def test_cases_of_the_card(case):
    given = {name: value for name, value in case.items() if name != "result"}
    result = AveragePrecision().compute(**given)
    assert {name: result[name] for name in case["result"]} == pytest.approx(case["result"], rel=1e-12)


def test_doctests_of_script_and_card(monkeypatch):
    monkeypatch.chdir(ROOT)
    module = inspect.getmodule(type(evaluate.load("./metrics/average_precision")))
    failed, attempted = doctest.testmod(module)
    assert failed == 0 and attempted >= 7
    failed, attempted = doctest.testfile(str(FOLDER / "README.md"), module_relative=False)
    assert failed == 0 and attempted >= 10


def test_the_card_names_every_option_and_every_key():
    parameters = inspect.signature(AveragePrecision._compute).parameters
    for field in dataclasses.fields(CurveOptions):
        if field.init:
            assert parameters[field.name].default == field.default
    card = (FOLDER / "README.md").read_text("utf-8")
    inputs = card[card.index("### Inputs") : card.index("### Output Values")]
    assert [n for n in parameters if n != "self" and f"`{n}`" not in inputs and f"**{n}**" not in inputs] == []
    for given, options in ((GIVEN, {"thresholds": [0.5]}), (CLASSES, {}), (BOXES, {"task": "boxes"})):
        for name in score_curves(**given, options=CurveOptions(**options)).summary():
            assert f"`{name}`" in card


def test_options_at_load_and_at_compute():
    metric = AveragePrecision(interpolation="voc11")
    enveloped = metric.compute(**GIVEN)["average_precision"]
    assert metric.compute(**GIVEN, interpolation="none")["average_precision"] == pytest.approx((1 + 2 / 4) / 2)
    assert metric.compute(**GIVEN)["average_precision"] == enveloped


def test_wrong_options_and_columns():
    with pytest.raises(TypeError, match="'threshold'.*did you mean 'thresholds'"):
        AveragePrecision(threshold=[0.5])
    with pytest.raises(TypeError, match="thresholds must be finite numbers"):
        AveragePrecision(thresholds=["a"])
    for name in ("task", "style", "box_format", "per_class"):
        with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
            AveragePrecision(**{name: None})
    with pytest.raises(ValueError, match="has no config 'coco'"):
        AveragePrecision("coco")
    with pytest.raises(ValueError, match="references missing"):
        AveragePrecision().compute(predictions=[0.5])
    with pytest.raises(ValueError, match=r"predictions\[1\] is nan"):
        AveragePrecision().compute(predictions=[0.5, float("nan")], references=[True, False])


def test_batches_equal_one_call():
    for given, options in ((GIVEN, {}), (CLASSES, {}), (BOXES, {"task": "boxes"})):
        metric = AveragePrecision(**options)
        whole = metric.compute(**given)
        for prediction, reference in zip(given["predictions"][:-1], given["references"][:-1], strict=True):
            metric.add_batch(predictions=[prediction], references=[reference])
        metric.add_batch(predictions=given["predictions"][-1:], references=given["references"][-1:])
        assert metric.compute() == whole
    metric = AveragePrecision()
    for prediction, reference in zip(*GIVEN.values(), strict=True):
        metric.add(prediction=prediction, reference=reference)
    assert metric.compute() == AveragePrecision().compute(**GIVEN)


def test_arrays_and_dicts():
    whole = AveragePrecision().compute(**GIVEN)
    assert AveragePrecision().compute(**{name: np.array(column) for name, column in GIVEN.items()}) == whole
    by_id = {name: dict(zip("wxyz", column, strict=True)) for name, column in GIVEN.items()}
    assert AveragePrecision().compute(**by_id) == whole
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
    module = inspect.getmodule(AveragePrecision)
    monkeypatch.setattr(
        module, "score_curves", lambda *given, **kept: seen.append(given) or score_curves(*given, **kept)
    )
    scores, truth = np.array(GIVEN["predictions"]), pa.array(GIVEN["references"])
    AveragePrecision().compute(predictions=scores, references=truth)
    assert seen[0][0] is scores and seen[0][1] is truth


def test_batches_by_id():
    by_id = [dict(zip("wxyz", column, strict=True)) for column in GIVEN.values()]
    metric = AveragePrecision()
    for names in ("wx", "zy"):
        prediction, reference = ({name: side[name] for name in names} for side in by_id)
        metric.add_batch(predictions=prediction, references=reference)
    assert metric.compute(per_example=True)["per_example"]["id"] == ["w", "x", "z", "y"]
    with pytest.raises(ValueError, match="the id 'x'"):
        metric.add_batch(predictions={"w": 0.5}, references={"w": True, "x": True})


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


def test_more_on_request():
    result = AveragePrecision().compute(**GIVEN, per_example=True, level=0.9, n_resamples=50, signature=True)
    assert result["per_example"]["score"] == GIVEN["predictions"]
    assert result["per_example"]["label"] == GIVEN["references"]
    assert result["average_precision_low"] <= result["average_precision"] <= result["average_precision_high"]
    assert result["signature"].startswith("average_precision|task:scores|interp:none|ties:grouped|v:")


def test_threads_share_a_metric():
    rng = np.random.default_rng(0)
    scores, truth = rng.random(2000), rng.random(2000) < 0.5
    metric, found = AveragePrecision(), []
    threads = [
        threading.Thread(target=lambda: found.append(metric.compute(predictions=scores, references=truth)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(result == found[0] for result in found)
