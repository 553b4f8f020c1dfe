"""Boosted trees as arrays of integers: read from plain JSON, evaluated in numpy, the same on every machine."""

import dataclasses
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

_ROWS_AT_ONCE = 512  # rows that go through the trees at once, so that their arrays stay in the processor's cache
_FEW_ROWS = 8  # up to so many rows go through the trees one by one


@dataclasses.dataclass(frozen=True, eq=False)
class Forest:
    """t regression trees of depth d, complete: 2**d - 1 nodes in the order of a heap, 2**d leaves from left to right.

    Attributes:
        thresholds: per feature, the sorted values that any node compares with.
        features: (t, 2**d - 1) column a node looks at.
        ranks: uint8 (t, 2**d - 1) place of its threshold; a value above the threshold goes right. 255 always goes left.
        leaves: int64 (t, 2**d), in units of 1 / `scale`: integers, so that a sum does not depend on its order.
        scale: see leaves.
        base: added to the sum of the leaves, same units.
    """

    thresholds: tuple[np.ndarray, ...]
    features: np.ndarray
    ranks: np.ndarray
    leaves: np.ndarray
    scale: int
    base: int

    @cached_property
    def masks(self) -> "_LeafMasks":
        """What a single row needs."""
        return _LeafMasks.of(self)


class _LeafMasks(NamedTuple):
    """Which leaves the nodes of each feature leave to a row: bit j of lane i of an integer stands for leaf j of tree i.

    A row ends in the first leaf that all nodes leave to it, also the nodes that it does not pass: where it goes right at a
    node, the leaves below on the left are not its own (Lucchese et al., 2015, "QuickScorer").

    Attributes:
        columns: per feature, its thresholds and, for each place among them, the leaves left.
        lanes: the type of a lane.
        first_leaves: (t,), where the leaves of each tree begin in `leaves`.
        leaves: (t * 2**d,).
    """

    columns: list[tuple[list[float], list[int]]]
    lanes: np.dtype
    first_leaves: np.ndarray
    leaves: np.ndarray

    @classmethod
    def of(cls, forest: Forest) -> "_LeafMasks":
        trees, n_leaves = forest.leaves.shape
        lanes = np.dtype(f"<u{max(n_leaves // 8, 1)}")
        width, below = 8 * lanes.itemsize, {}  # of each node, the leaves on its left
        for node in range(n_leaves - 1):
            level = (node + 1).bit_length() - 1
            size = n_leaves >> level
            below[node] = ((1 << size // 2) - 1) << (node + 1 - (1 << level)) * size
        lost: list[dict[int, int]] = [{} for _ in forest.thresholds]
        for tree, (features, ranks) in enumerate(zip(forest.features.tolist(), forest.ranks.tolist(), strict=True)):
            for node, (feature, rank) in enumerate(zip(features, ranks, strict=True)):
                lost[feature][rank] = lost[feature].get(rank, 0) | below[node] << tree * width
        columns = []
        for thresholds, of_rank in zip(forest.thresholds, lost, strict=True):
            left = [(1 << trees * width) - 1]
            for rank in range(len(thresholds)):
                left.append(left[-1] & ~of_rank.get(rank, 0))
            columns.append((thresholds.tolist(), left))
        return cls(columns, lanes, np.arange(trees) * n_leaves, forest.leaves.ravel())

    def sum_of(self, row: Sequence[float]) -> int:
        """The sum of the leaves in which a row ends."""
        left = -1
        for value, (thresholds, masks) in zip(row, self.columns, strict=True):
            left &= masks[bisect_left(thresholds, value) if value == value else -1]
        lanes = np.frombuffer(left.to_bytes(len(self.first_leaves) * self.lanes.itemsize, "little"), self.lanes)
        exponents = np.frexp((lanes & -lanes).astype(np.float64))[1]
        return int(self.leaves[self.first_leaves + exponents - 1].sum())


def evaluate_forest(forest: Forest, features: np.ndarray) -> np.ndarray:
    """The sum of the trees for each row of a feature matrix (n, f), float64 (n,); a row's value does not depend on others."""
    if len(features) <= _FEW_ROWS:
        return np.array([evaluate_row(forest, row) for row in features.tolist()], np.float64)
    binned = np.empty(features.shape[::-1], np.uint8)
    for column, thresholds in enumerate(forest.thresholds):
        binned[column] = np.searchsorted(thresholds, features[:, column], side="left")
    sums = np.empty(len(features), np.int64)
    lowest = forest.leaves.shape[1] // 2
    for first in range(0, len(features), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        right = binned[:, rows][forest.features] > forest.ranks[:, :, None]
        # From the lowest nodes up: which of the leaves below a node a row ends in.
        leaf = right[:, lowest - 1 :].astype(np.uint8)
        below, size = 2, lowest // 2
        while size:
            leaf = np.where(right[:, size - 1 : 2 * size - 1], leaf[:, 1::2] + np.uint8(below), leaf[:, 0::2])
            below, size = 2 * below, size // 2
        sums[rows] = np.take_along_axis(forest.leaves, leaf[:, 0].astype(np.intp), axis=1).sum(axis=0)
    return (sums + forest.base) / forest.scale


def evaluate_row(forest: Forest, row: Sequence[float]) -> float:
    """The same of one row, (f,)."""
    return float(forest.masks.sum_of(row) + forest.base) / forest.scale


def read_forest(document: dict[str, Any]) -> Forest:
    """A forest from its part of a JSON document: a list of each attribute."""
    return Forest(
        thresholds=tuple(np.array(values, np.float64) for values in document["thresholds"]),
        features=np.array(document["features"], np.intp),
        ranks=np.array(document["ranks"], np.uint8),
        leaves=np.array(document["leaves"], np.int64),
        scale=document["scale"],
        base=document["base"],
    )
