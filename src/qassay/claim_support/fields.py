"""The columns that claim_support reads: a row of verdicts for each question, and what belongs to the question."""

import functools
from typing import Any

from ..core.intake import GROUPS, PREDICTIONS, REFERENCES, WEIGHTS, Cells, Field, Kind


def _golds(cells: Cells) -> list[Any]:
    row = next((row for row, value in enumerate(cells.values) if value is None), None)
    if row is not None:
        raise cells.refusal(row, "is None", "use [] for nothing")
    return cells.values


def verdict_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_verdicts` with these options. What is in a row, its task reads."""
    return _fields(options.task)


@functools.cache
def _fields(task: str) -> tuple[Field, ...]:
    verdicts = Kind(
        lambda cells: cells.values,
        takes_dicts=lambda row: True,
        none_is_missing=task != "grades",  # None is a missing verdict of a grade
    )
    return (
        Field(PREDICTIONS, verdicts, PREDICTIONS, ("verdicts",)),
        Field(REFERENCES, Kind(_golds, takes_dicts=lambda row: True), REFERENCES, ("gold",), required=False),
        WEIGHTS,
        GROUPS,
    )
