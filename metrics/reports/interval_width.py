"""How many examples, or groups of examples, an interval of a wanted width needs."""

import math


def interval_half_width(low: float, high: float) -> float:
    """Half the width of an interval: the value is known to plus or minus that."""
    return (high - low) / 2


def examples_for_width(n: int, half_width: float, target: float) -> int | None:
    """About how many examples, or groups, it takes until an interval reaches no further than `target` to each side.

    Widths shrink with the square root of their number, so that n * (half_width / target)^2 are needed; of
    that many, two digits are sure at most, and it is rounded up to those.

    Args:
        n: examples, or groups of them, that the interval rests on; where the examples have groups, the number of groups
            counts.
        half_width: of the interval now, on any scale; see `interval_half_width`.
        target: the wanted one, on the same scale.

    Returns:
        A number of examples, or of groups, n itself where the interval is that narrow already; None where the width says nothing: it
        is 0 or not finite, or there are no examples.

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
