"""Columns of a table of judgements that describe its queries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...core.shown import shown
from ..content import Table
from ._cells import PLAIN


class QueryColumns(Mapping[str, list]):
    """Name -> one value per query, in the order in which the queries appear, of the columns with one value per query.

    A column is read when it is requested.
    """

    def __init__(
        self, table: Table, names: Sequence[str], queries: Callable[[], Sequence[str]], others: Mapping[str, list]
    ):
        """Nothing is read yet.

        Args:
            names: columns that may have one value per query.
            queries: returns the query of each row.
            others: columns that are known.
        """
        self._cells, self._names, self._queries = table.columns, names, queries
        self._found: dict[str, list | str] = dict(others)

    def why_not(self, name: str) -> str:
        """Which query has two values in a column; "" for any other column."""
        found = self._read(name) if name in self._names else ""
        return found if isinstance(found, str) else ""

    def __getitem__(self, name: str) -> list:
        found = self._read(name) if name in self._found or name in self._names else ""
        if isinstance(found, str):
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in dict.fromkeys([*self._found, *self._names]) if isinstance(self._read(name), list))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _read(self, name: str) -> list | str:
        """The value of each query, or the reason why there is none."""
        if name not in self._found:
            self._found[name] = self._value_per_query(name)
        return self._found[name]

    def _value_per_query(self, name: str) -> list | str:
        cells = self._cells[name]
        if not set(map(type, cells)) <= {*PLAIN, type(None)}:
            return f"the column {name} has cells of several values; give a column of one value per query"
        values: dict[str, Any] = {}
        for query, cell in zip(self._queries(), cells, strict=True):
            first = values.setdefault(query, cell)
            if not _are_same(cell, first):
                both = f"{shown(first)} and {shown(cell)}"
                return f"{name}: the query {shown(query)} has {both}; give all rows of a query one value"
        return list(values.values())


def _are_same(one: Any, other: Any) -> bool:
    return one == other or (one != one and other != other)  # NaN
