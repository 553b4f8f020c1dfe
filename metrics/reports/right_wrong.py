"""Right and wrong answers of two systems in a table of two by two, for measures that know nothing between."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..comparison.paired_tests import mcnemar_p_value
from ..core.align import align_scores
from ..core.measures import are_right_or_wrong
from ..registry import compared_measures
from ..scoring import Scored


class RightWrong(NamedTuple):
    """Examples of two systems by which of them is right.

    Attributes:
        measure: of right (its largest value, 1 or 100) and wrong (0).
        both, only_first, only_second, neither: how many examples both have right, one alone, none.
    """

    measure: str
    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def n(self) -> int:
        """The examples that the measure applies to with both systems."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def p_value(self) -> float:
        """Of McNemar's exact test, two-sided, not corrected for several tests; its first call loads scipy."""
        return mcnemar_p_value(self.only_second, self.only_first)


def right_wrong_tables(
    scored: Scored, pair: tuple[str, str], measures: Sequence[str] | None = None
) -> list[RightWrong]:
    """The table of each measure by which every example is right or wrong.

    Args:
        scored: a metric of several systems.
        pair: two of them.
        measures: those to look at; None: the main ones, or else the first of the usual ones that is fit.

    Returns:
        Empty for measures with values between right and wrong, and for measures without a value for a single example.
    """
    aligned, _ = align_scores(scored.scores)
    both = [aligned[system] for system in pair]
    usual, main = compared_measures(aligned)
    tables = [_table(both, pair, name) for name in (main if measures is None else measures)]
    fitting = [table for table in tables if table]
    if fitting or measures is not None:
        return fitting
    return [table for table in (_table(both, pair, name) for name in usual) if table][:1]


def _table(both: Sequence, pair: tuple[str, str], measure: str) -> RightWrong | None:
    values = [scores.measures[measure].by_example(scores.rows) for scores in both]
    if any(column is None for column in values):
        return None
    kept = ~(np.isnan(values[0]) | np.isnan(values[1]))
    first, second = (column[kept] for column in values)
    # Of an error rate the largest value is the wrong answer.
    if both[0].measures[measure].lower_is_better or not kept.any() or not are_right_or_wrong(np.append(first, second)):
        return None
    first_right, second_right = first > 0, second > 0
    return RightWrong(
        measure,
        *pair,
        int((first_right & second_right).sum()),
        int((first_right & ~second_right).sum()),
        int((~first_right & second_right).sum()),
        int((~first_right & ~second_right).sum()),
    )
