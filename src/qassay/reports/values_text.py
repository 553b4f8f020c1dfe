"""A report as text: for the terminal, as Markdown, LaTeX, CSV or JSON."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..registry import get_family
from ..stats.difference import Difference
from .interval_text import interval_text, level_text
from .run_tables import CSV_HEADS, MEANING, csv_of_runs, has_runs, run_numbers, run_tables
from .tables import (
    Field,
    TextColumn,
    TextTable,
    csv_text,
    json_text,
    latex_text,
    markdown_table,
    markdown_text,
    terminal_text,
)
from .values import FEW_MEANS, Cell, Cells, ValuesReport, method_of

ABSENT = "–"
_WIDTH = 80  # characters of a line of text in the terminal


class TableRow(NamedTuple):
    """A row of a table: a measure, the number of examples, and each system's number or None."""

    measure: str
    n: str
    few: bool
    cells: list[Cell | None]


def render(report: ValuesReport, form: str, *, width: int | None = None, color: bool = False) -> str:
    """A report as text, ending with a line break.

    Rates have four decimals (two in per cent); CSV and JSON have all digits.

    Args:
        form: "table", "markdown", "latex", "csv" or "json".
        width: of a table, in characters; systems that do not fit go to further tables; None: no limit.
        color: a table with ANSI colours.
    """
    if form == "csv":
        return _csv(report)
    if form == "json":
        return _json(report)
    tables = list(value_tables(report, form))
    few = any(field.few for table in tables for row in table.rows for field in row)
    notes, signatures = footer_lines(report, few), list(report.signatures.values())
    intervals = interval_text(report)
    if form == "table":
        caption = textwrap.wrap(intervals, width or _WIDTH)
        return terminal_text(tables, [], [*caption, *notes, *signatures], width, color)
    brackets = [f"In brackets: {intervals}"] if intervals else []
    if form == "latex":
        return latex_text(tables, [*brackets, *notes, *signatures])
    lines = [line for table in tables for line in markdown_table(table)]
    return markdown_text(lines, [*(f"{line}." for line in brackets), *notes], signatures)


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


def sizes_note(by_system: Mapping[str, Cells]) -> str:
    """A part of a caption that explains the numbers of examples of `value_lines` where they differ between systems."""
    differ = any("/" in line.n for line in value_lines(by_system, list(by_system)))
    return "; n: more than one number where it differs between systems" if differ else ""


def in_one_group(cells: Iterable[Cell | Difference]) -> str:
    """The words after a number of examples from one group, which says nothing about other groups."""
    sizes = {cell.n_groups for cell in cells if cell.n}
    return " in 1 group" if sizes == {1} else ""


def value_tables(report: ValuesReport, form: str = "table") -> Iterator[TextTable]:
    """The tables of a report: of all examples, then of each slice."""
    systems = list(report.systems)
    columns = [
        TextColumn("measure", "name"),
        TextColumn("n", "count"),
        *(TextColumn(system, "value") for system in systems),
    ]
    level = level_text(report)
    lines = value_lines(report.systems, systems)
    rows = [_row(line, report) for line in lines]
    yield TextTable("", columns, rows, _group_starts(report, lines) if form == "table" else [], level)
    for name, labels in report.slices.items():
        rows, groups = [], []
        for label, by_system in labels.items():
            groups += [len(rows)] if rows else []
            for place, line in enumerate(value_lines(by_system, systems)):
                told = Field("" if place and form != "markdown" else label)
                rows.append([told, *_row(line, report, line.few)])
        yield TextTable("", [TextColumn(name, "label"), *columns], rows, groups, level)
    yield from run_tables(report)


def _row(line: TableRow, report: ValuesReport, few: bool | None = None) -> list[Field]:
    return [Field(line.measure), Field(line.n, few=few), *(value_field(cell, report) for cell in line.cells)]


def _group_starts(report: ValuesReport, lines: Sequence[TableRow]) -> list[int]:
    """The rows that begin another group of measures or another metric."""
    prefixes = [prefix for name in report.signatures for prefix in get_family(name).telling.groups]
    groups = [[line.measure.startswith(prefix) for prefix in prefixes] for line in lines]
    return [
        place
        for place in range(1, len(groups))
        if groups[place] != groups[place - 1] or lines[place].measure in report.blocks
    ]


def value_field(cell: Cell | None, report: ValuesReport) -> Field:
    """A number with its interval."""
    if cell is None:
        return Field(ABSENT)
    ends = [number_text(end, cell.is_rate, report.scale) for end in cell.interval or ()]
    return Field(number_text(cell.value, cell.is_rate, report.scale), tuple(ends))


def number_text(value: float, is_rate: bool, scale: int) -> str:
    """A number with the digits of a report of that scale; a dash for NaN."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return ABSENT
    return f"{value:.2f}" if is_rate and scale == 100 else f"{value:.4f}"


def page_number(value: float | None, is_rate: bool, scale: int) -> str:
    """A number on a page, with a true minus: counts without decimals, a dash if not finite."""
    if value is None or not math.isfinite(value):
        return ABSENT
    if not is_rate and float(value).is_integer():
        return f"{int(value):,}".replace("-", "−")
    text = number_text(float(value), is_rate, scale)
    return (text if text.strip("-0.") else text.lstrip("-")).replace("-", "−")


def figure_text(value: float | None, scale: int = 1) -> str:
    """A number of agreement with three decimals (one in per cent); a dash for None."""
    if value is None:
        return ABSENT
    return f"{100 * value:.1f}" if scale == 100 else f"{value:.3f}"


def footer_lines(report: ValuesReport, few: bool) -> list[str]:
    """The lines between the tables and the signatures: remarks, and the mark of few examples."""
    of_runs = [MEANING] if any(report.runs.values()) else []
    return [
        *report.remarks,
        *of_runs,
        *([f"* {FEW_MEANS}"] if few else []),
    ]


# --- data -------------------------------------------------------------------------------------------------------------


def _csv(report: ValuesReport) -> str:
    """One row per system, slice and measure, with columns on runs; the slice is empty for all examples."""
    head = ["system", "slice", "label", "measure", "n", "value", "low", "high", "interval_method", "n_groups", "few"]
    rows = [
        [
            system,
            name,
            label,
            measure,
            cell.n,
            cell.value,
            *(cell.interval or ("", "")),
            method_of(cell.interval),
            cell.n_groups,
            "few" if cell.is_few else "",
            *csv_of_runs(report, system, measure, is_slice=name is not None),
        ]
        for name, label, system, cells in _all_cells(report)
        for measure, cell in cells.items()
    ]
    return csv_text([*head, *(CSV_HEADS if has_runs(report) else ())], rows)


def _json(report: ValuesReport) -> str:
    slices: dict[str, dict[Any, dict[str, Any]]] = {name: {} for name in report.slices}
    for name, label, system, cells in _all_cells(report):
        if name is not None:
            slices[name].setdefault(label, {})[system] = _numbers(cells)
    tree = {
        **signed_by(report),
        "scale": report.scale,
        "interval": interval_settings(report),
        "systems": system_numbers(report),
        "slices": slices,
    }
    return json_text(tree)


def interval_settings(report: ValuesReport) -> dict[str, Any] | None:
    """The settings of the intervals for JSON; None without intervals."""
    settings = report.intervals
    if settings.confidence is None:
        return None
    return {
        "level": settings.confidence,
        "requested_method": settings.method,
        "n_resamples": settings.n_resamples,
        "seed": settings.seed,
        "group_name": report.group_name or None,
    }


def signed_by(report: ValuesReport) -> dict[str, Any]:
    """The metrics and their signatures for JSON."""
    metrics, signatures = list(report.signatures), list(report.signatures.values())
    if len(metrics) > 1:
        return {"metrics": metrics, "signatures": signatures}
    return {"metric": metrics[0], "signature": signatures[0]}


def system_numbers(report: ValuesReport) -> dict[str, dict[str, Any]]:
    """The numbers over all examples and the counts, by system, for JSON."""
    return {
        system: {**_numbers(cells), **run_numbers(report, system), "notes": report.notes[system]}
        for system, cells in report.systems.items()
    }


def _numbers(cells: Cells) -> dict[str, Any]:
    groups = {measure: cell.n_groups for measure, cell in cells.items() if cell.n_groups is not None}
    return {
        "values": {measure: cell.value for measure, cell in cells.items()},
        "intervals": {measure: cell.interval for measure, cell in cells.items() if cell.interval},
        "interval_methods": {measure: method_of(cell.interval) for measure, cell in cells.items() if cell.interval},
        "counts": {measure: cell.n for measure, cell in cells.items()},
        **({"group_counts": groups} if groups else {}),
        "few": [measure for measure, cell in cells.items() if cell.is_few],
    }


def _all_cells(report: ValuesReport) -> Iterator[tuple[str | None, str | None, str, Cells]]:
    for system, cells in report.systems.items():
        yield None, None, system, cells
    for name, labels in report.slices.items():
        for label, by_system in labels.items():
            for system, cells in by_system.items():
                yield name, label, system, cells
