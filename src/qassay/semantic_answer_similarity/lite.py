"""The built-in scorer of answer similarity: boosted trees over the features of `core.text_pairs`, no model to load.

The trees were fitted to the published scores of a cross-encoder (cross-encoder/stsb-roberta-large) on short answers to
NQ-open questions (Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models"), never to
human labels; `benchmarks/lite_models.py` makes `lite_model.json`. It does not know synonyms ("heart attack" and
"myocardial infarction" share nothing); long answers are untested.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.forest import Forest, evaluate_forest, read_forest, read_model
from ..core.text_pairs.features import FEATURES, OF_QUESTION, feature_rows
from .pair_scorers import PairScorer, PairScores

PAIR_FEATURES = tuple(name for name in FEATURES if name not in OF_QUESTION)
_COLUMNS = [FEATURES.index(name) for name in PAIR_FEATURES]
_PAIRS_AT_ONCE = 4_096  # bounds the memory


def lite_scores(predictions: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """The similarity in meaning of n pairs of answers, judged by their words: float64 (n,), 0 to 1, symmetric.

    Equal answers score close to 1 without reaching it, and empty texts get no special treatment: the caller handles
    both.

    Example:
        >>> paris, eleven, years = lite_scores(["Paris, France", "11", "2018"], ["Paris", "eleven", "2019"]).tolist()
        >>> paris > 0.6, eleven > 0.8, years < 0.4
        (True, True, True)
    """
    scores = np.empty(len(predictions))
    for first in range(0, len(predictions), _PAIRS_AT_ONCE):
        rows = slice(first, first + _PAIRS_AT_ONCE)
        features = pair_features(predictions[rows], references[rows], lite_model()["word_weights"])
        scores[rows] = evaluate_forest(_forest(), features)
    return np.clip(scores, 0.0, 1.0)


def pair_features(predictions: Sequence[str], references: Sequence[str], word_weights: Mapping[str, int]) -> np.ndarray:
    """The features of n pairs, float64 (n, 2 f), the same whichever text comes first.

    Each text is read as an answer to the other one: the columns are the lower value of each of `PAIR_FEATURES`, then the higher.

    Args:
        word_weights: as in `feature_row`.
    """
    ways = (predictions, references), (references, predictions)
    one, other = (
        feature_rows(answers, [[gold] for gold in golds], None, word_weights)[:, _COLUMNS] for answers, golds in ways
    )
    return np.hstack([np.minimum(one, other), np.maximum(one, other)])


class LiteScorer(PairScorer):
    """The built-in scorer of pairs."""

    name = mode = "lite"
    symmetric = True

    def __init__(self) -> None:
        self.revision = lite_model()["version"]

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        return PairScores(lite_scores(predictions, references), *np.zeros((2, len(predictions)), bool))


def lite_model() -> dict[str, Any]:
    """The model file; its "fingerprint" is in signatures."""
    return read_model("lite_model.json", __name__)


@cache
def _forest() -> Forest:
    return read_forest(lite_model()["forest"])
