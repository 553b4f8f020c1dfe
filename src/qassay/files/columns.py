"""The columns of a table by role: the column that the user named, or one with a usual name; each serves once."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import spelled
from ..core.file_columns import Gold
from ..core.ids import UniqueIds, unique_ids
from ..core.options import did_you_mean
from ..core.shown import columns_text
from .arrow_columns import plain_names
from .content import Table
from .reading import FileError, number_cells
from .tables import Names, each_column, paths_of

PLAIN = {str, int, float, bool}  # types of cells with one value


class Columns:
    """The columns of a table by role.

    Attributes:
        path: of the file.
        table: its table.
        names: role -> column, as the user named them.
        usual: role -> columns that could serve, by their usual names.
        picked: role -> the column that serves.
    """

    def __init__(self, path: str, table: Table, names: Names, usual: Mapping[str, Sequence[str]]):
        self.path, self.table, self.names, self.usual = path, table, names, usual
        self.picked: dict[str, Any] = {}

    def free(self, role: str, *others: str) -> list[str]:
        """The columns that could serve: those that the user named, or the free ones of the first of these roles that has any."""
        taken = set(each_column(self.picked.values()))
        if role in self.names:
            named = each_column([self.names[role]])
            return [name for name in named if name in self.table.columns and name not in taken]
        taken.update(each_column(self.names.values()))
        found = ([name for name in self.usual.get(of, ()) if name not in taken] for of in (role, *others))
        return next(filter(None, found), [])

    def require(self, role: str, *others: str, advice: str = "", first_wins: bool = False) -> Any:
        """The column that serves as a role, or without one as another role; references may have several.

        Args:
            advice: further advice for the message if there is none.
            first_wins: of columns with different names the first is taken.
        """
        if role in self.names:
            column = self.names[role]
            for name in each_column([column]):
                check_column(self.path, self.table, name)
        else:
            free = self.free(role, *others)
            if not free:
                has = f"it has: {', '.join(paths_of(self.table.columns))}; say which with {columns_text(role, 'NAME')}{advice}"
                raise FileError(self.path, f"no column is known to hold the {role}; {has}")
            rivals = [name for name in free if not first_wins or spelled(name) == spelled(free[0])]
            column = only_column(self.path, role, rivals)
        self.picked[role] = column
        return column

    def optional(self, *roles: str) -> None:
        """Pick the columns of roles that a table need not have, the first of several."""
        for role in roles:
            if role in self.names or self.free(role):
                self.require(role, first_wins=True)

    def cells(self, role: str) -> list[Any] | None:
        """The cells of the column that has a role; None if there is none."""
        return self.table.columns[self.picked[role]] if role in self.picked else None

    def numbers(self, role: str) -> list[Any] | None:
        """The cells of a column of numbers, parsed in text tables; in other tables scoring checks them."""
        cells = self.cells(role)
        return number_cells(self.path, cells, self.picked[role]) if cells is not None and self.table.is_text else cells

    def unique_ids(self, advice: str = "") -> UniqueIds | None:
        """The column of ids, which must be distinct; None if there is none.

        Args:
            advice: further advice for the message if they are not.
        """
        ids = self.cells("ids")
        if ids is None:
            return None
        try:
            return unique_ids(ids, f"column {self.picked['ids']}")
        except ValueError as error:
            which = 'or say which column has the ids with columns={"ids": "NAME"}'
            raise FileError(self.path, f"{error}, {which}{advice}") from None

    def others(self, *taken: str) -> dict[str, list]:
        """The columns with one value per row that have no role, except `taken`."""
        serving = {*each_column(self.picked.values()), *taken}
        columns = {name: self.table.columns[name] for name in plain_names(self.table.columns) if name not in serving}
        return {name: cells for name, cells in columns.items() if set(map(type, cells)) <= {*PLAIN, type(None)}}

    def why_no_detail(self, name: str) -> str:
        """The path of a field that is named without the objects around it; "" if there is none."""
        path = next((path for path in paths_of(self.table.columns) if path.endswith(f".{name}")), "")
        return f"there is no column {name!r} (did you mean {path!r}?)" if path else ""


def only_column(path: str, role: str, candidates: Sequence[str]) -> str:
    """The column that serves as a role; refused if there are several."""
    if len(candidates) > 1:
        message = f"the {role} could be {' or '.join(candidates)}; say which, for example "
        raise FileError(path, f"{message}{columns_text(role, candidates[0])}")
    return candidates[0]


def check_column(path: str, table: Table, name: str) -> None:
    """Refuse the name of a column that the table lacks."""
    if name not in table.columns:
        there = paths_of(table.columns)
        raise FileError(path, f"there is no column {name!r}{did_you_mean(name, there)}; it has: {', '.join(there)}")


def names_here(path: str, table: Table, gold: Gold, names: Names) -> Names:
    """The names for a file of predictions: with those of the gold file if it is the same file, and without names of
    columns that only the gold file has, since a column need not be called the same here; but predictions must.
    """
    if path == gold.path:
        return {**gold.names, **names}
    there = {*table.columns}
    return {
        role: of
        for role, of in names.items()
        if gold.names.get(role) != of or role in ("separator", "predictions") or there.issuperset(each_column([of]))
    }
