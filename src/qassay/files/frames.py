"""Data frames in JSON by columns, which look like other files; the error says how to write their rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import spelled
from .content import Content
from .formats import Format
from .reading import FileError
from .tables import USUAL_NAMES

_OWN_FIELDS = 20  # kinds of at most this order are recognised by their fields
_SPLIT = {"columns", "index", "data"}
_USUAL = frozenset(name for names in USUAL_NAMES.values() for name in names)


def refuse_frame(content: Content, kind: Format) -> None:
    """Refuse a data frame as `DataFrame.to_json` writes it without orient="records".

    Args:
        kind: what the file looks like.

    Raises:
        FileError: saying what the file is and what to write.
    """
    value = content.value
    if type(value) is not dict or (kind.order <= _OWN_FIELDS and kind.name != "unknown"):
        return
    form = _form_of(value)
    if form:
        raise FileError(
            content.path,
            f"this is a data frame {form}, as df.to_json() of pandas may write it; write its rows, with "
            'df.to_json(path, orient="records")',
        )


def _form_of(value: Mapping[str, Any]) -> str:
    """How a data frame is written here; "" if this is something else."""
    if value.keys() >= _SPLIT and all(isinstance(value[key], list) for key in _SPLIT):
        return 'in parts (orient="split")' if _have_usual(value["columns"], 1) else ""
    cells = list(value.values())
    if not cells or not all(isinstance(cell, dict) and cell.keys() == cells[0].keys() for cell in cells):
        return ""
    if _have_usual(value, 2) or (_are_places(cells[0]) and (_have_usual(value, 1) or not _are_numbers(cells))):
        return "by columns"
    return ""


def _have_usual(names: Iterable[Any], least: int) -> bool:
    """Whether so many names are usual ones of columns."""
    return sum(isinstance(name, str) and spelled(name) in _USUAL for name in names) >= least


def _are_places(keys: Mapping[str, Any]) -> bool:
    """Whether the keys are the numbers of rows, as text."""
    return list(keys) == list(map(str, range(len(keys)))) and bool(keys)


def _are_numbers(cells: Sequence[Mapping[str, Any]]) -> bool:
    return all(isinstance(number, (int, float)) for cell in cells for number in cell.values())
