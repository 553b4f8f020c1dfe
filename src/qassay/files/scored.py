"""What was scored: a metric, its gold file and its systems, with the runs of a system joined."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.columns import ColumnRows, is_table, table_columns, to_list
from ..core.file_columns import Gold
from ..core.ids import comparable_ids
from ..core.intake import field_of, rows_of_dicts
from ..core.scores import Scores
from ..registry import Family
from ..stats.joined_runs import put_together
from .tables import Names


class System(NamedTuple):
    """A system: its scores, its name (from the content of its file, or the file name), its scored columns, the path of its
    file, and for a table role -> the requested column and the column used. With several runs, `scores` cover all runs,
    `runs` has each run as a system, and the other fields describe the first run.
    """

    scores: Scores
    tag: str
    columns: Mapping[str, Any]
    path: str = ""
    names: Names = {}
    picked: Names = {}
    runs: Mapping[str, Any] = {}  # name of a run -> its System


class Scored(NamedTuple):
    """The result of one metric: the gold file as the metric reads it, and the scored systems."""

    family: Family
    gold: Gold
    systems: Mapping[str, System]

    @property
    def scores(self) -> dict[str, Scores]:
        """System -> its scores."""
        return {name: system.scores for name, system in self.systems.items()}

    def by_run(self) -> "Scored":
        """The same with each run as a separate system."""
        systems = {
            (f"{name} ({run})" if run else name): of
            for name, system in self.systems.items()
            for run, of in (system.runs or {"": system}).items()
        }
        return self._replace(systems=systems)


def join_runs(name: str, runs: Mapping[str, System]) -> System:
    """A system with its runs joined; a single run as it is."""
    first = next(iter(runs.values()))
    if [*runs] == [""]:
        return first
    try:
        scores = put_together({run: system.scores for run, system in runs.items()})
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).partition('; common=True')[0]}") from error
    unmatched = {run: ids for run, system in runs.items() if (ids := _unmatched_ids(system))}
    return first._replace(scores=dataclasses.replace(scores, unmatched_ids=unmatched), tag=name, runs=runs)


def _unmatched_ids(system: System) -> list[Any]:
    """The ids of the predictions that the note `unmatched` counts; [] if the rows have another number of them."""
    rows = system.columns.get("predictions")
    if not system.scores.notes.get("unmatched", 0) or rows is None:
        return []
    if is_table(rows):
        columns = table_columns(rows)
        given: Any = next((columns[name] for name in ("id", "query") if name in columns), [])
    else:
        given = (
            field_of(rows, "id", "predictions")
            if isinstance(rows, (list, ColumnRows)) and rows_of_dicts(rows, "predictions")
            else []
        )
    ids, scored = comparable_ids(to_list(given or [], "ids"), system.scores.ids)
    there = set(scored)
    found = [identifier for identifier in dict.fromkeys(ids) if identifier not in there]
    return found if len(found) == system.scores.notes["unmatched"] else []
