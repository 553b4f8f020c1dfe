"""The table of values as HTML: measures by the names of the field, intervals as bars, and which systems the tests agree on."""

import functools
import math
import re
from collections.abc import Mapping, Sequence

from ..catalog import measure_meaning
from ..core.measure_titles import NestedMeasure, nested_measures
from ..core.measures import Measure
from ..reports.chart_parts import escaped, is_finite
from ..reports.html_parts import breakable, fold, go, isolated, scroll_table
from ..reports.interval_text import level_text, methods_text, over_groups
from ..reports.page_hrefs import PageHrefs
from ..reports.palette import system_class
from ..reports.tables import distinct_names
from ..reports.values import Cell
from ..reports.values_text import ABSENT, TableRow, page_number, sizes_note, value_lines
from .analysis import Analysis
from .class_slices import class_of
from .comparisons import CompareChoices
from .errors_values import is_known_measure
from .findings import compared
from .page_hrefs import ErrorsHrefs
from .runs_view import drawn_names

_SHOWN = 12  # measures; the others fold
_WHOLE = re.compile(r"\d+")
_NAME = 18  # characters of the name of a system, from which on what all names share is cut
_STAR = '<span class="star" aria-hidden="true"> ★</span><span class="sr"> (better by the test)</span>'


def values_table(analysis: Analysis) -> str:
    """The values of all measures of all systems."""
    report = analysis.report
    drawn = drawn_names(analysis)  # in a separate table
    lines = {line.measure: line for line in value_lines(report.systems, list(report.systems))}
    titles = {name: title for scored in analysis.scored for name, title in scored.family.telling.titles.items()}
    places = nested_measures([name for name in lines if name not in drawn], titles)
    better = better_by_tests(analysis)
    rows = [_value_row(analysis, place, lines[place.name], better.get(place.name)) for place in places]
    above = '<th scope="col">Measure</th><th scope="col">n</th>' + "".join(
        f'<th scope="col" title="{escaped(system)}">{isolated(short)}</th>'
        for system, short in zip(report.systems, distinct_names(list(report.systems), _NAME), strict=True)
    )
    caption = _caption(analysis)
    few = len(rows) <= _SHOWN + 2  # a fold for one or two is not a gain
    shown, folded = (rows, []) if few else (rows[:_SHOWN], rows[_SHOWN:])
    more = fold(f"{len(folded)} more measures", scroll_table(f"More {caption[0].lower()}{caption[1:]}", above, folded))
    methods = methods_text(report.systems.values())
    made = f'<p class="faint">Method of the intervals: {escaped(methods)}.</p>' if methods else ""
    meanings = _meanings(analysis, [place.name for place in places])
    return scroll_table(caption, above, shown) + (more if folded else "") + made + meanings


def better_by_tests(analysis: Analysis) -> dict[str, str]:
    """Measure -> the system that the paired tests, after correction, find better than every other one."""
    found: dict[str, str] = {}
    for report in (
        compared(analysis, CompareChoices(measures="usual")),
        compared(analysis),
    ):  # the answer leads with the last
        by_measure: dict[str, list] = {}
        for difference in report.differences if report else ():
            by_measure.setdefault(difference.measure, []).append(difference)
        for measure, differences in by_measure.items():
            found.pop(measure, None)
            for system in analysis.systems:
                own = [one for one in differences if system in (one.first, one.second)]
                if len(own) == len(analysis.systems) - 1 and all(
                    one.better == system and one.is_significant(report.report.intervals.confidence) for one in own
                ):
                    found[measure] = system
    return found


def _caption(analysis: Analysis) -> str:
    report = analysis.report
    caption = "Values"
    if report.intervals.confidence is not None:
        caption += f" with {level_text(report)}s{escaped(over_groups(report))}"
    caption += ", rates from 0 to 100" if report.scale == 100 else ", rates from 0 to 1"
    if len(report.systems) > 1:
        others = "the other" if len(report.systems) == 2 else "every other"
        caption += f"; bold: the best; ★ better than {others} system by the paired test"
    return caption + sizes_note(report.systems)


def _value_row(analysis: Analysis, place: NestedMeasure, line: TableRow, better: str | None) -> str:
    measure = _measure(analysis, line.measure)
    best, limits = _best(line.cells, measure), interval_limits(line.cells, analysis.report.scale)
    hrefs = ErrorsHrefs(analysis) if measure.is_rate and _leads_to_examples(analysis, place) else PageHrefs()
    cells = "".join(
        _value_cell(
            analysis, cell, is_best, system == better, system_class(number), limits, hrefs.value(line.measure, system)
        )
        for number, (system, cell, is_best) in enumerate(zip(analysis.report.systems, line.cells, best, strict=True))
    )
    lower = '<span class="sub">lower is better</span>' if measure.lower_is_better else ""
    meaning = measure_meaning_of(analysis, line.measure)
    title = f' title="{escaped(meaning)}"' if meaning else ""
    number = _WHOLE.sub(lambda found: f"{int(found[0]):,}", line.n)
    few = '<span class="sub">few</span>' if line.few else ""
    head = f'<span class="measure">{isolated(place.title)}</span> <span class="measure-key"><code>{breakable(line.measure)}</code></span>'
    depth = f' class="part part-{min(place.depth, 2)}"' if place.depth else ""
    return f'<tr{depth}><th scope="row"{title}>{head}{lower}</th><td>{number}{few}</td>{cells}</tr>'


def _leads_to_examples(analysis: Analysis, place: NestedMeasure) -> bool:
    """Whether the examples behind a value can be told: a part of a measure, such as its value over questions without an
    answer, must have a value for each of them; behind a whole measure are all examples.
    """
    of_class = class_of(analysis, analysis.systems[0], place.name)
    return not place.depth or is_known_measure(analysis, place.name) or of_class is not None


def _value_cell(
    analysis: Analysis,
    cell: Cell | None,
    is_best: bool,
    is_better: bool,
    color: str,
    limits: tuple[float, float] | None,
    href: str,
) -> str:
    if cell is None or not math.isfinite(cell.value):
        return f"<td>{ABSENT}</td>"
    write = functools.partial(page_number, is_rate=cell.is_rate, scale=analysis.report.scale)
    text = f"<strong>{write(cell.value)}</strong>" if is_best else write(cell.value)
    text, star = go(text, href), _STAR if is_better else ""
    ends = f'<span class="sub">{write(cell.interval[0])} to {write(cell.interval[1])}</span>' if cell.interval else ""
    return f'<td class="{color}">{text}{star}{interval_bar(cell, limits)}{ends}</td>'


def interval_limits(cells: Sequence[Cell | None], scale: int) -> tuple[float, float] | None:
    """The ends of the bars of a row: what all intervals need, and of one system the whole scale; None without intervals."""
    ends = [end for cell in cells if cell is not None and cell.interval for end in cell.interval if is_finite(end)]
    if not ends:
        return None
    if len(ends) == 2:
        return (0.0, float(scale)) if all(cell is None or cell.is_rate for cell in cells) else None
    return (min(ends), max(ends)) if max(ends) > min(ends) else None


def interval_bar(cell: Cell, limits: tuple[float, float] | None) -> str:
    """The interval and the value on the scale of the row; the numbers beside it say the same."""
    if limits is None or cell.interval is None or not all(map(is_finite, cell.interval)):
        return ""
    low, high = limits

    def at(value: float) -> float:
        return 100 * min(1.0, max(0.0, (value - low) / (high - low)))

    start, end = (at(value) for value in cell.interval)
    return (
        f'<span class="interval" aria-hidden="true"><i style="left:{start:.1f}%;width:{max(end - start, 1):.1f}%"></i>'
        f'<b style="left:{at(cell.value):.1f}%"></b></span>'
    )


def _best(cells: Sequence[Cell | None], measure: Measure) -> list[bool]:
    """Which of the values are the best; none where all are equal, or where more is neither better nor worse."""
    values = {cell.value for cell in cells if cell is not None and math.isfinite(cell.value)}
    if len(values) < 2 or not measure.is_rate:
        return [False] * len(cells)
    best = (min if measure.lower_is_better else max)(values)
    return [cell is not None and cell.value == best for cell in cells]


def _measure(analysis: Analysis, name: str) -> Measure:
    """A measure by its name, of any metric and system that has it."""
    return next(
        scores.measures[name]
        for scored in analysis.scored
        for scores in scored.scores.values()
        if name in scores.measures
    )


def measure_meaning_of(analysis: Analysis, name: str) -> str:
    """What a measure is, in a line; "" where its name says it."""
    meanings = (measure_meaning(scored.family.name, name) for scored in analysis.scored)
    return next(filter(None, meanings), "")


def _meanings(analysis: Analysis, names: Sequence[str]) -> str:
    told: Mapping[str, str] = {name: measure_meaning_of(analysis, name) for name in names}
    items = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in told.items() if words)
    return fold("What the measures are", f'<dl class="made">{items}</dl>') if items else ""
