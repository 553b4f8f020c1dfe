"""Reads fields of the rows that a harness passes."""

from collections.abc import Mapping
from typing import Any


def field_of(row: Mapping[str, Any], name: str, what: str, option: str) -> Any:
    """The value of a field of a row; `what` is the row in messages, `option` the option of the adapter for the field.

    Raises:
        ValueError: the row has no such field.
    """
    if name not in row:
        fields = f", but {', '.join(map(repr, row))}" if row else ": it is empty"
        raise ValueError(f"{what} has no field {name!r}{fields}; name the field by {option}=...")
    return row[name]
