"""Features of extractive question answering: layouts, and refused input."""

import numpy as np
import pytest

from qassay.training.qa_features import QAFeatures

OFFSETS = [[None, (0, 3), (4, 8), None], [None, (4, 8)]]  # of "Ada left" and of "The bell"
ROWS = {"q1": 0, "q2": 1}


def make(offsets=OFFSETS, owners=("q2", "q1"), lengths=(8, 8), block=512, **more):
    return QAFeatures({"offset_mapping": offsets, "example_id": list(owners), **more}, ROWS, np.array(lengths), block)


def plain(tokens):
    """Of each feature the offsets of its tokens, None outside."""
    cuts = [
        (start, end) if inside else None
        for start, end, inside in zip(tokens.starts.tolist(), tokens.ends.tolist(), tokens.inside, strict=True)
    ]
    assert cuts[-1] is None  # the token outside of every context
    return [cuts[first : first + count] for first, count in zip(tokens.first, tokens.counts, strict=True)]


def test_zeros_are_outside_where_nothing_is_none():
    found = make([[(0, 0), (0, 3), (4, 8), (0, 0)], [(0, 0), (4, 8)]])
    assert plain(found.tokens(0, 2)) == OFFSETS
    found = make([[(0, 0), (0, 3)], [None, (4, 8)]])  # one None, so that a zero is an empty token inside
    assert plain(found.tokens(0, 1)) == [[(0, 0), (0, 3)]]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"owners": ("q2", "q9")}, ValueError, r"features\[1\] .example 'q9'"),
        ({"lengths": (8, 7)}, ValueError, r"features\[0\] .* token 2 .*\(4, 8\)"),
        ({"offsets": [[None, (3, 1)], [None]]}, ValueError, r"token 1 .*\(3, 1\)"),
        ({"offsets": [[None, (4, 8), (0, 3)], [None]]}, ValueError, "token 2"),
        ({"offsets": [[(0, 0), (0, 3), (0, 0), (4, 8)], [(0, 0)]]}, ValueError, r"features\[0\]"),
        ({"offsets": [["a"], ["b"]]}, TypeError, "offset_mapping"),
        ({"offsets": [[None, (0, None)], [None]]}, ValueError, "None"),
    ],
)
def test_invalid_features(given, error, message):
    with pytest.raises(error, match=message):
        make(**given)


def test_the_order_of_labels():
    found = make(start_positions=[1, 0], end_positions=[2, 1])
    assert found.other_order((np.array([1, 0]), np.array([2, 1])), 0) is None
    assert found.other_order((np.array([0]), np.array([1])), 1) is None
    assert found.other_order(None, 0) is None
    told = found.other_order((np.array([0]), np.array([2])), 1)
    assert "features[1] (example 'q1') has end_positions 1, but Trainer gives 2" in told
    with pytest.warns(UserWarning, match="start_positions"):
        assert make().other_order((np.array([7]), np.array([7])), 0) is None


def test_features_that_labels_tell_apart():
    found = make(start_positions=[1, 0], end_positions=[2, 1])
    assert found.has_labels_of(make(start_positions=[1, 0], end_positions=[2, 1]))
    assert not found.has_labels_of(make(start_positions=[1, 0], end_positions=[2, 2]))
    assert found.has_labels_of(make())
