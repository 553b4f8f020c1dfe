"""Brings rows, dicts by id and columns of ids into one order (the families that `intake` does not read yet)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .columns import check_lengths, to_list, to_weights, with_id
from .errors import NothingToScore, about, blamed
from .groups import Groups, to_groups
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


def weights_and_groups(
    columns: Mapping[str, Any], predicted: Mapping[str, Any], gold: Mapping[str, Any]
) -> dict[str, Any]:
    """The checked columns `weights` and `groups` of the references, if given.

    Args:
        columns: the columns of a scoring function by name.
        predicted, gold: as `pair_sides` leaves them.
    """
    rows = gold["values"]
    ids = gold.get("ids", predicted.get("ids", range(len(rows))))
    weights, groups = columns.get("weights"), to_groups(columns.get("groups"), rows, ids)
    given = {"weights": None if weights is None else _to_weights(weights, rows, ids), "groups": groups}
    return {name: column for name, column in given.items() if column is not None}


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


def dicts_as_rows(columns: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Turn dicts by id into rows with ids, so that they can be added batch by batch.

    Nothing changes unless all columns of `fields` (name -> the field of a row that holds the value) are dicts: the rows
    of a single dict could only be matched by position.
    """
    if not all(isinstance(columns.get(name), Mapping) for name in fields):
        return dict(columns)
    rows = {
        name: [{"id": identifier, field: value} for identifier, value in columns[name].items()]
        for name, field in fields.items()
    }
    return {**columns, **rows}


def pair_sides(predicted: dict[str, Any], gold: dict[str, Any], ids: Any) -> None:
    """Check that predictions and references can be matched by id or by position; both sides get the column of ids.

    Args:
        predicted, gold: the columns of a side by name: "values" and, if there are any, "ids"; "by_id" is true if the
            side was a dict by id, and is removed.
        ids: the common column of ids of both sides; None if there is none.
    """
    if ids is not None:
        ids = to_list(ids, "ids")
        for side, name in ((predicted, "predictions"), (gold, "references")):
            if "ids" in side and side["ids"] != ids:
                told = f"{name} have their own ids, which differ from the column ids; omit the column ids"
                raise blamed(ValueError(told), name)
            check_lengths(ids=ids, **{name: side["values"]})
            side["ids"] = ids
    for side, other, name in ((predicted, gold, "references"), (gold, predicted, "predictions")):
        if side.pop("by_id", False) and "ids" not in other:
            told = f"{name} have no ids to match the dict with; give them as a dict too, or give both as lists"
            raise blamed(ValueError(told), name)
    if not ("ids" in predicted and "ids" in gold):
        check_lengths(predictions=predicted["values"], references=gold["values"])


def align_sides(
    predicted: dict[str, Any], gold: dict[str, Any], duplicates: str
) -> tuple[np.ndarray | None, dict[str, int]]:
    """Bring the predictions into the order of the references, with each id once.

    Args:
        predicted, gold: the columns of a side by name, from `pair_sides`; they are modified.
        duplicates: as in `first_of_each`.

    Returns:
        int64 (n,): for each reference, the row of its prediction, -1 if there is none; None if the rows are already in
        the same order. The counts "unmatched" (predictions without a reference) and "duplicates".
    """
    counts = {"unmatched": 0, "duplicates": 0}
    both = "ids" in predicted and "ids" in gold and predicted["ids"] is not gold["ids"]
    for side, name in ((predicted, "predictions"), (gold, "references")):
        if "ids" not in side:
            continue
        with about(name):
            kept = first_of_each(side["ids"], f"{name} id", duplicates)
        # Rows without ids belong to rows with ids, by position.
        sides = (side,) if both else (predicted, gold)
        if kept is not None:
            counts["duplicates"] += len(side["ids"]) - len(kept)
            for same in sides:
                reorder_side(same, kept)
        for same in sides:
            if not isinstance(same.get("ids", UniqueIds()), UniqueIds):
                same["ids"] = UniqueIds(same["ids"])
    if not both:
        return None, counts
    rows = match_ids(gold["ids"], predicted["ids"])
    counts["unmatched"] = len(predicted["values"]) - int(np.count_nonzero(rows >= 0))
    if len(rows) == len(predicted["values"]) and (rows == np.arange(len(rows))).all():
        return None, counts
    reorder_side(predicted, rows)
    return rows, counts


def settle_rows(
    predicted: dict[str, Any], gold: dict[str, Any], *, missing: str, duplicates: str, advice: str, may_be_none: bool
) -> tuple[Sequence[Any], np.ndarray, np.ndarray | None, dict[str, int]]:
    """Bring both sides into one order, with each id once, and apply the policy for missing predictions.

    Args:
        predicted, gold, duplicates: as in `align_sides`.
        missing, advice: as in `rows_to_score`.
        may_be_none: a prediction of None also counts as missing.

    Returns:
        The n ids; bool (n,), whether a row has a prediction; for each row the row of its prediction, as `align_sides`
        gives them; and the notes "skipped" (under the policy "skip"), "unmatched" and "duplicates".
    """
    places, counts = align_sides(predicted, gold, duplicates)
    notes = {**({"skipped": 0} if missing == "skip" else {}), **counts}
    n = len(gold["values"])
    given = np.ones(n, bool) if places is None else places >= 0
    if may_be_none:
        some = type(None) in set(map(type, predicted["values"]))
        given = np.fromiter((value is not None for value in predicted["values"]), bool, n) if some else np.ones(n, bool)
    ids = gold.get("ids", predicted.get("ids", range(n)))
    kept = rows_to_score(given, missing, ids, advice)
    if kept is None:
        return ids, given, places, notes
    if not len(kept):
        told = "no question is left to score: all are missing; give predictions, or "
        raise NothingToScore(f"{told}missing=zero")
    notes["skipped"] = n - len(kept)
    for side in (predicted, gold):
        reorder_side(side, kept)
    ids = UniqueIds(ids[row] for row in kept.tolist())
    return ids, given[kept], None if places is None else places[kept], notes


def reorder_side(side: dict[str, Any], rows: np.ndarray) -> None:
    """Take these rows from every column of a side; row -1 is missing: None, or 0.0 in an array of numbers."""
    for name, column in side.items():
        if isinstance(column, Groups):
            side[name] = column.take(rows)
        elif isinstance(column, np.ndarray):
            # any probability would do: a missing answer scores 0 on either side of a threshold.
            side[name] = np.where(rows < 0, 0.0, column[rows])
        else:
            side[name] = [None if row < 0 else column[row] for row in rows.tolist()]


def rows_to_score(given: np.ndarray, missing: str, ids: Sequence[Any], advice: str) -> np.ndarray | None:
    """The rows to score by the policy for missing predictions, "zero", "skip" or "error"; None for all.

    Args:
        given: bool (n,), whether a row has a prediction.
        ids, advice: for the message, which names the row and says what to do.
    """
    if missing == "zero" or given.all():
        return None
    if missing == "skip":
        return np.flatnonzero(given)
    absent = int(np.argmin(given))
    problem = f"references[{absent}]{with_id(ids, absent)} has no prediction ({int((~given).sum())} in all)"
    told = f"{problem}; {advice}, or use the option missing=zero or skip"
    raise blamed(ValueError(told), "predictions")
