"""The values of systems as one self-contained HTML file."""

from collections.abc import Mapping

import numpy as np

from .chart_parts import escaped, is_finite
from .charts import Row, histogram, interval_chart
from .comparison import ComparisonReport
from .html_parts import WORDY, breakable, figure, heads, isolated, live_script, row, scroll_table, whole_page
from .page_cards import JudgedExamples, judged_section
from .page_charts import cell_mark, kinds_section
from .page_tables import cell_html, counted_section, label_head, made_section, value_table
from .page_view import PageView
from .run_tables import run_section
from .values import FEW_MEANS, Cells, ValuesReport
from .values_text import TableRow, value_lines

Kinds = Mapping[str, Mapping[str, Mapping[str, int]]]  # metric -> system -> kind of error -> number of examples

_TITLED = 3  # systems named in the title
_BINS = 10


def values_page(
    report: ValuesReport,
    *,
    gold: str = "",
    command: str = "",
    kinds: Kinds | None = None,
    by_example: Mapping[str, Mapping[str, np.ndarray]] | None = None,
    judged: JudgedExamples | None = None,
    examples_name: str = "examples",
) -> str:
    """The values as a page: a table with intervals and n, slices, kinds of errors, histograms, and how it was made.

    Numbers have the decimals of the other formats. The file needs no network and no other file, follows
    the reader's light or dark colours, and fits a phone and paper. Sections without content are omitted.

    Args:
        gold: the name of the gold file.
        command: the command line that computes these numbers.
        kinds: metric -> system -> kind of error -> number of examples, best kind first.
        by_example: measure -> system -> value of each example on the scale of the report, NaN without a value.
        judged: examples to read, with reasons for their scores.
        examples_name: what the examples are called, in the plural.

    Returns:
        HTML that can be encoded as UTF-8 for all texts.
    """
    view = _view_of_values(report, kinds or {}, gold, command, examples_name)
    title = ", ".join(view.systems) if len(view.systems) <= _TITLED else f"{len(view.systems)} systems"
    sizes = [cell.n for cells in report.systems.values() for cell in cells.values()]
    told = [f"gold file <code>{escaped(gold)}</code>"] if gold else []
    told += [view.count(max(sizes))] if sizes else []
    parts = [
        ("values", "Values", _values(view)),
        ("slices", "Slices", _slices(view)),
        ("runs", "Runs", run_section(report)),
        ("kinds", "Kinds of errors", kinds_section(view)),
        ("examples", "Example by example", _histograms(view, by_example or {})),
        ("read", "Examples to read", judged_section(view, judged) if judged else ""),
        ("counted", "What was counted", counted_section(view)),
        ("made", "How it was made", made_section(view)),
    ]
    return whole_page(title, "Scores", " · ".join(told), parts, script=live_script())


def _view_of_values(report: ValuesReport, kinds: Kinds, gold: str, command: str, examples_name: str) -> PageView:
    """A view of the values for the sections shared with comparison pages; it has no differences."""
    nothing_compared = ComparisonReport(
        report=report,
        differences=[],
        slices={},
        kinds={metric: {system: dict(of) for system, of in systems.items()} for metric, systems in kinds.items()},
        changes=[],
        test="",
        correction="",
        n_permutations=0,
        gold=gold,
        command=command,
        remarks=[],
        examples_name=examples_name,
    )
    return PageView(nothing_compared)


def _values(view: PageView) -> str:
    if not view.names:
        return ""
    table = value_table(view, f"Values{view.with_intervals()}; n: {view.examples_name} that a value rests on")
    drawn = [
        Row(line.measure, list(map(cell_mark, line.cells)))
        for line in value_lines(view.report.systems, view.systems)
        if any(cell is not None and cell.is_rate and is_finite(cell.value) for cell in line.cells)
    ]
    if not drawn:
        return table
    chart = interval_chart(drawn, _series(view), title="Values", write=view.rate)
    return f'<div class="grid">{table}{figure(f"Rates{view.with_intervals()}", chart)}</div>'


def _slices(view: PageView) -> str:
    sections = []
    for name, labels in view.report.slices.items():
        lines = {label: value_lines(by_system, view.systems) for label, by_system in labels.items()}
        rows = [
            row(label_head(label, place), _cells(view, line))
            for label, group in lines.items()
            for place, line in enumerate(group)
        ]
        if not rows:
            continue
        above = (
            f'{heads(breakable(name))}<th scope="col"{WORDY}>Measure</th>{heads("n", *map(breakable, view.systems))}'
        )
        few = f"; {FEW_MEANS}" if any(line.few for group in lines.values() for line in group) else ""
        table = scroll_table(f"By {escaped(name)}{view.with_intervals()}{few}", above, rows)
        charts = "".join(_slice_charts(view, name, labels))
        sections.append(f'<h3>{isolated(name)}</h3><div class="grid">{charts}</div>{table}')
    return "".join(sections)


def _cells(view: PageView, line: TableRow) -> str:
    size = line.n + ('<span class="sub">few</span>' if line.few else "")
    values = "".join(cell_html(view, cell) for cell in line.cells)
    return f"<td{WORDY}>{breakable(line.measure)}</td><td>{size}</td>{values}"


def _slice_charts(view: PageView, name: str, labels: Mapping[str, Mapping[str, Cells]]) -> list[str]:
    """A chart of each rate, with a row for each label."""
    measures = dict.fromkeys(m for by_system in labels.values() for cells in by_system.values() for m in cells)
    charts = []
    for measure in measures:
        rows = []
        for label, by_system in labels.items():
            cells = [by_system.get(system, {}).get(measure) for system in view.systems]
            rates = [cell for cell in cells if cell is not None and cell.is_rate and is_finite(cell.value)]
            if rates:
                few = any(cell.is_few for cell in rates)
                sizes = [cell.n if cell else 0 for cell in cells]
                rows.append(Row(label, list(map(cell_mark, cells)), sizes, few))
        if rows:
            chart = interval_chart(rows, _series(view), title=f"{measure} by {name}", write=view.rate)
            charts.append(figure(f"<strong>{escaped(measure)}</strong>{view.with_intervals()}", chart))
    return charts


def _series(view: PageView) -> list[str]:
    return view.systems if len(view.systems) > 1 else [""]


def _histograms(view: PageView, by_example: Mapping[str, Mapping[str, np.ndarray]]) -> str:
    """A histogram over examples for each measure."""
    charts = []
    for measure, values in by_example.items():
        finite = np.concatenate([column[np.isfinite(column)] for column in values.values()])
        if not len(finite):
            continue
        scale = float(view.report.scale)
        limits = (0.0, scale) if finite.min() >= 0 and finite.max() <= scale else None
        named = dict(values) if len(view.systems) > 1 else {"": next(iter(values.values()))}
        chart = histogram(named, title=f"{view.examples_name} by {measure}", bins=_BINS, limits=limits)
        caption = f"{escaped(view.examples_name.capitalize())} by their <strong>{escaped(measure)}</strong>"
        charts.append(figure(caption, chart))
    return f'<div class="grid">{"".join(charts)}</div>' if charts else ""
