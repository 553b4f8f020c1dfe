"""P@k, R@k, nDCG@k, MRR, PSP@k and PSnDCG@k of rankings of labels, one value per row.

The definitions follow extreme multi-label classification: always divided by k, over all rows, so that a row
without labels, and a place beyond the end of a ranking, is a miss. Propensities follow Jain et al. (2016),
"Extreme Multi-label Loss Functions for Recommendation, Tagging, Ranking & Other Missing Label Applications".
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.columns import with_id
from ..core.label_encoding import LabelList, LabelNumbers, label_kind
from ..core.measures import Mean, Measure, Rows, TermMeasure
from ..core.ragged import Ragged
from ..core.shown import describe, shown
from .ranked_labels import Rankings, hits_in

_FEW_PLACES = 8  # up to this many places are compared pair by pair


@dataclasses.dataclass(frozen=True)
class RatioOfMeans(TermMeasure):
    """The mean of a column over all rows, divided by the mean of another column."""

    numerator: str
    denominator: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.numerator, self.denominator)

    def terms(self, rows: Rows) -> list[np.ndarray]:
        return [rows.weights * rows.columns[name] for name in self.reads]

    def finish(self, sums: Any) -> Any:
        return sums[0] / sums[1]


def inverse_propensity(counts: Any, n_train: int, a: float = 0.55, b: float = 1.5) -> np.ndarray:
    """The weight of a true label in PSP@k, from its frequency in the training data (Jain et al., 2016).

    1 + C (count + b)^-a with C = (ln n_train - 1) (b + 1)^a: rare labels, which annotators miss more often, get more
    weight.

    Args:
        counts: of each label in the training data.
        n_train: rows of the training data.
        a, b: constants of the data set.
    """
    scale = (math.log(n_train) - 1) * (b + 1) ** a
    return 1 + scale * (np.asarray(counts, np.float64) + b) ** -a


def label_weights(values: LabelNumbers, classes: LabelList, references: Ragged, absent: float | None) -> np.ndarray:
    """The numbers of all classes that are true somewhere, by class number; NaN for classes that are true nowhere.

    Args:
        absent: the number of labels that a dict lacks; None: they are refused.
    """
    _check_key_kinds(values, classes)
    weights = values.of_classes(classes, int(references.values.max(initial=-1)) + 1)
    used = np.zeros(len(weights), bool)
    used[references.values] = True
    unknown = np.flatnonzero(used & np.isnan(weights))
    if len(unknown) and absent is None:
        label = classes.labels[unknown[0]]
        raise ValueError(
            f"option {values.option} has no number for label {shown(label)} of the references; give it one"
        )
    return np.where(np.isnan(weights), absent or 0.0, weights)


def _check_key_kinds(values: LabelNumbers, classes: LabelList) -> None:
    """Refuse a dict with labels of another type, since none would be found."""
    if values.keys and len(classes):
        key_kind, class_kind = (label_kind(type(labels[0])) for labels in (values.keys, classes.labels))
        if key_kind != class_kind:
            raise TypeError(
                f"option {values.option} has the label {describe(values.keys[0])}, but the labels are like "
                f"{describe(classes.labels[0])}; give labels of one type"
            )


def ranking_columns(
    rankings: Rankings,
    references: Ragged,
    classes: LabelList,
    ids: Sequence[Any],
    ks: Sequence[int],
    weights: np.ndarray | None,
) -> dict[str, np.ndarray]:
    """The columns of ranked labels, float64 (n,) each.

    Args:
        references: the true classes of each row, distinct.
        classes, ids: for messages.
        ks: ascending.
        weights: inverse propensities by class number, for all classes that are true somewhere; None: no PSP@k.

    Returns:
        p@k, r@k, ndcg@k, rr and, with weights, psp@k_gain, psp@k_best, psndcg@k_gain and psndcg@k_best (whose means'
        ratio is PSP@k): 0 in rows without true labels. `ranked` is how many labels count, at most max(ks).

    Raises:
        ValueError: a duplicate label among the places that count.
    """
    n, depth = len(rankings), ks[-1]
    names = ["rr", "ranked", *(f"{name}@{k}" for name in ("p", "r", "ndcg") for k in ks)]
    if weights is not None:
        names += [f"{name}@{k}_{part}" for name in ("psp", "psndcg") for k in ks for part in ("gain", "best")]
    columns = {name: np.zeros(n) for name in names}
    discounts = 1 / np.log2(np.arange(2, depth + 2))
    ideal = np.append(0.0, np.cumsum(discounts))
    for first, last in rankings.blocks():
        block = slice(first, last)
        top = rankings.top(first, last, depth)
        _check_distinct(top, first, classes, ids)
        true = _some_rows(references, first, last)
        hits = hits_in(top, true)
        columns["ranked"][block] = np.count_nonzero(top >= 0, axis=1)
        columns["rr"][block] = _reciprocal_ranks(hits, first, rankings, references)
        num_hits, gains = np.cumsum(hits, axis=1), np.cumsum(hits * discounts, axis=1)
        for k in ks:
            ideal_dcg = np.maximum(ideal[np.minimum(true.lengths, k)], 1.0)  # 1 where there are no labels
            columns[f"p@{k}"][block] = num_hits[:, k - 1] / k
            columns[f"r@{k}"][block] = num_hits[:, k - 1] / np.maximum(true.lengths, 1)
            columns[f"ndcg@{k}"][block] = gains[:, k - 1] / ideal_dcg
        if weights is not None:
            hit_weights = np.zeros(hits.shape)
            hit_weights[hits] = weights[top[hits]]
            for name, values in _propensity_columns(hit_weights, true, weights, ks, discounts).items():
                columns[name][block] = values
    return columns


def _propensity_columns(
    hit_weights: np.ndarray, true: Ragged, weights: np.ndarray, ks: Sequence[int], discounts: np.ndarray
) -> dict[str, np.ndarray]:
    """The gain of rankings with inverse propensities, and the largest possible gain, as in `ranking_columns`.

    `hit_weights` (n, depth) are 0 at places without a true label.
    """
    ideal = np.append(0.0, np.cumsum(discounts))
    most = np.zeros(hit_weights.shape)
    best, place = _best_first(true, weights, hit_weights.shape[1])
    most[place] = best
    columns: dict[str, np.ndarray] = {}
    for name, discount in (("psp", 1.0), ("psndcg", discounts)):
        parts = {"gain": np.cumsum(hit_weights * discount, axis=1), "best": np.cumsum(most * discount, axis=1)}
        for k in ks:
            idcg = np.maximum(ideal[np.minimum(true.lengths, k)], 1.0) if name == "psndcg" else k
            columns |= {f"{name}@{k}_{part}": sums[:, k - 1] / idcg for part, sums in parts.items()}
    return columns


def ranking_measures_of(ks: Sequence[int], propensities: bool) -> dict[str, Measure]:
    """The measures of `ranking_columns`."""
    measures: dict[str, Measure] = {f"{name}@{k}": Mean(f"{name}@{k}") for name in ("p", "r", "ndcg") for k in ks}
    measures["mrr"] = Mean("rr")
    if propensities:
        names = [f"{name}@{k}" for name in ("psp", "psndcg") for k in ks]
        measures |= {name: RatioOfMeans(f"{name}_gain", f"{name}_best") for name in names}
    return measures


def _some_rows(lists: Ragged, first: int, last: int) -> Ragged:
    offsets = lists.offsets[first : last + 1]
    return Ragged(offsets - offsets[0], lists.values[offsets[0] : offsets[-1]])


def _reciprocal_ranks(hits: np.ndarray, first: int, rankings: Rankings, references: Ragged) -> np.ndarray:
    """1 / rank of the best true label; a ranking is read to its end only if the first places have none."""
    ranks = np.where(hits.any(axis=1), np.argmax(hits, axis=1) + 1, 0)
    late = np.flatnonzero((ranks == 0) & (references.lengths[first : first + len(hits)] > 0))
    ranks[late] = rankings.first_hits(first + late, references)
    return np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0.0)


def _best_first(true: Ragged, weights: np.ndarray, depth: int) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The weights of true labels, largest first in each row, and their row and place below `depth`."""
    true_weights = weights[true.values]
    rows = true.rows
    order = np.lexsort((-true_weights, rows))
    places = np.arange(len(true_weights)) - true.offsets[:-1][rows]
    within_depth = places < depth
    return true_weights[order][within_depth], (rows[within_depth], places[within_depth])


def _check_distinct(top: np.ndarray, first: int, classes: LabelList, ids: Sequence[Any]) -> None:
    depth = top.shape[1]
    if depth <= _FEW_PLACES:
        pairs = ((i, j) for i in range(depth) for j in range(i))
        twice = any(((top[:, i] == top[:, j]) & (top[:, i] >= 0)).any() for i, j in pairs)
    else:
        ordered = np.sort(top, axis=1)
        twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any()
    if not twice:
        return
    for row, numbers in enumerate(top.tolist()):
        numbers = [number for number in numbers if number >= 0]
        number = next((number for place, number in enumerate(numbers) if number in numbers[:place]), None)
        if number is not None:
            raise ValueError(
                f"predictions[{first + row}]{with_id(ids, first + row)} ranks the label {classes.labels[number]!r} twice; "
                "rank every label once"
            )
