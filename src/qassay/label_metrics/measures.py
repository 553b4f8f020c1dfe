"""Precision, recall, F1 and Jaccard of classes (micro, macro and weighted) from the contribution of each example to its
classes.

For each example, a correctly predicted class is a true positive, a wrongly predicted class a false positive, and a
missed class a false negative. The counts of each class are sums over examples, so all measures have intervals, slices
and weights.
"""

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.measures import Mean, Rows, SumMeasure, plain_number
from ..core.ragged import Ragged

CLASS_METRICS = ("precision", "recall", "f1", "jaccard")


def ratio_or(numerator: Any, denominator: Any, undefined: float) -> np.ndarray:
    """numerator / denominator, and `undefined` for 0 / 0."""
    numerator, denominator = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    empty = denominator == 0
    return np.where(empty, undefined, numerator / np.where(empty, 1.0, denominator))


def class_ratio(metric: str, tp: Any, fp: Any, fn: Any, undefined: float) -> np.ndarray:
    """A metric of counts of true positives, false positives and false negatives; `undefined` where it is 0 / 0."""
    parts = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "jaccard": (tp, tp + fp + fn),
    }
    return ratio_or(*parts[metric], undefined)


def class_places(rows: Rows, columns: Sequence[str]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and classes of all true positives, false positives and false negatives.

    Args:
        columns: "prediction" and "reference", one class per example, or three columns of lists of classes.
    """
    if len(columns) == 3:
        return [(rows.columns[name].rows, rows.columns[name].values) for name in columns]
    prediction, reference = (rows.columns[name] for name in columns)
    right = prediction == reference
    hit, miss = np.flatnonzero(right), np.flatnonzero(~right)
    return [(hit, prediction[hit]), (miss, prediction[miss]), (miss, reference[miss])]


def _sums(places: Sequence[tuple[np.ndarray, np.ndarray]], weights: np.ndarray, n_classes: int) -> np.ndarray:
    """The weights (n,) of the examples at each of the places, added by class, float64 (3, n_classes)."""
    return np.stack([np.bincount(classes, weights[examples], n_classes) for examples, classes in places])


def class_sums(rows: Rows, columns: Sequence[str], n_classes: int, replicate_counts: np.ndarray) -> np.ndarray:
    """Weighted true positives, false positives and false negatives of each class, float64 (b, 3, n_classes), if example i
    counts `replicate_counts[b, i]` times; all measures of the same classes share them.
    """

    def compute() -> np.ndarray:
        places, sums = class_places(rows, columns), np.empty((len(replicate_counts), 3, n_classes))
        for row, counts in enumerate(replicate_counts):
            sums[row] = _sums(places, counts * rows.weights, n_classes)
        return sums

    found: np.ndarray = rows.shared(("class sums", *columns, n_classes), replicate_counts, compute)
    return found


def class_sums_by(rows: Rows, columns: Sequence[str], n_classes: int, index: np.ndarray, size: int) -> np.ndarray:
    """`class_sums` of the examples of each index, float64 (3, n_classes, size); `index` (n,) are integers below size."""
    places = [(examples, classes * size + index[examples]) for examples, classes in class_places(rows, columns)]
    return _sums(places, rows.weights, n_classes * size).reshape(3, n_classes, size)


def sums_once(rows: Rows, columns: tuple[str, ...], n_classes: int) -> np.ndarray:
    """`class_sums` of every example once, (3, n_classes); they do not depend on the order of examples."""
    key, weights = ("classes", columns, n_classes), rows.weights
    if key not in rows.cache:
        ordered = rows if (weights == weights[:1]).all() else rows.take(np.argsort(weights, kind="stable"))
        rows.cache[key] = _sums(class_places(ordered, columns), ordered.weights, n_classes)
    return rows.cache[key]


def _unweighted(rows: Rows) -> Rows:
    return Rows(rows.columns, rows.subsets, np.ones(len(rows.weights)))


@dataclasses.dataclass(frozen=True)
class ClassAverage(SumMeasure):
    """The average of precision, recall, F1 or Jaccard over classes, as in scikit-learn.

    Attributes:
        metric: one of `CLASS_METRICS`.
        average: "micro" (of the counts of all classes together), "macro" (the mean over classes), "weighted" (by how
            often each class is true) or "supported" (the mean over classes that are true somewhere).
        columns: of the examples; see `class_places`.
        n_classes: how many there are.
        every: all classes count in "macro"; otherwise the classes that occur in the given examples, in a slice or a
            resample too, even if only in examples of weight 0, as in scikit-learn.
        undefined: the value of 0 / 0: 0.0, 1.0, or "nan" to omit such classes.
    """

    metric: str
    average: str
    columns: tuple[str, ...]
    n_classes: int
    every: bool = True
    undefined: float | str = 0.0

    @property
    def reads(self) -> tuple[str, ...]:
        return self.columns

    @property
    def is_share(self) -> bool:  # type: ignore[override]
        """With one class per example, predicted and true classes are equal in number, so micro averages equal the
        accuracy.
        """
        is_accuracy = self.average == "micro" and self.metric != "jaccard"
        return len(self.columns) == 2 and (is_accuracy or (self.average, self.metric) == ("weighted", "recall"))

    @property
    def sums_key(self) -> Hashable:
        """All averages of the same classes have the same sums."""
        return ClassAverage, self.columns, self.n_classes, self.every

    @property
    def n_sums(self) -> int:  # type: ignore[override]
        return 4 * self.n_classes + 1

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        """True positives, false positives, false negatives of each class, and the weight of all: (3 c + 1, b).

        Before the weight of all come c more where not `every` class counts, above 0 for each class that occurs.
        """
        counts = class_sums(rows, self.columns, self.n_classes, replicate_counts)
        parts = [counts.reshape(len(replicate_counts), -1).T]
        if not self.every:
            if not rows.weights.all():  # weights of 0 hide some classes from the counts
                counts = class_sums(_unweighted(rows), self.columns, self.n_classes, replicate_counts)
            parts.append(counts.sum(axis=1).T)
        return np.vstack([*parts, replicate_counts @ rows.weights])

    def sums_by(self, rows: Rows, index: np.ndarray, size: int) -> np.ndarray:
        """As `sums`, with an example for the others of its class in the part that tells which classes occur."""
        counts = class_sums_by(rows, self.columns, self.n_classes, index, size)
        parts = [counts.reshape(-1, size)]
        if not self.every:
            unweighted = class_sums_by(_unweighted(rows), self.columns, self.n_classes, index, size)
            parts.append(unweighted.sum(axis=0))
        return np.vstack([*parts, np.bincount(index, rows.weights, size)])

    def finish(self, sums: Any) -> Any:
        sums = np.asarray(sums, np.float64)
        counts = sums[: 3 * self.n_classes].T.reshape(-1, 3, self.n_classes)
        occurs = None if self.every else sums[3 * self.n_classes : -1].T > 0
        return np.where(sums[-1] > 0, self.of_counts(counts, occurs), np.nan)

    def of_counts(self, counts: np.ndarray, occurs: np.ndarray | None = None) -> np.ndarray:
        """The value of true positives, false positives and false negatives of each class, (b,) of (b, 3, n_classes).

        Args:
            occurs: bool (b, n_classes), which classes there are; None: the classes with a count.
        """
        undefined = float(self.undefined)
        tp, fp, fn = counts.transpose(1, 0, 2)
        if self.average == "micro":
            return class_ratio(self.metric, tp.sum(axis=1), fp.sum(axis=1), fn.sum(axis=1), undefined)
        values = class_ratio(self.metric, tp, fp, fn, undefined)
        support = tp + fn
        counts_in_mean = ~np.isnan(values)
        if self.average == "supported":
            counts_in_mean &= support > 0
        elif not self.every:
            counts_in_mean &= support + fp > 0 if occurs is None else occurs
        if self.average == "weighted":
            shares = np.where(counts_in_mean, support, 0.0)
            none = shares.sum(axis=1) == 0  # without true labels every class counts the same
            shares[none] = counts_in_mean[none]
        else:
            shares = counts_in_mean.astype(np.float64)
        total = shares.sum(axis=1)
        return np.where(
            total > 0,
            (shares * np.where(counts_in_mean, values, 0.0)).sum(axis=1) / np.where(total > 0, total, 1.0),
            np.nan,
        )

    def edge_variance(self, rows: Rows, counts: np.ndarray) -> float:
        if self.average not in ("macro", "supported"):
            return 0.0
        return self.edge_variance_of(class_sums(rows, self.columns, self.n_classes, counts[None].astype(np.float64)))

    def rarest(self, rows: Rows, counts: np.ndarray) -> int | None:
        if self.average not in ("macro", "supported"):
            return None
        once = Rows(rows.columns, rows.subsets, (rows.weights > 0).astype(np.float64))
        return self.rarest_of(class_sums(once, self.columns, self.n_classes, counts[None].astype(np.float64)))

    def rarest_of(self, sums: np.ndarray) -> int | None:
        if self.average not in ("macro", "supported"):
            return None
        tp, _, fn = np.ravel(sums)[: 3 * self.n_classes].reshape(3, self.n_classes)
        true = (tp + fn)[tp + fn > 0]
        return round(float(true.min())) if len(true) else None

    def edge_variance_of(self, sums: np.ndarray) -> float:
        """The variance that classes which are all right or all wrong, and appear not to vary, add to a mean over
        classes.

        The share of such a class is estimated with two right and two wrong answers more (Agresti and Coull, 1998); the
        class adds the variance of this estimate and its squared distance from the value at the bound.
        """
        if self.average not in ("macro", "supported"):
            return 0.0
        tp, fp, fn = np.ravel(sums)[: 3 * self.n_classes].reshape(3, self.n_classes)
        values = class_ratio(self.metric, tp, fp, fn, float(self.undefined))
        sizes = tp + fp + fn
        in_mean = ~np.isnan(values) & (tp + fn > 0 if self.average == "supported" else (sizes > 0) | self.every)
        sizes, values = sizes[in_mean], values[in_mean]
        shares = (values * sizes + 2) / (sizes + 4)
        at_edge = ((values == 0) | (values == 1)) & (sizes > 0)
        added = shares * (1 - shares) / (sizes + 4) + (shares - values) ** 2
        return float(added[at_edge].sum() / max(1, len(sizes)) ** 2)

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "ClassAverage":
        return dataclasses.replace(self, n_classes=n_classes)

    def value_once(self, rows: Rows) -> float:
        if not rows.weights.any():
            return 0.0
        counts = sums_once(rows, self.columns, self.n_classes)[None]
        hidden = not (self.every or rows.weights.all())
        occurs = sums_once(_unweighted(rows), self.columns, self.n_classes)[None].sum(axis=1) > 0 if hidden else None
        return plain_number(self.of_counts(counts, occurs)[0])


@dataclasses.dataclass(frozen=True)
class ClassScore(SumMeasure):
    """Precision, recall, F1 or Jaccard of one class, or its `support`: the weight of examples in which it is true."""

    metric: str
    columns: tuple[str, ...]
    number: int
    n_classes: int
    undefined: float | str = 0.0

    @property
    def reads(self) -> tuple[str, ...]:
        return self.columns

    @property
    def has_interval(self) -> bool:  # type: ignore[override]
        return self.metric != "support"

    @property
    def is_rate(self) -> bool:  # type: ignore[override]
        return self.metric != "support"

    @property
    def sums_key(self) -> Hashable:
        """All measures of a class have the same sums."""
        return ClassScore, self.columns, self.number, self.n_classes

    @property
    def n_sums(self) -> int:  # type: ignore[override]
        return 3 * self.n_classes

    def sums(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        """True positives, false positives and false negatives of the class, (3, b)."""
        return class_sums(rows, self.columns, self.n_classes, replicate_counts)[:, :, self.number].T

    def sums_by(self, rows: Rows, index: np.ndarray, size: int) -> np.ndarray:
        of_all = (self.columns, self.n_classes)
        sums = rows.shared(("by place", *of_all), index, lambda: class_sums_by(rows, *of_all, index, size))
        return sums[:, self.number]

    def finish(self, sums: Any) -> Any:
        tp, fp, fn = (np.asarray(part, np.float64) for part in sums)
        if self.metric == "support":
            return tp + fn
        return class_ratio(self.metric, tp, fp, fn, float(self.undefined))

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "ClassScore":
        return dataclasses.replace(self, number=int(numbers[self.number]), n_classes=n_classes)

    def value_once(self, rows: Rows) -> float | int:
        value = float(self.finish(sums_once(rows, self.columns, self.n_classes)[:, self.number]))
        if self.metric == "support" and value.is_integer():
            return int(value)
        return 0.0 if np.isnan(value) else value


@dataclasses.dataclass(frozen=True)
class MeanOfClasses(Mean):
    """The mean of a column of class counts, divided by `n_classes`."""

    n_classes: int = 1

    def recoded(self, numbers: np.ndarray, n_classes: int) -> "MeanOfClasses":
        return dataclasses.replace(self, n_classes=n_classes)

    def recoded_columns(self, columns: Mapping[str, Any], n_classes: int) -> dict[str, np.ndarray]:
        return {self.column: np.rint(columns[self.column] * max(1, self.n_classes)) / max(1, n_classes)}


def set_columns(predictions: Ragged, references: Ragged, n_classes: int, undefined: float) -> dict[str, Any]:
    """The columns of sets of classes: tp, fp and fn (lists of classes), and the measures of each example.

    Args:
        predictions, references: n sets, ascending.
        undefined: the value of 0 / 0; NaN omits the example.

    Returns:
        `tp`, `fp`, `fn` (Ragged); exact_match, hamming_loss (wrong classes, of all), precision, recall, f1 and jaccard,
        float64 (n,).
    """
    n = len(references)
    true_keys, keys = (lists.rows * max(1, n_classes) + lists.values for lists in (references, predictions))
    places = np.searchsorted(true_keys, keys)
    hit = np.zeros(len(keys), bool)
    inside = places < len(true_keys)
    hit[inside] = true_keys[places[inside]] == keys[inside]
    missed = np.ones(len(true_keys), bool)
    missed[places[hit]] = False
    parts = {
        "tp": (predictions.rows[hit], predictions.values[hit]),
        "fp": (predictions.rows[~hit], predictions.values[~hit]),
        "fn": (references.rows[missed], references.values[missed]),
    }
    columns: dict[str, Any] = {}
    counts = []
    for name, (rows, classes) in parts.items():
        lengths = np.bincount(rows, minlength=n)
        counts.append(lengths.astype(np.float64))
        columns[name] = Ragged(np.append(0, np.cumsum(lengths)), classes)
    tp, fp, fn = counts
    columns["exact_match"] = (fp + fn == 0).astype(np.float64)
    columns["hamming_loss"] = (fp + fn) / max(1, n_classes)
    return {**columns, **{metric: class_ratio(metric, tp, fp, fn, undefined) for metric in CLASS_METRICS}}
