"""Charts of the tab Score that only some families have: ranks of what is right, values per query, classes, curves."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..reports.chart_parts import escaped
from ..reports.charts import histogram
from ..reports.curve_charts import ChartLine, line_chart
from ..reports.family_charts import MOST_BARS, classes_chart, precision_recall_chart, ranks_chart, rate_writer
from ..reports.first_relevant import count_ranks, first_relevant_ranks
from ..reports.html_parts import figure
from ..scoring import Scored
from .analysis import Analysis
from .findings import headline_measure
from .page_hrefs import ErrorsHrefs

MOST_CLASSES = 6  # that have a curve each
_FEWEST_CUT_OFFS = 3  # of a measure, from which on there is a curve over them


def family_charts(analysis: Analysis) -> list[str]:
    """What the charts of the family show beyond the values, as figures in HTML; [] where there is nothing to add."""
    figures = [_rank_figure(analysis), _values_figure(analysis), *_cut_off_figures(analysis)]
    figures += [_interpolated(analysis), _classes_figure(analysis)]
    scale = analysis.report.scale
    hrefs = ErrorsHrefs(analysis)
    figures += [
        precision_recall_figure(analysis.main, label, scale, hrefs.system, hrefs.scored_at_least)
        for label in curve_classes(analysis.main)
    ]
    return [drawn for drawn in figures if drawn]


def draws_values(analysis: Analysis) -> bool:
    """Whether these charts already show the values of single examples."""
    return bool(analysis.telling.values_chart)


def curve_classes(scored: Scored) -> Sequence:
    """The classes of scores and labels whose curves are drawn, at most 6; [None] where each example has one score."""
    return scored.family.telling.curve_labels(next(iter(scored.scores.values())))[:MOST_CLASSES]


def precision_recall_figure(
    scored: Scored,
    label: object,
    scale: int,
    href: Callable[[str], str] = lambda system: "",
    point_href: Callable[[str, float], str] = lambda system, threshold: "",
) -> str:
    """The precision-recall curves of all systems, of one class; `href` and `point_href` as of `precision_recall_chart`."""
    of_class = "" if label is None else f" of {label}"
    n = len(next(iter(scored.scores.values())))
    caption = f"Precision against recall{escaped(of_class)}, a point per distinct score (n = {n:,})"
    return figure(caption, precision_recall_chart(scored.scores, scale, label, href, point_href))


def _rank_figure(analysis: Analysis) -> str:
    """How often the first right thing is at each rank."""
    told = analysis.telling.first_right_ranks(analysis.scores(analysis.systems[0]))
    if told is None:
        return ""
    counts = [
        sum(count_ranks(first_relevant_ranks(scores, told.column)).values())
        for scores in analysis.main.scores.values()
        if told.column in scores.columns
    ]
    if not max(counts):
        return ""
    caption = f"{told.title}, number of {told.examples} (n = {max(counts):,})"
    return figure(caption, ranks_chart(analysis.main.scores, href=ErrorsHrefs(analysis).rank))


def _values_figure(analysis: Analysis) -> str:
    """The measure of each example that the answer leads with, or a main measure that has values of examples, drawn as the
    family says.
    """
    draw = _VALUES.get(analysis.telling.values_chart)
    if not draw or not analysis.main_measures:
        return ""
    names = dict.fromkeys([headline_measure(analysis), *analysis.main_measures])
    return next(filter(None, (draw(analysis, name, analysis.examples_name) for name in names)), "")


def _sorted_values(analysis: Analysis, measure: str, examples: str) -> str:
    """The values of a measure, best first, a line per system."""
    scale = analysis.report.scale
    lines, n = {}, 0
    for system in analysis.main.systems:
        values = analysis.by_example(system, measure)
        if values is None:
            return ""
        rows = np.flatnonzero(np.isfinite(values))
        rows = rows[np.argsort(-values[rows], kind="stable")]
        n = max(n, len(rows))
        hrefs, ids = ErrorsHrefs(analysis), analysis.scores(system).ids
        to_examples = [hrefs.one(measure, system, str(ids[row])) for row in rows]
        lines[system] = ChartLine(
            np.arange(1, len(rows) + 1),
            scale * values[rows],
            href=hrefs.value(measure, system),
            at=to_examples.__getitem__,
        )
    if n < 2:
        return ""
    chart = line_chart(
        lines,
        title=f"{measure} of single {examples}, best first",
        x_label=f"{examples.capitalize()}, best first",
        y_label=measure,
        write_x="{:.0f}".format,
        write_y=rate_writer(scale),
    )
    return figure(f"{escaped(measure)} of single {examples}, sorted for each system (n = {n:,})", chart)


def _cut_off_figures(analysis: Analysis) -> list[str]:
    """A curve over k of each measure that has values at several cut-offs k; its points lead to the examples by their k."""
    systems, hrefs, scale = analysis.main.scores, ErrorsHrefs(analysis), analysis.report.scale
    others = analysis.telling.recall_points(next(iter(systems.values())))
    by_stem: dict[str, dict[int, str]] = {}
    for name, measure in next(iter(systems.values())).measures.items():
        stem, _, cut_off = name.rpartition("@")
        in_all = all(name in scores.measures for scores in systems.values())
        if stem and cut_off.isdecimal() and int(cut_off) and measure.is_rate and name not in others and in_all:
            by_stem.setdefault(stem, {})[int(cut_off)] = name
    figures = []
    for stem, names in by_stem.items():
        if len(names) < _FEWEST_CUT_OFFS:
            continue
        names = dict(sorted(names.items()))
        places = [math.log10(k) for k in names]
        lines = {
            system: ChartLine(
                places,
                scale * np.array([*scores.summary(list(names.values())).values()], np.float64),  # NaN for None
                href=hrefs.system(system),
                at=[hrefs.value(name, system) for name in names.values()].__getitem__,
            )
            for system, scores in systems.items()
        }
        if not any(np.isfinite(line.y).any() for line in lines.values()):
            continue
        chart = line_chart(
            lines,
            title=f"{stem}@k by k",
            x_label="k, on a logarithmic scale",
            y_label=f"{stem}@k",
            write_x=lambda place: f"{10**place:.0f}",
            write_y=rate_writer(scale),
            x_ticks={place: str(k) for place, k in zip(places, names, strict=True)},
        )
        n = max(scores.counts()[name] for scores in systems.values() for name in names.values())
        figures.append(figure(f"{escaped(stem)}@k by the cut-off k (n = {n:,})", chart))
    return figures


def _interpolated(analysis: Analysis) -> str:
    """Mean interpolated precision at the points of recall that were computed."""
    scale = analysis.report.scale
    systems = analysis.main.scores
    points = analysis.telling.recall_points(next(iter(systems.values())))
    points = {
        name: recall for name, recall in points.items() if all(name in scores.measures for scores in systems.values())
    }
    if len(points) < 2:
        return ""
    names = sorted(points, key=points.__getitem__)
    lines = {
        system: ChartLine(
            [scale * points[name] for name in names],
            scale * np.array([*scores.summary(names).values()], np.float64),
            href=ErrorsHrefs(analysis).system(system),
            at=[ErrorsHrefs(analysis).value(name, system) for name in names].__getitem__,
        )
        for system, scores in systems.items()
    }
    chart = line_chart(
        lines,
        title="Interpolated precision at points of recall",
        x_label="Recall",
        y_label="Interpolated precision",
        x_limits=(0, scale),
        y_limits=(0, scale),
        write_x=rate_writer(scale),
        write_y=rate_writer(scale),
    )
    n = max(len(scores) for scores in systems.values())
    return figure(f"Mean interpolated precision by recall (n = {n:,})", chart)


def _histogram(analysis: Analysis, measure: str, examples: str) -> str:
    """The values of a measure by their size."""
    columns = {
        system: scores.columns[measure] for system, scores in analysis.main.scores.items() if measure in scores.columns
    }
    if not columns:
        return ""
    pooled = np.concatenate(list(columns.values()))
    pooled = pooled[np.isfinite(pooled)]
    if not len(pooled):
        return ""
    is_rate = all(
        measure in scores.measures and scores.measures[measure].is_rate for scores in analysis.main.scores.values()
    )
    scale = analysis.report.scale if is_rate else 1
    limits = (0, scale) if pooled.min() >= 0 and pooled.max() <= 1 else None

    def href(system: str, low: float, high: float) -> str:
        return ErrorsHrefs(analysis).bin(measure, system, low, high) if is_rate else ""

    chart = histogram(
        {system: scale * column for system, column in columns.items()},
        title=f"{measure} of single {examples}",
        limits=limits,
        write="{:.3g}".format,
        href=href,
    )
    n = max(int(np.isfinite(column).sum()) for column in columns.values())
    return figure(f"{escaped(measure)} of single {examples}: how many in each range (n = {n:,})", chart)


def _classes_figure(analysis: Analysis) -> str:
    """F1 of the classes that are true most often."""
    chart = classes_chart(analysis.main.scores, analysis.report.scale, ErrorsHrefs(analysis).of_class)
    if not chart:
        return ""
    classes = {label for scores in analysis.main.scores.values() for label in analysis.telling.class_values(scores)}
    n = len(classes)
    words = f"F1 of each of the {n:,} classes"
    if n > MOST_BARS:
        words = f"F1 of the {MOST_BARS} of {n:,} classes that are true most often"
    return figure(f"{words} (n: examples of the class)", chart)


_VALUES = {"sorted": _sorted_values, "histogram": _histogram}
