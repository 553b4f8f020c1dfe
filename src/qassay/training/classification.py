"""Classification: turns logits into labels and scores them."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import is_real
from ..core.options import check_whole
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..registry import get_family
from .hook import Batch, TrainerMetrics, other_number, refuse_nan, to_array
from .logged import LoggedMeasures

LabelOptions: Any
score_labels, LabelOptions = get_family("label_metrics").load()

_IGNORED = -100  # the label that torch losses ignore


class _LabelMetrics(TrainerMetrics):
    """Base of the label hooks: rows are predicted labels, true labels, and the number of ignored labels."""

    def __init__(self, labels: Any, options: Any, blank: Any, n_rows: int | None, report: LoggedMeasures):
        self.labels, self.options = labels, options
        self.n_rows = None if n_rows is None else check_whole("n_rows", n_rows)
        super().__init__(report, score_labels(blank, blank, options=options))

    def _arrays_of(self, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
        """The logits (the first output of a model) and the labels."""
        if batch.labels is None:
            raise ValueError(
                "there are no labels to compare with: the data set that Trainer evaluates needs a column of labels"
            )
        return to_array(batch.output, "logits"), to_array(batch.labels, "label_ids")

    def _check_logits(self, logits: np.ndarray) -> None:
        refuse_nan(logits, "logits", self._n)
        labels, n_classes = self.labels, logits.shape[-1]
        n_labels = len(labels) if isinstance(labels, list) else labels
        if n_labels is not None and n_labels != n_classes:
            raise ValueError(
                f"there are logits of {n_classes} classes, but {n_labels} labels; give labels for all classes"
            )

    def _score(self, parts: list[tuple[np.ndarray, np.ndarray, int]]) -> Scores:
        if self.n_rows not in (None, self._n):
            causes = other_number(self._n, self.n_rows)
            raise ValueError(f"there are {self._n:,} rows, but n_rows={self.n_rows:,}: {causes}")
        predicted, true, ignored = zip(*parts, strict=True)
        columns: list[Any] = [np.concatenate(predicted), np.concatenate(true)]
        if not len(columns[0]):
            raise ValueError("there is no label to score: none were given, or all of them are -100")
        single = self.options.task == "single"
        if single and isinstance(self.labels, list):
            columns = [[self.labels[number] for number in numbers.tolist()] for numbers in columns]
        scores: Scores = score_labels(*columns, options=self.options)
        notes = {"ignored": sum(ignored)} if single else {}
        return dataclasses.replace(scores, notes={**scores.notes, **notes})


class Classification(_LabelMetrics):
    """`compute_metrics` for one label per row or token: accuracy, and precision, recall and F1 with every average.

    The predicted class has the largest logit, the first one on a tie. Predictions may also be class numbers, from a
    `preprocess_logits_for_metrics`. Positions with the label -100 are omitted, as in the loss, and counted as `ignored`
    in the notes of the scores. Trainer does not identify the example of a row: for intervals over groups, pass the
    group of each row, in evaluation order, to `scores.with_groups(...)`.

    Args:
        labels: the names of the classes in order, the `id2label` of a model, or the number of classes; macro averages
            then cover all classes. None: the classes that occur, as in scikit-learn.
        measures: the measures to log; None: accuracy and macro F1. Those of a class need labels.
        n_rows: the number of rows of the evaluated data set, `len(eval_dataset)`; another number is refused, such as with
            dataloader_drop_last=True. None: not checked.
        confidence: also log intervals, as of `Scores.interval`: `accuracy_low` and `accuracy_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        options: options of `LabelOptions`: zero_division, per_class (`f1[cat]`).

    Raises:
        TypeError, ValueError: unknown options and measures of label_metrics. When called: logits with NaN or with a
            shape that does not match the labels, or another number of rows than n_rows.

    Example:
        >>> from types import SimpleNamespace
        >>> compute_metrics = Classification(["cat", "dog"])
        >>> logits = np.array([[2.0, 1.0], [0.0, 1.0], [3.0, 1.0]])
        >>> compute_metrics(SimpleNamespace(predictions=logits, label_ids=np.array([0, 1, 1])))
        {'accuracy': 0.6666666666666666, 'macro_f1': 0.6666666666666666}
    """

    def __init__(
        self,
        labels: Any = None,
        *,
        measures: Sequence[str] | None = None,
        n_rows: int | None = None,
        confidence: float | None = None,
        safe_names: bool = False,
        **options: Any,
    ):
        labels = _class_names(labels)
        chosen = LabelOptions.from_keywords(**{"task": "single", **options, "labels": labels})
        if chosen.task != "single":
            raise ValueError("Classification is for one label per row; use MultiLabel for sets and rankings of labels")
        blank = labels if isinstance(labels, list) else list(range(labels or 1))
        super().__init__(labels, chosen, blank, n_rows, LoggedMeasures(measures, confidence, safe_names))

    def _read(self, batch: Batch) -> tuple[np.ndarray, np.ndarray, int]:
        scores, truth = self._arrays_of(batch)
        if scores.ndim == truth.ndim + 1:
            self._check_logits(scores)
            if scores.shape[-1] == 1:
                raise ValueError(
                    "predictions have one logit per row, and the largest is always the first: turn them into class "
                    "numbers in preprocess_logits_for_metrics, such as (logits > 0).long().squeeze(-1)"
                )
            numbers = scores.argmax(axis=-1)
        else:
            numbers = scores
        if numbers.shape != truth.shape:
            raise ValueError(
                f"predictions have the shape {scores.shape}, labels {truth.shape}: give logits (..., classes) or class "
                "numbers (...) for labels (...); for 0 and 1 per class use MultiLabel"
            )
        for name, values in (("predictions", numbers), ("label_ids", truth)):
            if values.dtype.kind == "f" and (values != np.floor(values)).any():
                raise TypeError(f"{name} must be integers, got {values.dtype}: is this a regression?")
        kept = truth != _IGNORED
        columns = numbers[kept].astype(np.int64), truth[kept].astype(np.int64)
        if isinstance(self.labels, list):
            for name, column in zip(("predictions", "label_ids"), columns, strict=True):
                unknown = column[(column < 0) | (column >= len(self.labels))]
                if len(unknown):
                    raise ValueError(
                        f"{name}: the class {unknown[0]} has no name, there are {len(self.labels)}; give labels for all "
                        "classes"
                    )
        return *columns, int((~kept).sum())


class MultiLabel(_LabelMetrics):
    """`compute_metrics` for any number of labels per row: a logit per class, labels of 0 and 1 per class.

    Groups as in `Classification`.

    Args:
        labels: the names of the classes in order, the `id2label` of a model; None: 0, 1, 2, ...
        threshold: a class is predicted if its probability, the sigmoid of its logit, is above this.
        measures, n_rows, confidence, safe_names: as in `Classification`.
        options: options of `LabelOptions`: zero_division, per_class.

    Raises:
        TypeError, ValueError: unknown options and measures of label_metrics. When called: logits and labels of
            different shapes, labels other than 0 and 1, NaN, or another number of rows than n_rows.

    Example:
        >>> from types import SimpleNamespace
        >>> compute_metrics = MultiLabel(["law", "art", "war"], measures=["exact_match", "micro_f1"])
        >>> logits, truth = np.array([[2.0, -1.0, -3.0], [1.0, 2.0, -2.0]]), np.array([[1, 0, 0], [0, 1, 0]])
        >>> compute_metrics(SimpleNamespace(predictions=logits, label_ids=truth))
        {'exact_match': 0.5, 'micro_f1': 0.8}
    """

    def __init__(
        self,
        labels: Any = None,
        *,
        threshold: float = 0.5,
        measures: Sequence[str] | None = None,
        n_rows: int | None = None,
        confidence: float | None = None,
        safe_names: bool = False,
        **options: Any,
    ):
        if not is_real(threshold) or not 0 < threshold < 1:
            raise ValueError(f"threshold must be between 0 and 1, exclusive, for example 0.5; got {shown(threshold)}")
        self.threshold = np.log(threshold / (1 - threshold))  # of logits
        labels = _class_names(labels)
        chosen = LabelOptions.from_keywords(**{"task": "multi", **options, "labels": labels, "layout": "indicator"})
        if chosen.task != "multi":
            raise ValueError("MultiLabel is for sets of labels; score rankings of labels with qassay.score")
        blank = np.eye(len(chosen.classes or [0]), dtype=np.int8)
        super().__init__(labels, chosen, blank, n_rows, LoggedMeasures(measures, confidence, safe_names))

    def _read(self, batch: Batch) -> tuple[np.ndarray, np.ndarray, int]:
        scores, truth = self._arrays_of(batch)
        if scores.ndim != 2 or scores.shape != truth.shape:
            raise ValueError(
                f"logits have the shape {scores.shape}, labels {truth.shape}; give both as (rows, classes), the labels as "
                "0 and 1 (for one class number per row use Classification)"
            )
        if scores.dtype.kind != "f":
            raise TypeError(f"logits must be floating-point numbers, got {scores.dtype}")
        self._check_logits(scores)
        wrong = ((truth != 0) & (truth != 1)).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            value = truth[row][(truth[row] != 0) & (truth[row] != 1)][0]
            raise ValueError(f"label_ids[{self._n + row}] has {value:g}; give 0 or 1 for every class")
        return (scores > self.threshold).astype(np.int8), truth.astype(np.int8), 0


def _class_names(labels: Any) -> Any:
    """The names of classes in order, from a list or an id2label, whose keys may be strings; or their number."""
    if not isinstance(labels, Mapping):
        return list(labels) if isinstance(labels, (tuple, np.ndarray)) else labels
    try:
        by_number = {int(number): name for number, name in labels.items()}
        return [by_number[number] for number in range(len(by_number))]
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"labels as a dict must be class number -> name for 0, 1, 2, ..., got {describe(labels)}; give the id2label "
            "of the model's config, or a list of names"
        ) from None
