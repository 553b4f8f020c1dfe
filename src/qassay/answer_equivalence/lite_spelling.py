"""What the letters of an answer and of a gold answer say: initials, letters in a row, units, years, first names."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..semantic_answer_similarity.lite_features import TEXT_END, characters_beyond_ascii
from .lite_search import JoinedTexts
from .lite_words import ALL, SpelledTexts, Words, texts_of_rows

_SPELLED_CHARACTERS = 2_000  # of an answer that are searched for names


# Unit words by dimension and size: the words before a size are one unit.
_UNIT_TABLE = """
length: mm millimetre millimeter 0.001, cm centimetre centimeter 0.01, m metre meter 1, km kilometre kilometer 1000,
    inch inches 0.0254, ft foot feet 0.3048, yard yd 0.9144, mile mi 1609.344, fathom 1.8288
mass: mg milligram 0.001, g gram gramme 1, kg kilogram kilogramme kilo 1000, lb lbs pound 453.592, oz ounce 28.35, ton tonne 1000000
time: second sec 1, minute min mins 60, hour hr hrs h 3600, day 86400, week 604800, month 2629800, year yr yrs 31557600,
    decade 315576000, century centuries 3155760000
volume: ml millilitre milliliter 0.001, litre liter 1, gallon 3.785, pint 0.473
speed: mph 1.609, kmh kph 1
heat: kelvin k 1, celsius centigrade c 1, fahrenheit f 0.5555555556
money: dollar usd 1, euro eur 2, yen 3, rupee 4, franc 5, cent 0.01
share: percent 1
"""


def _read_units() -> dict[str, tuple[str, float]]:
    units = {}
    for line in re.sub(r"\n\s+", " ", _UNIT_TABLE.strip()).splitlines():
        dimension, _, groups = line.partition(": ")
        for group in groups.split(","):
            *names, size = group.split()
            for name in names:
                units[name] = units[name + "s"] = (dimension, float(size))
    return units


_UNITS = _read_units()
_ZEROS = {"celsius": 273.15, "centigrade": 273.15, "c": 273.15, "fahrenheit": 255.3722, "f": 255.3722}  # in kelvin
_NAMED_WORDS = 20  # of an answer that is read for other first names
_PARTS = {"half": 0.5, "quarter": 0.25, "a": 1.0, "an": 1.0}  # in the place of a number


def other_names(
    columns: dict[str, np.ndarray], answer: SpelledTexts, gold: SpelledTexts, counts: np.ndarray
) -> np.ndarray:
    """1 where an answer has the last of a gold answer's names only after other first names; else 0."""
    other = (columns["last_word"] == 1) & (columns["first_word"] == 0) & (columns["gold_words"] >= 2)
    other &= (columns["gold_numbers"] == 0) & (columns["words"] <= _NAMED_WORDS)
    texts = texts_of_rows(gold, counts)
    for row in np.flatnonzero(other).tolist():
        golds = [gold.distinct[text].split() for text in texts(row)]
        full = [names for names in golds if len(names) > 1 and _is_full_name(names)]
        lasts = {last for names in full if len(last := re.sub(r"\W", "", names[-1])) > 2}
        before = [
            _first_name(match[1].split())
            for last in lasts
            for match in re.finditer(
                rf"((?:\b[A-Z][\w'’-]+\.? )*)\b{re.escape(last)}\b", answer.distinct[answer.index[row]]
            )
        ]
        given = {name.casefold() for names in golds for name in names}
        other[row] = bool(before) and all(
            name and all(_are_other_names(one, name.casefold()) for one in given) for name in before
        )
    return other.astype(float)


def _is_full_name(names: list[str]) -> bool:
    first = names[0]
    return (
        len(first) > 2
        and "." not in first
        and first[0].isupper()
        and names[-1][:1].isupper()
        and first.casefold() not in _TITLES
    )


def _first_name(names: list[str]) -> str:
    """The first of the names that is not a title; empty without one."""
    names = [name for name in names if name.casefold().rstrip(".") not in _TITLES]
    return next((name for name in names if len(name) > 2 and "." not in name), names[0] if names else "")


def _are_other_names(one: str, other: str) -> bool:
    """Whether first names differ: by their first letter, or long ones by more than a spelling ("Alfred", "Albert")."""
    if one[:1] != other[:1]:
        return True
    if one.startswith(other) or other.startswith(one):
        return False
    return min(len(one), len(other)) > 5 and SequenceMatcher(None, one, other).ratio() < 0.6


_TITLES = frozenset(
    "it was by justice president emperor saint uncle aunt professor doctor sir king queen dr mr mrs ms lord saint senator general captain dame pope the".split()
)


def capital_share(text: str) -> float:
    """Share of the words that begin with a capital: names."""
    words = text.split()
    return len([word for word in words if word[0].isupper()]) / max(len(words), 1)


def acronyms_found(answer: SpelledTexts, gold: SpelledTexts, counts: np.ndarray) -> np.ndarray:
    """Whether the answer has the initials of a gold answer as a word, or the words of a gold answer that is initials."""
    answers, golds = np.repeat(answer.index, counts), gold.index
    whole = {
        place: [bare]
        for place, text in enumerate(gold.distinct)
        if text.isupper() and _UPPER.fullmatch(bare := text.replace(".", ""))
    }
    upper = {
        place: words
        for place in _capitals_in_a_row(answer.joined)
        if (words := _UPPER.findall(answer.distinct[place].replace(".", "")))
    }
    found, initials = np.zeros(len(golds), bool), cache(_name_initials)
    for acronyms, short, long, texts in ((upper, answers, golds, gold), (whole, golds, answers, answer)):
        asked = np.flatnonzero(np.isin(short, list(acronyms))) if acronyms else np.zeros(0, np.int64)
        for place, one, other in zip(asked.tolist(), short[asked].tolist(), long[asked].tolist(), strict=True):
            text = texts.distinct[other]
            likely = any(letters[0] in text and letters[1] in text for letters in acronyms[one])
            found[place] = likely and not initials(text).isdisjoint(acronyms[one])
    return found


def _capitals_in_a_row(texts: JoinedTexts) -> list[int]:
    """Which of the texts have a capital of ASCII before another one, or before a full stop and a capital or full stop."""
    is_capital, is_stop = texts.signs - np.uint8(ord("A")) < 26, texts.signs == ord(".")
    behind = is_capital | is_stop
    return texts.texts_at(np.flatnonzero(is_capital[:-2] & (is_capital[1:-1] | is_stop[1:-1] & behind[2:])))


_UPPER = re.compile(r"[A-Z](?=[A-Z])(?<!\w.)[A-Z]{1,5}\b")
_CAPITALS = re.compile(r"\b([A-Z])[a-z]+")
_NAME_PARTS = re.compile(r"(?:\b[A-Z][a-z]+(?: (?:of|the|and|for)(?: the)?)? ?){2,6}")


def _name_initials(text: str) -> set[str]:
    """The initials of each name of several words in a text."""
    if " " not in text:
        return set()
    return {"".join(_CAPITALS.findall(name)) for name in _NAME_PARTS.findall(text[:_SPELLED_CHARACTERS])}


class _Quantity(NamedTuple):
    value: float  # the number that stands beside the unit
    dimension: str
    amount: float  # in the smallest unit of the table
    numbered: bool  # whether a number gives the value, not "half" or "an"


def _quantities(
    texts: SpelledTexts, words: Words, units: np.ndarray, some: np.ndarray | slice = ALL
) -> dict[int, list[_Quantity]]:
    """The quantities of each of some distinct texts that has any; `units`: which words are units."""
    names = words.names
    found: dict[int, list[_Quantity]] = {}
    for place, row in texts.places_of(units, some):
        first, end = texts.offsets[row : row + 2]
        near = [texts.words[beside] for beside in (place - 1, place - 2, place + 1) if first <= beside < end]
        values = [value for word in near if (value := float(words.values[word])) == value]
        spelled = [_PARTS[names[word]] for word in near[1::-1] if names[word] in _PARTS]
        if values or spelled:
            value = [*values, *spelled][0]
            dimension, size = _UNITS[names[texts.words[place]]]
            amount = value * size + _ZEROS.get(names[texts.words[place]], 0.0)
            found.setdefault(row, []).append(_Quantity(value, dimension, amount, bool(values)))
    for quantities in found.values():
        quantities += [
            _Quantity(one.value, one.dimension, one.amount + other.amount, True)
            for one, other in pairwise(quantities[:50])
            if one.dimension == other.dimension and one.amount > other.amount and one.numbered and other.numbered
        ]
    return found


def unit_state(
    answer: SpelledTexts, gold: SpelledTexts, best: np.ndarray, counts: np.ndarray, words: Words
) -> np.ndarray:
    """1 where the answer has a quantity of a gold answer, in any unit; of the best gold answer's quantities, -2 where it
    has the number of one with another unit, -1 where it has others; else 0.
    """
    units = words.are(_UNITS)
    wanted = _quantities(gold, words, units)
    state = np.zeros(len(counts))
    if not wanted:
        return state
    ends, golds = np.cumsum(counts), texts_of_rows(gold, counts)
    rows = np.unique(np.searchsorted(ends, np.flatnonzero(np.isin(gold.index, list(wanted))), side="right"))
    said = _quantities(answer, words, units, answer.index[rows])
    for row in rows.tolist():
        given, g = said.get(answer.index[row], [])[:200], best[row]
        if not given:
            continue
        if any(_are_equal(one, other) for text in golds(row) for one in wanted.get(text, ()) for other in given):
            state[row] = 1
        elif g in wanted and any(other.numbered for other in given):
            state[row] = -2 if {one.value for one in wanted[g]} & {other.value for other in given} else -1
    return state


def _are_equal(one: _Quantity, other: _Quantity) -> bool:
    near = 0.006 * min(abs(one.amount), abs(other.amount))
    return one.dimension == other.dimension and abs(one.amount - other.amount) <= near


def day_differs(answer: SpelledTexts, best: np.ndarray, gold: SpelledTexts, words: Words) -> np.ndarray:
    """1 where the answer has another day beside the gold answer's month, and never the gold answer's day; else 0."""
    months = words.dates & np.isnan(words.values)
    differs = np.zeros(len(best))

    def days(texts: SpelledTexts, some: np.ndarray | slice = ALL) -> dict[int, dict[int, set[float]]]:
        found: dict[int, dict[int, set[float]]] = {}
        for place, row in texts.places_of(months, some):
            first, end = texts.offsets[row : row + 2]
            near = (
                float(words.values[texts.words[beside]]) for beside in (place - 1, place + 1) if first <= beside < end
            )
            beside = {value for value in near if 1 <= value <= 31}
            if beside:
                found.setdefault(row, {}).setdefault(int(texts.words[place]), set()).update(beside)
        return found

    wanted = days(gold)
    if not wanted:
        return differs
    rows = np.flatnonzero(np.isin(best, list(wanted)))
    said = days(answer, answer.index[rows])
    for row, a, g in zip(rows.tolist(), answer.index[rows].tolist(), best[rows].tolist(), strict=True):
        shared = wanted[g].keys() & said.get(a, {}).keys()
        differs[row] = bool(shared) and all(not wanted[g][month] & said[a][month] for month in shared)
    return differs


_DECADE_PATTERN = re.compile(r"\b(1\d\d|20\d)0['’]?s\b")
_YEAR_PATTERN = re.compile(r"\b(1\d{3}|20\d\d)\b(?!['’]?s\b)")


def decade_only(answer: SpelledTexts, best: np.ndarray, gold: SpelledTexts, words: Words) -> np.ndarray:
    """1 where the answer has the gold answer's year only as a decade, "1950s" for "1950"; else 0."""
    only = np.zeros(len(best))
    numbered = {*np.flatnonzero(gold.has(~np.isnan(words.values))).tolist()}
    found = ((text, _YEAR_PATTERN.findall(gold.distinct[text])) for text in numbered.intersection(best.tolist()))
    years = {text: set(own) for text, own in found if own}
    for row in np.flatnonzero(np.isin(best, list(years))).tolist() if years else ():
        said = answer.distinct[answer.index[row]]
        decades = {f"{decade}0" for decade in _DECADE_PATTERN.findall(said)}
        only[row] = bool(decades & years[best[row]] - set(_YEAR_PATTERN.findall(said))) if decades else False
    return only


_ASCII_BLANKS = bytes(code for code in range(128) if not chr(code).isalnum() and chr(code) != TEXT_END)


def squashed_letters(text: str) -> str:
    """The letters and digits of a text."""
    return _squashed(text).replace(TEXT_END, "")


def _squashed(joined: str) -> str:
    """The letters and digits of several texts with `TEXT_END` between, which is kept."""
    letters = joined.casefold().encode("utf-8", "surrogatepass").translate(None, _ASCII_BLANKS)
    text = letters.decode("utf-8", "surrogatepass")
    for sign in [] if text.isascii() else characters_beyond_ascii(text):
        if not sign.isalnum():
            text = text.replace(sign, "")
    return text


def all_squashed(texts: Sequence[str]) -> list[str]:
    """`squashed_letters` of each text, of all ASCII texts and of all others at once."""
    is_ascii = [*map(str.isascii, texts)]
    squashed = {}
    for kind in (True, False):
        some = [text for text, own in zip(texts, is_ascii, strict=True) if own is kind]
        joined = TEXT_END.join(some)
        if joined.count(TEXT_END) >= len(some) > 0:  # a text has `TEXT_END`
            joined = TEXT_END.join([text.replace(TEXT_END, "") for text in some])
        squashed[kind] = iter(_squashed(joined).split(TEXT_END))
    return [next(squashed[kind]) for kind in is_ascii]


_THREES = [slice(first, first + 3) for first in range(60)]


class Letters(NamedTuple):
    """The letters and digits of the distinct answers and gold answers, without blanks.

    Attributes:
        pairs: the answer and the gold answer of each pair, places of distinct texts.
        inside: bool, of each pair whether the answer has the letters of the gold answer in a row, four at least.
    """

    answers: list[str]
    golds: list[str]
    pairs: list[tuple[int, int]]
    inside: np.ndarray


def letters_of(answer: SpelledTexts, gold: SpelledTexts, counts: np.ndarray) -> Letters:
    """The letters of answers and gold answers; `counts`: (n,) gold answers of each row."""
    answers, golds = all_squashed(answer.distinct), all_squashed(gold.distinct)
    pairs = [*zip(np.repeat(answer.index, counts).tolist(), gold.index.tolist(), strict=True)]
    inside = np.array([len(golds[g]) > 3 and golds[g] in answers[a] for a, g in pairs], bool)
    return Letters(answers, golds, pairs, inside)


def spelled_features(
    letters: Letters, answer: SpelledTexts, gold: SpelledTexts, best: np.ndarray, starts: np.ndarray
) -> dict[str, np.ndarray]:
    """The letters of gold answers, in a row or in threes, in the answers, without blanks; `verbatim`: 1 where the answer is a
    gold answer but for case and the marks at its end.
    """
    answers, golds, pairs, inside = letters
    soft = inside[best].astype(float)
    rows = np.flatnonzero(soft == 0)
    soft[rows] = [threes_inside(golds[g], answers[a]) for a, g in (pairs[pair] for pair in best[rows].tolist())]
    verbatim = [answers[a] == golds[g] and _bare(answer.distinct[a]) == _bare(gold.distinct[g]) for a, g in pairs]
    lengths = np.array([*map(len, golds)])[gold.index[best]]
    alengths = np.array([*map(len, answers)])[answer.index]
    return {
        "squashed": np.add.reduceat(inside.astype(float), starts),
        "squashed_best": inside[best].astype(float),
        "soft_recall": soft,
        "gold_letters": lengths.astype(float),
        "letters_ratio": lengths / np.maximum(alengths, 1),
        "verbatim": np.maximum.reduceat(np.array(verbatim, np.float64), starts),
    }


def threes_inside(letters: str, said: str) -> float:
    """The share of the letters in threes, of at most 60, that are in what is said."""
    threes = {*map(letters.__getitem__, _THREES[: max(1, len(letters) - 2)])}
    return sum(map(said.__contains__, threes)) / len(threes)


def _bare(text: str) -> str:
    return text.strip().rstrip(".!").casefold()


def year_gap(answer: SpelledTexts, best: np.ndarray, gold: SpelledTexts, words: Words, n: int) -> np.ndarray:
    """Years between the gold answer's first year and the nearest of the answer; -1 without."""
    values = words.values
    years = (values >= 1000) & (values <= 2100)
    wanted = {text: values[gold.words[place]] for place, text in reversed(gold.places_of(years))}
    gap = np.full(n, -1.0)
    if not wanted:
        return gap
    rows = np.flatnonzero(np.isin(best, list(wanted)))
    said: dict[int, list[float]] = {}
    for place, text in answer.places_of(years, answer.index[rows]):
        said.setdefault(text, []).append(values[answer.words[place]])
    for row, a, g in zip(rows.tolist(), answer.index[rows].tolist(), best[rows].tolist(), strict=True):
        if a in said:
            gap[row] = min(min(abs(year - wanted[g]) for year in said[a]), 200)
    return gap
