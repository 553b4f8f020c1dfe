"""Corrections of p-values for the number of tests."""

from collections.abc import Sequence

import numpy as np

CORRECTIONS = ("holm", "bonferroni", "benjamini-hochberg", "none")


def corrected_p_values(p_values: Sequence[float], correction: str) -> list[float]:
    """The p-values of several tests, corrected so that false findings are as rare as in one test.

    Args:
        correction: "holm" or "bonferroni" (control the chance of any false finding), "benjamini-hochberg" (controls the
            share of false findings), or "none".

    Example:
        >>> corrected_p_values([0.01, 0.04, 0.03], "holm")
        [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, np.float64)
    size = len(given)
    if correction == "none" or size == 0:
        return list(given.tolist())
    if correction == "bonferroni":
        return list(np.minimum(1.0, size * given).tolist())
    if correction == "benjamini-hochberg":
        from scipy.stats import false_discovery_control

        return list(false_discovery_control(given, method="bh").tolist())
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(size, 0, -1))
    corrected = np.empty(size)
    corrected[order] = np.minimum(1.0, stepped)
    return list(corrected.tolist())
