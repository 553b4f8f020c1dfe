"""The built-in scorer of answer similarity: boosted trees over the features of `core.text_pairs`, no model to load.

The trees were fitted to the published scores of a cross-encoder (cross-encoder/stsb-roberta-large) on short answers to NQ-open
questions (Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models"), never to human labels;
`benchmarks/train_text_pairs.py` makes `lite_model.json`. It does not know synonyms ("heart attack" and "myocardial infarction" share
nothing) and treats words with the same beginning as related; long answers are untested.
"""

import json
from collections.abc import Sequence
from functools import cache

import numpy as np

from ..core.forest import Forest, evaluate_forest, read_forest
from ..core.resources import read_resource, resource_fingerprint
from ..core.text_pairs.features import FEATURES, GROUPS, feature_row

LITE_VERSION = "2"
_PAIRS_AT_ONCE = 4_096  # bounds the memory
_UNREAD = {*GROUPS["question"], *GROUPS["golds"], "refusal"}
SIMILARITY_FEATURES = tuple(name for name in FEATURES if name not in _UNREAD)
_PLACES = [FEATURES.index(name) for name in SIMILARITY_FEATURES]


def lite_scores(predictions: Sequence[str], references: Sequence[str], cosines: np.ndarray | None = None) -> np.ndarray:
    """The similarity in meaning of n pairs of answers, judged by their words: float64 (n,), 0 to 1, symmetric.

    A pair's score is the mean of both directions and does not depend on other pairs. Equal answers score close to 1 without
    reaching it, and empty texts get no special treatment: the caller handles both.

    Args:
        predictions: n texts.
        references: n texts.
        cosines: (n,) cosines of the texts' embeddings by all-MiniLM-L6-v2; with them a second forest is used, which
            separates related from unrelated words slightly better.

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
    for first in range(0, len(predictions), _PAIRS_AT_ONCE):
        rows = slice(first, first + _PAIRS_AT_ONCE)
        own = [] if cosines is None else [cosines[rows]]
        one, other = (
            evaluate_forest(forest, np.column_stack([similarity_rows(*texts), *own]))
            for texts in ((predictions[rows], references[rows]), (references[rows], predictions[rows]))
        )
        scores[rows] = (one + other) / 2
    return np.clip(scores, 0.0, 1.0)


def similarity_rows(texts: Sequence[str], golds: Sequence[str]) -> np.ndarray:
    """The features of n pairs in one direction, float64 (n, f), in the order of `SIMILARITY_FEATURES`."""
    rows = [feature_row(text, [gold], None, {}) for text, gold in zip(texts, golds, strict=True)]
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES))[:, _PLACES]


@cache
def lite_fingerprint() -> str:
    """What the signature calls the model file."""
    return resource_fingerprint(_lite_text())


@cache
def _lite_text() -> str:
    return read_resource("lite_model.json", __name__)


@cache
def _lite_forests() -> dict[str, Forest]:
    model = json.loads(_lite_text())
    return {name: read_forest(forest) for name, forest in model["forests"].items()}
