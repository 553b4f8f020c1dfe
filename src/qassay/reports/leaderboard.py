"""The content of a leaderboard for every output format: rankings of systems with names, links and facts."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..stats.leaderboard import Leaderboard


@dataclasses.dataclass(frozen=True)
class BoardEntry:
    """A system of a leaderboard.

    Attributes:
        system: its key in the `Leaderboard`.
        name: the displayed name; the key by default.
        link: http or https address of its page, or None.
        facts: further columns of the table, such as team or date, name -> text.
        notes: counts from scoring, such as missing predictions.
        official: the numbers of the task's official program, with its names, order and digits; {} if not requested.
    """

    system: str
    name: str
    link: str | None = None
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    official: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class BoardReport:
    """The content of a leaderboard, for every output format.

    Attributes:
        title, description: of the task, or "".
        board: the rankings; their names of systems are keys of `entries`.
        entries: system -> its entry, in the order of the first ranking.
        command: the command line that writes the page again.
        percent: rates are shown as 0..100 instead of 0..1 (values in `board` do not change).
    """

    title: str
    description: str
    board: Leaderboard
    entries: Mapping[str, BoardEntry]
    command: str = ""
    percent: bool = False


def board_report(board: Leaderboard, said: Mapping[str, Mapping[str, Any]] | None = None, **about: Any) -> BoardReport:
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
    return BoardReport(**{"title": "", "description": "", **about}, board=board, entries=entries)
