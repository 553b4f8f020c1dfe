"""Many plain texts as numbered words: `marked_words` of all texts at once.

Numpy finds the places where a pattern of `lite_texts` or of the folding of letters could match; the pattern is tried only there.
A text is plain if its characters are ASCII, or of Latin-1 and become ASCII by themselves, or are quotation marks and dashes.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, count
from typing import NamedTuple

import numpy as np

from ..core.token_table import numbered_words
from ..semantic_answer_similarity.lite_features import (
    NO_WORD,
    NUMBERS_PATTERN,
    SPLIT_NUMBER_PATTERN,
    STYLED_LETTERS,
    TEXT_END,
    WORDS_ONLY,
    characters_beyond_ascii,
    folded_letters,
    folded_text,
    is_plain,
    number_apart,
    without_blank,
    words_of_folded,
)
from .lite_search import FEW_CHARACTERS, PAD, JoinedTexts, is_digit, is_one_of
from .lite_texts import (
    GROUP_BLANKS,
    GROUPS_PATTERN,
    HANDING_OVER,
    NUMBER_PATTERN,
    OPINION_ENDS,
    RETRACTING,
    REWORDED_PARTS,
    ROMANS_PATTERN,
    SIGN_OF_WORD,
    WORD_OF_MARK,
    folded_at_once,
    joined_groups,
    joined_texts,
    number_sign,
    rewritten_at_once,
    roman_digits,
    tidied_text,
    without_retracted,
)

_BLANK, _DIGIT, _LETTER, _UNDERSCORE, _SOFT, _BESIDE_BLANKS, _ALWAYS, _CLOSING = (1 << bit for bit in range(8))
_SOFT_MARKS, _BETWEEN_BLANKS, _ALWAYS_MARKS, _CLOSING_MARKS = ".;:!,", "/-", "\n?", '")]'  # as in `lite_texts`
_ALNUM, _WORD = _DIGIT | _LETTER, _DIGIT | _LETTER | _UNDERSCORE
_KINDS = np.array(
    [
        _BLANK * sign.isspace()
        | _DIGIT * sign.isdecimal()
        | _LETTER * (sign.isalnum() and not sign.isdecimal())
        | _UNDERSCORE * (sign == "_")
        | _SOFT * (sign in _SOFT_MARKS)
        | _BESIDE_BLANKS * (sign in _BETWEEN_BLANKS)
        | _ALWAYS * (sign in _ALWAYS_MARKS)
        | _CLOSING * (sign in _CLOSING_MARKS)
        for sign in map(chr, range(256))
    ],
    np.uint8,
)  # of each code
_SIGN_OF_MARK = np.array(
    [ord(SIGN_OF_WORD.get(WORD_OF_MARK.get(chr(code), ""), "\0")) for code in range(256)], np.uint8
)
_NO_SIGN = str.maketrans(dict.fromkeys(SIGN_OF_WORD.values(), NO_WORD))
_KEPT_SIGNS = bytes(code if chr(code) in SIGN_OF_WORD.values() else sign for code, sign in enumerate(WORDS_ONLY))
_ROMANS = "IVXLCDM"
# What `without_retracted` and `tidied_text` could change.
_CHANGING_PARTS = (*OPINION_ENDS, *HANDING_OVER, *dict.fromkeys(map(str.lower, RETRACTING)))
_MADE_SPACES = "\t\v\f\r\x1c\x1d\x1e\x1f"
_TIDIED = f"`<+#{_MADE_SPACES}"
_BEFORE_MINUS = f" \n=({_MADE_SPACES}{TEXT_END}"
# What stands for a mark beyond Latin-1 once a text is rewritten, and for each other character of a plain text.
_PLAIN_MARKS = {"’": "'", "‘": NO_WORD, "“": NO_WORD, "”": '"', "–": "-", "—": "-"}
_FOLDED = {
    sign: folded if folded.isascii() else NO_WORD
    for sign, folded in ((sign, folded_letters(sign)) for sign in map(chr, range(160, 256)))
    if folded.isascii() or not sign.isalnum()
}
_ASCII_OF_LATIN = bytes(ord(one) if len(one := _FOLDED.get(chr(code), "")) == 1 else code for code in range(256))
_WORDS_OF_LATIN = {sign: folded for sign, folded in _FOLDED.items() if len(folded) != 1}
_NOT_PLAIN_PATTERN = re.compile(f"[^\0-\x7f{''.join([*_PLAIN_MARKS, *_FOLDED])}]")
_ROW_OF_SPACES = re.compile("  +")
_ODD_PATTERN = re.compile(rf"[\d\u2212{STYLED_LETTERS}]")  # beyond ASCII: digits, a minus, bold letters


def numbering(known: Sequence[str] = ()) -> dict[str, int]:
    """Text -> its number: 0, 1, ... for distinct known texts, then for others in the order in which they are asked for."""
    return defaultdict(count(len(known)).__next__, zip(known, count()))  # a class with __missing__ takes twice the time


class KeptTexts(NamedTuple):
    """Texts without markup, without what only hands the answer over, and without what they take back.

    Attributes:
        reworded: the places of all texts in which `rewritten_at_once` could change more than digits, and of some others.
    """

    texts: list[str]
    reworded: Sequence[int] = ()


def kept_texts(texts: list[str]) -> KeptTexts:
    """What is kept of some texts."""
    kept = with_single_blanks(texts)
    joined = JoinedTexts(kept)
    places, reworded = _places_to_tidy(joined), {*joined.texts_with(REWORDED_PARTS)}
    for place in places:
        text = kept[place]
        kept[place] = tidied_text(without_retracted(text) if any(map(text.__contains__, RETRACTING)) else text)
        if kept[place] != text:
            reworded.add(place)
    return KeptTexts(kept, sorted(reworded))


def with_single_blanks(texts: list[str]) -> list[str]:
    """Texts with a space for each row of spaces and of blanks beyond ASCII, except inside a number, where such a blank is omitted."""
    others = [text for text in texts if not text.isascii()]
    blanks = [*filter(str.isspace, characters_beyond_ascii("".join(others)))]
    if not GROUP_BLANKS.isdisjoint(blanks):
        texts = [text if text.isascii() else GROUPS_PATTERN.sub(joined_groups, text) for text in texts]
    for blank in blanks:
        texts = [text if text.isascii() else text.replace(blank, " ") for text in texts]
    return [_ROW_OF_SPACES.sub(" ", text) if "  " in text else text for text in texts]


def _places_to_tidy(texts: JoinedTexts) -> Iterable[int]:
    """The places of all texts that `without_retracted` or `tidied_text` could change, and of some others."""
    if len(texts.joined) <= FEW_CHARACTERS:
        return range(len(texts.texts))
    signs = texts.signs
    is_tidied = is_one_of(signs, _TIDIED)
    is_tidied[1:] |= (signs[1:] == signs[:-1]) & is_one_of(signs[1:], "*_")
    minus = np.flatnonzero(signs[:-1] == ord("-"))
    minus = minus[is_digit(signs[minus + 1])]
    is_tidied[minus] = is_one_of(signs[minus - 1], _BEFORE_MINUS)
    first = np.append(PAD, np.flatnonzero(signs[PAD:-PAD] == ord(TEXT_END)) + PAD + 1)
    is_tidied[first] |= _KINDS[signs[first]] & _BLANK > 0
    is_tidied[first] |= is_digit(signs[first]) & (is_one_of(signs[first + 1], ".)") | is_one_of(signs[first + 2], ".)"))
    return {
        *texts.texts_at(np.flatnonzero(is_tidied)),
        *texts.texts_with(_CHANGING_PARTS, any_case=True),
        *texts.texts_beyond_ascii(_ODD_PATTERN.match),
    }


class Reader(NamedTuple):
    """How texts become folded words: both functions give what is then split, with `TEXT_END` behind each text.

    Attributes:
        keep: what is kept of some texts.
        fold: of any kept texts.
        fold_plain: of many plain ones, with a sign in the place of each word of a mark.
    """

    keep: Callable[[list[str]], KeptTexts]
    fold: Callable[[KeptTexts], str]
    fold_plain: Callable[[KeptTexts], str]


def read_words(kept: KeptTexts, reader: Reader) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The words of kept texts by a reader, with numbers as they are.

    Returns:
        The distinct words; the place of each word of the texts among them, with `TEXT_END` behind each text; and for each
        text in the order in which they are read its place among the kept ones.
    """
    places = np.arange(len(kept.texts))
    if sum(map(len, kept.texts)) <= FEW_CHARACTERS:
        numbers = numbering()
        words = _numbers_of(numbers, words_of_folded(reader.fold(kept)))
        return list(numbers), words, places
    is_plain_text = _are_plain(kept)
    plain, others = places[is_plain_text], places[~is_plain_text]
    folded = reader.fold_plain(_some_texts(kept, plain))
    joined = reader.fold(_some_texts(kept, others))
    read = [f"{text}{TEXT_END}" for text in joined.split(TEXT_END)[:-1]]
    folds_to_ascii = np.fromiter(map(is_plain, read), bool, len(read))  # most are ASCII once they are folded
    names, words = _words_of_ascii("".join([folded, *compress(read, folds_to_ascii)]))
    numbers = numbering(names)
    other_words = _numbers_of(numbers, words_of_folded("".join(compress(read, ~folds_to_ascii))))
    order = np.concatenate([plain, others[folds_to_ascii], others[~folds_to_ascii]])
    return list(numbers), np.concatenate([words, other_words]), order


def _are_plain(kept: KeptTexts) -> np.ndarray:
    """Which of the kept texts are plain, bool. A text that may be reworded is plain only if it is ASCII: its wording needs its marks."""
    found = np.fromiter(map(str.isascii, kept.texts), bool, len(kept.texts))
    others = np.setdiff1d(np.flatnonzero(~found), kept.reworded).tolist()
    found[[place for place in others if not _NOT_PLAIN_PATTERN.search(kept.texts[place])]] = True
    return found


def _some_texts(kept: KeptTexts, places: np.ndarray) -> KeptTexts:
    is_reworded = np.zeros(len(kept.texts), bool)
    is_reworded[[*kept.reworded]] = True
    return KeptTexts([kept.texts[place] for place in places.tolist()], np.flatnonzero(is_reworded[places]).tolist())


def _numbers_of(numbers: Mapping[str, int], words: list[str]) -> np.ndarray:
    return np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))


def _marked_plain(kept: KeptTexts) -> str:
    texts = [*map(_in_latin, kept.texts)]
    text = rewritten_at_once(texts, kept.reworded, lambda text: _with_number_signs(_with_roman_digits(text)))
    return _joined_numbers(folded_letters(_in_ascii(_with_signs(text))))


def _folded_bare_plain(kept: KeptTexts) -> str:
    text = _without_signs(joined_texts([*map(_in_latin, kept.texts)]))
    return _joined_numbers(folded_letters(_in_ascii(text)))


def _folded_bare(kept: KeptTexts) -> str:
    return folded_text(_without_signs(joined_texts(kept.texts)))


def _in_latin(text: str) -> str:
    """A plain text with quotation marks and dashes of ASCII."""
    if not text.isascii():
        for mark, plain in _PLAIN_MARKS.items():
            text = text.replace(mark, plain)
    return text


def _in_ascii(text: str) -> str:
    """A text of Latin-1 with what `folded_letters` gives for each character beyond ASCII."""
    if text.isascii():
        return text
    codes = text.encode("latin-1")
    for sign, words in _WORDS_OF_LATIN.items():
        codes = codes.replace(sign.encode("latin-1"), words.encode())
    return codes.translate(_ASCII_OF_LATIN).decode()


def _words_of_ascii(folded: str) -> tuple[list[str], np.ndarray]:
    """The distinct words of folded ASCII texts, and the place of each word among them."""
    text = _numbers_apart(folded).encode().translate(_KEPT_SIGNS).replace(b"\0", b" \0 ")
    for word, sign in SIGN_OF_WORD.items():
        text = text.replace(sign.encode(), word.encode())
    return numbered_words(text)


def _signs_of(text: str) -> np.ndarray:
    return JoinedTexts([text]).signs


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
    """A text in which what `ROMANS_PATTERN` finds is replaced."""
    signs = _signs_of(text)
    is_roman = is_one_of(signs, _ROMANS)
    at = np.flatnonzero(is_roman[:-1] & is_roman[1:])
    at = at[(signs[at - 1] == ord(" ")) | (signs[at - 1] == ord(TEXT_END))]
    return _sub_at(at - PAD, ROMANS_PATTERN, roman_digits, text)


def _with_number_signs(text: str) -> str:
    """A plain text in which what `NUMBER_PATTERN` finds is replaced."""
    signs = _signs_of(text)
    digits = is_digit(signs)
    at = np.flatnonzero((signs[1:] == ord("o")) & (signs[:-1] | 32 == ord("n")))
    at = at[digits[at + 2] | digits[at + 3] | digits[at + 4]]
    large = np.flatnonzero(digits[:-1] & is_one_of(signs[1:] | 32, "kmb")) + 1
    fractions = np.flatnonzero(digits[1:] & (signs[:-1] == ord(".")))
    return _sub_at(np.sort(np.concatenate([at, large, fractions])) - PAD, NUMBER_PATTERN, number_sign, text)


def _without_signs(text: str) -> str:
    """A text in which the signs of words stand for nothing."""
    return text.translate(_NO_SIGN) if any(sign in text for sign in SIGN_OF_WORD.values()) else text


def _with_signs(text: str) -> str:
    """A text of Latin-1 with the sign of its word in the place of each mark that `lite_texts` reads as a word."""
    text = _without_signs(text)
    signs = _signs_of(text)
    at = np.flatnonzero(is_one_of(signs, _SOFT_MARKS + _BETWEEN_BLANKS + _ALWAYS_MARKS))
    kind, before, behind = (_KINDS[signs[at + far]] for far in (0, -1, 1))
    is_mark = (kind & _ALWAYS) > 0
    is_mark |= (kind & _BESIDE_BLANKS > 0) & (before & behind & _BLANK > 0)
    soft = np.flatnonzero((kind & _SOFT > 0) & (behind & _BLANK > 0))
    two, three, four, five = (_KINDS[signs[at[soft] + far]] for far in range(2, 6))
    soft = soft[(two & three & four & _DIGIT == 0) | (five & _WORD > 0)]
    last = at[soft] - 1  # of what stands before the mark, without closing marks
    closed = np.flatnonzero(before[soft] & _CLOSING)
    if len(closed):
        others = np.flatnonzero(~is_one_of(signs, _CLOSING_MARKS))
        last[closed] = others[np.searchsorted(others, last[closed]) - 1]
    is_mark[soft] = (_KINDS[signs[last]] & _ALNUM > 0) & (_KINDS[signs[last - 1]] & _ALNUM > 0)
    at = at[is_mark]
    marked = signs.copy()
    marked[at] = _SIGN_OF_MARK[signs[at]]
    return marked[PAD:-PAD].tobytes().decode("latin-1")


def _joined_numbers(text: str) -> str:
    """An ASCII text in which what `SPLIT_NUMBER_PATTERN` finds is replaced."""
    signs = _signs_of(text)
    at = np.flatnonzero(is_one_of(signs, ",."))
    at = at[(signs[at + 1] == ord(" ")) & is_digit(signs[at + 2]) & is_digit(signs[at - 1])]
    return _sub_at(at - PAD, SPLIT_NUMBER_PATTERN, without_blank, text)


def _numbers_apart(text: str) -> str:
    """An ASCII text in which what `NUMBERS_PATTERN` finds is replaced."""
    signs = _signs_of(text)
    digits = is_digit(signs)
    edges = np.flatnonzero(digits[1:] != digits[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    is_beside = (_KINDS[signs[starts - 1]] | _KINDS[signs[ends]]) & _LETTER > 0
    is_beside |= is_one_of(signs[ends], ".,") & digits[ends + 1]
    return _sub_at(starts[is_beside] - PAD, NUMBERS_PATTERN, number_apart, text)


MARKED = Reader(
    kept_texts, lambda kept: folded_at_once(*kept), _marked_plain
)  # `marked_words` of what `kept_texts` gives
BARE = Reader(KeptTexts, _folded_bare, _folded_bare_plain)  # `folded_words`
