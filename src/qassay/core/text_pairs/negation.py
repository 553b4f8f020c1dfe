"""Negation and contrast: which words of a text it denies, whether it hedges, and whether it says yes or no.

A clause ends at punctuation or before a word of contrast. "not X", "never X" and "neither X nor Y" deny the rest of the clause;
after a verb ("X is not it"), or with a word such as "wrong" or "doubt", the whole clause is denied; a clause that denies only
"that" or "it" denies the clause before it.
"""

from collections.abc import Collection, Iterator

from .numbers import first_is_digit
from .words import Text

_NEGATORS = frozenset(
    """not never no none neither nor without unlike hardly except nobody nothing dont isnt wasnt doesnt didnt cant cannot
    nicht kein keine keiner keinen nie ne pas jamais nunca 不 没 非""".split()
)
_FALSE = frozenset(
    "false wrong incorrect mistaken mistake error myth misconception doubt doubtful doubts untrue unlikely fiction falsch faux falso".split()
)
_VERBS = frozenset(
    "is was are were be been do does did has have had can could will would should am isnt wasnt doesnt didnt cant wo ist war est era es fue".split()
)
_CONTRAST = frozenset("but rather instead however although though whereas actually sondern aber mais sino pero".split())
_SUBORDINATE = frozenset(
    "until till unless because which who whose when while since where so if weil obwohl bis que porque".split()
)
_SPLITS = _CONTRAST | _SUBORDINATE
_CLAUSE_ENDS = frozenset(",.;:!?()[]\n—–。，；：！？、")
_TURNS = _CONTRAST | frozenset("correction correct wait oops recount sorry scratch mean hmm final second".split())
_STILL_TRUE = frozenset(
    "no doubt,without doubt,no question,without question,not only,not just,not least,none other,no other,not wrong,not sure,not certain".split(
        ","
    )
)
_ANAPHORS = frozenset("that this it which so them those these he she".split())
_SO = frozenset("right true correct so case answer accurate it".split())  # "that is not right"
_HEDGES = frozenset(
    "maybe perhaps possibly might may could probably likely presumably guess either allegedly vielleicht peutetre quizas tal".split()
)
_SHORT = 9  # words of a clause or answer
_YES = frozenset("yes true correct right yeah yep certainly indeed ja oui si".split())
_NO = frozenset("no false incorrect wrong not nope never nein non".split())


def denied_words(text: Text, known: Collection[str] = ()) -> list[bool]:
    """Whether the text denies each word; negating words that are `known`, from the question, deny nothing.

    Example:
        >>> from .words import read_text
        >>> def left(text): return [word for word, out in zip(text.words, denied_words(text), strict=True) if not out]
        >>> left(read_text("Not Sydney but Canberra.")), left(read_text("People say Nobel, but that is false."))
        (['but', 'canberra'], [])
        >>> left(read_text("It is Paris, not Rome.")), left(read_text("No doubt about it: Paris"))
        (['it', 'is', 'paris'], ['no', 'doubt', 'about', 'it', 'paris'])
    """
    words = text.words
    denied = [False] * len(words)
    negators, false_words = (vocabulary.difference(known) for vocabulary in (_NEGATORS, _FALSE))
    if negators.isdisjoint(words) and false_words.isdisjoint(words) and "than" not in words and "instead" not in words:
        return denied
    before = (0, 0)
    for first, end in _clauses(text):
        part = words[first:end]
        index = next((n for n in range(len(part)) if _negates(part, n, negators)), -1)
        is_false = any(
            word in false_words and " ".join(part[max(n - 1, 0) : n + 1]) not in _STILL_TRUE
            for n, word in enumerate(part)
        )
        whole = is_false or (index >= 0 and _negates_all(part, index))
        if whole or index >= 0:
            start = first if whole else first + index
            denied[start:end] = [True] * (end - start)
        says_so = is_false or (whole and not _SO.isdisjoint(part[index + 1 :]))
        if says_so and _is_about_the_last(part, text.raw[first:end]):
            denied[slice(*before)] = [True] * (before[1] - before[0])
        before = first, end
    return denied


def _negates_all(words: list[str], index: int) -> bool:
    """Whether a negator denies its whole clause: it is near a verb ("is not", "never was"), the last word, or "nothing"."""
    near = [*words[max(index - 3, 0) : index], *words[index + 1 : index + 2]] if index else []
    return words[index] in ("nothing", "nobody") or not _VERBS.isdisjoint(near) or 0 < index == len(words) - 1


def _is_about_the_last(words: list[str], raw: list[str]) -> bool:
    """Whether a clause refers to the one before: it is short, has a word such as "that", and no name."""
    is_short = len(words) < _SHORT and not _ANAPHORS.isdisjoint(words)
    return is_short and not any(text[0].isupper() and n for n, text in enumerate(raw) if text != "I")


def _negates(words: list[str], index: int, negators: frozenset[str]) -> bool:
    word, pair = words[index], " ".join(words[index : index + 2])
    if pair in ("rather than", "instead of"):
        return True
    if word not in negators or pair in _STILL_TRUE:
        return False
    return word not in ("no", "none") or not (len(words) == 1 or first_is_digit(words[min(index + 1, len(words) - 1)]))


def _clauses(text: Text) -> Iterator[tuple[int, int]]:
    """The start and end of each clause."""
    first = 0
    for index in range(1, len(text.words)):
        if text.words[index] in _SPLITS or not _CLAUSE_ENDS.isdisjoint(text.marks[index]):
            yield first, index
            first = index
    if text.words:
        yield first, len(text.words)


def turn_of(text: Text, known: Collection[str] = ()) -> int:
    """The index of the last word that begins a correction, such as "actually" or "oops"; 0 if there is none."""
    for index in range(len(text.words) - 2, 0, -1):
        word = text.words[index]
        if word in _TURNS and word not in known and any(text.marks[index - 1 : index + 2]):
            return index
    return 0


def count_hedges(text: Text) -> int:
    """The number of words such as maybe."""
    return sum(word in _HEDGES for word in text.words)


def count_negators(text: Text) -> int:
    """The number of words such as not, and such as wrong."""
    return sum(word in _NEGATORS or word in _FALSE for word in text.words)


def polarity(text: Text) -> int:
    """1 for a text that says yes, -1 for no, 0 for others; the first words count and, in a short text, negators.

    Example:
        >>> from .words import read_text
        >>> [polarity(read_text(text)) for text in ("Yes, it does.", "True", "No", "He certainly did not", "Paris", "No doubt, yes")]
        [1, 1, -1, -1, 0, 1]
    """
    head = text.words[:_SHORT]
    words = [word for n, word in enumerate(head) if " ".join(head[n : n + 2]) not in _STILL_TRUE]
    said = [1 if word in _YES else -1 for word in words[:2] if word in _YES or word in _NO]
    if words and words[0] not in _YES and len(text.words) < _SHORT and not _NEGATORS.isdisjoint(words):
        return -1
    return sum(said[:1])


def is_polar(question: Text) -> bool:
    """Whether a question asks for yes or no: it begins with a verb and has no "or"."""
    return bool(question.words) and question.words[0] in _VERBS and "or" not in question.words
