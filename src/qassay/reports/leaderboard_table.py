"""The table of a leaderboard as HTML: ranks, values with interval bars and letters, and how often a system is best."""

import math
import re
from collections.abc import Callable, Sequence

from ..comparison.ranking import RankedSystem, Ranking
from ..core.shown import visible
from .chart_parts import escaped
from .html_parts import breakable, isolated, scroll_table
from .leaderboard import BoardEntry, BoardReport
from .leaderboard_words import basis_text, share_text, shown_names, value_text
from .values_text import ABSENT

_OUTSIDE = 'rel="noopener noreferrer nofollow" target="_blank"'  # attributes of links, also in a frame
_BAR = 100  # units of the width of an interval bar


def ranking_table(report: BoardReport, title: Callable[[str], str] = str) -> str:
    """All systems, sorted by the first measure.

    Args:
        title: measure -> displayed name.
    """
    first, facts = next(iter(report.board.rankings.values())), report.fact_names
    above = (
        _head("rank", "Rank")
        + _head("name", "System")
        + "".join(_head(f"fact:{place}", breakable(name), "words fact") for place, name in enumerate(facts))
        + "".join(
            _measure_head(place, one, title(one.measure)) for place, one in enumerate(report.board.rankings.values())
        )
        + _head("best", "Best")
    )
    shown, columns = shown_names(report), [_Values(one, report.percent) for one in report.board.rankings.values()]
    rows = [_row(one, shown[one.system], report.entries[one.system], facts, columns) for one in first.systems]
    caption = f"Systems by {escaped(title(first.measure))}, {escaped(basis_text(report, first))}"
    return f'<div class="board">{scroll_table(caption, above, rows)}</div>'


def _head(key: str, name: str, kind: str = "", sub: str = "") -> str:
    """The head of a column; the script turns its name into a button that sorts by the key."""
    kind = f' class="{kind}"' if kind else ""
    return f'<th scope="col" data-key="{key}"{kind}><span class="name">{name}</span>{sub}</th>'


def _measure_head(place: int, ranking: Ranking, title: str) -> str:
    told = [
        *([breakable(ranking.measure)] if title != ranking.measure else []),
        *(["lower is better"] if ranking.lower_is_better else []),
    ]
    sub = f'<span class="sub">{", ".join(told)}</span>' if told else ""
    return _head(f"measure:{place}", breakable(title), "measure", sub)


def _row(first: RankedSystem, shown: str, entry: BoardEntry, facts: Sequence[str], columns: Sequence["_Values"]) -> str:
    """The row of a system; the script writes rows of the same form."""
    cells = "".join(f'<td class="words fact">{escaped(entry.facts.get(name, "")) or ABSENT}</td>' for name in facts)
    cells += "".join(column.cell(first.system) for column in columns)
    share = share_text(first.best_share) if math.isfinite(first.value) else ABSENT
    return f"<tr>{_rank_cell(first)}{_name_cell(shown, entry, facts)}{cells}<td>{share}</td></tr>"


def _rank_cell(system: RankedSystem) -> str:
    if not math.isfinite(system.value):
        return f'<td class="rank"><strong>{ABSENT}</strong></td>'
    low, high = system.rank_interval  # "1 to 1" is an interval; "1" below a rank would be a riddle
    return f'<td class="rank"><strong>{system.rank}</strong><span class="sub">{low} to {high}</span></td>'


def _name_cell(shown: str, entry: BoardEntry, facts: Sequence[str]) -> str:
    link = safe_link(entry.link)
    out = f' <a class="out" href="{escaped(link)}" {_OUTSIDE}>page</a>' if link else ""
    told = " · ".join(isolated(entry.facts[name]) for name in facts if entry.facts.get(name))
    sub = f'<span class="sub facts">{told}</span>' if told else ""
    return f'<th scope="row"><span class="name">{breakable(shown)}</span>{out}{sub}</th>'


class _Values:
    """The column of a measure.

    Attributes:
        least, span: lower end and length of the axis of its bars, which covers the intervals of all systems.
    """

    def __init__(self, ranking: Ranking, percent: bool):
        self.ranking, self.percent = ranking, percent
        self.systems = {one.system: one for one in ranking.systems if math.isfinite(one.value)}
        self.tied = {one.system for one in ranking.tied_with_best}
        ends = [end for one in self.systems.values() for end in (*one.interval, one.value) if math.isfinite(end)]
        self.least = min(ends, default=0.0)
        self.span = (max(ends, default=0.0) - self.least) or 1.0

    def cell(self, name: str) -> str:
        """The cell of a system: its value, letters and interval."""
        system = self.systems.get(name)
        if system is None:
            return f'<td class="value">{ABSENT}</td>'
        ends = " to ".join(value_text(end, self.ranking, self.percent) for end in system.interval)
        known = all(map(math.isfinite, system.interval))
        return (
            f'<td class="value{" tied" if name in self.tied else ""}"><div>'
            f'<span class="number">{value_text(system.value, self.ranking, self.percent)}</span> '
            f'<span class="letters">{system.letters}</span></div>'
            + (f'{self._bar(system)}<span class="sub">{ends}</span>' if known else "")
            + "</td>"
        )

    def _bar(self, system: RankedSystem) -> str:
        low, high = system.interval
        x1, x, x2 = (f"{3 + (_BAR - 6) * (at - self.least) / self.span:.1f}" for at in (low, system.value, high))
        return (
            f'<svg class="bar" viewBox="0 0 {_BAR} 10" aria-hidden="true"><line class="span" x1="{x1}" x2="{x2}" y1="5" '
            f'y2="5"/><line x1="{x}" x2="{x}" y1="1" y2="9"/></svg>'
        )


def safe_link(link: str | None) -> str | None:
    """The address if it begins with http:// or https:// and is one visible word; None otherwise.

    Example:
        >>> safe_link("https://example.org/a"), safe_link("javascript:alert(1)")
        ('https://example.org/a', None)
    """
    if not link or not re.fullmatch(r"(?i:https?)://\S+", link):
        return None
    return link if visible(link) == link else None
