"""Options: ranks, numbers and texts."""

import numpy as np
import pytest

from qassay.core.option_texts import number_or_text
from qassay.core.options import listed, to_ranks


def test_ranks():
    assert to_ranks([5, 1, 5]) == to_ranks((1, 5)) == to_ranks(np.array([1, 5])) == (1, 5)
    assert to_ranks(3) == to_ranks(np.int64(3)) == (3,)
    for bad in (0, True, "1", 1.0, [1, 0], np.array([0]), 10**20):
        with pytest.raises((TypeError, ValueError), match="option top_k must be an integer of at least 1"):
            to_ranks(bad)
    assert listed([1, 3]) == (1, 3) and listed(5) == (5,)
    with pytest.raises(ValueError, match="top_k needs at least one rank"):
        to_ranks([])


def test_numbers_and_texts():
    texts = {"7": 7, "-0.5": -0.5, "1e3": 1000.0, "'7'": "7", "'": "'", "''": "", "''7''": "'7'", "seven": "seven"}
    for text, value in texts.items():
        assert (number_or_text(text), type(number_or_text(text))) == (value, type(value))
