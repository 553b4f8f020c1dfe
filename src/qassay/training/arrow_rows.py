"""Reads columns of a data set, a table or rows as Arrow, a hundred times faster than row by row."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.columns import is_table, table_columns, to_list
from ..core.intake import field_of, rows_of_dicts
from ..core.shown import describe

if TYPE_CHECKING:
    import pyarrow as pa

Source = str | Callable[[dict[str, Any]], Any]  # a column, or a function of a row


def arrow_rows(data: Any, name: str, needed: Mapping[str, str], optional: Sequence[str] = ()) -> "pa.Table":
    """Columns of a `datasets.Dataset` (which stays on disk), a table, a dict of columns, or a list of dicts.

    Args:
        data: the object with the columns.
        name: the name of the data in messages.
        needed: column -> the remedy if it is missing.
        optional: further columns, kept if present.

    Raises:
        TypeError: data of an unsupported type. ValueError: no rows, a column that is missing or has another length.
    """
    import pyarrow as pa

    if isinstance(data, Mapping) and data and all(is_table(value) for value in data.values()):
        raise TypeError(f"{name} has several splits ({', '.join(map(str, data))}); give one of them")
    there = column_names(data)
    if not (hasattr(data, "__len__") and hasattr(data, "__getitem__")) or (len(data) and not there):
        raise TypeError(
            f"{name} must be a datasets.Dataset, a table, a dict of columns or a list of dicts; got {describe(data)}"
        )
    for column, advice in needed.items():
        if column not in there and len(data):
            raise ValueError(f"{name} has no column {column!r} (its columns: {', '.join(there) or 'none'}); {advice}")
    names = [column for column in dict.fromkeys([*needed, *optional]) if column in there]
    if hasattr(data, "select_columns"):
        data = data.select_columns(names)
    columns: Any = data
    if is_table(data):
        columns = table_columns(data)
    elif not isinstance(data, Mapping):
        rows_of_dicts(data, name)
        columns = {column: field_of(data, column, name, required=True) for column in names}
    arrays = {column: _to_arrow(columns[column], f"{name}: {column}") for column in names}
    if len({len(values) for values in arrays.values()}) > 1:
        listed = ", ".join(f"{column} {len(values)}" for column, values in arrays.items())
        raise ValueError(f"{name} has columns of different lengths: {listed}")
    table = pa.table(arrays)
    if not len(table):
        raise ValueError(f"{name} has no rows")
    return table


def read_block(table: "pa.Table", column: str, start: int = 0, stop: int | None = None) -> Any:
    """Rows start to stop of a column, as a single pyarrow.Array."""
    values = table.column(column).slice(start, None if stop is None else stop - start)
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


def values_of(table: "pa.Table", source: Source) -> list[Any]:
    """The values of a column, or the results of a function of each row."""
    if isinstance(source, str):
        values: list[Any] = table.column(source).to_pylist()
        return values
    return [source(row) for row in table.to_pylist()]


def column_names(data: Any) -> list[str]:
    """The names of the columns of a data set, a table, a dict of columns or a list of dicts; [] for anything else."""
    if hasattr(data, "column_names"):
        return list(data.column_names)
    if is_table(data):
        return list(table_columns(data))
    first = data[0] if isinstance(data, Sequence) and len(data) else data
    return list(first) if isinstance(first, Mapping) else []


def _to_arrow(values: Any, name: str) -> Any:
    import pyarrow as pa

    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    values = [value.tolist() if hasattr(value, "tolist") else value for value in to_list(values, name)]
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError) as error:
        raise TypeError(f"{name} cannot be read as a column: {error}") from None
