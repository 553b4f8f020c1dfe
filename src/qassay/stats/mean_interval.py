"""The interval of a mean, given only the values of a measure."""

from collections.abc import Sequence
from typing import Any

from ..core.intervals import Interval
from ..core.measures import Mean
from ..core.scores import Scores


def mean_interval(values: Sequence[float], confidence: float = 0.95, groups: Sequence[Any] | None = None) -> Interval:
    """The interval of the mean of a measure over examples, as in `Scores.interval`.

    Args:
        values: one per example, from 0 to 1; NaN where the measure does not apply.
        confidence: as in `Scores.interval`.
        groups: the group of each example, a string or a number.

    Raises:
        ValueError: a value below 0 or above 1, because the range of the measure is then unknown. TypeError, ValueError:
            groups that `Scores.with_groups` refuses.

    Example:
        >>> low, high = mean_interval([1.0, 0.0, 1.0, 1.0])
        >>> round(low, 3), round(high, 3)
        (0.301, 0.954)
    """
    outside = [value for value in values if value < 0 or value > 1]
    if outside:
        raise ValueError(f"an interval of a mean needs values from 0 to 1; got {outside[0]}")
    measures = {"mean": Mean("mean")}
    scores = Scores(ids=range(len(values)), columns={"mean": values}, measures=measures, options=None)
    return (scores if groups is None else scores.with_groups(groups)).interval(confidence=confidence)["mean"]
