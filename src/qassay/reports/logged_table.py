"""The examples of Scores as a table, with kinds of errors and columns of the user."""

from collections.abc import Mapping
from typing import Any

from ..core.ids import listed_by_id
from ..core.scores import Scores
from ..registry import family_of


def table_of(scores: Scores, columns: Mapping[str, Any]) -> Any:
    """A pandas.DataFrame with a row per example: id, statistics, subsets, kind of error, and further columns.

    Statistics have the units of `Scores.to_pandas`; shares are 0..1.

    Args:
        columns: name -> one value per example, in their order or by id.

    Raises:
        ValueError: a column with another length or with a name that the table has. ImportError: pandas is not installed.
    """
    table = scores.to_pandas().reset_index()
    kinds = family_of(scores).telling.errors.of(scores)
    table = table if kinds is None else table.assign(error_kind=kinds)
    for name, column in columns.items():
        values = listed_by_id(column, scores.ids, name)
        if len(values) != len(scores):
            raise ValueError(f"{name} has {len(values)} rows, but there are {len(scores)} examples; give one for each")
        if name in table:
            raise ValueError(f"the table of examples has a column {name!r} already; give yours another name")
        table[name] = values
    return table
