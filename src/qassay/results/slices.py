"""Slices of the result document: which example is in which group, and the values of all groups at once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.interval_settings import Intervals
from ..core.scores import Scores
from ..core.slices import in_order, slice_in_words
from ..files.score_files import Scored
from ..slicing import labels_by_system
from ..stats.values import cells_by_label
from .records import cell_columns, cell_record


class Slicing(NamedTuple):
    """A grouping of the examples.

    Attributes:
        data: the slicing as the document has it, without values.
        codes: system -> the group of each row of its scores, int64 (n,).
    """

    data: dict[str, Any]
    codes: dict[str, np.ndarray]

    @property
    def labels(self) -> list[str]:
        """The groups in natural order."""
        return self.data["labels"]  # type: ignore[no-any-return]


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
    name: str, labels: Mapping[str, Sequence[str]], places: Mapping[str, np.ndarray], n: int, is_requested: bool
) -> Slicing:
    """A slicing.

    Args:
        labels: system -> the label of each row of its scores.
        places: system -> the example index of each row of its scores.
        n: the number of examples.
    """
    lists = {id(of): of for of in labels.values()}  # systems mostly share one
    order = in_order({label for of in lists.values() for label in of})
    number = {label: code for code, label in enumerate(order)}
    coded = {key: np.fromiter(map(number.__getitem__, of), np.int64, len(of)) for key, of in lists.items()}
    codes = {system: coded[id(of)] for system, of in labels.items()}
    columns = {}
    for system, of_rows in codes.items():
        columns[system] = np.full(n, -1, np.int64)
        columns[system][places[system]] = of_rows
    common = np.maximum.reduce([*columns.values()])
    by_system = not all(((column == common) | (column < 0)).all() for column in columns.values())

    def sizes(column: np.ndarray) -> list[int]:
        return np.bincount(column[column >= 0], minlength=len(order)).tolist()  # type: ignore[no-any-return]

    data = {
        "name": name,
        "requested": is_requested,
        "of_systems": by_system,
        "labels": order,
        "titles": [slice_in_words(name, label) for label in order],
        "n": {system: sizes(column) for system, column in columns.items()} if by_system else sizes(common),
        "codes": {system: of.tolist() for system, of in columns.items()} if by_system else common.tolist(),
        "repeats": [False] * len(order),
        "values": {},
        "comparisons": [],
        "ranks": [],
    }
    return Slicing(data, codes)


def mark_repeats(slicings: Sequence[Mapping[str, Any]]) -> None:
    """Mark the groups of slicings that have the same examples as a group before them."""
    seen: set[bytes] = set()
    for slicing in slicings:
        if not slicing["of_systems"]:
            codes = np.array(slicing["codes"], np.int64)
            keys = [np.flatnonzero(codes == code).tobytes() for code in range(len(slicing["labels"]))]
            slicing["repeats"][:] = [key in seen for key in keys]
            seen |= {*keys}


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
        cells = cells_by_label(scores, slicing.codes[system], len(slicing.labels), names, intervals)
        if names:
            found[system] = {
                name: cell_columns(
                    [cell_record(of[name]) if of and (of[name].n or not omit_empty) else None for of in cells]
                )
                for name in names
            }
    return found
