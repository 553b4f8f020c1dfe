"""Which column of a table is what, as users say it."""

import functools
from collections.abc import Iterable, Mapping, Sequence

from ..core.options import did_you_mean
from .kinds import all_files
from .tables import Names


@functools.cache
def all_roles() -> tuple[str, ...]:
    """The roles that columns of tables can have, of all families."""
    return tuple(role for files in all_files().values() for role in files.roles)


@functools.cache
def asked_roles() -> dict[str, str]:
    """Role -> what the column holds, in words, of the roles for which a page offers a choice of columns."""
    return {role: words for files in all_files().values() for role, words in files.asked_roles.items()}


def named_columns(pairs: Iterable[str], problem: str) -> dict[str, list[str]]:
    """Role -> names of columns, of texts `role=name`; `problem` says what any other text, which takes its {!r}, must be."""
    names: dict[str, list[str]] = {}
    for pair in pairs:
        role, _, name = pair.partition("=")
        if role not in all_roles() or not name:
            raise ValueError(f"{problem.format(pair)} with one of the roles: {', '.join(all_roles())}")
        names.setdefault(role, []).append(name)
    return names


def column_names(columns: Mapping[str, str | Sequence[str]]) -> Names:
    """Role -> column as the readers take it: references may have several columns, every other role has one.

    Raises:
        ValueError: no such role, several columns for one that takes one, or no name of a column.

    Example:
        >>> column_names({"references": ["gold", "other_gold"], "ids": ["qid"]})
        {'references': ('gold', 'other_gold'), 'ids': 'qid'}
    """
    named: dict[str, str | tuple[str, ...]] = {}
    for role, given in columns.items():
        names = tuple(dict.fromkeys(given if isinstance(given, (list, tuple)) else [given]))
        if role not in all_roles():
            near = did_you_mean(role, all_roles())
            raise ValueError(f"no role {role!r} of columns{near}; there are: {', '.join(all_roles())}")
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"columns: the role {role} needs the name of a column; got {given!r}")
        if len(names) > 1 and role != "references":
            advice = "score once for each of these columns" if role == "predictions" else "give one of them"
            raise ValueError(f"the role {role} takes one column, but is given {' and '.join(names)}; {advice}")
        named[role] = names if len(names) > 1 else names[0]
    return named
