"""Short answers that state the value of a gold answer in another form: "17:00" for "5 pm", "2½ hours" for "2.5 hours"."""

import re
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from .lite_roles import Beside, role_features
from .lite_words import texts_of_rows

_MOST_WORDS = 25  # of an answer that is read for a value
_MOST_CHARACTERS = 60  # of a value
_SIGNS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_PART_OF_SIGN = dict(
    zip(_SIGNS, map(Fraction, "1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/8 3/8 5/8 7/8".split()), strict=True)
)
_PART_OF_NAME = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_COUNT_OF_NAME = {word: place for place, word in enumerate("one two three four five six seven eight nine".split(), 1)}
_COUNT_OF_NAME |= {"a": 1, "an": 1}
_NAMED_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DECADES = dict(
    zip(
        "twenties thirties forties fifties sixties seventies eighties nineties".split(), range(20, 100, 10), strict=True
    )
)
_CENTURIES = {"eighteen": 18, "nineteen": 19}
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound"}
_MIDDAYS = {"noon": 720, "midday": 720, "12 noon": 720, "midnight": 0, "12 midnight": 0}
# Texts without any of these state no value.
_CUE = re.compile(rf"[\d{_SIGNS}]|{'|'.join([*_PART_OF_NAME, *_DECADES])}|noon|midday|midnight")
_OUTER = ' !,;:\n\t"“”*_()[]'
_LEAD = re.compile(
    r"(?:about|around|approximately|approx\.|roughly|circa|nearly|almost|exactly|just|some|therefore|thus|hence|at|in|the|from|between|during|on)[ \n]+|[~≈=] ?"
)
_BEFORE_VALUE = re.compile(
    r"\b(?:at|in|is|was|are|were|of|from|between|lasts|lasted|takes|took|has|have|had|about|around|answer:)[ \n]+"
)
_NO_UNIT = re.compile(r"\b(?:or|and|to|than|but|not|more|less|fewer|over|under|older|younger)\b")
_BEHIND_UNIT = re.compile(r" of .*| (?:long|high|tall|wide|deep|old|away)$|[ .-]+$")
_TIME = re.compile(r"(\d{1,2})(?:([:.h])([0-5]\d))? ?(?:([ap])\.? ?m\.?|h|hrs|hours)?")
_YEARS = re.compile(r"(\d{4}) ?(?:[-–—/]|to|until|till|through|and) ?(\d{2}|\d{4})")
_DECADE = re.compile(rf"['’‘]?(\d\d|{'|'.join(_CENTURIES)})?[ -]?(?:(\d0)['’]?s|({'|'.join(_DECADES)}))")
_NAMES = "|".join(_PART_OF_NAME)
_NUMBER_PARTS = re.compile(
    rf"(?P<sign>[-−] ?)?(?P<currency>[{''.join(_CURRENCIES)}] ?)?"
    rf"(?:(?P<whole>\d+)?[ -]?(?P<part>[{_SIGNS}])"
    r"|(?:(?P<mixed>\d+) (?:and )?)?(?P<upper>\d+) ?[/⁄] ?(?P<lower>[1-9]\d*)(?![\d/])"
    r"|(?P<digits>\d{1,3}(?:[, \u00a0\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?: ?e(?P<power>[+-]?\d{1,2})(?!\w)| ?(?:[x×·*]|\\times) ?10\^?\{?(?P<raised>[-⁻]?[\d⁰¹²³⁴-⁹]{1,2})\}?)?"
    rf"|(?:(?P<counted>\d+|{'|'.join(_COUNT_OF_NAME)}) and )?(?:(?P<count>{'|'.join(_COUNT_OF_NAME)})[ -])?(?P<named>{_NAMES})s?\b)"
    rf"(?: ?(?P<percent>%|percent\b|per cent\b|pct\b))?(?: (?:an? )?(?P<scale>{'|'.join(_NAMED_SCALES)})\b)?"
    r"(?P<unit>[ -]?[a-z°µ][^\W\d][^\W\d]*(?:[ -][^\W\d]+){0,3}|[ -]?[a-zµ]| ?°[cf]?)?"
)
_POWER_SIGNS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

Value = tuple[str | int | Fraction | None, ...]


def value_of(text: str) -> Value | None:
    """The kind of a value and the value, if a text states one value and nothing else.

    A time of day is in minutes, a decade has its century or None, a number is an exact fraction with its unit.

    Example:
        >>> value_of("5 p.m.") == value_of("At 17:00"), value_of("1914–18"), value_of("the '80s")
        (True, ('years', 1914, 1918), ('decade', None, 80))
        >>> value_of("2½ hours"), value_of("about a third"), value_of("the third")
        (('number', Fraction(5, 2), 'hour'), ('number', Fraction(1, 3), ''), None)
    """
    if len(text) > _MOST_CHARACTERS:
        return None
    text = text.casefold().rstrip(f".{_OUTER}").lstrip(_OUTER)  # ".5" begins with its full stop
    while lead := _LEAD.match(text):
        text = text[lead.end() :].lstrip(_OUTER)
    if text in _MIDDAYS:
        return "time", _MIDDAYS[text]
    if time := _TIME.fullmatch(text):
        hour, mark, minute, half = time.groups()
        if half:
            minutes = 60 * (int(hour) % 12 + 12 * (half == "p")) + int(minute or 0)
            return ("time", minutes) if 1 <= int(hour) <= 12 else None
        if not half and mark in (":", "h") and int(hour) < 24:
            return "time", 60 * int(hour) + int(minute)
    if years := _YEARS.fullmatch(text):
        first, last = years.groups()
        last = first[: 4 - len(last)] + last
        return ("years", int(first), int(last)) if int(first) < int(last) else None
    if decade := _DECADE.fullmatch(text):
        century, digits, name = decade.groups()
        century = century and _CENTURIES.get(century) or century
        return "decade", int(century) if century else None, int(digits) if digits else _DECADES[name]
    number = _NUMBER_PARTS.fullmatch(text)
    return _number_of(number.groupdict()) if number and not _NO_UNIT.search(number["unit"] or "") else None


def _number_of(parts: Mapping[str, str | None]) -> Value | None:
    if parts["part"]:
        number = int(parts["whole"] or 0) + _PART_OF_SIGN[parts["part"]]
    elif parts["lower"]:
        number = int(parts["mixed"] or 0) + Fraction(int(parts["upper"] or 0), int(parts["lower"]))
    elif parts["named"]:
        if not parts["count"] and parts["named"] != "half":
            return None  # an ordinal
        counted = parts["counted"] or "0"
        number = Fraction(_COUNT_OF_NAME.get(counted, counted))
        number += Fraction(_COUNT_OF_NAME[parts["count"] or "a"], _PART_OF_NAME[parts["named"]])
    else:
        number = Fraction("".join(sign for sign in parts["digits"] or "" if sign.isdecimal() or sign == "."))
        power = parts["power"] or parts["raised"]
        number *= Fraction(10) ** int(power.translate(_POWER_SIGNS)) if power else 1
    number *= Fraction(_NAMED_SCALES.get(parts["scale"] or "", 1), 100 if parts["percent"] else 1)
    unit = _BEHIND_UNIT.sub("", parts["unit"] or "").strip(" -").removesuffix("s")
    unit = _CURRENCIES.get((parts["currency"] or "").strip(), unit)
    return "number", -number if parts["sign"] else number, unit


def _stated_value(text: str) -> Value | None:
    """The value that a text states at its end: "The shop opens at 17:00."."""
    text = text.casefold()
    if not _CUE.search(text):
        return None
    starts = [0, *(match.end() for match in _BEFORE_VALUE.finditer(text))]
    return next((value for start in starts if (value := value_of(text[start:]))), None)


def _is_same(said: Value, wanted: Value) -> bool:
    """Whether two values are the same; a century or a unit that one of them lacks may be any."""
    if said[0] != wanted[0]:
        return False
    if said[0] == "decade":
        return said[2] == wanted[2] and (said[1] == wanted[1] or None in (said[1], wanted[1]))
    if said[0] == "number":
        return said[1] == wanted[1] and (said[2] == wanted[2] or "" in (said[2], wanted[2]))
    return said == wanted


def _same_value_rows(rows: Beside) -> list[int]:
    """The answer states the value of a gold answer in another form, at its end."""
    near = np.flatnonzero((rows.columns["exact_recall"] < 1) & (rows.lengths <= _MOST_WORDS))
    answers = np.unique(rows.answer.index[near]).tolist()
    stated = {text: value for text in answers if (value := _stated_value(rows.answer.distinct[text]))}
    near = near[np.isin(rows.answer.index[near], list(stated))]
    golds, found = texts_of_rows(rows.gold, rows.counts), []
    for row in near.tolist():
        wanted = [value_of(rows.gold.distinct[gold]) for gold in golds(row)]
        if any(value and _is_same(stated[rows.answer.index[row]], value) for value in wanted):
            found.append(row)
    return found


def value_features(rows: Beside) -> dict[str, np.ndarray]:
    """A feature of the rules only, float64 (n,): 1 where it is so, else 0."""
    return role_features(rows, {"same_value": _same_value_rows})
