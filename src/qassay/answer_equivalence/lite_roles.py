"""Right words in another role: names that change places, the opposite word, another entity named first, no decision."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .lite_names import COUNTRIES
from .lite_opposites import OPPOSITES, exclude_each_other
from .lite_spelling import threes_inside
from .lite_texts import MARK_WORDS, SIGN_WORDS
from .lite_words import OTHER_WORD, SpelledTexts, Words, shared_letters, texts_of_rows

_ROLE_WORDS = frozenset("the a an and or of in at on vs versus".split())  # may stay where they are in any order
_HELPING = frozenset(
    "is was are were be been did does do has have had will would can could might may should s the first played".split()
)
_MOST_LETTERS = 0.76  # of the longer of two words, from which on they are forms of one
_SHORT_UNLIKE = 8  # words of an answer
_SHORT_OPPOSITE = 15  # words of an answer that is read for opposites
_SHARED = 0.3  # of the letters in threes of a gold answer or word, from which it may be in the answer in another form
_NAME_LETTERS = 4  # of a name that is sought inside other words
_LIGHT_ROLE = 0.3  # weight up to which a word may move
# A word before a name, and a part of the names from which it makes another place; "": of any name.
_WORD_BEFORE = {"new": "", "west": "virginia", "equatorial": "guinea"}
_LONG_NAMES = 40  # words of an answer that is read for another last name
_LONG_ROLES = 60  # words of an answer that is read for names that change places
_UNDECIDED_PATTERN = re.compile(
    r"\b(?:(?:unable|impossible|hard|difficult) to (?:say|tell|decide) which|(?:can(?:no|')t|cannot|could not|couldn't|do not|don't)"
    r" (?:say|tell|decide|know|remember|recall) which|not (?:sure|certain) which|one of (?:these|those|them) (?:should|must|will|may|might)"
    r"|any of (?:these|those|them) (?:could|may|might)|could be (?:any|either)|possible answers:|candidates:|take your pick|torn between)",
    re.IGNORECASE,
)
_THEM, _SHOULD, _COULD = (
    ("these", "those", "them"),
    ("should", "must", "will", "may", "might"),
    ("could", "may", "might"),
)
_UNDECIDED_PARTS = (
    *(f"{verb} which" for verb in ("say", "tell", "decide", "know", "remember", "recall", "sure", "certain")),
    *(f"one of {them} {may}" for them in _THEM for may in _SHOULD),
    *(f"any of {them} {may}" for them in _THEM for may in _COULD),
    *("could be ", "possible answers:", "candidates:", "take your pick", "torn between"),
)  # one of these is in every text that the pattern matches
_ITEM_PATTERN = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)]) ")
_LEAD_PATTERN = re.compile(
    r"[\s\"'“*_#>-]*([^\n.,;:!?()—–*]{2,40})(?:\.?\*\*|[.!\n]\W+(?=[A-Z])|, (?:since|because|as (?:he|she|it|they)) )"
)
_FIRST_WORD_PATTERN = re.compile(r"[\s\"'“*_#>-]*([^\s.,;:!?()—–*]*)")
_ASKED_LEAD_PATTERN = re.compile(r"[^\n.,;:!?()—–*]{2,40}, (?:who|whom|whose|for whom|to whom|by whom) [^,]*$")
_LEAD_WORD_PATTERN = re.compile(r"[A-Z0-9]|(?:of|the|de|von|van|da|del|der|la|le|di|and|al|bin)$")
_NO_LEAD = frozenset(
    "the a an in on at by for from as since during after before when while where who which what how why if it he she they we i"
    " there this that these those yes no sure well answer final actually however according although though both one some many"
    " most great good hello thanks thank sorry unfortunately based here note so to with and but or not first also today"
    " currently certainly absolutely indeed definitely right correct ok okay happy glad hi welcome let of course".split()
)

_SHORTENED = frozenset("Mrs Prof Gov Gen Rev Sgt Capt Hon Inc".split())
_MUTUAL = frozenset("starred stars married met faced fought joined dated divorced played plays".split())  # verbs
_NO_ASKED_VERBS = _HELPING.union(_MUTUAL, MARK_WORDS)


class Beside(NamedTuple):
    """n rows: answers beside their gold answers and questions.

    Attributes:
        best: (n,) the gold answer of each row that fits best.
        counts: (n,) gold answers of each row.
        columns: the features found so far.
    """

    answer: SpelledTexts
    gold: SpelledTexts
    question: SpelledTexts
    best: np.ndarray
    counts: np.ndarray
    words: Words
    columns: Mapping[str, np.ndarray]

    @property
    def lengths(self) -> np.ndarray:
        """Words of each answer, (n,)."""
        return self.answer.lengths[self.answer.index]

    def number(self, word: str) -> int:
        """The number of a word, -1 where no text has it."""
        return self.words.numbers.get(word, -1)

    def said(self, row: int) -> list[int]:
        return self.answer.tokens(self.answer.index[row]).tolist()

    def texts(self, row: int) -> tuple[str, str]:
        """The answer and the gold answer that fits best."""
        return self.answer.distinct[self.answer.index[row]], self.gold.distinct[self.gold.index[self.best[row]]]

    def wanted(self, row: int) -> list[int]:
        return self.gold.tokens(self.gold.index[self.best[row]]).tolist()

    def has_wanted(self, row: int) -> bool:
        """Whether the words of the gold answer stand in the answer in a row; False where that is not certain."""
        said = self.answer.tokens(self.answer.index[row])
        wanted = self.gold.tokens(self.gold.index[self.best[row]])
        at = said.tobytes().find(wanted.tobytes())
        return at >= 0 and at % said.itemsize == 0


def role_features(rows: Beside, roles: Mapping[str, Callable[[Beside], Any]] | None = None) -> dict[str, np.ndarray]:
    """Features of the rules only, float64 (n,): 1 where it is so, else 0. Each function of `roles` says what one means."""
    n = len(rows.best)
    found = {}
    for name, flagged in (_ROLES if roles is None else roles).items():
        found[name] = np.zeros(n)
        found[name][flagged(rows)] = 1
    return found


def _swapped_rows(rows: Beside) -> list[int]:
    """The words of the gold answer, some of them in each other's place: "Carthage beat Rome"."""
    by, marks = rows.number("by"), set(np.flatnonzero(rows.words.marks).tolist())
    ordered = (rows.columns["recall"] >= 0.9) & (rows.columns["gold_words"] >= 3) & (rows.lengths <= _LONG_ROLES)
    ordered &= (rows.columns["exact_recall"] > 0.999) | (rows.columns["gold_weight"] == 0)  # has all of its words
    likely = (row for row in np.flatnonzero(ordered).tolist() if not rows.has_wanted(row))
    texts = ((row, rows.said(row), rows.wanted(row)) for row in likely)
    return [
        row
        for row, said, wanted in texts
        if (by in said) == (by in wanted) and _are_swapped(said, wanted, marks, rows.words)
    ]


def _opposite_rows(rows: Beside) -> list[int]:
    """A short answer with a word that excludes a word of the gold answer."""
    names, gold, columns = rows.words.names, rows.gold, rows.columns
    opposed = gold.has(rows.words.are(OPPOSITES))
    likely = opposed[gold.index[rows.best]] | (columns["exact_recall"] < 0.999) & (columns["soft_recall"] >= _SHARED)
    found = []
    for row in np.flatnonzero(likely & (rows.lengths <= _SHORT_OPPOSITE)).tolist():
        said, wanted, asked = (
            {names[word] for word in texts}
            for texts in (rows.said(row), rows.wanted(row), rows.question.tokens(rows.question.index[row]))
        )
        # A word of the question is a repetition, unless the question offers both words: "is it legal or illegal?"
        if any(
            exclude_each_other(lost, other) and (other not in asked or lost in asked)
            for lost in wanted - said
            for other in said - wanted
        ):
            found.append(row)
    return found


def _unlike_rows(rows: Beside) -> np.ndarray:
    """A short answer has no word of the gold answer that says much, and of none that says anything a good part of the letters."""
    c, names, grammar = rows.columns, rows.words.names, rows.words.grammar
    unlike = (c["content_words"] > 0) & (c["content_found"] == 0) & (rows.lengths <= _SHORT_UNLIKE)
    for row in np.flatnonzero(unlike & (c["soft_recall"] >= _SHARED)).tolist():
        said = "".join([names[word] for word in rows.said(row)])
        shares = [threes_inside(names[word], said) for word in rows.wanted(row) if not grammar[word]]
        unlike[row] = max(shares, default=1.0) < _SHARED
    return unlike


def _inside_word_rows(rows: Beside) -> list[int]:
    """The gold answer is one name, and a short answer has its letters only as a part of another word: "Tirana" has "Iran"."""
    c = rows.columns
    named = (c["gold_words"] == 1) & (c["gold_capitals"] == 1) & (c["gold_letters"] >= _NAME_LETTERS)
    named &= (c["recall"] <= OTHER_WORD) & (c["squashed_best"] > 0) & (rows.lengths <= _SHORT_OPPOSITE)
    return [row for row in np.flatnonzero(named).tolist() if _is_inside_word(*rows.texts(row))]


def _is_inside_word(answer: str, name: str) -> bool:
    """Whether a name goes on in small letters in a text, or begins as a small letter inside a word.

    "inParis" is not such a word: a blank was lost there.
    """
    letters = re.escape(name.strip())
    goes_on = re.search(rf"\b{letters}[a-z]", answer)
    return bool(goes_on or re.search(rf"[A-Za-z]{letters.lower()}", answer))


def _other_word_rows(rows: Beside) -> list[int]:
    """The gold answer is one name, and a short answer has only a word that begins or sounds like it: "Mozambique" for "Mozart"."""
    c = rows.columns
    named = (c["gold_words"] == 1) & (c["gold_capitals"] == 1) & (c["recall"] > 0) & (c["recall"] <= OTHER_WORD)
    named &= (c["squashed_best"] == 0) & (rows.lengths <= _SHORT_OPPOSITE)
    names, golds = rows.words.names, texts_of_rows(rows.gold, rows.counts)
    return [
        row
        for row in np.flatnonzero(named).tolist()
        if not any(
            _share_most_letters(names[said], names[wanted])
            for text in golds(row)
            for wanted in rows.gold.tokens(text).tolist()
            for said in rows.said(row)
        )
    ]


def _share_most_letters(one: str, other: str) -> bool:
    """Whether the letters with which both words begin are most of both: "Bryophyta" and "bryophytes"."""
    return shared_letters(one, other) >= _MOST_LETTERS * max(len(one), len(other))


def _other_last_name_rows(rows: Beside) -> list[int]:
    """The answer has the first name of the gold answer, a name of two words, before another last name."""
    c = rows.columns
    named = (c["first_word"] == 1) & (c["last_word"] == 0) & (c["attached_after"] > 0.2) & (c["gold_words"] == 2)
    named &= (c["gold_capitals"] == 1) & (c["gold_numbers"] == 0) & (rows.lengths <= _LONG_NAMES)
    return [row for row in np.flatnonzero(named).tolist() if rows.lengths[row] <= 3 or _is_named_on(*rows.texts(row))]


def _is_named_on(answer: str, name: str) -> bool:
    """Whether a capital follows the first word of a name wherever a text has it: "George Washington" for "George Bush"."""
    first = re.escape(name.split()[0])
    return bool(re.search(rf"\b{first} [A-Z]", answer)) and not re.search(rf"\b{first}\b(?! [A-Z])", answer)


def _asked_object_rows(rows: Beside) -> np.ndarray:
    """The gold answer stands as the object of the verb whose subject the question asks for."""
    stems, verbs = rows.words.stems, _asked_verbs(rows.question, rows.words)[rows.question.index]
    some = np.flatnonzero((verbs >= 0) & (rows.columns["recall"] >= 0.9))
    begin = rows.answer.offsets[rows.answer.index[some]]
    place = begin + rows.columns["run_place"][some].astype(np.int64)
    has_by, has_verb = np.zeros((2, len(some)), bool)
    for before in (1, 2):
        inside = np.flatnonzero(place - before >= begin)
        word = rows.answer.words[place[inside] - before]
        has_by[inside] |= word == rows.number("by")
        has_verb[inside] |= stems[word] == stems[verbs[some[inside]]]
    return some[has_verb & ~has_by]


def _other_country_rows(rows: Beside) -> list[int]:
    """A short answer with another country than the gold answer's: "Austria" is not a misspelling of "Australia"."""
    words = rows.words
    country = {place: COUNTRIES[words.names[place]] for place in np.flatnonzero(words.countries).tolist()}
    of_answers = rows.answer.has(words.countries)[rows.answer.index]
    of_golds = rows.gold.has(words.countries)[rows.gold.index[rows.best]]
    golds, found = texts_of_rows(rows.gold, rows.counts), []
    for row in np.flatnonzero(of_answers & of_golds & (rows.lengths <= _SHORT_OPPOSITE)).tolist():
        known = {country.get(word) for text in golds(row) for word in rows.gold.tokens(text).tolist()}
        asked = {country.get(word) for word in rows.question.tokens(rows.question.index[row]).tolist()}
        said = {country.get(word) for word in rows.said(row)} - asked - {None}
        if said and not said & known and not known & asked - {None}:
            found.append(row)
    return found


def _undecided_rows(rows: Beside) -> np.ndarray:
    """The answer says that it does not decide."""
    undecided = np.zeros(len(rows.answer.distinct), bool)
    for text in rows.answer.joined.texts_with(_UNDECIDED_PARTS, any_case=True):
        undecided[text] = _UNDECIDED_PATTERN.search(rows.answer.distinct[text]) is not None
    return undecided[rows.answer.index]


def _lead_rows(rows: Beside) -> list[int]:
    """The answer begins with another name, and the gold answer comes later."""
    golds, place = texts_of_rows(rows.gold, rows.counts), rows.columns["place"]
    later = (rows.columns["recall"] >= 0.4) & (place > 0)
    texts = dict.fromkeys(rows.answer.index[later].tolist())
    leads = {text: lead for text in texts if (lead := _lead_words(rows.answer.distinct[text]))}
    found = []
    for row in np.flatnonzero(later & np.isin(rows.answer.index, list(leads))).tolist() if leads else ():
        lead = leads[rows.answer.index[row]]
        known = {word for text in golds(row) for word in rows.gold.tokens(text).tolist()}
        weighty = {word for word in rows.said(row)[: len(lead)] if rows.words.weights[word] > 0.5}
        if place[row] >= len(lead) and weighty and not weighty & known:
            found.append(row)
    return found


def _new_place_rows(rows: Beside) -> list[int]:
    """The gold answer is a name, and the answer has another one with a word before it: "New Mexico", "West Virginia"."""
    first = rows.columns["run_place"]
    named = (rows.columns["attached_before"] > 0) & (rows.columns["gold_capitals"] == 1) & (first > 0)
    found = []
    for row in np.flatnonzero(named & (rows.columns["recall"] >= 0.9)).tolist():
        word = rows.words.names[rows.said(row)[int(first[row]) - 1]]
        if word not in _WORD_BEFORE or f"{word.capitalize()} " not in rows.answer.distinct[rows.answer.index[row]]:
            continue
        if _WORD_BEFORE[word] in ("", *(rows.words.names[part] for part in rows.wanted(row))):
            found.append(row)
    return found


def _other_sign_rows(rows: Beside) -> np.ndarray:
    """One of both, the short answer and the gold answer, has a minus or the sign of a name such as "C++"."""
    other = np.zeros(len(rows.best), bool)
    for sign in filter(rows.words.numbers.__contains__, SIGN_WORDS):
        said, wanted = (texts.has(rows.words.are([sign])) for texts in (rows.answer, rows.gold))
        other |= said[rows.answer.index] != wanted[rows.gold.index[rows.best]]
    return other & (rows.lengths <= _SHORT_OPPOSITE)


def _bare_list_rows(rows: Beside) -> np.ndarray:
    """The answer is a list of several short lines and nothing else."""
    return np.array([*map(_is_bare_list, rows.answer.distinct)], bool)[rows.answer.index]


_ROLES: dict[str, Callable[[Beside], Any]] = {  # places or flags of rows
    "swapped": _swapped_rows,
    "opposite": _opposite_rows,
    "unlike": _unlike_rows,
    "inside_word": _inside_word_rows,
    "other_word": _other_word_rows,
    "other_last_name": _other_last_name_rows,
    "asked_object": _asked_object_rows,
    "other_country": _other_country_rows,
    "undecided": _undecided_rows,
    "lead_other": _lead_rows,
    "new_place": _new_place_rows,
    "other_sign": _other_sign_rows,
    "bare_list": _bare_list_rows,
}


def _is_bare_list(text: str) -> bool:
    if "\n" not in text:
        return False
    lines = text.strip().split("\n")
    return len(lines) > 1 and all(map(_ITEM_PATTERN.match, lines)) and len(text.split()) <= 4 * len(lines)


def _asked_verbs(question: SpelledTexts, words: Words) -> np.ndarray:
    """The verb after the first "who" of each distinct question, which asks for its subject; -1 where there is none."""
    verbs = np.full(len(question.lengths), -1)
    if "who" in words.numbers:
        places = np.flatnonzero(question.words == words.numbers["who"])
        texts, first = np.unique(question.text_of[places], return_index=True)
        for text, after in zip(texts.tolist(), (places[first] + 1).tolist(), strict=True):
            if after < question.offsets[text + 1] and words.names[question.words[after]] not in _NO_ASKED_VERBS:
                verbs[text] = question.words[after]
    return verbs


def _lead_words(text: str) -> list[str]:
    """The words of a name that an answer begins with, before its first mark; empty where it begins otherwise."""
    first = _FIRST_WORD_PATTERN.match(text)[1]  # type: ignore[index]
    if not first[:1].isupper() or first.casefold().strip("'\"’") in _NO_LEAD:
        return []
    match = _LEAD_PATTERN.match(text)
    if match and len(text) - match.end() >= 15:
        words = match[1].split()
    elif _ASKED_LEAD_PATTERN.match(text):
        words = text.partition(",")[0].split()
    else:
        return []
    if (
        len(words[-1]) < 3
        and words[-1].isalpha()
        or words[-1] in _SHORTENED
        or len(words) > 5
        or not words[0][0].isupper()
        or not all(map(_LEAD_WORD_PATTERN.match, words))
    ):
        return []
    return words


def _are_swapped(said: list[int], wanted: list[int], marks: set[int], words: Words) -> bool:
    """Whether the gold answer's words are in the answer in a row, but some that matter in each other's place."""
    gold = [word for word in wanted if word not in marks]
    listed = len(gold) < len(wanted) or any(words.joins[word] for word in gold)
    line = [word for word in said if word not in marks]
    size = len(gold)
    distinct = {*gold}
    starts = [place for place, word in enumerate(line) if word == gold[0]] if distinct.issubset(line) else []
    if not starts or any(line[place : place + size] == gold for place in starts):
        return False
    sorted_gold = sorted(gold)
    for window in (line[first : first + size] for first in range(len(line) - size + 1)):
        if not distinct.issuperset((window[0], window[-1])) or sorted(window) != sorted_gold:
            continue
        moved = [word for word, other in zip(gold, window, strict=True) if word != other]
        kept = [word for word, other in zip(gold, window, strict=True) if word == other]
        weighty = sum(words.weights[word] > _LIGHT_ROLE for word in moved) > 1
        anchored = weighty and any(
            words.names[word] not in _ROLE_WORDS and (not listed or words.values[word] == words.values[word])
            for word in kept
        )
        if anchored and not any(words.dates[word] for word in moved):
            return True
    return False
