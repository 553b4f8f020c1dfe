"""The same data in other forms: with ids, permuted, doubled, divided, in other containers, by id."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from call_cases import CALL_IDS, TEXT_FAMILIES, Call


def with_ids(call: Call) -> Call:
    """The same call with ids, if the rows are lists without ids."""
    sides = [call.columns.get(name) for name in ("predictions", "references")]
    if not all(isinstance(side, list) for side in sides) or "ids" in call.columns or call.columns["references"] == []:
        return call
    if any(isinstance(row, Mapping) and {"id", "boxes"} & row.keys() == {"id"} for side in sides for row in side):
        return call
    return Call(call.family, {**call.columns, "ids": list(CALL_IDS[: len(sides[0])])}, call.options)


def permuted(call: Call, random: Random) -> Call | None:
    """The rows in another order; None if the rows are not lists."""
    columns = {name: column for name, column in call.columns.items() if column is not None}
    if not all(isinstance(column, list) for column in columns.values()):
        return None
    order = list(range(len(columns["references"])))
    random.shuffle(order)
    return Call(call.family, {name: [column[row] for row in order] for name, column in columns.items()}, call.options)


def numbered(call: Call) -> Call | None:
    """The same call with integers as ids; None if it has no ids."""
    named = with_ids(call)
    ids = named.columns.get("ids")
    if not isinstance(ids, list):
        return None
    return Call(call.family, {**named.columns, "ids": list(range(7, 7 + len(ids)))}, call.options)


def plain_golds(call: Call) -> Call | None:
    """The same call with a string for each row's gold answer; None if rows have other values or numbers of gold answers.

    A plain empty string means no gold answer; in a list it is an empty gold answer.
    """
    golds = call.columns["references"]
    is_text = call.family in TEXT_FAMILIES and not call.options.get("preset")
    if not is_text or not all(
        isinstance(row, list) and len(row) == 1 and isinstance(row[0], str) and row[0].strip() for row in golds
    ):
        return None
    return Call(call.family, {**call.columns, "references": [row[0] for row in golds]}, call.options)


def some_rows(call: Call, places: Sequence[int]) -> Call | None:
    """The call with only these rows; None if the rows are not lists, or without rows."""
    if not places or not all(isinstance(column, list) for column in call.columns.values()):
        return None
    columns = {name: [column[place] for place in places] for name, column in call.columns.items()}
    return Call(call.family, columns, call.options)


def doubled(call: Call) -> Call | None:
    """All rows twice, without ids; None if the rows are not lists, or contain ids."""
    references = call.columns["references"]
    rows = len(references)
    if any(isinstance(row, Mapping) and "id" in row for row in references):
        return None
    plain = Call(call.family, {name: column for name, column in call.columns.items() if name != "ids"}, call.options)
    return some_rows(plain, [*range(rows), *range(rows)])


def reweighted(call: Call, factor: float) -> Call | None:
    """The same rows with weights multiplied by a factor; None if the rows are not lists."""
    every = some_rows(call, range(len(call.columns["references"])))
    if every is None:
        return None
    weights = every.columns.get("weights") or [1.0] * len(every.columns["references"])
    return Call(call.family, {**every.columns, "weights": [factor * weight for weight in weights]}, call.options)


def divided(call: Call, parts: int) -> list[Call] | None:
    """The rows in consecutive parts; None if there are fewer rows than parts, or they are not lists."""
    rows = len(call.columns["references"])
    edges = [rows * part // parts for part in range(parts + 1)] if 2 <= parts <= rows else []
    found = [some_rows(call, range(*pair)) for pair in itertools.pairwise(edges)]
    return found if found and found[0] else None


def as_tuple(column: list) -> tuple:
    """A tuple."""
    return tuple(column)


def as_objects(column: list) -> np.ndarray:
    """An array of objects."""
    found = np.empty(len(column), object)
    found[:] = column
    return found


def as_iterator(column: list) -> Any:
    """A generator."""
    return (row for row in column)


def as_view(column: list) -> Any:
    """The view of a dict."""
    return dict(enumerate(column)).values()


def as_series(column: list) -> Any:
    """A pandas series with a default index."""
    import pandas as pd

    return pd.Series(as_objects(column), index=range(100, 100 + len(column)), dtype=object)


def as_arrow(column: list) -> Any:
    """An array of Arrow.

    Raises:
        Exception: pyarrow has no type for it.
    """
    import pyarrow as pa

    repr(column)  # raises for lists nested so deeply that pyarrow would crash the process
    return pa.array(column)


FORMS: tuple[Callable[[list], Any], ...] = (as_tuple, as_objects, as_iterator, as_view, as_series, as_arrow)


def in_form(call: Call, form: Callable[[list], Any]) -> Call | None:
    """The same data in another form; None if there is none."""
    columns = {}
    for name, column in call.columns.items():
        if not isinstance(column, list):
            return None
        try:
            columns[name] = form(column)
            if form is as_arrow and columns[name].to_pylist() != column:  # tuples become lists, sets are lost
                return None
        except Exception:  # noqa: BLE001 - the other library has no such column
            return None
    return Call(call.family, columns, call.options)


def by_id(call: Call, random: Random) -> Call | None:
    """The same call as dicts by id, in another order; None if the rows are not lists of two sides."""
    if call.columns.keys() != {"predictions", "references", "ids"}:
        return None
    rows = list(zip(*(call.columns[name] for name in ("ids", "predictions", "references")), strict=True))
    random.shuffle(rows)
    references = {identifier: gold for identifier, _, gold in rows}
    random.shuffle(rows)
    return Call(
        call.family,
        {"predictions": {identifier: row for identifier, row, _ in rows}, "references": references},
        call.options,
    )
