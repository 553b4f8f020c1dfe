"""A whole table, as libraries have them, scored by the columns with the usual names: as a file with that table."""

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

from .core.columns import is_nan, is_rows, is_table, spelled, table_columns, to_list
from .core.hints import reword
from .core.scores import Scores
from .files.content import Content, Table
from .files.kinds import files_of
from .files.reading import columns_of
from .files.roles import column_names
from .files.tables import Names, as_table
from .registry import Family
from .scoring import read_gold_for, score_systems, system_files

_CALLER = 4  # frames from a warning to the call of qassay.score
_TABLE = "the table"


def lone_table(family: Family, data: Any, columns: Any) -> Table | None:
    """What is given as the only column of a metric as a table with gold data too; None where it is none.

    Args:
        columns: role -> column, where the usual names do not tell; None where nothing is named.
    """
    table = _table_of(data)
    if table is None or columns is not None:
        return table
    function, _ = family.load()
    by_name = inspect.signature(function).parameters
    needs_more = [
        name for name in ("references", "qrels") if name in by_name and by_name[name].default is inspect._empty
    ]
    return table if needs_more or files_of(family.reading.kinds).has_roles(table, {}) else None


def _table_of(data: Any) -> Table | None:
    if hasattr(data, "keys") and hasattr(data, "cache_files") and not is_table(data):
        splits = ", ".join(map(str, data))
        raise TypeError(
            f"this is a DatasetDict with the splits {splits}; give one of them, for example data[{next(iter(data))!r}]"
        )
    if hasattr(data, "read_all") and hasattr(data, "schema"):  # a reader of Arrow
        data = data.read_all()
    if is_table(data):
        columns = table_columns(data)
        return Table({str(name): _cells(column, str(name)) for name, column in columns.items()}, "Arrow")
    if is_rows(data):
        return Table(columns_of(list(map(dict, data))), "JSON")
    return as_table(data) if isinstance(data, dict) else None


def _cells(column: Any, name: str) -> list[Any]:
    """The cells of a column, None for an empty one; arrays inside are lists."""
    cells = to_list(column, name)
    return [
        None if is_nan(cell) else cell.tolist() if hasattr(cell, "tolist") and getattr(cell, "ndim", 0) else cell
        for cell in cells
    ]


def score_table(family: Family, table: Table, columns: Any, options: Mapping[str, Any]) -> Scores:
    """Score a table that holds predictions and gold data.

    Args:
        columns: role -> column; None for the usual names.
        options: of the family.

    Raises:
        ValueError: no column, or several, that could serve as a role; several systems. TypeError: an option that the
            family does not have.

    Warns:
        UserWarning: a column serves as a role whose name it does not have.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise TypeError(f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {columns!r}")
    family.load()[1].check_names(options)
    content = Content(_TABLE, table)
    try:
        names = column_names(columns or {})
        gold = read_gold_for(family.name, content, names)[family.name]
        systems = system_files({family.name: gold}, content, [], names)
        if len(systems) != 1:
            told = f"; score each with columns={{'predictions': {systems[0].name!r}}}, ..." if systems else ""
            raise ValueError(f"{_TABLE} has predictions of {len(systems)} systems, but one is scored{told}")
        gold = gold.with_options(options)
        (system,) = score_systems(family.name, gold, systems).values()
    except (ValueError, TypeError) as error:
        reword(error, "python")
        raise
    _tell_guessed({role: name for role, name in gold.names.items() if role not in names})
    return system.scores


def _tell_guessed(names: Names) -> None:
    """Warn of columns that were taken for a role by another name than its own."""
    guessed = [
        f"{column!r} for {role}"
        for role, column in names.items()
        if isinstance(column, str) and spelled(column) not in (role, role.removesuffix("s"))
    ]
    if guessed:
        advice = "columns={...} says which column is what"
        warnings.warn(f"taken by the names of columns: {', '.join(guessed)}; {advice}", stacklevel=_CALLER)
