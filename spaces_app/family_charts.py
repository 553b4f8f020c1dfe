"""Charts of the tab Score that only some families have: ranks of what is right, values per query, classes, curves."""

from collections.abc import Callable, Sequence

import numpy as np

from qassay.average_precision.scoring import precision_recall_curve
from qassay.label_metrics.per_class import class_scores
from qassay.reports.chart_parts import escaped
from qassay.reports.charts import Mark, Row, count_bars, histogram, interval_chart
from qassay.reports.curve_charts import Line, line_chart
from qassay.reports.html_parts import figure
from qassay.reports.values import FEW
from qassay.reports.values_text import number_text
from qassay.retrieval_ranking.first_relevant import NOT_FOUND, count_ranks, first_relevant_ranks
from qassay.scoring import Scored
from qassay.spaces_app.analysis import Analysis

MOST_CLASSES = 6  # that have a curve each
_MOST_BARS = 12  # classes in the chart of F1


def family_charts(analysis: Analysis) -> list[str]:
    """What the charts of the family show beyond the values, as figures in HTML; [] where there is nothing to add."""
    make = _CHARTS.get(analysis.family.name)
    return [found for found in make(analysis) if found] if make else []


def draws_values(analysis: Analysis) -> bool:
    """Whether these charts already show the values of single examples."""
    return analysis.family.name in _WITH_VALUES


def charts_grid(figures: Sequence[str]) -> str:
    """Figures beside each other, where there is room; "" for none."""
    found = "".join(figures)
    return f'<div class="grid">{found}</div>' if found else ""


def curve_classes(scored: Scored) -> Sequence:
    """The classes of scores and labels whose curves are drawn, at most 6; [None] where each example has one score."""
    options = next(iter(scored.scores.values())).options
    if options.task != "scores":
        return []
    return [None] if options.classes is None else list(options.classes.labels)[:MOST_CLASSES]


def precision_recall_figure(scored: Scored, label: object, scale: int) -> str:
    """The precision-recall curves of all systems, of one class."""
    curves = {name: precision_recall_curve(scores, label) for name, scores in scored.scores.items()}
    lines = {name: Line(scale * recall, scale * precision) for name, (precision, recall, _) in curves.items()}
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


def _rankings(analysis: Analysis) -> list[str]:
    figures = [
        _rank_figure(analysis, _reciprocal_rank(analysis), "Rank of the first relevant document", "queries"),
        _sorted_values(analysis, "queries"),
        _interpolated(analysis),
    ]
    return [found for found in figures if found]


def _reciprocal_rank(analysis: Analysis) -> str | None:
    """The column of reciprocal ranks; of several with a cut the deepest."""
    columns = analysis.scores(analysis.systems[0]).columns
    cut = [name for name in columns if name.startswith("mrr@") and name[4:].isdigit()]
    return "mrr" if "mrr" in columns else max(cut, key=lambda name: int(name[4:]), default=None)


def _rank_figure(analysis: Analysis, column: str | None, words: str, examples: str) -> str:
    if column is None or getattr(analysis.main.systems[analysis.systems[0]].scores.options, "ties", "") == "expected":
        return ""
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


def _sorted_values(analysis: Analysis, examples: str) -> str:
    """The main measure of each example, best first, a line per system."""
    measure = next(iter(analysis.main_measures), None)
    if measure is None:
        return ""
    scale = analysis.report.scale
    lines, n = {}, 0
    for system in analysis.main.systems:
        values = analysis.by_example(system, measure)
        if values is None:
            return ""
        values = np.sort(values[np.isfinite(values)])[::-1]
        n = max(n, len(values))
        lines[system] = Line(np.arange(1, len(values) + 1), scale * values)
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
    points = {name: _recall_of(name) for name in next(iter(systems.values())).measures}
    points = {name: recall for name, recall in points.items() if recall is not None}
    points = {
        name: recall for name, recall in points.items() if all(name in scores.measures for scores in systems.values())
    }
    if len(points) < 2:
        return ""
    names = sorted(points, key=points.__getitem__)
    lines = {
        system: Line(
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


def _recall_of(name: str) -> float | None:
    try:
        return float(name.removeprefix("iprec@")) if name.startswith("iprec@") else None
    except ValueError:
        return None


def _factoids(analysis: Analysis) -> list[str]:
    return [_rank_figure(analysis, "rr", "Rank of the first right candidate", "factoid questions")]


def _pipelines(analysis: Analysis) -> list[str]:
    return [_rank_figure(analysis, "retriever_mrr", "Rank of the first relevant document", "questions")]


def _similarities(analysis: Analysis) -> list[str]:
    measure = next(iter(analysis.main_measures), None)
    columns = {
        system: scores.columns[measure] for system, scores in analysis.main.scores.items() if measure in scores.columns
    }
    if not columns:
        return []
    pooled = np.concatenate(list(columns.values()))
    pooled = pooled[np.isfinite(pooled)]
    if not len(pooled):
        return []
    limits = (0, 1) if pooled.min() >= 0 and pooled.max() <= 1 else None
    chart = histogram(columns, title=f"{measure} of single questions", limits=limits, write="{:.2g}".format)
    n = max(int(np.isfinite(column).sum()) for column in columns.values())
    return [figure(f"{escaped(measure)} of single questions, number of questions (n = {n:,})", chart)]


def _labels(analysis: Analysis) -> list[str]:
    """F1 of the classes that are true most often."""
    systems = analysis.main.scores
    if any(scores.options.task == "ranked" for scores in systems.values()):
        return []
    scale = analysis.report.scale
    found = {system: class_scores(scores) for system, scores in systems.items()}
    support = {label: result.support for by_class in found.values() for label, result in by_class.items()}
    classes = sorted(support, key=lambda label: -support[label])
    rows = [
        Row(
            str(label),
            [Mark(scale * by_class[label].value) if label in by_class else None for by_class in found.values()],
            round(support[label]),
            support[label] < FEW,
        )
        for label in classes[:_MOST_BARS]
    ]
    if not rows:
        return []
    chart = interval_chart(rows, list(found), title="F1 of each class", write=rate_writer(scale))
    n = len(classes)
    words = f"F1 of each of the {n:,} classes"
    if n > _MOST_BARS:
        words = f"F1 of the {_MOST_BARS} of {n:,} classes that are true most often"
    return [figure(f"{words} (n: rows in which it is true)", chart)]


def _curves(analysis: Analysis) -> list[str]:
    scale = analysis.report.scale
    return [precision_recall_figure(analysis.main, label, scale) for label in curve_classes(analysis.main)]


_CHARTS: dict[str, Callable[[Analysis], list[str]]] = {
    "retrieval_ranking": _rankings,
    "factoid_accuracy": _factoids,
    "retriever_reader": _pipelines,
    "semantic_answer_similarity": _similarities,
    "label_metrics": _labels,
    "average_precision": _curves,
}
_WITH_VALUES = ("retrieval_ranking", "semantic_answer_similarity")
