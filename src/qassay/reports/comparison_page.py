"""A comparison of systems as one self-contained HTML file."""

from .chart_parts import escaped
from .comparison import ComparisonReport
from .html_parts import live_script, table_html, whole_page
from .one_pair import winner_minus_loser
from .page_cards import examples_section
from .page_charts import changes_section, differences_section, kinds_section
from .page_filters import CardFilters
from .page_slices import slices_section
from .page_tables import counted_section, made_section, measures_section
from .page_verdict import page_subtitle, page_title, verdict_section
from .page_view import PageView
from .rank_tables import rank_notes, rank_tables
from .run_tables import run_section


def comparison_page(report: ComparisonReport) -> str:
    """The comparison as a page: verdicts, tables, charts, examples to read and how it was made.

    A difference is the winner's value minus the loser's.

    Numbers have the decimals of the other formats. The file needs no network and no other file, follows the
    reader's light or dark colours, and fits a phone and paper. Sections without content are omitted.

    Returns:
        HTML that can be encoded as UTF-8 for all texts.
    """
    report = winner_minus_loser(report)
    view = PageView(report, CardFilters(report.changes))
    parts = [
        ("verdict", "Verdict", verdict_section(view)),
        ("measures", "All measures", measures_section(view)),
        ("runs", "Runs", run_section(report.report)),
        ("differences", "Differences", differences_section(view)),
        ("ranks", "Ranks", _ranks_section(report)),
        ("kinds", "Kinds of errors", kinds_section(view)),
        ("slices", "Slices", slices_section(view)),
        ("changes", "Example by example", changes_section(view)),
        ("examples", "Examples to read", examples_section(view)),
        ("counted", "What was counted", counted_section(view)),
        ("made", "How it was made", made_section(view)),
    ]
    return whole_page(page_title(view), "Comparison of systems", page_subtitle(view), parts, script=live_script())


def _ranks_section(report: ComparisonReport) -> str:
    """The ranks of three or more systems, and how to read them; "" for two systems."""
    tables = [table_html(table, table.title[0].upper() + table.title[1:]) for table in rank_tables(report)]
    notes = [f'<p class="faint">{escaped(line[0].upper() + line[1:])}.</p>' for line in rank_notes(report)]
    return "".join([*tables, *notes])
