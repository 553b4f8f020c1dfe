"""Repeated runs of a system, as HTML: how they differ, what more of them would buy, pass@k and majority@k."""

import dataclasses
import functools
from collections.abc import Collection, Iterator

from ..reports.chart_parts import escaped
from ..reports.html_parts import breakable, fold, go, heads, isolated, row, scroll_table
from ..reports.interval_text import level_text
from ..reports.run_tables import run_section
from ..reports.values import Cell, in_scale
from ..reports.values_text import ABSENT, number_text
from ..stats.runs import with_several_runs
from .address import EVERY, View
from .analysis import Analysis
from .errors_address import lists_just
from .errors_values import is_known_measure
from .linked_parts import system_head
from .runs_slices import ALWAYS, NEVER, right_in_runs
from .view_parts import section


def runs_html(analysis: Analysis) -> str:
    """The sections about repeated runs; "" where no system has several."""
    if not analysis.has_runs:
        return ""
    examples = analysis.examples_name
    told = f"More {examples} lower the parts “question” and “noise” of the variance, more runs the parts “run” and “noise”."
    return (
        section(
            "Repeated runs",
            run_section(analysis.report, _RunHrefs(analysis)) + _values_of_runs(analysis),
            escaped(told),
        )
        + section("What more would buy", _widths(analysis), _widths_reading(analysis))
        + section("Several answers to a question", _drawn(analysis), _drawn_reading(analysis))
    )


def drawn_names(analysis: Analysis) -> list[str]:
    """The measures pass@k and majority@k that the report has."""
    return [f"{name.removesuffix('_at')}@{k}" for name, numbers in analysis.drawn.items() for k in numbers]


class _RunHrefs:
    """Where the numbers on the runs of a system lead: to the run with the smallest or largest value, and to the questions that
    all runs, or none, answer correctly.
    """

    def __init__(self, analysis: Analysis):
        self._analysis = analysis
        systems = with_several_runs(in_scale(analysis.main.scores, analysis.report.scale == 100))
        told = {
            system: [name for name in analysis.report.runs[system] if name in of.measures]
            for system, of in systems.items()
        }
        self._values = {system: of.run_values(told[system]) for system, of in systems.items()}

    def __call__(self, system: str, measure: str, head: str) -> str:
        analysis, variance = self._analysis, self._analysis.report.runs[system][measure]
        if head in ("smallest", "largest"):
            by_run = {run: values[measure] for run, values in self._values.get(system, {}).items() if measure in values}
            if not by_run:
                return ""
            run = (min if head == "smallest" else max)(by_run, key=by_run.__getitem__)
            return _href_of_run(analysis, View("errors", system=f"{system} ({run})", kind=EVERY), measure)
        share = {"always": variance.always, "never": variance.never}.get(head)
        if not share:
            return ""
        label = ALWAYS if head == "always" else NEVER
        first, n = analysis.first_run(system), analysis.report.systems[system][measure].n
        view = View("errors", system=first, slice=f"{right_in_runs(system, measure)}:{label}", measure=measure)
        return view.href() if lists_just(analysis, view, round(share * n)) else ""


def _href_of_run(analysis: Analysis, view: View, measure: str) -> str:
    """The examples of a run by a measure, or for a measure of all together just the examples."""
    known = measure if is_known_measure(analysis.by_run, measure) else ""
    return dataclasses.replace(view, measure=known).href()


def _values_of_runs(analysis: Analysis) -> str:
    """The value of each run by itself, of the main measures."""
    measures, rows = analysis.main_measures, []
    systems = in_scale(analysis.main.scores, analysis.report.scale == 100)
    for system, scores in with_several_runs(systems).items():
        for run, values in scores.run_values(measures).items():
            shown = f"{system} ({run})"
            view = View("errors", system=shown, kind=EVERY)
            cells = [
                f"<td>{go(_write(analysis, values[name], scores.measures[name].is_rate), _href_of_run(analysis, view, name))}</td>"
                for name in measures
            ]
            rows.append(row(go(system_head(analysis.by_run, shown), view.href()), *cells))
    return fold(
        "The value of each run", scroll_table("Values of single runs", heads("Run", *map(breakable, measures)), rows)
    )


def _widths(analysis: Analysis) -> str:
    """How wide the intervals are now, and with twice the runs or examples."""
    rows = []
    for system, measure, n_runs, widths in expected_widths(analysis, analysis.main_measures):
        write = functools.partial(_write, analysis)
        cells = [f"<td>{n_runs}</td>", *(f"<td>{write(width)}</td>" for width in widths)]
        rows.append(row(_called(analysis, system, measure), *cells))
    examples = escaped(analysis.examples_name)
    above = heads("Measure", "Runs", "Now", "Twice the runs", f"Twice the {examples}", "Twice both")
    caption = f"Width of the {level_text(analysis.report)}, from end to end"
    return scroll_table(caption, above, rows) if rows else ""


def expected_widths(analysis: Analysis, measures: Collection[str]) -> Iterator[tuple[str, str, int, list[float]]]:
    """System, measure, number of runs, and the widths now, with twice the runs, twice the examples, and twice both.

    Args:
        measures: the measures of the main metric that have an interval are shown.
    """
    intervals = analysis.settings.intervals
    draws = {"n_resamples": intervals.n_resamples, "seed": intervals.seed}
    for system, scores in with_several_runs(in_scale(analysis.main.scores, analysis.report.scale == 100)).items():
        names = [name for name in measures if name in scores.measures and scores.measures[name].has_interval]
        runs, n = 2 * scores.n_runs, 2 * len(scores)
        wanted: list[dict[str, int]] = [{}, {"runs": runs}, {"questions": n}, {"runs": runs, "questions": n}]
        widths = [
            scores.expected_width(**more, names=names, confidence=intervals.confidence, **draws) for more in wanted
        ]
        for name in names:
            if name in widths[0]:
                yield system, name, scores.n_runs, [of[name] for of in widths]


def _widths_reading(analysis: Analysis) -> str:
    by = " More examples are more groups of the same size." if analysis.inputs.groups else ""
    return f"About how wide the interval would be, on other {escaped(analysis.examples_name)} and other runs like these.{by}"


def _drawn(analysis: Analysis) -> str:
    """pass@k and majority@k of each system with several runs."""
    names, rows = drawn_names(analysis), []
    for system in analysis.report.n_runs if names else ():
        to_all = View("errors", system=analysis.first_run(system), kind=EVERY).href()
        for k in dict.fromkeys(k for numbers in analysis.drawn.values() for k in numbers):
            found = [analysis.report.systems[system].get(f"{name}@{k}") for name in ("pass", "majority")]
            rows.append(
                row(_called(analysis, system, f"k = {k}"), *(_value_cell(analysis, cell, to_all) for cell in found))
            )
    caption = f"With {level_text(analysis.report)}s"
    return scroll_table(caption, heads("Answers", "pass@k", "majority@k"), rows) if rows else ""


def _drawn_reading(analysis: Analysis) -> str:
    names = ", ".join(dict.fromkeys(analysis.report.right_by.values()))
    return f"Of k answers to a question, pass@k: at least one is right; majority@k: more than half are. Right by {escaped(names)}."


def _called(analysis: Analysis, system: str, what: str) -> str:
    """The head of a row: the measure or number, and the system where several systems have runs."""
    several = len(analysis.report.n_runs) > 1
    return breakable(what) + (f'<span class="sub">{isolated(system)}</span>' if several else "")


def _value_cell(analysis: Analysis, cell: Cell | None, href: str) -> str:
    if cell is None:
        return f"<td>{ABSENT}</td>"
    write = functools.partial(_write, analysis)
    ends = f'<span class="sub">{write(cell.interval[0])} to {write(cell.interval[1])}</span>' if cell.interval else ""
    return f"<td>{go(write(cell.value), href)}{ends}</td>"


def _write(analysis: Analysis, value: float, is_rate: bool = True) -> str:
    return number_text(value, is_rate=is_rate, scale=analysis.report.scale)
