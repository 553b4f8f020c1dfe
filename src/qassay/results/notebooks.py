"""What Python and notebooks show of scores, comparisons, leaderboards, calibrations and agreement: the tables of the command line."""

from typing import Any

from ..core.file_columns import Gold
from ..core.scores import Scores
from ..files.score_files import Scored, System
from ..human.agreement import LabelAgreement
from ..human.calibrate import Calibration
from ..registry import family_of
from ..reports.calibration import agreement_table, remark_lines, render_calibrations, values_table
from ..reports.html_tables import tables_html
from ..reports.label_agreement import about_line, agreement_tables, interval_line, render_agreement
from ..reports.leaderboard import board_report
from ..stats.compare import Comparison
from ..stats.leaderboard import Leaderboard
from .document import board_document, comparison_document, document
from .text import render

_FEW_MEASURES = 8  # up to which all are shown
_MOST_RESAMPLED = 100_000  # examples; more have fewer resamples


def show_scores(scores: Scores, form: str) -> str:
    """The usual measures with intervals; of few measures, all."""
    few = ["all"] if len(scores.measures) <= _FEW_MEASURES else None
    found = document({"value": scores}, measures=few, n_resamples=1000 if len(scores) <= _MOST_RESAMPLED else 100)
    return _rendered(found, form)


def show_comparison(comparison: Comparison, form: str) -> str:
    """The values and the differences over all examples."""
    return _rendered(comparison_document(_scored(comparison.systems), comparison, text_budget=0), form)


def show_leaderboard(board: Leaderboard, form: str) -> str:
    """The systems, sorted by the first measure, with value, interval and letters for each measure."""
    return _rendered(board_document(_scored(board.systems), board_report(board), text_budget=0), form)


def show_calibration(found: Calibration, form: str) -> str:
    """The calibration of a measure."""
    if form == "table":
        return render_calibrations([found], form).rstrip("\n")
    return tables_html([values_table([found]), agreement_table([found])], remark_lines([found]))


def show_agreement(found: LabelAgreement, form: str) -> str:
    """How measures agree with labels."""
    if form == "table":
        return render_agreement(found, form).rstrip("\n")
    return tables_html(agreement_tables(found), [about_line(found), *found.remarks, interval_line(found)])


def _scored(systems: Any) -> Scored:
    """Scores of the same examples, without their files."""
    family = family_of(next(iter(systems.values())))
    gold = Gold("", "", {}, {}, None, {}, metric=family.name)
    return Scored(family, gold, {name: System(scores, name, {}) for name, scores in systems.items()})


def _rendered(found: dict[str, Any], form: str) -> str:
    return render(found, form).rstrip("\n")
