"""Verdicts and what belongs to the questions, in any layout, as aligned rows."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import to_list, with_id
from ..core.errors import about
from ..core.groups import Groups
from ..core.intake import field_of, rows_of_dicts
from ..core.rows import pair_sides, settle_rows, weights_and_groups
from ..core.shown import describe

FIELDS = {"predictions": "verdicts", "references": "gold"}  # of rows with ids


@dataclasses.dataclass(frozen=True)
class VerdictColumns:
    """Aligned rows, one per question; nothing inside them is checked yet.

    Attributes:
        given: bool (n,), whether the system has the question.
        verdicts, gold: a row each, as it was given; None if there is none.
        has_gold: whether there are references.
        notes: counts that belong to no question.
    """

    ids: Sequence[Any]
    given: np.ndarray
    verdicts: list[Any]
    gold: list[Any]
    has_gold: bool
    weights: np.ndarray | None
    groups: Groups | None
    notes: dict[str, int]

    def place(self, side: str, row: int) -> str:
        """The name of the row of a question in messages."""
        return f"{side}[{row}]{with_id(self.ids, row)}"


def read_verdicts(
    columns: Mapping[str, Any],
    *,
    missing: str,
    duplicates: str,
    own_gold: Callable[[list[Any]], bool] | None,
    may_be_none: bool = True,
) -> VerdictColumns:
    """Bring any layout into rows in the order of the references, or of the predictions if there are none.

    Args:
        columns: predictions, references, ids, weights and groups; None stands for none.
        missing, duplicates: of `VerdictOptions`.
        own_gold: whether rows of predictions say what references would; None: references are not needed.
        may_be_none: a prediction that is None is a question missing from the predictions.
    """
    with about("predictions"):
        predicted = _verdict_side(columns.get("predictions"), "predictions")
    references = columns.get("references")
    has_gold = references is not None or own_gold is not None
    with about("references"):
        if references is not None:
            gold = _verdict_side(references, "references")
        elif own_gold is None:
            gold = {**predicted, "values": [None] * len(predicted["values"])}
        elif own_gold(predicted["values"]):
            gold = {**predicted, "values": [[] if row is None else row for row in predicted["values"]]}
        else:
            raise TypeError("references missing: give the importance of each nugget, here or in the predictions")
        if not gold["values"]:
            raise ValueError("there are no questions to score: references is empty")
        row = next((row for row, value in enumerate(gold["values"]) if value is None and references is not None), None)
        if row is not None:
            raise TypeError(f"references[{row}]{with_id(gold.get('ids', range(0)), row)} is None; use [] for nothing")
    pair_sides(predicted, gold, columns.get("ids"))
    gold |= weights_and_groups(columns, predicted, gold)
    ids, given, _, notes = settle_rows(
        predicted,
        gold,
        missing=missing,
        duplicates=duplicates,
        advice="give one for every question",
        may_be_none=may_be_none,
    )
    sides = gold.get("weights"), gold.get("groups")
    return VerdictColumns(ids, given, predicted["values"], gold["values"], has_gold, *sides, notes)


def _verdict_side(column: Any, name: str) -> dict[str, Any]:
    """The rows of a side and, if given, ids."""
    if column is None:
        raise TypeError(
            f"{name} must be a column with one item per example, for example a list; got {describe(column)}"
        )
    if isinstance(column, Mapping):
        return {"values": list(column.values()), "ids": list(column), "by_id": True}
    rows = to_list(column, name)
    if not rows_of_dicts(rows, name):
        return {"values": rows}
    field = FIELDS[name]
    values = field_of(rows, field, name)
    ids = field_of(rows, "id", name)
    return {"values": rows if values is None else values, **({} if ids is None else {"ids": ids})}
