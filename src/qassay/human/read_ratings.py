"""Reads what several raters say about the same items: a column per rater, or a row per item and rater."""

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
from ..files.tables import Table
from .labels import LABEL_NAMES, number_of_label
from .read_labelled import table_of

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
_LEAST = 10  # items that two rated


class Ratings(NamedTuple):
    """The labels of n items.

    Attributes:
        codes: rater -> the index of its label of each item in `labels` and then `more`, float64 (n,); -1.0 where it gave none.
        labels: the different labels of people, in rising order: numbers, or else texts.
        more: labels that only judges gave, in rising order.
        groups: of the items.
        remarks: on the labels, in sentences.
    """

    codes: dict[str, np.ndarray]
    labels: tuple[Any, ...]
    more: tuple[Any, ...]
    groups: Groups
    remarks: tuple[str, ...]


class _Cells(NamedTuple):
    """What a rater wrote: a cell per item, and its row in the table."""

    cells: list[Any]
    rows: list[int]


def read_ratings(
    data: Any, people: Sequence[str], judges: Sequence[str] = (), columns: Mapping[str, Any] | None = None
) -> Ratings:
    """Labels by rater, in the order of the items; an empty cell is no label, nor is NA and the like in a text file.

    Args:
        data: a file or a table, as for `read_labelled`; columns by name may be arrays.
        people: the columns with a person each, or of a table with a column of raters the people to read; () for all there but
            the judges.
        judges: the same for judges.
        columns: role -> the name of its column: `ids`, `rater` and `labels` of a row per item and rater; `ids` and `groups` of
            a row per item.

    Raises:
        FileError: a column or a rater that is not there, a rater with two labels of one item, an id of two rows with a column
            per rater, an item in two groups, a label that is no number where the others are, or fewer than 10 items that two
            rated.
    """
    names = column_names(columns or {}, ROLES, several=())
    if isinstance(data, Mapping):
        data = {name: to_list(of, str(name)) if hasattr(of, "tolist") or isinstance(of, tuple) else of for name, of in data.items()}  # fmt: skip
        sizes = {name: len(of) for name, of in data.items() if isinstance(of, list)}
        if len(sizes) == len(data) and (other := [name for name in sizes if sizes[name] != next(iter(sizes.values()))]):
            (first, size), *_ = sizes.items()
            raise ValueError(
                f"{first} has {size} cells and {other[0]} {sizes[other[0]]}; give one per item, None for no label"
            )
    path, table = table_of(data, any_columns=True)
    stripped = {str(name).strip(): cells for name, cells in table.columns.items()}
    if len(stripped) == len(table.columns):
        table = dataclasses.replace(table, columns=stripped)
        names = {role: name.strip() for role, name in names.items()}
    picker = Columns(path, table, names, usual_roles(table.columns, _USUAL))
    raters = [*people, *judges] if people else []
    is_wide = any(name in table.columns for name in raters) and "rater" not in names
    for name in (*names.values(), *(raters if is_wide else ())):
        check_column(path, table, name)
    picker.optional(*(() if is_wide else ("rater",)), "groups")
    long_column, group_column = picker.picked.get("rater"), picker.picked.get("groups")
    if long_column is None:
        if not raters:
            raise FileError(
                path, f"say which columns hold a rater each (raters=), or the column of their names with {columns_text('rater', 'NAME')}; it has: {', '.join(table.columns)}"
            )  # fmt: skip
        for name in raters:
            check_column(path, table, name)
        id_column = names.get("ids") or next((name for name in picker.free("ids") if name not in raters), None)
        _check_ids(path, table, id_column)
        cells = {name: _Cells(table.columns[name], list(range(len(table.columns[name])))) for name in raters}
        groups = table.columns[group_column] if group_column else None
    else:
        picked = {role: picker.require(role, first_wins=role == "ids") for role in ("ids", "labels")}
        cells, groups = _by_rater(path, table, {**picked, "rater": long_column, "groups": group_column}, raters)
        if unknown := [name for name in judges if name not in cells]:
            raise FileError(
                path, f"no judge {unknown[0]!r} among the raters{did_you_mean(unknown[0], list(cells))}; available: {', '.join(cells)}"
            )  # fmt: skip
    values, remarks = _values(path, cells, table.is_text)
    of_people, of_all = (
        {each for name, column in values.items() if every or name not in judges for each in column} - {None}
        for every in (False, True)
    )
    labels, more = tuple(sorted(of_people)), tuple(sorted(of_all - of_people))
    code = {None: -1.0, **{label: float(index) for index, label in enumerate((*labels, *more))}}
    codes = {name: np.array([code[each] for each in column]) for name, column in values.items()}
    given = np.sum([column >= 0 for column in codes.values()], axis=0)
    shared = int((given > 1).sum())
    if shared < _LEAST:
        raise FileError(
            path, f"two or more raters labelled {shared} items; agreement needs at least {_LEAST}, better 100"
        )
    if more:
        remarks.append(
            f"{counted(len(more), 'labels')} such as {_text(more[0])} only judges gave: the scale and its steps are those of people"
        )
    rows, n = np.flatnonzero(given), len(given)
    of_items = Groups.of(range(n) if groups is None else groups, range(n), group_column or "groups")
    codes = {name: column[rows] for name, column in codes.items()}
    return Ratings(codes, labels, more, of_items.take(rows), tuple(remarks))


def _text(label: Any) -> str:
    return shown(label) if isinstance(label, str) else f"{label:g}"


def _check_ids(path: str, table: Table, column: str | None) -> None:
    """Refuse an id of two rows; an empty one says nothing."""
    rows: dict[str, int] = {}
    for row, cell in enumerate(table.columns[column] if column else ()):
        if is_missing(cell) or not str(cell).strip():
            continue
        first = rows.setdefault(str(cell), row)
        if first != row:
            raise FileError(
                path, f"rows {first} and {row} are both of the item {shown(cell)} (column {column}); keep one, or say which column has the ids of items with {columns_text('ids', 'NAME')}"
            )  # fmt: skip


def _by_rater(
    path: str, table: Table, picked: Mapping[str, Any], raters: Sequence[str]
) -> tuple[dict[str, _Cells], list[Any] | None]:
    """Rater -> the cells of the items, and the groups of the items, of a row per item and rater."""
    ids, who, cells = (table.columns[picked[role]] for role in ("ids", "rater", "labels"))
    for role in ("ids", "rater"):
        column = table.columns[picked[role]]
        if empty := [row for row, cell in enumerate(column) if is_missing(cell) or not str(cell).strip()]:
            raise FileError(
                path, f"row {empty[0]}: {picked[role]} is empty; name the item and the rater of every label"
            )
    who = [str(name).strip() for name in who]
    index = {name: row for row, name in enumerate(dict.fromkeys(map(str, ids)))}
    found = {name: _Cells([None] * len(index), [0] * len(index)) for name in dict.fromkeys(who)}
    rows: dict[tuple[str, str], int] = {}
    groups: list[Any] = [None] * len(index)
    for row, (item, name, cell) in enumerate(zip(map(str, ids), who, cells, strict=True)):
        first = rows.setdefault((item, name), row)
        if first != row:
            raise FileError(path, f"{shown(name)} labels the item {shown(item)} in rows {first} and {row}; keep one")
        found[name].cells[index[item]], found[name].rows[index[item]] = cell, row
        if picked["groups"]:
            group, known = table.columns[picked["groups"]][row], groups[index[item]]
            if known is not None and known != group:
                raise FileError(path, f"row {row}: the item {shown(item)} is in the groups {shown(known)} and {shown(group)}; give one")  # fmt: skip
            groups[index[item]] = group
    for name in raters:
        if name not in found:
            raise FileError(path, f"no rater {name!r}{did_you_mean(name, list(found))}; available: {', '.join(found)}")
    return {name: found[name] for name in raters or found}, groups if picked["groups"] else None


def _values(path: str, cells: Mapping[str, _Cells], is_text: bool) -> tuple[dict[str, list[Any]], list[str]]:
    """The labels by rater, None for none, and remarks; they are numbers, or yes and no and the like, if all of them are, else texts."""
    given = [
        (row, name, cell.strip() if isinstance(cell, str) else cell)
        for name, of in cells.items()
        for row, cell in zip(of.rows, of.cells, strict=True)
        if not is_missing(cell) and cell != "" and not (isinstance(cell, str) and not cell.strip())
    ]
    empty = [cell for _, _, cell in given if is_text and cell in EMPTY_CELLS]
    remarks = [f"{counted(len(empty), 'cells')} such as {shown(empty[0])}: no label"] if empty else []
    given = sorted((one for one in given if not (is_text and one[2] in EMPTY_CELLS)), key=lambda one: one[0])
    numbers = {cell: _number(cell) for _, _, cell in given if isinstance(cell, str)}
    for row, name, cell in given:
        if not isinstance(cell, str) and not (is_real(cell) and math.isfinite(cell)):
            raise FileError(path, f"row {row}: the label {shown(cell)} of {name} is neither a text nor a finite number; give one of these")  # fmt: skip
    odd = [one for one in given if isinstance(one[2], str) and numbers[one[2]] is None]
    if odd:
        remarks += _check_odd(path, odd, given, numbers)

    def value(cell: Any) -> Any:
        if is_missing(cell):
            return None
        if not isinstance(cell, str):
            return float(cell)
        text = cell.strip()
        return None if not text or is_text and text in EMPTY_CELLS else text if odd else numbers[text]

    return {name: list(map(value, of.cells)) for name, of in cells.items()}, remarks


def _number(text: str) -> float | None:
    """The finite number that a text says, or yes and no and the like; else None."""
    try:
        number = number_of_label(text)
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None


def _check_odd(path: str, odd: Sequence[Any], given: Sequence[Any], numbers: Mapping[str, float | None]) -> list[str]:
    """Refuse a few labels that are no numbers where the others are, which as texts would tell 1 from 1.0; else remarks."""
    row, name, cell = odd[0]
    spellings = {text.lower(): number for text, number in numbers.items() if number is not None}
    are_words = all(text.isalpha() for text in spellings) and len(set(spellings.values())) == len(spellings)
    typed = [one for one in given if not isinstance(one[2], str)]
    is_few = 2 * len(odd) < len(given)
    if is_few and (typed or not are_words):
        others = "all others are" if len(odd) == 1 else "most others are"
        raise FileError(
            path, f"row {row}: {shown(cell)} of {name} is not a number, and {others}: leave it empty, or give every label as a word"
        )  # fmt: skip
    if typed:
        raise FileError(
            path, f"row {typed[0][0]}: {shown(typed[0][2])} of {typed[0][1]} is a number, and most others are texts: leave it empty, or give every label as a text"
        )  # fmt: skip
    remarks = []
    if is_few:
        remarks.append(f"row {row}: {shown(cell)} of {name} is neither yes nor no: all labels are words")
    by_case: dict[str, dict[str, None]] = {}
    for text in numbers:
        by_case.setdefault(text.casefold(), {})[text] = None
    if alike := [list(map(shown, texts)) for texts in by_case.values() if len(texts) > 1]:
        remarks.append(f"labels that differ only in case are different labels: {' and '.join(alike[0])}")
    return remarks
