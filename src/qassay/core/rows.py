"""Ids and weights of rows that are matched by position; dicts by id as lists (for label_metrics and average_precision)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .columns import check_lengths, to_list, to_weights
from .errors import about, blamed
from .ids import UniqueIds, comparable_ids, first_of_each, match_ids, matched_by_id, unique_ids
from .shown import shown


def row_ids_and_weights(
    ids: Any, weights: Any, n_predictions: int, n_references: int
) -> tuple[Sequence[Any], np.ndarray | None]:
    """The checked ids and weights of rows that are matched by position; a range if no ids are given."""
    if not n_references:
        raise blamed(ValueError("there are no examples to score: references is empty"), "references")
    rows: Sequence[Any] = range(n_references)
    ids = None if ids is None else to_list(ids, "ids")
    check_lengths(predictions=range(n_predictions), references=rows, ids=ids)
    ids = rows if ids is None else unique_ids(ids, "ids")
    return ids, None if weights is None else _to_weights(weights, rows, ids)


def _to_weights(weights: Any, rows: Sequence[Any], ids: Sequence[Any]) -> np.ndarray:
    with about("weights"):
        return to_weights(matched_by_id(weights, ids, "weights", others=False), rows, ids)


def dicts_as_lists(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with predictions and references given as dicts by id turned into lists, in the order of the
    references.

    A ValueError if an id, or a dict, is on one side only, or if a column of ids is also given.
    """
    predictions: Any = columns.get("predictions")
    references: Any = columns.get("references")
    kinds = [isinstance(column, Mapping) for column in (predictions, references)]
    if not any(kinds):
        return dict(columns)
    if not all(kinds):
        side, other = ("predictions", "references") if kinds[0] else ("references", "predictions")
        told = f"{side} are a dict by id, but {other} have no ids; give both as dicts, or both as lists"
        raise blamed(ValueError(told), side)
    if columns.get("ids") is not None:
        raise ValueError("the rows have ids already: omit the column ids")
    given, gold = list(predictions), list(references)
    for ids, name in ((given, "predictions"), (gold, "references")):
        if comparable_ids(ids)[0] is not ids:
            with about(name):
                first_of_each(ids, f"{name} id", "error", advice="")
    rows = match_ids(gold, given)
    taken = np.zeros(len(given), bool)
    taken[rows[rows >= 0]] = True
    for name, absent, problem in (
        (
            "references",
            [gold[row] for row in np.flatnonzero(rows < 0)],
            "has no prediction ({} in all); predict every id",
        ),
        ("predictions", [given[row] for row in np.flatnonzero(~taken)], "has no true labels ({} in all); omit it"),
    ):
        if absent:
            raise blamed(ValueError(f"{name}: the id {shown(absent[0])} {problem.format(len(absent))}"), name)
    values = list(predictions.values())
    return {
        **columns,
        "predictions": [values[row] for row in rows.tolist()],
        "references": list(references.values()),
        "ids": UniqueIds(gold),
    }
