"""Shared code of all `compute_metrics`: gathers rows batch by batch, scores them, and returns a flat dict of
numbers.
"""

import abc
import dataclasses
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.best_threshold import BestThreshold
from ..core.interval_settings import Intervals
from ..core.options import check_choice, check_whole
from ..core.remarks import public
from ..core.safe_names import with_safe_names
from ..core.scores import Scores
from ..core.shown import describe


@dataclasses.dataclass(frozen=True)
class LoggedMeasures:
    """The measures that a hook logs: finite measures with at least one example.

    A measure that applies to no example, such as no_answer_f1 if every question has an answer, is omitted. The
    threshold -inf, which means that withholding all answers is best, is logged as a number below all probabilities.

    Attributes:
        measures: their names, in order; None for all, and the notes.
        intervals: their settings; `<measure>_low` and `<measure>_high` are their ends, absent without a confidence.
        safe_names: log them as `ndcg_at_10`, without "@", brackets and "=", which MLflow refuses.
    """

    measures: Sequence[str] | None = None
    intervals: Intervals = Intervals(None)
    safe_names: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.measures, str):
            raise TypeError(f"measures must be a list of names, got {describe(self.measures)}")
        if self.measures is not None:
            object.__setattr__(self, "measures", tuple(self.measures))
        check_choice("safe_names", self.safe_names, (False, True))

    def check(self, scores: Scores) -> None:
        """Refuse unknown names of measures.

        Raises:
            ValueError: the message names the measure and the valid ones.
        """
        if self.measures is not None:
            scores.summary(self.measures)

    def refuse_empty(self, empty: Iterable[set[str]]) -> None:
        """Refuse a measure that applies to no example in any data set, given the empty measures of each data set."""
        never = set.intersection(*empty)
        for name in self.measures or ():
            if name in never:
                raise ValueError(
                    f"measures names {name!r}, but it applies to no example of the data set, so there is nothing to log; "
                    "omit it from measures"
                )

    def named(self, numbers: Mapping[str, float | int]) -> dict[str, float | int]:
        """The numbers by their logged names."""
        return with_safe_names(numbers) if self.safe_names else dict(numbers)

    def numbers(self, scores: Scores) -> dict[str, float | int]:
        """A flat dict of Python floats and ints, all of them finite."""
        values = {name: value for name, value in scores.summary(self.measures).items() if value is not None}
        values = {
            name: _finite_threshold(scores, name) if value == -math.inf else value for name, value in values.items()
        }
        if self.intervals.confidence is not None:
            names = [name for name in values if name in scores.measures]
            for name, (low, high) in scores.intervals_by(self.intervals, names).items():
                values[f"{name}_low"], values[f"{name}_high"] = low, high
        return {name: value for name, value in values.items() if math.isfinite(value)}


def empty_measures(scores: Scores, names: Sequence[str] | None = None) -> set[str]:
    """The measures, of these names, that rest on no example, whose value is None."""
    rows = scores.rows
    return {
        name
        for name in (scores.measures if names is None else names)
        if name in scores.measures and scores.measures[name].is_empty(rows)
    }


def _finite_threshold(scores: Scores, name: str) -> float:
    """A finite threshold that all answers exceed, in place of -inf."""
    measure, rows = scores.measures.get(name), scores.rows
    if not isinstance(measure, BestThreshold):
        return -math.inf
    smallest = rows.columns[measure.probability][measure.applies(rows)].min()
    return float(min(smallest - 1, np.nextafter(smallest, -math.inf)))


class TrainerMetrics(abc.ABC):
    """Base of the callables for `Trainer(compute_metrics=...)`; subclasses gather rows and score them.

    Supports all calling modes of Trainer: once with all rows (`eval_accumulation_steps` or not), once with a list
    of batches (`eval_do_concat_batches=False`), or batch by batch (`batch_eval_metrics=True`), which keeps little more
    than the answers of a batch.

    The argument eval_on_start=True shows early whether the arguments of Trainer and the data match; otherwise errors
    appear after the first epoch.

    With dataloader_drop_last=True, Trainer also omits the last rows of the evaluation: hooks with gold answers or
    examples refuse this, the others if they are told `n_rows`. Evaluate with False.

    With `batch_eval_metrics`, call `reset()` after an interrupted evaluation (such as by Ctrl-C in a notebook);
    otherwise its batches count in the next one.

    Attributes:
        scores: the Scores of the last evaluation, for intervals, slices and single examples; None before the first.
        scores_by_set: name of a data set -> its most recent Scores, if the hook has several data sets.
    """

    def __init__(self, report: LoggedMeasures):
        self.report = report
        self.scores: Scores | None = None
        self.scores_by_set: dict[str, Scores] = {}
        self._reset()

    @public
    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float | int]:
        """Score the predictions from Trainer.

        Args:
            prediction: an `EvalPrediction`: `predictions`, and `label_ids` if the task uses them.
            compute_result: with batches (`batch_eval_metrics`): False before the last batch, for which the result is
                empty, and True for the last. None: these are all rows, and leftovers of an interrupted evaluation are
                dropped.

        Raises:
            TypeError, ValueError: the message names the row or the mismatch, and what to do; the rows so far are
                dropped.
        """
        if compute_result is None:
            self.reset()
        try:
            for predictions, labels in _batches(prediction):
                self._add(predictions, labels)
            if compute_result is False:
                return {}
            numbers = self._result()
        except Exception:
            self._reset()
            raise
        self._reset()
        return self.report.named(numbers)

    def reset(self) -> None:
        """Drop the batches of an interrupted evaluation, before the next one with `batch_eval_metrics`."""
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
    """The predictions and labels of an EvalPrediction: once, or for each batch if they were not concatenated."""
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


def told_sizes(sizes: Mapping[str | None, int], unit: str = "") -> str:
    """The number of rows of each data set (None: the only one), for messages."""
    return ", ".join(f"{size:,}{unit}" + (f" of {name!r}" if name else "") for name, size in sizes.items())


def other_data_set(both: str) -> str:
    """Another data set than that of the hook as a cause, and what to do; for messages.

    Args:
        both: the call that makes the hook of two data sets.
    """
    return f"Trainer evaluated another data set, as trainer.predict(test) does: give the hook both, by name, {both}"


def other_number(n: int, sizes: Mapping[str | None, int], both: str) -> str:
    """Why Trainer may pass n rows while the data sets of a hook have other sizes, and what to do; for messages.

    Args:
        sizes: data set (None: the only one) -> its rows.
        both: the call that makes the hook of two data sets.
    """
    causes = [other_data_set(both)]
    if any(_drops_last(n, size) for size in sizes.values()):
        cause = "Trainer omits the rows that do not fill a batch with dataloader_drop_last=True: evaluate with False"
        causes.insert(0, cause)
    elif n > min(sizes.values()):
        cause = (
            "batches are left of an evaluation that was interrupted, with batch_eval_metrics=True: they are dropped now, "
            "evaluate again, and call reset() of the hook after an interruption"
        )
        causes.append(cause)
    return f"{'; or '.join(causes)}. The argument eval_on_start=True tells at once"


def processes() -> int:
    """The number of processes of accelerate, by which Trainer gathers its rows; 1 without it."""
    state: Any = sys.modules.get("accelerate.state")
    return int(state.AcceleratorState().num_processes) if state and state.is_initialized() else 1


def check_n_rows(n_rows: int | Sequence[int] | None) -> tuple[int, ...]:
    """The numbers of rows of the evaluated data sets, from the argument n_rows; () if they are not told."""
    given = n_rows if isinstance(n_rows, (tuple, list)) and n_rows else [n_rows]
    return () if n_rows is None else tuple(dict.fromkeys(check_whole("n_rows", n) for n in given))


def rows_to_score(rows: int, n_rows: tuple[int, ...], repeat_first: Callable[[int], bool]) -> int:
    """How many of the rows from Trainer to score: all, or those before the rows that Seq2SeqTrainer repeats.

    Args:
        n_rows: the numbers of rows of the data sets.
        repeat_first: whether the rows from this one on are those that Seq2SeqTrainer repeats.

    Raises:
        ValueError: not one of n_rows fits.
    """
    fitting = [n for n in n_rows if n == rows or (n < rows and repeat_first(n))]
    if len(fitting) == 1:
        return fitting[0]
    told = f"there are {rows:,} rows, but n_rows={', '.join(f'{n:,}' for n in n_rows)}"
    if fitting:
        raise ValueError(
            f"{told}: these may be repeats of the first rows, or not; give each data set its own Trainer and hook"
        )
    cause = (
        "Trainer omits the rows that do not fill a batch with dataloader_drop_last=True (evaluate with False), or "
        "evaluated another data set"
        if rows < max(n_rows)
        else "Trainer evaluated another data set, or batches are left of an interrupted evaluation with "
        "batch_eval_metrics=True (call reset() of the hook after one)"
    )
    raise ValueError(f"{told}: {cause}; for several data sets give n_rows=(len(dev), len(test))")


def _drops_last(n: int, size: int) -> bool:
    """Whether n rows are all full batches, of one size, of that many."""
    return 0 < n < size and any(n % batch == 0 for batch in range(size - n + 1, min(n, 4096) + 1))


def to_array(values: Any, name: str) -> np.ndarray:
    """A numeric array from a numpy array or a tensor on any device; bfloat16 becomes float32.

    Raises:
        TypeError: it is neither, or is not numeric.
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
    """Refuse NaN and +inf in a matrix; -inf is allowed because it masks.

    Raises:
        ValueError: naming the row, counted from first_row.
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
