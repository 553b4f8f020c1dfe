"""The roles of columns of a table, as named by the user."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.options import did_you_mean
from .formats import all_formats
from .tables import KEY_ROLES, OF_SYSTEM, SYSTEM_ROLES, Names

# Roles of columns that tables of all metrics may have.
ANSWER_ROLES = ("predictions", "references", "ids", "weights", "no_answer_probabilities", "questions")
RUN_ROLE = "run_id"  # of tables of any family: which of several runs of a system a row belongs to
SYSTEM_ROLE = "system"  # of tables of own_scores: which system a row belongs to
_SEPARATOR = "separator"


@functools.cache
def all_roles() -> tuple[str, ...]:
    """The roles that columns of tables can have, of all families."""
    of_formats = sorted({role for form in all_formats() for role in form.roles if role != _SEPARATOR})
    return (*ANSWER_ROLES, *of_formats, RUN_ROLE, SYSTEM_ROLE, _SEPARATOR)


def named_columns(pairs: Iterable[str], problem: str) -> dict[str, list[str]]:
    """Parse texts `role=name` into the argument of `column_names`; `problem` is the message for another text, which replaces {!r}."""
    names: dict[str, list[str]] = {}
    for pair in pairs:
        role, _, name = pair.partition("=")
        if not name:
            raise ValueError(problem.format(pair))
        names.setdefault(role, []).append(name)
    return names


def column_names(
    columns: Mapping[str, Any],
    roles: Sequence[str] | None = None,
    several: Sequence[str] = ("references", *KEY_ROLES, *OF_SYSTEM),
) -> Names:
    """Check names of columns by role, and return them as readers of files accept them.

    Args:
        columns: role -> a column or several.
        roles: the known roles; None: the roles of the tables of all families.
        several: the roles that take several columns.

    Returns:
        Role -> a column, or a tuple of several.

    Raises:
        ValueError: unknown role, several columns for one that takes one, or no name of a column.

    Example:
        >>> column_names({"references": ["gold", "other_gold"], "ids": ["qid"]})
        {'references': ('gold', 'other_gold'), 'ids': 'qid'}
    """
    named: dict[str, Any] = {}
    for role, given in columns.items():
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


def names_by_system(names: Names) -> dict[str, Names]:
    """The names of columns for each system of a table: each of several columns of predictions is a system with its name; ""
    is the only system.

    Raises:
        ValueError: a role with several columns, but not one for each system.

    Example:
        >>> names_by_system({"predictions": ("a", "b"), "ids": "id"})
        {'a': {'predictions': 'a', 'ids': 'id'}, 'b': {'predictions': 'b', 'ids': 'id'}}
    """
    several = {role: names[role] for role in OF_SYSTEM if isinstance(names.get(role), tuple)}
    systems: Sequence[str] = next((of for role, of in several.items() if role in SYSTEM_ROLES), ("",))
    for role, columns in several.items():
        if len(columns) != len(systems):
            message = (
                f"the role {role} has {len(columns)} columns ({', '.join(columns)}), but the number of systems is "
            )
            raise ValueError(f"{message}{len(systems)}; give one for each system, in their order")
    return {
        system: {**names, **{role: of[index] for role, of in several.items()}} for index, system in enumerate(systems)
    }
