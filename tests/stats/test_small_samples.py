"""Intervals and tests of differences in small samples: right or wrong, skewed, and without a tail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from qassay.stats.spreads import tango_interval, with_skew, without_skew

from .some_scores import compare_all, table


@pytest.mark.parametrize(
    ("rises", "falls", "n", "level", "low", "high"),
    [
        (0, 1, 44, 0.90, -0.096, 0.037),  # Tango (1998), his example of contact lenses, to three digits
        (9, 3, 32, 0.95, -0.027, 0.390),  # Newcombe (1998) and ratesci
        (1, 7, 21, 0.95, -0.517, -0.026),  # Fagerland, Lydersen and Laake (2014)
    ],
)
def test_the_interval_of_tango_as_published(rises, falls, n, level, low, high):
    assert np.round(tango_interval(rises, falls, n, level), 3).tolist() == [low, high]


@pytest.mark.parametrize(
    ("rises", "falls", "n", "level", "low", "high"),
    [  # tango_scc_paired_ci of evalstats 0.3.3, which solves a quartic, without its correction for continuity
        (7, 3, 50, 0.95, -0.05015339723534679, 0.21590534924903118),
        (0, 0, 20, 0.95, -0.16112515805281938, 0.16112515805281932),
        (5, 0, 20, 0.95, 0.04859355243397576, 0.46870087761874446),
        (20, 0, 20, 0.95, 0.6777496838943565, 1.0),
        (12, 30, 200, 0.95, -0.155082053242735, -0.027641709436084762),
        (0, 3, 30, 0.99, -0.3192352612829028, 0.09921951303992184),
    ],
)
def test_the_interval_of_tango_as_another_tool_solves_it(rises, falls, n, level, low, high):
    assert tango_interval(rises, falls, n, level) == pytest.approx((low, high), abs=1e-9)


def test_right_or_wrong_measures_have_it():
    first, second = np.repeat([1.0, 0.0, 1.0], [3, 7, 40]), np.repeat([0.0, 1.0, 1.0], [3, 7, 40])
    systems = {"a": table(x=first), "b": table(x=second)}
    found = compare_all(systems, ["x"]).differences[0]
    assert found.interval.method == "Tango"
    assert found.interval == pytest.approx(tango_interval(7, 3, 50, 0.95))
    in_pairs = compare_all(systems, ["x"], groups=[str(row // 2) for row in range(50)]).differences[0]
    assert in_pairs.interval.method == "effective wilson"
    second[-1] = 0.5
    found = compare_all({"a": table(x=first), "b": table(x=second)}, ["x"]).differences[0]
    assert found.interval.method == "effective wilson"


@pytest.mark.parametrize("differ", [6, 13, 40, 121])
def test_an_interval_of_tango_is_beside_0_where_the_exact_test_finds_a_difference(differ):
    for rises in range(differ // 2, differ + 1):
        low, _ = tango_interval(rises, differ - rises, 200, 0.95)
        assert low > 0 or binomtest(rises, differ).pvalue >= 0.05


@given(st.floats(-8, 8), st.floats(0.05, 2).flatmap(lambda size: st.sampled_from([size, -size])))
def test_the_correction_for_skewness_has_its_inverse_and_rises(t, skew):
    assert without_skew(with_skew(t, skew), skew) == pytest.approx(t, abs=1e-4)
    assert with_skew(t + 0.01, skew) >= with_skew(t, skew)


def of_changes(changes, low=0.0, high=0.92, **settings):
    """Compare a system whose values are evenly spaced from low to high with one whose values differ by these changes."""
    first = np.linspace(low, high, len(changes))
    return compare_all({"a": table(x=first), "b": table(x=first + changes)}, ["x"], n_permutations=200, **settings)


def test_skewed_differences_are_not_called_different_too_soon():
    rng, found = np.random.default_rng(4), np.zeros(2)
    for _ in range(300):
        changes = np.minimum(0.5, 0.15 * (rng.lognormal(0, 1, 20) - np.exp(0.5)))
        difference = of_changes(changes).differences[0]
        found += [difference.p_value < 0.05, not difference.interval.low <= 0 <= difference.interval.high]
    assert (found / 300 < 0.1).all()  # without the correction .14 and .12


def test_a_sample_without_a_loss_says_nothing_of_rare_losses():
    changes = np.array([0.07, 0.08] * 10)  # a whole loss in 13 examples would cancel these gains
    compared = of_changes(changes)
    found = compared.differences[0]
    assert found.test == "rule of three" and found.p_value == pytest.approx((1 - 0.075) ** 20)
    assert found.interval.method == "rule of three"
    assert found.interval == pytest.approx((0.075 - (1 - 0.05 ** (1 / 20)), 0.075 + (1 - 0.05 ** (1 / 20))))
    assert "lacks_tail" in found.cautions and "rare changes" in "".join(compared.remarks)
    assert found.n_needed == 39  # 0.925**39 is below 0.05
    assert of_changes(changes, test="wilcoxon").differences[0].test == "wilcoxon"  # not a test of means
    changes[10] = -0.11
    assert of_changes(changes).differences[0].test == "t of skewed"
    few, many = (of_changes(np.tile([0.01, 0.02], n)).differences[0] for n in (29, 30))
    assert (
        few.p_value == pytest.approx(0.95**58) and few.interval.low < 0
    )  # changes of one in 20 examples may be absent
    assert many.p_value == pytest.approx(0.95**60) and many.interval.low > 0


def test_values_of_a_narrow_range_have_no_rare_change_by_more():
    found = of_changes(np.array([-0.05, -0.04] * 10), 0.85, 0.95).differences[0]
    assert found.p_value < 0.01 and found.interval.high < 0


def test_rankings_have_the_same_corrections():
    gains = np.array([0.05, 0.1] * 10)
    first = np.linspace(0, 0.6, 20)
    systems = {name: table(x=first + step * gains) for name, step in (("a", 0), ("b", 1), ("c", 4))}
    ranking = compare_all(systems, ["x"]).ranking("x")
    assert ranking.names == ["c", "b", "a"] and "lacks_tail" in ranking.cautions
    assert ranking.p_values[1, 2] == pytest.approx(3 * (1 - 0.075 / 0.7) ** 20)  # values from 0 to 0.7
    assert [ranked.letters for ranked in ranking.systems] == ["a", "b", "b"]


def test_a_third_system_does_not_change_the_range_of_a_pair():
    first, gains = np.linspace(0.85, 0.9, 30), np.tile([0.01, 0.02, 0.03], 10)
    pair = {"a": table(x=first), "b": table(x=first + gains)}
    alone, among = (compare_all(systems, ["x"]).ranking("x") for systems in (pair, pair | {"c": table(x=first * 0)}))
    assert [one.letters for one in alone.systems] == ["a", "b"]
    assert [one.letters for one in among.systems] == ["a", "b", "c"]
