"""Quantiles of Student's t against those of scipy."""

import math

import pytest
from scipy.special import stdtrit

from qassay.core.student import student_quantile


@pytest.mark.parametrize("degrees", [1, 2, 2.5, 7.3, 19, 99.5, 1999.9, 2000, 1e5, 1e9])
def test_quantiles_match_scipy(degrees):
    for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999):
        assert student_quantile(level, degrees) == pytest.approx(stdtrit(degrees, (1 + level) / 2), rel=1e-9)
    assert student_quantile(0.95, 0.5) == math.inf
