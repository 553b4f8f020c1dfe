"""Values: the numbers of a text as intervals in base units, so that "2 hours" is "120 minutes" and 1919 holds 28 June 1919.

A value is a number, or a range or score of two, with the dimension of its unit, currency or code of three capital letters; or a
date (`dates`). Alternatives that were tried: dateparser 1.5 (up to 0.6 s for a sentence; no decades, centuries or years BC), dateutil 4.0
(the same, and "3 apples" is a day), pint 0.25 (converts units, but finds none in a sentence, and no currencies), text2num 3.1 ("nineteen
ninety four" is 19 94) and babel 2.19 (converts no units).
"""

import re
from typing import NamedTuple

from .dates import MONTHS, YEAR, read_date, year_days
from .numbers import MOST_DIGITS, first_is_digit
from .units import read_unit
from .words import Text

_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10}
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_TOLERANCE = 0.006  # of conversions and roundings
_EXACT_BELOW = 10_000  # whole numbers below are never rounded


class Value(NamedTuple):
    """A value at the words from `first` to before `end`: an interval in base units of a dimension; "" without a unit."""

    low: float
    high: float
    dimension: str
    amount: float  # the number as written, of a date its first year
    first: int
    end: int
    bound: str = ""  # "more" of "more than 3"


def read_values(text: Text) -> list[Value]:
    """The values of a text in order; neighbours of one dimension, such as feet and inches, are one.

    Example:
        >>> from .words import read_text
        >>> [value[:3] for value in read_values(read_text("2 hours, 5-10 km, half a litre, 3/4, 5 minutes and 3 seconds"))]
        [(7200.0, 7200.0, 'time'), (5000.0, 10000.0, 'length'), (0.5, 0.5, 'volume'), (0.75, 0.75, 'share'), (303.0, 303.0, 'time')]
        >>> [value[0] for value in read_values(read_text("-5 degrees, 5 degrees"))]
        [-5.0, 5.0]
        >>> [value[2:4] for value in read_values(read_text("KES 135,000 and $3"))]
        [('code kes', 135000.0), ('money dollar', 3.0)]
    """
    words, index = text.words, 0
    found: list[Value] = []
    while index < len(words):
        value, word = None, words[index]
        if first_is_digit(word) or word in MONTHS:
            date = read_date(text, index)
            if date:
                value = Value(date[1], date[2], date[0], date[1] // YEAR, index, date[3])
            elif _NUMBER.fullmatch(word) and len(word) < MOST_DIGITS:
                value = _number(text, index)
        elif word in _PARTS:
            value = _with_unit(text, 1 / _PARTS[word], 1 / _PARTS[word], index, index + 1, "share")
        if value:
            last = found[-1] if found else None
            if (
                last
                and last.dimension == value.dimension in ("length", "time", "mass")
                and last.low > value.low
                and words[last.end : index] in ([], ["and"])
                and not any(text.marks[last.end : index + 1])
            ):
                value = last._replace(low=last.low + value.low, high=last.high + value.high, end=value.end)
                found.pop()
            found.append(value)
        index = value.end if value else index + 1
    return found


def _number(text: Text, index: int) -> Value:
    """A number, or two that are a range, a score or a fraction, with its unit."""
    words, marks = text.words, text.marks
    low = high = float(words[index])
    end = index + 1
    if index and words[index - 1] == "minus":
        return _with_unit(text, -low, -low, index, end, "")._replace(first=index - 1)
    is_between = words[max(index - 1, 0)] == "between" and words[end : end + 1] == ["and"]
    is_range = is_between or words[end : end + 1] in (["to"], ["or"])  # "7 or 8" is neither 7 nor 8
    other = end + is_range
    if (
        other < len(words)
        and _NUMBER.fullmatch(words[other])
        and len(words[other]) < MOST_DIGITS
        and (is_range or marks[end] in ("-", "–", "—", ":", "/"))
    ):
        high, end = float(words[other]), other + 1
        high += (low - low % 100) * (high < 100 < 1000 <= low)  # 1979-80
        if marks[other] == "/" and 0 < low < high:
            return _with_unit(text, low / high, low / high, index, end, "share")
    if low <= 12 and words[end : end + 1] in (["am"], ["pm"]):
        hour = low % 12 + 12 * (words[end] == "pm") + (high / 60 if end > index + 1 else 0)
        return Value(hour, hour, "clock", low, index, end + 1)
    part = text.raw[end].lower() if end < len(words) and not marks[end].strip("-") else ""
    if part in _PARTS and low == high:
        return _with_unit(text, low / _PARTS[part], low / _PARTS[part], index, end + 1, "share")
    return _with_unit(text, low, high, index, end, "")


def _with_unit(text: Text, low: float, high: float, first: int, end: int, dimension: str) -> Value:
    dimension, size, offset, behind = read_unit(text, first, end, dimension)
    bound = text.words[first - 2] if first > 1 and text.words[first - 1] == "than" else ""
    return Value(low * size + offset, high * size + offset, dimension, low, first, behind, bound)


def agreement(gold: Value, answer: Value) -> float | None:
    """1 for the same value, or one within a gold date; .5 for a date that contains it; 0 for another value; None if they cannot be compared.

    Example:
        >>> from .words import read_text
        >>> def compare(gold, answer): return agreement(read_values(read_text(gold))[0], read_values(read_text(answer))[0])
        >>> compare("2 hours", "120 minutes"), compare("1919", "28 June 1919"), compare("1937", "the 1930s"), compare("3-2", "2-3")
        (1.0, 1.0, 0.5, 0.0)
        >>> compare("5 km", "5 kg") is None, compare("3", "more than 3"), compare("3 am", "3:00 a.m."), compare("0.667", "66.7 %")
        (True, 0.0, 1.0, 1.0)
    """
    if gold.dimension != answer.dimension:
        gold, answer = _like(gold, answer), _like(answer, gold)
    if gold.dimension != answer.dimension:
        return None
    if gold.dimension in ("date", "day"):
        if gold.low <= answer.low and answer.high <= gold.high:
            return 1.0
        return 0.5 if answer.low <= gold.low and gold.high <= answer.high else 0.0
    is_equal = _equal(gold.low, answer.low) and _equal(gold.high, answer.high)
    return float(is_equal and answer.bound in ("", gold.bound))


def _like(value: Value, other: Value) -> Value:
    """A value without a dimension in the dimension of another: a plain number as a year or with that unit."""
    if value.dimension == "" and other.dimension == "date" and value.low == value.high < 2200:
        low, high = year_days(value.low)
        return value._replace(low=low, high=high, dimension="date")
    if value.dimension == "date" and other.dimension == "day":
        return value._replace(low=value.low % YEAR, high=value.high % YEAR, dimension="day")
    if value.dimension == "" and other.dimension not in ("date", "day"):
        same = _equal(value.low, other.amount) and not _equal(value.low, other.low)
        low, high = (other.low, other.high) if same and value.low == value.high else (value.low, value.high)
        return value._replace(low=low, high=high, dimension=other.dimension)
    return value


def _equal(one: float, other: float) -> bool:
    if one == int(one) and other == int(other) and max(one, other) < _EXACT_BELOW:
        return one == other
    return abs(one - other) <= _TOLERANCE * max(abs(one), abs(other))
