"""Segments of columns of ids."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.retrieval_ranking.id_matching import IdTexts, id_list, match_ids_in_segments, split_queries

FAST = settings(max_examples=50, deadline=None)


@FAST
@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=20), st.integers(0, 20), st.booleans())
def test_rows_of_each_query(queries, cut, coded):
    parts = [pa.array(part, pa.string()) for part in (queries[:cut], queries[cut:])]
    column = pa.chunked_array([part.dictionary_encode() for part in parts] if coded else parts)
    keys, offsets, order = split_queries(column)
    assert keys == list(dict.fromkeys(queries))
    rows = np.arange(len(queries)) if order is None else order
    for key, start, end in zip(keys, offsets[:-1], offsets[1:], strict=True):
        assert rows[start:end].tolist() == [row for row, query in enumerate(queries) if query == key]
    together = queries == sorted(queries, key=keys.index)
    assert (order is None) == together


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint64()])
def test_integers(kind):
    assert split_queries(pa.chunked_array([pa.array([5, 5, 3], kind), pa.array([3, 4], kind)]))[0] == ["5", "3", "4"]
    column = pa.chunked_array([pa.array([5, 6, 5], kind)])
    assert id_list(column) == ["5", "6", "5"]
    place, row = match_ids_in_segments(
        column, np.array([0, 2, 3]), IdTexts(["6", "05", "5"]), np.array([0, 0, 1]), ["q", "r"]
    )
    assert (place.tolist(), row.tolist()) == ([0, 2], [1, 2])
