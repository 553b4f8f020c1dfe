"""Slices of the result document: which example is in which group, and the values of all groups at once."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.group_means import group_intervals, is_summed_by_group
from ..core.interval_settings import Intervals
from ..core.scores import Scores
from ..core.slices import in_order, slice_in_words
from ..files.score_files import Scored
from ..slicing import labels_by_system
from .numbers import finite
from .values import Cell, cells_of

_FIELDS = ("value", "n", "low", "high", "method", "few")


@dataclasses.dataclass(frozen=True)
class Slicing:
    """A grouping of the examples.

    Attributes:
        labels: the groups in natural order.
        codes: system -> the group of each row of its scores.
        of_examples: the group of each example, or system -> it where groups depend on the system.
    """

    name: str
    labels: list[str]
    codes: Mapping[str, np.ndarray]
    of_examples: Any
    of_systems: bool
    is_requested: bool

    def plain(self) -> dict[str, Any]:
        """The slicing without values."""

        def sizes(codes: Sequence[int]) -> list[int]:
            own = np.asarray(codes)
            return np.bincount(own[own >= 0], minlength=len(self.labels)).tolist()  # type: ignore[no-any-return]

        by_system = self.of_systems
        return {
            "name": self.name,
            "requested": self.is_requested,
            "of_systems": by_system,
            "labels": self.labels,
            "titles": [slice_in_words(self.name, label) for label in self.labels],
            "n": {system: sizes(of) for system, of in self.of_examples.items()}
            if by_system
            else sizes(self.of_examples),
            "codes": self.of_examples,
            "repeats": [],
            "values": {},
            "comparisons": [],
            "ranks": [],
        }


def usual_labels(
    metric: Scored, systems: Mapping[str, Scores], requested: Sequence[str]
) -> dict[str, dict[str, list[str]]]:
    """Usual slicing of the metric -> labels by system, where the gold file tells them and there are several groups."""
    first = next(iter(systems.values()))
    there = metric.family.about.slices(metric.gold, first) if metric.gold.columns else {}
    names = [name for name in metric.family.about.report_slices if name in there]
    names += [name for name in ("has_answer",) if name in first.subsets and name not in names]
    found = {}
    for name in sorted(names, key=lambda name: name != "has_answer"):
        if name in requested:
            continue
        try:
            labels = labels_by_system(metric, systems, name)
        except ValueError:  # the gold file lacks it
            continue
        one, *others = labels.values()
        if len(set(one)) > 1 and all(other is one or _agree(systems, labels) for other in others):
            found[name] = labels
    return found


def _agree(systems: Mapping[str, Scores], labels: Mapping[str, Sequence[str]]) -> bool:
    """Whether systems have the same label for the same example."""
    found: dict[Any, str] = {}
    return all(
        found.setdefault(identifier, label) == label
        for system, scores in systems.items()
        for identifier, label in zip(scores.ids, labels[system], strict=True)
    )


def slicing_of(
    name: str,
    labels: Sequence[str] | Mapping[str, Sequence[str]],
    places: Mapping[str, np.ndarray],
    n: int,
    is_requested: bool,
) -> Slicing:
    """A slicing from the label of each row of the scores: of all systems, or system -> labels.

    Args:
        places: system -> the example index of each row of its scores.
        n: the number of examples.
    """
    by_system = labels if isinstance(labels, Mapping) else dict.fromkeys(places, labels)
    order = in_order({label for of in by_system.values() for label in of})
    number = {label: place for place, label in enumerate(order)}
    codes: dict[str, np.ndarray] = {}
    known: dict[int, np.ndarray] = {}
    for system, own in by_system.items():
        if id(own) not in known:
            known[id(own)] = np.fromiter(map(number.__getitem__, own), np.int64, len(own))
        codes[system] = known[id(own)]
    of_examples = {system: np.full(n, -1, np.int64) for system in codes}
    for system, placed in of_examples.items():
        placed[places[system]] = codes[system]
    first, *others = of_examples.values()
    alike = all(((other == first) | (other < 0) | (first < 0)).all() for other in others)
    if alike:
        for other in others:
            first = np.where(first < 0, other, first)
        return Slicing(name, order, codes, first.tolist(), False, is_requested)
    listed = {system: own.tolist() for system, own in of_examples.items()}
    return Slicing(name, order, codes, listed, True, is_requested)


def values_by_label(
    systems: Mapping[str, Scores],
    slicing: Slicing,
    measures: Sequence[str],
    intervals: Intervals,
    omit_empty: bool,
) -> dict[str, Any]:
    """System -> measure -> columns by label.

    Args:
        omit_empty: leave out measures that apply to no example of a label: n is None there.
    """
    found: dict[str, Any] = {}
    for system, scores in systems.items():
        names = [name for name in measures if name in scores.measures]
        cells = _cells_by_label(scores, slicing.codes[system], len(slicing.labels), names, intervals)
        for name in names:
            found.setdefault(system, {})[name] = _columns(
                [of[name] if of and (of[name].n or not omit_empty) else None for of in cells]
            )
    return found


def _cells_by_label(
    scores: Scores, codes: np.ndarray, n_labels: int, names: list[str], intervals: Intervals
) -> list[dict[str, Cell] | None]:
    """The values of each label; None for a label without examples."""
    at_once = intervals.method == "auto" and all(is_summed_by_group(scores, scores.measures[name]) for name in names)
    if not at_once:
        parts = scores.by(codes)
        return [cells_of(parts[label], names, intervals) if label in parts else None for label in range(n_labels)]
    sizes = np.bincount(codes, minlength=n_labels).tolist()
    found: list[dict[str, Cell] | None] = [{} if size else None for size in sizes]
    for name in names:
        measure = scores.measures[name]
        values = np.asarray(measure.by_example(scores.rows))
        cells = group_intervals(measure, values, codes, n_labels, intervals.confidence)
        for of_label, (value, n, interval) in zip(found, cells, strict=True):
            if of_label is not None:
                of_label[name] = Cell(math.nan if value is None else value, interval if n else None, n, measure.is_rate)
    return found


def _columns(cells: Sequence[Cell | None]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    groups = []
    for cell in cells:
        low, high = (None, None) if cell is None or cell.interval is None else map(finite, cell.interval)
        row = (
            (None, None, None, None, None, False)
            if cell is None
            else (finite(cell.value), cell.n, low, high, cell.method, bool(cell.is_few))
        )
        for name, value in zip(_FIELDS, row, strict=True):
            columns[name].append(value)
        groups.append(None if cell is None else cell.n_groups)
    if any(n is not None for n in groups):
        columns["n_groups"] = groups
    return columns
