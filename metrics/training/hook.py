"""What the `compute_metrics` of every task share: rows gathered batch by batch, scores, a flat dict of numbers."""

import abc
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from karat.core.columns import describe
from karat.core.options import check_whole
from karat.core.scores import Scores


@dataclasses.dataclass(frozen=True)
class Report:
    """Which numbers of Scores are logged.

    Attributes:
        measures: their names, in order; None for all, and the notes.
        level: adds `<measure>_low` and `<measure>_high`, the ends of that interval; None: no intervals.
        n_resamples, bootstrap_seed: of the intervals.

    Example:
        >>> import karat
        >>> Report(["f1"], level=0.9).numbers(karat.score("answer_match", ["Rome"], [["Rome"]]))
        {'f1': 1.0, 'f1_low': 1.0, 'f1_high': 1.0}
    """

    measures: Sequence[str] | None = None
    level: float | None = None
    n_resamples: int = 1000
    bootstrap_seed: int = 0

    def __post_init__(self):
        if isinstance(self.measures, str):
            raise TypeError(f"measures must be a list of names, got {describe(self.measures)}")
        if self.measures is not None:
            object.__setattr__(self, "measures", tuple(self.measures))
        if self.level is not None and not (isinstance(self.level, (int, float)) and 0 < self.level < 1):
            raise ValueError(f"level must be between 0 and 1, exclusive, for example 0.95; got {self.level!r}")
        check_whole("n_resamples", self.n_resamples)
        check_whole("bootstrap_seed", self.bootstrap_seed, 0)

    def check(self, scores: Scores) -> None:
        """Refuse names of measures that such scores do not have.

        Raises:
            ValueError: naming the measure and those there are.
        """
        if self.measures is not None:
            scores.summary(self.measures)

    def numbers(self, scores: Scores) -> dict[str, float | int]:
        """A flat dict of Python floats and ints."""
        found = scores.summary(self.measures)
        if self.level is not None:
            ends = scores.interval(self.level, self.n_resamples, self.bootstrap_seed, self.measures)
            for name, (low, high) in ends.items():
                found[f"{name}_low"], found[f"{name}_high"] = low, high
        return found


class TrainerMetrics(abc.ABC):
    """Base of the callables for `Trainer(compute_metrics=...)`; a subclass gathers rows and scores them.

    Works in every way in which Trainer calls it: once with all rows (`eval_accumulation_steps` or not), once with a list
    of batches (`eval_do_concat_batches=False`), or batch by batch (`batch_eval_metrics=True`), where little more than
    the answers is kept of a batch.

    Attributes:
        scores: the Scores of the last evaluation, for intervals, slices and single examples; None before the first.
    """

    def __init__(self, report: Report):
        self.report = report
        self.scores: Scores | None = None
        self._reset()

    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float | int]:
        """Score what Trainer gives.

        Args:
            prediction: an `EvalPrediction`: `predictions`, and `label_ids` where the task takes its labels from them.
            compute_result: of batches (`batch_eval_metrics`): False for one that is not the last, which gives an empty
                result, True for the last. None: these are all rows, and what an interrupted evaluation left is dropped.

        Raises:
            TypeError, ValueError: naming the row, or what does not fit, and the cure; the rows so far are dropped.
        """
        if compute_result is None:
            self.reset()
        try:
            for predictions, labels in _batches(prediction):
                self._add(predictions, labels)
            if compute_result is False:
                return {}
            found = self._result()
        except Exception:
            self._reset()
            raise
        self._reset()
        return found

    def reset(self) -> None:
        """Drop the batches of an evaluation that was interrupted, before the next one with `batch_eval_metrics`."""
        self._reset()

    def _result(self) -> dict[str, float | int]:
        self.scores = self._score()
        return self.report.numbers(self.scores)

    @abc.abstractmethod
    def _reset(self) -> None:
        """Drop the rows gathered so far."""

    @abc.abstractmethod
    def _add(self, predictions: Any, labels: Any) -> None:
        """Take the rows of a batch, or of the whole data set."""

    @abc.abstractmethod
    def _score(self) -> Scores:
        """Score the rows gathered."""


def _batches(prediction: Any) -> Iterator[tuple[Any, Any]]:
    """The predictions and labels of an EvalPrediction, once, or of each batch where they were not concatenated."""
    if not hasattr(prediction, "predictions"):
        raise TypeError(
            f"compute_metrics takes an EvalPrediction of Trainer, or an object with `predictions` and `label_ids`; "
            f"got {describe(prediction)}"
        )
    predictions, labels = prediction.predictions, getattr(prediction, "label_ids", None)
    if not isinstance(predictions, list):
        yield predictions, labels
        return
    labels = [None] * len(predictions) if labels is None else labels
    yield from zip(predictions, labels, strict=True)


def to_array(values: Any, name: str) -> np.ndarray:
    """An array of numbers from one of numpy or a tensor on any device; bfloat16 as float32.

    Raises:
        TypeError: it is neither, or does not hold numbers.

    Example:
        >>> to_array(np.zeros((2, 3), np.float32), "logits").shape
        (2, 3)
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        try:
            values = values.numpy()
        except TypeError:  # numpy has no bfloat16
            values = values.float().numpy()
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be an array or a tensor of numbers, got {describe(values)}")
    return values


def refuse_nan(values: np.ndarray, name: str, first_row: int = 0) -> None:
    """Refuse NaN and +inf in a matrix; -inf is a way to mask.

    Raises:
        ValueError: naming the row, counted from first_row.

    Example:
        >>> refuse_nan(np.array([[0.0, 1.0], [np.nan, 1.0]]), "logits")
        Traceback (most recent call last):
        ValueError: logits[1] has NaN: the model diverged, or ran in a precision too low; lower the learning rate or \
train and evaluate in float32 or bfloat16
    """
    if not values.size:
        return
    largest = values.reshape(len(values), -1).max(axis=1)
    if not (largest < np.inf).all():
        row = int(np.argmin(largest < np.inf))
        what = "NaN" if np.isnan(largest[row]) else "an infinite value"
        raise ValueError(
            f"{name}[{first_row + row}] has {what}: the model diverged, or ran in a precision too low; lower the "
            "learning rate or train and evaluate in float32 or bfloat16"
        )
