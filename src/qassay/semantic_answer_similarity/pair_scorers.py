"""The interface of scorers of text pairs: cross-encoders, bi-encoders and the lite scorer."""

import abc
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class PairScores(NamedTuple):
    """The result of a scorer for n pairs.

    Attributes:
        scores: float64 (n,), 0 (nothing in common) to 1 (the same meaning).
        truncated: bool (n,), pairs that the model truncated.
        clipped: bool (n,), pairs with a score outside 0..1 (a negative cosine), which was clipped.
    """

    scores: np.ndarray
    truncated: np.ndarray
    clipped: np.ndarray


class PairScorer(abc.ABC):
    """Scores pairs of texts; a pair's score does not depend on the other pairs of a call, except for rounding within
    batches.

    Attributes:
        name: the id or folder of the model, as in the signature.
        revision: which version of it; None if it has none.
        mode: "cross", "bi" or "lite", or another name.
        symmetric: whether (a, b) always scores as (b, a): such pairs are scored once.
        reads_questions: whether it also needs the question of each pair, as answer equivalence models do.
    """

    name: str
    revision: str | None = None
    mode: str
    symmetric: bool = False
    reads_questions: bool = False

    def __eq__(self, other: object) -> bool:
        """Scorers are equal if the signature says the same of them, also in another process."""
        if type(self) is not type(other):
            return NotImplemented
        return (self.name, self.revision, self.mode) == (other.name, other.revision, other.mode)

    def __hash__(self) -> int:
        return hash((self.name, self.revision, self.mode))

    @abc.abstractmethod
    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        """Score n predictions against n references, pair by pair; NaN if the model returns no finite number."""
