"""What a leaderboard shows: the rankings of many systems with names, links and facts of each, for every output format."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..comparison.leaderboard import Leaderboard


@dataclasses.dataclass(frozen=True)
class BoardEntry:
    """A system of a leaderboard.

    Attributes:
        system: its key in the `Leaderboard`.
        name: what readers see; the key where nothing else is given.
        link: http or https address of its page; None without one.
        facts: more about it, such as team or date, name -> text; columns of the table.
        notes: what was counted when it was scored, such as missing predictions.
        official: the numbers of the task's official program, by its names in its order, each as that prints it; {} where
            none were asked for.
    """

    system: str
    name: str
    link: str | None = None
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    official: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class BoardReport:
    """Everything that the renderings of a leaderboard show.

    Attributes:
        title, description: of the task; "" without.
        board: the rankings; names of systems there are keys of `entries`.
        entries: system -> what is said of it, in the order of the first ranking.
        metric: its name; gold: the name of the gold file; command: the command line that makes the page again.
        percent: rates are shown as 0..100 instead of 0..1 (values in `board` are as they were scored).
        examples_name: what the examples are called, in the plural.
    """

    title: str
    description: str
    board: Leaderboard
    entries: Mapping[str, BoardEntry]
    metric: str
    gold: str = ""
    command: str = ""
    percent: bool = False
    examples_name: str = "examples"

    @property
    def fact_names(self) -> list[str]:
        """The facts that any system has, in the order in which they come up."""
        return list(dict.fromkeys(name for entry in self.entries.values() for name in entry.facts))

    @property
    def official_names(self) -> list[str]:
        """The official numbers that any system has, in the order in which they come up."""
        return list(dict.fromkeys(name for entry in self.entries.values() for name in entry.official))


def board_report(
    board: Leaderboard, metric: str, said: Mapping[str, Mapping[str, Any]] | None = None, **about: Any
) -> BoardReport:
    """A report of a leaderboard.

    Args:
        said: system -> fields of its `BoardEntry`.
        about: further fields of the report.
    """
    entries = {
        name: BoardEntry(
            system=name,
            **{"name": name, "notes": dict(board.systems[name].notes), **((said or {}).get(name, {}))},
        )
        for name in board.names
    }
    return BoardReport(**{"title": "", "description": "", **about}, board=board, entries=entries, metric=metric)
