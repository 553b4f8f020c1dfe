"""Which column of a table is what, as users say it."""

from collections.abc import Mapping, Sequence

from ..core.options import did_you_mean
from . import ROLES
from .tables import Names


def column_names(columns: Mapping[str, str | Sequence[str]]) -> Names:
    """Role -> column as the readers take it: references may have several columns, every other role has one.

    Raises:
        ValueError: no such role, several columns for one that takes one, or no name of a column.

    Example:
        >>> column_names({"references": ["gold", "other_gold"], "ids": ["qid"]})
        {'references': ('gold', 'other_gold'), 'ids': 'qid'}
    """
    found: dict[str, str | tuple[str, ...]] = {}
    for role, given in columns.items():
        names = tuple(dict.fromkeys(given if isinstance(given, (list, tuple)) else [given]))
        if role not in ROLES:
            raise ValueError(f"no role {role!r} of columns{did_you_mean(role, ROLES)}; there are: {', '.join(ROLES)}")
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"columns: the role {role} needs the name of a column; got {given!r}")
        if len(names) > 1 and role != "references":
            cure = "score once for each of these columns" if role == "predictions" else "give one of them"
            raise ValueError(f"the role {role} takes one column, but is given {' and '.join(names)}; {cure}")
        found[role] = names if len(names) > 1 else names[0]
    return found
