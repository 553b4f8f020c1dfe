"""What the lite scorer looks at: lexical features of a pair of short answers, the same whichever text comes first.

A text becomes its content words once, however many pairs it is in: folded letters, no function words of English and
German, numbers as digits ("twenty-four", "XXIV" and "24" are one word). Pairs are then compared as sets of words, word
beginnings and character n-grams, in numpy.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .tokens import TokenTable, shared_tokens

LITE_FEATURES = (
    "word_f1",
    "stem_f1",
    "stem_max",
    "bigram_dice",
    "trigram_max",
    "prefix",
    "length_ratio",
    "length_min",
    "number_state",
    "number_share",
    "number_gap",
    "conflict",
)
LITE_COSINE_FEATURES = ("cosine", "cosine_word_f1")

# The sign of a feature's influence where it is certain: +1 never lowers the score, -1 never raises it.
LITE_SIGNS = {
    **dict.fromkeys(("word_f1", "stem_f1", "stem_max", "bigram_dice", "trigram_max", "prefix", "number_share"), 1),
    **dict.fromkeys(LITE_COSINE_FEATURES, 1),
    "conflict": -1,
}

_STEM_LETTERS = 3
_PREFIX_LETTERS = 32
_ACRONYM_LETTERS = 6
_LARGE_NUMBERS = 1 << 24  # n-grams are numbered anew beyond it
_LARGEST_NUMBER = 1e15  # beyond it doubles no longer hold every integer: such numbers are compared as text

_LITE_STOP_WORDS = frozenset(
    "a an the of in on at to and or by for from with as is are was were be been it its his her their this that "
    "der die das des dem den ein eine einer eines einem einen und oder von vom im am zu zur zum mit auf aus fur bei "
    "ist war als la le les de du el los".split()
)
_NEGATIONS = frozenset("not no never none without neither nor nicht nie kein keine keiner keinen ohne".split())
_SAME_WORDS = {"prozent": "percent"}
_SYMBOLS = str.maketrans(
    {
        "%": " percent ",
        "$": " dollar ",
        "€": " euro ",
        "£": " pound ",
        "°": " degree ",
        "’": "'",
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),  # invisible
    }
)

_UNITS_AND_TEENS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth",
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn "
    "achtzehn neunzehn",
)
_TENS = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth",
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
)
_SCALES = {
    "hundred": 100,
    "hundert": 100,
    "thousand": 10**3,
    "tausend": 10**3,
    "million": 10**6,
    "millionen": 10**6,
    "billion": 10**9,
    "milliarde": 10**9,
    "milliarden": 10**9,
}
_NUMBER_WORDS = {
    **{word: value for words in _UNITS_AND_TEENS for value, word in enumerate(words.split())},
    **{word: 10 * value for words in _TENS for value, word in enumerate(words.split(), 2)},
}
_ROMAN_NUMERALS = {
    tens + units: 10 * i + j
    for i, tens in enumerate(("", "x", "xx", "xxx"))
    for j, units in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
    if tens + units
}
_AFTER_NUMBERS = frozenset(("st", "nd", "rd", "th", "s"))  # 11th, 1980s

_MARKS_PATTERN = re.compile("[\u0300-\u036f]+")
_INITIALS_PATTERN = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_SPLIT_NUMBER_PATTERN = re.compile(r"(?<=\d)(?:, (?=\d{3}(?!\d))|\. (?=\d))")
_POSSESSIVE_PATTERN = re.compile(r"'s?(?!\w)")
_WORD_PATTERN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+|,\d{1,2}(?!\d))?|[^\W\d_]+",
)


def content_words(text: str) -> list[str]:
    """The words of a text that carry its meaning, in order: folded letters, numbers as digits, no function words.

    A text of function words only keeps them. Number words up to ninety-nine with hundred to billion, ordinals and Roman
    numerals up to XXXIX (not as the first word) count as numbers.

    Example:
        >>> content_words("the Twenty-fourth of Décembre"), content_words("Louis XIV"), content_words("U.S. $1.5 million")
        (['24', 'decembre'], ['louis', '14'], ['us', 'dollar', '1500000'])
    """
    words = _folded_words(text)
    return [word for word in words if word not in _LITE_STOP_WORDS] or words


def _folded_words(text: str) -> list[str]:
    text = text.translate(_SYMBOLS).casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _MARKS_PATTERN.sub("", unicodedata.normalize("NFKD", text)))
    if "'" in text:
        text = _POSSESSIVE_PATTERN.sub("", text)
    if "." in text:
        text = _INITIALS_PATTERN.sub(lambda match: match[0].replace(".", ""), text)
    if ". " in text or ", " in text:  # detokenised by the word: 7, 236 or 1. 8
        text = _SPLIT_NUMBER_PATTERN.sub(lambda match: match[0][0], text)
    found = _WORD_PATTERN.findall(text)
    words: list[str] = []
    value = None  # of the last word, where it is a number
    tens = False  # whether that number still takes a unit: twenty-
    for place, word in enumerate(found):
        if word[0].isdecimal():
            value, tens = _value_of(word), False
        elif value is not None and word in _AFTER_NUMBERS:
            continue
        elif value is not None and word in _SCALES:
            words.pop()
            value, tens = value * _SCALES[word], False
        elif word in _NUMBER_WORDS:
            unit = _NUMBER_WORDS[word]
            if tens and 0 < unit < 10:
                words.pop()
                value, tens = value + unit, False
            else:
                value, tens = unit, 20 <= unit
        elif place and word in _ROMAN_NUMERALS and (len(word) > 1 or _ends_a_name(found, place)):
            value, tens = _ROMAN_NUMERALS[word], False
        else:
            value = None
            words.append(_SAME_WORDS.get(word, word))
            continue
        words.append(_number_text(word, value))
    return words


def _ends_a_name(found: list[str], place: int) -> bool:
    """A Roman numeral of one letter counts as in "Elizabeth I" and "James I of England", not as in "you and I"."""
    return found[place - 1] not in _LITE_STOP_WORDS and (place + 1 == len(found) or found[place + 1] == "of")


def _value_of(digits: str) -> float:
    if "," in digits:
        thousands = len(digits.rpartition(",")[2].partition(".")[0]) == 3
        digits = digits.replace(",", "" if thousands else ".")
    return float(digits)


def _number_text(word: str, value: float) -> str:
    if value >= _LARGEST_NUMBER:
        return word if word[0].isdecimal() else repr(_LARGEST_NUMBER)
    return str(int(value)) if value == int(value) else repr(value)


class _LiteTexts(NamedTuple):
    """What is known of d distinct texts; the tables hold each word or n-gram of a text once."""

    words: TokenTable
    stems: TokenTable
    numbers: TokenTable
    bigrams: TokenTable
    trigrams: TokenTable
    characters: np.ndarray  # of all texts, numbered, one text after another
    starts: np.ndarray
    lengths: np.ndarray
    largest: np.ndarray  # number of the text, 0 without
    negated: np.ndarray
    single: np.ndarray  # number of the text where it is one word, short enough to be an acronym, else -1
    initials: np.ndarray  # (2, d) numbers of the initials of its content words and of all its words, else -2


def lite_features(
    predictions: Sequence[str], references: Sequence[str], cosines: np.ndarray | None = None
) -> np.ndarray:
    """The feature matrix of n pairs of texts, float64 (n, 12) or, with cosines, (n, 14); finite.

    Columns, in the order of `LITE_FEATURES`: F1 of the sets of content words; F1 and the larger of precision and recall
    of their first three letters; Dice of character bigrams; the larger share of common character trigrams; common
    beginning (of the first 32 letters of the shorter text); shorter by longer length and the shorter length in
    characters; how many of the two texts hold numbers; Dice of the sets of numbers (-1 unless both do); log(1 +
    difference of the largest numbers), -1 likewise; 1 where numbers differ or one text alone is negated, else 0. An
    acronym and its long form count as equal stems and trigrams. Then those of `LITE_COSINE_FEATURES`: the cosine, and
    its product with the F1 of words.

    Args:
        predictions: n texts.
        references: n texts.
        cosines: (n,) cosines of their embeddings.

    Example:
        >>> rows = lite_features(["thirty percent", "the NFL"], ["30 %", "National Football League"])
        >>> dict(zip(LITE_FEATURES, rows[0].tolist()))["word_f1"], dict(zip(LITE_FEATURES, rows[1].tolist()))["stem_f1"]
        (1.0, 1.0)
    """
    distinct: dict[str, int] = {}
    left, right = (
        np.fromiter((distinct.setdefault(text, len(distinct)) for text in side), np.int64, len(side))
        for side in (predictions, references)
    )
    texts = _look_at(list(distinct))
    acronym = _acronyms(texts, left, right)

    word_f1, _ = _overlap(texts.words, left, right)
    stem_f1, stem_max = _overlap(texts.stems, left, right)
    bigram_dice, _ = _overlap(texts.bigrams, left, right)
    _, trigram_max = _overlap(texts.trigrams, left, right)
    number_share, _ = _overlap(texts.numbers, left, right)
    shorter = np.minimum(texts.lengths[left], texts.lengths[right])
    longer = np.maximum(texts.lengths[left], texts.lengths[right])
    numbered = np.diff(texts.numbers.offsets) > 0
    both = numbered[left] & numbered[right]
    columns = [
        word_f1,
        np.where(acronym, 1.0, stem_f1),
        np.where(acronym, 1.0, stem_max),
        bigram_dice,
        np.where(acronym, 1.0, trigram_max),
        _common_prefix(texts, left, right) / np.clip(shorter, 1, _PREFIX_LETTERS),
        shorter / np.maximum(longer, 1),
        shorter,
        numbered[left] + 1.0 * numbered[right],
        np.where(both, number_share, -1.0),
        np.where(both, np.log1p(np.abs(texts.largest[left] - texts.largest[right])), -1.0),
        (both & (number_share < 1)) | (texts.negated[left] != texts.negated[right]),
    ]
    if cosines is not None:
        columns += [cosines, cosines * word_f1]
    return np.column_stack(columns).astype(np.float64)


def _overlap(table: TokenTable, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F1 (which is Dice) and the larger of precision and recall of two sets, 0 where either is empty."""
    shared = shared_tokens(table, left, right)
    sizes = table.lengths
    together, least = sizes[left] + sizes[right], np.minimum(sizes[left], sizes[right])
    return 2 * shared / np.maximum(together, 1), shared / np.maximum(least, 1)


def _common_prefix(texts: _LiteTexts, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Letters that the texts begin with alike, at most 32, (n,) ints."""
    common = np.zeros(len(left), np.int64)
    limit = np.minimum(np.minimum(texts.lengths[left], texts.lengths[right]), _PREFIX_LETTERS)
    alike = np.flatnonzero(limit)
    first, second = texts.starts[left[alike]], texts.starts[right[alike]]
    for step in range(_PREFIX_LETTERS):
        same = texts.characters[first + step] == texts.characters[second + step]
        common[alike[same]] += 1
        same &= limit[alike] > step + 1
        alike, first, second = alike[same], first[same], second[same]
    return common


def _acronyms(texts: _LiteTexts, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return ((texts.single[left] == texts.initials[:, right]) | (texts.single[right] == texts.initials[:, left])).any(
        axis=0
    )


def _look_at(distinct: list[str]) -> _LiteTexts:
    numbers_of_words: dict[str, int] = {}
    spelled: dict[str, int] = {}  # acronyms and initials
    rows_of_words, contents, single, initials = [], [], [], []
    for text in distinct:
        every = _folded_words(text)
        words = [word for word in every if word not in _LITE_STOP_WORDS] or every
        rows_of_words.append([numbers_of_words.setdefault(word, len(numbers_of_words)) for word in words])
        content = " ".join(words)
        contents.append(f" {content} ")
        is_short = len(words) == 1 and 1 < len(content) <= _ACRONYM_LETTERS
        single.append(spelled.setdefault(content, len(spelled)) if is_short else -1)
        initials.append([_initials(spelled, words), _initials(spelled, every)])
    n = len(distinct)
    known = list(numbers_of_words)
    rows = np.repeat(np.arange(n), np.fromiter(map(len, rows_of_words), np.int64, n))
    words = np.fromiter((number for row in rows_of_words for number in row), np.int64, len(rows))
    stem_numbers: dict[str, int] = {}
    stems = np.fromiter(
        (stem_numbers.setdefault(w if w[0].isdecimal() else w[:_STEM_LETTERS], len(stem_numbers)) for w in known),
        np.int64,
        len(known),
    )
    values = np.fromiter(
        (min(float(w), _LARGEST_NUMBER) if w[0].isdecimal() else np.nan for w in known), np.float64, len(known)
    )
    negations = np.fromiter((w in _NEGATIONS for w in known), bool, len(known))
    is_number = ~np.isnan(values)[words]
    largest = np.zeros(n)
    np.maximum.at(largest, rows[is_number], values[words[is_number]])
    negated = np.zeros(n, bool)
    negated[rows[negations[words]]] = True

    padded = np.fromiter(map(len, contents), np.int64, n)
    characters = np.frombuffer("".join(contents).encode("utf-32-le"), "<u4").astype(np.int64)
    characters = np.unique(characters, return_inverse=True)[1]
    ends = np.cumsum(padded)
    rows_of_characters = np.repeat(np.arange(n), padded)
    bigrams = _next_ngrams(characters, characters[1:])
    trigrams = _next_ngrams(bigrams, characters[2:])
    return _LiteTexts(
        _sets(rows, words, n),
        _sets(rows, stems[words], n),
        _sets(rows[is_number], words[is_number], n),
        _sets(*_inside_rows(rows_of_characters, bigrams), n),
        _sets(*_inside_rows(rows_of_characters, trigrams), n),
        characters,
        ends - padded + 1,
        padded - 2,
        largest,
        negated,
        np.array(single, np.int64),
        np.array(initials, np.int64).reshape(-1, 2).T,
    )


def _initials(spelled: dict[str, int], words: list[str]) -> int:
    if not 1 < len(words) <= _ACRONYM_LETTERS:
        return -2
    return spelled.setdefault("".join(word[0] for word in words), len(spelled))


def _next_ngrams(shorter: np.ndarray, characters: np.ndarray) -> np.ndarray:
    """Numbers of n-grams, each from the number of its first n - 1 characters and from its last one."""
    numbers = shorter[: len(characters)] * (int(characters.max(initial=0)) + 1) + characters
    if numbers.max(initial=0) >= _LARGE_NUMBERS:
        numbers = np.unique(numbers, return_inverse=True)[1]
    return numbers


def _inside_rows(rows: np.ndarray, ngrams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows and numbers of the n-grams that do not reach over the end of a row."""
    first, last = rows[: len(ngrams)], rows[len(rows) - len(ngrams) :]
    inside = first == last
    return first[inside], ngrams[inside]


def _sets(rows: np.ndarray, numbers: np.ndarray, count: int) -> TokenTable:
    """The set of numbers of each of `count` rows."""
    width = int(numbers.max(initial=0)) + 1
    rows, members = np.divmod(np.unique(rows * width + numbers), width)
    offsets = np.searchsorted(rows, np.arange(count + 1))
    return TokenTable(np.arange(count), np.arange(count), members, members, offsets)
