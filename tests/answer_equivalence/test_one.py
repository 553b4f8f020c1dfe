"""What the short way of one answer leaves to `score_equivalence`; its numbers are in tests/contract/test_short_ways.py."""

import pytest

from qassay.answer_equivalence.one import one_equivalence
from qassay.answer_equivalence.scoring import EquivalenceOptions


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ((None, ["a"]), {}),
        ((["a"], ["a"]), {}),
        (("a", None), {}),
        (("a", [1]), {}),
        (("a", ["b"], 7), {}),
        (("a", ["b"]), {"use_questions": True}),
    ],
    ids=repr,
)
def test_unusual_input_is_for_the_long_way(row, options):
    assert one_equivalence(EquivalenceOptions(**options))(*row) is None


def test_a_judge_has_no_short_way():
    assert one_equivalence(EquivalenceOptions(model=lambda question, golds, answer: 1.0)) is None
