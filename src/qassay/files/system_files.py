"""Files of systems: the names of systems, and which file contains which predictions."""

import functools
import itertools
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.file_columns import STDIN, Gold
from ..core.intake import rows_of_dicts
from . import FileError, read_no_answer_probabilities
from .content import Content, read_content
from .formats import compared_format
from .logs import all_logs
from .roles import names_by_system, system_column
from .same_gold import has_same_gold
from .tables import Names

_ENDINGS = "json jsonl ndjson csv tsv txt parquet arrow feather run trec gz bz2 xz zst".split()


class SystemFile(NamedTuple):
    """Where the predictions of a system come from.

    Attributes:
        name: the name of the system.
        file: its path, or its content.
        names: role -> column.
        run_of: the system and the name of the run, if it is one of several runs.
        is_named: whether the user gave the name; else it is that of the file.
    """

    name: str
    file: str | Content
    names: Names = {}
    run_of: tuple[str, str] | None = None
    is_named: bool = True

    @property
    def path(self) -> str:
        return path_of(self.file)


def system_names(paths: Sequence[str]) -> list[str]:
    """File names without extensions and dates, with as many parent folders as needed to distinguish them."""
    parts = [(*Path(path).parts[:-1], _name_in_logs(file_stem(path))) for path in paths]
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


def file_stem(path: str) -> str:
    """The name of a file without folder and extensions."""
    return "stdin" if path == STDIN else _endings().sub("", Path(path).name)


@functools.cache
def _endings() -> re.Pattern[str]:
    """The extensions of file names, including logs."""
    of_logs = [pattern[2:] for log in all_logs() for pattern in log.file_patterns if pattern.startswith("*.")]
    return re.compile(rf"(\.({'|'.join([*_ENDINGS, *map(re.escape, of_logs)])}))+$", flags=re.IGNORECASE)


def _name_in_logs(stem: str) -> str:
    """The name of a file, without the parts that harnesses add to log names."""
    for log in all_logs():
        stem = log.date.sub("", stem) if log.date else stem
    return stem


def system_files(
    golds: Mapping[str, Gold],
    gold: Content | None,
    files: Sequence[SystemFile],
    names: Names,
) -> list[SystemFile]:
    """The files of the systems with their columns, preceded by the gold file if it is a system too.

    The gold file is a system if it contains predictions and is given alone, or with another table that has the same gold
    answers and its own predictions. The gold answers of each table are compared here, once for all metrics. In a table
    with several columns of predictions, each column is a system with the name of the column.

    Args:
        golds: the result of `read_gold_for` for the gold file.
        gold: the gold file; None if only the named files are systems.
        files: the result of `runs_of_systems`.
        names: role -> column of tables, as from `column_names`.

    Raises:
        FileError: the gold answers of a table with predictions differ from the gold file's.
        ValueError: columns are named for only some systems of a table.
    """
    reads = list({gold.metric: gold for gold in golds.values()}.values())
    read = reads[0]
    files = [file._replace(names=names) for file in files]
    if not files and any(gold.may_hold_predictions for gold in reads):
        files = [SystemFile(file_stem(read.path), gold or read.path, names)]
    elif files and any(map(compared_format, reads)):
        # A pipe cannot be read again.
        files = [file if file.path == read.path else file._replace(file=read_content(file.file)) for file in files]
        compared = [(file, read) for file in files for read in reads if isinstance(file.file, Content)]
        is_alike = [has_same_gold(read_content(file.file), read, file.names) for file, read in compared]
        is_named = os.path.realpath(read.path) in [os.path.realpath(file.path) for file in files]
        if gold and any(read.is_self_contained for read in reads) and any(is_alike) and not is_named:
            of_gold = SystemFile(file_stem(read.path), gold, names, is_named=any(file.is_named for file in files))
            files = [of_gold, *files]
            unnamed = iter(system_names([file.path for file in files if not file.is_named]))
            files = [file if file.is_named else file._replace(name=next(unnamed)) for file in files]
    return _each_system(files)


def _each_system(files: Sequence[SystemFile]) -> list[SystemFile]:
    """The same files, with one entry per system for tables with several systems."""
    each = [(file, names_by_system(file.names)) for file in files]
    taken = [file.name for file, systems in each if len(systems) == 1]
    tables = {file.path: systems for file, systems in each if len(systems) > 1}
    taken += [system_column(names, systems) for systems in tables.values() for names in systems]
    every = []
    for file, systems in each:
        for names in systems:
            if len(systems) > 1:
                name = system_column(names, systems)
                name = f"{file_stem(file.path)}/{name}" if taken.count(name) > 1 else name
                run = file.run_of and file.run_of[1]
                label, run_of = (f"{name} ({run})", (name, run)) if run else (name, None)
                every.append(SystemFile(label, file.file, names, run_of))
            else:
                every.append(file)
    called = distinct_names([file.name for file in every])
    return [file._replace(name=name) for name, file in zip(called, every, strict=True)]


def path_of(file: str | Content) -> str:
    """The path of a file, given as a path or as content."""
    return file.path if isinstance(file, Content) else file


def files_by_system(
    files: Iterable[str] | Mapping[str, str], systems: Sequence[str], what: str = "no-answer probabilities"
) -> Mapping[str, str]:
    """The file of numbers of each system that has one; `what` the numbers are, for messages."""
    argument = what.replace("no-answer probabilities", "no_answer_probabilities")
    if isinstance(files, Mapping):
        unknown = [system for system in files if system not in systems]
        if unknown:
            there = ", ".join(systems)
            raise ValueError(f"{what} of {unknown[0]!r}, but the systems are: {there}")
        return files
    files = list(files)
    named: dict[str, str] = {}
    for part in files:
        of = [system for system in systems if part.startswith(f"{system}=")]
        if of:  # names may hold "=" themselves
            system = max(of, key=len)
            path = part[len(system) + 1 :]
            if named.setdefault(system, path) != path:
                raise ValueError(f"{argument} has two files for {system}: {named[system]} and {path}; give one")
    if len(named) == len(set(files)):
        return named
    if named or len(files) != len(systems):
        raise ValueError(
            f"{argument} has {len(files)} for {len(systems)} systems; give one per system in order, or name the "
            f"system, for example {systems[-1]}=FILE; the systems are: {', '.join(systems)}"
        )
    return dict(zip(systems, files, strict=True))


def with_probabilities(columns: Mapping[str, Any], file: str | Content, gold: Gold) -> dict[str, Any]:
    """Rows of predictions with probabilities from a file, which replace any in the rows."""
    numbers, path = read_no_answer_probabilities(file, gold), path_of(file)
    rows = columns["predictions"]
    if not rows_of_dicts(rows, "predictions"):
        raise FileError(
            path, "probabilities come by id, but the predictions have no ids; give the predictions by id too"
        )
    absent = next((row for row in rows if row["id"] not in numbers), None)
    if absent is not None:
        raise FileError(path, f"there is no number for the id {absent['id']!r}; give one for every prediction")
    return {"predictions": [{**row, "no_answer_probability": numbers[row["id"]]} for row in rows]}
