"""Simulated p-values without a difference, effect sizes, and a class that is never found; benchmarks/ simulates intervals."""

import math

import numpy as np
import pytest

import qassay

from .some_scores import table


def difference_of(first, second, **settings):
    """The one difference of two systems with these values of examples."""
    systems = {"a": table(x=first), "b": table(x=second)}
    (found,) = qassay.compare(systems, ["x"], **{"n_resamples": 10, "n_permutations": 10, **settings}).differences
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("test", ["permutation", "bootstrap", "t", "wilcoxon"])
def test_p_values_are_uniform_without_a_difference(test, times=300):
    """Kolmogorov and Smirnov; fails for 1 of 1,000 seeds. The bootstrap needs many examples: 150."""
    from scipy import stats

    rng, p_values, n = np.random.default_rng(21), [], 150 if test == "bootstrap" else 40
    draws = {"n_permutations": 499, "n_resamples": 299 if test == "bootstrap" else 10}
    for _ in range(times):
        first = rng.normal(size=n)
        p_values.append(difference_of(first, first + rng.normal(size=n), test=test, **draws).p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3
    assert 0 < min(p_values) <= max(p_values) <= 1


def test_golden_effect_size_and_n_needed():
    """Differences of 1 and 0 in turn: mean 1/2, standard deviation 0.5 * sqrt(20 / 19)."""
    found = difference_of(np.zeros(20), np.tile([1.0, 0.0], 10))
    assert found.effect_size == pytest.approx(math.sqrt(19 / 20), rel=1e-12)
    assert found.n_needed == 9  # (1.95996 + 0.84162) ** 2 / 0.95 = 8.26


def test_the_interval_of_a_difference_allows_for_a_class_that_is_never_found():
    """Three of 100 labels are rare, and neither system finds them. Finding 30 % of these gains .15 macro F1."""
    gold = ["a"] * 50 + ["b"] * 47 + ["rare"] * 3
    systems = {}
    for name, wrong in (("first", range(0, 97, 5)), ("second", range(1, 97, 5))):
        found = [*gold[:97], "a", "b", "a"]
        for place in wrong:
            found[place] = "b" if gold[place] == "a" else "a"
        systems[name] = qassay.score("label_metrics", found, gold)
    low, high = qassay.compare(systems, ["macro_f1"], n_permutations=1).differences[0].interval
    assert low < -0.15 and high > 0.15
