"""Checks tables that have predictions and gold data: the gold data must be those of the gold file."""

from collections.abc import Sequence
from typing import Any

from ..core.columns import spelled
from ..core.file_columns import Gold
from ..core.remarks import collected
from ..core.shown import columns_text, shown
from .columns import names_here
from .content import Content
from .formats._cells import cell_key
from .read import read_gold
from .reading import FileError
from .tables import Names, as_table, prepared

_OF_SYSTEMS_TOO = {  # names of gold columns that may have data of a system
    "answer", "answers", "exact_answer", "label", "labels", "target", "targets", "class", "classes", "category",
    "categories", "gain", "score", "scores", "sim", "similarity",
}  # fmt: skip
_EITHER = {"answer", "answers", "exact_answer"}  # gold data in a gold file, and predictions elsewhere


def has_same_gold(content: Content, gold: Gold, names: Names) -> bool:
    """Whether a file of predictions is a table that has the gold data of the gold file too, in a column.

    Rows are compared by id if both tables have ids, otherwise by order; rows that only one table has are not compared.

    Args:
        gold: the result of `read_gold`; a file that is not a table is not compared.
        names: role -> column, as for `read_gold`.

    Raises:
        FileError: its gold data are others; the message names the first row that differs.
    """
    table, role = as_table(content.value, any_columns=True), gold.compared
    if content.path == gold.path or table is None or role not in gold.names:
        return False
    gold_name = gold.names[role]
    names = names_here(content.path, table, gold, prepared(content, names)[1])
    if role not in names and isinstance(gold_name, str) and gold_name in table.columns:
        names = {**names, role: gold_name}
    try:
        with collected():  # what is remarked of gold data is of the gold file
            found = read_gold(content, names, metric=gold.metric)
    except FileError:
        return False
    if found.kind != gold.kind or not found.is_self_contained:
        return False
    difference = (gold.difference or _difference)(found, gold)
    name = found.names[role]
    if difference is None:
        return True
    if isinstance(name, str) and spelled(name) in _OF_SYSTEMS_TOO and (name != gold_name or name in _EITHER):
        return False
    is_by_row = difference.startswith("row ")
    or_ids = f"name the column of ids of both files with {columns_text('ids', 'NAME')}, " if is_by_row else ""
    raise FileError(
        content.path,
        f"{difference} (column {shown(name)} here, {shown(gold_name)} there); {or_ids}score it by itself, or, if {gold.path} is "
        f"right for both, rename or remove the column here",
    )


def _difference(found: Gold, gold: Gold) -> str | None:
    """The first row with other gold data, in whatever layout these are."""
    keys = [
        [
            cell_key(row, of.names.get("separator"))
            for row in (of.columns["references"] if of.truth is None else of.truth.cells)
        ]
        for of in (found, gold)
    ]
    return first_difference(found, gold, *keys)


def first_difference(found: Gold, gold: Gold, found_keys: Sequence[Any], gold_keys: Sequence[Any]) -> str | None:
    """A sentence about the first row that differs from its row in the gold file; None if there is none.

    Args:
        found_keys, gold_keys: the set of texts of each row; a row with None is not compared.
    """
    by_id = found.ids is not None and gold.ids is not None
    names, of_gold = (
        list(map(str, of.ids)) if by_id and of.ids is not None else range(len(keys))
        for of, keys in ((found, found_keys), (gold, gold_keys))
    )
    there = dict(zip(of_gold, gold_keys, strict=True))
    for name, key in zip(names, found_keys, strict=True):
        other = there.get(name)
        if key is not None and other is not None and key != other:
            texts = [str(sorted(map(str, of))) if of else "no answer" for of in (key, other)]
            spot = f"the id {name!r}" if by_id else f"row {name}"
            return f"{spot} has {texts[0]} as gold, but {texts[1]} in {gold.path}"
    return None
