"""Dates as intervals of days: a year, a month, a decade or a century contains its days."""

from .words import Text

_MONTHS = "january february march april may june july august september october november december".split()
MONTHS = {name[:length]: n for n, name in enumerate(_MONTHS) for length in (3, len(name))} | {"sept": 8}
YEAR, MONTH = 372, 31  # days of a calendar with months of 31 days, so that dates are ordered
_OTHER_MEANINGS = ("may", "mar")


def read_date(text: Text, index: int) -> tuple[str, float, float, int] | None:
    """The date that begins at a word: "date" (or "day" without a year), its first and last day, and the index after it.

    Example:
        >>> from .words import read_text
        >>> one, other, numeric = (read_date(read_text(date), 0) for date in ("4 July 1776", "July 4th, 1776", "1776-07-04"))
        >>> one == other[:3] + (3,) == numeric, read_date(read_text("18th century"), 0)
        (True, ('date', 632400, 669599, 2))
    """
    words, marks = text.words[index : index + 5], text.marks[index : index + 6]
    numbers = [int(word) if word.isdecimal() and len(word) < 5 else -1 for word in words] + [-1] * 5
    if words[0] in MONTHS:
        day = numbers[1] if 1 <= numbers[1] <= 31 else 0
        after = 1 + bool(day)
        year = numbers[after] if numbers[after] > 31 else 0
        if words[0] in _OTHER_MEANINGS and not day and not year:
            return None
        return _days(year, MONTHS[words[0]], day, index + after + bool(year))
    after = 2 if words[1:2] == ["of"] else 1
    if 1 <= numbers[0] <= 31 and words[after : after + 1] and words[after] in MONTHS:
        year = numbers[after + 1] if numbers[after + 1] > 31 else 0
        return _days(year, MONTHS[words[after]], numbers[0], index + after + 1 + bool(year))
    if len(words) > 2 and marks[1] == marks[2] and marks[1] in ("/", "-", ".") and min(numbers[:3]) > 0:
        year, first, second = (numbers[0], numbers[2], numbers[1]) if numbers[0] > 31 else (numbers[2], *numbers[:2])
        day, month = (first, second) if second <= 12 else (second, first)
        if month <= 12 and day <= 31:
            return _days(year + (year < 100) * (1900 if year > 31 else 2000), month - 1, day, index + 3)
    if words[1:2] == ["century"] and 0 < numbers[0] < 30:
        return _years(100 * numbers[0] - 100, 100, index + 2)
    if words[0].endswith("s") and words[0][:-1].isdecimal() and len(words[0]) in (3, 5):
        year = int(words[0][:-1]) + (1900 if len(words[0]) == 3 else 0)
        return _years(year, 10 if year % 100 else 100, index + 1)
    if marks[0].endswith("'") and len(words[0]) == 2 and numbers[0] >= 0:
        return _years(numbers[0] + (1900 if numbers[0] > 30 else 2000), 1, index + 1)
    if words[1:2] and words[1] in ("bc", "bce") and numbers[0] > 0:
        return _years(-numbers[0], 1, index + 2)
    return None


def year_days(year: float) -> tuple[float, float]:
    """The first and the last day of a year."""
    return year * YEAR, (year + 1) * YEAR - 1


def _days(year: int, month: int, day: int, end: int) -> tuple[str, float, float, int]:
    low = year * YEAR + month * MONTH + max(day - 1, 0)
    return "date" if year else "day", low, low if day else low + MONTH - 1, end


def _years(year: int, count: int, end: int) -> tuple[str, float, float, int]:
    return "date", year * YEAR, (year + count) * YEAR - 1, end
