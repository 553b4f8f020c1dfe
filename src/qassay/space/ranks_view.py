"""Three or more systems as HTML: ranks with intervals and letters as on a leaderboard, and every pair."""

from collections.abc import Callable

from ..reports.chart_parts import escaped
from ..reports.html_parts import fold
from ..reports.leaderboard import BoardReport, board_report
from ..reports.leaderboard_table import ranking_table
from ..reports.leaderboard_words import cautions_text, columns_mean, finding_text
from ..reports.page_verdict import difference_matrix
from ..reports.page_view import PageView
from ..stats.leaderboard import rank_scores
from ..stats.ranking import MOST_SYSTEMS, RankSettings
from ..stats.ranking_table import letters_and_p
from .address import View
from .analysis import Analysis
from .findings import compared, headline_measure


def board_of(analysis: Analysis) -> BoardReport | None:
    """The systems ranked by the main measures; None if they are too many, or if fewer than two have a common example."""
    return analysis.once("board", lambda: _ranked(analysis))


def _ranked(analysis: Analysis) -> BoardReport | None:
    scores, settings = analysis.main.scores, analysis.settings
    report = compared(analysis)  # so that the ranks say what the answer says
    ranked = [headline_measure(analysis), *(ranking.measure for ranking in report.rankings)] if report else []
    own = analysis.scores(analysis.systems[0]).measures
    names = dict.fromkeys(ranked or analysis.main_measures)
    measures = [name for name in names if name in own and own[name].has_interval]
    if not 2 <= len(scores) <= MOST_SYSTEMS or not measures:
        return None
    rank_settings = RankSettings(settings.intervals, settings.n_permutations)
    board = rank_scores(scores, measures, settings=rank_settings, common=True)
    return board_report(board, analysis.family.name, percent=settings.percent, examples_name=analysis.examples_name)


def ranks_html(analysis: Analysis, title: Callable[[str], str] = str) -> str:
    """The finding in a sentence, the ranks, and what letters and shares mean, folded.

    Args:
        title: measure -> its name as it is shown.
    """
    report = board_of(analysis)
    if report is None:
        return ""
    first = next(iter(report.board.rankings.values()))
    cautions = cautions_text(report, first)
    return (
        f'<p class="finding">{escaped(finding_text(report, first, title))}</p>'
        + (f'<p class="caution">{escaped(cautions)}</p>' if cautions else "")
        + ranking_table(report, title)
        + fold("What ranks, letters and shares mean", f"<p>{escaped(columns_mean(report))}</p>")
    )


def pair_matrix(analysis: Analysis, view: PageView) -> str:
    """Every system against every other in the measure of the ranks; each number leads to the two systems in detail."""
    report, differences = board_of(analysis), view.by_pair[view.pairs[0]]
    ranked = [name for name in (report.board.measures if report else ()) if name in differences]
    measure = (ranked or view.main_measures(view.pairs[0]))[0]
    systems = report.board.names if report else view.systems
    table = difference_matrix(
        view, measure, systems, lambda system, other: View("compare", system=system, other=other).href()
    )
    table = f'<div class="pairs">{table}</div>'
    if differences[measure].ranked:  # letters and p agree
        return table
    told = letters_and_p(view.data.correction)
    return f'{table}<p class="faint">{escaped(told[0].upper() + told[1:])}.</p>'
