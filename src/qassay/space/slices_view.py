"""The values of groups of examples: which groupings there are, a chart, a table and what stands out."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ..core.slices import in_order, shown_label
from ..files import FileError
from ..reports.chart_parts import escaped
from ..reports.charts import Row, interval_chart, stacked_bars
from ..reports.html_parts import WORDY, breakable, figure, fold, go, heads, isolated, scroll_table
from ..reports.interval_text import level_text, over_groups
from ..reports.outlier_slices import OutlierSlice, outlier_slices
from ..reports.page_charts import cell_mark
from ..reports.values import FEW, FEW_MEANS, Cell, ValuesReport, build_report, in_scale
from ..reports.values_text import in_one_group, number_text
from .analysis import Analysis
from .page_hrefs import ErrorsHrefs
from .view_parts import charts_grid, wrapped

MOST_LABELS = 40  # of a grouping: SQuAD 2.0 dev has 35 titles

_TEXTS = ("context", "question")
_LONGEST = 80  # characters of a label
_BARS = 12  # of one chart of kinds
_BESIDE = 6  # groups, up to which the table is beside the chart


def slicings(analysis: Analysis) -> list[str]:
    """The groupings of the examples by what they are, not by what was answered; with 2 to 40 groups."""
    return analysis.once("slicings", lambda: _slicings(analysis))


def _slicings(analysis: Analysis) -> list[str]:
    system = analysis.systems[0]
    scores, gold = analysis.scores(system), analysis.gold
    columns = {name: column for name, column in gold.details.items() if name not in _TEXTS and _is_short(column)}
    said = {str(label) for column in columns.values() for label in column}
    # A subset such as "list" is a label of the column "type", which says more.
    subsets = [name for name in scores.subsets if name not in said]
    slicings: dict[str, tuple] = {}
    for name in dict.fromkeys([*analysis.telling.slices(gold, scores), *subsets, *columns]):
        if name in analysis.telling.system_slices:
            continue
        try:
            labels = analysis.labels(system, name)
        except FileError:  # a column and a subset or slice that have one name
            continue
        places: dict[str, int] = {}
        groups = tuple(places.setdefault(label, len(places)) for label in labels)
        # Subsets come in pairs, and files often say in a column of theirs what is a subset too.
        is_known = any(listed == groups for other, listed in slicings.items() if name in subsets or other in subsets)
        if 2 <= len(places) <= MOST_LABELS and not is_known:
            slicings[name] = groups
    return list(slicings)


def _is_short(column: Sequence) -> bool:
    """Whether a column of the gold file has few different values, and more examples than those."""
    seen = set()
    for value in column:
        seen.add(str(value))
        if len(seen) > MOST_LABELS:
            return False
    return 2 * len(seen) <= len(column) and max(map(len, seen)) <= _LONGEST


def why_no_slices(analysis: Analysis) -> str:
    """What to say where there is nothing to choose; "" where there is."""
    if slicings(analysis):
        return ""
    return (
        f"These {analysis.examples_name} cannot be grouped: the gold file has no question, and no other "
        f"column with 2 to {MOST_LABELS} different values. Add one to it, such as topic or language."
    )


def slice_report(analysis: Analysis, name: str) -> ValuesReport:
    """The main measures by group, with their intervals, of all systems."""

    def make() -> ValuesReport:
        labels = {system: analysis.labels(system, name) for system in analysis.systems}
        scores, settings = analysis.main.scores, analysis.settings
        return build_report(scores, {name: labels}, analysis.main_measures, percent=settings.percent, **analysis.draws)

    return analysis.once(("slice_report", name), make)


def sliced_measures(analysis: Analysis, name: str) -> list[str]:
    """The main measures that apply to an example of some group."""
    groups = slice_report(analysis, name).slices[name].values()
    return [
        measure
        for measure in analysis.main_measures
        if any(cells[measure].n for by_system in groups for cells in by_system.values() if measure in cells)
    ]


def slices_page(analysis: Analysis, name: str, measure: str) -> str:
    """A grouping as HTML: a chart of a measure, what stands out of it, a table of all main measures, kinds of errors."""
    report = slice_report(analysis, name)
    by_label = _by_label(report, name, measure)
    if not by_label:
        return wrapped('<p class="empty">This measure applies to no example here. Choose another one.</p>')
    chart, table = _chart(analysis, report, name, measure, by_label), _table(analysis, report, name)
    fits_beside = len(by_label) <= _BESIDE
    return wrapped(
        charts_grid([chart, table] if fits_beside else [chart]),
        _outliers_in_words(analysis, report, name, measure, by_label),
        "" if fits_beside else fold("The same as a table, all main measures", table),
        _kinds(analysis, name),
    )


def _by_label(report: ValuesReport, name: str, measure: str) -> dict[str, dict[str, Cell]]:
    """Group -> system -> its value of a measure, where that applies to an example of the group."""
    cells_of = {
        label: {system: cells[measure] for system, cells in by_system.items() if cells[measure].n}
        for label, by_system in report.slices[name].items()
    }
    return {label: cells for label, cells in cells_of.items() if cells}


def _chart(
    analysis: Analysis, report: ValuesReport, name: str, measure: str, by_label: Mapping[str, Mapping[str, Cell]]
) -> str:
    rows, hrefs = [], ErrorsHrefs(analysis)
    for label, cells in by_label.items():
        marks = [
            cell_mark(cells.get(system), hrefs.sliced_value(name, label, measure, system))
            for system in analysis.systems
        ]
        few = all(cell.is_few for cell in cells.values())
        sizes = [cells[system].n if system in cells else 0 for system in analysis.systems]
        rows.append(Row(shown_label(label), marks, sizes, few))
    interval = f" with {level_text(report)}s{over_groups(report)}" if report.intervals.confidence is not None else ""
    few = f"; {FEW_MEANS}, dashed" if any(cell.is_few for cells in by_label.values() for cell in cells.values()) else ""
    chart = interval_chart(
        rows,
        analysis.systems,
        title=f"{measure} by {name}",
        write=lambda value: number_text(value, _is_rate(by_label), report.scale),
    )
    caption = f"<strong>{escaped(measure)}</strong> by {isolated(name)}{escaped(interval)}{few}"
    return figure(caption, chart)


def _is_rate(by_label: Mapping[str, Mapping[str, Cell]]) -> bool:
    return next(cell.is_rate for cells in by_label.values() for cell in cells.values())


# --- what stands out --------------------------------------------------------------------------------------------------


def outliers_of_systems(analysis: Analysis, name: str, measure: str) -> dict[str, list[OutlierSlice]]:
    """System -> the groups of at least 30 examples that are worse than all examples by more than chance explains."""

    def make() -> dict[str, list[OutlierSlice]]:
        settings, by_system = analysis.settings, {}
        for system, scores in in_scale(analysis.main.scores, settings.percent).items():
            outliers = outlier_slices(scores, analysis.labels(system, name), measure, settings.intervals, fewest=FEW)
            by_system[system] = [outlier for outlier in outliers if not outlier.is_better]
        return by_system

    return analysis.once(("outlier_slices", name, measure), make)


def _outliers_in_words(
    analysis: Analysis, report: ValuesReport, name: str, measure: str, by_label: Mapping[str, Mapping[str, Cell]]
) -> str:
    by_system = outliers_of_systems(analysis, name, measure)
    is_rate = _is_rate(by_label)
    parts = []
    for system in analysis.systems:
        if not by_system[system]:
            continue
        whole = report.systems[system][measure]
        told = ", ".join(
            f"<strong>{isolated(shown_label(outlier.label))}</strong> "
            f"({number_text(outlier.value, is_rate, report.scale)}, n = {outlier.n:,})"
            for outlier in sorted(by_system[system], key=lambda outlier: outlier.value)
        )
        parts.append(
            f"<li>{isolated(system)}: worse than the {_number(whole.value, whole, report)} of all "
            f"{escaped(analysis.examples_name)}: {told}.</li>"
        )
    if not parts:
        return ""
    how = (
        f"By {100 * analysis.settings.intervals.confidence:g}\u00a0% intervals, corrected for the number of groups of at least {FEW} "
        "(Bonferroni), so wider than in the chart."
    )
    return f'<ul class="outlier-slices">{"".join(parts)}</ul><p class="faint">{how}</p>'


def _number(value: float, cell: Cell, report: ValuesReport) -> str:
    return number_text(value, cell.is_rate, report.scale)


# --- the table and the kinds of errors --------------------------------------------------------------------------------


def _table(analysis: Analysis, report: ValuesReport, name: str) -> str:
    measures, hrefs = sliced_measures(analysis, name), ErrorsHrefs(analysis)
    above = f'{heads(breakable(name))}<th scope="col"{WORDY}>System</th>{heads("n", *map(breakable, measures))}'
    rows = []
    for label, by_system in report.slices[name].items():
        for system, cells in by_system.items():
            sizes = [cells[measure].n for measure in measures if cells[measure].n]
            if not sizes:
                continue
            is_few = all(cells[measure].is_few for measure in measures if cells[measure].n == max(sizes))
            few = ' <span class="sub">few</span>' if is_few else ""
            one_group = in_one_group([cells[measure] for measure in measures])
            values = "".join(
                f"<td>{_cell(cells[one], max(sizes), is_few, report, hrefs.sliced_value(name, label, one, system))}</td>"
                for one in measures
            )
            rows.append(
                f'<tr><th scope="row">{isolated(shown_label(label))}</th><td class="words">{breakable(system)}</td>'
                f"<td>{max(sizes):,}{one_group}{few}</td>{values}</tr>"
            )
    return scroll_table(f"By {escaped(name)}", above, rows)


def _cell(cell: Cell, n: int, is_few: bool, report: ValuesReport, href: str) -> str:
    """A value, which leads to its examples, with its interval, and its own n and "few" if they differ from the row's."""
    if not cell.n:
        return "–"
    ends = "" if cell.interval is None else " to ".join(_number(end, cell, report) for end in cell.interval)
    own = f"n = {cell.n:,}" if cell.n != n else ""
    if cell.is_few and not is_few:
        own = f"{own}, few" if own else "few"
    subs = "".join(f'<span class="sub">{text}</span>' for text in (ends, own) if text)
    return go(_number(cell.value, cell, report), href) + subs


def _kinds(analysis: Analysis, name: str) -> str:
    """The kinds of errors of each group, a chart per system."""
    if analysis.error_kinds is None:
        return ""
    figures, hrefs = [], ErrorsHrefs(analysis)
    for system in analysis.systems:
        counts = kind_counts(analysis, system, name)
        by_shown = {shown_label(label): label for label in counts}
        labels = list(counts)
        for start in range(0, len(labels), _BARS):
            bars = {shown_label(label): counts[label] for label in labels[start : start + _BARS]}
            chart = stacked_bars(
                bars,
                title=f"Kinds of errors of {system} by {name}",
                href=lambda shown, kind, system=system, by_shown=by_shown: hrefs.sliced_kind(
                    name, by_shown[shown], system, kind
                ),
            )
            figures.append(figure(f"<strong>{isolated(system)}</strong>", chart))
    return fold("Kinds of errors", f'<div class="grid">{"".join(figures)}</div>')


def kind_counts(analysis: Analysis, system: str, name: str) -> dict[str, dict[str, int]]:
    """Group -> kind -> number of examples, groups and kinds in their order.

    Each group has all kinds that the system has, so that charts give them the same colours.
    """
    pairs = Counter(zip(analysis.labels(system, name), analysis.error_kinds[system], strict=True))
    there = {kind for _, kind in pairs}
    kinds = [kind for kind in analysis.telling.errors.order if kind in there]
    labels = in_order({label for label, _ in pairs})
    return {label: {kind: pairs[label, kind] for kind in kinds} for label in labels}
