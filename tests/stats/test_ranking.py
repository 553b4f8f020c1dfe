"""Rankings: p-values against all sign flips and against `compare`, what changes nothing, groups, runs."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.intervals import Interval
from qassay.stats.ranking import RankedSystem, Ranking

from .some_scores import exact, rank_all
from .some_scores import of_three_kinds as table

FEW = {"n_resamples": 60, "n_permutations": 200}


def some_systems(k=4, n=40, seed=0, **more):
    """Systems; the first are better."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    found = {}
    for place in range(k):
        values = np.round(np.clip(1.2 - hard - 0.15 * place + rng.normal(0, 0.3, n), 0, 1), 1)
        found[f"s{place}"] = table(values, **more)
    return found


def of_mean(systems, **more):
    return rank_all(systems, ["mean"], **{**FEW, **more}).rankings["mean"]


def p_of(ranking, first, second):
    names = ranking.names
    return ranking.p_values[names.index(first), names.index(second)]


# p-values


def all_flips(first, second, groups):
    """The share of all swaps of groups for which the sum of differences is as far from 0."""
    sums = [(second - first)[groups == group].sum() for group in np.unique(groups)]
    every = [abs(np.dot(signs, sums)) for signs in itertools.product([1, -1], repeat=len(sums))]
    return np.mean([size >= abs(sum(sums)) - 1e-9 for size in every])


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("in_groups", [False, True])
def test_two_systems_have_the_p_value_of_all_flips_and_of_compare(seed, in_groups):
    rng = np.random.default_rng(seed)
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4, 4, 5, 6, 6, 7]) if in_groups else np.arange(9)
    first, second = rng.integers(0, 4, (2, len(groups))) / 4
    systems = {"a": table(first), "b": table(second)}
    labels = groups.tolist() if in_groups else None
    ranking = of_mean(systems, groups=labels, n_permutations=1000)
    assert (ranking.test, ranking.n, ranking.n_groups) == ("exact sign flips", len(groups), 8 if in_groups else None)
    assert p_of(ranking, "a", "b") == pytest.approx(all_flips(first, second, groups), rel=1e-12)
    (difference,) = qassay.compare(systems, "mean", groups=labels).differences
    assert p_of(ranking, "a", "b") == pytest.approx(difference.p_value, rel=1e-9)


@pytest.mark.parametrize(("name", "test"), [("gm", "permutation"), ("best", "bootstrap")])
def test_measures_that_are_not_means_find_what_compare_finds(name, test):
    systems = {name: scores for name, scores in some_systems(n=120).items() if name in ("s0", "s3")}
    (difference,) = qassay.compare(systems, name, test=test).differences
    ranking = rank_all(systems, [name]).rankings[name]
    assert ranking.test == ("sign flips" if name == "gm" else "bootstrap")
    assert p_of(ranking, "s0", "s3") == pytest.approx(difference.p_value, abs=0.03)


# Ranks


@pytest.mark.parametrize("lower", [False, True])
def test_ranks_go_with_the_values_and_intervals_with_the_letters(lower):
    ranking = of_mean(some_systems(8, 60, lower=lower))
    values = [of.value for of in ranking.systems]
    assert values == sorted(values, reverse=not lower)
    assert [of.rank for of in ranking.systems] == [
        1 + sum((other < value) if lower else (other > value) for other in values) for value in values
    ]
    for place, of in enumerate(ranking.systems):
        low, high = of.rank_interval
        assert low <= of.rank <= high
        apart = [not set(of.letters) & set(other.letters) for other in ranking.systems]
        assert apart == (ranking.p_values[place] < 0.05).tolist()
        assert low >= 1 + sum(apart[:place])
        assert high <= 8 - sum(apart[place + 1 :])
    assert sum(of.best_share for of in ranking.systems) == pytest.approx(1.0)


def test_a_system_far_ahead_is_the_best():
    systems = {"b": table([1.0] * 40), "a": table([0.0] * 39 + [1.0]), "c": table([0.0, 1.0] * 20)}
    first, second, third = of_mean(systems).systems
    assert [(of.system, of.rank_interval, of.letters) for of in (first, second, third)] == [
        ("b", (1, 1), "a"), ("c", (2, 2), "b"), ("a", (3, 3), "c"),
    ]  # fmt: skip
    assert [of.best_share for of in (first, second, third)] == [1.0, 0.0, 0.0]


# Changes without effect


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_neither_the_order_of_systems_nor_of_examples_changes_a_bit(seed, in_groups, with_gaps):
    rng = np.random.default_rng(seed)
    n = 30
    columns = {f"s{place}": rng.integers(0, 5, n) / 4 for place in range(4)}
    if with_gaps:
        columns["s2"][rng.integers(0, n, 3)] = math.nan
    groups = [f"g{label}" for label in rng.integers(0, 9, n)] if in_groups else None
    ids = [f"q{row}" for row in range(n)]
    order, places = rng.permutation(n), rng.permutation(4)

    def ranked(rows, names):
        systems = {
            name: table(columns[name], ids, np.arange(n) % 3 + 1.0, groups).take(np.asarray(rows)) for name in names
        }
        return {name: exact(ranking) for name, ranking in rank_all(systems, ["mean", "gm"], **FEW).rankings.items()}

    names = list(columns)
    assert ranked(np.arange(n), names) == ranked(order, [names[place] for place in places])


def test_groups_of_one_change_no_bit():
    systems = some_systems()
    alone = {name: scores.with_groups(range(100, 140)) for name, scores in systems.items()}
    for name, ranking in rank_all(systems, **FEW).rankings.items():
        other = rank_all(alone, **FEW).rankings[name]
        assert exact(dataclasses.replace(other, n_groups=None)) == exact(ranking)


# Contributions of units


def test_examples_a_measure_does_not_apply_to_in_all_systems_are_omitted():
    systems = some_systems(3, 30)
    values = systems["s1"].columns["x"].copy()
    values[[2, 5]] = math.nan
    systems["s1"] = table(values)
    board = rank_all(systems, ["mean"], **FEW)
    kept = [row for row in range(30) if row not in (2, 5)]
    alone = of_mean({name: scores.take(kept) for name, scores in systems.items()})
    ranking = board.rankings["mean"]
    assert (ranking.n, ranking.left_out) == (28, 2)
    assert [of.value for of in ranking.systems] == [of.value for of in alone.systems]
    with pytest.raises(ValueError, match="mean"):
        rank_all({**systems, "none": table([math.nan] * 30)}, ["mean"], **FEW)


# Runs


def runs_of(shares, n=60, seed=0):
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    return qassay.runs(
        [
            qassay.score(
                "answer_match", np.where(rng.random(n) * 0.5 + hard * 0.5 < share, "yes", "no").tolist(), [["yes"]] * n
            )
            for share in shares
        ]
    )


def test_runs_that_differ_make_p_larger_as_in_compare():
    systems = {"a": runs_of([0.75, 0.55, 0.7]), "b": runs_of([0.4, 0.3, 0.35], seed=1)}
    (difference,) = qassay.compare(systems, "exact_match").differences
    assert difference.test == "t over runs"
    ranking = rank_all(systems, ["exact_match"]).rankings["exact_match"]
    single = rank_all({name: scores.each_run()["run 1"] for name, scores in systems.items()}, ["exact_match"])
    assert p_of(ranking, "a", "b") == pytest.approx(difference.p_value, rel=0.3, abs=0.01)
    assert p_of(single.rankings["exact_match"], "a", "b") < p_of(ranking, "a", "b")


@pytest.mark.parametrize("name", ["mean", "best"])
def test_systems_that_differ_in_every_example_are_distinguished_with_runs_of_another(name):
    n = 60
    systems = {"bad": table([0.0] * n), "good": table([1.0] * n)}
    if name == "best":  # probabilities are unrelated to right and wrong, so every resample has the same values
        columns = {"y": np.zeros(n), "z": np.zeros(n)}
        systems = {of: dataclasses.replace(scores, columns=scores.columns | columns) for of, scores in systems.items()}
    runs = qassay.runs([table(np.random.default_rng(seed).integers(0, 2, n)) for seed in range(3)])
    for others in ({}, {"runs": runs}):
        ranking = rank_all({**systems, **others}, [name], **FEW).rankings[name]
        assert [of.value for of in ranking.systems if of.system != "runs"] == [1.0, 0.0]
        assert p_of(ranking, "good", "bad") < 0.02
        letters = {of.system: set(of.letters) for of in ranking.systems}
        assert not letters["good"] & letters["bad"]


# Comparisons


def test_a_comparison_ranks_its_systems_as_a_leaderboard_does():
    systems = some_systems(3)
    compared = qassay.compare(systems, ["mean", "gm"], **FEW, seed=5)
    for name, ranking in rank_all(systems, ["mean", "gm"], **FEW, seed=5).rankings.items():
        assert exact(compared.ranking(name)) == exact(ranking)
    assert compared.ranking().measure == "mean"
    with pytest.raises(ValueError, match="'men'"):
        compared.ranking("men")


def test_letters_of_two_characters_are_distinguished():
    """After z comes a2, a different letter from a."""
    systems = tuple(
        RankedSystem(name, 0.5, Interval(0.0, 1.0, "t"), 1, (1, 3), letters, 0.5)
        for name, letters in (("p", "a"), ("q", "a2b"), ("r", "aa2"))
    )
    ranking = Ranking("f1", systems, np.full((3, 3), np.nan), 9, 0.95)
    assert [one.system for one in ranking.tied_with_best] == ["p", "r"]


def test_systems_with_the_same_answers_are_equal():
    systems = some_systems(3)
    systems = {"c": systems["s0"], "a": systems["s0"], "b": systems["s2"]}
    for name, ranking in rank_all(systems, ["mean", "best"], **FEW).rankings.items():
        first, second, third = ranking.systems
        assert p_of(ranking, "a", "c") == 1.0, name
        assert (first.system, second.system, first.rank, second.rank, third.rank) == ("a", "c", 1, 1, 3)
        assert first.best_share == second.best_share
        assert first.letters == second.letters
