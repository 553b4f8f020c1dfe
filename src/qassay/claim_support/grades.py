"""Grades of short answers, correct, incorrect or not attempted, as SimpleQA counts them."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.measures import Rows, TermMeasure
from .words import CORRECT, INCORRECT, NOT_ATTEMPTED, Verdicts, required

GRADE_COLUMNS = ("correct", "incorrect", "not_attempted", "correct_given_attempted")


def score_grade(row: Any, gold: Any, verdicts: Verdicts) -> tuple[float, ...]:
    """The `GRADE_COLUMNS` of a grade, or of a dict with `grade`; a grade that is missing is "not attempted" under the
    policy "zero", as in the official program.
    """
    if isinstance(row, Mapping):
        row = required(row, "grade", verdicts.where, "use None for a missing one")
    parsed = verdicts.parsed(row, "")
    grade = verdicts.settled(parsed, "")
    grade = NOT_ATTEMPTED if math.isnan(parsed) and grade == grade else grade
    if math.isnan(grade):
        return (math.nan,) * len(GRADE_COLUMNS)
    shares = [float(grade == value) for value in (CORRECT, INCORRECT, NOT_ATTEMPTED)]
    return (*shares, math.nan if grade == NOT_ATTEMPTED else shares[0])


@dataclasses.dataclass(frozen=True)
class GradeF1(TermMeasure):
    """2 AG C / (AG + C): the harmonic mean of the share correct, C, and of that among the attempted, AG."""

    reads = ("correct", "not_attempted")

    def terms(self, rows: Rows) -> list[np.ndarray]:
        applies = self.applies(rows)
        weights = np.where(applies, rows.weights, 0.0)
        correct, withheld = (np.where(applies, rows.columns[name], 0.0) for name in self.reads)
        return [weights * correct, weights * (1 - withheld), weights]

    def finish(self, sums: Any) -> Any:
        correct, attempted, total = (np.asarray(part, np.float64) for part in sums)
        share, of_attempted = correct / total, correct / np.where(attempted > 0, attempted, 1.0)
        both = share + of_attempted
        value = np.where(both > 0, 2 * of_attempted * share / np.where(both > 0, both, 1.0), 0.0)
        return np.where(total > 0, value, np.nan)
