"""Columns of lists: codes that tell which are equal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.ragged import Ragged

FAST = settings(max_examples=100, deadline=None)


def ragged(lists, dtype=np.int64):
    return Ragged(np.cumsum([0, *map(len, lists)]), np.array([value for row in lists for value in row], dtype))


LISTS = st.lists(st.lists(st.integers(-2, 3), max_size=4), max_size=8)


@FAST
@given(LISTS, st.randoms())
def test_codes_are_equal_for_equal_lists_and_do_not_depend_on_the_order(lists, random):
    codes = ragged(lists).codes().tolist()
    assert all((codes[a] == codes[b]) == (lists[a] == lists[b]) for a in range(len(lists)) for b in range(len(lists)))
    order = list(range(len(lists)))
    random.shuffle(order)
    assert ragged([lists[row] for row in order]).codes().tolist() == [codes[row] for row in order]


def test_codes_of_both_zeros_and_offsets_that_do_not_rise():
    codes = ragged([[0.0], [-0.0], [1.0], [0.0, -0.0]], float).codes().tolist()
    assert codes[0] == codes[1] and len(set(codes)) == 3
    for offsets in ([0, 2, 1, 3], [1, 3], [0, 2]):
        with pytest.raises(ValueError, match="offsets"):
            Ragged(np.array(offsets), np.arange(3))
