"""Many ASCII texts as numbered words: `marked_words` of all texts at once.

What patterns would seek letter by letter is sought in numpy; a pattern then looks at these places only.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from ..core.token_table import numbered_words
from ..semantic_answer_similarity.lite_features import (
    NUMBERS_PATTERN,
    SPLIT_NUMBER_PATTERN,
    TEXT_END,
    WORDS_ONLY,
    folded_letters,
    number_apart,
    without_blank,
)
from .lite_texts import (
    FEW_CHARACTERS,
    NUMBER_PATTERN,
    ROMANS_PATTERN,
    WORD_OF_MARK,
    number_sign,
    rewritten_at_once,
    roman_digits,
    words_of_kept,
)

_BLANK, _DIGIT, _LETTER, _UNDERSCORE, _SOFT, _BESIDE_BLANKS, _ALWAYS, _CLOSING = (1 << bit for bit in range(8))
_ALNUM, _WORD = _DIGIT | _LETTER, _DIGIT | _LETTER | _UNDERSCORE
_KINDS = np.zeros(256, np.uint8)
for _code in range(128):
    _sign = chr(_code)
    _KINDS[_code] = (
        _BLANK * _sign.isspace()
        | _DIGIT * _sign.isdigit()
        | _LETTER * _sign.isalpha()
        | _UNDERSCORE * (_sign == "_")
        | _SOFT * (_sign in ".;:!,")  # kinds of the marks of `lite_texts`
        | _BESIDE_BLANKS * (_sign in "/-")
        | _ALWAYS * (_sign in "\n?")
        | _CLOSING * (_sign in '")]')
    )
# The words of marks as signs: one byte each until the text is split.
_SIGN_OF_WORD = {word: chr(2 + place) for place, word in enumerate(dict.fromkeys(WORD_OF_MARK.values()))}
_SIGN_OF_MARK = np.arange(256, dtype=np.uint8)
for _mark, _word in WORD_OF_MARK.items():
    if _mark.isascii():
        _SIGN_OF_MARK[ord(_mark)] = ord(_SIGN_OF_WORD[_word])
_NO_SIGN = str.maketrans(dict.fromkeys(_SIGN_OF_WORD.values(), "\x01"))
_KEPT_SIGNS = bytearray(WORDS_ONLY)
for _sign in _SIGN_OF_WORD.values():
    _KEPT_SIGNS[ord(_sign)] = ord(_sign)
_PAD = 8  # zeros around signs, so that each has neighbours


def numbering() -> dict[str, int]:
    """Text -> its number: 0, 1, ... in the order in which they are asked for."""
    return defaultdict(count().__next__)  # not a class with __missing__, which takes twice the time


def read_words(texts: Sequence[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """`marked_words` of the texts that `kept_texts` gives, with numbers as they are.

    Returns:
        The distinct words, the place of each word of the texts among them, with `TEXT_END` behind each text, and the order
        in which the texts are read.
    """
    is_ascii = np.fromiter(map(str.isascii, texts), bool, len(texts))
    order = np.argsort(is_ascii, kind="stable")
    others, plain = ([texts[place] for place in np.flatnonzero(kind).tolist()] for kind in (~is_ascii, is_ascii))
    many = sum(map(len, plain)) > FEW_CHARACTERS
    blocks = (_words_of_any(others), _words_of_ascii(plain)) if many else (_words_of_any(others + plain),)
    numbers = numbering()
    found = [np.array([numbers[name] for name in names], np.int64)[words] for names, words in blocks]
    return list(numbers), np.concatenate(found), order


def _words_of_any(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    numbers, found = numbering(), words_of_kept(texts)
    words = np.fromiter(map(numbers.__getitem__, found), np.int64, len(found))
    return list(numbers), words


def _words_of_ascii(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    joined = rewritten_at_once(texts, lambda text: _with_number_signs(_with_roman_digits(text)))
    folded = _joined_numbers(folded_letters(_with_signs(joined)))
    text = _numbers_apart(folded).encode().translate(bytes(_KEPT_SIGNS)).replace(b"\0", b" \0 ")
    for word, sign in _SIGN_OF_WORD.items():
        text = text.replace(sign.encode(), word.encode())
    return numbered_words(text)


def _signs_of(text: str) -> np.ndarray:
    """The codes of an ASCII text between zeros: sign i is at i + `_PAD`."""
    signs = np.zeros(len(text) + 2 * _PAD, np.uint8)
    signs[_PAD:-_PAD] = np.frombuffer(text.encode(), np.uint8)
    return signs


def _sub_at(
    places: np.ndarray, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str], text: str
) -> str:
    """`pattern.sub(replacement, text)`, where each match begins at one of some places, which are sorted."""
    parts, end = [], 0
    for place in places.tolist():
        if place >= end and (match := pattern.match(text, place)):
            parts += text[end:place], replacement(match)
            end = match.end()
    return "".join([*parts, text[end:]])


def _with_roman_digits(text: str) -> str:
    signs = _signs_of(text)
    first = _IS_ROMAN_FIRST[signs]
    at = np.flatnonzero(first[:-1] & _IS_ROMAN[signs[1:]])
    at = at[(signs[at - 1] == ord(" ")) | (signs[at - 1] == ord(TEXT_END))]
    return _sub_at(at - _PAD, ROMANS_PATTERN, roman_digits, text)


_IS_ROMAN_FIRST = np.isin(np.arange(256), [*map(ord, "XLCDM")])
_IS_ROMAN = np.isin(np.arange(256), [*map(ord, "IVXLCDM")])


def _with_number_signs(text: str) -> str:
    signs = _signs_of(text)
    at = np.flatnonzero((signs[1:] == ord("o")) & (signs[:-1] | 32 == ord("n")))
    behind = _KINDS[signs[at + 2]] & _DIGIT
    for far in (3, 4):
        behind |= _KINDS[signs[at + far]] & _DIGIT
    return _sub_at(at[behind > 0] - _PAD, NUMBER_PATTERN, number_sign, text)


def _with_signs(text: str) -> str:
    """A text with the sign of its word in the place of each mark that `lite_texts` reads as a word."""
    if any(sign in text for sign in _SIGN_OF_WORD.values()):
        text = text.translate(_NO_SIGN)
    signs = _signs_of(text)
    kinds = _KINDS[signs]
    at = np.flatnonzero(kinds & (_SOFT | _BESIDE_BLANKS | _ALWAYS))
    kind, before, behind = kinds[at], kinds[at - 1], kinds[at + 1]
    is_mark = (kind & _ALWAYS) > 0
    is_mark |= (kind & _BESIDE_BLANKS > 0) & (before & behind & _BLANK > 0)
    soft = np.flatnonzero((kind & _SOFT > 0) & (behind & _BLANK > 0))
    at_soft = at[soft]
    soft = soft[
        (kinds[at_soft + 2] & kinds[at_soft + 3] & kinds[at_soft + 4] & _DIGIT == 0) | (kinds[at_soft + 5] & _WORD > 0)
    ]
    last = at[soft] - 1  # of what stands before the mark, without closing marks
    closed = np.flatnonzero(before[soft] & _CLOSING)
    if len(closed):
        others = np.flatnonzero(kinds & _CLOSING == 0)
        last[closed] = others[np.searchsorted(others, last[closed]) - 1]
    is_mark[soft] = (kinds[last] & _ALNUM > 0) & (kinds[last - 1] & _ALNUM > 0)
    at = at[is_mark]
    signs[at] = _SIGN_OF_MARK[signs[at]]
    return signs[_PAD:-_PAD].tobytes().decode()


def _joined_numbers(text: str) -> str:
    signs = _signs_of(text)
    at = np.flatnonzero((signs == ord(",")) | (signs == ord(".")))
    at = at[(signs[at + 1] == ord(" ")) & (_KINDS[signs[at + 2]] & _KINDS[signs[at - 1]] & _DIGIT > 0)]
    return _sub_at(at - _PAD, SPLIT_NUMBER_PATTERN, without_blank, text)


def _numbers_apart(text: str) -> str:
    signs = _signs_of(text)
    is_digit = _KINDS[signs] & _DIGIT > 0
    edges = np.flatnonzero(is_digit[1:] != is_digit[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    before, behind = _KINDS[signs[starts - 1]], _KINDS[signs[ends]]
    is_beside = (before | behind) & _LETTER > 0
    is_beside |= ((signs[ends] == ord(".")) | (signs[ends] == ord(","))) & is_digit[ends + 1]
    return _sub_at(starts[is_beside] - _PAD, NUMBERS_PATTERN, number_apart, text)
