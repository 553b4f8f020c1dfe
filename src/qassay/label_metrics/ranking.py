"""P@k, R@k, nDCG@k and MRR of rankings of labels, one value per row.

Values are divided by k, over all rows: a row without labels, and a place beyond the end of a ranking, is a miss.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import finite_numbers, id_at
from ..core.errors import InputError, about
from ..core.intake import Table
from ..core.label_columns import distinct_labels, is_matrix, list_column, scored_column, set_column
from ..core.label_encoding import LabelColumn, LabelList, code_columns
from ..core.ragged import Ragged, begins_run

_GIVE_RANKING = (
    "give per row a list of labels, best first, or a dict label -> score; or one array of label numbers, best first, or a "
    "matrix of scores"
)


def read_rankings(
    table: Table, labels: LabelList | None, indicator: bool, depth: int
) -> tuple[Ragged, Ragged, LabelList, int]:
    """Rankings as lists of class numbers, best first, -1 for an empty place; the true labels as sets of them; the classes; and
    how many true labels are repeated.

    Args:
        table: its predictions are lists of labels, best first; dicts label -> score; an array of integers (n, k), best
            first; or a matrix of scores. Its references are lists, sets or an indicator matrix.
        indicator: lists of the references are rows of 0 and 1 too.
        depth: how many labels of a row count. Rankings of a matrix of scores have no others: `reciprocal_ranks` knows all.
    """
    ids, column = table.ids, table.columns["predictions"]
    with about("references"):
        gold = set_column(table.columns["references"], "references", indicator)
    with about("predictions"):
        predicted, scores = _ranked_column(column)
    (ranked, true), classes = code_columns([predicted, gold], labels, ids)
    lengths: Any = gold.lengths
    truth = distinct_labels(lengths, true)
    if predicted.width is not None and not gold.numbered:
        _refuse_rows_of_width(lengths, truth, predicted.width, ids)
    if predicted.numbered:
        wrong = np.flatnonzero((ranked < -1) | (ranked >= len(classes)))
        if len(wrong):
            found = f"{predicted.where(ids, int(wrong[0]))} is {ranked[wrong[0]]}"
            action = f"label numbers go from 0 to {len(classes) - 1}, -1 is an empty place"
            raise InputError("predictions", found, action)
    rankings = Ragged(predicted.offsets, ranked)
    if predicted.width is not None:
        rankings, scores = _highest(column, depth)
    if scores is not None:  # equal scores stay in the order given
        rankings = Ragged(rankings.offsets, rankings.values[np.lexsort((-scores, rankings.rows))])
    return rankings, truth, classes, len(true) - len(truth.values)


def _refuse_rows_of_width(lengths: np.ndarray, truth: Ragged, width: int, ids: Sequence[Any]) -> None:
    """Refuse lists of true labels as long as a row of scores that repeat a label: they are probably rows of 0 and 1."""
    odd = np.flatnonzero((lengths == width) & (truth.lengths < width))
    if len(odd):
        row = int(odd[0])
        found = f"has {width} labels, as many as predictions have columns, and one of them twice"
        action = (
            "for rows of 0 and 1 per class give the option layout=indicator, for label numbers give every label once"
        )
        raise InputError("references", found, action, row, id_at(ids, row))


def _ranked_column(column: Any) -> tuple[LabelColumn, np.ndarray | None]:
    """The labels of rankings, and their scores; None for rankings in order."""
    name = "predictions"
    if is_matrix(column):
        if column.dtype.kind not in "iuf":
            raise TypeError(f"predictions is an array of {column.dtype}; {_GIVE_RANKING}")
        n, width = column.shape
        if column.dtype.kind != "f":
            return LabelColumn(name, column.reshape(-1).astype(np.int64), np.full(n, width), numbered=True), None
        finite_numbers(column, lambda index: "{}[{}][{}]".format(name, *divmod(index, width)))
        return LabelColumn(name, np.empty(0, np.int64), np.zeros(n, np.int64), True, width), None
    rows = column if isinstance(column, list) else column.tolist()
    if rows and isinstance(rows[0], Mapping):
        return scored_column(rows, name)
    return list_column(rows, name, (list, tuple, np.ndarray), _GIVE_RANKING), None


def _highest(scores: np.ndarray, depth: int) -> tuple[Ragged, np.ndarray]:
    """The labels of each row whose score is among its highest `depth` or ties with one of these, and their scores."""
    last = scores.shape[1] - min(depth, scores.shape[1])
    kept = scores >= np.partition(scores, last, axis=1)[:, last, None]
    return Ragged(np.append(0, np.cumsum(kept.sum(axis=1))), np.nonzero(kept)[1]), scores[kept]


def reciprocal_ranks(scores: np.ndarray, truth: Ragged) -> np.ndarray:
    """1 / the rank of the first true label of each row of a matrix of scores, 0 without one; of equal scores the first label is first."""
    of_true, first = scores[truth.rows, truth.values], np.full(len(truth), scores.shape[1])
    best = np.full(len(truth), -np.inf)
    np.maximum.at(best, truth.rows, of_true)
    is_best = of_true == best[truth.rows]
    np.minimum.at(first, truth.rows[is_best], truth.values[is_best])
    best = best[:, None]
    before = (scores > best).sum(axis=1) + ((scores == best) & (np.arange(scores.shape[1]) < first[:, None])).sum(
        axis=1
    )
    return np.where(truth.lengths > 0, 1 / (before + 1), 0.0)


def ranking_columns(
    rankings: Ragged, truth: Ragged, classes: LabelList, ids: Sequence[Any], ks: Sequence[int]
) -> dict[str, np.ndarray]:
    """The columns of ranked labels, float64 (n,) each.

    Args:
        rankings, truth: as `read_rankings` gives them.
        classes, ids: for messages.
        ks: ascending.

    Returns:
        p@k, r@k, ndcg@k and rr: 0 in rows without true labels. `ranked` is how many labels count, at most max(ks).

    Raises:
        InputError: a duplicate label among the places that count.
    """
    n, depth, rows, labels = len(truth), ks[-1], rankings.rows, rankings.values
    ranks = np.arange(1, len(rows) + 1) - rankings.offsets[:-1][rows]
    counts = (ranks <= depth) & (labels >= 0)
    width = len(classes) + 1
    keys = rows * width + labels + 1  # of a row and a label
    _refuse_duplicates(keys[counts], rows[counts], labels[counts], classes, ids)
    hits = np.isin(keys, truth.rows * width + truth.values + 1)
    rows_of_hits, ranks_of_hits = rows[hits], ranks[hits]
    first = begins_run(rows_of_hits)
    columns = {"rr": np.zeros(n), "ranked": np.bincount(rows[counts], minlength=n).astype(np.float64)}
    columns["rr"][rows_of_hits[first]] = 1 / ranks_of_hits[first]
    gains = 1 / np.log2(ranks_of_hits + 1)
    ideal = np.append(1.0, np.cumsum(1 / np.log2(np.arange(2, depth + 2))))  # 1 where there are no labels
    for k in ks:
        of_first = ranks_of_hits <= k
        found = np.bincount(rows_of_hits[of_first], minlength=n)
        gained = np.bincount(rows_of_hits[of_first], gains[of_first], n)
        columns[f"p@{k}"] = found / k
        columns[f"r@{k}"] = found / np.maximum(truth.lengths, 1)
        columns[f"ndcg@{k}"] = gained / ideal[np.minimum(truth.lengths, k)]
    return columns


def _refuse_duplicates(
    keys: np.ndarray, rows: np.ndarray, labels: np.ndarray, classes: LabelList, ids: Sequence[Any]
) -> None:
    """Refuse a label that is ranked twice in a row."""
    firsts = np.unique(keys, return_index=True)[1]
    if len(firsts) < len(keys):
        twice = int(np.setdiff1d(np.arange(len(keys)), firsts)[0])
        row, found = int(rows[twice]), f"ranks the label {classes.labels[labels[twice]]!r} twice"
        raise InputError("predictions", found, "rank every label once", row, id_at(ids, row))
