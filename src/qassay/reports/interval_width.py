"""How many examples, or groups of examples, an interval of a given width needs."""

import math


def interval_half_width(low: float, high: float) -> float:
    """Half the width of an interval: the value is known to ± this number."""
    return (high - low) / 2


def examples_for_width(n: int, half_width: float, target: float) -> int | None:
    """About how many examples, or groups, give an interval of at most ± `target`.

    Widths shrink with the square root of n, so n * (half_width / target)^2 are needed. The number is rounded up to two
    digits, because further digits are not reliable.

    Args:
        n: the number of examples that the interval rests on; the number of groups if the examples have groups.
        half_width: of the current interval, on any scale; see `interval_half_width`.
        target: the wanted half width, on the same scale.

    Returns:
        A number of examples, or of groups; n if the interval is narrow enough; None if the half width is 0 or not finite, or
        without examples.

    Raises:
        ValueError: a target that is not above 0.
    """
    if not target > 0:
        raise ValueError(f"target must be above 0, got {target}")
    if n < 1 or not (0 < half_width < math.inf):
        return None
    if half_width <= target:
        return n
    exact = n * (half_width / target) ** 2
    step = 10 ** max(0, math.floor(math.log10(exact)) - 1)
    return max(n, math.ceil(exact / step - 1e-9) * step)
