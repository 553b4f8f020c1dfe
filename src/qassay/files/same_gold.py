"""Compares gold data that are there twice: in a table of predictions and the gold file, in the runs or systems of one table."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.columns import is_nan, spelled
from ..core.file_columns import Gold
from ..core.remarks import collected
from ..core.shown import columns_text, shown
from .columns import names_here
from .content import Content
from .formats._cells import cell_key
from .gold_and_predictions import read_gold
from .reading import FileError
from .systems import SystemFile
from .tables import KEY_ROLES, OF_SYSTEM, Names, as_table, each_column, prepared

_OF_SYSTEMS_TOO = {  # names of gold columns that may have data of a system
    "answer", "answers", "exact_answer", "label", "labels", "target", "targets", "class", "classes", "category",
    "categories", "gain", "score", "scores", "sim", "similarity",
}  # fmt: skip
_EITHER = {"answer", "answers", "exact_answer"}  # gold data in a gold file, and predictions elsewhere
_DESCRIBE = ("title", "context", "question")  # columns of tables by which families group and slice


def first_conflict(tables: Iterable[tuple[str, Iterable[tuple[Any, Any]]]]) -> tuple[Any, list[str], list[Any]] | None:
    """The key of the first example whose cell differs between two tables, the names of the two, and the two cells; None if
    all agree.

    Args:
        tables: the name of a table, and the key and the cell of each of its rows.
    """
    seen: dict[Any, tuple[str, Any]] = {}
    for name, rows in tables:
        for key, cell in rows:
            first, known = seen.setdefault(key, (name, cell))
            if known != cell:
                return key, [first, name], [known, cell]
    return None


def has_same_gold(content: Content, gold: Gold, names: Names) -> bool:
    """Whether a file of predictions is a table that has the gold data of the gold file too, in a column.

    Rows are compared by id if both tables have ids, otherwise by order; rows that only one table has are not compared.

    Args:
        gold: the result of `read_gold`; a file that is not a table is not compared.
        names: role -> column, as for `read_gold`.
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
    keys = []
    for of in (found, gold):
        cells = of.columns["references"] if of.truth is None else of.truth.cells
        keys.append([cell_key(cell, of.names.get("separator")) for cell in cells])
    return first_difference(found, gold, *keys)


def first_difference(found: Gold, gold: Gold, found_texts: Sequence[Any], gold_texts: Sequence[Any]) -> str | None:
    """A sentence about the first row that differs from its row in the gold file; None if there is none.

    Args:
        found_texts, gold_texts: the set of texts of each row; a row with None is not compared.
    """
    by_id = found.ids is not None and gold.ids is not None
    there, here = (
        [
            (key, row)
            for key, row in zip(map(str, of.ids or ()) if by_id else range(len(texts)), texts, strict=True)
            if row is not None
        ]
        for of, texts in ((gold, gold_texts), (found, found_texts))
    )
    conflict = first_conflict([(gold.path, dict(there).items()), (found.path, here)])
    if conflict is None:
        return None
    key, _, cells = conflict
    texts = [str(sorted(map(str, of))) if of else "no answer" for of in cells]
    return f"{f'the id {key!r}' if by_id else f'row {key}'} has {texts[1]} as gold, but {texts[0]} in {gold.path}"


def require_same_runs(gold: Gold, files: Iterable[SystemFile], names: Sequence[Any] = ()) -> None:
    """Refuse runs in the gold file if rows of one question have different gold data, since only the gold data of one
    run count.

    Args:
        names: of groups and slices, which may be columns too.
    """
    runs = [(file.run, file.file.value.columns) for file in files if file.run and file.file.path == gold.path]
    keys = [gold.names[role] for role in KEY_ROLES if role in gold.names]
    of_gold = each_column(column for role, column in gold.names.items() if role not in (*OF_SYSTEM, *KEY_ROLES))
    named = [name for name in names if isinstance(name, str)]
    for column in dict.fromkeys([*of_gold, *named, *(_DESCRIBE if named else ())]):
        by = keys if column in of_gold else keys[:1]  # groups and slices are for queries, not documents
        tables = []
        for run, columns in runs:
            cells = [None if is_nan(cell) else cell for cell in columns.get(column, ())]
            questions = zip(*(columns[key] for key in by)) if by else range(len(cells))
            tables.append((run, dict(zip(questions, cells)).items()))
        conflict = first_conflict(tables)
        if conflict is not None:
            key, of_runs, cells = conflict
            which = shown(key[0]) if by else f"in row {key} of its run"
            each = " and ".join(f"{shown(cell)} in the run {run}" for run, cell in zip(of_runs, cells, strict=True))
            message = f"{column}: the question {which} has {each}; all runs need the same gold data, groups and weights"
            raise FileError(gold.path, message)
