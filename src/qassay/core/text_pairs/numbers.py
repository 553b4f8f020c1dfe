"""Number words and numerals as digits: "twenty-four", "XXIV", "三千七百" and "1.5 million" are one word each."""

import re
import unicodedata

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth",
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn",
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve",
)
_TENS = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth",
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "vingt trente quarante cinquante soixante",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
)
_OTHER_MEANINGS = ("un", "once", "elf", "null", "onze")  # words of other languages too
_NUMBERS = {word: n for words in _WORDS for n, word in enumerate(words.split()) if word not in _OTHER_MEANINGS}
_NUMBERS |= {word: 10 * n for words in _TENS for n, word in enumerate(words.split(), 2)}
_SCALES = {
    word: size
    for size, words in (
        (12, "dozen"),
        (100, "hundred hundert cent"),
        (10**3, "thousand tausend mille mil"),
        (10**6, "million millions millionen"),
        (10**9, "billion milliarden"),
        (10**12, "trillion"),
    )
    for word in words.split()
}
_SPELLED = frozenset([*_NUMBERS, *_SCALES])
_ROMAN = re.compile(r"(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}
HAN_NUMBER = re.compile("[零〇一二三四五六七八九两十百千万億亿]{2,}|[十百千万]")
_NTH = ("st", "nd", "rd", "th")
MOST_DIGITS = 18


def first_is_digit(word: str) -> bool:
    """Whether a folded word is a number."""
    return "0" <= word[0] <= "9"


def han_number(text: str) -> str:
    """The digits of a number in Chinese characters.

    Example:
        >>> han_number("三千七百七十六"), han_number("一九四九"), han_number("十二")
        ('3776', '1949', '12')
    """
    values = [int(unicodedata.numeric(sign)) for sign in text.replace("两", "二")]
    if max(values) < 10:
        return "".join(map(str, values))
    total, part, digit = 0, 0, 0
    for value in values:
        if value < 10:
            digit = value
        elif value < 10_000:
            part, digit = part + (digit or 1) * value, 0
        else:
            total, part, digit = total + (part + digit or 1) * value, 0, 0
    return str(total + part + digit)


def _roman(raw: list[str], index: int) -> int:
    """The value of a Roman numeral up to 89 that is not the first word; 0 for all else."""
    text = raw[index]
    if text[0] not in _ROMAN_VALUES or not index or not _ROMAN.fullmatch(text):
        return 0
    if len(text) == 1 and not raw[index - 1][0].isupper():  # "Richard I", not "so I"
        return 0
    values = [_ROMAN_VALUES[letter] for letter in text]
    return sum(-one if one < later else one for one, later in zip(values, [*values[1:], 0], strict=True))


def with_numbers(words: list[str], raw: list[str], marks: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The columns of a `Text` with each number as one word of digits.

    Example:
        >>> with_numbers(["nineteen", "ninety", "four", "and", "king", "louis", "xiv"], [*"nnnakl", "XIV"], [""] * 8)[0]
        ['1994', 'and', 'king', 'louis', '14']
    """
    if _SPELLED.isdisjoint(words) and not any(
        "0" <= word[0] <= "9" or text[0] in _ROMAN_VALUES for word, text in zip(words, raw, strict=True)
    ):
        return words, raw, marks
    out: tuple[list[str], list[str], list[str]] = ([], [], [])
    index = 0
    while index < len(words):
        start = index
        word = words[index]
        if (
            word in _NUMBERS
            or word in _SCALES
            or (first_is_digit(word) and word[-1] != "s" and len(word) < MOST_DIGITS)
        ):
            value, index = _number(words, marks, index)
            text = str(int(value)) if value == int(value) else repr(round(value, 9))
            if index < len(words) and not marks[index] and words[index] in _NTH:
                index += 1
        else:
            value, index = _roman(raw, index), index + 1
            text = str(value) if value else word
        for column, item in zip(out, (text, raw[start], marks[start]), strict=True):
            column.append(item)
    out[2].append(marks[len(words)])
    return out


def _number(words: list[str], marks: list[str], index: int) -> tuple[float, int]:
    """The number that begins at a word, and the index after it."""
    total, current, start = 0.0, None, index
    if first_is_digit(words[index]):
        try:
            current = float(words[index])
        except ValueError:  # 1.2.3
            return float(words[index].replace(".", "")), index + 1
        index += 1
        if index == len(words) or words[index] not in _SCALES or marks[index]:
            return current, index
    while index < len(words) and (index == start or marks[index] in ("", "-")):
        word = words[index]
        if word in _NUMBERS:
            number = _NUMBERS[word]
            if current is None or current == 0 < total:
                current = number
            elif current >= 20 and current % (10 if number < 10 else 100) == 0 < number:
                current += number
            elif 10 <= current < 100 and number >= 10 and index == start + 1:  # nineteen ninety
                current = 100 * current + number
            else:
                break
        elif word in _SCALES:
            current = (1 if current is None else current) * _SCALES[word]
            if _SCALES[word] > 100:
                total, current = total + current, 0
        elif word != "and" or (current or 0) % 100 or not (total or current) or index + 1 == len(words):
            break
        elif words[index + 1] not in _NUMBERS:
            break
        index += 1
    return total + (current or 0), index
