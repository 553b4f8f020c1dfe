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
    runs = {name: of.each_run() if isinstance(of, Runs) else {"": of} for name, of in systems.items()}
    coded = iter(
        with_same_codes(
            {str(n): run for n, run in enumerate(run for of in runs.values() for run in of.values())}
        ).values()
    )
    runs = {name: {run: next(coded) for run in of} for name, of in runs.items()}
    size = math.lcm(*map(len, runs.values()))
    if size > _MOST_RUNS:
        numbers = ", ".join(f"{name} {len(of)}" for name, of in runs.items())
        raise ValueError(f"the systems have too different numbers of runs: {numbers}; give them the same number")
    lists = [list(of.values()) for of in runs.values()]
    layout, uneven = layout_of(lists, size), frozenset[str].union(*map(uneven_measures, lists))
    found = {}
    for name, scores in systems.items():
        found[name] = table_of(runs[name], scores.notes, layout, uneven)
        if isinstance(scores, Runs):
            found[name] = dataclasses.replace(
                found[name], notes_by_run=scores.notes_by_run, unmatched_ids=scores.unmatched_ids
            )
    return dict(found)


def _are_alike(systems: Mapping[str, Scores]) -> bool:
    first = next(iter(systems.values()))
    return all(
        isinstance(scores, Runs)
        and (scores.columns.keys(), scores.measures, scores.coded)
        == (first.columns.keys(), first.measures, first.coded)
        for scores in systems.values()
    )
