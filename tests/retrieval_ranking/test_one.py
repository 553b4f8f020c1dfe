"""The short way of one ranking gives what `score_rankings` gives, to the last bit."""

import random

import numpy as np
import pytest

from qassay.retrieval_ranking.measures import DEFAULT_MEASURES
from qassay.retrieval_ranking.one import one_ranking
from qassay.retrieval_ranking.scoring import RankingOptions, score_rankings

MANY = (
    "mrr@3", "map@5", "map(rel=2)@100", "map(denominator=min_mn)@4", "map(denominator=fixed:10)", "gm_map",
    "map(denominator=num_retrieved_relevant)@3", "map(denominator=min_k_relevant)@3", "ndcg", "ndcg@3",
    "ndcg(gain=exp2)@5", "dcg@4", "ideal_dcg@2", "p@5", "recall@3", "recall", "hit_rate@2", "f1@5", "rprec",
    "rprec(mult=0.4)", "relative_p@3", "set_p", "set_recall", "set_f", "set_map", "set_relative_p", "utility", "num_q",
    "num_ret", "num_rel", "num_rel_ret",
)  # fmt: skip
OPTIONS = (
    {},
    {"ties": "stable"},
    {"depth": 4},
    {"judged_only": True, "depth": 6},
    {"relevance_level": 2, "gain": "exp2"},
    {"relevance_level": 0, "ap_denominator": "min_mn"},
)


def rows(rng, n):
    """Rankings with ties, of up to 30 documents, and judgements of some of them and of others."""
    pool = [f"d{number}" for number in range(40)]
    for _ in range(n):
        documents = rng.sample(pool, rng.choice((0, 1, 3, 8, 30)))
        run = {name: rng.choice((rng.random(), float(rng.randrange(3)), rng.randrange(4))) for name in documents}
        yield run, {name: rng.randrange(-1, 4) for name in rng.sample(pool, rng.choice((1, 3, 10, 20)))}


def means(scores):
    """The values of each query, of the measures that are means."""
    measures = {name: measure for name, measure in scores.measures.items() if measure.is_mean}
    return {name: measure.by_example(scores.rows).tolist() for name, measure in measures.items()}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("measures", [DEFAULT_MEASURES, MANY], ids=["default", "many"])
@pytest.mark.parametrize("form", ["scores", "lists", "relevant"])
def test_short_way_equals_long_way(options, measures, form):
    runs, golds = map(list, zip(*rows(random.Random(1), 25), strict=True))
    if form == "lists":
        runs = list(map(list, runs))
    if form == "relevant":
        golds = [list(gold) if row % 2 else set(gold) for row, gold in enumerate(golds)]
    chosen = RankingOptions(measures=measures, **options)
    one, long = one_ranking(chosen), means(score_rankings(runs, golds, options=chosen))
    short = [one(run, gold) for run, gold in zip(runs, golds, strict=True)]
    assert short == [{name: values[row] for name, values in long.items()} for row in range(len(runs))]
    assert {type(value) for row in short for value in row.values()} == {float}


def test_far_ranks():
    documents = [f"d{number}" for number in range(3000)]
    chosen = RankingOptions(measures=("ndcg", "map"))
    for gold in ({"d1022": 1, "d1023": 2, "d2999": 3}, {name: 1 for name in documents}):
        long = means(score_rankings([documents], [gold], options=chosen))
        assert one_ranking(chosen)(documents, gold) == {name: value for name, (value,) in long.items()}


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
        ({"a": 10**400}, {"a": 1}),
        ({"a": "0.5"}, {"a": 1}),
        ({"a": True}, {"a": 1}),
        ({"a": np.float32(0.1)}, {"a": 1}),
        (["a"], {}),
        (["a"], []),
        (["a"], None),
        (["a"], "a"),
        (["a"], ["a", "a"]),
        (["a"], [["a"]]),
        (["a"], {"a": 11}),
        (["a"], {"a": 0.5}),
        (["a"], {"a": float("nan")}),
        (["a"], {"a": float("-inf")}),
        (["a"], {"a": None}),
        (["a"], {1: 1}),
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
