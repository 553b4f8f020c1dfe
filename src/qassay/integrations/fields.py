"""Reads fields of the rows that a harness passes."""

from collections.abc import Mapping
from typing import Any


def field_of(row: Mapping[str, Any], name: str, what: str, option: str) -> Any:
    """The value of a field of a row.

    Args:
        row: of a data set or of outputs, by field.
        name: of the field.
        what: the row in words, such as "the document".
        option: of the adapter that names the field.

    Raises:
        ValueError: the row has no such field.

    Example:
        >>> field_of({"question": "Capital?", "golds": ["Rome"]}, "answers", "the document", "gold")
        Traceback (most recent call last):
            ...
        ValueError: the document has no field 'answers', but 'question', 'golds'; name the field by gold=...
    """
    if name not in row:
        fields = f", but {', '.join(map(repr, row))}" if row else ": it is empty"
        raise ValueError(f"{what} has no field {name!r}{fields}; name the field by {option}=...")
    return row[name]
