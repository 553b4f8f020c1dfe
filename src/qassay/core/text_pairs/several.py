"""Several answers: lists, guesses and parts of lists.

An item is a few words between commas, "and", "or", slashes, question marks or lines; two or more items are a list. With "or",
"either" or question marks, items are guesses. A gold answer that is a list is partly found if items are missing.
"""

from .numbers import first_is_digit
from .words import STOP_WORDS, Text

_JOINS = frozenset("and or & und oder et ou y o".split())
_CHOICES = frozenset("or either maybe perhaps possibly oder ou o".split())
_MARKS = frozenset(",;/?\n•|、，")
_ENDS = frozenset(".!:")
_LONGEST_ITEM = 5  # words
_NO_LIST = 1, 0, 0.0, 0


def items_of(text: Text) -> list[tuple[int, int]]:
    """The start and end of each run of words between separators.

    Example:
        >>> from .words import read_text
        >>> items_of(read_text("red, green and light blue"))
        [(0, 1), (1, 2), (3, 5)]
    """
    found, first = [], 0
    for index, word in enumerate(text.words):
        if word in _JOINS or (text.marks[index] and _separates(text, index)):
            if index > first:
                found.append((first, index))
            first = index + (word in _JOINS)
    if len(text.words) > first:
        found.append((first, len(text.words)))
    return found


def read_list(text: Text, index: int) -> tuple[int, int, float, int]:
    """The chain of short items around a word; the first may follow an introduction ("It was Ann, Bob or Carl").

    Returns the number of items (1: the word is in no list), the index of the item with the word, the share of the words of the
    text in the list, and the number of words such as "or" and of question marks in the list.

    Example:
        >>> from .words import read_text
        >>> read_list(read_text("Mercury? Venus? Mars?"), 2), read_list(read_text("It is Rome."), 2)
        ((3, 2, 1.0, 3), (1, 0, 0.0, 0))
    """
    items = items_of(text)
    at = next((n for n, (first, end) in enumerate(items) if first <= index < end), None)
    if at is None:
        return _NO_LIST
    first = last = at
    while first > 0 and _continues(text, items[first - 1], items[first]):
        first -= 1
    while last + 1 < len(items) and _continues(text, items[last + 1], items[last + 1]):
        last += 1
    if first == last:
        return _NO_LIST
    start, end = items[first][0], items[last][1]
    choices = sum(word in _CHOICES for word in text.words[start:end])
    choices += sum("?" in mark or "/" in mark for mark in text.marks[start + 1 : end + 1])
    return last - first + 1, at - first, (end - start) / len(text.words), choices


def _separates(text: Text, index: int) -> bool:
    """Whether the punctuation before a word separates items; not in a number such as 20/07/1969 or after an initial."""
    marks = {*text.marks[index]}
    inside = (
        index and first_is_digit(text.words[index]) and first_is_digit(text.words[index - 1]) and marks <= {"/", "."}
    )
    initial = index and len(text.words[index - 1]) == 1 and marks == {"."}
    return not inside and not initial and not (_MARKS | _ENDS).isdisjoint(marks)


def _continues(text: Text, added: tuple[int, int], later: tuple[int, int]) -> bool:
    """Whether a list continues: the added item is short, or the first of the text, and no sentence ends before the later one."""
    return (
        (added[1] - added[0] <= _LONGEST_ITEM or added[0] == 0)
        and _ENDS.isdisjoint(text.marks[later[0]])
        and _ENDS.isdisjoint(text.marks[max(later[0] - 1, 0)][-1:])
    )


def gold_items(gold: Text) -> list[list[int]]:
    """The indices of the content words of each item of a gold answer that is a list; [] for other gold answers.

    Example:
        >>> from .words import read_text
        >>> gold_items(read_text("Estonia, Latvia and Lithuania")), gold_items(read_text("in Paris"))
        ([[0], [1], [3]], [])
    """
    items = items_of(gold)
    if len(items) < 2 or any(end - first > _LONGEST_ITEM for first, end in items):
        return []
    found = [[n for n in range(*item) if gold.words[n] not in STOP_WORDS] for item in items]
    return [indices for indices in found if indices]
