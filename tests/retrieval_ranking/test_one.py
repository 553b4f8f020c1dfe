"""What the short way of one ranking leaves to `score_rankings`; its numbers are in tests/contract/test_short_ways.py."""

import numpy as np
import pytest

from qassay.retrieval_ranking.one import one_ranking
from qassay.retrieval_ranking.scoring import RankingOptions


@pytest.mark.parametrize(
    ("run", "gold"),
    [
        (None, {"a": 1}),
        ("a", {"a": 1}),
        ((("a", 1.0),), {"a": 1}),
        ([("a", 1.0)], {"a": 1}),
        (["a", "a"], {"a": 1}),
        ([1, 2], {"1": 1}),
        ({1: 0.5}, {"1": 1}),
        ({"a": float("nan")}, {"a": 1}),
        ({"a": "0.5"}, {"a": 1}),
        ({"a": True}, {"a": 1}),
        ({"a": np.float32(0.1)}, {"a": 1}),
        (["a"], {}),
        (["a"], []),
        (["a"], None),
        (["a"], "a"),
        (["a"], np.array(["a", "b"])),
        (np.array(["a", "b"]), {"a": 1}),
        (["a"], ["a", "a"]),
        (["a"], [["a"]]),
        (["a"], {"a": 11}),
        (["a"], {"a": 0.5}),
        (["a"], {"a": float("nan")}),
        (["a"], {"a": float("-inf")}),
        (["a"], {"a": None}),
        (["a"], {1: 1}),
        ({"query_id": 1, "doc_id": 2, "Score": 0.5}, {"a": 1}),
        (["a"], {"query": 1, "document": 2, "relevance": 1}),
    ],
    ids=repr,
)
def test_unusual_input_is_for_the_long_way(run, gold):
    assert one_ranking(RankingOptions())(run, gold) is None


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "expected", "measures": ("mrr",)},
        {"ties": "best"},
        {"tie_bounds": True},
        {"score_dtype": "float32"},
        {"skip_trivial": True},
        {"drop_identical_ids": True},
        {"gain": {1: 3, 2: 7}},
        {"measures": ("ndcg(judged_only=true)",)},
        {"measures": ("num_ret", "relstring")},
        {"measures": ("map_avgjg",)},
        {"measures": ("err@10",)},
    ],
    ids=str,
)
def test_options_without_a_short_way(options):
    assert one_ranking(RankingOptions(**options)) is None
