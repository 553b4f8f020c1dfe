"""The content of a comparison report: values of all systems, their differences, kinds of errors, and texts."""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple, TypeVar

from ..core.align import align_scores
from ..core.columns import counted
from ..core.family_telling import Telling
from ..core.intervals import Interval
from ..core.rounding import ROUNDING
from ..core.scores import Scores
from ..core.slices import repeated_groups
from ..files.labelling import slice_labels, slice_remarks, slices_by_metric
from ..files.score_files import Scored
from ..registry import Family, compared_measures
from ..stats.cautions import OF_FEW
from ..stats.compare import Comparison, compare_scores
from ..stats.corrections import CORRECTIONS
from ..stats.difference import ComparisonSettings, Difference, corrected, corrected_groups
from ..stats.paired_tests import PAIRED_TESTS
from ..stats.ranking import FEWEST_RANKED, MOST_SYSTEMS, Ranking
from ..stats.remarks import SliceRemark
from ..stats.runs import with_several_runs
from ..stats.same_columns import with_same_columns
from .changes import Change as Change
from .changes import Disagreement as Disagreement
from .changes import change_of
from .values import (
    FEW,
    ValuesReport,
    build_report,
    in_order,
    in_scale,
    merge_reports,
    progress,
    remarks,
    require_same_options,
)

_Paired = TypeVar("_Paired", Difference, Change)


def by_pair(items: Iterable[_Paired]) -> dict[tuple[str, str], list[_Paired]]:
    """The differences, or changes, of each pair of systems."""
    groups: dict[tuple[str, str], list[_Paired]] = {}
    for item in items:
        groups.setdefault((item.first, item.second), []).append(item)
    return groups


@dataclasses.dataclass(frozen=True)
class ComparisonReport:
    """The content of a comparison report, for every output format.

    Attributes:
        report: values of all systems with intervals, over all examples and by slice; signatures, notes, remarks, scale and settings.
        differences: of all examples, one per pair of systems and measure.
        slices: slice -> label -> differences.
        kinds: metric -> system -> kind of error -> number of examples, best kind first; metrics without kinds of
            errors are absent.
        changes: of the main measure, one per pair of systems and metric.
        test, correction, n_permutations: how the p-values were made.
        gold: the name of the gold file.
        remarks: further remarks in words; remarks of `report` are not repeated.
        examples_name: what the examples are called, in the plural.
        rankings: of three or more systems by the main measures of each metric, the measure of its changes first. With the
            usual test and correction, the differences by these measures have the p-values of the ranking, so that all
            parts of a report agree.
        repeated_slices: slices and labels that have the same examples as an earlier one.
    """

    report: ValuesReport
    differences: list[Difference]
    slices: dict[str, dict[str, list[Difference]]]
    kinds: dict[str, dict[str, dict[str, int]]]
    changes: list[Change]
    test: str
    correction: str
    n_permutations: int
    gold: str
    command: str
    remarks: list[str]
    examples_name: str = "examples"
    rankings: Sequence[Ranking] = ()
    repeated_slices: Set[tuple[str, str]] = frozenset()


def build_comparison(
    compared: Sequence[Scored],
    by: Sequence[str] = (),
    measures: Mapping[str, Sequence[str] | None] | None = None,
    settings: ComparisonSettings = ComparisonSettings(),
    *,
    percent: bool = False,
    n_texts: int = 20,
    command: str = "",
    group_name: str = "",
) -> ComparisonReport:
    """Compute the content of a comparison report.

    Args:
        compared: one or more metrics of the same systems and examples.
        by: names of slices; if a metric lacks one, that slice shows the other metrics, and a remark says so.
        measures: metric -> measures to compare; `["all"]`: all measures with an interval; None: the usual measures.
        percent: rates as 0..100 instead of 0..1.
        n_texts: the maximum number of losses and of gains shown with texts.
        command: the command line that writes the report again.
        group_name: what the groups of the scores are called.

    Raises:
        ValueError: as `compare_scores`; no such slice, or a slice that depends on the answers of a system.
    """
    own = slices_by_metric(compared, by)
    results = [
        _compare_metric(scored, own[name], (measures or {}).get(name), settings, percent, group_name)
        for scored in compared
        for name in [scored.family.name]
    ]
    report = _assembled(compared, results, by, settings, n_texts, command)
    return dataclasses.replace(report, remarks=[*report.remarks, *_remarks_of_slices(own)])


def _remarks_of_slices(own: Mapping[str, Sequence[str]]) -> list[SliceRemark]:
    """Remarks on slices that some metrics lack."""
    return [
        SliceRemark(line, name)
        for name in dict.fromkeys(name for names in own.values() for name in names)
        for line in slice_remarks({metric: [name] if name in names else [] for metric, names in own.items()})
    ]


class _Compared(NamedTuple):
    """Systems compared by one metric: their values, the comparison, slicing -> the label of each example, and the main
    measures.
    """

    report: ValuesReport
    comparison: Comparison
    labels: Mapping[str, Sequence[str]]
    main: Sequence[str]


def _assembled(
    compared: Sequence[Scored],
    results: Sequence[_Compared],
    by: Sequence[str],
    settings: ComparisonSettings,
    n_texts: int,
    command: str,
) -> ComparisonReport:
    comparisons = [own.comparison for own in results]
    slices = {
        name: _joined_slices([comparison.slices.get(name, {}) for comparison in comparisons], settings) for name in by
    }
    kinds = {
        scored.family.name: _error_kinds(scored.family, comparison)
        for scored, comparison in zip(compared, comparisons, strict=True)
    }
    found = [
        [change_of(scored, own.comparison, pair, n_texts, own.labels) for pair in by_pair(own.comparison.differences)]
        for scored, own in zip(compared, results, strict=True)
    ]
    changes = [change for of_metric in found for change in of_metric if change]
    names = {scored.family.telling.examples_name for scored in compared}
    named = names.pop() if len(names) == 1 else Telling.examples_name
    lines = [line for comparison in comparisons for line in _remarks(comparison, named)]
    differences = [difference for comparison in comparisons for difference in comparison.differences]
    rankings = [
        ranking
        for own, changes_of_metric in zip(results, found, strict=True)
        for ranking in _rankings(own.comparison, [*(one.measure for one in changes_of_metric if one), *own.main])
    ]
    return ComparisonReport(
        merge_reports([own.report for own in results]),
        _none_of_nothing(_decided(corrected(differences, settings.correction), rankings, settings)),
        slices,
        {metric: counts for metric, counts in kinds.items() if counts},
        changes,
        settings.test,
        settings.correction,
        settings.n_permutations,
        compared[0].gold.name,
        command,
        list(dict.fromkeys([*lines, *_remarks_of_answers(changes, comparisons)])),
        named,
        rankings,
        repeated_groups({name: labels for own in results for name, labels in own.labels.items()}),
    )


def decided_differences(comparison: Comparison) -> list[Difference]:
    """The differences of a comparison with the verdicts of its report."""
    rankings = _rankings(comparison, compared_measures(comparison.systems)[1])
    return _decided(comparison.differences, rankings, comparison.settings)


def _rankings(comparison: Comparison, main: Sequence[str]) -> list[Ranking]:
    """The rankings of three or more systems by the main measures that were compared, else by the first one."""
    if not FEWEST_RANKED <= len(comparison.systems) <= MOST_SYSTEMS:
        return []
    names = dict.fromkeys(difference.measure for difference in comparison.differences)
    return [comparison.ranking(name) for name in dict.fromkeys(main) if name in names] or [comparison.ranking()]


def _decided(
    differences: Sequence[Difference], rankings: Sequence[Ranking], settings: ComparisonSettings
) -> list[Difference]:
    """The differences, by the measures of the rankings with the p of the ranking; unchanged if another test or correction was
    chosen.
    """
    if (settings.test, settings.correction) != (PAIRED_TESTS[0], CORRECTIONS[0]):
        return list(differences)
    ranked = {ranking.measure: ranking for ranking in rankings}
    return [ranked[one.measure].decided(one) if one.measure in ranked else one for one in differences]


def _compare_metric(
    scored: Scored,
    by: Sequence[str],
    measures: Sequence[str] | None,
    settings: ComparisonSettings,
    percent: bool,
    group_name: str,
) -> _Compared:
    require_same_options(scored.scores)
    aligned, unmatched = align_scores(scored.scores)
    plain = with_same_columns(aligned)
    systems = in_scale(plain, percent)
    usual, main = compared_measures(systems)
    asked: list[str] | None = usual
    if measures is not None and "all" in measures:
        asked = None
    elif measures is not None:
        asked = main = list(measures)
    labels = {name: labels_of_all(scored, plain, name) for name in by}
    comparison = compare_scores(
        systems,
        asked,
        labels,
        settings,
        slice_measures=None if asked is None else main,
        progress=lambda jobs: progress(jobs, "comparing"),
    )
    shown = list(dict.fromkeys(difference.measure for difference in comparison.differences))
    report = build_report(
        plain,
        {},
        shown,
        percent=percent,
        group_name=group_name,
        intervals=settings.intervals,
    )
    if any(unmatched.values()):  # counts over all examples are still reported
        notes = {system: scored.family.telling.notes_of(scores) for system, scores in scored.scores.items()}
        report = dataclasses.replace(report, notes=notes, remarks=remarks(scored.scores))
    return _Compared(report, dataclasses.replace(comparison, unmatched=unmatched), labels, main)


def labels_of_all(scored: Scored, systems: Mapping[str, Scores], name: str) -> list[str]:
    """The labels of a slicing, one per example; they must be equal for all systems."""
    labels = {system: slice_labels(scored.gold, scores, name) for system, scores in systems.items()}
    (first, first_labels), *others = labels.items()
    for system, other_labels in others:
        if first_labels != other_labels:
            row = next(
                row for row, pair in enumerate(zip(first_labels, other_labels, strict=True)) if pair[0] != pair[1]
            )
            raise ValueError(
                f"slice {name!r} depends on what a system answers (example {systems[first].ids[row]!r} is "
                f"{first_labels[row]!r} with {first} and {other_labels[row]!r} with {system}); compare by "
                "slices of the examples themselves"
            )
    return first_labels


def _joined_slices(
    slices: Sequence[Mapping[str, list[Difference]]], settings: ComparisonSettings
) -> dict[str, list[Difference]]:
    """One slicing of several metrics, corrected together, with labels in natural order."""
    joined = {
        label: [difference for labels in slices for difference in labels.get(label, [])]
        for label in in_order({label for labels in slices for label in labels})
    }
    groups = corrected_groups(joined, settings.correction)
    return {label: _none_of_nothing(differences) for label, differences in groups.items()}


def _none_of_nothing(differences: Sequence[Difference]) -> list[Difference]:
    """The differences, with NaN for numbers without an example."""
    nothing = Interval(math.nan, math.nan, "none")
    return [
        difference
        if difference.p_value is not None
        else dataclasses.replace(
            difference,
            values=(math.nan, math.nan),
            intervals=(nothing, nothing),
            difference=math.nan,
            interval=nothing,
            p_value=math.nan,
            p_adjusted=math.nan,
        )
        for difference in differences
    ]


def rests_on_few(difference: Difference) -> bool:
    """Whether a difference or its interval rests on few examples or groups; see `FEW_MEANS`."""
    in_few_groups = difference.n_groups is not None and difference.n_groups < FEW
    return difference.n < FEW or in_few_groups or any(code in OF_FEW for code in difference.cautions)


def _error_kinds(family: Family, comparison: Comparison) -> dict[str, dict[str, int]]:
    """System -> kind of error -> number of examples; empty if the family has no kinds."""
    kinds: dict[str, Any] = {system: family.telling.errors.of(scores) for system, scores in comparison.systems.items()}
    if any(labels is None for labels in kinds.values()):
        return {}
    return count_kinds(kinds, family.telling.errors.order)


def count_kinds(kinds: Mapping[str, Sequence[str]], order: Sequence[str]) -> dict[str, dict[str, int]]:
    """System -> kind of error -> number of examples, for the kinds that occur.

    Args:
        kinds: system -> kind of each example.
        order: all kinds in order.
    """
    counts = {system: Counter(labels) for system, labels in kinds.items()}
    there = [kind for kind in order if any(count[kind] for count in counts.values())]
    return {system: {kind: count[kind] for kind in there} for system, count in counts.items()}


class RemarkOnTexts(str):
    """A remark about the texts of examples, for reports that show some."""


def _remarks_of_answers(changes: Sequence[Change], comparisons: Sequence[Comparison]) -> Iterator[RemarkOnTexts]:
    """Remarks on the order in which examples show the answers of several runs."""
    shown = {system for change in changes if change.losses or change.gains for system in (change.first, change.second)}
    for comparison in comparisons:
        for system, scores in with_several_runs(comparison.systems).items():
            if system in shown:
                runs = ", ".join(scores.run_names)
                yield RemarkOnTexts(f"examples show the answers of {system} in the order of its runs: {runs}")


def _remarks(comparison: Comparison, examples_name: str) -> list[str]:
    lines = [
        f"{system}: {counted(count, examples_name)} omitted because another system lacks them"
        for system, count in comparison.unmatched.items()
        if count
    ]
    groups: dict[tuple[int, str, str], list[str]] = {}
    for difference in comparison.differences:
        if difference.left_out:
            groups.setdefault((difference.left_out, difference.first, difference.second), []).append(difference.measure)
    lines += [
        f"{counted(count, examples_name)} omitted from the differences of {', '.join(measures)}, which apply to them with "
        f"only one of {first} and {second}"
        for (count, first, second), measures in groups.items()
    ]
    return [*lines, *comparison.remarks]


OF_RANKS = "all pairs of systems together, step by step, as for the ranks"  # the correction of the ranks, in words
_TESTS = {
    "t": "Student's t test",
    "t over runs": "Student's t test over questions and runs",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "mcnemar": "McNemar's exact test",
}


def is_least(report: ComparisonReport, difference: Difference) -> bool:
    """Whether the test could find no smaller corrected p, as `Difference.is_least`."""
    if difference.ranked:
        return difference.p_adjusted * (report.n_permutations + 1) < 1 + ROUNDING
    return difference.is_least(report.n_permutations, report.report.intervals.n_resamples)


def usual_slices(compared: Sequence[Scored]) -> list[str]:
    """The default slices of a report: slices of the gold file that depend on the examples alone."""
    names: dict[str, None] = {}
    for scored in compared:
        (first, *_) = scored.scores.values()
        there = scored.family.telling.slices(scored.gold, first)
        subsets = {name for name in ("has_answer",) if name in first.subsets}
        names |= {name: None for name in scored.family.telling.report_slices if name in there or name in subsets}
    return [name for name in names if all(_is_sliced(scored, name) for scored in compared)]


def _is_sliced(scored: Scored, name: str) -> bool:
    """Whether the examples of a metric have this slicing with more than one label."""
    (first, *_) = scored.scores.values()
    try:
        return len(set(slice_labels(scored.gold, first, name))) > 1
    except ValueError:
        return False
