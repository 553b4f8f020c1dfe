"""Rankings of labels in one form for every layout; only the first places are sorted or copied."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import finite_numbers, is_list, with_id
from ..core.errors import InputError, about
from ..core.intake import Table
from ..core.label_columns import (
    distinct_labels,
    finite_scores,
    is_matrix,
    is_sparse,
    list_column,
    scored_column,
    set_column,
)
from ..core.label_encoding import LabelColumn, LabelList, cell_name, code_columns
from ..core.ragged import Ragged, ranges_from
from ..core.shown import describe

_GIVE_RANKING = (
    "give per row a list of labels, best first, a dict label -> score, or a dict of the lists 'indices' and 'scores'; "
    "or one array of label numbers, best first, or a matrix of scores"
)
_SCORED_KEYS = {"indices", "scores"}
_NUMBERS_AT_ONCE = 1 << 21  # labels per block
_ROWS_AT_ONCE = 1 << 16
_FEW_BEST = 16  # up to this many best places are selected one by one


class Rankings:
    """Rankings of class numbers.

    Attributes:
        numbers: n lists, or an array (n, m) with -1 for an empty place; None: the columns of the matrix of scores.
        scores: of the numbers, float (t,), or a matrix (n, c); ties are in the order given. None: the numbers are in
            order, the best first.
    """

    def __init__(self, numbers: Ragged | np.ndarray | None, scores: np.ndarray | None = None):
        self.numbers, self.scores = numbers, scores

    def __len__(self) -> int:
        return len(self.scores if self.numbers is None else self.numbers)  # type: ignore[arg-type]

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows whose tables, as wide as the longest ranking, are small enough to work on at once."""
        table: Any = self.scores if self.numbers is None else self.numbers
        lengths = table.lengths if isinstance(table, Ragged) else np.broadcast_to(table.shape[1], len(self))
        first = 0
        while first < len(self):
            last = min(len(self), first + _ROWS_AT_ONCE)
            while last > first + 1 and (last - first) * lengths[first:last].max() > _NUMBERS_AT_ONCE:
                last = first + (last - first + 1) // 2
            yield first, last
            first = last

    def top(self, first: int, last: int, depth: int) -> np.ndarray:
        """The best class numbers of some rows, (rows, depth); -1 where there are no more."""
        numbers, scores = self._tables(np.arange(first, last), depth if self.scores is None else None)
        if scores is None:
            return _padded(numbers, depth)
        numbers, scores = _padded(numbers, depth), _padded(scores, depth, -np.inf)
        if depth > _FEW_BEST:
            places = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
            return np.take_along_axis(numbers, places, axis=1)
        best_numbers = np.empty((len(scores), depth), np.int64)
        rows = np.arange(len(scores))
        for place in range(depth):
            best = np.argmax(scores, axis=1)
            best_numbers[:, place] = np.where(scores[rows, best] == -np.inf, -1, numbers[rows, best])
            scores[rows, best] = -np.inf
        return best_numbers

    def first_hits(self, rows: np.ndarray, references: Ragged) -> np.ndarray:
        """The rank of the best true label of some rows, int64; 0 where none is ranked."""
        numbers, scores = self._tables(rows)
        if not numbers.shape[1]:
            return np.zeros(len(rows), np.int64)
        hits = hits_in(numbers, references.take(rows))
        if scores is None:
            return np.where(hits.any(axis=1), np.argmax(hits, axis=1) + 1, 0)
        true_scores = np.where(hits, scores, -np.inf)
        place = np.argmax(true_scores, axis=1)[:, None]
        best = np.take_along_axis(true_scores, place, axis=1)
        before = (scores > best) | ((scores == best) & (np.arange(scores.shape[1]) < place))
        return np.where(best[:, 0] == -np.inf, 0, np.count_nonzero(before, axis=1) + 1)

    def _tables(self, rows: np.ndarray, depth: int | None = None) -> tuple[np.ndarray, np.ndarray | None]:
        """The first numbers of some rows, all without a depth, and their scores, (rows, depth) each."""
        if self.numbers is None:
            scores: Any = self.scores
            return np.broadcast_to(np.arange(scores.shape[1]), (len(rows), scores.shape[1])), scores[rows]
        if not isinstance(self.numbers, Ragged):
            return self.numbers[:, :depth][rows], None
        longest = int(self.numbers.lengths[rows].max(initial=0))
        depth = longest if depth is None else min(depth, longest)
        if self.scores is None:
            return _table_of(self.numbers, rows, depth), None
        scores = Ragged(self.numbers.offsets, self.scores)
        return _table_of(self.numbers, rows, depth), _table_of(scores, rows, depth, -np.inf)

    def check(self, classes: LabelList, ids: Sequence[Any]) -> None:
        """Refuse numbers without a label."""
        if self.numbers is None:
            return
        if isinstance(self.numbers, Ragged):
            numbers, offsets, least = self.numbers.values, self.numbers.offsets, 0
        else:
            numbers, least = self.numbers, -1
            offsets = np.arange(len(numbers) + 1) * numbers.shape[1]
        count = len(classes)
        if numbers.size and not (least <= numbers.min() and numbers.max() < count):
            index = int(np.argmax((numbers < least) | (numbers >= count)))
            limit = "" if count > 1 << 60 else f" to {count - 1}"
            raise ValueError(
                f"{cell_name('predictions', offsets, ids, '', index)} is {numbers.flat[index]}; label numbers go from 0{limit}"
                f"{', -1 is an empty place' if least else ''}"
            )


def _padded(table: np.ndarray, depth: int, filler: float = -1) -> np.ndarray:
    width = table.shape[1]
    return table if width >= depth else np.pad(table, ((0, 0), (0, depth - width)), constant_values=filler)


def _table_of(lists: Ragged, rows: np.ndarray, depth: int, filler: float = -1) -> np.ndarray:
    """The first places of some lists as a table (rows, depth), filled up."""
    lengths = np.minimum(lists.lengths[rows], depth)
    places = ranges_from(lists.offsets[rows], lengths)
    if (lengths == depth).all():
        return lists.values[places].reshape(len(rows), depth)
    table = np.full((len(rows), depth), filler, np.float64 if lists.values.dtype.kind == "f" else np.int64)
    table[np.arange(depth) < lengths[:, None]] = lists.values[places]
    return table


def hits_in(table: np.ndarray, references: Ragged) -> np.ndarray:
    """Which class numbers of a table (n, m) are true in their row, bool (n, m)."""
    lengths = references.lengths
    order = np.argsort(-lengths, kind="stable")  # rows with more labels come first
    table, starts = table[order], references.offsets[:-1][order]
    counts: Any = len(order) - np.cumsum(np.bincount(lengths)) if len(order) else []
    ordered_hits = np.zeros(table.shape, bool)
    for place, count in enumerate(counts):  # one true label of each row at a time
        ordered_hits[:count] |= table[:count] == references.values[starts[:count] + place, None]
    hits = np.empty_like(ordered_hits)
    hits[order] = ordered_hits
    return hits


# --- layouts ----------------------------------------------------------------------------------------------------------


def read_rankings(table: Table, labels: LabelList | None, indicator: bool) -> tuple[Rankings, Ragged, LabelList, int]:
    """Rankings of labels, the true labels as sets of class numbers, the classes, and how many true labels are repeated.

    Args:
        table: its predictions are lists of labels, best first; dicts label -> score; dicts of the lists "indices" and
            "scores"; an array of integers (n, k), best first; or a matrix of scores, sparse or not. Its references are
            lists, sets, a sparse or an indicator matrix.
        indicator: lists of the references are rows of 0 and 1 too.
    """
    predictions, ids = table.columns["predictions"], table.ids
    with about("references"):
        gold = set_column(table.columns["references"], "references", indicator)
    with about("predictions"):
        predicted, scores = _ranked_column(predictions)
    (ranked, true), classes = code_columns([predicted, gold], labels, ids)
    lengths: Any = gold.lengths
    truth = distinct_labels(lengths, true)
    if predicted.width is not None and not gold.numbered:
        _refuse_rows_of_width(lengths, truth, predicted.width, ids)
    if is_matrix(predictions):
        rankings = Rankings(predictions) if scores is None else Rankings(None, scores)
    else:
        rankings = Rankings(Ragged(predicted.offsets, ranked), scores)
    if predicted.numbered:
        rankings.check(classes, ids)
    return rankings, truth, classes, len(true) - len(truth.values)


def _refuse_rows_of_width(lengths: np.ndarray, truth: Ragged, width: int, ids: Sequence[Any]) -> None:
    """Refuse lists of true labels as long as a row of scores that repeat a label: they are probably rows of 0 and 1."""
    odd = np.flatnonzero((lengths == width) & (truth.lengths < width))
    if len(odd):
        message = (
            f"references[{odd[0]}]{with_id(ids, odd[0])} has {width} labels, as many as predictions have "
            "columns, and one of them twice; for rows of 0 and 1 per class give the option layout=indicator, "
            "for label numbers give every label once"
        )
        raise InputError("references", message)


def _ranked_column(column: Any) -> tuple[LabelColumn, np.ndarray | None]:
    """The labels of rankings, and their scores; None for rankings in order."""
    name = "predictions"
    if is_sparse(column):
        column = column.tocsr()
        if not column.has_sorted_indices:
            column = column.sorted_indices()
        labels = LabelColumn(name, column.indices, np.diff(column.indptr).astype(np.int64), True, column.shape[1])
        return labels, finite_scores(column.data, labels)
    if is_matrix(column):
        if column.dtype.kind not in "iuf":
            raise TypeError(f"predictions is an array of {column.dtype}; {_GIVE_RANKING}")
        if column.dtype.kind != "f":
            return LabelColumn(name, np.empty(0, np.int64), numbered=True), None
        width = column.shape[1]
        scores = finite_numbers(column, lambda index: "{}[{}][{}]".format(name, *divmod(index, width)))
        return LabelColumn(name, np.empty(0, np.int64), numbered=True, width=width), scores
    if isinstance(column, Ragged):
        return LabelColumn(name, column.values, column.lengths), None
    rows = column if isinstance(column, list) else column.tolist()
    if not rows or not isinstance(rows[0], Mapping):
        return list_column(rows, name, (list, tuple, np.ndarray), _GIVE_RANKING), None
    numbered = rows[0].keys() == _SCORED_KEYS and all(map(is_list, rows[0].values()))
    return _numbered_column(rows, name) if numbered else scored_column(rows, name)


def _numbered_column(rows: list[Any], name: str) -> tuple[LabelColumn, np.ndarray]:
    """The label numbers and scores of dicts of the lists "indices" and "scores"."""
    for row, value in enumerate(rows):
        if not isinstance(value, Mapping) or value.keys() != _SCORED_KEYS or not all(map(is_list, value.values())):
            raise ValueError(f"{name}[{row}] must be a dict of the lists 'indices' and 'scores', like the first row")
        if len(value["indices"]) != len(value["scores"]):
            sizes = f"{len(value['indices'])} indices and {len(value['scores'])} scores"
            raise ValueError(f"{name}[{row}] has {sizes}; give a score for every index")
    labels = list_column([row["indices"] for row in rows], name, (list, tuple, np.ndarray), _GIVE_RANKING)
    labels.numbered = True
    scores = list_column([row["scores"] for row in rows], name, (list, tuple, np.ndarray), _GIVE_RANKING)
    for index, number in enumerate(labels.flat):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{labels.where((), index)} is {describe(number)}; 'indices' must be integers")
    labels.flat = np.fromiter(labels.flat, np.int64, len(labels.flat))
    return labels, finite_scores(scores.flat, labels)
