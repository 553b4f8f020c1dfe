"""label_metrics: one label, a set of labels or a ranking of labels per row."""

import dataclasses
import numbers
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.columns import is_nan
from ..core.gold_fingerprints import GoldFingerprints
from ..core.intake import Table, read
from ..core.label_columns import ROW_FIELDS, distinct_labels, is_matrix, set_column
from ..core.label_encoding import LabelList, code_columns, to_label_list
from ..core.measures import Count, Mean, Measure
from ..core.options import Options, check_choice, option, to_ranks
from ..core.scores import Scores
from ..core.shown import option_text, shown
from .fields import label_task, one_label_column
from .measures import CLASS_METRICS, ClassAverage, ClassScore, MeanOfClasses, class_ratio, set_columns, sums_once
from .ranking import ranking_columns, read_rankings, reciprocal_ranks

_DEFAULT_KS = (1, 3, 5)
_MOST_RANKS = 1_000_000  # of rankings of labels: a number for each is held
_MOST_CLASSES_NAMED = 10_000  # classes with their own measures, or in a confusion matrix
_ONE = ("prediction", "reference")
_SETS = ("tp", "fp", "fn")
_AVERAGES = ("micro", "macro", "weighted")
_METRICS = {_ONE: ("precision", "recall", "f1"), _SETS: CLASS_METRICS}  # the Jaccard index of one label says no more
_TASKS_OF = {
    "per_class": ("single", "multi"),
    "zero_division": ("single", "multi"),
    "layout": ("multi", "ranked"),
    "k": ("ranked",),
}  # option -> the tasks that have it


@dataclasses.dataclass(frozen=True)
class LabelOptions(Options):
    """The options of label_metrics.

    Attributes:
        task: "single" (one label per row), "multi" (a set of labels per row), "ranked" (a ranking of labels per row),
            or "auto": determined by the layout of the columns; lists of labels are ambiguous.
        labels: the classes, in order, or how many there are (0, 1, 2, ...). Other labels are then refused, and all
            classes count in macro averages and in hamming_loss. None: the classes that occur, sorted, or all columns of
            a matrix; in slices and resamples these macro averages cover the classes that occur there.
        layout: "indicator": lists are rows of 0 and 1 (for rankings, rows of the references); "auto": they are lists
            of labels.
        zero_division: the value of a precision, recall, F1 or Jaccard of 0 / 0: 0.0, 1.0, or nan to omit it from means.
        per_class: add the measures of each class: `f1[cat]`.
        k: the ranks at which rankings are cut.
    """

    family: ClassVar[str] = "label_metrics"
    aliases: ClassVar[Mapping[str, str]] = {
        "f1_micro": "micro_f1",
        "f1_macro": "macro_f1",
        "f1_weighted": "weighted_f1",
    }
    pointers: ClassVar[Mapping[str, str]] = {
        "average": "every result has micro_f1, macro_f1 and weighted_f1 (of sets samples_f1 too)",
        "pos_label": "write per_class=True, and read the measure f1[LABEL]",
        "f1": "write macro_f1, micro_f1 or weighted_f1, or f1[LABEL] with per_class=True",
        "precision": "write macro_precision, micro_precision or weighted_precision, or precision[LABEL] with per_class=True",
        "recall": "write macro_recall, micro_recall or weighted_recall, or recall[LABEL] with per_class=True",
        "y_true": "write references=",
        "y_pred": "write predictions=",
        "sample_weight": "write weights=",
        "top_k": "write k=(1, 3, 5) with rankings of labels",
    }

    task: str = option("auto", "task", choices=("auto", "single", "multi", "ranked"), always=True)
    labels: Any = option(None, compare=False, repr=False)
    # The classes: `labels` or, once the columns are read, the classes that occur.
    classes: LabelList | None = dataclasses.field(
        default=None,
        init=False,
        metadata={
            "key": "labels",
            "option": "labels",
            "advice": "give all of them the same option labels",
            "unlike": (
                "other labels occur with some systems, and averages over classes are over the labels that occur: the "
                "option labels gives all systems the same classes"
            ),
        },
    )
    layout: str = option("auto", choices=("auto", "indicator"), compare=False)
    zero_division: float = option(0.0, "zero_division")
    per_class: bool = option(False, compare=False)
    k: tuple[int, ...] = option(_DEFAULT_KS, "k")

    def _settle(self):
        self._set(zero_division=_zero_division(self.zero_division), k=to_ranks(self.k, "k", _MOST_RANKS))
        if self.labels is not None:
            self._set(classes=to_label_list(self.labels))
            self._set(labels=self.classes)
        if self.task != "auto":
            self.refuse_options_of_other_tasks(self.task, _TASKS_OF)

    def differences(self, other: Any) -> list[dataclasses.Field]:
        """As for all options, except that classes found in the columns may differ between systems on the same data."""
        classes_may_differ = not (self.labels or other.labels)
        return [field for field in super().differences(other) if not (classes_may_differ and field.name == "classes")]

    def from_data(self) -> tuple[str, str] | None:
        """Classes that are the classes that occur."""
        classes = self.classes
        if classes is None or classes.given:
            return None
        more = ", ..." if len(classes) > 3 else ""
        return (
            "its classes",
            f"the option labels, for example labels=[{', '.join(map(shown, classes.labels[:3]))}{more}]",
        )

    def resolved(self, task: str, classes: LabelList | None) -> "LabelOptions":
        """These options with the task and the classes of the columns."""
        options = dataclasses.replace(self, task=task)
        options._set(classes=classes)
        return options


def _zero_division(value: Any) -> float | str:
    """0.0, 1.0 or "nan", which is equal to itself."""
    if isinstance(value, str) and value.lower() == "nan" or is_nan(value):
        return "nan"
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and value in (0, 1):
        return float(value)
    raise ValueError(f"option {option_text('zero_division', value)} is unknown; it is one of: 0.0, 1.0, nan")


def score_labels(
    predictions: Any,
    references: Any,
    ids: Any = None,
    weights: Any = None,
    groups: Any = None,
    *,
    options: LabelOptions | None = None,
) -> Scores:
    """Score predicted labels against true labels.

    Args:
        predictions: n rows. Single-label: one label each, a string, an integer or another hashable value. Multi-label:
            a list or set of labels each, or an indicator matrix (array of 0 and 1). Ranked: a list of labels each, best
            first; a dict label -> score; an array of label numbers (n, m), best first, -1 for an empty place; or a matrix
            of scores, an array of floats. Tied scores rank in the order given, in a matrix by column. A label twice among
            the first max(k) places is refused.
        references: the true labels: one each, or lists, sets or an indicator matrix. Columns of a matrix are the classes of
            the option labels, in order, or else 0, 1, 2, ... Predictions and references may also be dicts id -> row.
        ids: n unique ids, when the columns are not dicts.
        weights: the weight of each row, n numbers of at least 0 (scikit-learn's sample_weight). A row of weight 0 is
            ignored, except that its classes count in macro averages over the classes that occur.
        groups: n labels (str or number), such as the article of each row, or a dict by id: rows of one group are
            not independent, so intervals draw whole groups. None: rows are independent.
        options: see `LabelOptions`.

    Returns:
        Scores; their options include the task and the classes. Single-label: the columns prediction and reference (class
        numbers, int64) and correct; accuracy, error_rate, balanced_accuracy and {micro,macro,weighted}_{precision,
        recall,f1}. Multi-label: tp, fp and fn (lists of class numbers), exact_match, hamming_loss, precision, recall,
        f1 and jaccard; the same averages with jaccard, and samples_*. Ranked: p@k, r@k, ndcg@k, rr; mrr,
        over all rows, rows without true labels as 0. All are 0..1.

    Raises:
        TypeError, ValueError: naming the row or option and what to do.

    Example:
        >>> scores = score_labels(["cat", "dog", "dog"], ["cat", "cat", "dog"])
        >>> scores.summary(["accuracy", "macro_f1"])
        {'accuracy': 0.6666666666666666, 'macro_f1': 0.6666666666666666}
        >>> ranked = score_labels([["b", "a", "c"]], [["a", "c"]], options=LabelOptions(task="ranked", k=(1, 3)))
        >>> ranked.summary(["p@1", "p@3", "mrr"])
        {'p@1': 0.0, 'p@3': 0.6666666666666666, 'mrr': 0.5}
    """
    options = options or LabelOptions()
    given = {"predictions": predictions, "references": references, "ids": ids, "weights": weights, "groups": groups}
    table = read(ROW_FIELDS, given)
    task = options.task if options.task != "auto" else _task_of(table, options)
    options.refuse_options_of_other_tasks(task, _TASKS_OF)
    score = {"single": _score_one_label, "multi": _score_label_sets, "ranked": _score_ranked_labels}[task]
    return table.scores(**score(table, options))


def _task_of(table: Table, options: LabelOptions) -> str:
    """The task by the options, otherwise by the layout of the columns."""
    if options.k != _DEFAULT_KS:
        return "ranked"
    return label_task(table.columns["predictions"], table.columns["references"], options.layout == "indicator")


def _score_one_label(table: Table, options: LabelOptions) -> dict[str, Any]:
    columns = [one_label_column(table.columns[name], name) for name in ("predictions", "references")]
    (predictions, references), classes = code_columns(columns, options.classes, table.ids)
    correct = (predictions == references).astype(np.float64)
    balanced = ClassAverage("recall", "supported", _ONE, len(classes), classes.given, options.zero_division)
    return dict(
        columns={"prediction": predictions, "reference": references, "correct": correct},
        measures={
            "accuracy": Mean("correct"),
            "error_rate": ShareOfErrors("correct", lower_is_better=True),
            "balanced_accuracy": balanced,
            **_averages(_ONE, classes, options),
            **_of_classes(_ONE, classes, options),
            "total": Count(),
        },
        options=options.resolved("single", classes),
        coded=dict.fromkeys(_ONE, classes.labels),
        gold=GoldFingerprints.of_labels(references, classes.labels),
    )


@dataclasses.dataclass(frozen=True)
class ShareOfErrors(Mean):
    """The (weighted) share of zeros in a column of 0 and 1."""

    def values(self, column: np.ndarray) -> np.ndarray:
        return 1.0 - column


def _score_label_sets(table: Table, options: LabelOptions) -> dict[str, Any]:
    indicator = options.layout == "indicator"
    columns: list[Any] = [set_column(table.columns[name], name, indicator) for name in ("predictions", "references")]
    codes, classes = code_columns(columns, options.classes, table.ids)
    predictions, references = (
        distinct_labels(column.lengths, code) for column, code in zip(columns, codes, strict=True)
    )
    repeated = sum(map(len, codes)) - len(predictions.values) - len(references.values)
    return dict(
        columns=set_columns(predictions, references, len(classes), float(options.zero_division)),
        subsets={"no_labels": references.lengths == 0},
        measures={
            "exact_match": Mean("exact_match"),
            "hamming_loss": MeanOfClasses("hamming_loss", lower_is_better=True, n_classes=len(classes)),
            **_averages(_SETS, classes, options),
            **{f"samples_{metric}": Mean(metric) for metric in CLASS_METRICS},
            **_of_classes(_SETS, classes, options),
            "total": Count(),
            "no_labels": Count("no_labels"),
        },
        options=options.resolved("multi", classes),
        notes={"repeated_labels": repeated},
        coded=dict.fromkeys(_SETS, classes.labels),
        gold=GoldFingerprints.of_labels(references, classes.labels),
    )


def _averages(columns: tuple[str, ...], classes: LabelList, options: LabelOptions) -> dict[str, Measure]:
    more = len(classes), classes.given, options.zero_division
    return {
        f"{average}_{metric}": ClassAverage(metric, average, columns, *more)
        for average in _AVERAGES
        for metric in _METRICS[columns]
    }


def _of_classes(columns: tuple[str, ...], classes: LabelList, options: LabelOptions) -> dict[str, Measure]:
    if not options.per_class:
        return {}
    if len(classes) > _MOST_CLASSES_NAMED:
        raise ValueError(
            f"per_class=True gives measures of each class, and {len(classes):,} classes are more than "
            f"{_MOST_CLASSES_NAMED:,}; omit it"
        )
    return {
        f"{metric}[{label}]": ClassScore(metric, columns, number, len(classes), options.zero_division)
        for metric in (*_METRICS[columns], "support")
        for number, label in enumerate(classes.labels)
    }


def _score_ranked_labels(table: Table, options: LabelOptions) -> dict[str, Any]:
    rankings, references, classes, repeated = read_rankings(
        table, options.classes, options.layout == "indicator", options.k[-1]
    )
    columns = ranking_columns(rankings, references, classes, table.ids, options.k)
    scores = table.columns["predictions"]
    if is_matrix(scores) and scores.dtype.kind == "f":  # whose rankings end at the last k; MRR needs all labels
        columns["rr"] = reciprocal_ranks(scores, references)
    ranked = columns.pop("ranked")
    return dict(
        columns=columns,
        subsets={"no_labels": references.lengths == 0, "short": ranked < options.k[-1]},
        measures={
            **{f"{name}@{k}": Mean(f"{name}@{k}") for name in ("p", "r", "ndcg") for k in options.k},
            "mrr": Mean("rr"),
            "total": Count(),
            "no_labels": Count("no_labels"),
            "short": Count("short"),
        },
        options=options.resolved("ranked", options.classes),
        notes={"repeated_labels": repeated},
        gold=GoldFingerprints.of_labels(references, classes.labels),
    )


def confusion_matrix(scores: Scores) -> tuple[list, np.ndarray]:
    """The classes, and how many examples of true class i (row) are predicted as class j (column), (c, c).

    Args:
        scores: of one label per row. With weights the matrix holds their sums (float64), otherwise counts (int64).

    Raises:
        ValueError: scores of another task, or of more than 10,000 classes.

    Example:
        >>> labels, matrix = confusion_matrix(score_labels(["cat", "dog", "dog"], ["cat", "cat", "dog"]))
        >>> labels, matrix.tolist()
        (['cat', 'dog'], [[1, 1], [0, 1]])
    """
    if getattr(scores.options, "task", None) != "single":
        raise ValueError("a confusion matrix needs scores of label_metrics with one label per row (task=single)")
    labels = list(scores.coded["reference"])
    size = len(labels)
    if size > _MOST_CLASSES_NAMED:
        raise ValueError(f"a confusion matrix of {size} classes is too large; take the examples of fewer classes")
    cells = scores.columns["reference"] * size + scores.columns["prediction"]
    return labels, np.bincount(cells, scores.weights, size * size).reshape(size, size)


class ClassResult(NamedTuple):
    """The value of a class, 0..1 or NaN where it is 0 / 0 and omitted, and its support: the weight of its examples."""

    value: float
    support: float


def class_scores(scores: Scores, metric: str = "f1") -> dict[Any, ClassResult]:
    """The metric for each class, as in scikit-learn with `average=None`.

    Args:
        scores: of label_metrics, one label or a set of labels per example.
        metric: "precision", "recall", "f1" or "jaccard".

    Raises:
        ValueError: other scores, or an unknown metric.

    Example:
        >>> import qassay
        >>> results = class_scores(qassay.score("label_metrics", ["cat", "dog", "cat"], ["cat", "dog", "dog"]))
        >>> {label: (round(result.value, 3), result.support) for label, result in results.items()}
        {'cat': (0.667, 1.0), 'dog': (0.667, 2.0)}
    """
    check_choice("metric", metric, CLASS_METRICS)
    columns = next((names for names in (_ONE, _SETS) if set(names) <= scores.columns.keys()), None)
    if columns is None or getattr(scores.options, "family", None) != "label_metrics":
        raise ValueError("scores of classes are made of label_metrics with one label or a set of labels per example")
    labels = scores.coded[columns[0]]  # of a comparison those of all systems
    tp, fp, fn = sums_once(scores.rows, columns, len(labels))
    values = class_ratio(metric, tp, fp, fn, float(scores.options.zero_division))
    return {
        label: ClassResult(float(value), float(support))
        for label, value, support in zip(labels, values, tp + fn, strict=True)
    }
