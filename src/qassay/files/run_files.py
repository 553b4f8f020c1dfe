"""Files of repeated runs: `model=run1.json,run2.json`, and tables with a column that names the run of each row."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import is_nan, usual_roles
from ..core.file_columns import STDIN, Gold
from ..core.ids import different_questions, lacking_by_run
from ..core.shown import columns_text, describe, shown
from .arrow_columns import ArrowColumns
from .content import Content, Table, read_content
from .reading import ID_NAMES, QUESTION_NAMES, FileError
from .roles import RUN_ROLE
from .system_files import SystemFile, path_of, system_names
from .tables import KEY_ROLES, SYSTEM_ROLES, Names, each_column

_QUERY_NAMES = ("q_id", *QUESTION_NAMES, "topic")  # roles of columns that identify the question if there are no ids
_OF_SYSTEM = (*SYSTEM_ROLES, "no_answer_probabilities")
_DESCRIBE = ("title", "context", "question")  # columns of tables by which families group and slice
_NO_TABLE = "a column of runs is for tables of rows; give a file for each run: model=run1.json,run2.json"


def runs_of_systems(
    gold: Content,
    paths: Sequence[str | Content | Sequence[str]],
    names: Names,
    systems: Sequence[str] | None = None,
    with_gold: bool = False,
) -> tuple[Content, list[SystemFile]]:
    """The gold file, and the files of the systems, one for each run; their columns are not yet named.

    Args:
        gold: the gold file; of a table in which ids repeat, one run after another, as in a log of several epochs, the
            rows of the first run are given back.
        with_gold: also score such a table as a system.
        paths: of the files of predictions, or what was read there; `NAME=FILE` names the system, `NAME=FILE,FILE` or
            a list of files are several runs.
        names: role -> column, as from `column_names`.
        systems: the names of the systems, one for each path; None: named after the files.

    Raises:
        FileError: a table whose runs have different questions, or one run only. ValueError: a file that is two runs, or
            two systems of one name.
    """
    entries = [files_of_runs(path) for path in paths]
    if paths and RUN_ROLE in names and _has_runs(gold, names):
        if with_gold:
            entries.insert(0, (None, [gold]))
            systems = systems and [*system_names([gold.path]), *systems]
        gold = next(iter(split_runs(gold, names[RUN_ROLE], names).values()))
    unnamed = iter(system_names([path_of(files[0]) for name, files in entries if name is None]))
    called = list(systems or [next(unnamed) if name is None else name for name, _ in entries])
    twice = next((name for name in called if called.count(name) > 1), None)
    if twice is not None:
        raise ValueError(
            f"two systems are called {twice}; give each a distinct name, and runs of one as NAME=FILE,FILE"
        )
    found: list[SystemFile] = []
    for system, (name, files) in zip(called, entries, strict=True):
        is_named = bool(systems) or name is not None
        found += [file._replace(is_named=is_named) for file in _runs_of(system, files, names)]
    if RUN_ROLE in names and not paths:
        (system,) = system_names([gold.path])
        found = _runs_of(system, [gold], names)
        gold = read_content(found[0].file)
    return gold, found


def _runs_of(system: str, files: Sequence[Any], names: Names) -> list[SystemFile]:
    """The runs of a system: its files, or, with a column of runs, the parts of its file."""
    if len(files) > 1:
        paths = list(map(path_of, files))
        if len(set(map(os.path.realpath, paths))) < len(files):
            raise ValueError(f"a file is given as two runs of {system}: {', '.join(paths)}; give it once")
        parts = dict(zip(system_names(paths), files, strict=True))
    elif RUN_ROLE not in names:
        return [SystemFile(system, files[0])]
    else:
        parts = split_runs(read_content(files[0]), names[RUN_ROLE], names)
    return [SystemFile(f"{system} ({run})", file, run_of=(system, run)) for run, file in parts.items()]


def _has_runs(gold: Content, names: Names) -> bool:
    """Whether the gold file is a table with the named run column and repeated ids."""
    table, column = gold.value, names[RUN_ROLE]
    if not isinstance(table, Table) or column not in table.columns:
        return False
    ids = _id_column(table, names)
    return ids is not None and len(set(map(str, table.columns[ids]))) < len(table.columns[ids])


def _id_column(table: Table, named: Names) -> Any:
    """The column that identifies the question of a row; None if there is none."""
    usual = usual_roles(table.columns, {"ids": (*ID_NAMES, *_QUERY_NAMES)}).get("ids", [None])
    ids = each_column([named.get("ids", named.get("query", usual[0] or ()))])
    return next((name for name in ids if name in table.columns), None)


def files_of_runs(path: str | Content | Sequence[str]) -> tuple[str | None, list[Any]]:
    """The name of the system (None: named after its file) and the files of its runs.

    An existing path is a file; otherwise `NAME=FILE` is a name and an existing file, and `NAME=FILE,FILE` a name and
    several runs.

    Raises:
        ValueError: several files without a name, or an empty one among them.
    """
    if isinstance(path, (list, tuple)):
        return None, [file if isinstance(file, Content) else str(file) for file in path]
    if isinstance(path, str) and "=" in path and not os.path.exists(path):
        name, _, rest = path.partition("=")
        is_file = rest == STDIN or os.path.exists(rest)
        files = [rest] if is_file else rest.split(",")
        if name and all(files) and (len(files) > 1 or is_file):
            return name, files
    if isinstance(path, str) and "," in path and not os.path.exists(path):
        files = path.partition("=")[2].split(",") if "=" in path else path.split(",")
        if any(map(os.path.exists, files)):
            such_as = ",".join([*filter(None, files), "FILE"] if sum(map(bool, files)) < 2 else filter(None, files))
            raise ValueError(f"{path}: several runs of a system are NAME=FILE,FILE, such as model={such_as}")
    return None, [path]


def split_runs(content: Content, column: str, names: Names) -> dict[str, Content]:
    """The rows of each run of a table, in order of first occurrence: name of the run -> its rows.

    Args:
        column: the column with the run of each row.
        names: role -> column.

    Raises:
        FileError: unknown column, an empty cell, one run only, or runs with different questions.
    """
    table, path = content.value, content.path
    if not isinstance(table, Table):
        raise FileError(path, _NO_TABLE)
    if column not in table.columns:
        there = ", ".join(list(table.columns)[:20])
        raise FileError(path, f"there is no column {column!r} of runs; available: {there}")
    rows_of: dict[str, list[int]] = {}
    for row, cell in enumerate(table.columns[column]):
        if cell is None or is_nan(cell) or cell == "":
            raise FileError(path, f"row {row}: the column {column} is empty; it must say which run the row belongs to")
        rows_of.setdefault(str(cell), []).append(row)
    if len(rows_of) < 2:
        raise FileError(
            path,
            f"the column {column} has one run only, {shown(next(iter(rows_of), ''))}; how much runs differ "
            f"needs two or more; omit {columns_text(RUN_ROLE, column)}",
        )
    _require_same_questions(path, column, table, rows_of, names)
    return {run: Content(path, _rows_of(table, rows, column)) for run, rows in rows_of.items()}


def _rows_of(table: Table, rows: Sequence[int], without: str) -> Table:
    """Some rows of a table, without a column."""
    columns: Mapping[str, Any] = table.columns
    if isinstance(columns, ArrowColumns):
        columns = columns.take(rows, without)
    else:
        columns = {name: [cells[row] for row in rows] for name, cells in columns.items() if name != without}
    absent = {name: bytes(lacks[row] for row in rows) for name, lacks in table.absent.items() if name != without}
    return Table(columns, table.format, absent)


def _require_same_questions(
    path: str, column: str, table: Table, rows_of: Mapping[str, Sequence[int]], names: Names
) -> None:
    """Refuse runs that do not have the same questions, by id or by number, naming and counting those that a run lacks."""
    ids = _id_column(table, names)
    cells = [0] * sum(map(len, rows_of.values())) if ids is None else table.columns[ids]
    row = next((row for row, cell in enumerate(cells) if isinstance(cell, (list, dict))), None)
    if row is not None:
        raise FileError(
            path, f"row {row}: the id in the column {ids} is {describe(cells[row])}; give a text or a number"
        )
    of_runs = {run: [cells[row] for row in rows] if ids else range(len(rows)) for run, rows in rows_of.items()}
    lacking = lacking_by_run(of_runs)
    if lacking:
        runs, n = f"the runs of the column {column}", len({key for of_run in of_runs.values() for key in of_run})
        raise FileError(path, different_questions(runs, lacking, n, "give all in every run, or name the column of ids"))


def require_same_gold(gold: Gold, files: Iterable[SystemFile], names: Sequence[str] = ()) -> None:
    """Refuse runs in the gold file if rows of one question have different gold data, since only the gold data of one
    run count.

    Args:
        files: of the systems, as from `system_files`.
        names: of groups and slices, which may be columns too.

    Raises:
        FileError: it names the column, the first question that differs and both runs.
    """
    runs = [(file.run_of[1], file.file.value) for file in files
            if file.run_of and isinstance(file.file, Content) and file.path == gold.path]  # fmt: skip
    of_gold = [*each_column(column for role, column in gold.names.items() if role not in (*_OF_SYSTEM, *KEY_ROLES))]
    more = [*names, *_DESCRIBE] if names else []
    keys = [gold.names[role] for role in KEY_ROLES if role in gold.names]
    for column in dict.fromkeys([*of_gold, *more]):
        key_columns = keys if column in of_gold else keys[:1]  # groups and slices are for queries, not documents
        seen: dict[tuple[Any, ...], tuple[str, Any]] = {}
        for run, table in (one for one in runs if column in one[1].columns):
            for key, cell in _cells_by_key(table, key_columns, column).items():
                first, expected = seen.setdefault(key, (run, cell))
                if expected != cell:
                    question = shown(key[0]) if keys else f"in row {key[0]} of its run"
                    raise FileError(
                        gold.path,
                        f"{column}: the question {question} has {shown(expected)} in the run {first} and "
                        f"{shown(cell)} in the run {run}; all runs need the same gold data, groups and weights",
                    )


def _cells_by_key(table: Table, keys: Sequence[str], column: str) -> dict[tuple[Any, ...], Any]:
    """The cells of a column by the cells of others, or by the row if there are none; None for NaN."""
    cells = [None if is_nan(cell) else cell for cell in table.columns[column]]
    rows = zip(*(table.columns[key] for key in keys), strict=True) if keys else ((row,) for row in range(len(cells)))
    return dict(zip(rows, cells, strict=True))
