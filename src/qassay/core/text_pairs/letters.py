"""Letters: the similarity of two words, and symmetric features of the letters of two texts."""

import re
from functools import lru_cache

from .numbers import first_is_digit
from .words import STOP_WORDS, Text

_SOUNDS = [pair.split() for pair in "tsch c,tch c,sch c,ch c,ph f,ck k,w v,z s,j y".split(",")]
_VOWELS = re.compile("[aeiouyh]")
_DOUBLED = re.compile(r"(.)\1+")
NEAR, SPELLED, INITIAL = 0.6, 0.75, 0.6
_BEGINNING = 4  # letters


@lru_cache(1 << 15)
def _letter_pairs(word: str) -> frozenset[str]:
    return frozenset([f" {word[0]}", *[word[n : n + 2] for n in range(len(word) - 1)]])


@lru_cache(1 << 15)
def sound(word: str) -> str:
    """The first letter and the consonants of a word, which spellings of one name share.

    Example:
        >>> [*map(sound, ["tchaikovsky", "tschaikowski", "kyiv", "kiev", "latvia", "lativa", "austria", "australia"])]
        ['ckvsk', 'ckvsk', 'kv', 'kv', 'ltv', 'ltv', 'astr', 'astrl']
    """
    for written, spoken in _SOUNDS:
        word = word.replace(written, spoken)
    return _DOUBLED.sub(r"\1", word[:1] + _VOWELS.sub("", word[1:]))


def alike(one: str, other: str) -> float:
    """The similarity of two folded words, 0 to 1: the Dice coefficient of letter pairs, 0 below .6; at least .75 for one sound, .6 for an
    initial.

    Example:
        >>> alike("tolstoy", "tolstoi"), alike("j", "john"), alike("manet", "kant"), alike("austria", "australia")
        (0.8333333333333334, 0.6, 0.0, 0.75)
    """
    if len(one) == 1 or len(other) == 1:
        return INITIAL if one[0] == other[0] and one.isalpha() and other.isalpha() else 0.0
    if len(one) < 4 or len(other) < 4 or first_is_digit(one) or first_is_digit(other):
        return 0.0
    first, second = _letter_pairs(one), _letter_pairs(other)
    dice = 2 * len(first & second) / (len(first) + len(second))
    if dice < SPELLED and sound(one) == sound(other):
        return SPELLED
    return dice if dice >= NEAR else 0.0


def acronym_letters(short: Text, long: Text) -> int:
    """The letters of the longest word in capitals in one text that is made of the initials of words of the other; 0 without any.

    Example:
        >>> from .words import read_text
        >>> acronym_letters(read_text("It was JFK."), read_text("John F. Kennedy")), acronym_letters(read_text("EU"), read_text("Europe"))
        (3, 0)
    """
    capitals = [word for word, raw in zip(short.words, short.raw, strict=True) if 1 < len(word) < 8 and raw.isupper()]
    if not capitals:
        return 0
    all_initials = "".join([word[0] for word in long.words])
    content = "".join([word[0] for word in long.words if word not in STOP_WORDS])
    return max([len(word) for word in capitals if word in all_initials or word in content], default=0)


def letter_features(gold: Text, text: Text) -> list[float]:
    """Features of letters, which are symmetric in both texts.

    Whether one text without blanks contains the other (2: both are equal); letters of an acronym; Dice coefficient of letter pairs;
    share of letter triples of the shorter text; F1 of the first four letters of words.
    """
    one, other = content_words(gold), content_words(text)
    first, second = "".join(one), "".join(other)
    letters = 2.0 if first == second else float(bool(first) and bool(second) and (first in second or second in first))
    acronym = max(acronym_letters(gold, text), acronym_letters(text, gold))
    pairs, triples = (_shared(_grams(one, size), _grams(other, size)) for size in (2, 3))
    beginnings = _shared(_beginnings(one), _beginnings(other))
    return [letters, float(acronym), pairs[0], triples[1], beginnings[0]]


def content_words(text: Text) -> list[str]:
    """The words of a text without stop words; all of them where there are no others."""
    return [word for word in text.words if word not in STOP_WORDS] or text.words


def _beginnings(words: list[str]) -> set[str]:
    return {word if first_is_digit(word) else word[:_BEGINNING] for word in words}


def _grams(words: list[str], size: int) -> set[str]:
    padded = f" {' '.join(words)} "
    return {padded[n : n + size] for n in range(len(padded) - size + 1)}


def _shared(one: set[str], other: set[str]) -> tuple[float, float]:
    """F1 and the larger of precision and recall of two sets."""
    common = len(one & other)
    return 2 * common / max(len(one) + len(other), 1), common / max(min(len(one), len(other)), 1)
