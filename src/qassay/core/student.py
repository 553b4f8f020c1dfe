"""The quantile of Student's t distribution without scipy, whose import takes a hundred times longer."""

import functools
import math
from statistics import NormalDist

import numpy as np

_LARGE = 2000.0  # degrees of freedom above which the expansion is as exact as the integral
_QUADRATURE_NODES = 96
_HALVINGS = 60


@functools.lru_cache(4096)
def student_quantile(confidence: float, degrees: float) -> float:
    """The two-sided quantile of Student's t distribution.

    With infinite degrees of freedom it is the quantile of the normal distribution; with less than one it is infinite. The
    error is below 1e-9 for levels up to .9999 and 2 degrees of freedom or more.

    Source: Abramowitz and Stegun (1964), 26.7.3 (the integral over the angle, t = sqrt(degrees) tan(angle)) and 26.7.5 (the
    expansion).

    Example:
        >>> round(student_quantile(0.95, 9), 6), round(student_quantile(0.95, math.inf), 6)
        (2.262157, 1.959964)
    """
    if degrees < 1:
        return math.inf
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    if degrees >= _LARGE:
        terms = (
            z,
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return sum(term / degrees**power for power, term in enumerate(terms))
    nodes, weights = _quadrature()
    whole = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        angle = (low + high) / 2
        inside = whole * angle * float(weights @ np.cos(angle / 2 * (1 + nodes)) ** (degrees - 1))
        low, high = (angle, high) if inside < confidence else (low, angle)
    return math.sqrt(degrees) * math.tan((low + high) / 2)


@functools.cache
def _quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss-Legendre quadrature, cached because computing them takes longer than using them."""
    return np.polynomial.legendre.leggauss(_QUADRATURE_NODES)
