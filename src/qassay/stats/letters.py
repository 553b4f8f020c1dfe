"""Letters of indistinguishable systems: a compact letter display."""

import re
import string

import numpy as np


def compact_letters(differ: np.ndarray) -> list[str]:
    """The letters of each of k items; two items share a letter if and only if they do not differ.

    Each letter is a maximal set of items that do not differ from each other.

    Args:
        differ: symmetric bools (k, k), for items in the order of letters, best first.

    Source: Piepho (2004), "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons"; the sets grow around
    pairs that share no letter, as in Gramm, Guo, Hueffner, Niedermeier and Piepho (2008), "Algorithms for Compact Letter
    Displays: Comparison and Evaluation", because inserting and absorbing can take time exponential in k.

    Example:
        >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
        ['a', 'ab', 'b']
    """
    sets = _without_redundant(_cover(~np.asarray(differ, bool)))
    sets.sort(key=lambda items: items.tolist())
    letters = [""] * len(differ)
    for index, items in enumerate(sets):
        for item in items.tolist():
            letters[item] += letter_of(index)
    return letters


def _cover(alike: np.ndarray) -> list[np.ndarray]:
    """Maximal sets of items that do not differ, such that every pair of such items is in one set."""
    alike = alike | np.eye(len(alike), dtype=bool)
    open_pairs, sets = np.triu(alike), []
    for item in range(len(alike)):
        while open_pairs[item].any():
            items = [item]
            fitting = alike[item].copy()
            fitting[item] = False
            while fitting.any():
                # the next item covers as many pairs as possible; ties go to the first
                gains = np.where(fitting, (open_pairs[items] | open_pairs[:, items].T).sum(axis=0), -1)
                items.append(int(np.argmax(gains)))
                fitting &= alike[items[-1]]
                fitting[items[-1]] = False
            members = np.sort(items)
            open_pairs[np.ix_(members, members)] = False
            sets.append(members)
    return sets


def _without_redundant(sets: list[np.ndarray]) -> list[np.ndarray]:
    """Remove the sets whose pairs are all in other sets."""
    size = 1 + max((int(items[-1]) for items in sets), default=-1)
    times = np.zeros((size, size), np.int64)
    for items in sets:
        times[np.ix_(items, items)] += 1
    kept = []
    for items in reversed(sets):
        if (times[np.ix_(items, items)] > 1).all():
            times[np.ix_(items, items)] -= 1
        else:
            kept.append(items)
    return kept[::-1]


def letters_of(text: str) -> frozenset[str]:
    """The letters of an item, one by one.

    Example:
        >>> sorted(letters_of("aba2"))
        ['a', 'a2', 'b']
    """
    return frozenset(re.findall(r"[a-z]\d*", text))


def letter_of(index: int) -> str:
    """The letter of an index, counted from 0: a to z, then a2 to z2, and so on.

    Example:
        >>> letter_of(0), letter_of(26), letter_of(53)
        ('a', 'a2', 'b3')
    """
    turn, rest = divmod(index, len(string.ascii_lowercase))
    return string.ascii_lowercase[rest] + (str(turn + 1) if turn else "")
