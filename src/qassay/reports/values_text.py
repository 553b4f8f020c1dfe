"""Numbers of a report as text, and the rows of a table of values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..stats.difference import Difference
from .values import Cell, Cells

ABSENT = "–"


class TableRow(NamedTuple):
    """A row of a table: a measure, the number of examples, and each system's number or None."""

    measure: str
    n: str
    few: bool
    cells: list[Cell | None]


def value_lines(by_system: Mapping[str, Cells], systems: Sequence[str]) -> list[TableRow]:
    """The rows of a table of these numbers."""
    names = dict.fromkeys(name for cells in by_system.values() for name in cells)
    lines = []
    for name in names:
        cells = [by_system.get(system, {}).get(name) for system in systems]
        # One number if the systems agree; they differ if examples without a prediction are omitted.
        sizes = list(dict.fromkeys(cell.n for cell in cells if cell is not None))
        few = any(cell.is_few for cell in cells if cell is not None)
        n = "/".join(map(str, sizes)) + in_one_group([cell for cell in cells if cell is not None])
        lines.append(TableRow(name, n, few, cells))
    return lines


def in_one_group(cells: Iterable[Cell | Difference]) -> str:
    """The words after a number of examples from one group, which says nothing about other groups."""
    sizes = {cell.n_groups for cell in cells if cell.n}
    return " in 1 group" if sizes == {1} else ""


def number_text(value: float, is_rate: bool, scale: int) -> str:
    """A number with the digits of a report of that scale; a dash for NaN."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return ABSENT
    return f"{value:.2f}" if is_rate and scale == 100 else f"{value:.4f}"


def figure_text(value: float | None, scale: int = 1) -> str:
    """A number of agreement with three decimals (one in per cent); a dash for None."""
    if value is None:
        return ABSENT
    return f"{100 * value:.1f}" if scale == 100 else f"{value:.3f}"
