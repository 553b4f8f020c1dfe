"""The built-in scorer of answer similarity: boosted trees over lexical features, no model to load.

The trees were fitted to the published scores of a cross-encoder (cross-encoder/stsb-roberta-large) on short answers to
NQ-open questions (Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models"), never to
human labels; `benchmarks/train_lite.py` makes `lite_model.json`. It does not know synonyms ("heart attack" and
"myocardial infarction" share nothing) and treats words with the same beginning as related; long answers are untested.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from ..core.forest import Forest, evaluate_forest, read_forest
from ..core.resources import read_resource, resource_fingerprint
from .lite_features import lite_features

LITE_VERSION = "1"

_LITE_PAIRS = 10_000  # pairs of one block: bounds the memory, and is not slower than all pairs at once
_LITE_CHARACTERS = 1 << 20  # characters of distinct texts in one block


def lite_scores(predictions: Sequence[str], references: Sequence[str], cosines: np.ndarray | None = None) -> np.ndarray:
    """The similarity in meaning of n pairs of answers, judged by their words: float64 (n,), 0 to 1, symmetric.

    Equal answers score close to 1 without reaching it, and empty texts get no special treatment: the caller handles
    both.

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
