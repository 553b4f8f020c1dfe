"""The table of the examples of Scores, as a dict, an Arrow table and a data frame."""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrow import arrow_integers
from .errors import import_optional
from .ragged import Ragged

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def example_table(scores: Any) -> dict[str, Any]:
    """Implements `Scores.per_example`."""
    columns = {name: _decoded(scores, name, column) for name, column in scores.columns.items()}
    return {"id": list(scores.ids), **columns, **scores.subsets, **_given(scores)}


def arrow_table(scores: Any) -> "pa.Table":
    """Implements `Scores.to_arrow`."""
    import pyarrow as pa

    columns = {name: _arrow_column(scores, name, column) for name, column in scores.columns.items()}
    given = _given(scores)
    if scores.groups is not None:
        given["group"] = _arrow_values(given["group"])
    return pa.table({"id": _arrow_values(scores.ids), **columns, **scores.subsets, **given})


def pandas_table(scores: Any) -> "pd.DataFrame":
    """Implements `Scores.to_pandas`."""
    pd = import_optional("pandas", "Scores.to_pandas", "pandas")
    table = {
        name: column.tolist() if isinstance(column, Ragged) else column
        for name, column in example_table(scores).items()
    }
    return pd.DataFrame(table).set_index("id")


def _given(scores: Any) -> dict[str, Any]:
    """The columns given with the examples, if any."""
    given = {"weight": scores.weights, "group": None if scores.groups is None else scores.groups.listed()}
    return {name: column for name, column in given.items() if column is not None}


def _decoded(scores: Any, name: str, column: Any) -> Any:
    if name not in scores.coded:
        return column
    meanings = scores.coded[name]
    if isinstance(column, Ragged):
        return [[meanings[number] for number in numbers] for numbers in column.tolist()]
    return [meanings[number] for number in column.tolist()]


def _arrow_column(scores: Any, name: str, column: Any) -> Any:
    """A column of `arrow_table`; the type of a `coded` column follows from the values that its codes refer to."""
    if name not in scores.coded:
        return column.to_arrow() if isinstance(column, Ragged) else column
    import pyarrow as pa

    lists, meanings = isinstance(column, Ragged), scores.coded[name]
    numbers = arrow_integers(column.values if lists else column)
    if not isinstance(meanings, range):  # numbers of a range are their own values
        numbers = _arrow_values(meanings).take(numbers)
    return pa.ListArray.from_arrays(pa.array(column.offsets, pa.int32()), numbers) if lists else numbers


def _arrow_values(values: Sequence[Any]) -> Any:
    """Ids or labels as a pyarrow.Array: int64 (uint64 if needed), another common type, or else strings."""
    import pyarrow as pa

    if isinstance(values, range):
        return arrow_integers(np.array(values, np.int64))
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and not issubclass(next(iter(kinds)), str):
        for kind in (pa.int64(), pa.uint64()) if kinds == {int} else (None,):
            with contextlib.suppress(OverflowError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
                return pa.array(values, kind)
    return pa.array([None if value is None else str(value) for value in values], pa.string())
