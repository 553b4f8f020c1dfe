"""Plans: the number of questions against simulations, and the same number as in comparisons."""

import json

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import qassay
from qassay.cli import main
from qassay.core.intervals import share_interval
from qassay.stats.sample_size import least_enough, n_needed_for, power_of

FILES = [f"samples/answers/{name}.json" for name in ("gold", "small_model", "large_model")]


@pytest.fixture(scope="module")
def systems():
    return qassay.score_files(FILES[0], FILES[1:])


def test_a_width_is_that_of_wilsons_interval():
    found = qassay.plan(share=0.7, width=0.1)
    low, high, _ = share_interval(0.7, found.n, 0.95)
    assert high - low == pytest.approx(found.at(found.n).width) and high - low <= 0.1
    low, high, _ = share_interval(0.7, found.n - 1, 0.95)
    assert high - low > 0.1


def test_the_difference_of_a_pilot_needs_what_its_comparison_says(systems):
    for measure in ("exact_match", "f1"):
        compared = qassay.compare(systems, [measure]).differences[0]
        found = qassay.plan(systems, measure=measure, difference=compared.difference)
        assert found.n == compared.n_needed
    grouped = qassay.score_files(*[FILES[0], FILES[1:]], groups="article")
    compared = qassay.compare(grouped, ["f1"]).differences[0]
    found = qassay.plan(grouped, measure="f1", difference=compared.difference)
    assert (found.n, found.n_groups) == (compared.n_needed, compared.groups_needed)


def test_a_pilot_whose_changes_all_point_one_way_needs_what_its_comparison_says():
    first = [0.62, 0.71, 0.58, 0.66, 0.70, 0.64, 0.69, 0.61, 0.73, 0.67] * 2
    second = [value + 0.03 + 0.001 * index for index, value in enumerate(first)]
    pilot = {"a": qassay.scores_of({"s": first}), "b": qassay.scores_of({"s": second})}
    compared = qassay.compare(pilot).differences[0]
    assert compared.test == "rule of three"
    assert qassay.plan(pilot, difference=compared.difference).n == compared.n_needed == 14
    assert qassay.plan(pilot, difference=0.001).n >= 59


def test_power_is_the_inverse_of_the_number_needed():
    # statsmodels 0.14.6: NormalIndPower(ddof=0).solve_power(0.2, power=0.8, alpha=0.05, ratio=0) is 196.2
    assert n_needed_for(0.2, 0.95, 1, 1) == (197, 197)
    assert power_of(0.2, 0.95, 196.2) == pytest.approx(0.8, abs=1e-4)
    assert least_enough(lambda n: n >= 7, 1, 6) is None


def test_groups_and_runs_change_the_variance_as_the_design_effect_says():
    alone, grouped = (qassay.plan(share=0.7, difference=0.05, group_sizes=size) for size in (1, 5))
    assert grouped.n == pytest.approx(1.4 * alone.n, abs=5)
    assert grouped.n_groups * 5 == grouped.n and alone.n_groups is None
    uneven = qassay.plan(share=0.7, difference=0.05, group_sizes=[1, 9])
    assert uneven.design_effect == pytest.approx(1 + 0.1 * (82 / 10 - 1))
    once, often = (qassay.plan(share=0.7, width=0.1, runs=runs, run_share=0.4).n for runs in (1, 4))
    assert often == pytest.approx(0.7 * once, rel=0.03)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 0.7}, "give width or difference"),
        ({"share": 0.7, "width": 0.1, "difference": 0.1}, "give width or difference"),
        ({"width": 0.1}, "give a pilot or a share"),
        ({"share": 70, "width": 0.1}, "share must be a number above 0 and below 1; got 70; 70 per cent is 0.7"),
        ({"share": 0.7, "difference": 3}, "got 3; 3 per cent is 0.03"),
        ({"share": 0.7, "width": 0.1, "measures": ["f1"]}, "no argument 'measures' .did you mean 'measure'"),
        ({"share": 0.7, "width": 0.1, "group_sizes": 0}, "group_sizes must be"),
        ({"share": 0.7, "width": 1e-8}, "more than 1,000,000,000 questions"),
        ({"pilot": qassay.scores_of({"s": [1, 0, 1]}), "width": 0.1}, "a pilot needs 10 questions or groups; got 3"),
        ({"pilot": qassay.scores_of({"s": [0.5] * 30}), "width": 0.1}, "s does not vary in the pilot"),
        ({"pilot": [1, 0, 1], "width": 0.1}, "a pilot is Scores.*qassay.scores_of takes numbers"),
    ],
)
def test_errors_say_what_to_give(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        qassay.plan(**given)


def test_the_command_prints_the_same_plan(capsys):
    assert main(["plan", *FILES, "--measures", "f1", "--difference", "5", "--percent", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == qassay.plan(qassay.score_files(FILES[0], FILES[1:]), measure="f1", difference=0.05).n
    assert [point["n"] for point in found["curve"]] == sorted(point["n"] for point in found["curve"])
    assert main(["plan", "--width", "0.1"]) == 2
    assert "give a pilot or a share" in capsys.readouterr().err
    assert "625 questions are needed" in str(qassay.plan(share=0.7, difference=0.05))


def test_a_correlation_that_no_pilot_shows_is_printed(systems):
    assert "correlation of the systems 0.3 (assumed)" in str(qassay.plan(share=0.7, difference=0.05, correlation=0.3))
    assert "(assumed)" not in str(qassay.plan(systems, measure="f1", difference=0.05))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("share", "difference", "correlation", "size"), [(0.7, 0.1, 0.5, 1), (0.85, 0.05, 0.3, 1), (0.6, 0.1, 0.5, 5)]
)
def test_simulated_samples_have_the_planned_power_and_deviation(share, difference, correlation, size):
    rng = np.random.default_rng(1)
    plan = qassay.plan(
        share=share, difference=difference, correlation=correlation, group_sizes=size, group_correlation=0.2
    )
    other, units, samples = share + difference, plan.n_groups or plan.n, 2000
    both = share * other + correlation * np.sqrt(share * (1 - share) * other * (1 - other))
    chances = [both, share - both, other - both, 1 - share - other + both]
    # With probability sqrt(.2) a question repeats the outcome of its group, so two of them correlate by .2.
    kinds = rng.choice(4, (samples, units, size), p=chances)
    common = rng.choice(4, (samples, units, 1), p=chances)
    kinds = np.where(rng.random(kinds.shape) < np.sqrt(0.2), common, kinds) if size > 1 else kinds
    changes = ((kinds == 2).astype(float) - (kinds == 1)).mean(axis=2)
    found = np.mean(ttest_1samp(changes, 0, axis=1).pvalue < 0.05)
    assert abs(found - 0.8) < 0.03
    detectable = (1.96 + 0.8416) * np.mean(changes.std(axis=1, ddof=1)) / np.sqrt(units)
    assert detectable == pytest.approx(plan.at(plan.n).detectable, rel=0.03)
