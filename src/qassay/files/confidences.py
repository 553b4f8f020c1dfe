"""Files of confidences: how confident a system is of each of its answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.columns import is_real, usual_roles
from .content import Content, read_content
from .reading import ID_NAMES, FileError, to_number
from .tables import as_table

_ROLES = {"ids": ID_NAMES, "confidence": ("confidence", "confidences", "confidence_score")}


def read_confidences(path: str | Path | Content) -> dict[Any, Any]:
    """Read `{id: number}`, or a table with a column of ids and one called confidence, such as a file of predictions.

    Raises:
        FileError: another kind of file, a cell that is not a number, or an id with two.
    """
    content = read_content(path)
    value = content.value
    if isinstance(value, Mapping) and value and all(number is None or is_real(number) for number in value.values()):
        return dict(value)
    table = as_table(value)
    roles = {} if table is None else usual_roles(table.columns, _ROLES)
    if table is None or len(roles) < 2:
        has = f"; it has the columns: {', '.join(map(str, table.columns))}" if table else ""
        raise FileError(
            content.path,
            f"no confidences here; give {{id: number}}, or a table with the columns id and confidence{has}",
        )
    ids, cells = (table.columns[roles[role][0]] for role in ("ids", "confidence"))
    found: dict[Any, Any] = {}
    for row, (identifier, cell) in enumerate(zip(ids, cells, strict=True)):
        try:
            number = to_number(cell) if isinstance(cell, str) and cell.strip() else cell
        except ValueError:
            raise FileError(content.path, f"row {row}: the confidence {cell!r} is not a number") from None
        if found.setdefault(identifier, number) is not number and found[identifier] != number:
            raise FileError(content.path, f"the id {identifier!r} has two confidences; give one")
    return {identifier: None if number == "" else number for identifier, number in found.items()}
