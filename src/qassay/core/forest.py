"""The built-in models: JSON files beside the code, and boosted trees evaluated in numpy with the same results on every machine."""

import dataclasses
import hashlib
import json
import pkgutil
from functools import cache
from typing import Any

import numpy as np

_ROWS_AT_ONCE = 512  # rows evaluated at once, so that their arrays fit into the processor cache


@cache
def read_model(name: str, module: str) -> dict[str, Any]:
    """The JSON of a model file, given its name and the `__name__` of a module in the same folder.

    "word_weights", in the file weight -> words, become word -> weight; "fingerprint", for signatures, are the first 12 hexadecimal
    digits of the SHA-256 of the file.

    Raises:
        FileNotFoundError: no file has this name.
    """
    content = pkgutil.get_data(module, name)
    model = json.loads(content)  # type: ignore[arg-type]
    weights = {word: int(weight) for weight, words in model["word_weights"].items() for word in words.split()}
    return {**model, "word_weights": weights, "fingerprint": hashlib.sha256(content).hexdigest()[:12]}  # type: ignore[arg-type]


@dataclasses.dataclass(frozen=True, eq=False)
class Forest:
    """t regression trees of depth d, complete: 2**d - 1 nodes in the order of a heap, 2**d leaves from left to right.

    Attributes:
        thresholds: per feature, the sorted values that any node compares with.
        features: (t, 2**d - 1) column a node looks at.
        ranks: uint8 (t, 2**d - 1) index of its threshold; a value above the threshold goes right. 255 always goes left.
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


def evaluate_forest(forest: Forest, features: np.ndarray) -> np.ndarray:
    """The sum of the trees for each row of a feature matrix (n, f), float64 (n,); rows are independent of each
    other.
    """
    binned = np.empty(features.shape[::-1], np.uint8)
    for column, (thresholds, values) in enumerate(zip(forest.thresholds, features.T.copy(), strict=True)):
        binned[column] = np.searchsorted(thresholds, values, side="left")
    sums = np.empty(len(features), np.int64)
    trees, leaves = forest.leaves.shape
    first_leaves, lowest = np.arange(trees)[:, None] * leaves, leaves // 2
    for first in range(0, len(features), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        right = (binned[:, rows][forest.features] > forest.ranks[:, :, None]).view(np.uint8)
        # From the lowest nodes up: the leaf below each node in which a row ends.
        leaf = right[:, lowest - 1 :]
        below, size = 2, lowest // 2
        while size:
            left = leaf[:, 0::2]
            leaf = left + right[:, size - 1 : 2 * size - 1] * (leaf[:, 1::2] + np.uint8(below) - left)
            below, size = 2 * below, size // 2
        sums[rows] = forest.leaves.take(first_leaves + leaf[:, 0]).sum(axis=0)
    return (sums + forest.base) / forest.scale


def read_forest(document: dict[str, Any]) -> Forest:
    """Read a forest from its part of a JSON document: one list per attribute."""
    return Forest(
        thresholds=tuple(np.array(values, np.float64) for values in document["thresholds"]),
        features=np.array(document["features"], np.intp),
        ranks=np.array(document["ranks"], np.uint8),
        leaves=np.array(document["leaves"], np.int64),
        scale=document["scale"],
        base=document["base"],
    )
