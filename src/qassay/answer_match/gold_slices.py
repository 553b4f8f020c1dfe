"""Slices by gold answer: one label per example, for `Scores.by`."""

import re
from collections.abc import Sequence
from typing import Any

from ..core.slices import count_range
from ..core.text import get_normalizer

ANSWER_TYPES = ("date", "number", "yes/no", "name", "phrase", "word", "no answer")

# Words that indicate the type of an answer, in English, French, German and Spanish, in lower case.
_YES_NO = frozenset({"yes", "no", "oui", "non", "ja", "nein", "sí"})
_DATE_WORD = re.compile(
    r"\b(?:"
    r"january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?(?=\s*\d)|(?<=\d )(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
    r"|janvier|février|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|(?<=\d )mars|mars(?= \d)"
    r"|januar|jänner|februar|märz|juni|juli|oktober|dezember"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|century|siècle|jahrhunderts?|siglo"
    r")\b"
)
_DATE_NUMBER = re.compile(
    r"(?<![\d.,/$€£¥])(?:"
    r"\d{1,4}年(?:代|\d\d?月(?:\d\d?日)?)?|\d\d?月(?:\d\d?日)?"
    r"|['’]?\d{1,3}0['’]?s\b"  # 1990s
    r"|(?:1\d|20)\d\d(?:/\d\d)?(?![\d/%]|[.,]\d|\s?°)"  # a year
    r"|\d{4}-\d\d?(?:-\d\d?)?(?!\d)|\d\d?[./]\d\d?[./]\d{2,4}"
    r"|\d\d?:\d\d(?::\d\d)?(?![\d:])|\d\d?\s?(?:[ap]\.?m\b\.?|o['’]clock|uhr\b|heures\b)"
    r"|\d{1,4}\s?(?:bce?|b\.c\.(?:e\.)?|ce|ad|a\.d\.)(?!\w)|(?<=ad )\d{1,4}|(?<=bc )\d{1,4}"
    r")"
)
# Other words that may occur in a date.
_DATE_FILLER = re.compile(
    r"\b(?:in|on|at|by|of|the|to|from|since|until|till|between|and|through|during|before|after|around|about|circa|late|early|mid"
    r"|beginning|middle|end|half|year|years|winter|spring|summer|autumn|fall|morning|afternoon|evening|night|noon|midnight"
    r"|ad|a\.d|bce?|ce|gmt|utc|est|pst|edt|first|second|third"
    r"|le|la|les|du|de|des|au|aux|en|à|vers|depuis|jusqu|fin|début|et|années|année|av|apr|er"
    r"|der|die|das|dem|den|am|im|um|vom|zum|bis|seit|ende|anfang|und|jahr|jahre|jahren|uhr"
    r"|el|los|las|del|al|desde|hasta|finales|principios|año|años|y|a|c)\b"
    r"|\b\d{1,2}(?:st|nd|rd|th|er|e|è|ème|º)?\b|\b[ivx]+e?\b"
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_SPELLED_NUMBER = (
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    r"|hundreds?|thousands?|[mb]illions?|trillions?|dozens?|half|thirds?|quarters?|once|twice"
    r"|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante"
    r"|cinquante|soixante|cent|cents|mille|milliers?|milliards?"
    r"|null|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig"
    r"|achtzig|neunzig|hundert|tausend|millionen|milliarden?"
    r"|cero|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|treinta|cuarenta|cincuenta|cien|ciento"
    r"|mil|millón|millones"
)
_ORDINAL = r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|last|\d+(?:st|nd|rd|th|er|ère|e|º)"
_NUMBER = re.compile(
    r"(?:(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|under|above|below|only|just|exactly|some"
    r"|more than|less than|fewer than|at least|at most|up to|close to|between|from|an? (?:estimated|additional)|plus|minus"
    r"|environ|près de|plus de|moins de|etwa|rund|mehr als|weniger als|unos|unas|casi|más de|menos de|the|a|an|another)\s+){0,2}"
    r"(?:(?:us|a|c|au|ca|nz|hk)?[$€£¥₹]\s?|usd\s|eur\s|[-+−±~≈<>≤≥]\s?)*"
    rf"(?:[½¼¾⅓⅔]|\d[\d.,:/×–—−-]*[²³°%‰′″'\"]*(?:[^\W\d_]{{1,4}}(?![^\W\d_]))?|(?:{_SPELLED_NUMBER})(?:[-–](?:{_SPELLED_NUMBER}))*(?![\w-]))"
)
_NUMBER_ALONE = re.compile(rf"(?:the\s+)?(?:{_ORDINAL})")
_MOST_UNITS = 3  # words after a number: "square kilometres per year"
_PARTICLES = frozenset({
    "of", "the", "and", "de", "la", "le", "les", "von", "van", "der", "den", "du", "des", "del", "della", "di",
    "da", "dos", "das", "do", "y", "et", "und", "e", "for", "in", "on", "at", "&", "al", "bin", "ibn", "el", "am",
    "zu", "zum", "zur", "ter", "ten", "to", "au", "aux", "à", "upon",
})  # fmt: skip


def answer_length(references: Sequence[Sequence[str]]) -> list[str]:
    """The length of the first gold answer of each example: "0" (no answer), "1", "2", "3-5", "6-10" or "11+" tokens.

    Tokens as in SQuAD: separated by white space, without ASCII punctuation and English articles.

    Args:
        references: n lists of gold answers.
    """
    normalize = get_normalizer("squad")
    return [count_range(len(normalize(golds[0]).split()) if len(golds) else 0) for golds in references]


def gold_count(references: Sequence[Sequence[Any]]) -> list[str]:
    """The number of gold answers of each example: "0", "1", "2" or "3+"."""
    return [str(len(golds)) if len(golds) < 3 else "3+" for golds in references]


def answer_type(references: Sequence[Sequence[str]]) -> list[str]:
    """The type of the first gold answer of each example, judged by its form alone; one of `ANSWER_TYPES`.

    - "no answer": there is none, or it has neither a letter nor a digit.
    - "date": years (1000 to 2099), decades, centuries, months, days, times, with only usual words between them.
    - "number": starts with digits or a number word, followed by at most three words (units, counted things); or a
      single ordinal.
    - "yes/no": just that.
    - "name": capitalised words, with particles such as "of" or "von" between them.
    - "phrase": several words; "word": a single one in lower case.

    Dates, numbers, yes and no are recognised in English, French, German and Spanish. This is a heuristic: a capitalised
    single word at the start of a sentence counts as a name. Languages without capitals have no names, and Chinese and
    Japanese, written without spaces, have words rather than phrases.

    Args:
        references: n lists of gold answers.
    """
    return [_answer_type(golds[0]) if len(golds) else "no answer" for golds in references]


def _answer_type(answer: str) -> str:
    if not _LETTER_OR_DIGIT.search(answer):
        return "no answer"
    text = " ".join(answer.split()).strip("\"“”„'‘’«».,;:!?()[] ")
    lowered = text.lower()
    if lowered in _YES_NO:
        return "yes/no"
    if _is_date(lowered):
        return "date"
    if _is_number(text, lowered):
        return "number"
    words = text.split()
    if _is_name(words):
        return "name"
    return "phrase" if len(words) > 1 else "word"


def _is_date(text: str) -> bool:
    rest, numbers = _DATE_NUMBER.subn(" ", text)
    rest, words = _DATE_WORD.subn(" ", rest) if numbers else _DATE_WORD.subn(" ", text)
    return numbers + words > 0 and not _LETTER_OR_DIGIT.search(_DATE_FILLER.sub(" ", rest))


def _is_number(text: str, lowered: str) -> bool:
    if _NUMBER_ALONE.fullmatch(lowered):
        return True
    match = _NUMBER.match(lowered)
    if match is None or lowered[match.end() : match.end() + 1].isalpha():
        return False
    units = [word for word in text[match.end() :].split() if not _NUMBER.fullmatch(word.lower())]
    # Capitals indicate a name: "Seven Years War"; but short units also have capitals: "5 MHz".
    return (
        len(units) <= _MOST_UNITS
        and not any(word[0].isupper() and len(word) > 4 for word in units)
        and not (text[0].isalpha() and text[0].isupper() and any(word[0].isupper() for word in units))
    )


def _is_name(words: Sequence[str]) -> bool:
    """Whether all words except particles start with a capital (or a digit, after a capitalised word)."""
    content_words = [
        word.lstrip("\"“”„'‘’«»([") for word in words if word not in _PARTICLES and not word.startswith("al-")
    ]
    first = [word[0] for word in content_words if word]
    return (
        any(map(str.isupper, first))
        and all(letter.isupper() or not letter.isalpha() for letter in first)
        or (len(words) == 1 and any(letter.isupper() for letter in words[0]))
    )
