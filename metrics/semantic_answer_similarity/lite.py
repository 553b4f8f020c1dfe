"""The built-in scorer of answer similarity: boosted trees over lexical features, no model to load.

The trees were fitted to the published scores of a cross-encoder (cross-encoder/stsb-roberta-large) on short answers to
NQ-open questions (Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models"), never to
human labels; `benchmarks/train_lite.py` makes `lite_model.json`. It knows no synonyms ("heart attack" and "myocardial
infarction" share nothing) and takes words that begin alike as related; answers of many sentences are untested.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from .lite_features import lite_features
from .resources import read_resource

LITE_VERSION = "1"

_LITE_ROWS = 512  # rows that go through the trees at once, so that their arrays stay in the processor's cache
_LITE_PAIRS = 10_000  # pairs of one block: bounds the memory, and is not slower than all pairs at once
_LITE_CHARACTERS = 1 << 20  # characters of distinct texts in one block


class LiteForest(NamedTuple):
    """t regression trees of depth 4, complete: 15 nodes in the order of a heap, 16 leaves from left to right.

    Attributes:
        thresholds: per feature, the sorted values that any node compares with.
        features: (t, 15) column a node looks at.
        ranks: uint8 (t, 15) place of its threshold; a value above the threshold goes right. 255 always goes left.
        leaves: int64 (t, 16), in units of 1 / `scale`: integers, so that a sum does not depend on its order.
        scale: see leaves.
        base: added to the sum of the leaves, same units.
    """

    thresholds: tuple[np.ndarray, ...]
    features: np.ndarray
    ranks: np.ndarray
    leaves: np.ndarray
    scale: int
    base: int


def lite_scores(predictions: Sequence[str], references: Sequence[str], cosines: np.ndarray | None = None) -> np.ndarray:
    """How alike the answers of n pairs are in meaning, judged by their words: float64 (n,), 0 to 1, the same both ways.

    Equal answers come close to 1 without reaching it, and an empty text is a text like any other: rules for those are
    the caller's.

    Args:
        predictions: n texts.
        references: n texts.
        cosines: (n,) cosines of the texts' embeddings by all-MiniLM-L6-v2; with them a second forest is used, which
            tells related words from unrelated ones a little better.

    Raises:
        ValueError: unequal lengths, or a cosine that is not finite.

    Example:
        >>> paris, eleven, years = lite_scores(["Paris, France", "11", "2018"], ["Paris", "eleven", "2019"]).tolist()
        >>> paris > 0.6, eleven > 0.8, years < 0.4
        (True, True, True)
    """
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions but {len(references)} references: give one for each")
    if cosines is not None:
        cosines = np.asarray(cosines, np.float64)
        if cosines.shape != (len(predictions),):
            raise ValueError(f"cosines have shape {cosines.shape}, expected ({len(predictions)},): give one per pair")
        if not np.isfinite(cosines).all():
            raise ValueError(f"the cosine of pair {int(np.argmin(np.isfinite(cosines)))} is not finite")
    forest = _lite_forests()["text" if cosines is None else "cosine"]
    scores = np.empty(len(predictions))
    for rows in _lite_blocks(predictions, references):
        features = lite_features(predictions[rows], references[rows], None if cosines is None else cosines[rows])
        scores[rows] = evaluate_forest(forest, features)
    return np.clip(scores, 0.0, 1.0)


def _lite_blocks(predictions: Sequence[str], references: Sequence[str]) -> Iterator[slice]:
    """The pairs in blocks of so many pairs and so many characters of distinct texts at most, one pair at least."""
    first, characters = 0, 0
    block_texts: set[str] = set()
    for place, pair in enumerate(zip(predictions, references, strict=True)):
        new_characters = sum(len(text) for text in {*pair} - block_texts)
        if place > first and (place - first == _LITE_PAIRS or characters + new_characters > _LITE_CHARACTERS):
            yield slice(first, place)
            first, block_texts, characters = place, set(), 0
            new_characters = sum(map(len, {*pair}))
        block_texts.update(pair)
        characters += new_characters
    if first < len(predictions):
        yield slice(first, len(predictions))


def evaluate_forest(forest: LiteForest, features: np.ndarray) -> np.ndarray:
    """The sum of the trees for each row of a feature matrix (n, f), float64 (n,); a row's value does not depend on others."""
    binned = np.empty(features.shape[::-1], np.uint8)
    for column, thresholds in enumerate(forest.thresholds):
        binned[column] = np.searchsorted(thresholds, features[:, column], side="left")
    sums = np.empty(len(features), np.int64)
    for first in range(0, len(features), _LITE_ROWS):
        rows = slice(first, first + _LITE_ROWS)
        right = binned[:, rows][forest.features] > forest.ranks[:, :, None]
        # From the lowest nodes up: which of the leaves below a node a row ends in.
        leaf = right[:, 7:15].astype(np.uint8)
        for start, size in ((3, 4), (1, 2), (0, 1)):
            leaf = np.where(right[:, start : start + size], leaf[:, 1::2] + np.uint8(8 // size), leaf[:, 0::2])
        sums[rows] = np.take_along_axis(forest.leaves, leaf[:, 0].astype(np.intp), axis=1).sum(axis=0)
    return (sums + forest.base) / forest.scale


def read_forest(document: dict) -> LiteForest:
    """A forest from its part of `lite_model.json`."""
    return LiteForest(
        thresholds=tuple(np.array(values, np.float64) for values in document["thresholds"]),
        features=np.array(document["features"], np.intp),
        ranks=np.array(document["ranks"], np.uint8),
        leaves=np.array(document["leaves"], np.int64),
        scale=document["scale"],
        base=document["base"],
    )


@cache
def _lite_forests() -> dict[str, LiteForest]:
    model = json.loads(read_resource("lite_model.json"))
    return {name: read_forest(forest) for name, forest in model["forests"].items()}
