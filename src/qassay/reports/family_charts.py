"""Charts of some families: ranks of right results, F1 of classes, curves of precision and recall, and thresholds.

Each function takes system -> scores of one family and returns SVG, "" without data.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.scores import Scores
from ..core.selective import risk_coverage_curve
from ..registry import family_of
from .charts import Mark, Row, count_bars, histogram, interval_chart
from .curve_charts import ChartLine, line_chart
from .first_relevant import NOT_FOUND, count_ranks, first_relevant_ranks
from .values import FEW
from .values_text import number_text

MOST_BARS = 12  # classes in the chart of F1
_BINS = 10

Systems = Mapping[str, Scores]


def rate_writer(scale: int) -> Callable[[float], str]:
    """The function that writes rates on the scale 0..scale."""
    return lambda value: number_text(float(value), True, scale)


def precision_recall_chart(
    systems: Systems, scale: int, label: object = None, href: Callable[[str], str] = lambda system: ""
) -> str:
    """The precision-recall curves of all systems for one class; `href` is system -> address of its curve."""
    telling = family_of(next(iter(systems.values()))).telling
    lines = {}
    for name, scores in systems.items():
        precision, recall, _ = telling.precision_recall(scores, label)
        lines[name] = ChartLine(scale * recall, scale * precision, href=href(name))
    return line_chart(
        lines,
        title=f"Precision-recall curve{'' if label is None else f' of {label}'}",
        x_label="Recall",
        y_label="Precision",
        x_limits=(0, scale),
        y_limits=(0, scale),
        steps=True,
        write_x=rate_writer(scale),
        write_y=rate_writer(scale),
    )


def risk_coverage_chart(systems: Systems, measure: str) -> str:
    """The risk if only the most confident answers are given, by their share."""
    curves = {name: risk_coverage_curve(scores, measure) for name, scores in systems.items()}
    lines = {name: ChartLine(curve.coverages, curve.risks) for name, curve in curves.items()}
    return line_chart(
        lines,
        title=f"Risk (1 - {measure}) by coverage",
        x_label="Coverage",
        y_label="Risk",
        x_limits=(0, 1),
        y_limits=(0, 1),
        write_x=rate_writer(1),
        write_y=rate_writer(1),
    )


def threshold_chart(
    systems: Systems,
    measure: str,
    scale: int,
    all_systems: Sequence[str] = (),
    href: Callable[[str, float | None], str] = lambda system, threshold: "",
) -> str:
    """A measure at every no-answer threshold, with the best threshold marked.

    Args:
        all_systems: as `systems` of `line_chart`.
        href: system, threshold -> address of that point; None: of the line.
    """
    withholding = family_of(next(iter(systems.values()))).telling.answerability
    curves = {name: withholding.threshold_curve(scores, measure) for name, scores in systems.items()}
    low, high = threshold_limits(
        [end for curve in curves.values() for end in (curve.thresholds[1], curve.thresholds[-1])]
    )
    lines = {}
    for name, curve in curves.items():
        best, threshold = systems[name].summary([f"best_{measure}", f"best_{measure}_threshold"]).values()
        # Below every probability all answers are withheld; above the last probability nothing changes.
        lines[name] = ChartLine(
            [low, *curve.thresholds[1:], high],
            [*(scale * curve.values), scale * curve.values[-1]],
            None if best is None or threshold is None else (max(threshold, low), scale * best),
            "best",
            href(name, None),
            _points_of(functools.partial(href, name), [*curve.thresholds, float(curve.thresholds[-1])]),
            href(name, threshold),
        )
    return line_chart(
        lines,
        title=f"{measure} by no-answer threshold",
        x_label="No-answer threshold",
        y_label=measure,
        x_limits=None if low == high else (low, high),
        steps=True,
        write_x="{:.3g}".format,
        write_y=rate_writer(scale),
        systems=all_systems,
    )


def _points_of(href: Callable[[float | None], str], thresholds: Sequence[float]) -> Callable[[int], str]:
    """The address of each point of a line by its threshold."""
    return lambda place: href(float(thresholds[place]))


def threshold_limits(values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """The smallest and the largest threshold; 0 and 1 if all are between."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def ranks_chart(systems: Systems) -> str:
    """How often the first right result has each rank."""
    told = family_of(next(iter(systems.values()))).telling.first_right_ranks(next(iter(systems.values())))
    if told is None:
        return ""
    counts = {
        name: count_ranks(first_relevant_ranks(scores, told.column))
        for name, scores in systems.items()
        if told.column in scores.columns
    }
    if not any(sum(by_label.values()) for by_label in counts.values()):
        return ""
    labels = list(next(iter(counts.values())))
    deepest = max(place for place, label in enumerate(labels) if label == "1" or _is_counted(counts, label))
    labels = [label for place, label in enumerate(labels) if place <= deepest or label == NOT_FOUND]
    return count_bars(labels, {name: [by[label] for label in labels] for name, by in counts.items()}, title=told.title)


def _is_counted(counts: Mapping[str, Mapping[str, int]], label: str) -> bool:
    return label != NOT_FOUND and any(by_label[label] for by_label in counts.values())


def classes_chart(systems: Systems) -> str:
    """F1 of the most frequent true classes, at most 12."""
    telling = family_of(next(iter(systems.values()))).telling
    values = {name: telling.class_values(scores) for name, scores in systems.items()}
    support = {label: result.support for by_class in values.values() for label, result in by_class.items()}
    rows = [
        Row(
            str(label),
            [Mark(by_class[label].value) if label in by_class else None for by_class in values.values()],
            [round(by_class[label].support) if label in by_class else 0 for by_class in values.values()],
            support[label] < FEW,
        )
        for label in sorted(support, key=lambda label: -support[label])[:MOST_BARS]
    ]
    return interval_chart(rows, list(values), title="F1 of each class", write=rate_writer(1)) if rows else ""


def examples_chart(systems: Systems, measure: str, examples_name: str) -> str:
    """A histogram of a measure over examples; ValueError if single examples have no value."""
    columns: dict[str, Any] = {}
    for name, scores in systems.items():
        values = scores.measures[measure].by_example(scores.rows)
        if values is None or not np.isfinite(values).any():
            raise ValueError(f"a single example has no {measure}; choose a mean over examples")
        columns[name] = values
    pooled = np.concatenate(list(columns.values()))
    pooled = pooled[np.isfinite(pooled)]
    limits = (0.0, 1.0) if pooled.min() >= 0 and pooled.max() <= 1 else None
    return histogram(columns, title=f"{examples_name} by {measure}", bins=_BINS, limits=limits)
