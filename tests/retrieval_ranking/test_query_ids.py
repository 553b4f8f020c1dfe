"""Ids as text, and dicts whose keys need not be checked."""

import sys

import numpy as np
import pytest

from qassay.retrieval_ranking import query_ids as ids
from qassay.retrieval_ranking.query_ids import has_text_keys, id_texts, unique_texts


def test_text_keys_are_distinguished_from_other_keys():
    for size in (0, 1, 5, 6, 200, 5000):
        text = {str(number): number for number in range(size)}
        copied, shrunk = dict(text), dict(text)
        for key in list(shrunk)[: size // 2]:
            del shrunk[key]
        for keys in (text, copied, shrunk, dict.fromkeys(text)):
            assert has_text_keys(keys) == (not size or sys.version_info >= (3, 11))
            keys[1] = 1
            assert not has_text_keys(keys)
            del keys[1]
            assert not keys or not has_text_keys(keys)
    assert not has_text_keys({np.str_("a"): 1})


def no_size(value):
    raise TypeError("no sizes here")


@pytest.mark.parametrize("getsizeof", [no_size, lambda value: 64, len, lambda value: 64 + 24 * len(value)])
def test_sizes_that_tell_nothing_are_not_used(monkeypatch, getsizeof):
    monkeypatch.setattr(sys, "getsizeof", getsizeof)
    assert ids._text_dict_sizes() == frozenset()


def test_a_subset_of_integers_with_the_size_of_texts(monkeypatch):
    """Another layout of small dicts only."""
    real = sys.getsizeof
    monkeypatch.setattr(
        sys, "getsizeof", lambda value: real(dict.fromkeys(map(str, value)) if len(value) < 6 else value)
    )
    assert ids._text_dict_sizes() == frozenset()


def test_ids_as_text():
    assert id_texts([7, np.int64(12)], "ids") == ["7", "12"]
    assert id_texts((np.str_("a"), "b"), "ids") == ["a", "b"]
    for bad, message in (
        ([True], "ids: an id is bool: True; ids are strings, or integers that stand for their digits"),
        (["a", 5], "ids: ids of mixed type, the first is str: 'a' and another is int: 5; .*, not both"),
    ):
        with pytest.raises(TypeError, match=message):
            id_texts(bad, "ids")
    with pytest.raises(TypeError, match="the first is str: 'a' and another of query 'q' is int: 5; ids are"):
        id_texts(["a", 5], "predictions", lambda place: " of query 'q'")
    with pytest.raises(ValueError, match="ids 'a' is given twice, the second time in row 2; give every query one row"):
        unique_texts(["a", "b", "a"], "ids")
