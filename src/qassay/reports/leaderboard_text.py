"""A leaderboard as text: for the terminal, as Markdown, LaTeX, CSV or JSON."""

import math
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from ..core.columns import counted
from ..stats.difference import p_text
from ..stats.ranking import RankedSystem, Ranking
from ..stats.ranking_table import BEST_SHARE_MEANS, letters_mean, ranks_text
from ..system_files import distinct_names
from .interval_text import methods_text
from .leaderboard import BoardEntry, BoardReport
from .tables import (
    Field,
    TextColumn,
    TextTable,
    csv_text,
    escape_markdown,
    json_text,
    latex_comment,
    latex_text,
    markdown_table,
    markdown_text,
    terminal_text,
)
from .values import FEW_MEANS, Cell
from .values_text import ABSENT, number_text

MOST_IN_MATRIX = 12  # systems in a matrix of p-values in a document
_WIDTH = 80  # characters of a line of text in the terminal
_ADDRESS = ":/?#@!$&'*+,;=%~"  # characters of an address besides letters, digits and -._


def render_leaderboard(
    report: BoardReport, form: str, *, width: int | None = None, color: bool = False, official: str = ""
) -> str:
    """A leaderboard as text, ending with a line break.

    Args:
        form: "table", "markdown", "latex", "csv", "json" or "html".
        width: of a terminal, in characters; None: no limit.
        color: a table with ANSI colours.
        official: the name of the format of the official numbers, for their title.
    """
    if form == "html":
        from .leaderboard_page import leaderboard_page

        return leaderboard_page(report)
    if form == "csv":
        return _csv(report)
    if form == "json":
        return json_text(tree_of(report))
    tables = [*_official_table(report, official), *_value_tables(report, form), _rank_table(report)]
    tables += _slice_tables(report, form)
    if form == "table":
        lines = [part for line in _lines(report) for part in textwrap.wrap(line, width or _WIDTH)]
        return terminal_text(tables, [], [*lines, report.board.signature()], width, color)
    tables += _matrices(report)
    if form == "latex":
        head = [latex_comment(text) for text in (report.title, report.description) if text]
        notes = [*_lines(report), *(f"{name}: {link}" for name, link in _links(report)), *_footer(report)]
        return "\n".join([*head, latex_text(tables, notes)])
    head = [f"# {escape_markdown(report.title)}", ""] if report.title else []
    head += [escape_markdown(report.description), ""] if report.description else []
    body = [line for table in tables for line in markdown_table(table)]
    links = [f"- [{escape_markdown(name)}](<{quote(link, safe=_ADDRESS)}>)" for name, link in _links(report)]
    signature, *command = _footer(report)[::-1]
    return markdown_text([*head, *body, *links, *([""] if links else [])], _lines(report), [*command, signature])


def _links(report: BoardReport) -> list[tuple[str, str]]:
    return [(entry.name, entry.link) for entry in report.entries.values() if entry.link]


# --- tables -----------------------------------------------------------------------------------------------------------


def _main(report: BoardReport) -> Ranking:
    """The ranking that sorts the systems."""
    return next(iter(report.board.rankings.values()))


def _scale(report: BoardReport, ranking: Ranking) -> int:
    return 100 if report.percent and ranking.is_rate else 1


def _number(value: float, report: BoardReport, ranking: Ranking) -> str:
    scale = _scale(report, ranking)
    return number_text(scale * value, ranking.is_rate, scale)


def _value_field(report: BoardReport, ranking: Ranking, ranked: RankedSystem | None) -> Field:
    """A value with its interval and letters."""
    if ranked is None or math.isnan(ranked.value):
        return Field(ABSENT)
    ends = [] if math.isnan(ranked.interval[0]) else [_number(end, report, ranking) for end in ranked.interval]
    return Field(_number(ranked.value, report, ranking), tuple(ends), mark=ranked.letters)


def _by_system(ranking: Ranking) -> dict[str, RankedSystem]:
    return {ranked.system: ranked for ranked in ranking.systems}


def _official_table(report: BoardReport, official: str) -> Iterator[TextTable]:
    names = report.official_names
    if names:
        columns = [TextColumn("system", "name"), *(TextColumn(name, "number") for name in names)]
        rows = [
            [Field(entry.name), *(Field(entry.official.get(name, ABSENT)) for name in names)]
            for entry in report.entries.values()
        ]
        yield TextTable(f"official numbers{f' ({official})' if official else ''}", columns, rows)


def _level(report: BoardReport) -> str:
    return f"{100 * report.board.settings.intervals.confidence:g} % interval"


def _value_tables(report: BoardReport, form: str) -> Iterator[TextTable]:
    """The values of all systems with letters, best by the first measure first; documents add the facts."""
    facts = [] if form == "table" else report.fact_names
    rankings = report.board.rankings
    columns = [
        TextColumn("rank", "number"),
        TextColumn("system", "name"),
        *(TextColumn(name, "name") for name in facts),
        *(TextColumn(name, "value") for name in rankings),
    ]
    found = {name: _by_system(ranking) for name, ranking in rankings.items()}
    rows = []
    for ranked in _main(report).systems:
        entry = report.entries[ranked.system]
        rows.append(
            [
                Field(str(ranked.rank)),
                Field(entry.name),
                *(Field(entry.facts.get(name, "")) for name in facts),
                *(_value_field(report, ranking, found[name].get(ranked.system)) for name, ranking in rankings.items()),
            ]
        )
    yield TextTable("", columns, rows, level=_level(report))


def _rank_table(report: BoardReport) -> TextTable:
    """The rank of each system by each measure, the ranks that it may have, and how often it is best."""
    rankings = report.board.rankings
    columns = [TextColumn("system", "name")]
    for name in rankings:
        columns += [TextColumn(name, "number"), TextColumn("best", "number")]
    found = [_by_system(ranking) for ranking in rankings.values()]
    rows = []
    for system, entry in report.entries.items():
        row = [Field(entry.name)]
        for by_system in found:
            ranked = by_system.get(system)
            row += (
                [Field(ABSENT)] * 2
                if ranked is None
                else [Field(_ranks(ranked)), Field(f"{100 * ranked.best_share:.1f} %")]
            )
        rows.append(row)
    return TextTable(f"ranks ({_level(report)})", columns, rows)


def _ranks(ranked: RankedSystem) -> str:
    ranks = ranks_text(ranked.rank_interval)
    return ranks if ranks == str(ranked.rank) else f"{ranked.rank} ({ranks})"


def _slice_tables(report: BoardReport, form: str) -> Iterator[TextTable]:
    for name, labels in report.board.slices.items():
        measures = list(dict.fromkeys(measure for own in labels.values() for measure in own))
        columns = [
            TextColumn(name, "label"),
            TextColumn("n", "number"),
            TextColumn("rank", "number"),
            TextColumn("system", "name"),
            *(TextColumn(measure, "value") for measure in measures),
        ]
        rows: list[list[Field]] = []
        starts = []
        for label, own in labels.items():
            starts += [len(rows)] if rows else []
            found = {measure: _by_system(ranking) for measure, ranking in own.items()}
            first = next(iter(own.values()))
            few = any(_cell(first, ranked).is_few for ranked in first.systems)
            for place, ranked in enumerate(first.systems):
                told = not place or form == "markdown"
                rows.append(
                    [
                        Field(label if told else ""),
                        Field(f"{first.n:,}" if told else "", few=few if told else None),
                        Field(str(ranked.rank)),
                        Field(report.entries[ranked.system].name),
                        *(
                            _value_field(report, own[measure], found[measure].get(ranked.system))
                            if measure in own
                            else Field(ABSENT)
                            for measure in measures
                        ),
                    ]
                )
        yield TextTable("", columns, rows, starts, _level(report))


def _matrices(report: BoardReport) -> Iterator[TextTable]:
    """The p-values of all pairs by each measure; empty if there are too many systems for a document."""
    for name, ranking in report.board.rankings.items():
        if len(ranking.systems) > MOST_IN_MATRIX:
            return
        heads = [str(place) for place in range(1, len(ranking.systems) + 1)]
        columns = [
            TextColumn("", "number"),
            TextColumn("system", "name"),
            *(TextColumn(head, "number") for head in heads),
        ]
        rows = [
            [Field(head), Field(report.entries[ranked.system].name), *(Field(_p_text(p)) for p in row)]
            for head, ranked, row in zip(heads, ranking.systems, ranking.p_values.tolist(), strict=True)
        ]
        yield TextTable(f"p-values by {name}, corrected for all pairs", columns, rows)


def _p_text(p: float) -> str:
    return ABSENT if math.isnan(p) else p_text(p)


# --- words ------------------------------------------------------------------------------------------------------------


def _lines(report: BoardReport) -> list[str]:
    """The lines below the tables: the basis of the numbers, their meaning, and counts."""
    board, main = report.board, _main(report)
    groups = f" in {counted(main.n_groups, 'groups')}" if main.n_groups is not None else ""
    methods = methods_text(
        {name: _cell(ranking, ranked)} for name, ranking in board.rankings.items() for ranked in ranking.systems
    )
    n_examples = next(iter(board.systems.values())).n_examples
    sizes = {name: ranking.n for name, ranking in board.rankings.items()}
    rest = f" ({', '.join(f'{name} {n:,}' for name, n in sizes.items())})" if len(set(sizes.values())) > 1 else ""
    lines = [
        f"{len(report.entries)} systems, {counted(n_examples, report.examples_name)}{rest}{groups}",
        f"{_level(report)}s{f': {methods}' if methods else ''}",
        letters_mean(board.settings.intervals.confidence),
        f"sorted by {main.measure}; in brackets behind a rank: the ranks that the system may have",
        f"{BEST_SHARE_MEANS}; {board.settings.intervals.n_resamples:,} resamples",
    ]
    if len(board.names) > MOST_IN_MATRIX:
        lines.append("the p-values of all pairs are in the .html, .csv and .json files of this leaderboard")
    few = any(
        _cell(ranking, ranked).is_few
        for labels in board.slices.values()
        for own in labels.values()
        for ranking in own.values()
        for ranked in ranking.systems
    )
    return [*lines, *board.remarks, *([f"* {FEW_MEANS}"] if few else [])]


def _cell(ranking: Ranking, ranked: RankedSystem) -> Cell:
    return Cell(ranked.value, ranked.interval, ranking.n, ranking.is_rate, ranking.n_groups)


def _footer(report: BoardReport) -> list[str]:
    """The command, if known, and the signature."""
    return [*([report.command] if report.command else []), report.board.signature()]


# --- data -------------------------------------------------------------------------------------------------------------


def tree_of(report: BoardReport) -> dict[str, Any]:
    """The content of a leaderboard as a JSON object."""
    tree = report.board.to_dict()
    entries = {system: _entry_tree(entry) for system, entry in report.entries.items()}
    own = ("title", "description", "metric", "gold", "command", "examples_name")
    return {**{name: getattr(report, name) for name in own}, **tree, "systems": entries}


def _entry_tree(entry: BoardEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "link": entry.link,
        "facts": dict(entry.facts),
        "notes": dict(entry.notes),
        "official": {name: _as_number(text) for name, text in entry.official.items()},
    }


def _as_number(text: str) -> float | int | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _csv(report: BoardReport) -> str:
    """A row per slice, measure and system, with p-values against each system; the slice is empty for all examples."""
    facts, official = report.fact_names, report.official_names
    notes = list(dict.fromkeys(name for entry in report.entries.values() for name in entry.notes))
    before = ["slice", "label", "measure", "rank", "rank_low", "rank_high", "system", "name", "link"]
    after = ["value", "low", "high", "interval_method", "letters", "best_share", "n", "n_groups"]
    after += [*notes, *official, *(f"p against {system}" for system in report.entries)]
    head = distinct_names(
        [*before, *after, *facts]
    )  # facts come last, so a fact cannot take the name of another column
    head = [*head[: len(before)], *head[len(head) - len(facts) :], *head[len(before) : len(head) - len(facts)]]
    rows = [
        [
            *(name, label, measure, ranked.rank, *ranked.rank_interval, ranked.system, entry.name, entry.link),
            *(entry.facts.get(fact) for fact in facts),
            *(ranked.value, *ranked.interval, ranked.interval.method, ranked.letters, ranked.best_share),
            *(ranking.n, ranking.n_groups),
            *(entry.notes.get(note, 0) for note in notes),
            *(entry.official.get(number) for number in official),
            *(p_values.get(system) for system in report.entries),
        ]
        for name, label, measure, ranking in _all_rankings(report)
        for ranked, p_values in _with_p_values(ranking)
        for entry in (report.entries[ranked.system],)
    ]
    return csv_text(head, rows)


def _all_rankings(report: BoardReport) -> Iterator[tuple[str | None, str | None, str, Ranking]]:
    for measure, ranking in report.board.rankings.items():
        yield None, None, measure, ranking
    for name, labels in report.board.slices.items():
        for label, own in labels.items():
            for measure, ranking in own.items():
                yield name, label, measure, ranking


def _with_p_values(ranking: Ranking) -> Iterator[tuple[RankedSystem, Mapping[str, float]]]:
    for ranked, row in zip(ranking.systems, ranking.p_values.tolist(), strict=True):
        yield ranked, dict(zip(ranking.names, row, strict=True))
