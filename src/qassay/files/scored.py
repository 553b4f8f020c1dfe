"""What was scored: a metric, its gold file and its systems, with the runs of a system joined."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.file_columns import Gold
from ..core.scores import Scores
from ..registry import Family
from ..stats.runs import put_together
from .tables import Names


class System(NamedTuple):
    """A system: its scores, its name (from the content of its file, or the file name), its scored columns, the path of its
    file, and for a table role -> column. With several runs, `scores` cover all runs, `runs` has each run as a system, and
    the other fields describe the first run.
    """

    scores: Scores
    tag: str
    columns: Mapping[str, Any]
    path: str = ""
    names: Names = {}
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
        raise ValueError(f"{name}: {str(error).partition('; give the missing')[0]}") from error
    return first._replace(scores=scores, tag=name, runs=runs)
