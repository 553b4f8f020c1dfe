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
from .plain_data import finite, kept_points, numbers

MOST_SYSTEMS = 20  # with curves
_MOST_CLASSES = 500
_LAST_RANKS = {"1": 1, "2": 2, "3": 3, "4-5": 5, "6-10": 10, "11-20": 20, "later": math.inf}  # label -> its last rank
_SHARES = {"x_range": [0, 1], "y_range": [0, 1]}  # of axes


def curves_of(about: About, systems: Mapping[str, Scores], measures: Sequence[str], scale: int) -> list[dict[str, Any]]:
    """The curves of a part.

    Args:
        about: what is known of the metric.
        measures: the measures of the part.
        scale: of rates.
    """
    return [
        {"system": system, **curve}
        for system, scores in itertools.islice(systems.items(), MOST_SYSTEMS)
        if scores.rows_are_examples and scores.n_runs == 1
        for curve in (
            *_of_no_answer_probabilities(about, scores, scale),
            *_precision_recall(about, scores, scale),
            *_risk_coverage(scores),
            *_over_k(about, scores, measures, scale),
            *_first_ranks(about, scores),
            *_classes(about, scores),
        )
    ]


def _curve(name: str, title: str, axes: tuple[str, str], draw: str, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """One curve; further fields replace those that it does not have."""
    without = {"measure": None, "label": None, "mark": None, "x_range": None, "y_range": None}
    drawn = {"title": title, "x_title": axes[0], "y_title": axes[1], "draw": draw, "x": list(x), "y": list(y)}
    return {"name": name, **without, **drawn, **more}


def _of_no_answer_probabilities(about: About, scores: Scores, scale: int) -> Iterator[dict[str, Any]]:
    """Measures at every no-answer threshold, and how reliable the probabilities are."""
    withholding = about.answerability and about.answerability()
    if withholding is None or not withholding.has_no_answer_probabilities(scores):
        return
    for measure in withholding.swept_measures(scores):
        curve, title = withholding.threshold_curve(scores, measure), measure_title(measure, about.titles)
        known = curve.thresholds[np.isfinite(curve.thresholds)]
        low, high = float(known.min(initial=0.0)), float(known.max(initial=1.0))
        best, threshold = scores.summary([f"best_{measure}", f"best_{measure}_threshold"]).values()
        mark = None
        if best is not None and threshold is not None:
            mark = {"x": max(float(threshold), low), "y": finite(best, scale), "title": "best"}
        kept = kept_points(curve.values)
        x = np.where(np.isfinite(curve.thresholds), curve.thresholds, low)[kept].tolist()
        y, answered = numbers(curve.values[kept], scale), numbers(curve.answered[kept])
        axes, more = ("No-answer threshold", title), {"measure": measure, "mark": mark, "x_range": [low, high]}
        yield _curve("threshold", f"{title} by no-answer threshold", axes, "steps", x, y, answered=answered, **more)
    try:
        found = withholding.reliability(scores)
    except ValueError:  # probabilities outside 0 to 1
        return
    there = found.n > 0
    x, y = numbers(found.predicted[there]), numbers(found.observed[there])
    title, axes = (
        "Reliability of no-answer probabilities",
        ("Predicted probability", "Observed share without an answer"),
    )
    yield _curve(
        "reliability", title, axes, "points", x, y, n=found.n[there].tolist(), error=finite(found.error), **_SHARES
    )


def _precision_recall(about: About, scores: Scores, scale: int) -> Iterator[dict[str, Any]]:
    for label, precision, recall in itertools.islice(about.precision_recall(scores), _MOST_CLASSES):
        kept = kept_points(np.asarray(precision))
        x, y = (numbers(np.asarray(of)[kept], scale) for of in (recall, precision))
        title = f"Precision-recall curve{'' if label is None else f' of {label}'}"
        more = {"label": None if label is None else str(label), "x_range": [0, scale], "y_range": [0, scale]}
        yield _curve("precision_recall", title, ("Recall", "Precision"), "steps", x, y, **more)


def _risk_coverage(scores: Scores) -> Iterator[dict[str, Any]]:
    for measure in curved_measures(scores):
        curve = risk_coverage_curve(scores, measure)
        kept = kept_points(curve.risks)
        x, y = numbers(curve.coverages[kept]), numbers(curve.risks[kept])
        title = f"Risk (1 - {measure}) by coverage"
        yield _curve("risk_coverage", title, ("Coverage", "Risk"), "line", x, y, measure=measure, **_SHARES)


def _over_k(about: About, scores: Scores, measures: Sequence[str], scale: int) -> Iterator[dict[str, Any]]:
    stems: dict[str, list[int]] = {}
    for name in measures:
        stem, _, cutoff = name.partition("@")
        if cutoff.isdecimal() and name in scores.measures:
            stems.setdefault(stem, []).append(int(cutoff))
    for stem, cuts in stems.items():
        if len(cuts) < 2:
            continue
        names, title = [f"{stem}@{k}" for k in sorted(cuts)], measure_title(stem, about.titles)
        factor = scale if scores.measures[names[0]].is_rate else 1
        y = [finite(value, factor) for value in scores.summary(names).values()]
        yield _curve("over_k", f"{title} by cutoff", ("k", title), "line", sorted(cuts), y, measure=stem)


def _first_ranks(about: About, scores: Scores) -> Iterator[dict[str, Any]]:
    """How often the first right item has each rank; queries without a right item do not count."""
    column = about.first_right_ranks(scores)
    if column is None or column.column not in scores.columns:
        return
    counts = scores.columns[column.column]
    with np.errstate(divide="ignore"):
        ranks = np.round(1 / counts[~scores.subsets.get("no_relevant", np.zeros(len(scores), bool))])  # inf: not found
    ranks = ranks[~np.isnan(ranks)]
    if not len(ranks):
        return
    bins = np.searchsorted(list(_LAST_RANKS.values()), ranks[np.isfinite(ranks)])
    found = np.bincount(bins, minlength=1).tolist()
    labels, not_found = [*list(_LAST_RANKS)[: len(found)], "not found"], int(np.isinf(ranks).sum())
    axes = (column.title, column.examples)
    yield _curve("first_rank", column.title, axes, "bars", labels, [*found, not_found])


def _classes(about: About, scores: Scores) -> Iterator[dict[str, Any]]:
    classes = sorted(about.class_values(scores).items(), key=lambda of: -of[1].support)[:_MOST_CLASSES]
    if classes:
        y, n = [finite(of.value) for _, of in classes], [round(of.support) for _, of in classes]
        labels = [str(label) for label, _ in classes]
        yield _curve("classes", "F1 of each class", ("Class", "F1"), "bars", labels, y, n=n, y_range=[0, 1])
