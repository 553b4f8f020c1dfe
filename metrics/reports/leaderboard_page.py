"""A leaderboard as one HTML file that needs nothing else: sortable, filterable, readable without JavaScript too."""

import math
from collections.abc import Iterator, Sequence

from ..comparison.ranking import RankedSystem, Ranking
from ..comparison.ranking_table import ranks_text
from .chart_parts import escaped
from .comparison import counted
from .html_parts import (
    breakable,
    code,
    fold,
    heads,
    isolated,
    resource_text,
    row,
    scroll_table,
    whole_page,
)
from .leaderboard import BoardEntry, BoardReport
from .leaderboard_data import counts_of, omits_slices, page_data, safe_link
from .leaderboard_words import (
    basis_text,
    cautions_text,
    columns_mean,
    finding_text,
    share_text,
    shown_names,
    tied_with_best,
    value_text,
)
from .values import words_of_method
from .values_text import ABSENT

_OUTSIDE = 'rel="noopener noreferrer nofollow" target="_blank"'  # of links; also in the frame of a hosted leaderboard
_BAR = 100  # units of the width of an interval bar


def leaderboard_page(report: BoardReport) -> str:
    """The leaderboard as a page: the ranking with intervals and letters, a chart, p-values, and how it was made.

    The table of all systems stands in the page as it is, sorted by the first measure. Where scripts run, the reader sorts and
    filters it, chooses a slice and a measure, opens a system, and compares two; the address keeps what was chosen. The
    file needs no network, follows the reader's light or dark colours, and fits a phone and paper.

    Returns:
        HTML that can be written as UTF-8 whatever the names hold.
    """
    parts = [
        ("ranking", "Ranking", _ranking_section(report)),
        ("chart", "Values with intervals", _drawn_by_script("chart-box", "The chart")),
        ("pairs", "Which systems differ", _pairs_section(report)),
        ("official", "Official numbers", _official_section(report)),
        ("counted", "What was counted", _counted_section(report)),
        ("made", "How it was made", _made_section(report)),
    ]
    names = counted(len(report.entries), "systems")
    data = f'<script type="application/json" id="data">{page_data(report)}</script>'
    parts[0] = (*parts[0][:2], parts[0][2] + data)
    return whole_page(
        report.title or f"Leaderboard of {names}",
        "Leaderboard",
        "<br>".join(map(escaped, report.description.split("\n"))),
        parts,
        more_style=resource_text("leaderboard.css"),
        script=resource_text("leaderboard.js"),
    )


def _ranking_section(report: BoardReport) -> str:
    first = next(iter(report.board.rankings.values()))
    about = [
        f'<span id="basis">{escaped(basis_text(report, first))}</span>',
        f"metric {code(report.metric)}",
        f"{100 * report.board.level:g}\u00a0% intervals",
        *([f"gold file {code(report.gold)}"] if report.gold else []),
    ]
    facts = report.fact_names
    above = (
        _head("rank", "Rank")
        + _head("name", "System")
        + "".join(_head(f"fact:{place}", breakable(name), "words fact") for place, name in enumerate(facts))
        + "".join(_measure_head(place, ranking) for place, ranking in enumerate(report.board.rankings.values()))
        + _head("best", "Best")
    )
    shown, columns = shown_names(report), [_Values(one, report.percent) for one in report.board.rankings.values()]
    rows = [_row(one, shown[one.system], report.entries[one.system], facts, columns) for one in first.systems]
    caption = f"Systems by {escaped(first.measure)}, {escaped(basis_text(report, first))}"
    meaning = f"<p class='faint'>{escaped(columns_mean(report))}</p>"
    return (
        f'<p class="finding" id="finding">{escaped(finding_text(report, first))}</p>'
        f'<p class="faint">{" · ".join(about)}</p><p class="caution" id="cautions">{escaped(cautions_text(report, first))}</p>'
        '<div class="controls" id="controls" hidden></div><p class="faint" id="shown" role="status"></p>'
        f'<div class="board">{scroll_table(caption, above, rows)}</div>{meaning}'
    )


def _head(key: str, name: str, kind: str = "", sub: str = "") -> str:
    """The head of a column; the script makes its name a button that sorts by the key."""
    kind = f' class="{kind}"' if kind else ""
    return f'<th scope="col" data-key="{key}"{kind}><span class="name">{name}</span>{sub}</th>'


def _measure_head(place: int, ranking: Ranking) -> str:
    sub = '<span class="sub">lower is better</span>' if ranking.lower_is_better else ""
    return _head(f"measure:{place}", breakable(ranking.measure), "measure", sub)


def _row(first: RankedSystem, shown: str, entry: BoardEntry, facts: Sequence[str], columns: Sequence["_Values"]) -> str:
    """The row of a system; the script writes rows of the same form."""
    cells = "".join(f'<td class="words fact">{escaped(entry.facts.get(name, "")) or ABSENT}</td>' for name in facts)
    cells += "".join(column.cell(first.system) for column in columns)
    share = share_text(first.best_share) if math.isfinite(first.value) else ABSENT
    return f"<tr>{_rank_cell(first)}{_name_cell(shown, entry, facts)}{cells}<td>{share}</td></tr>"


def _rank_cell(system: RankedSystem) -> str:
    if not math.isfinite(system.value):
        return f'<td class="rank"><strong>{ABSENT}</strong></td>'
    ranks = ranks_text(system.rank_interval)
    return f'<td class="rank"><strong>{system.rank}</strong><span class="sub">{ranks}</span></td>'


def _name_cell(shown: str, entry: BoardEntry, facts: Sequence[str]) -> str:
    link = safe_link(entry.link)
    out = f' <a class="out" href="{escaped(link)}" {_OUTSIDE}>page</a>' if link else ""
    told = " · ".join(isolated(entry.facts[name]) for name in facts if entry.facts.get(name))
    sub = f'<span class="sub facts">{told}</span>' if told else ""
    return f'<th scope="row"><span class="name">{breakable(shown)}</span>{out}{sub}</th>'


class _Values:
    """The column of a measure.

    Attributes:
        least, span: of the axis of its bars, from the lowest to the highest end of all systems.
    """

    def __init__(self, ranking: Ranking, percent: bool):
        self.ranking, self.percent = ranking, percent
        self.systems = {one.system: one for one in ranking.systems if math.isfinite(one.value)}
        self.tied = {one.system for one in tied_with_best(ranking)}
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


def _drawn_by_script(anchor: str, what: str) -> str:
    return f'<div id="{anchor}"></div><noscript><p class="faint">{what} needs JavaScript.</p></noscript>'


def _pairs_section(report: BoardReport) -> str:
    told = (
        f"p-values of all pairs, two-sided, corrected for all pairs of a measure. Below {_alpha(report):g}: the two systems can be "
        "told apart; they have no letter in common."
    )
    omitted = (
        " The p-values of slices are left out of this page because they are too many; the JSON output has them."
        if omits_slices(report)
        else ""
    )
    return f'<p class="faint">{told}{omitted}</p>{_drawn_by_script("pairs-box", "The matrix of p-values")}'


def _official_section(report: BoardReport) -> str:
    names = report.official_names
    if not names:
        return ""
    shown = shown_names(report)
    rows = [
        row(
            breakable(shown[system]),
            *(f"<td>{escaped(entry.official.get(name, ABSENT))}</td>" for name in names),
        )
        for system, entry in report.entries.items()
    ]
    caption = "Numbers of the official program of the task, in its names"
    return scroll_table(caption, heads("System", *map(breakable, names)), rows)


def _counted_section(report: BoardReport) -> str:
    """What was left out, missing or special, in words and by system."""
    shown, remarks = shown_names(report), report.board.remarks
    told = f"<ul>{''.join(f'<li>{escaped(remark)}</li>' for remark in remarks)}</ul>" if remarks else ""
    counts = {system: counts_of(report, entry) for system, entry in report.entries.items()}
    columns = list(dict.fromkeys(name for own in counts.values() for name, count in own.items() if count))
    if not columns:
        return told
    rows = [
        row(breakable(shown[system]), *(f"<td>{own.get(name, 0):,}</td>" for name in columns))
        for system, own in counts.items()
    ]
    return told + scroll_table("Counts by system", heads("System", *map(breakable, columns)), rows)


def _made_section(report: BoardReport) -> str:
    board = report.board
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in _made_items(report))
    again = f"<h3>Make it again</h3><pre tabindex='0'>{code(report.command)}</pre>" if report.command else ""
    signature = fold("Signature", f"<p>{code(board.signature())}</p>")
    return f'<dl class="made">{listed}</dl>{signature}{again}'


def _alpha(report: BoardReport) -> float:
    """The level of the tests."""
    return round(1 - report.board.level, 10)


def _made_items(report: BoardReport) -> Iterator[tuple[str, str]]:
    board = report.board
    if report.gold:
        yield "Gold file", code(report.gold)
    yield "Metric", code(report.metric)
    yield "Intervals", f"{100 * board.level:g}\u00a0%{_methods(report)}"
    tests = dict.fromkeys(ranking.test for ranking in board.rankings.values())
    yield (
        "Tests",
        f"{escaped(', '.join(tests))}; two-sided, corrected for all pairs of a measure, level {_alpha(report):g}",
    )
    yield "Resamples", f"{board.n_resamples:,}"
    yield "Sign flips", f"{board.n_permutations:,}"
    yield "Seed", f"{board.seed}"
    yield "Scale of rates", "0 to 100" if report.percent else "0 to 1"


def _methods(report: BoardReport) -> str:
    """How the intervals of the measures were found, as HTML; "" where it is not known."""
    measures: dict[str, list[str]] = {}
    for name, ranking in report.board.rankings.items():
        words = {words_of_method(system.interval) for system in ranking.systems} - {""}
        measures.setdefault(" or ".join(sorted(words)), []).append(name)
    measures.pop("", None)
    told = [f"{words} ({', '.join(names)})" if len(measures) > 1 else words for words, names in measures.items()]
    return escaped("".join(f"; {one}" for one in told))
