"""Answers made from gold answers for training: wrong answers with the right words, and odd forms of right answers.

The words around a gold answer (made_answers.json) decide: a negation, other guesses, a doubt; or another number, name or unit.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from qassay.core.text_pairs.letters import alike, sound
from qassay.core.text_pairs.words import stem

# Of rejected and accepted: kind -> texts with blanks: {g} the gold answer, {o} {p} {r} {s} {t} other answers, {q} the question.
_DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_UNITS = _DATA["units"]
_SAME_UNITS = _DATA["same_units"]
_SWAPPED = _DATA["swapped"]
_MOST_ITEMS = 6
_DIGITS = re.compile(r"\d+")


class Cases(NamedTuple):
    """n made answers."""

    questions: list[str]
    golds: list[list[str]]
    answers: list[str]
    accepted: np.ndarray


def made_cases(questions: Sequence[str], golds: Sequence[Sequence[str]], per_question: int = 4) -> Cases:
    """Deterministic answers for distinct questions: some of each kind for every question.

    Args:
        questions: q questions.
        golds: their gold answers.
        per_question: number of answers with words around the gold answer per question.
    """
    rng = np.random.default_rng(21)
    like = _alike(questions, golds)
    vocabulary = _vocabulary(golds)
    found: list[tuple[str, list[str], str, float]] = []

    def pick(texts: Sequence[str]) -> str:
        return texts[int(rng.integers(len(texts)))]

    kinds = [
        (templates, verdict)
        for name, verdict in (("rejected", 0.0), ("accepted", 1.0))
        for templates in _DATA[name].values()
    ]
    for number, (question, texts) in enumerate(zip(questions, golds, strict=True)):
        texts = [text for text in texts if 0 < len(text.split()) <= 8]
        if not texts or _has_doubt(" ".join(texts)):
            continue
        gold = pick(texts)
        others = [other for other in (pick(like[number]) for _ in range(12)) if _apart(other, texts)]
        if len(others) < 5:
            continue
        blanks = dict(zip("oprst", others, strict=False), g=gold, q=question)
        order = rng.permutation(len(kinds))[:per_question]
        for place in order:
            templates, verdict = kinds[place]
            answer = pick(templates).format(**blanks)
            found.append((question, list(texts), answer if rng.random() < 0.8 else answer.lower(), verdict))
        found += _roles(question, texts, gold, rng)
        found += _name_forms(question, texts, gold, rng)
        near = _near_word(gold, vocabulary, rng) if number % 2 else ""
        if near and _form(near) not in map(_form, texts):
            found.append((question, list(texts), near, 0.0))
        for make in (_other_number, _other_name, _other_word):
            answer = make(gold, others, rng)
            if answer and (make is _other_word or _apart(answer, texts)):
                found.append((question, list(texts), answer if rng.random() < 0.5 else f"It was {answer}.", 0.0))
        different = _distinct(texts)
        if 2 < len(different) == len(texts) <= _MOST_ITEMS:  # more are names of one thing
            order = [different[place] for place in rng.permutation(len(different))]
            found.append((question, list(texts), ", ".join(order), 1.0))
        odd = _misspelled(gold, rng)
        if odd:
            found.append((question, list(texts), odd if rng.random() < 0.5 else f"It was {odd}.", 1.0))
        if number % 8 == 0:
            found += _units(rng)
        if number % 5 == 0:
            found += made_values(question, rng)
        if number % 4 == 0:
            found += _lists(others, rng)
            found += _yes_or_no(others, rng)
        if number % 3 == 0:
            found += _swapped(others, rng)
    columns = ([row[column] for row in found] for column in range(3))
    return Cases(*columns, np.array([row[3] for row in found]))


def _distinct(texts: Sequence[str]) -> list[str]:
    """Gold answers without common words: items of a list, not names of one thing."""
    kept: list[str] = []
    for text in texts:
        if _apart(text, kept):
            kept.append(text)
    return kept


def _misspelled(gold: str, rng: np.random.Generator) -> str:
    """A gold answer with a letter deleted, doubled or replaced in a word of at least six letters."""
    long = [word for word in gold.split() if len(word) > 5 and word.isalpha()]
    if not long:
        return ""
    word = long[int(rng.integers(len(long)))]
    place = int(rng.integers(1, len(word) - 1))
    other = "aeiou"[int(rng.integers(5))] if word[place] in "aeiou" else word[place - 1]
    middle = ("", word[place] * 2, other, word[place + 1] + word[place])[int(rng.integers(4))]
    skipped = place + 2 if len(middle) == 2 and middle[1] == word[place] != middle[0] else place + 1
    changed = word[:place] + middle + word[skipped:]
    return "" if changed == word else gold.replace(word, changed)


def _alike(questions: Sequence[str], golds: Sequence[Sequence[str]]) -> list[list[str]]:
    """For each question, gold answers of questions with the same first word and answers of the same form."""

    def form(question: str, gold: str) -> tuple:
        return question.split()[0].casefold() if question else "", bool(_DIGITS.search(gold)), gold[:1].isupper()

    by_form: dict[tuple, list[str]] = {}
    keys = [form(question, texts[0]) for question, texts in zip(questions, golds, strict=True)]
    for key, texts in zip(keys, golds, strict=True):
        if len(texts[0].split()) <= 5:
            by_form.setdefault(key, []).append(texts[0])
    return [by_form.get(key, [""]) for key in keys]


def _apart(other: str, texts: Sequence[str]) -> bool:
    """Whether a text shares no word with the gold answers that matters."""
    words = {word for text in texts for word in re.findall(r"\w+", text.casefold()) if len(word) > 2 or word.isdigit()}
    return (
        bool(other)
        and _form(other) not in map(_form, texts)
        and (bool(_DIGITS.search(other)) or not words & set(re.findall(r"\w+", other.casefold())))
    )


def _form(text: str) -> str:
    return "".join(re.findall(r"\w+", text.casefold()))


def _has_doubt(text: str) -> bool:
    return bool(set(re.findall(r"\w+", text.casefold())) & {"or", "not", "no", "never", "none", "and"})


def _other_number(gold: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """A gold answer with another number or month."""
    months = "January February March April May June July August September October November December".split()
    named = [month for month in months if month in gold]
    if named and rng.random() < 0.4:
        return gold.replace(named[0], months[(months.index(named[0]) + int(rng.integers(1, 12))) % 12])
    found = _DIGITS.findall(gold)
    if not found:
        return ""
    digits = found[int(rng.integers(len(found)))]
    if len(digits) > 1 and rng.random() < 0.3:
        changed = digits[:-2] + digits[-1] + digits[-2]
    else:
        changed = str(max(0, int(digits) + int(rng.integers(1, 12)) * (1 if rng.random() < 0.5 else -1)))
    return "" if changed == digits else gold.replace(digits, changed, 1)


def _other_name(gold: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """A gold answer with another first name, another last name, or an additional name."""
    words, names = (
        gold.split(),
        [other.split() for other in others if other[:1].isupper() and not _DIGITS.search(other)],
    )
    if not names or not gold[:1].isupper() or _DIGITS.search(gold) or not all(word[:1].isupper() for word in words):
        return ""
    other = names[0]
    if len(words) == 1:
        return f"{other[0]} {gold}" if rng.random() < 0.5 else f"{gold} {other[-1]}"
    if len(words) in (2, 3):
        return " ".join([other[0], words[-1]] if rng.random() < 0.7 else [words[0], other[-1]])
    return ""


def _other_word(gold: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """A gold answer of several words without names, with its longest word replaced."""
    words = gold.split()
    if not 3 <= len(words) <= 8 or any(word[:1].isupper() or _DIGITS.search(word) for word in words[1:]):
        return ""
    new = next(
        (word for other in others for word in other.split() if word.islower() and len(word) > 3 and word not in words),
        "",
    )
    longest = max(range(len(words)), key=lambda place: len(words[place]))
    return " ".join([*words[:longest], new, *words[longest + 1 :]]) if new else ""


def _vocabulary(golds: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """The long words of gold answers by their first three letters."""
    words = sorted({word for texts in golds for text in texts for word in re.findall(r"[^\W\d_]{5,}", text)})
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[:3].casefold(), []).append(word)
    return found


def _near_word(gold: str, vocabulary: dict[str, list[str]], rng: np.random.Generator) -> str:
    """A gold answer with its longest word replaced by another one that begins alike and sounds otherwise."""
    words = re.findall(r"[^\W\d_]{5,}", gold)
    if not words or len(gold.split()) > 3:
        return ""
    word = max(words, key=len)
    near = [
        other
        for other in vocabulary.get(word[:3].casefold(), ())
        if sound(other.casefold()) != sound(word.casefold())
        and stem(other.casefold())[:5] != stem(word.casefold())[:5]
        and alike(other.casefold(), word.casefold()) >= 0.6
    ]
    return gold.replace(word, near[int(rng.integers(len(near)))]) if near else ""


def _roles(
    question: str, golds: list[str], gold: str, rng: np.random.Generator
) -> list[tuple[str, list[str], str, float]]:
    """For "who wrote X": gold wrote X, X was written by gold, and, wrong, X wrote gold."""
    words = question.rstrip(" ?").split()
    if len(words) < 3 or len(words) > 12 or words[0].casefold() != "who" or words[1].casefold() in _HELPERS:
        return []
    verb, rest = words[1], " ".join(words[2:])
    forms = [
        (f"{rest} {verb} {gold}", 0.0),
        (f"It was {rest} who {verb} {gold}.", 0.0),
        (f"{gold} {verb} {rest}", 1.0),
        (f"{rest} was {verb} by {gold}.", 1.0),
    ]
    return [(question, list(golds), *forms[int(place)]) for place in rng.permutation(len(forms))[:2]]


_HELPERS = frozenset("is was are were did does do has had have will can would s".split())


def _name_forms(
    question: str, golds: list[str], gold: str, rng: np.random.Generator
) -> list[tuple[str, list[str], str, float]]:
    """Of a person's name the last part and initials; of other names in capitals the acronym."""
    words = gold.split()
    if not 2 <= len(words) <= 6 or not all(word.isalpha() for word in words):
        return []
    if question.casefold().startswith("who ") and 2 < len(words) < 5 and words[0].istitle() and words[-2] in _PARTICLES:
        first = next(place for place, word in enumerate(words) if word in _PARTICLES)
        return [(_SHORT_WHO[int(rng.integers(5))], [gold], " ".join(words[first:]), 1.0)]
    if not all(word[:1].isupper() for word in words):
        return []
    if question.casefold().startswith("who ") and len(words) < 4:
        question = question if rng.random() < 0.6 else _SHORT_WHO[int(rng.integers(5))]
        initials = " ".join([f"{word[0]}." for word in words[:-1]])
        wrong = " ".join([f"{_other_letter(word[0], rng)}." for word in words[:-1]])
        forms = [
            (words[-1], 1.0),
            (f"It was {words[-1]}.", 1.0),
            (f"{initials} {words[-1]}", 1.0),
            (f"{wrong} {words[-1]}", 0.0),
        ]
        if len(words) == 2:
            one, other = (_other_letter("", rng) for _ in range(2))
            long = [f"{words[0]} {one}. {words[1]}"]
            found = [
                (question, long, f"{words[0]} {other}. {words[1]}", float(one == other)),
                (question, long, gold, 1.0),
            ]
            return [(question, list(golds), *forms[int(rng.integers(4))]), found[int(rng.integers(2))]]
        return [(question, list(golds), *forms[int(rng.integers(4))])]
    if len(words) > 2:
        short = "".join([word[0] for word in words])
        other = short[:-1] + _other_letter(short[-1], rng)
        return [(question, [gold], short, 1.0), (question, [short], gold, 1.0), (question, [gold], other, 0.0)]
    return []


_PARTICLES = ("van", "von", "de", "da", "di", "der", "den", "del", "la")
_SHORT_WHO = ("who?", "who was it", "who was that?", "who did it", "who is meant?")


def _other_letter(letter: str, rng: np.random.Generator) -> str:
    return [one for one in "ABCDEFGHJKLMNOPRSTW" if one != letter][int(rng.integers(18))]


_CONVERSIONS = _DATA["conversions"]
_COINS = "USD EUR GBP JPY CHF INR KRW BRL ZAR TRY SEK NOK PLN MXN".split()
_SMALL = "two three four five six seven eight nine ten eleven twelve".split()
_MONTH_NAMES = "January February March April May June July August September October November December".split()


def made_values(question: str, rng: np.random.Generator) -> list[tuple[str, list[str], str, float]]:
    """Right and wrong numbers, units, money, dates, scores and codes."""

    def whole(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    def apart(value: int, low: int = 1) -> int:
        return max(low, value + (1 if rng.random() < 0.5 else -1) * whole(1, max(3, value // 5)))

    def framed(text: str) -> str:
        return (text, f"It is {text}.", f"{question} {text}", f"about {text}", f"The answer is {text}, I think.")[
            whole(0, 5)
        ]

    one, other, factor = _CONVERSIONS[whole(0, len(_CONVERSIONS))]
    count = whole(2, 40)
    same, wrong = count * factor, apart(count, 1) * factor
    text, false = (f"{value:,.0f}" if float(value).is_integer() else f"{value:.1f}" for value in (same, wrong))
    coin, money = _COINS[whole(0, len(_COINS))], whole(2, 900) * 10 ** whole(0, 4)
    day, month, year = whole(1, 28), whole(0, 12), whole(1500, 2020)
    named = _MONTH_NAMES[month]
    date = f"{day} {named} {year}"
    dates = (
        f"{named} {day}, {year}",
        f"{year}-{month + 1:02}-{day:02}",
        f"{day} {named[:3]} {year}",
        f"{named} {day}th {year}",
    )
    one_score, other_score = sorted((whole(0, 9), whole(9, 15)))
    code = "".join([_other_letter("", rng) for _ in range(3)])
    small = whole(0, len(_SMALL))
    part = (
        (1, 2, "half", "50%"),
        (1, 4, "a quarter", "25 percent"),
        (1, 3, "one third", "33.3%"),
        (3, 4, "three quarters", "75%"),
    )[whole(0, 4)]
    forms = [f"{part[0]}/{part[1]}", part[2], part[3], f"{part[0] / part[1]:.3f}"]
    first, second = (forms[int(n)] for n in rng.permutation(4)[:2])
    rows = [
        (f"{count} {one}", framed(f"{text} {other}"), same == wrong or True),
        (f"{text} {other}", framed(f"{count} {one}"), True),
        (f"{count} {one}", framed(f"{false} {other}"), text == false),
        (f"{count} {one}", framed(f"{text} {one}"), False),
        (f"{coin} {money:,}", framed(f"{coin} {apart(money):,}"), False),
        (f"{coin} {money:,}", framed(f"{money:,} {coin}"), True),
        (f"{coin} {money:,}", framed(f"{_COINS[(whole(1, 14) + _COINS.index(coin)) % 14]} {money:,}"), False),
        (date, framed(dates[whole(0, 4)]), True),
        (date, framed(f"{named} {day % 28 + 1}, {year}"), False),
        (date, framed(str(year)), False),
        (str(year), framed(date), True),
        (str(year), framed(f"the {year // 10 * 10}s"), False),
        (f"{year // 100}00s", framed(f"the {year // 100 + 1}th century"), True),
        (f"the {year // 100 + 1}th century", framed(f"the {year // 100}th century"), False),
        (
            f"{1930 + year % 90}",
            framed(f"'{(1930 + year % 90) % 100:02}"),
            1930 + year % 90 < 2000 or (1930 + year % 90) % 100 <= 30,
        ),
        (f"{other_score}-{one_score}", framed(f"{one_score}-{other_score}"), one_score == other_score),
        (f"{other_score}-{one_score}", framed(f"{other_score} to {one_score}"), True),
        (f"{code} {money}", framed(f"{code} {apart(money)}"), False),
        (_SMALL[small], framed(str(small + 2)), True),
        (_SMALL[small], framed(str(small + 3)), False),
        (f"{small + 2} {one}", framed(f"{_SMALL[small]} {one}"), True),
        (first, framed(second), True),
        (first, framed(f"{part[0]}/{part[1] + 1}"), False),
    ]
    return [
        (question, [gold], answer, float(right))
        for gold, answer, right in (rows[int(n)] for n in rng.permutation(len(rows))[:6])
    ]


def _lists(others: Sequence[str], rng: np.random.Generator) -> list[tuple[str, list[str], str, float]]:
    """Gold answers of several items: all of them in another order, and a part of them."""
    items = [other for other in dict.fromkeys(others) if "," not in other and len(other.split()) < 4]
    if len(items) < 5:
        return []
    count = int(rng.integers(2, 4))
    right, wrong = items[:count], items[count]
    question = ("which are they", "who were the members", "what does it have")[int(rng.integers(3))]

    def told(texts: Sequence[str]) -> str:
        return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]

    turned = [right[int(n)] for n in rng.permutation(count)]
    rows = [
        (told(turned), 1.0),
        ("\n".join(f"- {text}" for text in turned), 1.0),
        (f"They are {told(turned)}.", 1.0),
        (told(turned[:-1]), 0.0),
        (f"They were {told(turned[:-1])}.", 0.0),
        (told([*turned[:-1], wrong]), 0.0),
    ]
    return [(question, [told(right)], *rows[int(n)]) for n in rng.permutation(len(rows))[:3]]


def _yes_or_no(others: Sequence[str], rng: np.random.Generator) -> list[tuple[str, list[str], str, float]]:
    """Answers to questions that ask for yes or no."""
    verb = ("did", "does", "is", "was", "can", "has")[int(rng.integers(6))]
    question = (
        f"{verb} {others[0]} {('play for', 'belong to', 'come from', 'look like')[int(rng.integers(4))]} {others[1]}?"
    )
    yes = ("yes", "Yes.", "true", "Yes, indeed.", f"He {verb}.", f"It certainly {verb}.", "That is correct.")
    no = ("no", "No.", "false", f"It {verb} not.", f"No, {others[0]} {verb} not.", "That is not the case.", "never")
    gold, right, wrong = (("yes", yes, no), ("True", yes, no), ("no", no, yes), ("False", no, yes))[
        int(rng.integers(4))
    ]
    return [(question, [gold], right[int(rng.integers(7))], 1.0), (question, [gold], wrong[int(rng.integers(7))], 0.0)]


def _units(rng: np.random.Generator) -> list[tuple[str, list[str], str, float]]:
    group = _UNITS[int(rng.integers(len(_UNITS)))]
    one, other = (group[place] for place in rng.permutation(len(group))[:2])
    value = int(rng.integers(2, 900))
    same = _SAME_UNITS[int(rng.integers(len(_SAME_UNITS)))]
    question = ("how much is it", "how long is it", "what is the number", "how big is the house")[int(rng.integers(4))]
    return [
        (question, [f"{value} {one}"], f"{value} {other}", 0.0),
        (question, [f"{value} {one}"], f"It is {value} {other}.", 0.0),
        (question, [f"{value} {one}"], f"about {value} {one}", 1.0),
        (question, [f"{value} {same[0]}"], f"{value} {same[1]}", 1.0),
        (question, [f"{value} {same[1]}"], f"It is {value} {same[0]}.", 1.0),
    ]


def _swapped(others: Sequence[str], rng: np.random.Generator) -> list[tuple[str, list[str], str, float]]:
    names = [other for other in others if not _DIGITS.search(other) and 0 < len(other.split()) <= 3]
    if len(names) < 2 or _form(names[0]) == _form(names[1]):
        return []
    text = _SWAPPED[int(rng.integers(len(_SWAPPED)))]
    right, wrong = text.format(a=names[0], b=names[1]), text.format(a=names[1], b=names[0])
    question = ("what happened", "who did it to whom", "which way round is it")[int(rng.integers(3))]
    return [
        (question, [right], wrong, 0.0),
        (question, [right], f"It is said that {wrong}.", 0.0),
        (question, [right], right, 1.0),
        (question, [right], f"It is so that {right}.", 1.0),
    ]
