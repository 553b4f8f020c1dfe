"""A leaderboard as one self-contained HTML file: sortable, filterable, and readable without JavaScript."""

from collections.abc import Iterator

from .chart_parts import escaped
from .comparison import counted
from .html_parts import (
    breakable,
    code,
    fold,
    heads,
    resource_text,
    row,
    scroll_table,
    whole_page,
)
from .leaderboard import BoardReport
from .leaderboard_data import counts_of, omits_slices, page_data
from .leaderboard_table import ranking_table
from .leaderboard_words import (
    basis_text,
    cautions_text,
    columns_mean,
    finding_text,
    shown_names,
)
from .values import words_of_method
from .values_text import ABSENT


def leaderboard_page(report: BoardReport) -> str:
    """The leaderboard as a page: the ranking with intervals and letters, a chart, p-values, and how it was made.

    The page holds the table of all systems, sorted by the first measure. With scripts, the reader sorts and filters it,
    selects a slice and a measure, opens a system, and compares two; the address keeps the selection. The file needs no
    network, follows the reader's light or dark colours, and fits a phone and paper.

    Returns:
        HTML that can be encoded as UTF-8 for all names.
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
        f"{100 * report.board.settings.intervals.confidence:g}\u00a0% intervals",
        *([f"gold file {code(report.gold)}"] if report.gold else []),
    ]
    meaning = f"<p class='faint'>{escaped(columns_mean(report))}</p>"
    return (
        f'<p class="finding" id="finding">{escaped(finding_text(report, first))}</p>'
        f'<p class="faint">{" · ".join(about)}</p><p class="caution" id="cautions">{escaped(cautions_text(report, first))}</p>'
        '<div class="controls" id="controls" hidden></div><p class="faint" id="shown" role="status"></p>'
        f"{ranking_table(report)}{meaning}"
    )


def _drawn_by_script(anchor: str, what: str) -> str:
    return f'<div id="{anchor}"></div><noscript><p class="faint">{what} needs JavaScript.</p></noscript>'


def _pairs_section(report: BoardReport) -> str:
    told = (
        f"p-values of all pairs, two-sided, corrected for all pairs of a measure. Below {report.board.settings.alpha:g}: the two systems can be "
        "told apart; they have no letter in common."
    )
    omitted = (
        " The p-values of slices are omitted from this page because they are too many; the JSON output has them."
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
    """Counts of omitted, missing and special examples, in words and by system."""
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


def _made_items(report: BoardReport) -> Iterator[tuple[str, str]]:
    board = report.board
    if report.gold:
        yield "Gold file", code(report.gold)
    yield "Metric", code(report.metric)
    yield "Intervals", f"{100 * board.settings.intervals.confidence:g}\u00a0%{_methods(report)}"
    tests = dict.fromkeys(ranking.test for ranking in board.rankings.values())
    yield (
        "Tests",
        f"{escaped(', '.join(tests))}; two-sided, corrected for all pairs of a measure, level {report.board.settings.alpha:g}",
    )
    yield "Resamples", f"{board.settings.intervals.n_resamples:,}"
    yield "Sign flips", f"{board.settings.n_permutations:,}"
    yield "Seed", f"{board.settings.intervals.seed}"
    yield "Scale of rates", "0 to 100" if report.percent else "0 to 1"


def _methods(report: BoardReport) -> str:
    """The methods of the intervals of the measures, as HTML; "" if unknown."""
    measures: dict[str, list[str]] = {}
    for name, ranking in report.board.rankings.items():
        words = {words_of_method(system.interval) for system in ranking.systems} - {""}
        measures.setdefault(" or ".join(sorted(words)), []).append(name)
    measures.pop("", None)
    told = [f"{words} ({', '.join(names)})" if len(measures) > 1 else words for words, names in measures.items()]
    return escaped("".join(f"; {one}" for one in told))
