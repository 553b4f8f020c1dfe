"""Roles: who does what to whom. An answer with the right words has another meaning if two of them are swapped."""

from .names import is_name_word
from .words import STOP_WORDS, Text

_ASKS_SUBJECT = frozenset("who which what".split())
_AUXILIARIES = frozenset(
    "is are was were do does did has have had can could will would shall should may might must".split()
)
_BY = frozenset("by von durch par por da".split())
_ARTICLES = frozenset("a an the".split())
_JOINS = frozenset("and or & und oder et ou y o".split())
_LONGEST_GOLD = 60  # words; names in longer gold answers are not compared
_LONGEST_SUBJECT = 4  # words before the verb of a question: "which large company bought ..."


def is_by(text: Text, index: int) -> bool:
    """Whether a word such as "by" is directly before a word, or one word earlier."""
    return index > 0 and not _BY.isdisjoint(text.words[max(index - 2, 0) : index])


def has_swapped_names(gold: Text, text: Text) -> bool:
    """Whether a text has the words of a gold answer in a row and in order, but with names swapped.

    Example:
        >>> from .words import read_text
        >>> def read(gold, answer): return has_swapped_names(read_text(gold), read_text(answer))
        >>> read("from Rome to Milan", "It goes from Milan to Rome."), read("Rome and Milan", "Milan and Rome")
        (True, False)
        >>> read("Arsenal 3, Chelsea 1", "Chelsea 3, Arsenal 1"), read("Arsenal 3, Chelsea 1", "Chelsea 1, Arsenal 3")
        (True, False)
    """
    words, n = sorted(gold.words), len(gold.words)
    if not 3 <= n <= _LONGEST_GOLD or not {*words}.issubset(text.words):
        return False
    for first in range(len(text.words) - n + 1):
        if sorted(text.words[first : first + n]) == words:
            parts, others = _parts(gold, 0, n), _parts(text, first, n)
            changed = [one for one, other in zip(parts, others, strict=False) if one != other]
            has_verb = any(not is_name and not _JOINS.issuperset(between) for is_name, between in parts)
            return len(parts) == len(others) > 2 and has_verb and bool(changed) and all(part[0] for part in changed)
    return False


def _parts(text: Text, first: int, n: int) -> list[tuple[bool, list[str]]]:
    """Alternating runs of names and other words, each with whether it is a name."""
    parts: list[tuple[bool, list[str]]] = []
    for word, raw in zip(text.words[first : first + n], text.raw[first : first + n], strict=True):
        is_name = is_name_word(word, raw)
        if not parts or parts[-1][0] != is_name:
            parts.append((is_name, []))
        parts[-1][1].append(word)
    return parts


def is_object(text: Text, query: Text, index: int) -> bool:
    """Whether the word at an index is the object in a text, while the question asks for the subject.

    The question begins with "who" or "which ..." and a verb without an auxiliary. In the text, this verb is before the word,
    and the word that follows it in the question is before the verb.

    Example:
        >>> from .words import read_text
        >>> question = read_text("who shot Alexander Hamilton?")
        >>> [is_object(read_text(text), question, index) for text, index in (("Hamilton shot Burr", 2), ("Burr shot Hamilton", 0))]
        [True, False]
        >>> is_object(read_text("It was Hamilton who shot Burr."), question, 5)
        True
    """
    verb = _before(text, index)
    if verb < 1 or not _ASKS_SUBJECT.issuperset(query.words[:1]) or any(text.marks[verb : index + 1]):
        return False
    stem = text.stems[verb]
    at = query.stems.index(stem) if stem in query.stems else 0
    if not 0 < at <= _LONGEST_SUBJECT or at + 1 == len(query.words) or not _AUXILIARIES.isdisjoint(query.words[:at]):
        return False
    if stem in _AUXILIARIES or is_by(text, index) or query.words[at + 1] in STOP_WORDS - _ARTICLES:
        return False
    subject = _before(text, verb)
    is_active = _AUXILIARIES.isdisjoint(text.words[subject + 1 : verb])
    return subject >= 0 and is_active and text.stems[subject] in query.stems[at + 1 :]


def _before(text: Text, index: int) -> int:
    """The index of the nearest word before another that is not a stop word; -1 if there is none."""
    return next((n for n in range(index - 1, -1, -1) if text.words[n] not in STOP_WORDS), -1)
