"""Slices of a comparison in one list, largest difference first."""

from typing import NamedTuple

from ..stats.difference import Difference
from .chart_parts import is_finite
from .comparison import ComparisonReport, rests_on_few

HARDLY_ANY = 5  # examples; smaller slices come last
_NEARLY_ALL = 0.9  # share of all examples, above which a slice may be nearly all of them


def is_nearly_all(n: int, total: int) -> bool:
    """Whether hardly any example lies outside a slice of n, so that it says nothing more than the whole.

    Example:
        >>> is_nearly_all(39, 40), is_nearly_all(7, 10), is_nearly_all(950, 1000)
        (True, False, False)
    """
    return total - n < HARDLY_ANY and n > _NEARLY_ALL * total


class SliceGap(NamedTuple):
    """The difference between two systems in a slice."""

    slicing: str
    label: str
    difference: Difference

    @property
    def is_few(self) -> bool:
        """Whether it rests on few examples or groups."""
        return rests_on_few(self.difference)


def widest_gaps(report: ComparisonReport, measure: str) -> list[SliceGap]:
    """The slices sorted by the difference of two systems in a measure, largest first; slices of few examples come later, and
    slices of nearly all examples last: they say nothing more than the whole.

    Of slices of the same examples, the first is listed.

    Args:
        report: of one pair of systems, from `of_pair`.
    """
    found = [
        SliceGap(slicing, label, one)
        for slicing, labels in report.slices.items()
        for label, differences in labels.items()
        for one in differences
        if one.measure == measure and is_finite(one.difference) and (slicing, label) not in report.repeated_slices
    ]
    total = max((one.n for one in report.differences if one.measure == measure), default=0)

    def order(gap: SliceGap) -> tuple[bool, bool, bool, float]:
        n = gap.difference.n
        return is_nearly_all(n, total), gap.is_few, n < HARDLY_ANY, -abs(gap.difference.difference)

    return sorted(found, key=order)
