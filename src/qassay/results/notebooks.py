"""Results as small tables, in notebooks and as plain text."""

import math
from collections.abc import Sequence
from typing import Any

from ..core.interval_settings import Intervals
from ..core.scores import Scores
from ..human.agreement import LabelAgreement
from ..human.calibrate import Calibration
from ..reports.calibration import calibration_lines, calibration_notes
from ..reports.chart_parts import CSS, FONT, escaped
from ..reports.comparison import decided_differences
from ..reports.interval_text import interval_text
from ..reports.label_agreement import about_line, agreement_tables, interval_line, render_agreement
from ..reports.tables import with_interval
from ..reports.values import Cell, ValuesReport, build_report, report_of_sums
from ..reports.values_text import ABSENT, number_text
from ..stats.compare import Comparison
from ..stats.difference import p_text
from ..stats.leaderboard import Leaderboard
from ..stats.ranking_table import letters_mean, ranks_text
from .document import document
from .text import render

_FEW_MEASURES = 8
_MOST_RESAMPLED = 100_000  # examples; a notebook's table of more has no intervals
_TABLE_CSS = (
    ".qassay{font:14px/1.4 " + FONT + ";color:var(--chart-text);background:var(--chart-ground);padding:.6rem .8rem;"
    "overflow-x:auto}.qassay table{border-collapse:collapse;margin:0;color:inherit;background:inherit}"
    ".qassay th,.qassay td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--chart-line);"
    "background:inherit;color:inherit;white-space:nowrap}.qassay th:first-child{text-align:left;padding-left:0}"
    ".qassay p{margin:.4rem 0 0;color:var(--chart-faint);font-size:.86em;overflow-wrap:anywhere}"
)


def _table_html(heads: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[str]) -> str:
    """A small table with lines below it, for a notebook; everything is escaped here."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escaped(first)}</th>{"".join(f"<td>{escaped(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    told = "".join(f"<p>{escaped(line)}</p>" for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="qassay"><style>{CSS}{_TABLE_CSS}</style>{table}{told}</div>'


def _table_text(heads: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[str]) -> str:
    """A small table with lines below it, as plain text."""
    table = [*([heads] if heads else []), *rows]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    padded = ["  ".join(f"{cell:<{size}}" for cell, size in zip(row, wide, strict=True)) for row in table]
    return "\n".join(line.rstrip() for line in [*padded, *lines])


def scores_html(scores: Scores) -> str:
    """The usual measures as a table, with intervals up to 100,000 examples (more take long)."""
    intervals = Intervals(0.95 if len(scores) <= _MOST_RESAMPLED else None)
    lines = [] if intervals.confidence else ["Intervals: scores.interval()."]
    return _values_html(build_report({"": scores}, {}, intervals=intervals), lines)


def scores_text(scores: Scores) -> str:
    """The same table as text; of few measures, all."""
    few = ["all"] if len(scores.measures) <= _FEW_MEASURES else None
    found = document({"value": scores}, measures=few, n_resamples=1000 if len(scores) <= _MOST_RESAMPLED else 100)
    return render(found, "table").rstrip("\n")


def sums_html(sums: Any) -> str:
    """The values of sums as a table, with intervals."""
    return _values_html(report_of_sums(sums), [])


def _values_html(report: ValuesReport, lines: Sequence[str]) -> str:
    """The values of one system as a table."""
    (cells,), level = report.systems.values(), report.intervals.confidence
    rows = [
        [name, _text(cell.value, cell), *([_ends(cell.interval, cell)] if level else []), f"{cell.n:,}"]
        for name, cell in cells.items()
    ]
    heads = ["Measure", "Value", *(["95 % interval"] if level else []), "n"]
    intervals = interval_text(report)
    caption = [f"{intervals}."] if intervals else []
    return _table_html(heads, rows, [*lines, *caption, *report.remarks, *report.signatures.values()])


def comparison_html(comparison: Comparison) -> str:
    """The differences over all examples as a table."""
    return _table_html(*_differences(comparison))


def comparison_text(comparison: Comparison) -> str:
    """The differences over all examples as plain text."""
    return _table_text(*_differences(comparison))


def _differences(comparison: Comparison) -> tuple[list[str], list[list[str]], list[str]]:
    """Heads, rows and lines."""
    settings = comparison.settings
    level, n_resamples = settings.intervals.confidence, settings.intervals.n_resamples
    interval = f"{100 * level:g} % interval"
    heads = ["Measure", "n", "First", "Second", "Difference", interval, f"p ({settings.correction})"]
    rows = []
    decided = decided_differences(comparison)
    for found in decided:
        kind = Cell(found.difference, found.interval, found.n, found.is_rate)
        star = " *" if found.is_significant(level) else ""
        least = not found.ranked and found.is_least(settings.n_permutations, n_resamples)
        values = [f"{name} {_text(value, kind)}" for name, value in zip((found.first, found.second), found.values)]
        ends = " to ".join(map(_signed, found.interval)) if found.interval.method != "none" else ABSENT
        p = p_text(found.p_adjusted, least) + star
        n = f"{found.n:,}" + (f" in {found.n_groups:,} groups" if found.n_groups is not None else "")
        rows.append([found.measure, n, *values, _signed(found.difference), ends, p])
    stars = [f"* p below {round(1 - level, 10):g}: likely real."] if any("*" in r[-1] for r in rows) else []
    ranked = ", ".join(dict.fromkeys(found.measure for found in decided if found.ranked))
    told = [f"p of {ranked}: corrected for all pairs of systems together, as for the ranks."] if ranked else []
    return heads, rows, [*stars, *told, *comparison.remarks]


def leaderboard_html(board: Leaderboard) -> str:
    """The systems as a table, sorted by the first measure, with value, interval and letters for each measure."""
    return _table_html(*_systems(board))


def leaderboard_text(board: Leaderboard) -> str:
    """The same table as plain text."""
    return _table_text(*_systems(board))


def _systems(board: Leaderboard) -> tuple[list[str], list[list[str]], list[str]]:
    """Heads, rows and lines."""
    by_system = {
        name: {ranked.system: ranked for ranked in ranking.systems} for name, ranking in board.rankings.items()
    }
    rows = []
    for ranked in next(iter(board.rankings.values())).systems:
        cells = [ranked.system, str(ranked.rank), ranks_text(ranked.rank_interval), f"{ranked.best_share:.3f}"]
        for name, found in by_system.items():
            own, ranking = found[ranked.system], board.rankings[name]
            kind = Cell(own.value, own.interval, ranking.n, ranking.is_rate)
            cells.append(f"{_text(own.value, kind)} ({_ends(own.interval, kind)}) {own.letters}")
        rows.append(cells)
    heads = ["System", "Rank", "Ranks", "Best", *board.measures]
    level = board.settings.intervals.confidence
    return heads, rows, [f"In brackets: {100 * level:g} % intervals.", letters_mean(level), *board.remarks]


def calibration_html(found: Calibration) -> str:
    """The calibration of a measure as a table."""
    heads = ["", "Value", f"{100 * found.confidence:g} % interval"]
    return _table_html(heads, calibration_lines(found), calibration_notes(found))


def calibration_text(found: Calibration) -> str:
    """The calibration of a measure as plain text."""
    return _table_text([], calibration_lines(found), calibration_notes(found))


def agreement_text(found: LabelAgreement) -> str:
    """How measures agree with labels as plain text."""
    return render_agreement(found, "table").rstrip("\n")


def agreement_html(found: LabelAgreement) -> str:
    """How measures agree with labels as tables."""
    tables = agreement_tables(found)
    notes = [about_line(found), *found.remarks, interval_line(found)]
    return "".join(
        _table_html(
            [column.head for column in table.columns],
            [list(map(with_interval, row)) for row in table.rows],
            notes if table is tables[-1] else [],
        )
        for table in tables
    )


def _text(value: float | None, cell: Cell) -> str:
    return ABSENT if value is None else number_text(value, cell.is_rate, 1)


def _ends(interval: tuple[float, float] | None, cell: Cell) -> str:
    return ABSENT if interval is None else " to ".join(_text(end, cell) for end in interval)


def _signed(value: float | None) -> str:
    return ABSENT if value is None or math.isnan(value) else f"{value:+.4f}"
