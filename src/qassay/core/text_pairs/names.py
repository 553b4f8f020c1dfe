"""Names: the parts of a gold answer's name beside the names in an answer.

A name is a run of words with capitals, with initials, numbers and particles between. Of a gold name, parts of a name in the
answer are the same (also as an initial, a short form or with other spelling), missing or in excess. A part missing where
another is in excess is a conflict: Michelle Obama is not Barack Obama, while Obama and Barack Hussein Obama may be.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .letters import alike
from .numbers import first_is_digit
from .words import STOP_WORDS, Text

_PARTICLES = frozenset("of the and & de la le von van der den di da del du al bin ibn y st".split())
_TITLES = frozenset(
    "mr mrs ms miss dr sir lord lady king queen president prince princess saint st prof professor".split()
)  # before names
_SENTENCE_ENDS = frozenset(".!?:\n")
_FREQUENT = 70  # weight of a word below which it is frequent
_MOST_PARTS = 7
_SHORT_FORM = 3  # letters of a part that begins another


class NameReading(NamedTuple):
    """The name in an answer that is nearest to a gold name, compared with it.

    Attributes:
        same: parts in both, as a share of the gold parts; -1 if the gold answer is not a name or no name has a part of it.
        missing: parts only in the gold answer.
        excess_before, excess_after: parts only in the answer, before and after the first part that is the same.
        conflict: 1 where parts are missing and others in excess, or initials or numbers differ.
        other_first: 1 where the last parts are the same and the first begin with other letters.
    """

    same: float
    missing: int
    excess_before: int
    excess_after: int
    conflict: int
    other_first: int


NO_NAME = NameReading(-1.0, 0, 0, 0, 0, 0)


def is_name_word(word: str, raw: str) -> bool:
    """Whether a word is written as a part of a name."""
    return raw[0].isupper() and word not in STOP_WORDS


def name_parts(text: Text) -> list[str]:
    """The parts of a text that is a name, [] for other texts.

    Example:
        >>> from .words import read_text
        >>> name_parts(read_text("Dr. Martin Luther King")), name_parts(read_text("a large dog"))
        (['martin', 'luther', 'king'], [])
    """
    if len(text.words) > 2 * _MOST_PARTS:
        return []
    parts: list[str] = []
    for word, raw in zip(text.words, text.raw, strict=True):
        if raw[0].isupper() or first_is_digit(word):
            parts += [] if word in STOP_WORDS or (word in _TITLES and not parts) else [word]
        elif word not in _PARTICLES and word not in STOP_WORDS:
            return []
    return parts if len(parts) <= _MOST_PARTS and any(map(str.isalpha, parts)) else []


def name_runs(text: Text, word_weights: Mapping[str, int] = {}) -> list[tuple[int, list[str]]]:  # noqa: B006 - it is only read
    """The runs of words with capitals in a text, each with the index after it; a frequent word that begins a sentence is not a name,
    unless all words have capitals.

    Example:
        >>> from .words import read_text
        >>> name_runs(read_text("It was George W. Bush, not Laura Bush."))
        [(5, ['george', 'w', 'bush']), (8, ['laura', 'bush'])]
        >>> [name_runs(read_text(text), {"north": 60}) for text in ("North Korea", "North of Korea")]
        [[(2, ['north', 'korea'])], [(3, ['korea'])]]
    """
    runs: list[tuple[int, list[str]]] = []
    run: list[str] = []
    is_title = all(raw[0].isupper() or not raw[0].isalpha() for raw in text.raw)
    for index, (word, raw, mark) in enumerate(zip(text.words, text.raw, text.marks, strict=False)):
        starts = index == 0 or not _SENTENCE_ENDS.isdisjoint(mark)
        joined = not mark or mark in "-'\"" or (mark == "." and run and len(run[-1]) == 1)
        is_part = is_name_word(word, raw) or (run and first_is_digit(word))
        if is_part and starts and not is_title and word_weights.get(word, 100) < _FREQUENT:
            is_part = False
        if run and not (joined and (is_part or word in _PARTICLES)):
            runs.append((index, run))
            run = []
        if is_part and (run or word not in _TITLES):
            run.append(word)
    return [*runs, (len(text.words), run)] if run else runs


def read_names(gold: Text, answer: Text, runs: list[tuple[int, list[str]]]) -> NameReading:
    """The comparison with the run in an answer that has most of a gold name, given the `name_runs` of the answer.

    Example:
        >>> from .words import read_text
        >>> def read(gold, answer): return tuple(read_names(read_text(gold), read_text(answer), name_runs(read_text(answer))))
        >>> read("Barack Obama", "It was Michelle Obama."), read("Obama", "Barack Obama")
        ((0.5, 1, 1, 0, 1, 1), (1.0, 0, 1, 0, 0, 0))
        >>> read("George H. W. Bush", "George W. Bush"), read("J. K. Rowling", "Joanne Rowling")
        ((0.75, 1, 0, 0, 1, 0), (0.6666666666666666, 1, 0, 0, 0, 0))
    """
    parts = name_parts(gold)
    if not parts or answer.lower:
        return NO_NAME
    found = [_compare(parts, run) for _, run in runs]
    return max(found, key=lambda one: (one.same, -one.conflict, -one.excess_before - one.excess_after), default=NO_NAME)


def _compare(parts: list[str], run: list[str]) -> NameReading:
    left, same, first = list(run), 0, len(run)
    missing = []
    initials = "".join([part[0] for part in parts[:-1]])
    if len(initials) > 1 and initials in run:  # JFK
        left = [letter for word in run for letter in (word if word == initials else [word])]
        run = left[:]
    for part in parts:
        match = next((word for word in left if word == part), None)
        match = match or next((word for word in left if _is_form(part, word)), None)
        if match is None:
            missing.append(part)
        else:
            first = min(first, run.index(match))
            left.remove(match)
            same += 1
    if not same:
        return NO_NAME
    before = sum(word in left for word in run[:first])
    middle = [[word for word in words[1:-1] if len(word) == 1] for words in (parts, run)]
    conflict = bool(missing and left) or (all(middle) and middle[0] != middle[1])
    whole = len(parts) > 1 and len(run) > 1 and parts[-1] == run[-1]
    other_first = whole and parts[0] in missing and run[0] in left and parts[0][0] != run[0][0]
    return NameReading(same / len(parts), len(missing), before, len(left) - before, int(conflict), int(other_first))


def _is_form(part: str, word: str) -> bool:
    """Whether two parts of names may be forms of one: an initial, a beginning, or another spelling."""
    shorter, longer = sorted((part, word), key=len)
    if first_is_digit(part) or first_is_digit(word):
        return False
    return longer.startswith(shorter) and len(shorter) in (1, *range(_SHORT_FORM, 20)) or alike(part, word) >= 0.7
