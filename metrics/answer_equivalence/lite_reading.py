"""Many ASCII texts as numbered words: `marked_words` of all texts at once.

Numpy finds the places where a pattern of `lite_texts` or of the folding of letters could match; the pattern is tried only there.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, count

import numpy as np

from ..core.token_table import numbered_words
from ..semantic_answer_similarity.lite_features import (
    NUMBERS_PATTERN,
    SPLIT_NUMBER_PATTERN,
    STYLED_LETTERS,
    TEXT_END,
    WORDS_ONLY,
    folded_letters,
    is_plain,
    number_apart,
    without_blank,
    words_of_folded,
)
from .lite_search import FEW_CHARACTERS, PAD, JoinedTexts
from .lite_texts import (
    HANDING_OVER,
    NUMBER_PATTERN,
    OPINION_ENDS,
    RETRACTING,
    ROMANS_PATTERN,
    WORD_OF_MARK,
    folded_at_once,
    number_sign,
    rewritten_at_once,
    roman_digits,
    tidied_text,
    without_retracted,
)

_BLANK, _DIGIT, _LETTER, _UNDERSCORE, _SOFT, _BESIDE_BLANKS, _ALWAYS, _CLOSING = (1 << bit for bit in range(8))
_ALNUM, _WORD = _DIGIT | _LETTER, _DIGIT | _LETTER | _UNDERSCORE
_KINDS = bytes(
    _BLANK * sign.isspace()
    | _DIGIT * sign.isdigit()
    | _LETTER * sign.isalpha()
    | _UNDERSCORE * (sign == "_")
    | _SOFT * (sign in ".;:!,")  # kinds of the marks of `lite_texts`
    | _BESIDE_BLANKS * (sign in "/-")
    | _ALWAYS * (sign in "\n?")
    | _CLOSING * (sign in '")]')
    for sign in map(chr, range(128))
) + bytes(128)
# The words of marks as signs: one byte each until the text is split.
_SIGN_OF_WORD = {word: chr(2 + place) for place, word in enumerate(dict.fromkeys(WORD_OF_MARK.values()))}
_SIGN_OF_MARK = np.array(
    [ord(_SIGN_OF_WORD.get(WORD_OF_MARK.get(chr(code), ""), "\0")) for code in range(256)], np.uint8
)
_NO_SIGN = str.maketrans(dict.fromkeys(_SIGN_OF_WORD.values(), "\x01"))
_KEPT_SIGNS = bytes(code if chr(code) in _SIGN_OF_WORD.values() else sign for code, sign in enumerate(WORDS_ONLY))
_SIGNS_APART = (*_SIGN_OF_WORD.values(), *"“”‘–—")  # frequent in texts and never part of a word
_ROMANS = bytes(chr(code) in "IVXLCDM" for code in range(256))
# What `tidied_text` could change.
_MADE_SPACES = "\t\v\f\r\x1c\x1d\x1e\x1f"
_TIDIED = bytes(chr(code) in f"`<+#{_MADE_SPACES}" for code in range(256))
_BEFORE_MINUS = f" \n=({_MADE_SPACES}{TEXT_END}"
_ODD_PATTERN = re.compile(rf"[\s\d\u2212{STYLED_LETTERS}]")  # beyond ASCII: blanks, digits, a minus, bold letters


def numbering() -> dict[str, int]:
    """Text -> its number: 0, 1, ... in the order in which they are asked for."""
    return defaultdict(count().__next__)  # not a class with __missing__, which takes twice the time


def kept_texts(texts: list[str]) -> list[str]:
    """Texts without markup, without what only hands the answer over, and without what they take back."""
    kept, joined = list(texts), JoinedTexts(texts)
    retracting = joined.texts_with(RETRACTING)
    for place in retracting:
        kept[place] = without_retracted(kept[place])
    for place in {*retracting, *_places_to_tidy(joined)}:
        kept[place] = tidied_text(kept[place])
    return kept


def _places_to_tidy(texts: JoinedTexts) -> Iterable[int]:
    """The places of all texts that `tidied_text` could change, and of some others."""
    if len(texts.joined) <= FEW_CHARACTERS:
        return range(len(texts.texts))
    signs, kinds, is_tidied = texts.signs(_KINDS, _TIDIED)
    is_tidied = is_tidied > 0
    is_tidied[1:] |= (signs[1:] == signs[:-1]) & (
        (signs[1:] == ord(" ")) | (signs[1:] == ord("*")) | (signs[1:] == ord("_"))
    )
    minus = np.flatnonzero((signs[:-1] == ord("-")) & (kinds[1:] & _DIGIT > 0))
    is_tidied[minus] = _is_one_of(signs[minus - 1], _BEFORE_MINUS)
    first = np.append(PAD, np.flatnonzero(signs[PAD:-PAD] == ord(TEXT_END)) + PAD + 1)
    is_tidied[first] |= kinds[first] & _BLANK > 0
    is_tidied[first] |= (kinds[first] & _DIGIT > 0) & (
        _is_one_of(signs[first + 1], ".)") | _is_one_of(signs[first + 2], ".)")
    )
    return {
        *texts.texts_at(np.flatnonzero(is_tidied)),
        *texts.texts_with((*OPINION_ENDS, *HANDING_OVER), any_case=True),
        *texts.texts_beyond_ascii(_ODD_PATTERN.match),
    }


def _is_one_of(signs: np.ndarray, wanted: str) -> np.ndarray:
    return np.isin(signs, [*map(ord, wanted)])


def read_words(texts: Sequence[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """`marked_words` of the texts that `kept_texts` gives, with numbers as they are.

    Returns:
        The distinct words; the place of each word of the texts among them, with `TEXT_END` behind each text; and for each
        text in the order in which they are read its place in `texts`.
    """
    places, numbers = np.arange(len(texts)), numbering()
    if sum(map(len, texts)) <= FEW_CHARACTERS:
        words = _numbers_of(numbers, words_of_folded(folded_at_once(texts)))
        return list(numbers), words, places
    is_ascii = np.fromiter(map(str.isascii, texts), bool, len(texts))
    plain, others = places[is_ascii], places[~is_ascii]
    folded = _folded_ascii([texts[place] for place in plain.tolist()])
    joined = folded_at_once([texts[place] for place in others.tolist()])
    for sign in _SIGNS_APART:
        joined = joined.replace(sign, " ")
    read = [f"{text}{TEXT_END}" for text in joined.split(TEXT_END)[:-1]]
    folds_to_ascii = np.fromiter(map(is_plain, read), bool, len(read))  # most are ASCII once they are folded
    names, words = _words_of_ascii("".join([folded, *compress(read, folds_to_ascii)]))
    _numbers_of(numbers, names)
    other_words = _numbers_of(numbers, words_of_folded("".join(compress(read, ~folds_to_ascii))))
    order = np.concatenate([plain, others[folds_to_ascii], others[~folds_to_ascii]])
    return list(numbers), np.concatenate([words, other_words]), order


def _numbers_of(numbers: Mapping[str, int], words: list[str]) -> np.ndarray:
    return np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))


def _folded_ascii(texts: Sequence[str]) -> str:
    """`folded_at_once` of ASCII texts, with a sign in the place of each word of a mark."""
    joined = rewritten_at_once(texts, lambda text: _with_number_signs(_with_roman_digits(text)))
    return _joined_numbers(folded_letters(_with_signs(joined)))


def _words_of_ascii(folded: str) -> tuple[list[str], np.ndarray]:
    """The distinct words of folded ASCII texts, and the place of each word among them."""
    text = _numbers_apart(folded).encode().translate(_KEPT_SIGNS).replace(b"\0", b" \0 ")
    for word, sign in _SIGN_OF_WORD.items():
        text = text.replace(sign.encode(), word.encode())
    return numbered_words(text)


def _signs_of(text: str, *tables: bytes) -> list[np.ndarray]:
    return JoinedTexts([text]).signs(*tables)


def _sub_at(
    places: np.ndarray, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str], text: str
) -> str:
    """`pattern.sub(replacement, text)`, where each match begins at one of some places, which are sorted."""
    parts: list[str] = []
    end = 0
    for place in places.tolist():
        if place >= end and (match := pattern.match(text, place)):
            parts += text[end:place], replacement(match)
            end = match.end()
    return "".join([*parts, text[end:]])


def _with_roman_digits(text: str) -> str:
    """An ASCII text in which what `ROMANS_PATTERN` finds is replaced."""
    signs, is_roman = _signs_of(text, _ROMANS)
    at = np.flatnonzero(is_roman[:-1] & is_roman[1:])
    at = at[(signs[at - 1] == ord(" ")) | (signs[at - 1] == ord(TEXT_END))]
    return _sub_at(at - PAD, ROMANS_PATTERN, roman_digits, text)


def _with_number_signs(text: str) -> str:
    """An ASCII text in which what `NUMBER_PATTERN` finds is replaced."""
    signs, kinds = _signs_of(text, _KINDS)
    at = np.flatnonzero((signs[1:] == ord("o")) & (signs[:-1] | 32 == ord("n")))
    at = at[(kinds[at + 2] | kinds[at + 3] | kinds[at + 4]) & _DIGIT > 0]
    return _sub_at(at - PAD, NUMBER_PATTERN, number_sign, text)


def _with_signs(text: str) -> str:
    """A text with the sign of its word in the place of each mark that `lite_texts` reads as a word."""
    if any(sign in text for sign in _SIGN_OF_WORD.values()):
        text = text.translate(_NO_SIGN)
    signs, kinds = _signs_of(text, _KINDS)
    at = np.flatnonzero(kinds & (_SOFT | _BESIDE_BLANKS | _ALWAYS))
    kind, before, behind = kinds[at], kinds[at - 1], kinds[at + 1]
    is_mark = (kind & _ALWAYS) > 0
    is_mark |= (kind & _BESIDE_BLANKS > 0) & (before & behind & _BLANK > 0)
    soft = np.flatnonzero((kind & _SOFT > 0) & (behind & _BLANK > 0))
    two, three, four, five = (kinds[at[soft] + far] for far in range(2, 6))
    soft = soft[(two & three & four & _DIGIT == 0) | (five & _WORD > 0)]
    last = at[soft] - 1  # of what stands before the mark, without closing marks
    closed = np.flatnonzero(before[soft] & _CLOSING)
    if len(closed):
        others = np.flatnonzero(kinds & _CLOSING == 0)
        last[closed] = others[np.searchsorted(others, last[closed]) - 1]
    is_mark[soft] = (kinds[last] & _ALNUM > 0) & (kinds[last - 1] & _ALNUM > 0)
    at = at[is_mark]
    marked = signs.copy()
    marked[at] = _SIGN_OF_MARK[signs[at]]
    return marked[PAD:-PAD].tobytes().decode()


def _joined_numbers(text: str) -> str:
    """An ASCII text in which what `SPLIT_NUMBER_PATTERN` finds is replaced."""
    signs, kinds = _signs_of(text, _KINDS)
    at = np.flatnonzero((signs == ord(",")) | (signs == ord(".")))
    at = at[(signs[at + 1] == ord(" ")) & (kinds[at + 2] & kinds[at - 1] & _DIGIT > 0)]
    return _sub_at(at - PAD, SPLIT_NUMBER_PATTERN, without_blank, text)


def _numbers_apart(text: str) -> str:
    """An ASCII text in which what `NUMBERS_PATTERN` finds is replaced."""
    signs, kinds = _signs_of(text, _KINDS)
    is_digit = kinds & _DIGIT > 0
    edges = np.flatnonzero(is_digit[1:] != is_digit[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    is_beside = (kinds[starts - 1] | kinds[ends]) & _LETTER > 0
    is_beside |= _is_one_of(signs[ends], ".,") & is_digit[ends + 1]
    return _sub_at(starts[is_beside] - PAD, NUMBERS_PATTERN, number_apart, text)
