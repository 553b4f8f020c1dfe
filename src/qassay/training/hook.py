"""The base of the hooks of Trainer: the rows that it passes, one data set or several, one process or several."""

import abc
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import describe
from .logged import LoggedMeasures

INPUTS = 'include_for_metrics=["inputs"]'
OTHER_DATA_SET = (
    "Trainer evaluated another data set, as trainer.predict(test) does: give each data set its own hook, "
    'DataSets({"dev": hook_of_dev, "test": hook_of_test})'
)
INTERRUPTED = (
    "batches are left of an evaluation that was interrupted, with batch_eval_metrics=True: they are dropped now, evaluate "
    "again, and call reset() of the hook after an interruption"
)


class Batch(NamedTuple):
    """Rows from Trainer: the outputs of the model, the labels, and the tokens of the inputs, if given."""

    predictions: Any
    labels: Any = None
    inputs: np.ndarray | None = None

    @property
    def output(self) -> Any:
        """The first output of the model, such as logits or tokens."""
        several = isinstance(self.predictions, (tuple, list)) and self.predictions
        return self.predictions[0] if several else self.predictions

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.output) if hasattr(self.output, "__len__") else 0


class TrainerMetrics(abc.ABC):
    """Base of the hooks for `Trainer(compute_metrics=...)`; subclasses gather rows and score them.

    Supports all modes of Trainer: one call with all rows (with or without `eval_accumulation_steps`), one call with a
    list of batches (`eval_do_concat_batches=False`), or a call per batch (`batch_eval_metrics=True`), which keeps little
    more than the answers. With `batch_eval_metrics`, call `reset()` after an interrupted evaluation (such as by Ctrl-C
    in a notebook); otherwise its batches count in the next one.

    Pass the hook as `callbacks=[...]` too: a `metric_for_best_model` that it does not log is then refused when training
    begins. With eval_on_start=True, data that do not match are also refused before the first step.

    With dataloader_drop_last=True, Trainer also omits the last rows of the evaluation. Hooks with gold answers or
    examples refuse this, other hooks if they have `n_rows`. Evaluate with False.

    Attributes:
        scores: the Scores of the last evaluation with all measures, for intervals, slices and single examples; None
            before the first evaluation.
    """

    def __init__(self, report: LoggedMeasures, blank: Scores):
        report.check([blank])
        self.report = report
        self._blank = blank  # the Scores of made-up predictions, which have all measures
        self.scores: Scores | None = None
        self.reset()

    @public
    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float | int]:
        """Score the predictions from Trainer.

        Args:
            prediction: an `EvalPrediction`: `predictions`, and `label_ids` if the task uses them.
            compute_result: with `batch_eval_metrics`, True for the last batch and False before, when the result is empty.
                None: these are all rows; rows of an interrupted evaluation are dropped.

        Raises:
            TypeError, ValueError: the message has the row or the mismatch, and the remedy; the rows so far are dropped.
        """
        if compute_result is None:
            self.reset()
        try:
            for batch in _batches(prediction):
                self._parts.append(self._read(batch))
                self._n += batch.n
            if compute_result is False:
                return {}
            scores = self._score(self._parts)
        except Exception:
            self.reset()
            raise
        self.reset()
        self.scores = scores
        return self.report.numbers(scores)

    def reset(self) -> None:
        """Drop the rows gathered so far, such as those of an interrupted evaluation with `batch_eval_metrics`."""
        self._parts: list[Any] = []  # results of `_read`
        self._n = 0  # rows so far

    def on_train_begin(self, args: Any, state: Any, control: Any, **objects: Any) -> None:
        """Refuse a `metric_for_best_model` that is not logged; called by Trainer if the hook is one of its callbacks."""
        self.report.check_best(args.metric_for_best_model, {"": self._blank})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_"):  # the other events of a callback of Trainer
            return lambda *arguments, **objects: None
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @abc.abstractmethod
    def _read(self, batch: Batch) -> Any:
        """What to keep of the rows of a batch, or of all rows."""

    @abc.abstractmethod
    def _score(self, parts: list[Any]) -> Scores:
        """The Scores of the gathered rows."""


class DataSets:
    """`compute_metrics` for several data sets, with one hook each.

    `Trainer(eval_dataset={"a": ..., "b": ...})`, or `trainer.predict(test)` after an evaluation of dev, does not say which
    data set it evaluates; the data set whose hook accepts the rows is scored.

    Args:
        hooks: name of a data set -> its hook, such as `GenerativeQA` or `ExtractiveQA`.

    Raises:
        TypeError: no hooks. When called: TypeError, ValueError for rows that no hook accepts, with the reason of each;
            ValueError for rows that several hooks accept.

    Attributes:
        scores, scores_by_set: the Scores of the last evaluation, and the most recent ones of each data set by name.
    """

    def __init__(self, hooks: Mapping[str, TrainerMetrics]):
        values = list(hooks.values()) if isinstance(hooks, Mapping) else []
        if not values or not all(isinstance(hook, TrainerMetrics) for hook in values):
            raise TypeError(f"hooks must be a dict name -> hook of qassay.training, got {describe(hooks)}")
        self.hooks = dict(hooks)
        self.scores: Scores | None = None
        self.scores_by_set: dict[str, Scores] = {}
        self._problems: dict[str, Exception] = {}  # of the hooks that refused a batch of this evaluation

    @public
    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float | int]:
        """As of a hook; see `TrainerMetrics`."""
        if compute_result is None:
            self.reset()
        found: dict[str, dict[str, float | int]] = {}
        for name, hook in self.hooks.items():
            if name not in self._problems:
                try:
                    found[name] = hook(prediction, compute_result)
                except (TypeError, ValueError) as error:
                    self._problems[name] = error
        problems = self._problems
        if compute_result is not False or not found:
            self.reset()
        if not found:
            kind = ValueError if any(isinstance(error, ValueError) for error in problems.values()) else TypeError
            reasons = "; ".join(f"{name!r}: {error}" for name, error in problems.items())
            raise kind(f"the rows of Trainer match no data set: {reasons}")
        if compute_result is False:
            return {}
        (name, numbers), *others = found.items()
        if others:
            raise ValueError(
                f"the data sets {name!r} and {others[0][0]!r} both fit the rows of Trainer, so it is unknown which of them it "
                f"evaluated; give the hooks inputs, and the arguments of Trainer {INPUTS}, or evaluate each with a separate Trainer"
            )
        self.scores = self.hooks[name].scores
        if self.scores is not None:
            self.scores_by_set[name] = self.scores
        return numbers

    def reset(self) -> None:
        """Drop the batches of an interrupted evaluation, before the next one with `batch_eval_metrics`."""
        self._problems = {}
        for hook in self.hooks.values():
            hook.reset()

    def on_train_begin(self, *arguments: Any, **objects: Any) -> None:
        """Refuse a `metric_for_best_model` that no hook logs; called by Trainer if this is one of its callbacks."""
        errors = []
        for hook in self.hooks.values():
            try:
                hook.on_train_begin(*arguments, **objects)
            except ValueError as error:
                errors.append(error)
        if len(errors) == len(self.hooks):
            raise errors[0]

    __getattr__ = TrainerMetrics.__getattr__


def _batches(prediction: Any) -> Iterator[Batch]:
    """The rows of an EvalPrediction: once, or for each batch if they were not concatenated."""
    if not hasattr(prediction, "predictions"):
        raise TypeError(
            f"compute_metrics takes an EvalPrediction of Trainer, or an object with `predictions` and `label_ids`; "
            f"got {describe(prediction)}"
        )
    columns = [prediction.predictions, getattr(prediction, "label_ids", None), getattr(prediction, "inputs", None)]
    if not isinstance(columns[0], list):
        columns = [[column] for column in columns]
    n = len(columns[0])
    columns = [[None] * n if column is None else column for column in columns]
    for predictions, labels, inputs in zip(*columns, strict=True):
        batch = Batch(predictions, labels)
        yield batch._replace(inputs=_input_tokens(inputs, batch.n))


def _input_tokens(inputs: Any, n: int) -> np.ndarray | None:
    """The tokens of the inputs of n rows, padded with -100; None if Trainer passes none.

    With batch_eval_metrics, each process has the outputs of all processes, but only its inputs.
    """
    if isinstance(inputs, Mapping):
        inputs = inputs.get("input_ids")
        if inputs is None:
            return None
        return stacked(gathered(to_array(inputs, "inputs")))[:n]
    return None if inputs is None else to_array(inputs, "inputs")


def stacked(parts: Sequence[np.ndarray]) -> np.ndarray:
    """The tokens of batches, (rows, length) each, as one array; padded on the right with -100, as by Trainer."""
    width = max(part.shape[1] for part in parts)
    pads = [((0, 0), (0, width - part.shape[1])) for part in parts]
    return np.concatenate(
        [np.pad(part.astype(np.int64), pad, constant_values=-100) for part, pad in zip(parts, pads, strict=True)]
    )


def gathered(value: Any) -> list[Any]:
    """The values of all processes of torch.distributed, in their order; of a single process, its value."""
    distributed = _distributed()
    if distributed is None:
        return [value]
    values: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    return values


def processes() -> int:
    """The number of processes of torch.distributed."""
    distributed = _distributed()
    return 1 if distributed is None else int(distributed.get_world_size())


def _distributed() -> Any:
    """torch.distributed if it is in use, else None."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    return distributed if distributed and distributed.is_available() and distributed.is_initialized() else None


def other_number(n: int, size: int) -> str:
    """The causes, for messages, why Trainer passes n rows if the data set of a hook has another size."""
    causes = [OTHER_DATA_SET]
    if n < size:
        cause = "Trainer omits the rows that do not fill a batch with dataloader_drop_last=True: evaluate with False"
        causes.insert(0, cause)
    else:
        causes.append(INTERRUPTED)
    return f"{'; or '.join(causes)}. The argument eval_on_start=True shows this at once"


def to_array(values: Any, name: str) -> np.ndarray:
    """A numeric array from a numpy array or a tensor on any device; bfloat16 becomes float32, others are refused."""
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
    """Refuse NaN and +inf in a matrix, whose rows the message counts from first_row; -inf is a mask."""
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
