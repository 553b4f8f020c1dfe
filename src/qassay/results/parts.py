"""Builds a part of the result document: the numbers of one metric, and its slicings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..catalog import measure_meaning
from ..core.about import About
from ..core.interval_settings import Intervals
from ..core.measure_titles import measure_title, part_of
from ..core.scores import Scores
from ..core.slices import in_order, slice_in_words
from ..files.scored import Scored
from ..files.slicing import labels_by_system
from ..registry import usual_measures
from ..stats.remarks import Remark
from ..stats.values import Cells, Values, cells_by_label
from .curves import curves_of
from .plain_data import finite
from .records import remark, value_records


class Part(NamedTuple):
    """A part of the document, with the scores and files behind it.

    Attributes:
        data: the plain data, without examples.
        scored: gold data and columns of the systems.
        systems: system -> the scores behind the numbers: aligned, and of several runs.
        ids: of the examples.
        indices: system -> the example index of each row of its scores.
        scale: the upper end of rates.
        remarks: on the values.
    """

    data: dict[str, Any]
    scored: Scored
    systems: Mapping[str, Scores]
    ids: list[Any]
    indices: Mapping[str, np.ndarray]
    scale: int
    remarks: list[dict[str, Any]]

    @property
    def about(self) -> About:
        """What is known of the metric."""
        return self.scored.family.about

    def by_example(self, system: str, of_rows: np.ndarray, absent: float) -> np.ndarray:
        """The number of each example, from that of each row of the scores of a system."""
        found = np.full(len(self.ids), absent, of_rows.dtype)
        found[self.indices[system]] = of_rows
        return found


def new_part(
    metric: Scored, systems: Mapping[str, Scores], values: Values, shown: Sequence[str] | None, scale: int
) -> Part:
    """A part without comparisons, ranks, slices and examples.

    Args:
        systems: system -> the scores behind the numbers.
        shown: the requested measures; None: the usual ones.
    """
    first, about, name = next(iter(systems.values())), metric.family.about, metric.family.name
    cells = {name: cell for of in values.systems.values() for name, cell in of.items()}
    main = about.main_measures(first)
    applying = [name for name in main if name in cells and cells[name].n] if shown is None or "all" in shown else []
    preset = getattr(first.options, "preset", None)
    data = {
        "metric": name,
        "signature": first.signature(),
        "preset": preset if isinstance(preset, str) else None,
        "n": max(scores.n_examples for scores in systems.values()),
        "n_groups": None if first.groups is None else len(np.unique(first.groups.codes)),
        "requested": shown is not None and "all" not in shown,
        "leads": next(iter([*applying, *cells]), None),
        "measures": _measures(metric, systems, cells, main, shown, scale),
        "values": value_records(values.systems, scale),
        "notes": {system: dict(notes) for system, notes in values.notes.items() if notes},
        "unmatched": {},
        "runs": _spreads(systems, values, scale),
        "right_by": dict(values.right_by),
        "kinds": _kinds(about, systems),
        "slices": [],
        "comparisons": [],
        "ranks": [],
        "curves": curves_of(about, systems, [*cells], scale),
    }
    ids = list(dict.fromkeys(identifier for scores in systems.values() for identifier in scores.ids))
    lines = list(values.remarks)
    for system, scores in metric.scores.items():
        lines += [Remark(line, code="input", system=system) for line in dict.fromkeys(scores.remarks)]
    indices = _indices_of(ids, metric.scores)
    remarks = [remark(line, name, metric.scores, indices) for line in lines]
    return Part(data, metric, systems, ids, _indices_of(ids, systems), scale, remarks)


def _indices_of(ids: Sequence[Any], systems: Mapping[str, Scores]) -> dict[str, np.ndarray]:
    """System -> the example index of each row of its scores, -1 for an example without one."""
    index_of = {identifier: index for index, identifier in enumerate(ids)}
    return {
        system: np.array([index_of.get(identifier, -1) for identifier in scores.ids], np.int64)
        for system, scores in systems.items()
    }


def _measures(
    metric: Scored,
    systems: Mapping[str, Scores],
    cells: Cells,
    main: Sequence[str],
    shown: Sequence[str] | None,
    scale: int,
) -> list[dict[str, Any]]:
    titles = metric.family.about.titles
    there = {name: measure for scores in [*systems.values()][::-1] for name, measure in scores.measures.items()}
    usual = {name for scores in systems.values() for name in usual_measures(scores)} if shown is None else {*cells}
    found = []
    for name, cell in cells.items():
        measure = there.get(name)  # pass@k has a cell alone
        bounds = (0.0, 1.0) if measure is None else measure.bounds or (None, None)
        low, high = (finite(bound, scale if cell.is_rate else 1) for bound in bounds)
        within, short = part_of(name, cells, titles)
        found.append(
            {
                "name": name,
                "title": measure_title(name, titles),
                "within": within,
                "short": short,
                "meaning": measure_meaning(metric.family.name, name),
                "low": low,
                "high": high,
                "is_rate": bool(cell.is_rate),
                "lower_is_better": bool(measure is not None and measure.lower_is_better),
                "shown": name in usual or measure is None,
                "main": name in main,
            }
        )
    return found


def _spreads(systems: Mapping[str, Scores], values: Values, scale: int) -> dict[str, Any]:
    """System -> measure -> how its runs differ."""
    found: dict[str, Any] = {}
    for system, variances in values.runs.items():
        found[system] = {}
        for name, variance in variances.items():
            factor = scale if systems[system].measures[name].is_rate else 1
            in_scale = {of: finite(getattr(variance, of), factor) for of in ("value", "deviation", "lowest", "highest")}
            shares = {of: finite(getattr(variance, of)) for of in ("always", "sometimes", "never")}
            of_variance = {of: finite(share) for of, share in variance.shares.items()}
            found[system][name] = {**in_scale, **shares, "shares": of_variance, "runs": systems[system].n_runs}
    return found


def _kinds(about: About, systems: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The kinds of errors that occur, and how often; None where a system has none."""
    counts: dict[str, Counter[str]] = {}
    for system, scores in systems.items():
        kinds = about.errors.of(scores)
        if kinds is None:
            return None
        counts[system] = Counter(kinds)
    there = [kind for kind in about.errors.order if any(of[kind] for of in counts.values())]
    return {
        "order": [
            {"name": kind, "meaning": about.errors.meanings[kind], "right": kind in about.errors.right}
            for kind in there
        ],
        "counts": {system: {kind: of[kind] for kind in there} for system, of in counts.items()},
    }


# --- slicings ---------------------------------------------------------------------------------------------------------


def usual_labels(
    metric: Scored, systems: Mapping[str, Scores], requested: Sequence[str]
) -> dict[str, dict[str, list[str]]]:
    """Usual slicing that is not requested -> labels by system, where the gold file has it and there are several groups."""
    first, about = next(iter(systems.values())), metric.family.about
    offered = {*first.subsets, *(about.slices(metric.gold, first) if metric.gold.columns else ())}
    found = {}
    for name in dict.fromkeys(("has_answer", *about.report_slices)):
        if name not in offered or name in requested:
            continue
        try:
            labels = labels_by_system(metric, systems, name)
        except ValueError:  # the gold file lacks it
            continue
        if len(set(next(iter(labels.values())))) > 1:
            found[name] = labels
    return found


def add_slicing(part: Part, name: str, labels: Mapping[str, Sequence[str]], is_requested: bool) -> dict[str, Any]:
    """Add a slicing without numbers to a part, and return it.

    Args:
        labels: system -> the label of each row of its scores.
    """
    order = in_order({label for of in labels.values() for label in of})
    number = {label: code for code, label in enumerate(order)}
    columns = {
        system: part.by_example(system, np.fromiter(map(number.__getitem__, of), np.int64, len(of)), -1)
        for system, of in labels.items()
    }
    common = np.maximum.reduce([*columns.values()])
    by_system = any(((column != common) & (column >= 0)).any() for column in columns.values())

    def sizes(column: np.ndarray) -> list[int]:
        return np.bincount(column[column >= 0], minlength=len(order)).tolist()  # type: ignore[no-any-return]

    slicing: dict[str, Any] = {
        "name": name,
        "requested": is_requested,
        "of_systems": by_system,
        "labels": order,
        "titles": [slice_in_words(name, label) for label in order],
        "n": {system: sizes(column) for system, column in columns.items()} if by_system else sizes(common),
        "codes": {system: of.tolist() for system, of in columns.items()} if by_system else common.tolist(),
        "repeats": [False] * len(order),
        "values": [{} for _ in order],
        "comparisons": [[] for _ in order],
        "ranks": [[] for _ in order],
    }
    part.data["slices"].append(slicing)
    return slicing


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
    part: Part, slicing: Mapping[str, Any], measures: Sequence[str], intervals: Intervals, omit_empty: bool = True
) -> list[dict[str, Any]]:
    """The values of each label: system -> measure -> value.

    Args:
        omit_empty: without measures that apply to no example of a label, which else have n = 0.
    """
    found: list[dict[str, Cells]] = [{} for _ in slicing["labels"]]
    for system, scores in part.systems.items():
        codes = slicing["codes"][system] if slicing["of_systems"] else slicing["codes"]
        names = [name for name in measures if name in scores.measures]
        of_rows = np.array(codes, np.int64)[part.indices[system]]
        for of_label, cells in zip(found, cells_by_label(scores, of_rows, len(found), names, intervals), strict=True):
            of_label[system] = {name: cell for name, cell in cells.items() if cell.n or not omit_empty}
    return [value_records(of_label, part.scale) for of_label in found]
