"""From the arguments of a call to named systems: files, folders, several runs of one system, columns of one table."""

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.columns import is_nan
from ..core.file_columns import STDIN, Gold
from ..core.shown import columns_text, shown
from .columns import check_column
from .content import Content, Table, read_content
from .folders import file_stem, has_systems, systems_of_folder
from .reading import FileError
from .roles import RUN_ROLE, SYSTEM_ROLE, names_by_system
from .tables import Names, prepared

NO_ROWS = "this table has no rows; give a row for each example"
_DATE = re.compile(r"_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+$")  # in the names of logs of lm_eval

Runs = dict[str, Content]  # name of a run -> its content, "" for a single run
Given = tuple[str | None, list[Content]]  # the name given to a system, and its files
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


class OpenedFiles(NamedTuple):
    """The gold data for each metric, and the files of the systems.

    Attributes:
        golds: metric -> gold data.
        files: of the systems, each run by itself.
    """

    golds: dict[str, Gold]
    files: list[SystemFile]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(dict.fromkeys(file.system for file in self.files))


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
    """Each system with its files, which are read here.

    Args:
        paths: of the files of predictions, or their content; `NAME=FILE` names the system, `NAME=FILE,FILE` or a list of
            files are several runs; one folder has a file, or a folder with one, for each system. Or a dict by the names
            of the systems; None: named after the file.
        gold: the gold file, which is no system of a folder.
    """
    named: list[tuple[str | None, Any]]
    if isinstance(paths, Mapping):
        named = list(paths.items())
    elif len(paths) == 1 and isinstance(paths[0], str) and has_systems(paths[0]):
        named = [*systems_of_folder(paths[0], gold.path if gold else "")]
    else:
        named = [(None, path) for path in paths]
    read = {gold.path: gold} if gold else {}  # a pipe cannot be read again
    given: list[Given] = []
    for name, path in named:
        its_name, files = files_of_argument(path)
        contents = []
        for file in files:
            content = read.get(str(file)) or prepared(read_content(file, logs=logs), names)[0]
            read[content.path] = content
            contents.append(content)
        given.append((name or its_name, contents))
    return given


def system_files(given: Sequence[Given], names: Names) -> list[SystemFile]:
    """The predictions of each system and run. A system without a given name is named after its file; in a table with several
    columns of predictions each column is a system with its name, and with a column of systems each of its cells.
    """
    unnamed = iter(system_names([contents[0].path for name, contents in given if name is None]))
    named = [(next(unnamed) if name is None else name, contents) for name, contents in given]
    systems = [name for name, _ in named]
    twice = next((name for name in systems if systems.count(name) > 1), None)
    if twice is not None:
        raise ValueError(
            f"two systems are called {twice}; give each a distinct name, and runs of one as NAME=FILE,FILE"
        )
    found: dict[tuple[str, str], SystemFile] = {}
    of_columns = {role: column for role, column in names.items() if role not in (RUN_ROLE, SYSTEM_ROLE)}
    for system, contents in named:
        for part, run, content in _parts(system, contents, names):
            for column, columns in names_by_system(of_columns).items():
                label = part or column
                name = (f"{system}/{label}" if len(named) > 1 else label) if label else system
                if (name, run) in found:
                    message = f"the run {shown(run)} of {shown(name)} is in a file before too; give every run once"
                    raise FileError(content.path, message)
                found[name, run] = SystemFile(name, content, columns, run)
    return list(found.values())


def _parts(system: str, contents: Sequence[Content], names: Names) -> Iterator[tuple[str, str, Content]]:
    """The parts of the files of a system: the cell of its column of systems, "" without one, its run, and its rows."""
    paths = [content.path for content in contents]
    if len(set(map(os.path.realpath, paths))) < len(paths):
        raise ValueError(f"a file is given as two runs of {system}: {', '.join(paths)}; give it once")
    files = dict(zip(system_names(paths) if len(paths) > 1 else [""], contents, strict=True))
    for run, content in files.items():
        parts = rows_by(content, names[SYSTEM_ROLE], "system") if SYSTEM_ROLE in names else {"": content}
        for part, rows in parts.items():
            runs = {run: rows} if len(files) > 1 and SYSTEM_ROLE not in names else split_runs(rows, names)
            for of_run, of_rows in runs.items():
                yield part, of_run or run, of_rows


# --- runs in one table ------------------------------------------------------------------------------------------------


def split_runs(content: Content, names: Names, may_be_one: bool = False) -> Runs:
    """The rows of each run of a table, in order of first occurrence; without a column of runs, all of its rows.

    Args:
        may_be_one: whether the file may have no runs, as a gold file beside files of predictions.
    """
    if RUN_ROLE not in names:
        return {"": content}
    column, value = names[RUN_ROLE], content.value
    cells = value.columns.get(column, ()) if isinstance(value, Table) else ()
    if may_be_one and len(set(map(str, cells))) < 2:
        return {"": content}
    runs = rows_by(content, column, "run")
    if len(runs) < 2:
        raise FileError(
            content.path,
            f"the column {column} has one run only, {shown(next(iter(runs), ''))}; how much runs differ "
            f"needs two or more; omit {columns_text(RUN_ROLE, column)}",
        )
    return runs


def rows_by(content: Content, column: str, what: str) -> dict[str, Content]:
    """The rows of a table by the cells of a column of runs or systems, which is left out, in order of first occurrence."""
    table, path = content.value, content.path
    if not isinstance(table, Table):
        advice = "model=run1.json,run2.json" if what == "run" else "a=a.json b=b.json"
        raise FileError(path, f"a column of {what}s is for tables of rows; give a file for each {what}: {advice}")
    check_column(path, table, column)
    rows: dict[str, list[int]] = {}
    for row, cell in enumerate(table.columns[column]):
        if cell is None or is_nan(cell) or cell == "":
            raise FileError(
                path, f"row {row}: the column {column} is empty; it must say which {what} the row belongs to"
            )
        rows.setdefault(str(cell), []).append(row)
    if not rows:
        raise FileError(path, NO_ROWS)
    return {name: Content(path, table.take(of_name, column)) for name, of_name in rows.items()}
