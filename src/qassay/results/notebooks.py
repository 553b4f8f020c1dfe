"""What Python and notebooks show of scores, comparisons, leaderboards, calibrations and agreement: the tables of the command line."""

from typing import Any

from ..core.scores import Scores
from ..core.text_tables import TableReport
from ..files.given_scores import scored_of
from ..human.agreement import LabelAgreement
from ..human.agreement_tables import agreement_report
from ..human.calibrate import Calibration
from ..human.calibration_tables import calibration_report
from ..stats.compare import Comparison
from ..stats.leaderboard import Leaderboard
from .document import board_document, comparison_document, document
from .html_tables import tables_html
from .text import render
from .writers import report_text

_FEW_MEASURES = 8  # up to which all are shown
_MOST_RESAMPLED = 100_000  # examples; more have fewer resamples


def show_scores(scores: Scores, form: str) -> str:
    """The usual measures with intervals; of few measures, all."""
    few = ["all"] if len(scores.measures) <= _FEW_MEASURES else None
    found = document({"value": scores}, measures=few, n_resamples=1000 if len(scores) <= _MOST_RESAMPLED else 100)
    return _rendered(found, form)


def show_comparison(comparison: Comparison, form: str) -> str:
    """The values and the differences over all examples."""
    return _rendered(comparison_document(scored_of(comparison.systems)[0], comparison, text_budget=0), form)


def show_leaderboard(board: Leaderboard, form: str) -> str:
    """The systems, sorted by the first measure, with value, interval and letters for each measure."""
    return _rendered(board_document(scored_of(board.systems)[0], board, text_budget=0), form)


def show_calibration(found: Calibration, form: str) -> str:
    """The calibration of a measure."""
    return _report(calibration_report([found]), form)


def show_agreement(found: LabelAgreement, form: str) -> str:
    """How measures agree with labels."""
    return _report(agreement_report(found), form)


def _report(report: TableReport, form: str) -> str:
    if form == "table":
        return report_text(report, form).rstrip("\n")
    return tables_html(report.tables, [*report.lines, *report.signatures])


def _rendered(found: dict[str, Any], form: str) -> str:
    return render(found, form).rstrip("\n")
