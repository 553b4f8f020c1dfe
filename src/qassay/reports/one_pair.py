"""The part of a comparison about two systems, as winner minus loser."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..comparison.difference import Difference
from .comparison import Change, ComparisonReport
from .page_view import PageView, Pair

_Paired = TypeVar("_Paired", Difference, Change)


def compared_pairs(report: ComparisonReport) -> list[Pair]:
    """The compared pairs of systems, in order; each with the loser by its main measure first."""
    view = PageView(report)
    return [_loser_first([view.by_pair[pair][name] for name in view.main_measures(pair)]) for pair in view.pairs]


def _loser_first(differences: Sequence[Difference]) -> Pair:
    better = next((one.better for one in differences if one.better), None)
    first, second = differences[0].first, differences[0].second
    return (second, first) if better == first else (first, second)


def of_pair(report: ComparisonReport, pair: Pair) -> ComparisonReport:
    """The part of a comparison about two systems; a difference is the second minus the first.

    P-values remain corrected for all tests.

    Args:
        pair: two systems that were compared, in either order.
    """
    return dataclasses.replace(
        report,
        report=dataclasses.replace(
            report.report,
            systems={name: report.report.systems[name] for name in pair},
            notes={name: counts for name, counts in report.report.notes.items() if name in pair},
        ),
        differences=_about(report.differences, pair),
        slices={
            name: {label: _about(group, pair) for label, group in labels.items()}
            for name, labels in report.slices.items()
        },
        kinds={
            metric: {system: by_system[system] for system in pair if system in by_system}
            for metric, by_system in report.kinds.items()
        },
        changes=_about(report.changes, pair),
    )


def _about(items: Iterable[_Paired], pair: Pair) -> list[_Paired]:
    """The entries about the two systems, in their order."""
    return [
        one if (one.first, one.second) == pair else one.turned()
        for one in items
        if {one.first, one.second} == set(pair)
    ]
