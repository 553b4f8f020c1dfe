"""The content of a comparison report: values of all systems, their differences, kinds of errors, and texts."""

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence

from ..core.columns import counted
from ..core.intervals import Interval
from ..core.scores import Scores
from ..files.labelling import slice_labels
from ..files.score_files import Scored
from ..registry import compared_measures
from ..stats.cautions import OF_FEW
from ..stats.compare import Comparison
from ..stats.corrections import CORRECTIONS
from ..stats.difference import ComparisonSettings, Difference, corrected_groups
from ..stats.paired_tests import PAIRED_TESTS
from ..stats.ranking import FEWEST_RANKED, MOST_SYSTEMS, Ranking
from .values import (
    FEW,
    in_order,
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


def count_kinds(kinds: Mapping[str, Sequence[str]], order: Sequence[str]) -> dict[str, dict[str, int]]:
    """System -> kind of error -> number of examples, for the kinds that occur.

    Args:
        kinds: system -> kind of each example.
        order: all kinds in order.
    """
    counts = {system: Counter(labels) for system, labels in kinds.items()}
    there = [kind for kind in order if any(count[kind] for count in counts.values())]
    return {system: {kind: count[kind] for kind in there} for system, count in counts.items()}


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
