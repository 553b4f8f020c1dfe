"""Intervals in words: their level, groups and methods."""

from collections.abc import Iterable, Mapping

from ..core.shown import first_names
from .values import FEW, MOST_NAMED, Cells, ValuesReport, words_of_method


def level_text(report: ValuesReport) -> str:
    """The name of the intervals, such as "95 % interval"; "" without intervals."""
    return f"{100 * report.intervals.confidence:g} % interval" if report.intervals.confidence is not None else ""


def groups_text(report: ValuesReport) -> str:
    """The number of groups of examples and their name, "12 groups by topic (few: under 30)"; "" without groups.

    Measures and systems may rest on different numbers of them: "9 to 12 groups by topic".
    """
    cells = [cell for cells in report.systems.values() for cell in cells.values() if cell.n]
    sizes = {cell.n_groups for cell in cells if cell.n_groups is not None}
    if not sizes:
        return ""
    number = f"{min(sizes):,} to {max(sizes):,}" if len(sizes) > 1 else f"{max(sizes):,}"
    by = f" by {report.group_name}" if report.group_name else ""
    alike = min(_most_like_groups(cells) for cells in report.systems.values())
    few = f" (few: under {FEW})" if min(sizes) < FEW else f" (few: as unequal as {alike:.0f})" if alike < FEW else ""
    return f"{number} group{'s' * (max(sizes) > 1)}{by}{few}"


def _most_like_groups(cells: Cells) -> float:
    return max((cell.like_groups for cell in cells.values() if cell.n_groups is not None), default=FEW)


def interval_text(report: ValuesReport) -> str:
    """The caption of the intervals, "95 % intervals over 35 groups by article: effective Wilson"; "" without intervals."""
    has_interval = any(cell.interval is not None for cells in report.systems.values() for cell in cells.values())
    if report.intervals.confidence is None or not has_interval:
        return ""
    methods = methods_text(report.systems.values())
    return f"{level_text(report)}s{over_groups(report)}{f': {methods}' if methods else ''}"


def over_groups(report: ValuesReport) -> str:
    """The words after "intervals" if examples have groups: " over 35 groups by article"."""
    groups = groups_text(report)
    return f" over {groups}" if groups else ""


def methods_text(tables: Iterable[Cells]) -> str:
    """The methods of the intervals of measures, most frequent method last: "Wilson (exact_match), else t"."""
    used: dict[str, dict[str, None]] = {}
    for cells in tables:
        for name, cell in cells.items():
            if words := words_of_method(cell.interval):
                used.setdefault(name, {})[words] = None
    by_methods: dict[str, list[str]] = {}
    for name, methods in used.items():
        by_methods.setdefault(" or ".join(sorted(methods)), []).append(name)
    return _listed(by_methods)


def _listed(by_methods: Mapping[str, list[str]]) -> str:
    if len(by_methods) < 2:
        return "".join(by_methods)
    *others, usual = sorted(by_methods, key=lambda methods: len(by_methods[methods]))
    told = [f"{methods} ({first_names(by_methods[methods], MOST_NAMED)})" for methods in others]
    return f"{', '.join(told)}, else {usual}"
