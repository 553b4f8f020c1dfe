"""Rank correlations of systems: as scipy has them, tau_ap by its definition, intervals over questions."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from qassay.core.groups import Groups
from qassay.core.interval_settings import Intervals
from qassay.stats.rank_agreement import kendall_tau, rank_agreement, tau_ap


def test_tau_matches_scipy_with_ties():
    first, second = np.random.default_rng(0).integers(0, 5, (2, 50, 7)).astype(float)
    theirs = [kendalltau(*pair).statistic for pair in zip(first, second, strict=True)]
    assert kendall_tau(first, second) == pytest.approx(np.array(theirs), abs=1e-12)


def test_tau_ap_is_its_definition_and_ties_are_the_mean_over_orders():
    rng = np.random.default_rng(1)
    for _ in range(20):
        first, second = rng.permutation(8), rng.permutation(8)
        ranked = first[np.argsort(-second)]
        share = [np.mean(ranked[:place] > ranked[place]) for place in range(1, 8)]
        assert tau_ap(first, second) == pytest.approx(2 * np.mean(share) - 1, abs=1e-12)
    truth, tied = np.array([4, 3, 2, 1]), np.array([5, 5, 3, 1])
    orders = [tau_ap(truth, np.array(order)) for order in ([6, 5, 3, 1], [5, 6, 3, 1])]
    assert tau_ap(truth, tied) == pytest.approx(np.mean(orders), abs=1e-12)


def test_intervals_are_over_questions_and_equal_systems_have_none():
    rng = np.random.default_rng(2)
    systems, questions = np.tile(np.arange(5), 200), np.repeat(np.arange(200), 5)
    people = (rng.random(1000) < 0.3 + 0.1 * systems).astype(float)
    judge = np.where(rng.random(1000) < 0.8, people, rng.random(1000))
    found = rank_agreement(people, judge, systems, Groups.of(questions.tolist()), Intervals(n_resamples=200))
    low, high = found.intervals["tau"]
    assert low <= found.tau <= high <= 1 and found.n_systems == 5 and low > 0
    equal = rank_agreement(np.ones(1000), judge, systems, Groups.of(questions.tolist()), Intervals(n_resamples=20))
    assert equal.tau is None and tuple(equal.intervals["tau"]) == (None, None)
