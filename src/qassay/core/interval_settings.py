"""The settings of confidence intervals: public functions make them once from their arguments, and the rest passes them."""

import dataclasses
from typing import Any

import numpy as np

from .options import check_choice, check_whole
from .shown import shown

INTERVAL_METHODS = ("auto", "percentile")
_MOST_DRAWS = 10**7  # maximum of resamples and permutations, whose values are in memory at once
_SEED_BITS = 1024  # numpy accepts any size, but larger seeds add nothing and take longer


@dataclasses.dataclass(frozen=True)
class Intervals:
    """The settings of confidence intervals; `Scores.interval` explains them.

    Attributes:
        confidence: the level, between 0 and 1, exclusive; None for no intervals.
        method: one of `INTERVAL_METHODS`.
        n_resamples, seed: of the bootstrap, for methods and measures that need it.

    Raises:
        TypeError, ValueError: a wrong value; the message has the name of the argument.
    """

    confidence: float | Any = 0.95
    method: str = "auto"
    n_resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.confidence is not None:
            object.__setattr__(self, "confidence", check_confidence(self.confidence))
        check_choice("method", self.method, INTERVAL_METHODS)
        object.__setattr__(self, "seed", check_seed(self.seed))
        object.__setattr__(self, "n_resamples", check_count("n_resamples", self.n_resamples))


def check_confidence(confidence: Any) -> float:
    """Check the confidence level of intervals and tests: a number between 0 and 1, exclusive; else a ValueError."""
    is_number = isinstance(confidence, (int, float, np.floating)) and not isinstance(confidence, bool)
    if not is_number or not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive, for example 0.95; got {shown(confidence)}")
    return float(confidence)


def check_seed(seed: Any) -> int:
    """Check the seed of random draws and return it as an int; a TypeError or ValueError says what is wrong."""
    return check_whole("seed", seed, 0, 2**_SEED_BITS - 1, kind="")


def check_count(name: str, count: Any) -> int:
    """Check a number of resamples or permutations and return it as an int; an error has the name of the argument."""
    return check_whole(name, count, most=_MOST_DRAWS, kind="")
