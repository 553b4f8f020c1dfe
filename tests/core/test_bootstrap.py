"""Resampling: draws in blocks, kinds of rows, and a limit of the swaps that are all tried."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core import bootstrap as statistics
from qassay.core.bootstrap import (
    resampling_weights,
    row_codes,
)
from qassay.core.ragged import Ragged
from qassay.stats.permutation import every_swap

FAST = settings(max_examples=100, deadline=None)


def test_blocks_draw_on(monkeypatch):
    counts = np.array([3, 1, 2])
    whole = np.concatenate(list(resampling_weights(counts, 40, seed=3)))
    monkeypatch.setattr(statistics, "CELLS_AT_ONCE", 30)
    blocks = list(resampling_weights(counts, 40, seed=3))
    assert len(blocks) == 4
    assert (np.concatenate(blocks) == whole).all()
    assert any((blocks[0] != block).any() for block in blocks[1:])


VALUES = st.sampled_from([-0.0, 0.0, 0.5, 1.0, math.nan])


@FAST
@given(st.lists(st.tuples(VALUES, st.booleans(), st.lists(st.integers(0, 2), max_size=2)), max_size=12), st.randoms())
def test_row_codes_are_equal_exactly_for_equal_rows_in_any_order(rows, random):
    def codes_of(rows):
        numbers, flags, lists = ([row[place] for row in rows] for place in range(3))
        offsets = np.cumsum([0, *map(len, lists)])
        lists = Ragged(offsets, np.array([value for row in lists for value in row], np.int64))
        return row_codes([np.array(numbers, float), np.array(flags, bool), lists], len(rows)).tolist()

    codes = codes_of(rows)
    keys = [(str(number + 0.0), flag, tuple(numbers)) for number, flag, numbers in rows]
    assert len(set(zip(keys, codes, strict=True))) == len(set(keys)) == len(set(codes))
    order = list(range(len(rows)))
    random.shuffle(order)
    assert codes_of([rows[place] for place in order]) == [codes[place] for place in order]


def test_every_swap_keeps_to_the_limit():
    assert every_swap(np.array([1, 1, 1]), most=7) is None
    assert len(every_swap(np.array([1, 1, 1]), most=8)[0]) == 8
    assert len(every_swap(np.array([9999]), most=10_000)[0]) == 10_000
    assert every_swap(np.array([10_000]), most=10_000) is None
    assert every_swap(np.ones(100_000, np.int64), most=10_000) is None
