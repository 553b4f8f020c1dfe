"""Reads the labels of several raters on the same items: a column per rater, or a row per item and rater."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import counted, is_missing, is_real, to_list, usual_roles
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.shown import columns_text, shown
from ..files.columns import Columns, check_column
from ..files.reading import EMPTY_CELLS, ID_NAMES, FileError
from ..files.roles import column_names
from .labels import LABEL_NAMES, label_table, number_of_label

RATER_NAMES = (
    "rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "coder", "labeler", "labeller", "user",
)  # fmt: skip
ROLES = ("ids", "rater", "labels", "groups")
_USUAL = {
    "ids": (*ID_NAMES, "item", "item_id"),
    "rater": RATER_NAMES,
    "labels": LABEL_NAMES,
    "groups": ("group", "groups"),
}
_LEAST = 10  # items that two raters labelled


class Ratings(NamedTuple):
    """The labels of n items.

    Attributes:
        codes: rater -> the index of its label of each item in `labels` and then `more`, float64 (n,); -1.0 for no label.
        labels: the different labels of people in rising order: all numbers, or all texts.
        more: labels that only judges gave, in rising order.
        groups: of the items.
        remarks: on the labels, one sentence each.
    """

    codes: dict[str, np.ndarray]
    labels: tuple[Any, ...]
    more: tuple[Any, ...]
    groups: Groups
    remarks: tuple[str, ...]


class _Cell(NamedTuple):
    """A label: the row of the table, the index of its item, the rater, and what the rater wrote."""

    row: int
    item: int
    rater: str
    label: Any


def read_ratings(
    data: Any, people: Sequence[str], judges: Sequence[str] = (), columns: Mapping[str, Any] | None = None
) -> Ratings:
    """Labels by rater, in the order of the items. Empty cells are missing labels; in text files also NA and the like.

    Args:
        data: a file or a table; see `label_table`. In a dict of columns, columns may be arrays.
        people: a column per person; in a table with a column of raters, the people to read, () for all except judges.
        judges: the same for judges.
        columns: role -> column: `ids` and `groups`, and `rater` and `labels` of a table with a row per item and rater.

    Raises:
        FileError: an unknown column or rater, two labels of one rater for one item, the same id in two rows of a table
            with a column per rater, an item in two groups, a label that is not a number if most others are, or fewer
            than 10 items with two labels.
    """
    names = column_names(columns or {}, ROLES, several=())
    path, table = label_table(_lists(data), any_columns=True)
    stripped = {str(name).strip(): cells for name, cells in table.columns.items()}
    if len(stripped) == len(table.columns):
        table = dataclasses.replace(table, columns=stripped)
        names = {role: name.strip() for role, name in names.items()}
    raters = [*people, *judges] if people else []
    has_column_each = "rater" not in names and any(name in table.columns for name in raters)
    for name in (*names.values(), *(raters if has_column_each else ())):
        check_column(path, table, name)
    picker = Columns(path, table, names, usual_roles(table.columns, _USUAL))
    picker.optional(*(() if has_column_each else ("rater",)), "groups")
    if "rater" in picker.picked:
        cells, groups = _cells_of_rows(picker, raters, judges)
    else:
        cells, groups = _cells_of_columns(picker, raters), picker.cells("groups")
    n, raters = 1 + max((cell.item for cell in cells), default=-1), list(dict.fromkeys(cell.rater for cell in cells))
    cells, remarks = _parsed(path, cells, table.is_text)
    of_people = {cell.label for cell in cells if cell.rater not in judges}
    labels, more = tuple(sorted(of_people)), tuple(sorted({cell.label for cell in cells} - of_people))
    code = {label: float(index) for index, label in enumerate((*labels, *more))}
    codes = {name: np.full(n, -1.0) for name in raters}
    for cell in cells:
        codes[cell.rater][cell.item] = code[cell.label]
    n_labels = np.sum([column >= 0 for column in codes.values()], axis=0)
    shared = int(np.sum(n_labels > 1))
    if shared < _LEAST:
        raise FileError(
            path, f"two or more raters labelled {shared} items; agreement needs at least {_LEAST}, better 100"
        )
    if more:
        first = shown(more[0]) if isinstance(more[0], str) else f"{more[0]:g}"
        remarks.append(
            f"{counted(len(more), 'labels')} such as {first} only judges gave: the scale and its steps are those of people"
        )
    rows = np.flatnonzero(n_labels)
    of_items = Groups.of(range(n) if groups is None else groups, range(n), picker.picked.get("groups", "groups"))
    codes = {name: column[rows] for name, column in codes.items()}
    return Ratings(codes, labels, more, of_items.take(rows), tuple(remarks))


def _lists(data: Any) -> Any:
    """A dict of columns with lists for arrays, checked to be of one length; anything else unchanged."""
    if not isinstance(data, Mapping):
        return data
    are_arrays = {name: hasattr(column, "tolist") or isinstance(column, tuple) for name, column in data.items()}
    data = {name: to_list(column, str(name)) if are_arrays[name] else column for name, column in data.items()}
    if data and all(isinstance(column, list) for column in data.values()):
        (first, size), *others = ((name, len(column)) for name, column in data.items())
        for name, other in others:
            if other != size:
                raise ValueError(f"{first} has {size} cells and {name} {other}; give one per item, None for no label")
    return data


def _cells_of_columns(picker: Columns, raters: Sequence[str]) -> list[_Cell]:
    """The labels of a table with a row per item and a column per rater."""
    path, table = picker.path, picker.table
    if not raters:
        raise FileError(
            path, f"say which columns hold a rater each (raters=), or the column of their names with {columns_text('rater', 'NAME')}; it has: {', '.join(table.columns)}"
        )  # fmt: skip
    for name in raters:
        check_column(path, table, name)
    id_column = picker.names.get("ids") or next((name for name in picker.free("ids") if name not in raters), None)
    seen: dict[str, int] = {}
    for row, cell in enumerate(table.columns[id_column] if id_column else ()):
        first = row if _is_blank(cell) else seen.setdefault(str(cell), row)
        if first != row:
            raise FileError(
                path, f"rows {first} and {row} are both of the item {shown(cell)} (column {id_column}); keep one, or say which column has the ids of items with {columns_text('ids', 'NAME')}"
            )  # fmt: skip
    return [_Cell(row, row, name, cell) for name in raters for row, cell in enumerate(table.columns[name])]


def _cells_of_rows(
    picker: Columns, raters: Sequence[str], judges: Sequence[str]
) -> tuple[list[_Cell], list[Any] | None]:
    """The labels of a table with a row per item and rater, and the groups of the items."""
    path = picker.path
    for role in ("ids", "labels"):
        picker.require(role, first_wins=role == "ids")
    for role in ("ids", "rater"):
        blank = next((row for row, cell in enumerate(picker.cells(role) or ()) if _is_blank(cell)), None)
        if blank is not None:
            raise FileError(
                path, f"row {blank}: {picker.picked[role]} is empty; name the item and the rater of every label"
            )
    items, labels = [str(cell) for cell in picker.cells("ids") or ()], picker.cells("labels") or ()
    names = [str(name).strip() for name in picker.cells("rater") or ()]
    index = {item: number for number, item in enumerate(dict.fromkeys(items))}
    known = list(dict.fromkeys(names))
    for name in (*raters, *judges):
        if name not in known:
            who = "judge" if name in judges else "rater"
            raise FileError(path, f"no {who} {name!r}{did_you_mean(name, known)}; available: {', '.join(known)}")
    cells: dict[tuple[str, str], _Cell] = {}
    for row, (item, name, label) in enumerate(zip(items, names, labels, strict=True)):
        first = cells.setdefault((item, name), _Cell(row, index[item], name, label)).row
        if first != row:
            raise FileError(path, f"{shown(name)} labels the item {shown(item)} in rows {first} and {row}; keep one")
    of_items: dict[str, Any] = {}
    for row, (item, group) in enumerate(zip(items, picker.cells("groups") or (), strict=False)):
        if of_items.get(item) is None:
            of_items[item] = group
        if of_items[item] != group:
            raise FileError(
                path, f"row {row}: the item {shown(item)} is in the groups {shown(of_items[item])} and {shown(group)}; give one"
            )  # fmt: skip
    order = {name: number for number, name in enumerate(raters or known)}
    chosen = sorted((cell for cell in cells.values() if cell.rater in order), key=lambda cell: order[cell.rater])
    return chosen, list(of_items.values()) or None


def _is_blank(cell: Any) -> bool:
    return is_missing(cell) or not str(cell).strip()


def _parsed(path: str, cells: Sequence[_Cell], is_text: bool) -> tuple[list[_Cell], list[str]]:
    """The cells with a label, and remarks; labels are numbers (also yes and no and the like) if all are, else texts."""
    stripped = [cell._replace(label=cell.label.strip()) if isinstance(cell.label, str) else cell for cell in cells]
    there = [cell for cell in stripped if not _is_blank(cell.label)]
    missing = [cell for cell in there if is_text and cell.label in EMPTY_CELLS]
    remarks = [f"{counted(len(missing), 'cells')} such as {shown(missing[0].label)}: no label"] if missing else []
    given = sorted((cell for cell in there if not (is_text and cell.label in EMPTY_CELLS)), key=lambda cell: cell.row)
    for row, _, name, label in given:
        if not isinstance(label, str) and not (is_real(label) and math.isfinite(label)):
            raise FileError(path, f"row {row}: the label {shown(label)} of {name} is neither a text nor a finite number; give one of these")  # fmt: skip
    numbers: dict[Any, Any] = {cell.label: _number(cell.label) for cell in given if isinstance(cell.label, str)}
    words = [cell for cell in given if numbers.get(cell.label, 0.0) is None]
    if words:
        return given, remarks + _check_words(path, words, given, numbers)
    return [cell._replace(label=float(numbers.get(cell.label, cell.label))) for cell in given], remarks


def _number(text: str) -> float | None:
    """The finite number that a text says, or yes and no and the like; else None."""
    try:
        number = number_of_label(text)
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None


def _check_words(
    path: str, words: Sequence[_Cell], given: Sequence[_Cell], numbers: Mapping[str, float | None]
) -> list[str]:
    """Remarks on labels that are words; refuses a few words among numbers, since as texts 1 and 1.0 would differ."""
    row, _, name, label = words[0]
    spellings = {text.lower(): number for text, number in numbers.items() if number is not None}
    are_yes_no = all(text.isalpha() for text in spellings) and len(set(spellings.values())) == len(spellings)
    typed = [cell for cell in given if not isinstance(cell.label, str)]
    are_few = 2 * len(words) < len(given)
    if are_few and (typed or not are_yes_no):
        others = "all others are" if len(words) == 1 else "most others are"
        raise FileError(
            path, f"row {row}: {shown(label)} of {name} is not a number, and {others}: leave it empty, or give every label as a word"
        )  # fmt: skip
    if typed:
        raise FileError(
            path, f"row {typed[0].row}: {shown(typed[0].label)} of {typed[0].rater} is a number, and most others are texts: leave it empty, or give every label as a text"
        )  # fmt: skip
    remarks = [f"row {row}: {shown(label)} of {name} is neither yes nor no: all labels are words"] if are_few else []
    by_case: dict[str, list[str]] = {}
    for text in numbers:
        by_case.setdefault(text.casefold(), []).append(text)
    alike = next((texts for texts in by_case.values() if len(texts) > 1), None)
    if alike:
        remarks.append(f"labels that differ only in case are different labels: {' and '.join(map(shown, alike))}")
    return remarks
