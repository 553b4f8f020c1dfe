"""The words of verdicts as numbers, and the count of the missing verdicts."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..core.columns import is_missing, items_of, spelled, texts_of
from ..core.shown import describe, keys_of, shown

_YES_OR_NO = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}
_SUPPORT = {"support": 1.0, "supported": 1.0, "not_support": 0.0, "not_supported": 0.0, "unsupported": 0.0}
ASSIGNMENTS = {**_SUPPORT, "partial_support": 0.5, "partially_supported": 0.5, **_YES_OR_NO, "0.5": 0.5}
ENTAILMENTS = {
    "entailment": 1.0, "entailed": 1.0, "neutral": 0.0, "contradiction": 0.0, "contradicted": 0.0, "not_entailed": 0.0,
    **_SUPPORT, **_YES_OR_NO,
}  # fmt: skip
IMPORTANCES = {"vital": 1.0, "okay": 0.0, "ok": 0.0, "failed": 0.0, **_YES_OR_NO}
CORRECT, NOT_ATTEMPTED, INCORRECT = 1.0, 0.5, 0.0
GRADES = {
    "correct": CORRECT, "incorrect": INCORRECT, "not_attempted": NOT_ATTEMPTED,
    "a": CORRECT, "b": INCORRECT, "c": NOT_ATTEMPTED,
}  # fmt: skip
_MISSING = frozenset(("", "failed"))  # what programs write where their judge gave no verdict


def required(row: Any, key: str, where: str, action: str) -> Any:
    """The value of a key of a dict; a ValueError with what there is instead, and what to do."""
    if not isinstance(row, Mapping) or key not in row:
        has = f"its keys: {keys_of(row)}" if isinstance(row, Mapping) else f"it is {describe(row)}"
        raise ValueError(f"{where} has no {key!r} ({has}); {action}")
    return row[key]


def number_of(value: Any, words: Mapping[str, float], where: str, what: str = "verdict", missing: bool = True) -> float:
    """A word as a number; NaN for a missing verdict: None, NaN, "" or "failed".

    Args:
        words: known word, in lower case with "_" for blanks and hyphens -> number.
        where: the beginning of messages.
        what: the word is, for messages.
        missing: whether it may be missing.

    Raises:
        ValueError: a word that is not known; the message lists the known ones.
    """
    if isinstance(value, str):
        word = spelled(value)
        if word in words:
            return words[word]
    elif isinstance(value, (bool, np.bool_, int, float, np.number)) and value in (0, 0.5, 1):
        if (word := f"{float(value):g}") in words:
            return words[word]
        if isinstance(value, (bool, np.bool_)) and words is GRADES:
            return CORRECT if value else INCORRECT
    if missing and (is_missing(value) or isinstance(value, str) and spelled(value) in _MISSING):
        return math.nan
    known = ", ".join(word for word in words if word not in _YES_OR_NO and word != "0.5")
    also = ", True and False" if "true" in words or words is GRADES else ""
    none = f"; a {what} that is missing is None" if missing else ""
    raise ValueError(f"{where} is {shown(value)}, which is not a known {what}; known are: {known}{also}{none}")


class Verdicts:
    """Reads the verdicts of one question, and counts all of them and the missing ones.

    Args:
        words: the words of verdicts.
        unjudged: a missing verdict is NaN ("skip"), 0 ("zero") or refused ("error").
        where: the beginning of messages.
    """

    def __init__(self, words: Mapping[str, float], unjudged: str, where: str):
        self.words, self.unjudged, self.where = words, unjudged, where
        self.total = self.missing = 0

    def parsed(self, value: Any, at: str) -> float:
        """A verdict as a number, NaN if missing; not counted."""
        return number_of(value, self.words, f"{self.where}{at}")

    def settled(self, number: float, at: str) -> float:
        """A number by the policy for missing ones, counted."""
        self.total += 1
        if number == number:
            return number
        self.missing += 1
        if self.unjudged == "error":
            raise ValueError(f"{self.where}{at} has no verdict; give one, or use the option unjudged=skip or zero")
        return 0.0 if self.unjudged == "zero" else number

    def read(self, value: Any, name: str, index: int) -> float:
        """A verdict of a list as a number, counted."""
        known = self.words.get(value) if type(value) is str else None
        if known is not None:
            self.total += 1
            return known
        at = f"{name}[{index}]"
        return self.settled(self.parsed(value, at), at)

    def each(self, values: Any, name: str) -> list[float]:
        """A list of verdicts as numbers, each counted."""
        items = items_of(values, f"{self.where}{name}")
        return [self.read(value, name, index) for index, value in enumerate(items)]


def read_texts(row: Any, where: str) -> list[str]:
    """A text, or a list of texts, as a list."""
    return [row] if isinstance(row, str) else texts_of(row, where)


def known_share(values: Iterable[float], nothing: float = 0.0, weights: Iterable[float] | None = None) -> float:
    """The (weighted) mean of the values that are known: NaN where none of them is, and `nothing` where no value has a weight."""
    values = list(values)
    weighted = [(value, weight) for value, weight in zip(values, weights or [1.0] * len(values), strict=True) if weight]
    known = [(value, weight) for value, weight in weighted if value == value]
    if not known:
        return math.nan if weighted else nothing
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known)
