"""Gives systems with several runs the same columns, so that they can be compared."""

import dataclasses
import math
from collections.abc import Mapping

from ..core.align import with_same_codes
from ..core.scores import Scores
from .joined_runs import layout_of, table_of, uneven_measures
from .runs import Runs

_MOST_RUNS = 64  # largest number of copies of runs of a system


def with_same_columns(systems: Mapping[str, Scores]) -> dict[str, Scores]:
    """The systems with the same columns and measures, even if some have several runs; see `with_same_codes`.

    Systems with different numbers of runs get copies of their runs.

    Args:
        systems: with the same examples in the same order.

    Raises:
        ValueError: the least common multiple of the numbers of runs is too large.
    """
    if not any(isinstance(scores, Runs) for scores in systems.values()):
        return with_same_codes(systems)
    if _are_alike(systems):
        return dict(systems)
    runs = {name: own.each_run() if isinstance(own, Runs) else {"": own} for name, own in systems.items()}
    places = [(name, run) for name, own in runs.items() for run in own]
    numbered = with_same_codes({str(n): runs[name][run] for n, (name, run) in enumerate(places)})
    for (name, run), scores in zip(places, numbered.values(), strict=True):
        runs[name][run] = scores
    size = math.lcm(*map(len, runs.values()))
    if size > _MOST_RUNS:
        told = ", ".join(f"{name} {len(own)}" for name, own in runs.items())
        raise ValueError(f"the systems have too different numbers of runs: {told}; give them the same number")
    layout = layout_of([list(own.values()) for own in runs.values()], size)
    uneven = frozenset[str].union(*(uneven_measures(list(own.values())) for own in runs.values()))
    tables = {name: table_of(own, systems[name].notes, layout, uneven) for name, own in runs.items()}
    return {name: _with_notes_by_run(table, systems[name]) for name, table in tables.items()}


def _with_notes_by_run(table: Runs, scores: Scores) -> Runs:
    if not isinstance(scores, Runs):
        return table
    return dataclasses.replace(table, notes_by_run=scores.notes_by_run, unmatched_ids=scores.unmatched_ids)


def _are_alike(systems: Mapping[str, Scores]) -> bool:
    first, *others = systems.values()
    return all(
        isinstance(own, Runs)
        and (own.columns.keys(), own.measures, own.coded) == (first.columns.keys(), first.measures, first.coded)
        for own in [first, *others]
    )
