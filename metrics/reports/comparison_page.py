"""A comparison of systems as one HTML file that needs nothing else: no network, no script, no other file."""

import pkgutil

from karat.reports import charts, token_difference
from karat.reports.charts import escaped
from karat.reports.comparison import ComparisonReport, tests_in_words
from karat.reports.html_parts import code, isolated, parts_style
from karat.reports.page_cards import examples_section
from karat.reports.page_charts import changes_section, differences_section, kinds_section
from karat.reports.page_slices import slices_section
from karat.reports.page_tables import counted_section, measures_section
from karat.reports.page_verdict import page_subtitle, page_title, verdict_section
from karat.reports.page_view import PageView


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
    shown = [part for part in parts if part[2]]
    links = "".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name, _ in shown)
    sections = "\n".join(
        f'<section id="{anchor}" aria-labelledby="{anchor}-head"><h2 id="{anchor}-head">{name}</h2>\n{body}</section>'
        for anchor, name, body in shown
    )
    title = page_title(view)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escaped(' '.join(title.split()))}</title>\n"
        f"<style>\n{parts_style()}{_style()}{charts.CSS}{token_difference.CSS}</style></head>\n"
        f'<body><header><div class="frame"><p class="eyebrow">Comparison of systems</p><h1>{isolated(title)}</h1>'
        f'<p class="faint">{page_subtitle(view)}</p><nav aria-label="Sections"><ul>{links}</ul></nav></div></header>\n'
        f'<main class="frame">{sections}</main>\n'
        '<footer><div class="frame">Made by karat. This file is complete in itself and sends nothing anywhere.</div>'
        "</footer></body></html>\n"
    )


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


def _style() -> str:
    """The style of a page that is a file of its own."""
    return pkgutil.get_data(__name__, "page.css").decode("utf-8")
