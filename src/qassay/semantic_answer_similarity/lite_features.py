"""What the lite scorer looks at: lexical features of a pair of short answers, the same whichever text comes first.

A text becomes its content words once, however many pairs it is in: folded letters, no function words of English and
German, numbers as digits ("twenty-four", "XXIV" and "24" are one word). Pairs are then compared as sets of numbers,
word beginnings and character n-grams, in numpy, in time linear in their length.
"""

import re
import unicodedata
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from ..core.token_table import TokenTable, shared_tokens

LITE_FEATURES = (
    "prefix_f1",
    "prefix_max",
    "bigram_dice",
    "trigram_max",
    "length_ratio",
    "length_min",
    "number_state",
    "number_share",
    "number_gap",
    "conflict",
)
LITE_COSINE_FEATURES = ("cosine",)

# The sign of a feature's influence where it is certain: +1 never lowers the score, -1 never raises it. The trees are
# fitted under this constraint (benchmarks/train_lite.py).
LITE_SIGNS = {
    **dict.fromkeys(("prefix_f1", "prefix_max", "bigram_dice", "trigram_max", "number_share"), 1),
    **dict.fromkeys(LITE_COSINE_FEATURES, 1),
    "conflict": -1,
}

_PREFIX_LETTERS = 4
ACRONYM_LETTERS = 6
GAP_DECIMALS = 6  # the last bits of a logarithm differ from processor to processor
_LARGE_NUMBERS = 1 << 24  # n-grams are renumbered beyond it
LARGEST_NUMBER = 1e15  # beyond it doubles no longer hold every integer: such numbers are compared as text

_ENGLISH_STOP_WORDS = """
    a an and are as at be been by for from her his in is it its of on or that the their this to was were with
"""
_GERMAN_STOP_WORDS = """
    als am auf aus bei das dem den der des die ein eine einem einen einer eines fur im ist mit oder und vom von war zu
    zum zur
"""
_ROMANCE_STOP_WORDS = "de del du el la le les los"  # they occur in names: Rio de Janeiro, Los Angeles
STOP_WORDS = frozenset((_ENGLISH_STOP_WORDS + _GERMAN_STOP_WORDS + _ROMANCE_STOP_WORDS).split())
_NEGATION_WORDS = "not no never none without neither nor nicht nie kein keine keiner keinen ohne"
NEGATIONS = frozenset(_NEGATION_WORDS.split())
_SAME_WORDS = {"prozent": "percent"}
_SYMBOLS = {
    "%": " percent ",
    "$": " dollar ",
    "€": " euro ",
    "£": " pound ",
    "°": " degree ",
    "’": "'",
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff™℠", ""),  # invisible, and signs of brands
}
_ASCII = bytes(range(128))
_ASCII_SYMBOLS = [(symbol, word) for symbol, word in _SYMBOLS.items() if symbol.isascii()]

# Not the German "null" and "elf", which mean other things in English.
_NUMERALS = """
    0 zero zeroth
    1 one first eins
    2 two second zwei
    3 three third drei
    4 four fourth vier
    5 five fifth funf
    6 six sixth sechs
    7 seven seventh sieben
    8 eight eighth acht
    9 nine ninth neun
    10 ten tenth zehn
    11 eleven eleventh
    12 twelve twelfth zwolf
    13 thirteen thirteenth dreizehn
    14 fourteen fourteenth vierzehn
    15 fifteen fifteenth funfzehn
    16 sixteen sixteenth sechzehn
    17 seventeen seventeenth siebzehn
    18 eighteen eighteenth achtzehn
    19 nineteen nineteenth neunzehn
    20 twenty twentieth zwanzig
    30 thirty thirtieth dreissig
    40 forty fortieth vierzig
    50 fifty fiftieth funfzig
    60 sixty sixtieth sechzig
    70 seventy seventieth siebzig
    80 eighty eightieth achtzig
    90 ninety ninetieth neunzig
"""
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
_KEPT_SCALE = 10**6  # from here on the word stays beside the number: "5 million" has more of "7 million" than of "7"
_NUMBER_WORDS = {word: int(value) for value, *words in map(str.split, _NUMERALS.strip().splitlines()) for word in words}
ROMAN_NUMERALS = {
    tens + units: 10 * i + j
    for i, tens in enumerate(("", "x", "xx", "xxx"))
    for j, units in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
    if tens + units
}
_AFTER_NUMBERS = frozenset(("st", "nd", "rd", "th", "s"))  # 11th, 1980s
_READ_WORDS = _AFTER_NUMBERS.union(_NUMBER_WORDS, _SCALES, ROMAN_NUMERALS, _SAME_WORDS)  # all others stay as they are

_MARKS_PATTERN = re.compile("[\u0300-\u036f]+")
# The full stop of a letter by itself beside another one. Patterns that begin with what they seek skip all else.
_INITIALS_PATTERN = re.compile(r"\.(?:(?<=\b[^\W\d_]\.)(?=[^\W\d_]\.)|(?<=\b[^\W\d_]\.[^\W\d_]\.))")
SPLIT_NUMBER_PATTERN = re.compile(r"[,.] (?=\d)(?:(?<=\d, )(?=\d{3}(?!\d))|(?<=\d\. ))")
_POSSESSIVE_PATTERN = re.compile(r"'s?(?!\w)")
_WORD_PATTERN = re.compile(r"[^\W\d_]+|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+|,\d{1,2}(?!\d))?")
_DIGIT_PATTERN = re.compile("[0-9]")
_LETTERS_ONLY = bytes(code if chr(code) in ascii_lowercase else ord(" ") for code in range(256))
_ASCII_WORD_PATTERN = re.compile(_WORD_PATTERN.pattern.replace(r"[^\W\d_]", "[a-z]"))
TEXT_END = "\0"  # a word, among texts that are read at once
NO_WORD = "\x01"  # in its place inside a text: nothing to all patterns
_WORDS_PATTERN = re.compile(f"{_WORD_PATTERN.pattern}|{TEXT_END}")
# A number with marks inside, or beside a letter; only its first digit is tried, so that many digits take linear time.
NUMBERS_PATTERN = re.compile(
    r"[0-9](?<![0-9]{2})(?:(?<=[a-z][0-9])[0-9]*(?:[.,][0-9]+)*|[0-9]*(?:(?:[.,][0-9]+)+|(?=[a-z])))"
)
_CAPITAL_MARKS = str.maketrans(".,", "PC")  # marks inside numbers, which no folded text has
_KEPT = {ord(sign): sign for sign in f"{ascii_lowercase}0123456789{TEXT_END}"} | {ord("P"): ".", ord("C"): ","}
WORDS_ONLY = "".join(_KEPT.get(code, " ") for code in range(256)).encode()


def folded_words(text: str) -> list[str]:
    """The words of a text in order: folded letters, numbers as digits.

    Number words up to ninety-nine with hundred to billion, ordinals and Roman numerals up to XXXIX (not as the first
    word) count as numbers.

    Example:
        >>> folded_words("the Twenty-fourth of Décembre"), folded_words("Louis XIV")
        (['the', '24', 'of', 'decembre'], ['louis', '14'])
        >>> folded_words("U.S. $1.5 million")
        ['us', 'dollar', '1500000', 'million']
    """
    text = folded_text(text)
    if not is_plain(text):
        return _with_numbers(_WORD_PATTERN.findall(text))
    if _DIGIT_PATTERN.search(text):
        return _with_numbers(_ASCII_WORD_PATTERN.findall(text))
    words = text.encode().translate(_LETTERS_ONLY).decode().split()
    return words if _READ_WORDS.isdisjoint(words) else _with_numbers(words)


def folded_words_of_all(joined: str) -> list[str]:
    """The words of many texts with `TEXT_END` behind each, which is a word here; numbers stay as `numbers_at` takes them.

    Example:
        >>> folded_words_of_all("the Twenty-fourth\\0on 3.5\\0")
        ['the', 'twenty', 'fourth', '\\x00', 'on', '3.5', '\\x00']
    """
    return words_of_folded(folded_text(joined))


def is_plain(folded: str) -> bool:
    """Whether a folded text is ASCII without capitals: letters of other styles ("ℂ") are capitals once they are folded."""
    return folded.isascii() and folded == folded.lower()


def words_of_folded(text: str) -> list[str]:
    """`folded_words_of_all` of what `folded_text` gives."""
    if not is_plain(text):
        return _WORDS_PATTERN.findall(text)
    text = NUMBERS_PATTERN.sub(number_apart, text).replace(TEXT_END, f" {TEXT_END} ")
    return text.encode().translate(WORDS_ONLY).decode().split()


def number_apart(match: re.Match[str]) -> str:
    """The numbers of digits with marks between, with blanks around."""
    return f" {' '.join(_ASCII_WORD_PATTERN.findall(match[0]))} ".translate(_CAPITAL_MARKS)


def content_words(words: list[str]) -> list[str]:
    """Folded words without function words of English and German; all of them where there are no others."""
    return [word for word in words if word not in STOP_WORDS] or words


def folded_text(text: str) -> str:
    """`folded_letters`; numbers split by a blank are joined again."""
    text = folded_letters(text)
    if ". " in text or ", " in text:  # detokenised by the word: 7, 236 or 1. 8
        text = SPLIT_NUMBER_PATTERN.sub(without_blank, text)
    return text


def without_blank(match: re.Match[str]) -> str:
    """The mark of a number that `SPLIT_NUMBER_PATTERN` finds."""
    return match[0][0]


STYLED_LETTERS = "\U0001d400-\U0001d7ffℂℊ-ℍℐ-ℓℕℙ-ℝℤℨℬℭℯ-ℳℴ"  # bold, script, ...: how a language model may write "\U0001d40f\U0001d41a\U0001d42b\U0001d422\U0001d42c"
_STYLED_PATTERN = re.compile(f"[{STYLED_LETTERS}]+")


def without_style(text: str) -> str:
    """A text with plain letters and digits instead of mathematical ones.

    Example:
        >>> without_style("\U0001d40f\U0001d41a\U0001d42b\U0001d422\U0001d42c")
        'Paris'
    """
    return text if text.isascii() else _STYLED_PATTERN.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def folded_letters(text: str) -> str:
    """Without case, accents, possessives and full stops of initials."""
    text = without_style(text)
    for symbol, word in _ASCII_SYMBOLS if text.isascii() else _SYMBOLS.items():
        if symbol in text:
            text = text.replace(symbol, word)
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _MARKS_PATTERN.sub("", unicodedata.normalize("NFKD", text)))
    if "'" in text:
        text = _POSSESSIVE_PATTERN.sub("", text)
    if "." in text:
        text = _INITIALS_PATTERN.sub("", text)
    return text


def characters_beyond_ascii(text: str) -> list[str]:
    """The distinct characters of a text that are not ASCII, sorted."""
    return sorted({*text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")})


def _with_numbers(tokens: list[str]) -> list[str]:
    """The words, with each number as one word of digits, however it was written."""
    places = number_places(tokens)
    words: list[str | None] = list(tokens)
    for place, word in zip(places, numbers_at(tokens, places), strict=True):
        words[place] = word
    return [word for word in words if word is not None]


def number_places(words: Sequence[str]) -> list[int]:
    """The places of the words that may be parts of numbers, which `numbers_at` takes."""
    return [place for place, word in enumerate(words) if word in _READ_WORDS or word[0].isdecimal()]


def numbers_at(tokens: list[str], places: list[int]) -> list[str | None]:
    """The replacements of the words that may be parts of numbers; None: nothing."""
    words: list[str | None] = []
    value: Any = None  # of the last word, where it is a number
    tens = False  # whether that number still takes a unit: twenty-
    last = end = 0
    for place in places:
        word = tokens[place]
        if place > end:
            value, tens = None, False
        end = place + 1
        if value is not None and word in _AFTER_NUMBERS:
            words.append(None)
            continue
        if value is not None and word in _SCALES:
            value, tens = value * _SCALES[word], False
            words[last] = _number_text(word, value)
            words.append(None)
            if _SCALES[word] >= _KEPT_SCALE:
                words[-1] = word
                value = None
            continue
        spelled = _NUMBER_WORDS.get(word, 0)
        number = _number_at(tokens, place)
        if tens and 0 < spelled < 10:
            words[last] = None
            number = value + spelled
        last = len(words)
        words.append(_SAME_WORDS.get(word, word) if number is None else _number_text(word, number))
        value, tens = number, spelled >= 20
    return words


def _number_at(tokens: list[str], place: int) -> float | None:
    """The number that a word stands for by itself."""
    word = tokens[place]
    if word[0].isdecimal():
        return _value_of(word)
    is_first = not place or tokens[place - 1] == TEXT_END
    if not is_first and word in ROMAN_NUMERALS and (len(word) > 1 or _ends_a_name(tokens, place)):
        return ROMAN_NUMERALS[word]
    return _NUMBER_WORDS.get(word)


def _ends_a_name(tokens: list[str], place: int) -> bool:
    """A Roman numeral of one letter counts as in "Elizabeth I" and "James I of England", not as in "you and I"."""
    return tokens[place - 1] not in STOP_WORDS and (place + 1 == len(tokens) or tokens[place + 1] in ("of", TEXT_END))


def _value_of(digits: str) -> float:
    if "," in digits:
        thousands = len(digits.rpartition(",")[2].partition(".")[0]) == 3
        digits = digits.replace(",", "" if thousands else ".")
    return float(digits)


def _number_text(word: str, value: float) -> str:
    if value >= LARGEST_NUMBER:
        return word.replace(",", "") if word[0].isdecimal() else repr(LARGEST_NUMBER)
    return str(int(value)) if value == int(value) else repr(value)


class _LiteTexts(NamedTuple):
    """The features of d distinct texts; the tables hold each word or n-gram of a text once."""

    prefixes: TokenTable
    numbers: TokenTable
    largest: np.ndarray  # number of the text, 0 without
    negated: np.ndarray
    bigrams: TokenTable
    trigrams: TokenTable
    lengths: np.ndarray
    single: np.ndarray  # number of the text where it is one word, short enough to be an acronym, else -1
    initials: np.ndarray  # (2, d) numbers of the initials of its content words and of all its words, else -2


def lite_features(
    predictions: Sequence[str], references: Sequence[str], cosines: np.ndarray | None = None
) -> np.ndarray:
    """The feature matrix of n pairs of texts, float64 (n, 10) or, with cosines, (n, 11); finite.

    Columns, in the order of `LITE_FEATURES`:

    - prefix_f1, prefix_max: F1, and the larger of precision and recall, of the sets of first four letters of content
      words, a final s apart (numbers whole);
    - bigram_dice, trigram_max: Dice of the sets of character bigrams; of trigrams, the share of the text with fewer;
    - length_ratio, length_min: shorter by longer length, and the shorter one in characters of the content words;
    - number_state: how many of the two texts hold numbers;
    - number_share, number_gap: Dice of the sets of numbers, and log(1 + difference of the largest ones) to six
      decimals; -1 unless both texts hold numbers;
    - conflict: 1 where both hold numbers and not the same numbers, or where one text alone is negated; else 0.

    An acronym and its long form count as alike in word beginnings and trigrams. The column of `LITE_COSINE_FEATURES`,
    the cosine as given, comes last.

    Args:
        predictions: n texts.
        references: n texts.
        cosines: (n,) cosines of their embeddings.

    Example:
        >>> rows = lite_features(["thirty percent", "the NFL"], ["30 %", "National Football League"])
        >>> rows[:, LITE_FEATURES.index("prefix_f1")].tolist()
        [1.0, 1.0]
    """
    distinct: dict[str, int] = {}
    left, right = (
        np.fromiter((distinct.setdefault(text, len(distinct)) for text in side), np.int64, len(side))
        for side in (predictions, references)
    )
    texts = _read_lite_texts(list(distinct))
    acronym = _acronyms(texts, left, right)

    prefix_f1, prefix_max = _overlap(texts.prefixes, left, right)
    bigram_dice, _ = _overlap(texts.bigrams, left, right)
    _, trigram_max = _overlap(texts.trigrams, left, right)
    number_share, _ = _overlap(texts.numbers, left, right)
    shorter = np.minimum(texts.lengths[left], texts.lengths[right])
    longer = np.maximum(texts.lengths[left], texts.lengths[right])
    numbered = np.diff(texts.numbers.offsets) > 0
    both = numbered[left] & numbered[right]
    gap = np.abs(texts.largest[left] - texts.largest[right])
    columns = [
        np.where(acronym, 1.0, prefix_f1),
        np.where(acronym, 1.0, prefix_max),
        bigram_dice,
        np.where(acronym, 1.0, trigram_max),
        shorter / np.maximum(longer, 1),
        shorter,
        numbered[left] + 1.0 * numbered[right],
        np.where(both, number_share, -1.0),
        np.where(both, np.round(np.log1p(gap), GAP_DECIMALS), -1.0),
        (both & (number_share < 1)) | (texts.negated[left] != texts.negated[right]),
    ]
    if cosines is not None:
        columns.append(cosines)
    return np.column_stack(columns).astype(np.float64)


def _overlap(table: TokenTable, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F1 (which is Dice) and the larger of precision and recall of two sets, 0 where either is empty."""
    shared = shared_tokens(table, left, right)
    sizes = table.lengths
    together, least = sizes[left] + sizes[right], np.minimum(sizes[left], sizes[right])
    return 2 * shared / np.maximum(together, 1), shared / np.maximum(least, 1)


def _acronyms(texts: _LiteTexts, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return ((texts.single[left] == texts.initials[:, right]) | (texts.single[right] == texts.initials[:, left])).any(
        axis=0
    )


def _read_lite_texts(distinct: list[str]) -> _LiteTexts:
    word_numbers: dict[str, int] = {}
    acronym_numbers: dict[str, int] = {}  # acronyms and initials
    rows_of_words, contents, single, initials = [], [], [], []
    for text in distinct:
        all_words = folded_words(text)
        words = content_words(all_words)
        rows_of_words.append([word_numbers.setdefault(word, len(word_numbers)) for word in words])
        content = " ".join(words)
        contents.append(content)
        is_short = len(words) == 1 and 1 < len(content) <= ACRONYM_LETTERS
        single.append(acronym_numbers.setdefault(content, len(acronym_numbers)) if is_short else -1)
        content_initials = _initials(acronym_numbers, words)
        initials.append(
            [
                content_initials,
                content_initials if len(words) == len(all_words) else _initials(acronym_numbers, all_words),
            ]
        )
    return _LiteTexts(
        *_word_facts(list(word_numbers), rows_of_words),
        *_character_ngrams(contents),
        np.fromiter(map(len, contents), np.int64, len(contents)),
        np.array(single, np.int64),
        np.array(initials, np.int64).reshape(-1, 2).T,
    )


def _word_facts(
    distinct_words: list[str], rows_of_words: list[list[int]]
) -> tuple[TokenTable, TokenTable, np.ndarray, np.ndarray]:
    """Sets of word beginnings and of numbers, the largest number, and whether a word negates, of each row of words."""
    n = len(rows_of_words)
    rows = np.repeat(np.arange(n), np.fromiter(map(len, rows_of_words), np.int64, n))
    words = np.fromiter((number for row in rows_of_words for number in row), np.int64, len(rows))
    numbers_of_prefixes: dict[str, int] = {}
    prefixes = np.array(
        [numbers_of_prefixes.setdefault(prefix_of(word), len(numbers_of_prefixes)) for word in distinct_words], np.int64
    )
    values = np.array(
        [min(float(word), LARGEST_NUMBER) if word[0].isdecimal() else np.nan for word in distinct_words], np.float64
    )
    negations = np.array([word in NEGATIONS for word in distinct_words], bool)
    is_number = ~np.isnan(values)[words]
    largest = np.zeros(n)
    np.maximum.at(largest, rows[is_number], values[words[is_number]])
    negated = np.zeros(n, bool)
    negated[rows[negations[words]]] = True
    return _sets(rows, prefixes[words], n), _sets(rows[is_number], words[is_number], n), largest, negated


def prefix_of(word: str) -> str:
    """The first letters of a folded word without a final s; a number as a whole."""
    return word if word[0].isdecimal() else word.removesuffix("s")[:_PREFIX_LETTERS]


def _character_ngrams(contents: list[str]) -> tuple[TokenTable, TokenTable]:
    """The sets of bigrams and of trigrams of texts, a blank before and after each."""
    n = len(contents)
    rows = np.repeat(np.arange(n), [len(content) + 2 for content in contents])
    joined = "".join(f" {content} " for content in contents)
    characters = np.frombuffer(joined.encode("utf-32-le"), "<u4").astype(np.int64)
    characters = np.unique(characters, return_inverse=True)[1]
    bigrams = _next_ngrams(characters, characters[1:])
    trigrams = _next_ngrams(bigrams, characters[2:])
    return _sets(*_inside_rows(rows, bigrams), n), _sets(*_inside_rows(rows, trigrams), n)


def _initials(spelled: dict[str, int], words: list[str]) -> int:
    if not 1 < len(words) <= ACRONYM_LETTERS:
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
    keys = np.sort(rows * width + numbers)
    rows, members = np.divmod(keys[np.diff(keys, prepend=-1) > 0], width)
    offsets = np.searchsorted(rows, np.arange(count + 1))
    return TokenTable(np.arange(count), np.arange(count), members, members, offsets)
