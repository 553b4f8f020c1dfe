"""The step-down correction against the algorithm of Romano and Wolf written out, and what it must hold."""

import numpy as np
import pytest

from qassay.stats.joint_tests import step_down


def written_out(sizes, variances, moved, weights, plus):
    """Test the largest of the remaining pairs, remove it, and repeat."""
    first, second = np.triu_indices(len(sizes), 1)
    left = sorted(zip(first.tolist(), second.tolist(), strict=True), key=lambda pair: -sizes[pair])
    p_values, least = {}, 0.0
    while left:
        largest = np.array(
            [
                max(abs(row[i] - row[j]) / variances[i, j] ** 0.5 if variances[i, j] else 0 for i, j in left)
                for row in moved
            ]
        )
        hit = weights[largest >= sizes[left[0]] * (1 - 1e-9)].sum()
        least = max(least, (hit + plus) / (weights.sum() + plus))
        p_values[left.pop(0)] = min(1.0, least)
    return p_values


@pytest.mark.parametrize("in_all", [False, True])
def test_it_is_the_algorithm_of_romano_and_wolf(in_all):
    rng = np.random.default_rng(3)
    k, b = 5, 200
    moved = rng.normal(size=(b, k)) * [1, 1, 2, 0.5, 1]
    moved[:, 1] = 0.7 * moved[:, 0] + 0.3 * moved[:, 1]
    variances = np.array([[((moved[:, i] - moved[:, j]) ** 2).mean() for i in range(k)] for j in range(k)])
    variances[0, 4] = variances[4, 0] = 0.0
    values = np.array([0.0, 1.1, 4.0, 0.2, 0.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(variances > 0, abs(values[:, None] - values) / np.sqrt(variances), 0.0)
    shares = rng.dirichlet(np.ones(b)) if in_all else None
    found = step_down(sizes, variances, [moved[:80], moved[80:]], shares)
    weights = np.ones(b) if shares is None else shares
    for pair, p in written_out(sizes, variances, moved, weights, 0 if in_all else 1).items():
        assert found.of_all[pair] == pytest.approx(p, rel=1e-12)
        assert found.of_all[pair[::-1]] == found.of_all[pair]
    for system in range(k):
        systems = [system, *(other for other in range(k) if other != system)]
        alone = {
            pair: size for pair, size in np.ndenumerate(sizes[np.ix_(systems, systems)]) if pair[0] == 0 and pair[1] > 0
        }
        order = sorted(alone, key=alone.get, reverse=True)
        least = 0.0
        for place, (_, other) in enumerate(order):
            rest = [systems[pair[1]] for pair in order[place:]]
            chance = abs(moved[:, [system]] - moved[:, rest])
            spread = np.sqrt(variances[system, rest])
            chance = np.where(spread > 0, chance / np.where(spread > 0, spread, 1), 0).max(axis=1)
            hit = weights[chance >= alone[0, other] * (1 - 1e-9)].sum()
            plus = 0 if in_all else 1
            least = max(least, (hit + plus) / (weights.sum() + plus))
            assert found.of_each[system, systems[other]] == pytest.approx(min(1.0, least), rel=1e-12)
    known = ~np.eye(k, dtype=bool)
    assert (found.of_each[known] <= found.of_all[known]).all()
    assert np.isnan(np.diag(found.of_all)).all()


def test_a_pair_of_unknown_size_is_not_told_apart_and_changes_no_other():
    rng = np.random.default_rng(1)
    sizes = np.zeros((3, 3))
    sizes[0, 1] = sizes[1, 0] = 2.5
    unknown = sizes.copy()
    unknown[:, 2] = unknown[2] = np.nan
    moved = rng.normal(size=(200, 3))
    expected, found = (step_down(of, np.full((3, 3), 2.0), [moved]).of_all for of in (sizes, unknown))
    assert found[0, 1] == expected[0, 1] < 0.1
    assert found[0, 2] == found[1, 2] == 1.0
