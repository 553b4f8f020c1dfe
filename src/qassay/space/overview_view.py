"""The answer first, as HTML: which system is better, how sure that is, where the other one fails, and where to read on."""

from collections.abc import Mapping

from ..reports.chart_parts import escaped, is_finite
from ..reports.comparison import counted
from ..reports.finding import FEW, NONE, REAL, VALUE, Finding, as_html, brief_text, name_html, plain_text
from ..reports.html_parts import go, isolated
from ..reports.interval_text import groups_text, level_text
from ..reports.page_view import PageView
from ..reports.palette import system_class
from ..reports.tables import distinct_names
from ..reports.values import Cell
from ..reports.values_text import ABSENT, number_text
from ..stats.ranking import Ranking
from .address import View
from .analysis import Analysis
from .errors_choice import ERRORS
from .findings import (
    WorstSlice,
    compared,
    finding_of,
    headline_ranking,
    measure_words,
    slice_certainty,
    slice_view,
    slice_words,
    worst_slice,
    wrong_kinds,
)
from .page_hrefs import ErrorsHrefs
from .slices_view import slicings
from .values_view import interval_bar, interval_limits
from .view_parts import wrapped

_NAME = 14  # characters of the name of a system, above which what all names share is cut
_MOST_CARDS = 4  # values beside each other
_WORDS = {REAL: "Likely real", FEW: "Too few to say", NONE: "Not compared"}


def overview_html(analysis: Analysis) -> str:
    """The answer as HTML: verdict, values, the finding in words, ways onward, and by which rules."""
    found = finding_of(analysis)
    word = _WORDS.get(found.sure, found.sure.capitalize())
    chip = (
        f'<span class="chip {"real" if found.sure == REAL else "unsure"}">{word}</span>' if found.sure != VALUE else ""
    )
    short = short_names(analysis)
    sentences = " ".join(as_html(sentence, short) for sentence in found.sentences)
    return wrapped(
        f'<section class="answer" data-text="{escaped(copied_text(analysis))}">'
        f'<h2 class="verdict"><span>{as_html(found.headline, short)}</span>{chip}</h2>'
        f'<div class="known">{_values(analysis, found)}<div><p class="found">{sentences}</p>{_beside(analysis, found)}</div></div>'
        f"{_ways(analysis, found)}"
        f'<p class="rules">{" · ".join(map(escaped, rules(analysis)))}</p></section>'
    )


def short_names(analysis: Analysis) -> dict[str, str]:
    """System -> its name without what all long names share."""
    names = distinct_names(analysis.systems, _NAME)
    return {system: short.strip("…") for system, short in zip(analysis.systems, names, strict=True)}


def copied_text(analysis: Analysis) -> str:
    """The finding as plain text, for an e-mail or a chat."""
    found = finding_of(analysis)
    told = " ".join(map(plain_text, found.sentences))
    more = f" {'; '.join(others)}." if (others := _others(analysis, found)) else ""
    return f"{plain_text(found.headline)}. {told}{more}\n({'; '.join(rules(analysis))}; by qassay)"


def _others(analysis: Analysis, found: Finding) -> list[str]:
    """The other main measures of two systems in some words."""
    report = compared(analysis)
    if report is None or len(analysis.systems) != 2 or not found.better:
        return []
    view = PageView(report)
    of_pair = view.by_pair[view.pairs[0]]
    names = [measure for measure in analysis.main_measures if measure in of_pair and measure != found.measure]
    return [brief_text(view, of_pair[one], measure_words(analysis, one), found.better) for one in names]


def _beside(analysis: Analysis, found: Finding) -> str:
    others = _others(analysis, found)
    return f'<p class="beside faint">Also: {escaped("; ".join(others))}.</p>' if others else ""


def rules(analysis: Analysis) -> list[str]:
    """By what the values were made: examples, metric, preset, extraction, intervals and groups, as plain text."""
    report, options = analysis.report, analysis.scores(analysis.systems[0]).options
    presets = [f"rules of {preset.name}"] if (preset := getattr(options, "of_preset", None)) else []
    extract = getattr(options, "extract", None)
    grouped = groups_text(report)
    return [
        counted(len(analysis.scores(analysis.systems[0])), analysis.examples_name),
        " and ".join(scored.family.name for scored in analysis.scored),
        *presets,
        *([f"answers extracted by {getattr(extract, 'name', extract)}"] if extract is not None else []),
        *([f"{level}s{f' over {grouped}' if grouped else ''}"] if (level := level_text(report)) else []),
    ]


def _values(analysis: Analysis, found: Finding) -> str:
    """The values: of two systems in the measure of the answer, of one in its main measures, of many in their order."""
    hrefs = ErrorsHrefs(analysis)
    if len(analysis.systems) == 1:
        system = analysis.systems[0]
        measures = [found.measure, *(one for one in analysis.main_measures if one != found.measure)][:_MOST_CARDS]
        cards = [
            _card(analysis, measure_words(analysis, one), analysis.cells(one)[system], 0, hrefs.value(one, system))
            for one in measures
        ]
        return f'<div class="values-row">{"".join(cards)}</div>'
    report = compared(analysis)
    if len(analysis.systems) > 2 and report is not None and report.rankings:
        return _standing(analysis, headline_ranking(report))
    title = measure_words(analysis, found.measure)
    short = short_names(analysis)
    cards = [
        _card(analysis, short[system], cell, place, hrefs.value(found.measure, system), title, system)
        for place, (system, cell) in enumerate(analysis.cells(found.measure).items())
    ]
    return f'<div class="values-row">{"".join(cards)}</div>'


def _card(analysis: Analysis, head: str, cell: Cell, place: int, href: str, below: str = "", title: str = "") -> str:
    """A large value with its interval, which leads to its examples."""
    told = " · ".join(filter(None, [below, _ends(analysis, cell)]))
    return (
        f'<div class="value {system_class(place)}"><p class="head" title="{escaped(title or head)}">{isolated(head)}</p>'
        f'<p class="number">{go(_number(analysis, cell.value, cell), href)}</p><p class="faint">{escaped(told)}</p></div>'
    )


def _standing(analysis: Analysis, ranking: Ranking) -> str:
    """Many systems, best first, with ranks and letters."""
    cells = analysis.cells(ranking.measure)
    short, limits = short_names(analysis), interval_limits([*cells.values()], analysis.report.scale)
    hrefs = ErrorsHrefs(analysis)
    rows = []
    for of in ranking.systems:
        cell = cells[of.system]
        rows.append(
            f'<tr class="{system_class(analysis.systems.index(of.system))}"><td>{of.rank}</td>'
            f'<th scope="row" title="{escaped(of.system)}">{isolated(short[of.system])}</th>'
            f"<td><strong>{go(_number(analysis, cell.value, cell), hrefs.value(ranking.measure, of.system))}</strong></td>"
            f'<td>{interval_bar(cell, limits)}<span class="sub">{_ends(analysis, cell)}</span></td><td>{of.letters}</td></tr>'
        )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Rank", "System", "Value", "Interval", "Alike"))
    caption = f"{escaped(measure_words(analysis, ranking.measure))}; systems that share a letter cannot be told apart"
    return f'<table class="standing"><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _number(analysis: Analysis, value: float, cell: Cell) -> str:
    return number_text(value, cell.is_rate, analysis.report.scale) if is_finite(value) else ABSENT


def _ends(analysis: Analysis, cell: Cell) -> str:
    """The interval of a value, "" without one."""
    if cell.interval is None or not all(map(is_finite, cell.interval)):
        return ""
    return " to ".join(_number(analysis, end, cell) for end in cell.interval)


def _ways(analysis: Analysis, found: Finding) -> str:
    """Where to read on, as links."""
    short = short_names(analysis)
    links = [
        f'<a class="go way" href="{escaped(view.href())}">{words}</a>' for words, view in ways(analysis, found, short)
    ]
    return f'<nav class="ways" aria-label="Read on">{"".join(links)}<button type="button" class="copy way">Copy as text</button></nav>'


def ways(analysis: Analysis, found: Finding, short: Mapping[str, str]) -> list[tuple[str, View]]:
    """Words as HTML, and the view that they lead to; `short` as for `as_html`."""
    system = found.worse or analysis.systems[-1]
    wrong = sum(wrong_kinds(analysis, system).values())
    read = (
        (f"Read what {name_html(system, short)} gets wrong ({wrong:,})", View("errors", system=system, kind=ERRORS))
        if wrong
        else (
            f"Read the {escaped(analysis.examples_name)} of {name_html(system, short)}",
            View("errors", system=analysis.first_run(system)),
        )
    )
    worst = worst_slice(analysis)
    where = [(f"Where: slices of the {escaped(analysis.examples_name)}", View("slices"))] if slicings(analysis) else []
    if worst and (found.sure == REAL or len(analysis.systems) != 2):
        sure = slice_certainty(analysis, found, worst)
        doubt = "" if sure in ("", REAL) else f", {sure}"
        told = f"{isolated(slice_words(worst))} ({_loss_text(analysis, found, worst)}{doubt})"
        where = [(f"Where: {told}", slice_view(analysis, system, worst, found.better))]
    compare = [("Compare in detail", View("compare"))] if len(analysis.systems) > 1 else []
    return [read, *where, *compare, ("Report for your manager", View("report"))]


def _loss_text(analysis: Analysis, found: Finding, worst: WorstSlice) -> str:
    """What a system loses in a slice, with a minus."""
    cell = analysis.cells(found.measure)[found.worse]
    loss = worst.loss if len(analysis.systems) == 1 else -worst.loss
    text = number_text(loss, cell.is_rate, analysis.report.scale).replace("-", "−")
    return text if loss < 0 else f"+{text}"
