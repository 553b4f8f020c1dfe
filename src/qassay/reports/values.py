"""The content of a report: numbers of several systems over all examples and by slice, with intervals and counts."""

import dataclasses
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ..core.columns import counted
from ..core.interval_settings import Intervals
from ..core.intervals import FEW_DEGREES, FEW_UNITS, INTERVAL_WORDS, RESTS_ON_FEW
from ..core.measures import Measure, Scaled
from ..core.scores import Scores
from ..core.shown import first_names
from ..core.slices import in_order
from ..files.labelling import slice_labels, slice_remarks, slices_by_metric
from ..files.score_files import Scored
from ..registry import family_of, usual_measures
from ..stats.run_measures import MeanOverRuns
from ..stats.runs import Runs, RunVariance, remarks_of_equal_runs, right_or_wrong, with_several_runs

FEW_RUNS = 5  # in simulations intervals hold from this number of runs on, and are narrow if runs do not differ
FEW = FEW_UNITS  # slices with fewer examples are marked
FEW_MEANS = f"few: under {FEW} examples or groups, or an interval that rests on few"  # the meaning of the mark

MOST_NAMED = 4  # measures in one line

_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number: value (NaN without examples), ends of its interval (None without one), and n, its number of examples."""

    value: float | int
    interval: tuple[float, float] | None
    n: int
    is_rate: bool  # a rate is in 0..1, or 0..100 in a report of that scale; counts and thresholds are not
    n_groups: int | None = None  # the number of groups of examples behind it; None: examples are independent

    @property
    def is_few(self) -> bool:
        """Whether it or its interval rests on few examples, few groups, or very unequal groups; see `FEW_MEANS`."""
        in_few_groups = self.n_groups is not None and self.like_groups < FEW
        return self.n < FEW or in_few_groups or self.rests_on_few

    @property
    def like_groups(self) -> float:
        """The effective number of groups (Kish): as informative as so many of equal size; all groups if unknown."""
        effective = getattr(self.interval, "effective", None)
        return effective if effective is not None else self.n_groups or 0

    @property
    def rests_on_few(self) -> bool:
        """Whether its interval may be too narrow although it rests on more than `FEW_DEGREES` examples or groups."""
        units = self.n if self.n_groups is None else self.n_groups
        return units > FEW_DEGREES and getattr(self.interval, "rests_on_few", False)


Cells = dict[str, Cell]  # measure -> its number


def method_of(interval: Any) -> str:
    """The method of an interval; "" without an interval, and for a pair without a method."""
    method: str = getattr(interval, "method", "")
    return method


def words_of_method(interval: Any) -> str:
    """The method of an interval in words; "" also for an interval without examples."""
    method = method_of(interval)
    return "" if method in ("", "none") else INTERVAL_WORDS[method]


@dataclasses.dataclass(frozen=True)
class ValuesReport:
    """The numbers of a report.

    Attributes:
        signatures: metric -> signature of all systems.
        systems: system -> measure -> number.
        slices: slice name -> label -> system -> measure -> number.
        notes: system -> name -> count; zeros are omitted.
        remarks: the notes in words.
        scale: of the rates, 1 or 100.
        intervals: their settings; confidence is None without intervals.
        group_name: what the groups of examples are called; "" for groups without a name, and without groups.
        blocks: the first measure of each metric except the first.
        runs: system -> measure -> how its runs differ, for systems with several runs.
        n_runs: system -> number of runs.
        right_by: system -> the measure behind its pass@k and majority@k, if any.
    """

    signatures: dict[str, str]
    systems: dict[str, Cells]
    slices: dict[str, dict[str, dict[str, Cells]]]
    notes: dict[str, dict[str, int]]
    remarks: list[str]
    scale: int
    intervals: Intervals
    blocks: tuple[str, ...] = ()
    group_name: str = ""
    runs: dict[str, dict[str, RunVariance]] = dataclasses.field(default_factory=dict)
    n_runs: dict[str, int] = dataclasses.field(default_factory=dict)
    right_by: dict[str, str] = dataclasses.field(default_factory=dict)


def build_report(
    systems: Mapping[str, Scores],
    labels: Mapping[str, Mapping[str, Sequence[str]]],
    measures: Sequence[str] | None = None,
    intervals: Intervals = Intervals(),
    *,
    percent: bool = False,
    group_name: str = "",
    pass_at: Sequence[int] = (),
    majority_at: Sequence[int] = (),
) -> ValuesReport:
    """Compute the content of a report.

    Args:
        systems: name -> scores of the same metric and options.
        labels: slice name -> system -> one label per example of its scores.
        measures: measures to show; `["all"]`: all measures; None: the usual measures.
        intervals: their settings.
        percent: rates as 0..100 instead of 0..1.
        group_name: what the groups of the scores are called.
        pass_at, majority_at: k of pass@k and majority@k, for systems with several runs.

    Raises:
        ValueError: a measure that the metric lacks with these options and files; systems with different options; systems
            with and without groups; pass@k without a system that has several runs.
    """
    require_same_options(systems)
    _require_groups_of_all(systems)
    systems = in_scale(systems, percent)
    first = next(iter(systems.values()))
    family = family_of(first)
    shown = _all_or(measures, systems, usual_measures)
    in_slices = _all_or(measures, systems, family.telling.main_measures)
    sliced = {
        name: {system: systems[system].by(values) for system, values in by_system.items()}
        for name, by_system in labels.items()
    }
    jobs: list[tuple[Any, Scores, list[str]]] = [
        ((None, None, system), scores, shown) for system, scores in systems.items()
    ]
    for name, by_system in sliced.items():
        for label in in_order({label for parts in by_system.values() for label in parts}):
            jobs += [
                ((name, label, system), parts[label], in_slices)
                for system, parts in by_system.items()
                if label in parts
            ]
    cells: dict[str, Cells] = {}
    slices: dict[str, dict[str, dict[str, Cells]]] = {name: {} for name in labels}
    for (name, label, system), scores, names in progress(jobs, "intervals"):
        names = [measure for measure in names if measure in scores.measures]
        row = _cells(scores, names, intervals)
        if name is None:
            cells[system] = row
            continue
        if measures is None:  # omit default measures that apply to no example of the slice
            row = {measure: cell for measure, cell in row.items() if cell.n}
        if row:
            slices[name].setdefault(label, {})[system] = row
    with_runs = with_several_runs(systems)
    if (pass_at or majority_at) and not with_runs:
        raise ValueError("pass@k and majority@k need a system with several runs, such as model=run1.json,run2.json")
    drawn_of = with_runs if pass_at or majority_at else {}
    right_by = {system: right_or_wrong(scores)[0] for system, scores in drawn_of.items()}
    for system, scores in with_runs.items():
        drawn = [scores.pass_at(pass_at)] if pass_at else []
        drawn += [scores.majority_at(majority_at)] if majority_at else []
        for of in drawn:
            cells[system] |= _cells(in_scale({"": of}, percent)[""], list(of.measures), intervals)
    runs = {
        system: scores.variance(
            _measured(scores, [*cells[system]]), n_resamples=intervals.n_resamples, seed=intervals.seed
        )
        for system, scores in with_runs.items()
    }
    notes = {system: family.telling.notes_of(scores) for system, scores in systems.items()}
    return ValuesReport(
        {family.name: first.signature()},
        cells,
        slices,
        notes,
        [
            *remarks(systems),
            *_unlike(systems),
            *_remarks_of_runs(with_runs),
            *_drawn_of(right_by.values()),
            *remarks_of_intervals(cells),
        ],
        100 if percent else 1,
        intervals,
        group_name=group_name,
        runs=runs,
        n_runs={system: scores.n_runs for system, scores in with_runs.items()},
        right_by=right_by,
    )


def _remarks_of_runs(systems: Mapping[str, Scores]) -> list[str]:
    few = [f"{system} ({scores.n_runs})" for system, scores in systems.items() if scores.n_runs < FEW_RUNS]
    told = [f"fewer than {FEW_RUNS} runs say little about other runs: {', '.join(few)}"] if few else []
    return [*told, *remarks_of_equal_runs(systems)]


def _drawn_of(measures: Iterable[str]) -> list[str]:
    """A remark on the measure that decides whether an answer counts for pass@k and majority@k."""
    return [f"pass@k and majority@k: an answer is right by {name}" for name in dict.fromkeys(measures)]


def remarks_of_intervals(systems: Mapping[str, Cells]) -> list[str]:
    """Remarks on measures without an interval or with an interval that may be too narrow, a line per system."""
    lines = []
    for system, cells in systems.items():
        where = f"{system}: " if len(systems) > 1 else ""
        for in_groups in (False, True):
            few = [
                name for name, cell in cells.items() if cell.rests_on_few and (cell.n_groups is not None) == in_groups
            ]
            what = "groups" if in_groups else "examples"
            lines += [f"{where}{RESTS_ON_FEW.format(units=what)}: {first_names(few, MOST_NAMED)}"] if few else []
        equal = [name for name, cell in cells.items() if cell.interval and math.isnan(cell.interval[0])]
        lines += [f"{where}no interval, as all values are equal: {first_names(equal, MOST_NAMED)}"] if equal else []
    return lines


def _measured(scores: Scores, names: Sequence[str]) -> list[str]:
    """The measures with an example."""
    there = [name for name in names if name in scores.measures]
    return [name for name in there if not scores.measures[name].is_empty(scores.rows)]


def _unlike(systems: Mapping[str, Scores]) -> list[str]:
    """Remarks on options that data decided differently for some systems, if a common table is still allowed."""
    (_, first), *others = systems.items()
    fields = [
        field
        for field in dataclasses.fields(first.options)
        if "unlike" in field.metadata
        and any(getattr(first.options, field.name) != getattr(scores.options, field.name) for _, scores in others)
    ]
    return [field.metadata["unlike"] for field in fields]


def scored_report(
    scored: Sequence[Scored], by: Sequence[str], measures: Mapping[str, Sequence[str] | None], **settings: Any
) -> ValuesReport:
    """The numbers of several metrics of the same systems as one report.

    Args:
        by: names of slices; if a metric lacks one, that slice shows the other metrics, and a remark says so.
        measures: metric -> measures to show, as in `build_report`.
        settings: intervals, percent, group_name, pass_at and majority_at of `build_report`.
    """
    own, reports = slices_by_metric(scored, by), []
    for metric in scored:
        labels = {
            name: {system: slice_labels(metric.gold, scores, name) for system, scores in metric.scores.items()}
            for name in own[metric.family.name]
        }
        reports.append(build_report(metric.scores, labels, measures[metric.family.name], **settings))
    whole = merge_reports(reports)
    slices = {name: whole.slices[name] for name in by}
    return dataclasses.replace(whole, slices=slices, remarks=[*whole.remarks, *slice_remarks(own)])


def merge_reports(reports: Sequence[ValuesReport]) -> ValuesReport:
    """The numbers of several metrics of the same systems and examples as one report.

    A count that two metrics have appears once where it is equal; else that of the second gets the name METRIC_count.

    Raises:
        ValueError: two metrics have a measure of one name, with different values.
    """
    first, *others = reports
    for other in others:
        other = _apart(first, other)
        there = {name for cells in first.systems.values() for name in cells}
        new = next((name for cells in other.systems.values() for name in cells if name not in there), None)
        first = dataclasses.replace(
            first,
            blocks=first.blocks if new is None else (*first.blocks, new),
            signatures={**first.signatures, **other.signatures},
            systems=_joined(first.systems, other.systems),
            slices={
                name: _joined_labels(first.slices.get(name, {}), other.slices.get(name, {}))
                for name in dict.fromkeys([*first.slices, *other.slices])
            },
            notes=_joined(first.notes, other.notes),
            runs=_joined(first.runs, other.runs),
            right_by={**other.right_by, **first.right_by},
            remarks=list(dict.fromkeys([*first.remarks, *other.remarks])),
        )
    return first


def _apart(first: ValuesReport, other: ValuesReport) -> ValuesReport:
    """The second report with names of counts that cannot be taken for those of the first."""
    metric = next(iter(other.signatures))
    renamed = {}
    for system, cells in other.systems.items():
        for name, cell in cells.items():
            same_name = first.systems.get(system, {}).get(name)
            if same_name is None or same_name.n == cell.n and (same_name.value == cell.value or not cell.n):
                continue
            if cell.is_rate or same_name.is_rate:
                raise ValueError(
                    f"{metric} and {' and '.join(first.signatures)} have different values of the measure {name}; omit it from "
                    "measures, or score with one metric at a time"
                )
            renamed[name] = f"{metric}_{name}"
    for system, notes in other.notes.items():
        there = first.notes.get(system, {})
        renamed |= {name: f"{metric}_{name}" for name, count in notes.items() if there.get(name, count) != count}

    def with_names(entries: Mapping[str, Any]) -> dict[str, Any]:
        return {renamed.get(name, name): entry for name, entry in entries.items()}

    def by_system(systems: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        return {system: with_names(entries) for system, entries in systems.items()}

    if not renamed:
        return other
    return dataclasses.replace(
        other,
        systems=by_system(other.systems),
        slices={name: {label: by_system(of) for label, of in labels.items()} for name, labels in other.slices.items()},
        notes=by_system(other.notes),
    )


def _joined_labels(
    first: Mapping[str, dict[str, Cells]], second: Mapping[str, dict[str, Cells]]
) -> dict[str, dict[str, Cells]]:
    """Label -> system -> numbers, of two metrics."""
    return {label: _joined(first.get(label, {}), second.get(label, {})) for label in in_order({*first, *second})}


def _joined(first: Mapping[str, dict], second: Mapping[str, dict]) -> dict[str, dict]:
    """System -> name -> entry, from two metrics; the first metric takes precedence."""
    return {
        system: {
            **first.get(system, {}),
            **{k: v for k, v in second.get(system, {}).items() if k not in first.get(system, {})},
        }
        for system in dict.fromkeys([*first, *second])
    }


@dataclasses.dataclass(frozen=True)
class Note:
    """What a system lacks, or has too much.

    Attributes:
        system, name: of the system and of the note.
        count: how many.
        where, words, runs: the parts of its line: the system if there are several, the count in words, and the count by run.
    """

    system: str
    name: str
    count: int
    where: str
    words: str
    runs: str

    @property
    def line(self) -> str:
        """The note as a remark."""
        return f"{self.where}{self.words}{self.runs}"


def notes_in_words(systems: Mapping[str, Scores]) -> list[Note]:
    """The notes of all systems; a single system is not named."""
    found = []
    for system, scores in systems.items():
        telling = family_of(scores).telling
        words, where = telling.note_words(scores.options), f"{system}: " if len(systems) > 1 else ""
        found += [
            Note(system, name, count, where, counted(count, words.get(name, name)), _of_runs(scores, name))
            for name, count in telling.notes_of(scores).items()
        ]
    return found


def remarks(systems: Mapping[str, Scores]) -> list[str]:
    """The notes in words, a line per system and count, and one on weights."""
    weights = next((scores.weights for scores in systems.values() if scores.weights is not None), None)
    lines = [] if weights is None else [f"each example counts by its weight, {weights.min():g} to {weights.max():g}"]
    return [*lines, *(note.line for note in notes_in_words(systems))]


def _of_runs(scores: Scores, name: str) -> str:
    """The runs and examples of a count if they differ among runs; "" otherwise."""
    told = scores.by_run_text(name) if isinstance(scores, Runs) else ""
    return f" ({told})" if told else ""


def progress(items: Sequence[_T], what: str) -> Iterable[_T]:
    """The items, with a progress bar if stderr is a terminal and they take more than a second."""
    if len(items) < 2 or not sys.stderr.isatty():
        return items
    from tqdm import tqdm  # imported late: it takes as long as the rest of a short command

    return tqdm(items, desc=what, delay=1, leave=False)


def require_same_options(systems: Mapping[str, Scores]) -> None:
    """Refuse systems with equal signatures that were scored differently, for example if data decide an option."""
    (first, scores), *others = systems.items()
    for name, other in others:
        alike = isinstance(other.options, type(scores.options))
        fields = scores.options.differences(other.options) if alike else []
        if fields or not alike:
            deciding = [field for field in fields if "common" in field.metadata] or [f for f in fields if f.init]
            values = [field.metadata.get("common", getattr(scores.options, field.name)) for field in deciding]
            same = " ".join(
                f"{field.name}={getattr(value, 'name', value)}" for field, value in zip(deciding, values, strict=True)
            )
            advice = [f"score both with the option {same}"] if same else []
            advice += [field.metadata["advice"] for field in fields if "advice" in field.metadata]
            raise ValueError(
                f"{first} and {name} were scored differently and cannot share a table: {scores.signature()} "
                f"against {other.signature()}; {'; '.join(advice or ['report them apart'])}"
            )


def _require_groups_of_all(systems: Mapping[str, Scores]) -> None:
    grouped = {name: scores.groups is not None for name, scores in systems.items()}
    if len(set(grouped.values())) > 1:
        one, other = (next(name for name in grouped if grouped[name] == wanted) for wanted in (True, False))
        raise ValueError(f"{one} has groups, but not {other}; give them to both: scores.with_groups(labels)")


def _all_or(measures: Sequence[str] | None, systems: Mapping[str, Scores], default) -> list[str]:
    """The requested measures, checked; "all" and the usual measures cover all systems."""
    if measures is not None and "all" not in measures:
        there = dict.fromkeys(name for scores in systems.values() for name in scores.measures)
        first = next(iter(systems.values()))
        known = [[name] if name in there else first.measure_names([name]) for name in measures]
        return list(dict.fromkeys(name for names in known for name in names))
    pick = default if measures is None else lambda scores: scores.measures
    own: list[list[str]] = [[name for name in pick(scores) if name in scores.measures] for scores in systems.values()]
    longest = max(own, key=len)
    return longest or list(next(iter(systems.values())).measures)  # of measures such as pass@1


def _cells(scores: Scores, names: list[str], settings: Intervals) -> Cells:
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


def in_scale(systems: Mapping[str, Scores], percent: bool) -> dict[str, Scores]:
    """The systems with rates as they are, or as 0..100."""
    if not percent:
        return dict(systems)
    return {system: scores.with_measures(_in_per_cent(scores)) for system, scores in systems.items()}


def _in_per_cent(scores: Scores) -> dict[str, Measure]:
    return {name: _hundredfold(measure) if measure.is_rate else measure for name, measure in scores.measures.items()}


def _hundredfold(measure: Any) -> Measure:
    if isinstance(measure, MeanOverRuns):
        return dataclasses.replace(measure, measure=_hundredfold(measure.measure))
    if hasattr(measure, "scale"):  # it multiplies before it divides, as official scripts do, for equal last digits
        return dataclasses.replace(measure, scale=100.0)
    return Scaled(measure, 100.0)
