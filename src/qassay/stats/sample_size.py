"""How many examples an interval or a test needs: one formula for plans, comparisons and calibrations."""

import math
from collections.abc import Callable
from statistics import NormalDist

POWER = 0.8  # share of cases in which `n_needed` examples suffice


def least_signs(confidence: float) -> int:
    """The number of equal signs that a sign test needs to reach p below 1 - confidence; 6 for 0.95."""
    return math.floor(1 - math.log2(round(1 - confidence, 12))) + 1


def deviations_needed(confidence: float, power: float = POWER) -> float:
    """The size of a difference, in standard errors, that a two-sided test finds with this probability.

    Example:
        >>> round(deviations_needed(0.95), 4)
        2.8016
    """
    normal = NormalDist()
    return normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(power)


def n_needed_for(
    effect: float | None, confidence: float, n: int | float, n_units: int | float, power: float = POWER
) -> tuple[int | None, int | None]:
    """The numbers of examples and units with which a two-sided test detects an effect with this probability.

    Uses the normal approximation, with at least as many units as a sign test needs to reach p below 1 - confidence. A unit
    is a group or an example.

    Args:
        effect: the difference divided by its standard deviation for one example.
        n, n_units: the numbers of examples and units; their ratio is the size of a unit.
    """
    if not effect:
        return None, None
    size = n / n_units
    needed = (deviations_needed(confidence, power) / effect) ** 2 / size
    units = max(least_signs(confidence), math.ceil(needed))
    return math.ceil(units * size), units


def power_of(effect: float, confidence: float, n: float) -> float:
    """The probability that a two-sided test with n examples finds an effect; the inverse of `n_needed_for`.

    Example:
        >>> round(power_of(0.2, 0.95, 197), 2)
        0.8
    """
    normal, size = NormalDist(), abs(effect) * math.sqrt(n)
    quantile = normal.inv_cdf((1 + confidence) / 2)
    return normal.cdf(size - quantile) + normal.cdf(-size - quantile)


def least_enough(is_enough: Callable[[int], bool], low: int, high: int) -> int | None:
    """The smallest number from low to high that is enough, if all larger numbers are enough too; None if no number is.

    Example:
        >>> least_enough(lambda n: n * n > 50, 1, 100)
        8
    """
    if not is_enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low
