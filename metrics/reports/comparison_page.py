"""A comparison of systems as one HTML file that needs nothing else: no network, no script, no other file."""

from .chart_parts import escaped
from .comparison import ComparisonReport, tests_in_words
from .html_parts import code, whole_page
from .page_cards import examples_section
from .page_charts import changes_section, differences_section, kinds_section
from .page_slices import slices_section
from .page_tables import counted_section, measures_section
from .page_verdict import page_subtitle, page_title, verdict_section
from .page_view import PageView


def comparison_page(report: ComparisonReport) -> str:
    """The comparison as a page: verdicts, tables, charts, examples to read and how it was made.

    Numbers have the decimals of the other renderings. The file asks for nothing outside itself, has no script, follows
    the reader's light or dark colours, and fits a phone and paper. Sections without content are left out.

    Returns:
        HTML that can be written as UTF-8 whatever the texts hold.
    """
    view = PageView(report)
    parts = [
        ("verdict", "Verdict", verdict_section(view)),
        ("measures", "All measures", measures_section(view)),
        ("differences", "Differences", differences_section(view)),
        ("kinds", "Kinds of errors", kinds_section(view)),
        ("slices", "Slices", slices_section(view)),
        ("changes", "Example by example", changes_section(view)),
        ("examples", "Examples to read", examples_section(view)),
        ("counted", "What was counted", counted_section(view)),
        ("made", "How it was made", made_section(view)),
    ]
    return whole_page(page_title(view), "Comparison of systems", page_subtitle(view), parts)


def made_section(view: PageView) -> str:
    """Signature, test, intervals, seed, and the command that makes the report again."""
    report, data = view.report, view.data
    items = [("Gold file", f"<code>{escaped(data.gold)}</code>")] if data.gold else []
    items += [
        ("Signature" if len(report.signatures) == 1 else f"Signature of {escaped(metric)}", code(signature))
        for metric, signature in report.signatures.items()
    ]
    items += [
        ("Test", f"{escaped(tests_in_words(data))}; two-sided, level {view.alpha:g}"),
        ("Correction for several tests", escaped(data.correction or "none")),
    ]
    if report.level is not None:
        items.append(("Intervals", f"{100 * report.level:g} %, bootstrap, {report.n_resamples:,} resamples"))
    items.append(("Seed", f"{report.seed}"))
    items.append(("Scale of rates", f"0 to {report.scale}"))
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in items)
    again = (
        f"<h3>Make it again</h3><pre tabindex='0'><code>{escaped(data.command)}</code></pre>" if data.command else ""
    )
    return f'<dl class="made">{listed}</dl>{again}'
