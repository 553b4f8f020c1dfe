"""From the arguments of a call to named systems: files, folders, several runs of one system, columns of one table."""

import itertools
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.columns import is_nan
from ..core.file_columns import STDIN, Gold
from ..core.shown import columns_text, shown
from .arrow_columns import ArrowColumns
from .content import Content, Table, read_content
from .folders import file_stem, has_systems, systems_of_folder
from .reading import FileError
from .roles import RUN_ROLE, names_by_system
from .tables import KEY_ROLES, SYSTEM_ROLES, Names, each_column, paths_of, prepared

_DATE = re.compile(r"_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+$")  # in the names of logs of lm_eval
_OF_SYSTEM = (*SYSTEM_ROLES, "no_answer_probabilities", *KEY_ROLES)
_DESCRIBE = ("title", "context", "question")  # columns of tables by which families group and slice

Runs = dict[str, Content]  # name of a run -> its content, "" for a single run
Given = tuple[str | None, Runs]  # the name given to a system, and its runs
Paths = Sequence[Any] | Mapping[Any, Any]  # of the files of systems, or name of a system -> its file or its runs


class SystemFile(NamedTuple):
    """The predictions of a system, or of one of its runs.

    Attributes:
        names: role -> column.
        run: the name of the run, if it is one of several.
    """

    system: str
    file: Content
    names: Names = {}
    run: str = ""

    @property
    def name(self) -> str:
        """The name of the system, and of the run."""
        return f"{self.system} ({self.run})" if self.run else self.system


# --- names ------------------------------------------------------------------------------------------------------------


def system_names(paths: Sequence[str]) -> list[str]:
    """File names without extensions and dates, with as many parent folders as needed to distinguish them."""
    parts = [(*Path(path).parts[:-1], _DATE.sub("", file_stem(path))) for path in paths]
    if len(set(parts)) < len(set(paths)):
        parts = [(*Path(path).parts[:-1], file_stem(path)) for path in paths]
    names = []
    for path_parts in parts:
        depth = 1
        while depth < len(path_parts) and sum(other[-depth:] == path_parts[-depth:] for other in parts) > 1:
            depth += 1
        # Folders cannot distinguish two equal paths.
        names.append("/".join(path_parts[-1:] if parts.count(path_parts) > 1 else path_parts[-depth:]))
    return distinct_names(names)


def distinct_names(
    names: Iterable[str], numbered: Callable[[str, int], str] = lambda name, number: f"{name} ({number})"
) -> list[str]:
    """Names without duplicates: the first of several equal names stays, later ones get a number.

    Args:
        numbered: a name and a number from 2 -> a distinct name for each copy.
    """
    names = list(names)
    taken, distinct = set(names), []
    for index, name in enumerate(names):
        if name in names[:index]:
            name = next(copy for number in itertools.count(2) if (copy := numbered(name, number)) not in taken)
            taken.add(name)
        distinct.append(name)
    return distinct


def files_of_argument(path: Any) -> tuple[str | None, list[Any]]:
    """The name of the system (None: named after its file) and the files of its runs.

    An existing path is a file; otherwise `NAME=FILE` is a name and an existing file, and `NAME=FILE,FILE` a name and
    several runs.

    Raises:
        ValueError: several files without a name, or an empty one among them.
    """
    if isinstance(path, (list, tuple)):
        return None, list(path)
    if isinstance(path, Content) or os.path.exists(path):
        return None, [path]
    name, sign, rest = path.partition("=")
    files = [rest] if rest == STDIN or os.path.exists(rest) else rest.split(",")
    if name and all(files) and (len(files) > 1 or files[0] == STDIN or os.path.exists(files[0])):
        return name, files
    if any(map(os.path.exists, files if sign else path.split(","))):
        raise ValueError(f"{path}: several runs of a system are NAME=FILE,FILE, such as model=run1.json,run2.json")
    return None, [path]


# --- from arguments to systems ----------------------------------------------------------------------------------------


def given_systems(paths: Paths, names: Names, gold: Content | None = None, *, logs: bool = True) -> list[Given]:
    """Each system with the content of its runs, which is read here.

    Args:
        paths: of the files of predictions, or their content; `NAME=FILE` names the system, `NAME=FILE,FILE` or a list of
            files are several runs; one folder has a file, or a folder with one, for each system. Or a dict by the names
            of the systems; None: named after the file.
        names: role -> column, as from `column_names`.
        gold: the gold file, which is no system of a folder.
        logs: as in `read_content`.

    Raises:
        FileError: a table with one run only. ValueError: a file that is two runs.
    """
    named: list[tuple[str | None, Any]] = [(None, path) for path in paths]
    if isinstance(paths, Mapping):
        named = list(paths.items())
    elif len(paths) == 1 and isinstance(paths[0], str) and has_systems(paths[0]):
        named = [*systems_of_folder(paths[0], gold.path if gold else "")]
    read = {gold.path: gold} if gold else {}  # a pipe cannot be read again
    given: list[Given] = []
    for name, path in named:
        its_name, files = files_of_argument(path)
        contents = []
        for file in files:
            content = read.get(str(file)) or prepared(read_content(file, logs=logs), names)[0]
            read[content.path] = content
            contents.append(content)
        given.append((name or its_name, _runs_of(name or its_name, contents, names)))
    return given


def _runs_of(system: str | None, files: Sequence[Content], names: Names) -> Runs:
    """The runs of a system: its files, or, with a column of runs, the parts of its file."""
    if len(files) == 1:
        return split_runs(files[0], names)
    paths = [file.path for file in files]
    if len(set(map(os.path.realpath, paths))) < len(files):
        raise ValueError(f"a file is given as two runs of {system}: {', '.join(paths)}; give it once")
    return dict(zip(system_names(paths), files, strict=True))


def system_files(given: Sequence[Given], names: Names) -> list[SystemFile]:
    """The files of the systems; in a table with several columns of predictions, each column is a system with its name."""
    named = with_names(given)
    files = []
    for system, runs in named.items():
        for column, columns in names_by_system(names).items():
            name = (f"{system}/{column}" if len(named) > 1 else column) if column else system
            files += [SystemFile(name, content, columns, run) for run, content in runs.items()]
    return files


def with_names(given: Sequence[Given]) -> dict[str, Runs]:
    """Name of a system -> its runs; a system without a given name is named after its file.

    Raises:
        ValueError: two systems of one name.
    """
    unnamed = iter(system_names([next(iter(runs.values())).path for name, runs in given if name is None]))
    named = [(next(unnamed) if name is None else name, runs) for name, runs in given]
    names = [name for name, _ in named]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(
            f"two systems are called {twice}; give each a distinct name, and runs of one as NAME=FILE,FILE"
        )
    return dict(named)


# --- runs in one table ------------------------------------------------------------------------------------------------


def has_runs(content: Content, names: Names) -> bool:
    """Whether a table has the named column of runs, with several runs."""
    is_there = RUN_ROLE in names and isinstance(content.value, Table)
    return is_there and len(set(map(str, content.value.columns.get(names[RUN_ROLE], ())))) > 1


def split_runs(content: Content, names: Names) -> Runs:
    """The rows of each run of a table, in order of first occurrence; without a column of runs, all of its rows.

    Args:
        names: role -> column; that of `RUN_ROLE` has the run of each row.

    Raises:
        FileError: unknown column, an empty cell, or one run only.
    """
    if RUN_ROLE not in names:
        return {"": content}
    column = names[RUN_ROLE]
    runs = rows_by(content, column, "run")
    if len(runs) < 2:
        raise FileError(
            content.path,
            f"the column {column} has one run only, {shown(next(iter(runs), ''))}; how much runs differ "
            f"needs two or more; omit {columns_text(RUN_ROLE, column)}",
        )
    return runs


def rows_by(content: Content, column: str, what: str) -> dict[str, Content]:
    """The rows of a table by the cells of a column, which is left out, in order of first occurrence.

    Args:
        what: what the cells of the column are, "run" or "system".

    Raises:
        FileError: unknown column or an empty cell.
    """
    table, path = content.value, content.path
    if not isinstance(table, Table):
        advice = "model=run1.json,run2.json" if what == "run" else "a=a.json b=b.json"
        raise FileError(path, f"a column of {what}s is for tables of rows; give a file for each {what}: {advice}")
    if column not in table.columns:
        there = ", ".join(paths_of(table.columns)[:20])
        raise FileError(path, f"there is no column {column!r} of {what}s; available: {there}")
    rows: dict[str, list[int]] = {}
    for row, cell in enumerate(table.columns[column]):
        if cell is None or is_nan(cell) or cell == "":
            raise FileError(
                path, f"row {row}: the column {column} is empty; it must say which {what} the row belongs to"
            )
        rows.setdefault(str(cell), []).append(row)
    return {name: Content(path, _rows_of(table, of_name, column)) for name, of_name in rows.items()}


def _rows_of(table: Table, rows: Sequence[int], without: str) -> Table:
    """Some rows of a table, without a column."""
    columns: Mapping[str, Any] = table.columns
    if isinstance(columns, ArrowColumns):
        columns = columns.take(rows, without)
    else:
        columns = {name: [cells[row] for row in rows] for name, cells in columns.items() if name != without}
    return Table(columns, table.format, table.rows and [table.rows[row] for row in rows])


def require_same_gold(gold: Gold, files: Iterable[SystemFile], names: Sequence[str] = ()) -> None:
    """Refuse runs in the gold file if rows of one question have different gold data, since only the gold data of one
    run count.

    Args:
        names: of groups and slices, which may be columns too.

    Raises:
        FileError: it names the column, the first question that differs and both runs.
    """
    runs = [(file.run, file.file.value.columns) for file in files if file.run and file.file.path == gold.path]
    keys = [gold.names[role] for role in KEY_ROLES if role in gold.names]
    of_gold = each_column(column for role, column in gold.names.items() if role not in _OF_SYSTEM)
    for column in dict.fromkeys([*of_gold, *names, *(_DESCRIBE if names else ())]):
        by = keys if column in of_gold else keys[:1]  # groups and slices are for queries, not documents
        seen: dict[Any, tuple[str, Any]] = {}
        for run, columns in (one for one in runs if column in one[1]):
            cells = [None if is_nan(cell) else cell for cell in columns[column]]
            questions = zip(*(columns[key] for key in by), strict=True) if by else zip(range(len(cells)))
            for question, cell in dict(zip(questions, cells, strict=True)).items():
                first, expected = seen.setdefault(question, (run, cell))
                if expected != cell:
                    which = shown(question[0]) if by else f"in row {question[0]} of its run"
                    raise FileError(
                        gold.path,
                        f"{column}: the question {which} has {shown(expected)} in the run {first} and "
                        f"{shown(cell)} in the run {run}; all runs need the same gold data, groups and weights",
                    )
