"""The roles of columns of a table, as named by the user, for all files or for one."""

import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.options import did_you_mean
from .formats import all_formats
from .tables import SYSTEM_ROLES, Names

# Roles of columns that tables of all metrics may have.
ANSWER_ROLES = ("predictions", "references", "ids", "weights", "no_answer_probabilities", "question")
RUN_ROLE = "run_id"  # of tables of any family: which of several runs of a system a row belongs to
_SEPARATOR = "separator"
GOLD_FILE = "gold"  # instead of the name of a file: the gold file
_BY_SYSTEM = (*SYSTEM_ROLES, "no_answer_probabilities")  # roles with a column for each system of a table


@functools.cache
def all_roles() -> tuple[str, ...]:
    """The roles that columns of tables can have, of all families."""
    of_formats = sorted({role for form in all_formats() for role in form.roles if role != _SEPARATOR})
    return (*ANSWER_ROLES, *of_formats, RUN_ROLE, _SEPARATOR)


def named_columns(
    pairs: Iterable[str], problem: str, of_files: bool = True, roles: Sequence[str] | None = None
) -> dict[str, Any]:
    """Texts `role=name` and `file:role=name` as `column_names` takes them.

    Args:
        problem: what any other text, which takes its {!r}, must be.
        of_files: whether a column of one file can be named.
        roles: the known roles; None: the roles of all families' tables.
    """
    roles = roles or all_roles()
    form = re.compile(f"(?:(.+?):)?({'|'.join(roles)})=(.+)", re.DOTALL)
    names: dict[str, Any] = {}
    for pair in pairs:
        found = form.fullmatch(pair)
        if not found or (found[1] and not of_files):
            given = pair.partition("=")[0].rpartition(":")[2]
            message = f"{problem.format(pair)} with one of the roles: {', '.join(roles)}"
            raise ValueError(f"{message}{did_you_mean(given, roles)}")
        file, role, name = found.groups()
        (names.setdefault(file, {}) if file else names).setdefault(role, []).append(name)
    return names


def column_names(
    columns: Mapping[str, Any], roles: Sequence[str] | None = None, several: Sequence[str] = ("references", *_BY_SYSTEM)
) -> Names:
    """The names of columns, checked, as the scoring of files takes them.

    Args:
        columns: role -> a column or several; and file -> the same for this file alone. A file is named by its path, by
            the name of its system, or "gold".
        roles: the roles of a single file; None: the roles of the tables of all families, also for one of several files.
        several: the roles that take several columns.

    Returns:
        Role -> a column, or a tuple of several.
        File -> role -> the same.

    Raises:
        ValueError: unknown role, several columns for one that takes one, or no name of a column.

    Example:
        >>> column_names({"references": ["gold", "other_gold"], "ids": ["qid"], "model": {"ids": "uid"}})
        {'references': ('gold', 'other_gold'), 'ids': 'qid', 'model': {'ids': 'uid'}}
    """
    named: dict[str, Any] = {}
    for role, given in columns.items():
        if isinstance(given, Mapping) and roles is None:
            named[role] = column_names(given)
            continue
        if role not in (known := roles or all_roles()):
            raise ValueError(f"no role {role!r} of columns{did_you_mean(role, known)}; available: {', '.join(known)}")
        each = given if isinstance(given, (list, tuple)) else [given]
        if not each or not all(isinstance(name, str) and name for name in each):
            raise ValueError(f"columns: the role {role} needs the name of a column; got {given!r}")
        names = tuple(dict.fromkeys(each))
        if len(names) > 1 and role not in several:
            raise ValueError(f"the role {role} takes one column, but is given {' and '.join(names)}; give one of them")
        named[role] = names if len(names) > 1 else names[0]
    return named


def names_for(names: Names, *called: str) -> Names:
    """The names of columns that count for one file.

    Args:
        names: as from `column_names`.
        called: possible names of the file; names given for one file override names given for all.
    """
    of_all = {role: column for role, column in names.items() if not isinstance(column, Mapping)}
    return {**of_all, **own_names(names, *called)}


def own_names(names: Names, *called: str) -> Names:
    """The names of columns given for one file alone."""
    found: dict[str, Any] = {}
    for file, given in names.items():
        if isinstance(given, Mapping) and file in called:
            found.update(given)
    return found


def without_runs(names: Names) -> Names:
    """The names of columns but those that name the run of a row."""
    kept = {role: without_runs(named) if isinstance(named, Mapping) else named for role, named in names.items()}
    return {role: named for role, named in kept.items() if role != RUN_ROLE}


def calls_of(path: str, *names: str) -> tuple[str, ...]:
    """What a file may be called: its path, the name of the file, and other names."""
    return (path, os.path.basename(path), *names)


def check_files(names: Names, files: Sequence[Sequence[str]]) -> None:
    """Refuse names of columns of a file that is not there, or of one that could be several files.

    Args:
        files: what each file may be called; the first is its path.
    """
    for file, given in names.items():
        if not isinstance(given, Mapping):
            continue
        paths = list(dict.fromkeys(called[0] for called in files if file in called))
        if len(paths) > 1 and file not in paths:
            raise ValueError(f"columns of {file}: this could be {' or '.join(paths)}; give the path of one of them")
        if not paths:
            there = list(dict.fromkeys([GOLD_FILE, *(called[-1] for called in files)]))
            near = did_you_mean(file, there)
            raise ValueError(f"columns of {file}: there is no such file{near}; available: {', '.join(there)}")


def names_by_system(names: Names) -> list[Names]:
    """The names of columns for each system of a table: of several columns of predictions each is a system.

    Raises:
        ValueError: two roles have several columns, but not as many.

    Example:
        >>> names_by_system({"predictions": ("a", "b"), "ids": "id"})
        [{'predictions': 'a', 'ids': 'id'}, {'predictions': 'b', 'ids': 'id'}]
    """
    several = {role: columns for role, columns in names.items() if role in _BY_SYSTEM and isinstance(columns, tuple)}
    if not several:
        return [names]
    (first, columns), *others = sorted(several.items(), key=lambda item: _BY_SYSTEM.index(item[0]))
    for role, other in others:
        if len(other) != len(columns):
            raise ValueError(
                f"there are {len(columns)} systems ({first}: {', '.join(columns)}), but {len(other)} columns for the "
                f"role {role} ({', '.join(other)}); give one for each system, in their order"
            )
    if first not in SYSTEM_ROLES:
        raise ValueError(
            f"the role {first} takes one column for each system, but is given {' and '.join(columns)} for one; give "
            "one of them"
        )
    return [{**names, **{role: column[index] for role, column in several.items()}} for index in range(len(columns))]


def system_column(names: Names, systems: Sequence[Names]) -> str:
    """The column that names a system, of the names of columns that `names_by_system` gave for it."""
    return next(names[role] for role in SYSTEM_ROLES if any(other.get(role) != names.get(role) for other in systems))
