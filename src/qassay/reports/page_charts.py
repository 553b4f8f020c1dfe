"""The charts of a comparison page: values, differences, kinds of errors, changes of single examples."""

import functools
from collections.abc import Sequence

import numpy as np

from ..stats.difference import Difference
from .chart_parts import escaped, is_finite
from .charts import Mark, Row, change_chart, interval_chart, stacked_bars
from .comparison import by_pair
from .html_parts import beside, breakable, count_cell, figure, fold, heads, isolated, per_pair, row, scroll_table
from .page_view import PageView, Pair
from .values import Cell

_CHARTED = 24  # measures in the chart of differences; further measures are folded


def differences_section(view: PageView) -> str:
    """Charts of the differences of each pair; for more than two systems also of the rates of all systems."""
    values = _value_chart(view) if len(view.systems) > 2 else ""
    pairs = [(pair, _difference_charts(view, pair)) for pair in view.pairs]
    pairs = [(pair, body) for pair, body in pairs if body]
    return values + (tone_key(view) + per_pair(pairs) if pairs else "")


def tone_key(view: PageView) -> str:
    """The meaning of the marks in charts of differences."""
    second = isolated(view.pairs[0][1]) if len(view.pairs) == 1 else "the second system"
    items = "".join(
        f'<li><svg class="chart" viewBox="0 0 12 12" aria-hidden="true"><g class="{tone}">'
        f'<circle class="mark{shape}" cx="6" cy="6" r="4.5"/></g></svg>{words}</li>'
        for tone, shape, words in (
            ("better", "", f"{second} likely better"),
            ("worse", "", f"{second} likely worse"),
            ("same", " open", "hollow: could be chance"),
        )
    )
    return f'<ul class="key">{items}</ul>'


def _value_chart(view: PageView) -> str:
    measures = dict.fromkeys(name for pair in view.pairs for name in view.main_measures(pair))
    rows = []
    for name in measures:
        cells = [view.report.systems[system].get(name) for system in view.systems]
        if all(cell is None or not cell.is_rate for cell in cells):
            continue
        hrefs = [view.hrefs.value(name, system) for system in view.systems]
        rows.append(Row(name, [cell_mark(*of) for of in zip(cells, hrefs, strict=True)]))
    if not rows:
        return ""
    chart = interval_chart(rows, view.systems, title="Values of all systems", write=view.rate)
    return figure(f"Values of all systems{view.with_intervals()}", chart)


def _difference_charts(view: PageView, pair: Pair) -> str:
    rates = [d for d in view.by_pair[pair].values() if d.is_rate and is_finite(d.difference)]
    if not rates:
        return ""
    main = view.main_measures(pair)
    rates.sort(key=lambda difference: difference.measure not in main)
    shown, folded = rates[:_CHARTED], rates[_CHARTED:]
    caption = f"{isolated(pair[1])} minus {isolated(pair[0])}{view.with_intervals()}"
    lower = (
        " Where a lower value is better, it is the other way round." if view.lower & view.by_pair[pair].keys() else ""
    )
    bars = f" The bar is the {view.interval_name} of the difference." if view.with_intervals() else ""
    reading = (
        f"To the right of the line the value of {isolated(pair[1])} is higher, to the left the value of "
        f"{isolated(pair[0])}.{lower}{bars} A filled dot: likely real, by a test at level {view.alpha:g}"
        f"{' after the correction' if view.corrected else ''}."
    )
    if any(not d.is_rate for d in view.by_pair[pair].values()):
        reading += " Counts and thresholds have no common scale; they are in the table only."
    charts = beside(_difference_chart(view, shown, caption, f"Differences, {pair[1]} minus {pair[0]}"), reading)
    if folded:
        more = _difference_chart(view, folded, caption, f"Further differences, {pair[1]} minus {pair[0]}")
        charts += fold(f"{len(folded)} more measures", more)
    return charts


def _difference_chart(view: PageView, differences: Sequence[Difference], caption: str, title: str) -> str:
    rows = [Row(view.title(d.measure), [difference_mark(view, d)]) for d in differences]
    return figure(caption, interval_chart(rows, [""], title=title, zero=True, write=view.signed_rate))


def cell_mark(cell: Cell | None, href: str = "") -> Mark | None:
    """The mark of a number with its interval and address; None without a number."""
    if cell is None:
        return None
    low, high = cell.interval or (None, None)
    return Mark(cell.value, low, high, href=href, few=cell.is_few)


def difference_mark(view: PageView, difference: Difference, name: str = "", label: str = "") -> Mark:
    """The mark of a difference, over all examples or in one slice.

    Its tone says which system is better; a filled mark says that the difference is likely real.
    """
    reading = view.read(difference)
    tone = {None: "same", difference.second: "better", difference.first: "worse"}[reading.better]
    words = {"same": "equal", "better": f"{difference.second} better", "worse": f"{difference.second} worse"}[tone]
    note = f"{words}, {view.certainty(difference)}" if reading.better else words
    low, high = difference.interval or (None, None)
    href = view.hrefs.difference(difference, name, label)
    return Mark(difference.difference, low, high, tone, reading.real, note, href)


def kinds_section(view: PageView) -> str:
    """Kinds of errors of each metric: shares as bars, counts in a table."""
    sections = []
    for metric, by_system in view.data.kinds.items():
        kinds = list(dict.fromkeys(kind for counts in by_system.values() for kind in counts))
        if not kinds or not any(map(sum, (counts.values() for counts in by_system.values()))):
            continue
        head = f"<h3>{escaped(metric)}</h3>" if len(view.data.kinds) > 1 else ""
        chart = figure(
            f"Share of {view.examples_name} by kind, best first",
            stacked_bars(
                by_system,
                title=f"Kinds of errors of {metric}",
                href=functools.partial(view.hrefs.kind, metric),
            ),
        )
        totals = {system: sum(counts.values()) for system, counts in by_system.items()}
        rows = [
            row(
                escaped(kind),
                *(
                    count_cell(counts.get(kind, 0), totals[system], view.hrefs.kind(metric, system, kind))
                    for system, counts in by_system.items()
                ),
            )
            for kind in kinds
        ]
        above = heads("Kind", *map(breakable, by_system))
        table = scroll_table(f"{view.examples_name.capitalize()} by kind", above, rows)
        sections.append(f'{head}<div class="grid">{chart}{table}</div>')
    return "".join(sections)


def changes_section(view: PageView) -> str:
    """How single examples change, for each pair."""
    pairs = []
    for pair, group in by_pair(view.data.changes).items():
        figures = []
        for change in group:
            if not np.isfinite(change.changes).any():
                continue
            kind = view.kind_of(change)
            chart = change_chart(
                change.changes,
                title=f"Change in {view.title(change.measure)} from {change.first} to {change.second}",
                lower_is_better=change.measure in view.lower,
                write=functools.partial(view.write, kind=kind),
                hrefs={tone: view.hrefs.change(pair, change.measure, tone) for tone in ("better", "same", "worse")},
            )
            caption = (
                f"Change in <strong>{view.measure(change.measure)}</strong> from {isolated(change.first)} to "
                f"{isolated(change.second)}"
            )
            reading = (
                f"{view.count(len(change.changes))}, sorted by change: the "
                "largest rise on the left, the largest fall on the right. The wider a coloured part, the more "
                f"{view.examples_name} change; the higher, the more they do."
            )
            figures.append(beside(figure(caption, chart), reading))
        pairs += [(pair, "".join(figures))] if figures else []
    return per_pair(pairs)
