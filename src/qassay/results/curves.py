"""Curves of the result document: thresholds, reliability, precision and recall, values over k, ranks and classes."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.about import About
from ..core.measure_titles import measure_title
from ..core.scores import Scores
from ..core.selective import curved_measures, risk_coverage_curve
from .numbers import finite, kept_points, numbers

MOST_SYSTEMS = 20  # with curves
_MOST_CLASSES = 500
_LAST_RANKS = {"1": 1, "2": 2, "3": 3, "4-5": 5, "6-10": 10, "11-20": 20, "later": math.inf}  # label -> its last rank


def curves_of(about: About, systems: Mapping[str, Scores], measures: Sequence[str], scale: int) -> list[dict[str, Any]]:
    """The curves of a part.

    Args:
        about: what is known of the metric.
        measures: the measures of the part.
        scale: of rates.
    """
    found: list[dict[str, Any]] = []
    for system, scores in list(systems.items())[:MOST_SYSTEMS]:
        if not scores.tells_examples or scores.n_runs > 1:
            continue
        for curve in (
            *_of_no_answer_probabilities(about, scores, scale),
            *_precision_recall(about, scores, scale),
            *_risk_coverage(scores),
            *_over_k(about, scores, measures, scale),
            *_first_ranks(about, scores),
            *_classes(about, scores),
        ):
            found.append({"system": system, **curve})
    return found


def _curve(name: str, title: str, axes: tuple[str, str], draw: str, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """One curve; further fields replace those that it does not have."""
    return {
        "name": name,
        "measure": None,
        "label": None,
        "title": title,
        "x_title": axes[0],
        "y_title": axes[1],
        "draw": draw,
        "x": list(x),
        "y": list(y),
        "mark": None,
        "x_range": None,
        "y_range": None,
        **more,
    }


def _of_no_answer_probabilities(about: About, scores: Scores, scale: int) -> Iterator[dict[str, Any]]:
    """Measures at every no-answer threshold, and how reliable the probabilities are."""
    withholding = about.answerability and about.answerability()
    if withholding is None or not withholding.has_no_answer_probabilities(scores):
        return
    for measure in withholding.swept_measures(scores):
        curve = withholding.threshold_curve(scores, measure)
        known = [threshold for threshold in curve.thresholds.tolist() if math.isfinite(threshold)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        limits = [0.0, 1.0] if low >= 0 and high <= 1 else [low, high]
        best, threshold = scores.summary([f"best_{measure}", f"best_{measure}_threshold"]).values()
        mark = None
        if best is not None and threshold is not None:
            mark = {"x": max(float(threshold), limits[0]), "y": finite(best, scale), "title": "best"}
        kept = kept_points(curve.values)
        x = [limits[0] if not math.isfinite(x) else x for x in curve.thresholds[kept].tolist()]
        title = measure_title(measure, about.titles)
        yield _curve(
            "threshold",
            f"{title} by no-answer threshold",
            ("No-answer threshold", title),
            "steps",
            x,
            numbers(curve.values[kept], scale),
            measure=measure,
            mark=mark,
            x_range=limits,
            answered=numbers(curve.answered[kept]),
        )
    try:
        found = withholding.reliability(scores)
    except ValueError:  # probabilities outside 0 to 1
        return
    there = found.n > 0
    yield _curve(
        "reliability",
        "Reliability of no-answer probabilities",
        ("Predicted probability", "Observed share without an answer"),
        "points",
        numbers(found.predicted[there]),
        numbers(found.observed[there]),
        n=found.n[there].tolist(),
        x_range=[0, 1],
        y_range=[0, 1],
        error=finite(found.error),
    )


def _precision_recall(about: About, scores: Scores, scale: int) -> Iterator[dict[str, Any]]:
    for label, precision, recall in itertools.islice(about.precision_recall(scores), _MOST_CLASSES):
        kept = kept_points(np.asarray(precision))
        yield _curve(
            "precision_recall",
            f"Precision-recall curve{'' if label is None else f' of {label}'}",
            ("Recall", "Precision"),
            "steps",
            numbers(np.asarray(recall)[kept], scale),
            numbers(np.asarray(precision)[kept], scale),
            label=None if label is None else str(label),
            x_range=[0, scale],
            y_range=[0, scale],
        )


def _risk_coverage(scores: Scores) -> Iterator[dict[str, Any]]:
    for measure in curved_measures(scores):
        curve = risk_coverage_curve(scores, measure)
        kept = kept_points(curve.risks)
        x, y = numbers(curve.coverages[kept]), numbers(curve.risks[kept])
        title = f"Risk (1 - {measure}) by coverage"
        of_measure = {"measure": measure, "x_range": [0, 1], "y_range": [0, 1]}
        yield _curve("risk_coverage", title, ("Coverage", "Risk"), "line", x, y, **of_measure)


def _over_k(about: About, scores: Scores, measures: Sequence[str], scale: int) -> Iterator[dict[str, Any]]:
    stems: dict[str, list[int]] = {}
    for name in measures:
        stem, _, cut_off = name.partition("@")
        if cut_off.isdecimal() and name in scores.measures:
            stems.setdefault(stem, []).append(int(cut_off))
    for stem, cuts in stems.items():
        if len(cuts) < 2:
            continue
        names = [f"{stem}@{k}" for k in sorted(cuts)]
        values, title = scores.summary(names), measure_title(stem, about.titles)
        factor = scale if scores.measures[names[0]].is_rate else 1
        y = [finite(values[name], factor) for name in names]
        yield _curve("over_k", f"{title} by cut-off", ("k", title), "line", sorted(cuts), y, measure=stem)


def _first_ranks(about: About, scores: Scores) -> Iterator[dict[str, Any]]:
    """How often the first right item has each rank; queries without a right item do not count."""
    column = about.first_right_ranks(scores)
    if column is None or column.column not in scores.columns:
        return
    with np.errstate(divide="ignore"):
        ranks = np.round(1 / scores.columns[column.column])  # inf: not found
    if "no_relevant" in scores.subsets:
        ranks = np.where(scores.subsets["no_relevant"], np.nan, ranks)
    ranks = ranks[~np.isnan(ranks)]
    if not len(ranks):
        return
    places = np.searchsorted(list(_LAST_RANKS.values()), ranks[np.isfinite(ranks)])
    counts = np.bincount(places, minlength=1).tolist()
    labels = [*list(_LAST_RANKS)[: len(counts)], "not found"]
    counts.append(int(np.isinf(ranks).sum()))
    yield _curve("first_rank", column.title, (column.title, column.examples), "bars", labels, counts)


def _classes(about: About, scores: Scores) -> Iterator[dict[str, Any]]:
    values = about.class_values(scores)
    if not values:
        return
    labels = sorted(values, key=lambda label: -values[label].support)[:_MOST_CLASSES]
    yield _curve(
        "classes",
        "F1 of each class",
        ("Class", "F1"),
        "bars",
        [str(label) for label in labels],
        [finite(values[label].value) for label in labels],
        n=[round(values[label].support) for label in labels],
        y_range=[0, 1],
    )
