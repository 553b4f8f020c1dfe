"""Tables of rankings and judgements in any library: their columns, by the names in use, as Arrow columns."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .arrow import numbers_of
from .columns import check_lengths, describe, field_of
from .options import did_you_mean

_MOST_BYTES = 1 << 31  # of a column of type string, whose rows could not be taken out if there were more
_NAMES = {
    "query": ("query_id", "qid", "query-id", "q_id", "topic", "query", "question"),
    "document": ("docid", "doc_id", "document_id", "docno", "corpus-id", "corpus_id", "pid", "document", "doc"),
    "score": ("score", "sim", "similarity", "scores"),
    "label": ("relevance", "rel", "label", "labels"),
    "relevance": ("relevance", "rel", "label", "labels", "score", "gain", "judgment"),
}
_KNOWN = {*chain.from_iterable(_NAMES.values()), "q0", "rank", "system"}


def table_of(value: Any, name: str) -> Mapping[str, Any] | None:
    """The columns of a table by name; None for anything else."""
    if isinstance(value, (list, tuple)) and len(value) and _has_columns(value[0]):
        if not isinstance(value[0][column_of(value[0], "query")], (str, int, np.integer)):
            check_lengths(**{f"a list of one dict of columns for {name}": [1], "given dicts": value})
            return value[0]
        return {key: field_of(value, key, name, required=True) for key in value[0]}  # rows
    if isinstance(value, Mapping):
        return value if _has_columns(value) else None
    if hasattr(value, "with_format"):  # a data set
        value = value.with_format("arrow")[:]
    if hasattr(value, "schema") and hasattr(value, "column"):  # Arrow
        return {column: value.column(column) for column in value.schema.names}
    if hasattr(value, "columns") and hasattr(value, "dtypes"):  # a data frame
        return {column: value[column] for column in value.columns}
    return None


def _has_columns(value: Any) -> bool:
    """Whether a dict holds the columns of a table, not one ranking per query."""
    if not isinstance(value, Mapping) or len(_KNOWN.intersection(value)) < 2:
        return False
    return column_of(value, "query") is not None and not any(isinstance(item, Mapping) for item in value.values())


def column_of(table: Mapping[str, Any], role: str) -> str | None:
    """The first column of the usual names for a role; None where there is none."""
    return next((name for name in _NAMES[role] if name in table), None)


def find_columns(table: Mapping[str, Any], name: str, roles: Sequence[str]) -> list[str]:
    """The column of each role, by the names in use for it."""
    found = [column_of(table, role) for role in roles]
    if None in found:
        role = roles[found.index(None)]
        near = next(filter(None, (did_you_mean(known, map(str, table)) for known in _NAMES[role])), "")
        raise ValueError(
            f"{name} is a table without a column for the {role}{near}; it has: {', '.join(map(str, table)) or 'none'}; "
            f"name one of them {' or '.join(map(repr, _NAMES[role]))}"
        )
    return found


def to_arrow(column: Any, name: str):
    """A column of a table as a pyarrow.ChunkedArray.

    Raises:
        TypeError: values of mixed type, or none that Arrow knows. ValueError: text with lone surrogates.
    """
    import pyarrow as pa

    if hasattr(column, "to_arrow"):  # of a polars data frame
        column = column.to_arrow()
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        try:
            column = pa.array(column)
        except UnicodeEncodeError as error:
            raise ValueError(f"{name} holds a text that is no valid Unicode ({error}); repair it") from None
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            first = next(iter(column), None)
            other = next((item for item in column if type(item) is not type(first)), first)
            raise TypeError(
                f"{name} must hold values of one type, got {describe(first)} and {describe(other)} ({error})"
            ) from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def id_column(column, name: str):
    """A ChunkedArray of ids (string, large_string, integers or a dictionary of these) without gaps.

    Raises:
        TypeError: ids of another type. ValueError: a gap, with its row.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        if any(chunk.dictionary.null_count for chunk in column.chunks):
            return id_column(column.cast(kind.value_type), name)
        kind = kind.value_type
    if column.null_count:
        row = next(row for row, gap in enumerate(column.is_null().to_pylist()) if gap)
        raise ValueError(f"{name}[{row}] is None; give every row an id, a string or a whole number")
    view = kind == getattr(pa, "string_view", pa.string)()
    if view or (pa.types.is_string(column.type) and column.nbytes > _MOST_BYTES):
        return column.cast(pa.large_string())
    if pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    first = column[0].as_py() if len(column) else None
    raise TypeError(
        f"{name} holds {kind} (the first: {describe(first)}); "
        "ids are strings, or whole numbers that stand for their digits"
    )


def number_column(column: Any, name: str) -> np.ndarray:
    """A column of numbers as a numpy array, NaN in its gaps."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        first = column[0].as_py() if len(column) else None
        raise TypeError(f"{name} holds {kind} (the first: {describe(first)}); give numbers")
    return numbers_of(column)
