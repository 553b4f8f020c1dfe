"""Options: their values, names and signature."""

import numpy as np
import pytest

from karat.core.options import check_choice, check_whole, to_ranks


def test_choices():
    check_choice("unit", None, (None, "token"))
    with pytest.raises(
        ValueError, match=r"option unit='tokn' is unknown \(did you mean 'token'\?\); it is one of: None"
    ):
        check_choice("unit", "tokn", (None, "token"))


@pytest.mark.parametrize("value", [1, np.int64(1)])
def test_whole_numbers(value):
    found = check_whole("batch_size", value)
    assert (found, type(found)) == (1, int)


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (1.5, ValueError), (True, ValueError), ("8", TypeError), (None, TypeError)]
)
def test_what_is_no_whole_number(value, error):
    with pytest.raises(error, match="option batch_size must be a whole number of at least 1, got"):
        check_whole("batch_size", value)


def test_ranks():
    assert to_ranks([5, 1, 5]) == to_ranks((1, 5)) == to_ranks(np.array([1, 5])) == (1, 5)
    assert to_ranks(3) == to_ranks(np.int64(3)) == (3,)
    for bad in (0, True, "1", 1.0, [1, 0], np.array([0])):
        with pytest.raises(ValueError, match="top_k needs whole numbers of at least 1"):
            to_ranks(bad)
    with pytest.raises(ValueError, match="top_k needs at least one rank"):
        to_ranks([])
