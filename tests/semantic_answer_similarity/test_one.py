"""What the short way of one answer leaves to `score_similarity`; its numbers are in tests/contract/test_short_ways.py."""

import pytest

from qassay.semantic_answer_similarity.one import one_similarity
from qassay.semantic_answer_similarity.scoring import LiteScorer, SimilarityOptions


class Own(LiteScorer):
    name = mode = "own"


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ((None, ["a"]), {}),
        ((["a"], ["a"]), {}),
        (("a", None), {}),
        (("a", [1]), {}),
        (("a", ["a"]), {"top_k": (1,)}),
        (([], ["a"]), {"top_k": (1,)}),
        ((["a", None], ["a"]), {"top_k": (1,)}),
    ],
    ids=repr,
)
def test_unusual_input_is_for_the_long_way(row, options):
    assert one_similarity(SimilarityOptions(model="lite", **options))(*row) is None


@pytest.mark.parametrize(
    "options", [{}, {"model": "lite", "encoder": "some/encoder"}, {"model": Own()}], ids=["default", "encoder", "own"]
)
def test_other_models_have_no_short_way(options):
    assert one_similarity(SimilarityOptions(**options)) is None
