"""The base of all hooks: the measures that are logged, and the rows that Trainer passes."""

import abc
import dataclasses
import difflib
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.best_threshold import BestThreshold
from ..core.interval_settings import check_confidence
from ..core.options import check_choice, did_you_mean
from ..core.remarks import public
from ..core.safe_names import with_safe_names
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import get_family

INPUTS = 'include_for_metrics=["inputs"]'
OTHER_DATA_SET = (
    "Trainer evaluated another data set, as trainer.predict(test) does: give each data set its own hook, "
    'DataSets({"dev": hook_of_dev, "test": hook_of_test})'
)
INTERRUPTED = (
    "batches are left of an evaluation that was interrupted, with batch_eval_metrics=True: they are dropped now, evaluate "
    "again, and call reset() of the hook after an interruption"
)


def headline_measures(scores: Scores) -> list[str]:
    """The measures that a hook logs by default: the main measures of the metric."""
    names = get_family(scores.options.family).about.main_measures(scores)
    return [name for name in names if name in scores.measures]


@dataclasses.dataclass(frozen=True)
class LoggedMeasures:
    """The measures that a hook logs, as finite numbers.

    A measure that applies to no example, such as no_answer_f1 if every question has an answer, is omitted. The
    threshold -inf (withholding all answers is best) is logged as a number below all probabilities.

    Attributes:
        measures: their names, in order; None: the headline measures of each metric.
        confidence: of the intervals, `<measure>_low` and `<measure>_high`; None: no intervals.
        safe_names: log names without "@", brackets and "=", which MLflow refuses: `ndcg_at_10`.
    """

    measures: Sequence[str] | None = None
    confidence: float | None = None
    safe_names: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.measures, str):
            raise TypeError(f"measures must be a list of names, got {describe(self.measures)}")
        if self.measures is not None:
            object.__setattr__(self, "measures", tuple(self.measures))
            if not self.measures:
                raise ValueError("measures is empty; give at least one, or omit it")
        if self.confidence is not None:
            check_confidence(self.confidence)
        check_choice("safe_names", self.safe_names, (False, True))

    @property
    def _ends(self) -> tuple[str, ...]:
        """What follows the name of a measure in the logged names."""
        return ("",) if self.confidence is None else ("", "_low", "_high")

    def chosen(self, all_scores: Sequence[Scores]) -> dict[str, tuple[Scores, str]]:
        """Name in the log -> the Scores and the measure, for one metric or several.

        A measure that an earlier metric also has is named `<metric>_<measure>`.

        Raises:
            ValueError: unknown measure; the message lists the valid ones.
        """
        if len(all_scores) == 1 and self.measures is not None:
            (scores,) = all_scores
            return {name: (scores, name) for name in scores.measure_names(self.measures)}
        available: dict[str, tuple[Scores, str]] = {}
        headline = []
        for scores in all_scores:
            keys = {name: f"{scores.options.family}_{name}" if name in available else name for name in scores.measures}
            available |= {key: (scores, name) for name, key in keys.items()}
            headline += [keys[name] for name in headline_measures(scores)]
        for name in self.measures or ():
            if name not in available:
                near = did_you_mean(name, available)
                raise ValueError(f"no measure {name!r}{near}; available: {', '.join(available)}")
        return {name: available[name] for name in self.measures or headline}

    def check(self, data_sets: Iterable[Sequence[Scores]]) -> None:
        """Refuse unknown measures, and measures that apply to no example.

        Args:
            data_sets: for each data set, the Scores of empty answers by each metric.
        """
        chosen = [self.chosen(all_scores) for all_scores in data_sets]
        for name in chosen[0] if chosen and self.measures else ():
            if all(scores.measures[measure].is_empty(scores.rows) for scores, measure in (one[name] for one in chosen)):
                raise ValueError(
                    f"measures has {name!r}, but it applies to no example of the data set, so there is nothing to log; "
                    "omit it from measures"
                )

    def numbers(self, *all_scores: Scores, prefix: str = "") -> dict[str, float | int]:
        """The measures, then the ends of their intervals, as a flat dict of finite Python numbers."""
        chosen = self.chosen(all_scores)
        found: dict[str, float | int | None] = {}
        for scores in all_scores:
            keys = {measure: key for key, (owner, measure) in chosen.items() if owner is scores}
            values = scores.summary(list(keys)) if keys else {}
            present = [name for name, value in values.items() if value is not None]
            for name in present:
                found[keys[name]] = _finite_threshold(scores, name) if values[name] == -math.inf else values[name]
            if self.confidence is not None and present:
                for name, interval in scores.interval(present, confidence=self.confidence).items():
                    found |= {f"{keys[name]}_low": interval.low, f"{keys[name]}_high": interval.high}
        order = [*chosen, *(f"{key}_{end}" for key in chosen for end in ("low", "high"))]
        numbers = {f"{prefix}{name}": found.get(name) for name in order}
        logged = {name: value for name, value in numbers.items() if value is not None and math.isfinite(value)}
        return with_safe_names(logged) if self.safe_names else logged

    def check_best(
        self, best: str | None, blanks: Mapping[str, Sequence[Scores]], more: Sequence[str] = (), is_only: bool = True
    ) -> None:
        """Refuse a `metric_for_best_model` that is a measure which is not logged.

        Args:
            best: the argument of Trainer.
            blanks: prefix of logged names -> the Scores of empty answers, which have all measures.
            more: further logged names.
            is_only: whether nothing else logs measures; then a misspelt name is refused too.
        """
        name = (best or "").removeprefix("eval_")
        logged, measures = [*more], set[str]()
        for prefix, all_scores in blanks.items():
            keys = [f"{prefix}{key}{end}" for key in self.chosen(all_scores) for end in self._ends]
            logged += with_safe_names(dict.fromkeys(keys)) if self.safe_names else keys
            measures |= {measure for scores in all_scores for measure in scores.measures}
        # Of several data sets of Trainer the name comes first: "dev_f1".
        found = max((key for key in (*logged, *measures) if f"_{name}".endswith(f"_{key}")), key=len, default="")
        if is_only and found not in logged and (found or difflib.get_close_matches(name, logged)):
            raise ValueError(
                f"metric_for_best_model={name!r} is not logged; add it to measures=[...]; logged are: {', '.join(logged)}"
            )


def _finite_threshold(scores: Scores, name: str) -> float:
    """A finite threshold below all answers, instead of -inf."""
    measure, rows = scores.measures[name], scores.rows
    if not isinstance(measure, BestThreshold):
        return -math.inf
    smallest = rows.columns[measure.probability][measure.applies(rows)].min()
    return float(min(smallest - 1, np.nextafter(smallest, -math.inf)))


class Batch(NamedTuple):
    """n rows from Trainer: the outputs of the model, the labels, and the tokens of the inputs, if given."""

    n: int
    predictions: Any
    labels: Any
    inputs: np.ndarray | None

    @property
    def output(self) -> Any:
        """The first output of the model, such as logits or tokens."""
        return first_of(self.predictions)


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

    def __init__(self, report: LoggedMeasures, blanks: Sequence[Scores]):
        report.chosen(blanks)  # refuses unknown measures
        self.report = report
        self._blanks = blanks
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
            all_scores = self._score(self._parts)
        except Exception:
            self.reset()
            raise
        self.reset()
        self.scores = all_scores[0]
        return self.report.numbers(*all_scores)

    def reset(self) -> None:
        """Drop the rows gathered so far, such as those of an interrupted evaluation with `batch_eval_metrics`."""
        self._parts: list[Any] = []  # results of `_read`
        self._n = 0  # rows so far

    def on_train_begin(self, args: Any, state: Any, control: Any, **objects: Any) -> None:
        """Refuse a `metric_for_best_model` that is not logged; called by Trainer if the hook is one of its callbacks."""
        self.report.check_best(args.metric_for_best_model, {"": self._blanks})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_"):  # the other events of a callback of Trainer
            return lambda *arguments, **objects: None
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @abc.abstractmethod
    def _read(self, batch: Batch) -> Any:
        """What to keep of the rows of a batch, or of all rows."""

    @abc.abstractmethod
    def _score(self, parts: list[Any]) -> list[Scores]:
        """The Scores of the gathered rows by each metric."""


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


def first_of(predictions: Any) -> Any:
    """The first of several outputs."""
    return predictions[0] if isinstance(predictions, (tuple, list)) and predictions else predictions


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
        output = first_of(predictions)
        n = len(output) if hasattr(output, "__len__") else 0
        yield Batch(n, predictions, labels, _input_tokens(inputs, n))


def _input_tokens(inputs: Any, n: int) -> np.ndarray | None:
    """The tokens of the inputs of n rows, padded with -100; None if Trainer passes none.

    With batch_eval_metrics, each process has the outputs of all processes, but only its inputs.
    """
    if isinstance(inputs, Mapping):
        inputs = inputs.get("input_ids")
        if inputs is None:
            return None
        parts = gathered(to_array(inputs, "inputs").tolist())
        rows = [row for part in parts for row in part][:n]
        tokens = np.full((len(rows), max(map(len, rows), default=0)), -100)
        for row, values in enumerate(rows):
            tokens[row, : len(values)] = values
        return tokens
    return None if inputs is None else to_array(inputs, "inputs")


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
