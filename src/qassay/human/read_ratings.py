"""Reads the labels of several raters on the same items: a column per rater, or a row per item and rater."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import counted, is_missing
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.shown import columns_text, shown
from ..files.columns import Columns, check_column
from ..files.reading import ID_NAMES, FileError
from .labels import LABEL_NAMES, label_columns, number_of_label

_USUAL = {
    "ids": (*ID_NAMES, "item", "item_id"),
    "rater": (
        "rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "coder", "labeler", "labeller",
        "user",
    ),
    "labels": LABEL_NAMES,
    "groups": ("group", "groups"),
}  # fmt: skip
_LEAST = 10  # items that two raters labelled


class Ratings(NamedTuple):
    """The labels of n items.

    Attributes:
        people: the raters that are no judges.
        codes: rater -> the index of its label of each item in `labels` and then `more`, float64 (n,); -1.0 for no label.
        labels: the different labels of people in rising order: all numbers, or all texts.
        more: labels that only judges gave, in rising order.
        groups: of the items.
        remarks: on the labels, one sentence each.
    """

    people: list[str]
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
    """Labels by rater, in the order of the items. Empty cells, NA and the like are missing labels.

    Args:
        data: a file or a table; see `label_columns`.
        people: a column per person; in a table with a column of raters, the people to read, () for all except judges.
        judges: the same for judges.
        columns: role -> column: `ids` and `groups`, and `rater` and `labels` of a table with a row per item and rater.

    Raises:
        FileError: an unknown column or rater, two labels of one rater for one item, the same id in two rows of a table
            with a column per rater, words among numbers, or fewer than 10 items with two labels.
        ValueError: an unknown role, or fewer than two people.
    """
    picker = label_columns(data, columns, _USUAL, any_columns=True)
    raters = [*people, *judges] if people else []
    has_column_each = "rater" not in picker.names and any(name in picker.table.columns for name in raters)
    picker.optional("groups", *(() if has_column_each else ("rater",)))
    cells = _cells_of_rows(picker, raters, judges) if "rater" in picker.picked else _cells_of_columns(picker, raters)
    raters, n = list(dict.fromkeys(cell.rater for cell in cells)), 1 + max((cell.item for cell in cells), default=-1)
    people = list(people) or [name for name in raters if name not in judges]
    if len(people) < 2:
        raise ValueError(f"people are {', '.join(people) or 'none'}; give the labels of at least two people, in raters")
    groups = _groups_of_items(picker, cells)
    cells, remarks = _known_labels(picker.path, cells)
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
            picker.path, f"two or more raters labelled {shared} items; agreement needs at least {_LEAST}, better 100"
        )
    if more:
        remarks.append(
            f"{counted(len(more), 'labels')} such as {more[0] if isinstance(more[0], str) else f'{more[0]:g}'} only judges gave: "
            "the scale and its steps are those of people"
        )
    items = np.flatnonzero(n_labels)
    codes = {name: column[items] for name, column in codes.items()}
    return Ratings(people, codes, labels, more, Groups.of([groups[item] for item in items.tolist()]), tuple(remarks))


def _cells_of_columns(picker: Columns, raters: Sequence[str]) -> list[_Cell]:
    """The cells of a table with a row per item and a column per rater."""
    path, columns = picker.path, picker.table.columns
    if not raters:
        raise FileError(
            path,
            "say which columns hold a rater each (raters=), or the column of their names with "
            f"{columns_text('rater', 'NAME')}; it has: {', '.join(columns)}",
        )
    for name in raters:
        check_column(path, picker.table, name)
    picker.optional("ids")
    picker.unique_ids()  # several rows of an item would be a row per item and rater
    return [_Cell(row, row, name, cell) for name in raters for row, cell in enumerate(columns[name])]


def _cells_of_rows(picker: Columns, raters: Sequence[str], judges: Sequence[str]) -> list[_Cell]:
    """The cells of a table with a row per item and rater."""
    path, texts = picker.path, {}
    picker.require("ids", first_wins=True)
    picker.require("labels")
    for role in ("ids", "rater"):
        texts[role] = [str("" if is_missing(cell) else cell).strip() for cell in picker.cells(role) or ()]
        if "" in texts[role]:
            row = texts[role].index("")
            raise FileError(
                path, f"row {row}: {picker.picked[role]} is empty; name the item and the rater of every label"
            )
    index = {item: number for number, item in enumerate(dict.fromkeys(texts["ids"]))}
    known = list(dict.fromkeys(texts["rater"]))
    for name in (*raters, *judges):
        if name not in known:
            who = "judge" if name in judges else "rater"
            raise FileError(path, f"no {who} {name!r}{did_you_mean(name, known)}; available: {', '.join(known)}")
    cells: dict[tuple[str, str], _Cell] = {}
    for row, (item, name, label) in enumerate(zip(*texts.values(), picker.cells("labels") or (), strict=True)):
        first = cells.setdefault((name, item), _Cell(row, index[item], name, label)).row
        if first != row:
            raise FileError(path, f"{shown(name)} labels the item {shown(item)} in rows {first} and {row}; keep one")
    return [cell for name in raters or known for cell in cells.values() if cell.rater == name]


def _groups_of_items(picker: Columns, cells: Sequence[_Cell]) -> dict[int, Any]:
    """The group of each item; the items themselves without a column of groups."""
    groups = picker.cells("groups")
    if not groups:
        return {cell.item: cell.item for cell in cells}
    first: dict[int, int] = {}
    for cell in sorted(cells, key=lambda cell: cell.row):
        row = first.setdefault(cell.item, cell.row)
        if groups[cell.row] != groups[row]:
            both = f"{shown(groups[row])} and {shown(groups[cell.row])}"
            raise FileError(
                picker.path, f"rows {row} and {cell.row} are of one item in the groups {both}; give it one group"
            )
    return {item: groups[row] for item, row in first.items()}


def _known_labels(path: str, cells: Sequence[_Cell]) -> tuple[list[_Cell], list[str]]:
    """The cells with a label, and remarks; labels are numbers (also yes and no and the like) if all are, else texts."""
    known, missing = [], []
    for cell in sorted(cells, key=lambda cell: cell.row):
        label = cell.label.strip() if isinstance(cell.label, str) else cell.label
        number = number_of_label(label)
        if number is None:
            missing += [label] if isinstance(label, str) and label else []
        elif math.isnan(number) and not isinstance(label, str):
            raise FileError(
                path,
                f"row {cell.row}: the label {shown(label)} of {cell.rater} is neither a text nor a finite number; give one of these",
            )
        else:
            known.append((cell._replace(label=label), number))
    words = [cell for cell, number in known if math.isnan(number)]
    spelled = [cell.label for cell, number in known if not math.isnan(number)]
    are_yes_and_no = all(isinstance(label, str) and label.isalpha() for label in spelled)
    if words and len(spelled) > len(words) and not are_yes_and_no:
        raise FileError(
            path,
            f"row {words[0].row}: {shown(words[0].label)} of {words[0].rater} is not a number, and most others are: leave it empty, "
            "or give every label as a word",
        )
    remarks = [f"{counted(len(missing), 'cells')} such as {shown(missing[0])}: no label"] if missing else []
    if not words:
        return [cell._replace(label=number) for cell, number in known], remarks
    texts = [str(cell.label) for cell, _ in known]
    by_case = {text.casefold(): text for text in dict.fromkeys(texts)}
    if alike := next((text for text in texts if by_case[text.casefold()] != text), None):
        both = f"{shown(alike)} and {shown(by_case[alike.casefold()])}"
        remarks.append(f"labels that differ only in case are different labels: {both}")
    return [cell._replace(label=text) for (cell, _), text in zip(known, texts, strict=True)], remarks
