"""Letters of indistinguishable systems: they show exactly which pairs differ."""

import itertools

import numpy as np
import pytest

from qassay.stats.letters import compact_letters, letters_of


def differ_in(k, pairs):
    differ = np.zeros((k, k), bool)
    for first, second in pairs:
        differ[first - 1, second - 1] = differ[second - 1, first - 1] = True
    return differ


def columns_of(letters):
    """The items of each letter."""
    found = [letters_of(text) for text in letters]
    return {frozenset(item for item, letters in enumerate(found) if one in letters) for one in set().union(*found)}


def largest_alike(differ):
    """All maximal sets of items that do not differ, by brute force (Piepho's columns)."""
    k = len(differ)
    alike = [
        frozenset(items)
        for size in range(1, k + 1)
        for items in itertools.combinations(range(k), size)
        if not differ[np.ix_(items, items)].any()
    ]
    return {items for items in alike if not any(items < other for other in alike)}


@pytest.mark.parametrize(
    ("k", "pairs", "letters"),
    [
        (4, [(1, 3), (1, 4), (2, 4)], ["a", "ab", "bc", "c"]),
        # The example of Piepho (2004): eight items, five pairs differ.
        (8, [(1, 7), (1, 8), (2, 4), (2, 5), (3, 5)], ["ab", "ac", "acd", "bde", "be", "abcde", "cde", "cde"]),
    ],
)
def test_letters_of_examples(k, pairs, letters):
    """The columns are among the columns of inserting and absorbing: maximal sets of items that do not differ."""
    differ = differ_in(k, pairs)
    assert compact_letters(differ) == letters
    assert columns_of(letters) <= largest_alike(differ)


@pytest.mark.parametrize(("k", "share"), [(7, 0.0), (7, 0.5), (30, 0.1), (30, 0.9), (100, 0.5)])
def test_two_items_share_a_letter_exactly_if_they_do_not_differ(k, share):
    drawn = np.triu(np.random.default_rng(k).random((k, k)) < share, 1)
    differ = drawn | drawn.T
    found = [letters_of(text) for text in compact_letters(differ)]
    shared = np.array([[bool(one & other) for other in found] for one in found])
    assert (shared == ~differ).all()


def test_items_in_bands_have_a_letter_for_each_stretch():
    """Items on a line that differ beyond a distance: no letter more than Piepho's columns."""
    at = np.sort(np.random.default_rng(0).normal(size=14))
    differ = abs(at[:, None] - at) > 0.7
    assert columns_of(compact_letters(differ)) == largest_alike(differ)
