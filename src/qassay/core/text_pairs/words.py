"""Splits texts into folded words, with numbers as digits, and the punctuation between them."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from .numbers import HAN_NUMBER, first_is_digit, han_number, with_numbers

STOP_WORDS = frozenset(
    """a an and are as at be been by did do does for from had has have he her his i in is it its of on or she so than that the their there
    these they this to was we were which who will with would you als am auf aus bei das dem den der des die ein eine einem einen
    einer eines fur im ist mit oder und vom von war zu zum zur de del du el en et la le les los un una une y""".split()
)
_SYMBOLS = {
    "%": "percent",
    "$": "dollar",
    "€": "euro",
    "£": "sterling",
    "¥": "yen",
    "°": "degree",
    "prozent": "percent",
}
_TOKEN = re.compile(r"[0-9]+(?:[.,][0-9]+)*(?:'?s\b)?|[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[%$€£¥°]|\n|[^\w\s]|_")
_CJK = re.compile("([\u3040-\u30ff\u3400-\u9fff])")
_ABBREVIATION = re.compile(r"\b[^\W\d_](?:\.[^\W\d_])+\b\.?")  # U.S.A.
_ACCENTS = re.compile("[\u0300-\u036f]+")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DOTTED_DATE = re.compile(r"\b([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b")
_SPACED_THOUSANDS = re.compile(r"(?<![\d.,/:-])[0-9]{1,3}(?: [0-9]{3})+(?![\d/:-]|[.,]\d)")
_MINUS = re.compile(r"(?<![^\s(\[])[-−–](?=[0-9.])")  # a sign, not a range or a hyphen
_SHORT_VERBS = ("s", "re", "ll", "d", "ve", "m")
_SHORT = 200  # characters


class Text(NamedTuple):
    """The n words of a text.

    Attributes:
        words: folded: without case, accents and possessives, numbers as digits ("twenty-four" and "24" are one word).
        stems: without the endings of English plurals and verbs.
        raw: as written; of a number of several words the first.
        marks: n + 1 strings, the punctuation before each word and at the end.
        lower: the text without a capital letter.
    """

    words: list[str]
    stems: list[str]
    raw: list[str]
    marks: list[str]
    lower: bool


def read_text(text: str) -> Text:
    """The words of a text.

    Example:
        >>> read_text("It isn't Louis XIV, but the U.S. paid $1.5 million!").words
        ['it', 'is', 'not', 'louis', '14', 'but', 'the', 'us', 'paid', 'dollar', '1500000']
        >>> read_text("-5 to -1 °C, 1990-95, 1 500").words
        ['minus', '5', 'to', 'minus', '1', 'degree', 'c', '1990', '95', '1500']
        >>> read_text("Twenty-four (two hundred and five)").marks
        ['', '(', ')']
    """
    return _read_short(text) if len(text) <= _SHORT else _read(text)


def _read(text: str) -> Text:
    text = _MINUS.sub(" minus ", text.replace("’", "'").replace("‘", "'"))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", HAN_NUMBER.sub(lambda match: f" {han_number(match[0])} ", text)).replace(
            "⁄", "/"
        )
        text = _CJK.sub(r" \1 ", text)
    if "." in text:
        text = _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), text)
        text = _DOTTED_DATE.sub(r"\1/\2/\3", text)
    text = _SPACED_THOUSANDS.sub(lambda match: match[0].replace(" ", ""), text)
    words: list[str] = []
    raw: list[str] = []
    marks = [""]
    for token in _TOKEN.findall(text):
        if token[0].isalnum() or token in _SYMBOLS:
            word = _fold(token)
            if word.endswith("n't") and len(word) > 3:
                words.append(word[:-3])
                raw.append(token)
                marks.append("")
                word = "not"
            words.append(word)
            raw.append(token)
            marks.append("")
        else:
            marks[-1] += token
    words, raw, marks = with_numbers(words, raw, marks)
    return Text(words, [*map(stem, words)], raw, marks, text == text.lower())


_read_short = lru_cache(1 << 12)(_read)  # gold answers and questions come again; long texts would fill the memory


@lru_cache(1 << 15)
def _fold(token: str) -> str:
    word = token.casefold()
    if not word.isascii():
        word = _ACCENTS.sub("", unicodedata.normalize("NFKD", word))
    if first_is_digit(word):
        word = word.replace("'", "").replace(",", "" if _THOUSANDS.fullmatch(word) else ".")
    elif "'" in word and not word.endswith("n't"):
        head, _, tail = word.partition("'")
        word = head if tail in _SHORT_VERBS else head + tail
    return _SYMBOLS.get(word, word)


@lru_cache(1 << 15)
def stem(word: str) -> str:
    """A word without its ending.

    Example:
        >>> [*map(stem, "cities killed killing boxes quickly".split())]
        ['city', 'kill', 'kill', 'box', 'quick']
    """
    if len(word) > 4:
        for ending, new in (("ies", "y"), ("ing", ""), ("ed", ""), ("ly", ""), ("es", ""), ("s", "")):
            if word.endswith(ending) and not word.endswith("ss"):
                return word[: -len(ending)] + new if len(word) - len(ending) > 2 else word
    return word
