"""Fingerprints of Arrow columns."""

import numpy as np
import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qassay.core.arrow import fingerprints

FAST = settings(max_examples=60, deadline=None)
TEXTS = st.lists(st.text(st.sampled_from("ab\x00é😀1"), max_size=40), max_size=12)


@FAST
@example(["😀😀a", "😀😀b\0"], 0, pa.string())  # the lengths differ as the bytes at one place do
@given(TEXTS, st.integers(0, 5), st.sampled_from([pa.string(), pa.large_string()]))
def test_equal_ids_have_equal_fingerprints_and_different_ids_different_fingerprints(texts, skipped, kind):
    array = pa.array(texts, kind)
    column = pa.chunked_array([array.slice(0, skipped), array.slice(skipped)], kind)
    found = fingerprints(column).tolist()
    assert len(set(zip(texts, found, strict=True))) == len(set(texts)) == len(set(found))
    coded = pa.chunked_array([array.slice(0, skipped).dictionary_encode(), array.slice(skipped).dictionary_encode()])
    assert fingerprints(coded).tolist() == found


def test_fingerprints_of_many_structured_ids_differ():
    texts = [f"D{number}" for number in range(40_000)] + [f"MARCO_passage_{number:012d}" for number in range(20_000)]
    found = fingerprints(pa.chunked_array([texts]))
    assert len(np.unique(found)) == len(np.unique(found >> np.uint64(16))) == len(texts)
    numbers = fingerprints(pa.chunked_array([np.arange(-20_000, 20_000)]))
    assert len(np.unique(numbers >> np.uint64(16))) == 40_000
