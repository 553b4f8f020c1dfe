"""Tables of repeated runs: how much the runs of a system differ, and the sources of the variance."""

from collections.abc import Callable

from ..stats.runs import RunVariance
from .chart_parts import escaped
from .html_parts import WORDY, breakable, go, heads, row, scroll_table
from .values import ValuesReport

MEANING = (
    "runs: the standard deviation, the smallest and the largest value of the runs; the shares of question, run and noise "
    "in the variance of their mean; questions answered right always (in all runs) and never"
)
_HEADS = ("runs", "deviation", "smallest", "largest", "question", "run", "noise", "always", "never")


def run_section(report: ValuesReport, href: Callable[[str, str, str], str] = lambda system, measure, head: "") -> str:
    """The section of a page with this table; "" if no system has several runs. The only system is not named again.

    Args:
        href: system, measure, head of the column such as "smallest" -> the address of that cell; "" without a link.
    """
    lines = _lines(report)
    several = len({system for system, *_ in lines}) > 1
    rows = []
    for system, measure, *cells in lines:
        named = [system, f"<td{WORDY}>{breakable(measure)}</td>"] if several else [measure]
        linked = (go(cell, href(system, measure, head)) for head, cell in zip(_HEADS, cells, strict=True))
        rows.append(row(breakable(named[0]), *named[1:], *(f"<td>{cell}</td>" for cell in linked)))
    above = f'{heads("System")}<th scope="col"{WORDY}>Measure</th>' if several else heads("Measure")
    above += heads(*map(str.capitalize, _HEADS))
    return scroll_table(escaped(MEANING[0].upper() + MEANING[1:]), above, rows) if rows else ""


def _lines(report: ValuesReport) -> list[list[str]]:
    return [
        [system, measure, str(report.n_runs[system]), *_cells(variance, report.scale)]
        for system, measures in report.runs.items()
        for measure, variance in measures.items()
    ]


def _cells(variance: RunVariance, scale: int) -> list[str]:
    ends = (variance.deviation, variance.lowest, variance.highest)
    values = [f"{value:.{2 if scale == 100 else 4}f}" for value in ends]
    rights = ["–" if share is None else f"{100 * share:.0f} %" for share in (variance.always, variance.never)]
    return [*values, *(f"{100 * share:.0f} %" for share in variance.shares.values()), *rights]
