"""Curves of the result document: thresholds, reliability, precision and recall, values over k, ranks and classes."""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.measure_titles import measure_title
from ..core.scores import Scores
from ..core.selective import curved_measures, risk_coverage_curve
from .numbers import finite, kept_points, numbers

MOST_SYSTEMS = 20  # with curves
_MOST_CLASSES = 500
_LAST_RANKS = {"1": 1, "2": 2, "3": 3, "4-5": 5, "6-10": 10, "11-20": 20, "later": math.inf}  # label -> its last rank
_CUT_OFF = re.compile(r"^(?P<stem>[^@]+)@(?P<k>\d+)$")


def curves_of(about: Any, systems: Mapping[str, Scores], measures: Sequence[str], scale: int) -> list[dict[str, Any]]:
    """The curves of a part.

    Args:
        about: of the family.
        measures: the measures of the part.
        scale: of rates.
    """
    found: list[dict[str, Any]] = []
    for system, scores in list(systems.items())[:MOST_SYSTEMS]:
        if not scores.tells_examples or scores.n_runs > 1:
            continue
        for curve in (
            *_thresholds(about, scores, scale),
            *_reliability(about, scores),
            *_precision_recall(about, scores, scale),
            *_risk_coverage(scores),
            *_over_k(about, scores, measures, scale),
            *_first_ranks(about, scores),
            *_classes(about, scores),
        ):
            found.append({"system": system, **curve})
    return found


def _curve(
    name: str,
    title: str,
    x_title: str,
    y_title: str,
    draw: str,
    x: Any,
    y: Any,
    *,
    measure: str | None = None,
    label: Any = None,
    mark: Mapping[str, Any] | None = None,
    x_range: Sequence[float] | None = None,
    y_range: Sequence[float] | None = None,
    **more: Any,
) -> dict[str, Any]:
    return {
        "name": name,
        "measure": measure,
        "label": None if label is None else str(label),
        "title": title,
        "x_title": x_title,
        "y_title": y_title,
        "draw": draw,
        "x": list(x),
        "y": list(y),
        "mark": mark,
        "x_range": None if x_range is None else list(x_range),
        "y_range": None if y_range is None else list(y_range),
        **more,
    }


def _thresholds(about: Any, scores: Scores, scale: int) -> Iterator[dict[str, Any]]:
    withholding = about.answerability and about.answerability()
    if withholding is None or not withholding.has_no_answer_probabilities(scores):
        return
    for measure in withholding.swept_measures(scores):
        curve = withholding.threshold_curve(scores, measure)
        known = [threshold for threshold in curve.thresholds.tolist() if math.isfinite(threshold)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        limits = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)
        best, threshold = scores.summary([f"best_{measure}", f"best_{measure}_threshold"]).values()
        kept = kept_points(curve.values)
        x = [limits[0] if not math.isfinite(x) else x for x in curve.thresholds[kept].tolist()]
        mark = None
        if best is not None and threshold is not None:
            mark = {"x": max(float(threshold), limits[0]), "y": finite(best, scale), "title": "best"}
        title = measure_title(measure, about.titles)
        yield _curve(
            "threshold",
            f"{title} by no-answer threshold",
            "No-answer threshold",
            title,
            "steps",
            x,
            numbers(curve.values[kept], scale),
            measure=measure,
            mark=mark,
            x_range=limits,
            answered=numbers(curve.answered[kept]),
        )


def _reliability(about: Any, scores: Scores) -> Iterator[dict[str, Any]]:
    withholding = about.answerability and about.answerability()
    if withholding is None or not withholding.has_no_answer_probabilities(scores):
        return
    try:
        found = withholding.reliability(scores)
    except ValueError:  # probabilities outside 0 to 1
        return
    there = found.n > 0
    yield _curve(
        "reliability",
        "Reliability of no-answer probabilities",
        "Predicted probability",
        "Observed share without an answer",
        "points",
        numbers(found.predicted[there]),
        numbers(found.observed[there]),
        n=found.n[there].tolist(),
        x_range=(0, 1),
        y_range=(0, 1),
        error=finite(found.error),
    )


def _precision_recall(about: Any, scores: Scores, scale: int) -> Iterator[dict[str, Any]]:
    for label, precision, recall in itertools.islice(about.precision_recall(scores), _MOST_CLASSES):
        kept = kept_points(np.asarray(precision))
        yield _curve(
            "precision_recall",
            f"Precision-recall curve{'' if label is None else f' of {label}'}",
            "Recall",
            "Precision",
            "steps",
            numbers(np.asarray(recall)[kept], scale),
            numbers(np.asarray(precision)[kept], scale),
            label=label,
            x_range=(0, scale),
            y_range=(0, scale),
        )


def _risk_coverage(scores: Scores) -> Iterator[dict[str, Any]]:
    for measure in curved_measures(scores):
        curve = risk_coverage_curve(scores, measure)
        kept = kept_points(curve.risks)
        yield _curve(
            "risk_coverage",
            f"Risk (1 - {measure}) by coverage",
            "Coverage",
            "Risk",
            "line",
            numbers(curve.coverages[kept]),
            numbers(curve.risks[kept]),
            measure=measure,
            x_range=(0, 1),
            y_range=(0, 1),
        )


def _over_k(about: Any, scores: Scores, measures: Sequence[str], scale: int) -> Iterator[dict[str, Any]]:
    stems: dict[str, list[int]] = {}
    for name in measures:
        found = _CUT_OFF.match(name)
        if found and name in scores.measures:
            stems.setdefault(found["stem"], []).append(int(found["k"]))
    for stem, cuts in stems.items():
        ks = sorted(cuts)
        if len(ks) < 2:
            continue
        names = [f"{stem}@{k}" for k in ks]
        values = scores.summary(names)
        title = measure_title(stem, about.titles)
        factor = scale if scores.measures[names[0]].is_rate else 1
        yield _curve(
            "over_k",
            f"{title} by cut-off",
            "k",
            title,
            "line",
            ks,
            [finite(values[name], factor) for name in names],
            measure=stem,
        )


def _first_ranks(about: Any, scores: Scores) -> Iterator[dict[str, Any]]:
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
    yield _curve("first_rank", column.title, column.title, column.examples, "bars", labels, counts)


def _classes(about: Any, scores: Scores) -> Iterator[dict[str, Any]]:
    values = about.class_values(scores)
    if not values:
        return
    labels = sorted(values, key=lambda label: -values[label].support)[:_MOST_CLASSES]
    yield _curve(
        "classes",
        "F1 of each class",
        "Class",
        "F1",
        "bars",
        [str(label) for label in labels],
        [finite(values[label].value) for label in labels],
        n=[round(values[label].support) for label in labels],
        y_range=(0, 1),
    )
