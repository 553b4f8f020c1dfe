"""The values of several systems over all examples, with intervals, counts and remarks."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..core.group_means import group_intervals, is_summed_by_group
from ..core.interval_settings import Intervals
from ..core.intervals import FEW_DEGREES, FEW_UNITS, FEW_VARY, Interval
from ..core.scores import Scores
from ..core.shown import first_names
from ..registry import family_of, usual_measures
from .remarks import note_lines, remarks_of_equal_runs
from .runs import OF_K, Runs, RunVariance, with_several_runs

FEW_RUNS = 5  # in simulations, intervals hold from this number of runs on; if runs do not differ, they are narrow
MOST_NAMED = 4  # measures in one line


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number: value (NaN without examples), its interval (None without one), and n, its number of examples."""

    value: float | int
    interval: Interval | None
    n: int
    is_rate: bool  # a rate is in 0..1, or 0..100 in a report of that scale; counts and thresholds are not
    n_groups: int | None = None  # the number of groups of examples behind it; None: examples are independent

    @property
    def method(self) -> str:
        """The method of its interval; "" without an interval."""
        return "" if self.interval is None else self.interval.method

    @property
    def is_few(self) -> bool:
        """Whether there are few examples or groups, or very unequal groups, or few of them vary; see `FEW_MEANS`."""
        in_few_groups = self.n_groups is not None and self.effective_groups < FEW_UNITS
        return self.n < FEW_UNITS or in_few_groups or self.few_vary

    @property
    def effective_groups(self) -> float:
        """The effective number of groups (Kish): groups of equal size that are as informative; all groups if unknown."""
        effective = None if self.interval is None else self.interval.effective
        return effective if effective is not None else self.n_groups or 0

    @property
    def few_vary(self) -> bool:
        """Whether its interval may be too narrow although it is based on more than `FEW_DEGREES` examples or groups."""
        units = self.n if self.n_groups is None else self.n_groups
        return units > FEW_DEGREES and self.interval is not None and self.interval.few_vary


Cells = dict[str, Cell]  # measure -> its number


@dataclasses.dataclass(frozen=True)
class Values:
    """The values of several systems, with notes and remarks.

    Attributes:
        systems: system -> measure -> number.
        notes: system -> name -> count; zeros are omitted.
        remarks: the notes, and the remarks on intervals and runs, in words.
        runs: system -> measure -> how much the runs differ, for systems with several runs.
        right_by: system -> the measure behind its pass@k and pass^k, if any.
    """

    systems: dict[str, Cells]
    notes: dict[str, dict[str, int]]
    remarks: list[str]
    runs: dict[str, dict[str, RunVariance]] = dataclasses.field(default_factory=dict)
    right_by: dict[str, str] = dataclasses.field(default_factory=dict)


def values_of(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None = None,
    intervals: Intervals = Intervals(),
    at_k: Mapping[str, Sequence[int]] = MappingProxyType({}),
) -> Values:
    """Compute the values of several systems, with intervals, notes and remarks.

    Args:
        systems: name -> scores of the same metric and options.
        measures: measures to show; `["all"]`: all measures; None: the usual measures.
        intervals: the settings of the intervals.
        at_k: method of `Runs`, such as "pass_at" -> numbers k, for systems with several runs.

    Raises:
        ValueError: a measure that the metric lacks with these options and files; systems with and without groups; pass@k
            without a system that has several runs.
    """
    _require_groups_of_all(systems)
    names = measures_of_systems(measures, systems, usual_measures)
    cells = {
        system: cells_of(scores, [name for name in names if name in scores.measures], intervals)
        for system, scores in systems.items()
    }
    with_runs = with_several_runs(systems)
    right_by: dict[str, str] = {}
    drawn = " and ".join(OF_K[name] for name, ks in at_k.items() if ks)
    if drawn:
        if not with_runs:
            raise ValueError("pass@k and pass^k require a system with several runs, such as NAME=run1.json,run2.json")
        right_by = {system: scores.right_or_wrong()[0] for system, scores in with_runs.items()}
        for system, scores in with_runs.items():
            for of in (getattr(scores, name)(ks) for name, ks in at_k.items() if ks):
                cells[system] |= cells_of(of, list(of.measures), intervals)
    return Values(
        cells,
        {system: family_of(scores).about.notes_of(scores) for system, scores in systems.items()},
        [
            *note_lines(systems),
            *_unlike(systems),
            *_remarks_of_runs(with_runs),
            *(f"{drawn}: an answer is right by {name}" for name in dict.fromkeys(right_by.values())),
            *_remarks_of_intervals(cells),
        ],
        {
            system: scores.variance(
                [name for name in cells[system] if _has_examples(scores, name)],
                n_resamples=intervals.n_resamples,
                seed=intervals.seed,
            )
            for system, scores in with_runs.items()
        },
        right_by,
    )


def _has_examples(scores: Scores, name: str) -> bool:
    return name in scores.measures and not scores.measures[name].is_empty(scores.rows)


def _remarks_of_runs(systems: Mapping[str, Runs]) -> list[str]:
    few = [f"{system} ({scores.n_runs})" for system, scores in systems.items() if scores.n_runs < FEW_RUNS]
    lines = [f"fewer than {FEW_RUNS} runs say little about other runs: {', '.join(few)}"] if few else []
    return [*lines, *remarks_of_equal_runs(systems)]


def _remarks_of_intervals(systems: Mapping[str, Cells]) -> list[str]:
    """Remarks on measures without an interval or with an interval that may be too narrow, a line per system."""
    lines = []
    for system, cells in systems.items():
        where = f"{system}: " if len(systems) > 1 else ""
        for in_groups in (False, True):
            few = [name for name, cell in cells.items() if cell.few_vary and (cell.n_groups is not None) == in_groups]
            what = "groups" if in_groups else "examples"
            its = "its" if len(few) == 1 else "their"
            of = f"{first_names(few, MOST_NAMED)}{f' of {system}' if len(systems) > 1 else ''}"
            lines += [f"{of}: {FEW_VARY.format(units=what, its=its)}"] if few else []
        equal = [name for name, cell in cells.items() if cell.interval and math.isnan(cell.interval[0])]
        lines += [f"{where}no interval, as all values are equal: {first_names(equal, MOST_NAMED)}"] if equal else []
    return lines


def _unlike(systems: Mapping[str, Scores]) -> list[str]:
    """Remarks on options that follow from the data and differ between systems, if a common table is still allowed."""
    first, *others = (scores.options for scores in systems.values())
    fields = [
        field
        for field in dataclasses.fields(first)
        if "unlike" in field.metadata and any(getattr(first, field.name) != getattr(of, field.name) for of in others)
    ]
    return [field.metadata["unlike"] for field in fields]


def _require_groups_of_all(systems: Mapping[str, Scores]) -> None:
    grouped = {name: scores.groups is not None for name, scores in systems.items()}
    if len(set(grouped.values())) > 1:
        one, other = (next(name for name in grouped if grouped[name] == having) for having in (True, False))
        raise ValueError(f"{one} has groups, but {other} has none; give groups to both: scores.with_groups(labels)")


def measures_of_systems(
    measures: Sequence[str] | None, systems: Mapping[str, Scores], default: Callable[[Scores], Sequence[str]]
) -> list[str]:
    """The requested measures, checked; "all" and the default measures (None) cover all systems.

    Raises:
        ValueError: a measure that no system has.
    """
    if measures is not None and "all" not in measures:
        there = dict.fromkeys(name for scores in systems.values() for name in scores.measures)
        first = next(iter(systems.values()))
        known = [[name] if name in there else first.measure_names([name]) for name in measures]
        return list(dict.fromkeys(name for names in known for name in names))
    of_systems = [
        [name for name in (default(scores) if measures is None else scores.measures) if name in scores.measures]
        for scores in systems.values()
    ]
    return max(of_systems, key=len) or list(next(iter(systems.values())).measures)  # only measures such as pass@1


def cells_of(scores: Scores, names: list[str], settings: Intervals) -> Cells:
    """Measure -> its value with its interval, for the measures that the scores have."""
    values, counts, groups = scores.summary(names), scores.counts(), _group_counts(scores, names)
    measured = [name for name in names if values[name] is not None]
    intervals = {} if settings.confidence is None else scores.intervals_by(settings, measured)
    return {
        name: Cell(
            math.nan if (value := values[name]) is None else value,
            intervals.get(name),
            counts[name],
            scores.measures[name].is_rate,
            groups.get(name),
        )
        for name in names
    }


def _group_counts(scores: Scores, names: Iterable[str]) -> dict[str, int]:
    """The number of groups of examples behind each measure; {} if examples are independent."""
    if scores.groups is None:
        return {}
    rows, groups = scores.rows, scores.groups
    counted_rows = {name: scores.measures[name].applies(rows) & (rows.weights > 0) for name in names}
    return {name: int(np.count_nonzero(np.bincount(groups.codes[of]))) for name, of in counted_rows.items()}


def cells_by_label(
    scores: Scores, codes: np.ndarray, n_labels: int, names: list[str], intervals: Intervals
) -> list[dict[str, Cell]]:
    """Measure -> value, for each label; {} for a label without examples.

    Args:
        codes: the label of each row, 0 to n_labels - 1.
    """
    at_once = intervals.method == "auto" and all(is_summed_by_group(scores, scores.measures[name]) for name in names)
    if not at_once:
        parts = scores.by(codes)
        return [cells_of(parts[label], names, intervals) if label in parts else {} for label in range(n_labels)]
    sizes = np.bincount(codes, minlength=n_labels).tolist()
    found: list[dict[str, Cell]] = [{} for _ in sizes]
    for name in names:
        measure = scores.measures[name]
        values = np.asarray(measure.by_example(scores.rows))
        cells = group_intervals(measure, values, codes, n_labels, intervals.confidence)
        for of_label, size, (value, n, interval) in zip(found, sizes, cells, strict=True):
            if size:
                of_label[name] = Cell(math.nan if value is None else value, interval if n else None, n, measure.is_rate)
    return found
