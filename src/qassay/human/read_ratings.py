"""Reads what several raters say about the same items: a column per rater, or a row per item and rater."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import is_missing, is_real, usual_roles
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.shown import columns_text, shown
from ..files.columns import Columns, check_column
from ..files.reading import ID_NAMES, FileError
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
        codes: rater -> the index of its label of each item in `labels`, float64 (n,); -1.0 where it gave none.
        labels: the different labels, in rising order: numbers, or else texts.
        groups: of the items.
    """

    codes: dict[str, np.ndarray]
    labels: tuple[Any, ...]
    groups: Groups


def read_ratings(data: Any, raters: Sequence[str], columns: Mapping[str, Any] | None = None) -> Ratings:
    """Labels by rater, in the order of the items; an empty cell is no label.

    Args:
        data: a file or a table, as for `read_labelled`.
        raters: the columns with a rater each, or of a table with a column of raters the ones to read; () for all of these.
        columns: role -> the name of its column: `ids`, `rater` and `labels` of a row per item and rater; `groups`.

    Raises:
        FileError: a column or a rater that is not there, a rater with two labels of one item, an item in two groups, or fewer
            than 10 items that two rated.
    """
    names = column_names(columns or {}, ROLES, several=())
    path, table = table_of(data, any_columns=True)
    picker = Columns(path, table, names, usual_roles(table.columns, _USUAL))
    is_wide = bool(raters) and all(name in table.columns for name in raters) and "rater" not in names
    picker.optional(*(() if is_wide else ("rater",)), "groups")
    long_column, group_column = picker.picked.get("rater"), picker.picked.get("groups")
    if long_column is None:
        if not raters:
            raise FileError(
                path, f"say which columns hold a rater each (raters=), or the column of their names with {columns_text('rater', 'NAME')}; it has: {', '.join(table.columns)}"
            )  # fmt: skip
        for name in raters:
            check_column(path, table, name)
        cells = {name: table.columns[name] for name in raters}
        groups = table.columns[group_column] if group_column else None
    else:
        picked = {role: picker.require(role, first_wins=role == "ids") for role in ("ids", "labels")}
        cells, groups = _by_rater(path, table, {**picked, "rater": long_column, "groups": group_column}, raters)
    codes, labels = _coded(path, cells)
    given = np.sum([column >= 0 for column in codes.values()], axis=0)
    shared = int((given > 1).sum())
    if shared < _LEAST:
        raise FileError(
            path, f"two or more raters labelled {shared} items; agreement needs at least {_LEAST}, better 100"
        )
    rows, n = np.flatnonzero(given), len(given)
    of_items = Groups.of(range(n) if groups is None else groups, range(n), group_column or "groups")
    return Ratings({name: column[rows] for name, column in codes.items()}, labels, of_items.take(rows))


def _by_rater(
    path: str, table: Table, picked: Mapping[str, Any], raters: Sequence[str]
) -> tuple[dict[str, list[Any]], list[Any] | None]:
    """Rater -> the cells of the items, and the groups of the items, of a row per item and rater."""
    ids, who, cells = (table.columns[picked[role]] for role in ("ids", "rater", "labels"))
    for role in ("ids", "rater"):
        column = table.columns[picked[role]]
        if empty := [row for row, cell in enumerate(column) if is_missing(cell) or cell == ""]:
            raise FileError(
                path, f"row {empty[0]}: {picked[role]} is empty; name the item and the rater of every label"
            )
    index = {name: row for row, name in enumerate(dict.fromkeys(map(str, ids)))}
    found: dict[str, list[Any]] = {name: [None] * len(index) for name in dict.fromkeys(map(str, who))}
    rows: dict[tuple[str, str], int] = {}
    groups: list[Any] = [None] * len(index)
    for row, (item, name, cell) in enumerate(zip(map(str, ids), map(str, who), cells, strict=True)):
        first = rows.setdefault((item, name), row)
        if first != row:
            raise FileError(path, f"{shown(name)} labels the item {shown(item)} in rows {first} and {row}; keep one")
        found[name][index[item]] = cell
        if picked["groups"]:
            group, known = table.columns[picked["groups"]][row], groups[index[item]]
            if known is not None and known != group:
                raise FileError(path, f"row {row}: the item {shown(item)} is in the groups {shown(known)} and {shown(group)}; give one")  # fmt: skip
            groups[index[item]] = group
    for name in raters:
        if name not in found:
            raise FileError(path, f"no rater {name!r}{did_you_mean(name, list(found))}; available: {', '.join(found)}")
    return {name: found[name] for name in raters or found}, groups if picked["groups"] else None


def _coded(path: str, cells: Mapping[str, Sequence[Any]]) -> tuple[dict[str, np.ndarray], tuple[Any, ...]]:
    """The labels as indices; they are numbers, or yes and no and the like, if all of them are, else texts."""
    given = [cell for column in cells.values() for cell in column if not is_missing(cell)]
    texts = {cell.strip() for cell in given if isinstance(cell, str)} - {""}
    if odd := [cell for cell in given if not isinstance(cell, str) and not is_real(cell)]:
        raise FileError(path, f"the label {shown(odd[0])} is neither a text nor a number; give one of these")
    numbers: dict[str, Any] = {}
    for text in texts:
        try:
            numbers[text] = number_of_label(text)
        except ValueError:
            numbers = {}
            break
    as_numbers = len(numbers) == len(texts)
    if not as_numbers and len(texts) < len({cell.strip() if isinstance(cell, str) else cell for cell in given} - {""}):
        raise FileError(path, f"some labels are numbers and others texts, such as {shown(min(texts))}; write all alike")

    def value(cell: Any) -> Any:
        if is_missing(cell) or isinstance(cell, str) and not cell.strip():
            return None
        return float(cell) if not isinstance(cell, str) else numbers[cell.strip()] if as_numbers else cell.strip()

    values = {name: list(map(value, column)) for name, column in cells.items()}
    labels = tuple(sorted({each for column in values.values() for each in column} - {None}))
    code = {None: -1.0, **{label: float(index) for index, label in enumerate(labels)}}
    return {name: np.array([code[each] for each in column]) for name, column in values.items()}, labels
