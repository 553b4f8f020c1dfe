"""Partial sums: the numbers of the examples without the examples, however these are divided; and the Poisson bootstrap."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.cluster.partial_sums import (
    _POISSON_SHARES,
    PartialSums,
    _exact,
    _exact_sums,
    poisson_weights,
    resampling_keys,
)
from qassay.core.measures import exact_sum

WORDS = ["le", "chat", "noir", "dort", "mange", "la", "souris", "grise"]


def scores(n: int = 400, seed: int = 0, **options) -> qassay.Scores:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 3)) for _ in range(2 * n)]
    golds = [[text] for text in texts[n:]]
    ids = [f"q{row}" for row in range(n)]
    return qassay.score("answer_match", texts[:n], golds, ids=ids, weights=rng.random(n), **options)


def divided(whole: qassay.Scores, seed: int, parts: int) -> list[qassay.Scores]:
    order = np.random.default_rng(seed).permutation(len(whole))
    masks = [np.isin(np.arange(len(whole)), part) for part in np.array_split(order, parts)]
    return [whole.subset(mask) for mask in masks]


NUMBERS = st.floats(-1e150, 1e150, allow_nan=False, allow_subnormal=True)


@given(st.lists(NUMBERS, min_size=1, max_size=30))
@settings(deadline=None)
def test_sums_of_slices_are_exact(numbers):
    column = np.array(numbers)
    assert _exact(_exact_sums([column], set(), None, 0)[0]) == math.fsum(numbers) == exact_sum(column)


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_same_whatever_the_parts(parts):
    whole = scores()
    found = PartialSums.concat(PartialSums.of(part, n_resamples=30, seed=5) for part in divided(whole, parts, parts))
    assert found.summary([*whole.measures]) == whole.summary([*whole.measures])
    assert found.counts() == whole.counts()
    assert found.interval() == PartialSums.of(whole, n_resamples=30, seed=5).interval()
    assert found.interval(names=["f1"]) != PartialSums.of(whole, n_resamples=30, seed=6).interval(names=["f1"])
    assert pickle.loads(pickle.dumps(found)).interval() == found.interval()
    assert len(found) == len(whole)


@pytest.mark.parametrize(
    ("name", "columns", "options"),
    [
        ("label_metrics", (["a", "b", "b", "c"] * 9, ["a", "b", "c", "c"] * 9), {"labels": ["a", "b", "c", "d"]}),
        ("label_metrics", ([["a"], ["b", "c"]] * 9, [["a", "b"], ["c"]] * 9), {"labels": ["a", "b", "c"], "task": "multi"}),
        ("label_metrics", ([["a", "b"], ["b", "c"]] * 9, [["a", "b"], ["c"]] * 9), {"task": "ranked", "k": (1, 2)}),
        ("retrieval_ranking", ([["a", "b"], ["b"], []] * 9, [["b"], ["b"], ["c"]] * 9), {"measures": ["gm_map", "rr", "num_ret"]}),
        ("semantic_answer_similarity", (["chat", "le chat"] * 9, [["chien"], ["chat noir"]] * 9), {"model": "lite"}),
    ],
)  # fmt: skip
def test_families(name, columns, options):
    whole = qassay.score(name, *columns, **options)
    parts = [PartialSums.of(part, n_resamples=12) for part in divided(whole, 0, 4)]
    found, expected = PartialSums.concat(parts), whole.summary([*whole.measures])
    assert found.summary([*whole.measures]) == expected
    assert {key: type(value) for key, value in found.summary([*expected]).items()} == {
        key: type(value) for key, value in expected.items()
    }
    assert found.interval() == PartialSums.of(whole, n_resamples=12).interval()


def test_sums_in_the_order_of_rows_differ_in_the_last_digit_at_most():
    rng = np.random.default_rng(0)
    answers = [[["a"], ["b"], ["c"], ["d"], ["e"]][: rng.integers(1, 6)] for _ in range(300)]
    whole = qassay.score("factoid_accuracy", answers, [["e"], ["c"], ["a"]] * 100)
    found = PartialSums.of(whole, n_resamples=0).summary(["mrr", "lenient_accuracy"])
    assert found == pytest.approx(whole.summary(["mrr", "lenient_accuracy"]), rel=1e-12)


def test_intervals_are_those_of_the_other_bootstrap_but_for_chance():
    whole = scores(3000)
    ours, others = (
        PartialSums.of(whole, n_resamples=2000).interval(names=["f1"]),
        whole.interval(n_resamples=2000, names=["f1"]),
    )
    width = others["f1"][1] - others["f1"][0]
    assert ours["f1"] == pytest.approx(others["f1"], abs=0.1 * width)


def test_the_weights_are_poisson():
    assert sum(_POISSON_SHARES) == 65536
    assert sum(number * share for number, share in enumerate(_POISSON_SHARES)) == 65536
    weights = poisson_weights(resampling_keys(range(200_000), 0), 0, 8)
    for number in range(4):
        assert (weights == number).mean() == pytest.approx(math.exp(-1) / math.factorial(number), abs=2e-3)
    table = np.corrcoef(weights.T.astype(float))
    assert abs(table - np.eye(8)).max() < 0.01  # resamples do not know of each other
    neighbours = np.corrcoef(weights[1:, 0], weights[:-1, 0])[0, 1]
    assert abs(neighbours) < 0.01


def test_weights_follow_from_seed_id_and_resample_alone():
    ids = [f"question {row}" for row in range(500)]
    whole = poisson_weights(resampling_keys(ids, 4), 0, 40)
    some = poisson_weights(resampling_keys(ids[100:200][::-1], 4), 20, 8)
    assert (whole[100:200, 20:28][::-1] == some).all()
    assert resampling_keys([7], 0) != resampling_keys(["7"], 0)
    assert resampling_keys([7], 0) == resampling_keys(range(7, 8), 0) == resampling_keys(np.array([7]), 0)
    golden = poisson_weights(resampling_keys(["q1", "q2"], 0), 0, 8).tolist()
    assert golden == [[2, 0, 2, 2, 3, 1, 1, 0], [1, 0, 0, 1, 0, 0, 0, 1]]  # on every machine, in every version


def test_no_examples():
    empty = scores().subset([False] * 400)
    found = PartialSums.concat([PartialSums.of(empty, n_resamples=8), PartialSums.of(scores(), n_resamples=8)])
    assert found.interval() == PartialSums.of(scores(), n_resamples=8).interval()
    assert PartialSums.of(empty, n_resamples=8).interval(names=["f1"]) == {"f1": (0.0, 0.0)}
    assert PartialSums.of(empty).summary(["f1", "total"]) == {"f1": 0.0, "total": 0}


def test_a_class_of_examples_without_weight_counts_in_averages():
    whole = qassay.score("label_metrics", ["a", "b", "b"], ["a", "b", "c"], weights=[1.0, 1.0, 0.0])
    assert whole.summary(["macro_f1"])["macro_f1"] == 2 / 3
    assert PartialSums.of(whole, n_resamples=0).summary(["macro_f1"])["macro_f1"] == 2 / 3


def test_more_examples_than_sums_hold_are_refused():
    one = PartialSums.of(scores(1), n_resamples=0)
    most = dataclasses.replace(one, size=2**32 - 1)
    assert len(PartialSums.concat([most, one])) == 2**32
    with pytest.raises(ValueError, match="sums hold at most 4,294,967,296 examples"):
        PartialSums.concat([most, one, one])


def test_refusals():
    whole = scores()
    with pytest.raises(ValueError, match="nothing to join"):
        PartialSums.concat([])
    with pytest.raises(ValueError, match="part 1 has other options: normalizer=french against squad"):
        PartialSums.concat(
            [PartialSums.of(whole, n_resamples=0), PartialSums.of(scores(normalizer="french"), n_resamples=0)]
        )
    with pytest.raises(ValueError, match="part 1 has another n_resamples or seed"):
        PartialSums.concat([PartialSums.of(whole, n_resamples=4), PartialSums.of(whole, n_resamples=8)])
    with pytest.raises(ValueError, match="these sums have no resamples; give n_resamples"):
        PartialSums.of(whole, n_resamples=0).interval()
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        PartialSums.of(whole, n_resamples=4).interval(level=95)
    with pytest.raises(ValueError, match=r"no measure 'em'.*there are: exact_match"):
        PartialSums.of(whole, names=["em"])
    with pytest.raises(ValueError, match="no measure 'f2'"):
        PartialSums.of(whole, n_resamples=0).summary(["f2"])
    curve = qassay.score("average_precision", [0.5, 0.1], [True, False])
    with pytest.raises(ValueError, match="average_precision sorts the examples .*; use keep='scores'"):
        PartialSums.of(curve)
    with pytest.raises(TypeError, match="all of one type; got str: 'a' and int: 1"):
        resampling_keys(["a", 1], 0)
