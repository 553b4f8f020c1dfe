"""Charts of the tab Score that only some families have: ranks of what is right, values per query, classes, curves."""

from collections.abc import Callable, Sequence

import numpy as np

from qassay.reports.chart_parts import escaped
from qassay.reports.charts import Mark, Row, count_bars, histogram, interval_chart
from qassay.reports.curve_charts import ChartLine, line_chart
from qassay.reports.first_relevant import NOT_FOUND, count_ranks, first_relevant_ranks
from qassay.reports.html_parts import figure
from qassay.reports.values import FEW
from qassay.reports.values_text import number_text
from qassay.scoring import Scored
from qassay.spaces_app.analysis import Analysis

MOST_CLASSES = 6  # that have a curve each
_MOST_BARS = 12  # classes in the chart of F1


def family_charts(analysis: Analysis) -> list[str]:
    """What the charts of the family show beyond the values, as figures in HTML; [] where there is nothing to add."""
    figures = [_rank_figure(analysis), _values_figure(analysis), _interpolated(analysis), _classes_figure(analysis)]
    scale = analysis.report.scale
    figures += [precision_recall_figure(analysis.main, label, scale) for label in curve_classes(analysis.main)]
    return [drawn for drawn in figures if drawn]


def draws_values(analysis: Analysis) -> bool:
    """Whether these charts already show the values of single examples."""
    return bool(analysis.telling.values_chart)


def charts_grid(figures: Sequence[str]) -> str:
    """Figures beside each other, where there is room; "" for none."""
    drawn = "".join(figures)
    return f'<div class="grid">{drawn}</div>' if drawn else ""


def curve_classes(scored: Scored) -> Sequence:
    """The classes of scores and labels whose curves are drawn, at most 6; [None] where each example has one score."""
    return scored.family.telling.curve_labels(next(iter(scored.scores.values())))[:MOST_CLASSES]


def precision_recall_figure(scored: Scored, label: object, scale: int) -> str:
    """The precision-recall curves of all systems, of one class."""
    curves = {name: scored.family.telling.precision_recall(scores, label) for name, scores in scored.scores.items()}
    lines = {name: ChartLine(scale * recall, scale * precision) for name, (precision, recall, _) in curves.items()}
    n = len(next(iter(scored.scores.values())))
    of_class = "" if label is None else f" of {label}"
    chart = line_chart(
        lines,
        title=f"Precision-recall curve{of_class}",
        x_label="Recall",
        y_label="Precision",
        x_limits=(0, scale),
        y_limits=(0, scale),
        steps=True,
        write_x=rate_writer(scale),
        write_y=rate_writer(scale),
    )
    caption = f"Precision against recall{escaped(of_class)}, a point per distinct score (n = {n:,})"
    return figure(caption, chart)


def rate_writer(scale: int) -> Callable[[float], str]:
    """How rates that are 0..scale are written."""
    return lambda value: number_text(float(value), True, scale)


def _rank_figure(analysis: Analysis) -> str:
    """How often the first right thing is at each rank."""
    told = analysis.telling.first_right_ranks(analysis.scores(analysis.systems[0]))
    if told is None:
        return ""
    column, words, examples = told
    ranks = {
        system: first_relevant_ranks(scores, column)
        for system, scores in analysis.main.scores.items()
        if column in scores.columns
    }
    counts = {system: count_ranks(column) for system, column in ranks.items()}
    n = max(sum(by_label.values()) for by_label in counts.values())
    if not n:
        return ""
    labels = list(next(iter(counts.values())))
    deepest = max(place for place, label in enumerate(labels) if label == "1" or _is_counted(counts, label))
    labels = [label for place, label in enumerate(labels) if place <= deepest or label == NOT_FOUND]
    chart = count_bars(labels, {system: [by[label] for label in labels] for system, by in counts.items()}, title=words)
    return figure(f"{words}, number of {examples} (n = {n:,})", chart)


def _is_counted(counts: dict[str, dict[str, int]], label: str) -> bool:
    return label != NOT_FOUND and any(by_label[label] for by_label in counts.values())


def _values_figure(analysis: Analysis) -> str:
    """The main measure of each example, drawn as the family says."""
    draw = _VALUES.get(analysis.telling.values_chart)
    measure = next(iter(analysis.main_measures), None)
    return draw(analysis, measure, analysis.examples_name) if draw and measure else ""


def _sorted_values(analysis: Analysis, measure: str, examples: str) -> str:
    """The values of a measure, best first, a line per system."""
    scale = analysis.report.scale
    lines, n = {}, 0
    for system in analysis.main.systems:
        values = analysis.by_example(system, measure)
        if values is None:
            return ""
        values = np.sort(values[np.isfinite(values)])[::-1]
        n = max(n, len(values))
        lines[system] = ChartLine(np.arange(1, len(values) + 1), scale * values)
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
            [scale * value for value in scores.summary(names).values()],
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
    limits = (0, 1) if pooled.min() >= 0 and pooled.max() <= 1 else None
    chart = histogram(columns, title=f"{measure} of single {examples}", limits=limits, write="{:.2g}".format)
    n = max(int(np.isfinite(column).sum()) for column in columns.values())
    return figure(f"{escaped(measure)} of single {examples}, number of {examples} (n = {n:,})", chart)


def _classes_figure(analysis: Analysis) -> str:
    """F1 of the classes that are true most often."""
    scale = analysis.report.scale
    values = {system: analysis.telling.class_values(scores) for system, scores in analysis.main.scores.items()}
    support = {label: result.support for by_class in values.values() for label, result in by_class.items()}
    classes = sorted(support, key=lambda label: -support[label])
    rows = [
        Row(
            str(label),
            [Mark(scale * by_class[label].value) if label in by_class else None for by_class in values.values()],
            round(support[label]),
            support[label] < FEW,
        )
        for label in classes[:_MOST_BARS]
    ]
    if not rows:
        return ""
    chart = interval_chart(rows, list(values), title="F1 of each class", write=rate_writer(scale))
    n = len(classes)
    words = f"F1 of each of the {n:,} classes"
    if n > _MOST_BARS:
        words = f"F1 of the {_MOST_BARS} of {n:,} classes that are true most often"
    return figure(f"{words} (n: rows in which it is true)", chart)


_VALUES = {"sorted": _sorted_values, "histogram": _histogram}
