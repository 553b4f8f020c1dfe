"""One pair of texts in plain Python: the same features as `lite_features`, to the last bit, in a tenth of the time."""

from collections.abc import Set
from typing import Any, NamedTuple

import numpy as np

from .lite_features import (
    ACRONYM_LETTERS,
    GAP_DECIMALS,
    LARGEST_NUMBER,
    NEGATIONS,
    content_words,
    folded_words,
    prefix_of,
)


class LiteText(NamedTuple):
    """What `lite_row` needs of a text; as in `lite_features`."""

    prefixes: Set[str]
    numbers: Set[str]
    largest: float  # number, 0 without
    negated: bool
    bigrams: Set[tuple[str, str]]
    trigrams: Set[tuple[str, str, str]]
    length: int
    single: str | None  # the text where it is one word, short enough to be an acronym
    initials: Set[str]


def lite_row(one: LiteText, other: LiteText) -> list[float]:
    """The row of `lite_features` of one pair."""
    prefix_f1, prefix_max = _shares(one.prefixes, other.prefixes)
    bigram_dice, _ = _shares(one.bigrams, other.bigrams)
    _, trigram_max = _shares(one.trigrams, other.trigrams)
    if one.single in other.initials or other.single in one.initials:
        prefix_f1 = prefix_max = trigram_max = 1.0
    shorter, longer = sorted((one.length, other.length))
    number_share = number_gap = -1.0
    if one.numbers and other.numbers:
        number_share, _ = _shares(one.numbers, other.numbers)
        number_gap = np.round(np.log1p(abs(one.largest - other.largest)), GAP_DECIMALS).item()
    conflict = 0 <= number_share < 1 or one.negated != other.negated
    has_number = bool(one.numbers) + bool(other.numbers)
    ratio = shorter / max(longer, 1)
    return [
        prefix_f1, prefix_max, bigram_dice, trigram_max, ratio, shorter, has_number, number_share, number_gap, conflict
    ]  # fmt: skip


def _shares(one: Set[Any], other: Set[Any]) -> tuple[float, float]:
    """F1 and the larger of precision and recall of two sets, 0 where either is empty."""
    shared = len(one & other)
    return 2 * shared / max(len(one) + len(other), 1), shared / max(min(len(one), len(other)), 1)


def read_lite_text(text: str) -> LiteText:
    """The words and n-grams of a text."""
    all_words = folded_words(text)
    words = content_words(all_words)
    content = " ".join(words)
    padded = f" {content} "
    numbers = {word for word in words if word[0].isdecimal()}
    return LiteText(
        {*map(prefix_of, words)},
        numbers,
        max([0.0, *(min(float(word), LARGEST_NUMBER) for word in numbers)]),
        not NEGATIONS.isdisjoint(words),
        {*zip(padded, padded[1:])},  # noqa: B905 - the n-grams end with the text
        {*zip(padded, padded[1:], padded[2:])},  # noqa: B905
        len(content),
        content if len(words) == 1 and 1 < len(content) <= ACRONYM_LETTERS else None,
        {"".join([word[0] for word in some]) for some in (words, all_words) if 1 < len(some) <= ACRONYM_LETTERS},
    )
