"""Two-by-two tables of right and wrong answers of two systems, for measures without values between."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.align import align_scores
from ..core.measures import are_right_or_wrong
from ..files.score_files import Scored
from ..registry import compared_measures


class RightWrong(NamedTuple):
    """Examples of two systems by which of them is right.

    Attributes:
        measure: a measure with two values, right (1 or 100) and wrong (0).
        both, only_first, only_second, neither: the number of examples that both, one or none of the systems has right.
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
        """The number of examples to which the measure applies for both systems."""
        return self.both + self.only_first + self.only_second + self.neither


def right_wrong_tables(scored: Scored, pair: tuple[str, str]) -> list[RightWrong]:
    """The tables of the main measures by which every example is right or wrong, otherwise of the first such usual measure.

    Args:
        scored: a metric of several systems.
        pair: two of them.

    Returns:
        Tables; measures with values between right and wrong, or without values of single examples, have none.
    """
    aligned, _ = align_scores(scored.scores)
    both = [aligned[system] for system in pair]
    usual, main = compared_measures(aligned)

    def tables(names: Sequence[str]) -> list[RightWrong]:
        rating = filter(scored.family.telling.rates_answers, names)
        return [table for table in (_table(both, pair, name) for name in rating) if table]

    return tables(main) or tables(usual)[:1]


def _table(both: Sequence, pair: tuple[str, str], measure: str) -> RightWrong | None:
    values = [scores.measures[measure].by_example(scores.rows) for scores in both]
    if any(column is None for column in values):
        return None
    kept = ~(np.isnan(values[0]) | np.isnan(values[1]))
    first, second = (column[kept] for column in values)
    # The largest value of an error rate is a wrong answer.
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
