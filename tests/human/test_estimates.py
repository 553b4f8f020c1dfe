"""PPI++ and Rogan-Gladen: numbers of ppi-python 0.2.3 and truescore 0.7.4 on rows made here, and how often intervals cover."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from qassay.human.estimates import Sample, ppi, rogan_gladen

ROWS = np.arange(150)


def made(is_verdict):
    """Predictions and verdicts of 150 examples, every third of which is labelled."""
    predictions = (ROWS * 37 % 101) / 100
    verdicts = ((ROWS * 53 % 97) / 96 < 0.15 + 0.7 * predictions) * 1.0
    if is_verdict:
        return (predictions > 0.45) * 1.0, verdicts
    return predictions, np.where(ROWS % 7 == 0, (ROWS * 29 % 50) / 50, verdicts)


def sample(predictions, verdicts, labelled, groups=None, weights=None):
    weights = np.ones(len(predictions)) if weights is None else weights
    return Sample(predictions, np.where(labelled, verdicts, np.nan), weights, groups)


# is_verdict, lam -> lambda and estimate of ppi_mean_pointestimate and of truescore, which agree; standard error of truescore
PUBLISHED = [
    (False, None, 0.3938729257704674, 0.5126468304365515, 0.06478509866707251),
    (False, 0.0, 0.0, 0.5208, 0.06789658402636306),
    (False, 0.5, 0.5, 0.51045, 0.0649833570300002),
    (False, 1.0, 1.0, 0.5001, 0.07159817455975118),
    (True, None, 0.17850071736011483, 0.5310749641319942, 0.06943539063708072),
    (True, 0.0, 0.0, 0.54, 0.07119963311072636),
    (True, 0.5, 0.5, 0.515, 0.07468614326551572),
    (True, 1.0, 1.0, 0.49, 0.09914861234756304),
]


def published(found, level=0.95, degrees=math.inf):
    """The published interval, from the published standard error."""
    half = stats.t.ppf((1 + level) / 2, degrees) * found.standard_error
    return found.value - half, found.value + half


@pytest.mark.parametrize(("is_verdict", "lam", "lam_used", "value", "error"), PUBLISHED)
def test_ppi_gives_the_numbers_of_ppi_python_and_truescore(is_verdict, lam, lam_used, value, error):
    found = ppi(sample(*made(is_verdict), ROWS % 3 == 0), lam, 0.95)
    assert (found.lam, found.value, found.standard_error) == pytest.approx((lam_used, value, error), abs=1e-12)


def test_lambda_0_gives_the_classical_interval():
    predictions, verdicts = made(True)
    found = ppi(sample(predictions, verdicts, ROWS % 3 == 0), 0.0, 0.95)
    # ppi-python divides the variance by n, and gives 0.4018538186713506 to 0.6781461813486295
    half = (published(found)[1] - 0.54) * math.sqrt(49 / 50)
    assert (0.54 - half, 0.54 + half) == pytest.approx((0.4018538186713506, 0.6781461813486295), abs=1e-9)
    assert found.standard_error == pytest.approx(np.std(verdicts[ROWS % 3 == 0], ddof=1) / math.sqrt(50), abs=1e-12)


def test_weights_give_the_estimate_of_ppi_python():
    weights = 1.0 + ROWS % 4
    for is_verdict, value in ((False, 0.5011332258064516), (True, 0.4921451612903226)):
        found = ppi(sample(*made(is_verdict), ROWS % 3 == 0, weights=weights), 0.5, 0.95)
        assert found.value == pytest.approx(value, abs=1e-12)


def test_whole_groups_give_the_interval_of_truescore():
    groups = ROWS // 15
    expected = {
        False: (0.49544363772741273, 0.02033291834939369, 0.43073521685074945, 0.560152058604076),
        True: (0.5044536107125778, 0.021206342539134802, 0.4369655642503275, 0.571941657174828),
    }
    for is_verdict, numbers in expected.items():
        given = sample(*made(is_verdict), groups % 3 == 0, groups)
        found = ppi(given, None, 0.95)
        interval = published(found, degrees=3)  # four groups have labels
        assert (found.value, found.standard_error, *interval) == pytest.approx(numbers, abs=1e-9)
        assert found.interval[0] < interval[0]


def test_examples_of_one_group_belong_together_also_across_labels():
    predictions, verdicts = made(False)
    labelled = ROWS % 3 == 0
    pairs = sample(np.repeat(predictions, 2), np.repeat(verdicts, 2), np.repeat(labelled, 2), np.repeat(ROWS, 2))
    once = ppi(sample(predictions, verdicts, labelled), 0.4, 0.95)
    twice = ppi(pairs, 0.4, 0.95)
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    # the labelled half of each group minus its other half: shared parts cancel
    half = sample(np.repeat(predictions, 2), np.repeat(predictions, 2), np.tile([True, False], 150), np.repeat(ROWS, 2))
    assert ppi(half, 1.0, 0.95).standard_error == pytest.approx(np.std(predictions, ddof=1) / math.sqrt(150), rel=1e-12)


def test_rogan_gladen_gives_the_numbers_of_truescore():
    expected = {
        0.95: (0.62, 0.4849166168917811, 0.7550833831082187),
        0.8: (0.62, 0.5316737233607768, 0.708326276639223),
    }
    verdicts = ((ROWS * 53 % 97) / 96 < 0.6) * 1.0
    given = sample(np.where(ROWS % 11 == 0, 1 - verdicts, verdicts), verdicts, ROWS % 3 == 0)
    for level, numbers in expected.items():
        found = rogan_gladen(given, level)
        assert (found.value, *published(found, level)) == pytest.approx(numbers, abs=1e-9)


@pytest.mark.parametrize("verdict", [0.0, 1.0])
def test_labels_that_all_agree_do_not_give_an_interval_of_no_width(verdict):
    predictions = np.full(500, verdict)
    for groups, lam in itertools.product((None, np.arange(500) // 2), (None, 0.0, 1.0)):
        found = ppi(sample(predictions, predictions, np.arange(500) < 20, groups), lam, 0.95)
        low, high = found.interval
        assert found.value == verdict and low <= verdict <= high and 0.1 < high - low < 0.35
        if groups is not None:
            assert high - low > 0.2


# --- coverage ---------------------------------------------------------------------------------------------------------


def drawn(rng, kind, share, sensitivity, specificity, n, labelled, groups=0, correlation=0.0):
    """A sample of a judge with these rates; groups may share their rates of right answers and of right verdicts."""
    code = np.arange(n) % groups if groups else None

    def rates(mean):
        a = (1 / correlation - 1) if groups else 0
        return rng.beta(mean * a, (1 - mean) * a, groups)[code] if groups else np.full(n, mean)

    verdicts = (rng.random(n) < rates(share)) * 1.0
    chance = rng.random(n)
    predictions = np.where(verdicts == 1, chance < rates(sensitivity), chance >= rates(specificity)) * 1.0
    if kind == "f1":
        predictions = np.where(rng.random(n) < 0.4, rng.random(n), predictions)
    if kind == "fractions":
        verdicts = np.where(rng.random(n) < 0.3, rng.random(n), verdicts)
        share = 0.7 * share + 0.15
    return sample(predictions, verdicts, np.arange(n) < labelled, code), share


def coverage(estimate, rounds, *case, seed=0):
    """The share of intervals that hold the truth."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(rounds):
        given, truth = drawn(rng, *case)
        low, high = estimate(given).interval
        hits += low - 1e-9 <= truth <= high + 1e-9
    return hits / rounds


def tuned(given):
    return ppi(given, None, 0.95)


def test_intervals_cover_in_groups():
    assert 0.93 <= coverage(tuned, 400, "verdict", 0.7, 0.9, 0.9, 1200, 200, 60, 0.3) <= 0.995


def holds(estimate, cases, rounds=500):
    """Whether intervals hold the truth in 94 % of the rounds, and in 92.5 % of those of each case, as chance allows."""
    found = [coverage(estimate, rounds, *case) for case in cases]
    return np.mean(found) >= 0.94 and min(found) >= 0.925


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "sensitivity", "specificity", "labels", "lam"),
    [
        ("verdict", 0.9, 0.9, 100, None),
        ("verdict", 0.99, 0.97, 100, 1.0),
        ("f1", 0.98, 0.6, 100, 0.0),
        ("f1", 0.98, 0.6, 20, None),
        ("fractions", 0.9, 0.9, 20, None),
    ],
)
def test_intervals_cover(kind, sensitivity, specificity, labels, lam):
    cases = [(kind, share, sensitivity, specificity, 1000, labels) for share in (0.05, 0.5, 0.8, 0.95)]
    assert holds(lambda given: ppi(given, lam, 0.95), cases)


@pytest.mark.thorough
@pytest.mark.parametrize(("groups", "correlation"), [(20, 0.4), (100, 0.1)])
def test_intervals_cover_by_groups(groups, correlation):
    assert holds(tuned, [("verdict", share, 0.9, 0.9, 1000, 100, groups, correlation) for share in (0.5, 0.8)])


@pytest.mark.thorough
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.8, 0.8), (0.98, 0.6)])
def test_rogan_gladen_covers(sensitivity, specificity):
    cases = [("verdict", share, sensitivity, specificity, 2000, 100) for share in (0.1, 0.5, 0.8)]
    assert holds(lambda given: rogan_gladen(given, 0.95), cases)
