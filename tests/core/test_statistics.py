"""Resampling: kinds of rows and how often each is drawn."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core import statistics
from karat.core.statistics import distinct_rows, resampling_weights

FAST = settings(max_examples=100, deadline=None)


@FAST
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.5, 1.0, math.nan])), min_size=1, max_size=30))
def test_distinct_rows(rows):
    first, second = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    places, counts = distinct_rows([first, second], len(rows))
    found = [(int(first[i]), str(second[i]), int(c)) for i, c in zip(places, counts, strict=True)]
    keys = [(r[0], str(r[1])) for r in rows]
    assert sorted(found) == sorted((*key, keys.count(key)) for key in set(keys))


def test_blocks_draw_on(monkeypatch):
    counts = np.array([3, 1, 2])
    whole = np.concatenate(list(resampling_weights(counts, 40, seed=3)))
    monkeypatch.setattr(statistics, "_CELLS_AT_ONCE", 30)
    blocks = list(resampling_weights(counts, 40, seed=3))
    assert len(blocks) == 4
    assert (np.concatenate(blocks) == whole).all()
    assert any((blocks[0] != block).any() for block in blocks[1:])


@pytest.mark.parametrize("counts", [[3, 1, 2], [1000, 500, 3]])
def test_resampling_weights_draw_as_many_examples_as_there_are(counts):
    blocks = np.concatenate(list(resampling_weights(np.array(counts), 4000, seed=3)))
    assert blocks.shape == (4000, 3)
    assert (blocks.sum(axis=1) == sum(counts)).all()
    assert blocks.mean(axis=0) == pytest.approx(counts, rel=0.06)
