"""Rankings of labels in every layout; only the first places are sorted or copied."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.columns import is_list, real_numbers, to_list, with_id
from ..core.errors import about, blamed
from ..core.label_encoding import LabelList
from ..core.ragged import Ragged, ranges_from
from ..core.rows import row_ids_and_weights
from ..core.shown import describe, shown
from .columns import LabelSide, code_sides, distinct_labels, is_sparse, list_side, set_side

_GIVE_LABEL_RANKING = (
    "give per row a list of labels, best first, a dict label -> score, or a dict of the lists 'indices' and 'scores'; "
    "or one array of label numbers, best first, or a matrix of scores"
)
_SCORED_KEYS = {"indices", "scores"}
_NUMBERS_AT_ONCE = 1 << 21  # labels per block
_ROWS_AT_ONCE = 1 << 16
_FEW_BEST = 16  # up to this many best places are selected one by one


@dataclasses.dataclass
class RankedRows:
    """Rankings of class numbers, the true ones as sorted sets, and the classes."""

    ids: Sequence
    weights: np.ndarray | None
    rankings: "IndexRankings | ListRankings | ScoredRankings"
    references: Ragged
    classes: LabelList
    repeated: int


class IndexRankings:
    """An array of class numbers (n, m), best first; -1 is an empty place."""

    def __init__(self, numbers: np.ndarray):
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows that are small enough to work on at once."""
        step = max(1, min(_ROWS_AT_ONCE, _NUMBERS_AT_ONCE // max(1, self.numbers.shape[1])))
        for first in range(0, len(self), step):
            yield first, min(first + step, len(self))

    def top(self, first: int, last: int, depth: int) -> np.ndarray:
        """The best class numbers of some rows, (rows, depth); -1 where there are no more."""
        numbers = self.numbers[first:last, :depth]
        return numbers if numbers.shape[1] == depth else _padded(numbers, depth)

    def first_hits(self, rows: np.ndarray, references: Ragged) -> np.ndarray:
        """The rank of the best true label of some rows, int64; 0 where none is ranked."""
        return _first_hits(hits_in(self.numbers[rows], references.take(rows)))

    def check(self, classes: LabelList, ids: Sequence) -> None:
        """Refuse numbers without a label."""
        for first, last in self.blocks():
            block = self.numbers[first:last]
            if block.size and (block.min() < -1 or block.max() >= len(classes)):
                row, place = np.argwhere((block < -1) | (block >= len(classes)))[0]
                limit = "" if len(classes) > 1 << 60 else f" to {len(classes) - 1}"
                raise ValueError(
                    f"predictions[{first + row}][{place}]{with_id(ids, first + row)} is {block[row, place]}; label "
                    f"numbers go from 0{limit}, -1 is an empty place"
                )


class ListRankings:
    """Lists of class numbers, best first."""

    def __init__(self, numbers: Ragged):
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows that are small enough to work on at once."""
        return _blocks_of(self.numbers.offsets)

    def top(self, first: int, last: int, depth: int) -> np.ndarray:
        """The best class numbers of some rows, (rows, depth); -1 where there are no more."""
        return _table_of(self.numbers, np.arange(first, last), depth)

    def first_hits(self, rows: np.ndarray, references: Ragged) -> np.ndarray:
        """The rank of the best true label of some rows, int64; 0 where none is ranked."""
        depth = int(self.numbers.lengths[rows].max(initial=0))
        return _first_hits(hits_in(_table_of(self.numbers, rows, depth), references.take(rows)))


class ScoredRankings:
    """Class numbers with scores: lists of both, or a matrix of scores of all classes; ties in the order given."""

    def __init__(self, numbers: Ragged | None, scores: np.ndarray):
        self.numbers, self.scores = numbers, scores

    def __len__(self) -> int:
        return len(self.scores) if self.numbers is None else len(self.numbers)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows that are small enough to work on at once."""
        if self.numbers is not None:
            return _blocks_of(self.numbers.offsets)
        return _blocks_of(np.arange(len(self) + 1) * self.scores.shape[1])

    def top(self, first: int, last: int, depth: int) -> np.ndarray:
        """The best class numbers of some rows, (rows, depth); -1 where there are no more."""
        numbers, scores = self._tables(np.arange(first, last))
        if scores.shape[1] < depth:
            numbers, scores = _padded(numbers, depth), _padded(scores, depth, -np.inf)
        if depth > _FEW_BEST:
            places = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
            return np.take_along_axis(numbers, places, axis=1)
        scores = scores.copy()
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
        if not scores.size:
            return np.zeros(len(rows), np.int64)
        true_scores = np.where(hits_in(numbers, references.take(rows)), scores, -np.inf)
        place = np.argmax(true_scores, axis=1)[:, None]
        best = np.take_along_axis(true_scores, place, axis=1)
        before = (scores > best) | ((scores == best) & (np.arange(scores.shape[1]) < place))
        return np.where(best[:, 0] == -np.inf, 0, np.count_nonzero(before, axis=1) + 1)

    def _tables(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.numbers is None:
            scores = self.scores[rows]
            return np.broadcast_to(np.arange(scores.shape[1]), scores.shape), scores
        depth = int(self.numbers.lengths[rows].max(initial=0))
        scores = Ragged(self.numbers.offsets, self.scores)
        return _table_of(self.numbers, rows, depth), _table_of(scores, rows, depth, -np.inf)


def _padded(table: np.ndarray, depth: int, filler: float = -1) -> np.ndarray:
    return np.pad(table, ((0, 0), (0, depth - table.shape[1])), constant_values=filler)


def _table_of(lists: Ragged, rows: np.ndarray, depth: int, filler: float = -1) -> np.ndarray:
    """The first places of some lists as a table (rows, depth), filled up."""
    lengths = np.minimum(lists.lengths[rows], depth)
    places = ranges_from(lists.offsets[rows], lengths)
    if (lengths == depth).all():
        return lists.values[places].reshape(len(rows), depth)
    table = np.full((len(rows), depth), filler, np.float64 if lists.values.dtype.kind == "f" else np.int64)
    table[np.arange(depth) < lengths[:, None]] = lists.values[places]
    return table


def _blocks_of(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of lists whose tables, as wide as the longest list, stay small."""
    n, first = len(offsets) - 1, 0
    while first < n:
        last = min(n, first + _ROWS_AT_ONCE)
        while last > first + 1 and np.diff(offsets[first : last + 1]).max() * (last - first) > _NUMBERS_AT_ONCE:
            last = first + (last - first + 1) // 2
        yield first, last
        first = last


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


def _first_hits(hits: np.ndarray) -> np.ndarray:
    if not hits.shape[1]:
        return np.zeros(len(hits), np.int64)
    return np.where(hits.any(axis=1), np.argmax(hits, axis=1) + 1, 0)


# --- layouts ----------------------------------------------------------------------------------------------------------


def read_ranked_labels(
    predictions: Any, references: Any, ids: Any, weights: Any, labels: LabelList | None, layout: str = "auto"
) -> RankedRows:
    """Rankings of labels, and the true ones, as class numbers.

    Args:
        predictions: lists of labels, best first; dicts label -> score; dicts of the lists "indices" and "scores"; an
            array of integers (n, k), best first; a matrix of scores, sparse or not.
        references: lists, sets, a sparse or an indicator matrix.
        layout: "indicator": lists of the references are rows of 0 and 1 too.
    """
    with about("references"):
        gold = set_side(references, "references", layout)
    with about("predictions"):
        predicted, source = _ranked_side(predictions)
    n = len(predicted.lengths)
    ids, weights = row_ids_and_weights(ids, weights, n, len(gold.lengths))
    (ranked, true), classes = code_sides([predicted, gold], labels, ids)
    truth = distinct_labels(gold.lengths, true)
    repeated = len(true) - len(truth.values)
    if predicted.width is not None and not gold.numbered:
        _refuse_rows_of_width(gold, truth, predicted.width, ids)
    rankings: IndexRankings | ListRankings | ScoredRankings
    if isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "iu":
        rankings = IndexRankings(source)
        rankings.check(classes, ids)
    elif isinstance(source, np.ndarray) and source.ndim == 2:
        _check_scores(source, lambda place: int(place // source.shape[1]), ids)
        rankings = ScoredRankings(None, source)
    else:
        lists = Ragged(np.append(0, np.cumsum(predicted.lengths)), ranked)
        if predicted.numbered:
            _check_bounds(lists, classes, ids)
        if source is None:
            rankings = ListRankings(lists)
        else:
            _check_scores(source, lambda place: int(np.searchsorted(lists.offsets, place, "right")) - 1, ids)
            rankings = ScoredRankings(lists, source)
    return RankedRows(ids, weights, rankings, truth, classes, repeated)


def _refuse_rows_of_width(gold: LabelSide, truth: Ragged, width: int, ids: Sequence) -> None:
    """Refuse lists of true labels as long as a row of scores that repeat a label: they are probably rows of 0 and 1."""
    odd = np.flatnonzero((gold.lengths == width) & (truth.lengths < width))
    if len(odd):
        told = (
            f"references[{odd[0]}]{with_id(ids, odd[0])} has {width} labels, as many as predictions have "
            "columns, and one of them twice; for rows of 0 and 1 per class give the option layout=indicator, "
            "for label numbers give every label once"
        )
        raise blamed(ValueError(told), "references")


def _ranked_side(column: Any) -> tuple[LabelSide, np.ndarray | None]:
    """The labels of rankings, and their scores or the whole array; None for lists in order."""
    name = "predictions"
    if is_sparse(column):
        column = column.tocsr()
        if not column.has_sorted_indices:
            column = column.sorted_indices()
        return LabelSide(
            name, np.diff(column.indptr).astype(np.int64), column.indices, True, column.shape[1]
        ), _as_floats(column.data)
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "dtype"):
        array = np.asarray(column)
        if array.dtype.kind not in "iuf":
            raise TypeError(f"predictions is an array of {array.dtype}; {_GIVE_LABEL_RANKING}")
        width = array.shape[1] if array.dtype.kind == "f" else None
        return LabelSide(name, np.zeros(len(array), np.int64), np.empty(0, np.int64), True, width), array
    if isinstance(column, Ragged):
        return LabelSide(name, column.lengths, column.values), None
    rows = to_list(column, name)
    if not rows or not isinstance(rows[0], Mapping):
        return list_side(rows, name, (list, tuple, np.ndarray), _GIVE_LABEL_RANKING), None
    return _scored_side(rows, name)


def _scored_side(rows: list, name: str) -> tuple[LabelSide, np.ndarray]:
    """The labels and scores of dicts label -> score, or of dicts of the lists "indices" and "scores"."""
    for row, value in enumerate(rows):
        if not isinstance(value, Mapping):
            raise TypeError(
                f"{name}[{row}] must be a dict like the first row, got {describe(value)}; {_GIVE_LABEL_RANKING}"
            )
    numbered = rows[0].keys() == _SCORED_KEYS and all(map(is_list, rows[0].values()))
    if numbered:
        return _numbered_side(rows, name)
    side = LabelSide(name, np.fromiter(map(len, rows), np.int64, len(rows)), list(chain.from_iterable(rows)))
    return side, _scores_of(list(chain.from_iterable(row.values() for row in rows)), side)


def _numbered_side(rows: list[Mapping], name: str) -> tuple[LabelSide, np.ndarray]:
    """The label numbers and scores of dicts of the lists "indices" and "scores"."""
    for row, value in enumerate(rows):
        if value.keys() != _SCORED_KEYS or not all(map(is_list, value.values())):
            raise ValueError(f"{name}[{row}] must be a dict of the lists 'indices' and 'scores', like the first row")
        if len(value["indices"]) != len(value["scores"]):
            sizes = f"{len(value['indices'])} indices and {len(value['scores'])} scores"
            raise ValueError(f"{name}[{row}] has {sizes}; give a score for every index")
    lengths = np.fromiter((len(row["indices"]) for row in rows), np.int64, len(rows))
    side = LabelSide(name, lengths, list(chain.from_iterable(_plain(row["indices"]) for row in rows)), True)
    scores = _scores_of(list(chain.from_iterable(_plain(row["scores"]) for row in rows)), side)
    for place, number in enumerate(side.flat):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{side.where((), place)} is {describe(number)}; 'indices' must be integers")
    side.flat = np.fromiter(side.flat, np.int64, len(side.flat))
    return side, scores


def _plain(values: Any) -> Sequence:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _scores_of(scores: list, side: LabelSide) -> np.ndarray:
    try:
        return real_numbers(scores)
    except TypeError:
        for place, score in enumerate(scores):
            try:
                real_numbers([score])
            except TypeError:
                label = side.flat[place]
                raise TypeError(
                    f"{side.where((), place).partition(']')[0]}] has the score {describe(score)} for label {shown(label)}; "
                    "give a number"
                ) from None
        raise


def _as_floats(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _check_scores(scores: np.ndarray, row_of: Any, ids: Sequence) -> None:
    flat = scores.reshape(-1)
    for first in range(0, len(flat), _NUMBERS_AT_ONCE):
        finite = np.isfinite(flat[first : first + _NUMBERS_AT_ONCE])
        if not finite.all():
            place = first + int(np.argmin(finite))
            row = row_of(place)
            raise ValueError(
                f"predictions[{row}]{with_id(ids, row)} has the score {flat[place]}; give finite numbers, and "
                "omit labels that have no score"
            )


def _check_bounds(lists: Ragged, classes: LabelList, ids: Sequence) -> None:
    outside = (lists.values < 0) | (lists.values >= len(classes))
    if outside.any():
        place = int(np.argmax(outside))
        row = int(np.searchsorted(lists.offsets, place, "right")) - 1
        limit = "" if len(classes) > 1 << 60 else f" to {len(classes) - 1}"
        raise ValueError(
            f"predictions[{row}]{with_id(ids, row)} has the label number {lists.values[place]}; they go from 0{limit}"
        )
