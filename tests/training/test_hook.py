"""Shared behaviour of the hooks: the reported numbers, and batches in every calling mode of Trainer."""

from types import SimpleNamespace

import numpy as np
import pytest

import qassay
from qassay.training.hook import LoggedMeasures, TrainerMetrics, refuse_nan, to_array

SCORES = qassay.score("answer_match", ["Rome", "Oslo"], [["Rome"], ["Ur"]])


class Same(TrainerMetrics):
    """Scores texts against labels."""

    def _reset(self):
        self.predicted, self.true = [], []

    def _add(self, predictions, labels):
        self.predicted += predictions
        self.true += [[text] for text in labels]

    def _score(self):
        return qassay.score("answer_match", self.predicted, self.true)


def prediction(predictions, labels):
    return SimpleNamespace(predictions=predictions, label_ids=labels)


def test_a_report_has_the_requested_parts():
    empty = {name for name in SCORES.measures if name.startswith("no_answer_") and name != "no_answer_total"}
    assert LoggedMeasures().numbers(SCORES) == {
        name: value for name, value in SCORES.summary().items() if name not in empty
    }
    found = LoggedMeasures(["f1", "total"], level=0.9, n_resamples=50, bootstrap_seed=3).numbers(SCORES)
    low, high = SCORES.interval(0.9, 50, 3, ["f1"])["f1"]
    assert found == {"f1": 0.5, "total": 2, "f1_low": low, "f1_high": high}  # a count has no interval
    with pytest.raises(ValueError, match="no measure 'f2'.*available: exact_match"):
        LoggedMeasures(["f1", "f2"]).check(SCORES)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"measures": "f1"}, TypeError, "measures"),
        ({"level": 95}, ValueError, "level"),
        ({"n_resamples": 0}, ValueError, "n_resamples"),
        ({"bootstrap_seed": -1}, ValueError, "bootstrap_seed"),
    ],
)
def test_unknown_reports_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        LoggedMeasures(**arguments)


def test_batches_come_in_every_way():
    made = Same(LoggedMeasures(["exact_match", "total"]))
    expected = {"exact_match": 0.5, "total": 2}
    assert made.scores is None
    assert made(prediction(("Rome", "Oslo"), ["Rome", "Ur"])) == expected
    assert made(prediction([["Rome"], ["Oslo"]], [["Rome"], ["Ur"]])) == expected
    assert made(prediction([["Rome"]], [["Rome"]]), compute_result=False) == {}
    assert made(prediction([["Oslo"]], [["Ur"]]), compute_result=True) == expected
    assert made.scores == SCORES


def test_after_an_error_nothing_is_left():
    made = Same(LoggedMeasures(["total"]))
    made(prediction([["Rome"]], [["Rome"]]), compute_result=False)
    with pytest.raises(TypeError):
        made(prediction([["Rome"]], None))
    assert made(prediction([["Oslo"]], [["Ur"]])) == {"total": 1}
    with pytest.raises(ValueError, match="shorter"):
        made(prediction([["a"], ["b"]], [["a"]]))
    with pytest.raises(TypeError, match="takes an EvalPrediction of Trainer.*got list"):
        made([["a"]])


@pytest.mark.thorough
def test_arrays_of_tensors_of_every_kind():
    torch = pytest.importorskip("torch")
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.int64, torch.bool):
        found = to_array(torch.ones(2, 3, dtype=kind, requires_grad=kind.is_floating_point), "logits")
        assert isinstance(found, np.ndarray) and found.shape == (2, 3) and (found == 1).all()
    assert to_array(torch.ones(1, dtype=torch.bfloat16), "logits").dtype == np.float32


def test_infinite_values_are_distinguished_from_masks():
    refuse_nan(np.array([[-np.inf, 1.0]]), "logits")
    refuse_nan(np.zeros((0, 3)), "logits")
    with pytest.raises(ValueError, match=r"logits\[5\] has an infinite value"):
        refuse_nan(np.array([[0.0, 1.0], [np.inf, 0.0]]), "logits", first_row=4)
    with pytest.raises(ValueError, match=r"logits\[4\] has NaN"):
        refuse_nan(np.array([[[0.0, np.nan]], [[np.inf, 0.0]]]), "logits", first_row=4)
