"""The answer first: which system is better, how sure that is, where the other one fails, and where to read on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qassay.catalog import measure_name_in_words
from qassay.comparison.difference import Difference
from qassay.core.intervals import FEW_UNITS
from qassay.reports.chart_parts import escaped, is_finite
from qassay.reports.comparison import ComparisonReport, counted
from qassay.reports.finding import (
    FEW,
    NONE,
    REAL,
    VALUE,
    Finding,
    Piece,
    Sentence,
    as_html,
    brief_text,
    name,
    pair_finding,
    plain_text,
    rank_finding,
    value_finding,
)
from qassay.reports.html_parts import isolated
from qassay.reports.interval_text import groups_text, level_text
from qassay.reports.page_view import PageView
from qassay.reports.palette import system_class
from qassay.reports.values import Cell, in_scale
from qassay.reports.values_text import number_text
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.comparisons import CompareChoices, quick_comparison
from qassay.spaces_app.errors_view import ERRORS
from qassay.spaces_app.slices_view import outliers_of_systems, slicings
from qassay.spaces_app.view_parts import wrapped

_MOST_CARDS = 4  # values that stand beside each other
# A script of the page: its buttons "copy" put the text of the answer around them on the clipboard.
COPY = """() => document.addEventListener('click', async event => {
    const button = event.target.closest('button.copy'), text = button?.closest('[data-text]')?.dataset.text;
    if (!text) return;
    const said = button.textContent;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const box = Object.assign(document.createElement('textarea'), {value: text});
        document.body.append(box);
        box.select();
        document.execCommand('copy');
        box.remove();
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = said; }, 1500);
})"""
_WORDS = {REAL: "Likely real", FEW: "Too few to say", NONE: "Not compared"}


class WorstSlice(NamedTuple):
    """Where a system loses most: the slice, its label, how much, in the scale of the report, and of how many examples.

    `loss` is the winner's value minus the loser's; of a system alone its value minus the value of all examples. `of` says how
    many slices were looked at.
    """

    slice: str
    label: str
    loss: float
    n: int
    of: int


# --- comparisons ------------------------------------------------------------------------------------------------------


def verdict_of(analysis: Analysis, measures: str | None = None) -> ComparisonReport | None:
    """All systems compared as the tab Compare does before anybody chooses, without slices and texts.

    Args:
        measures: "main" or "usual"; None for those of the tab.

    Returns:
        None for one system, and for systems that cannot be compared.
    """
    if len(analysis.systems) < 2:
        return None
    choices = CompareChoices() if measures is None else CompareChoices(measures=measures)

    try:
        return quick_comparison(analysis, choices)
    except ValueError:  # such as systems without a common example: the tab Compare says why
        return None


def measure_words(analysis: Analysis, measure: str) -> str:
    """The name of a measure as the field writes it."""
    metric = next(
        (
            one.family.name
            for one in analysis.scored
            if any(measure in scores.measures for scores in one.scores.values())
        ),
        analysis.family.name,
    )
    return measure_name_in_words(metric, measure)


# --- findings ---------------------------------------------------------------------------------------------------------


def finding_of(analysis: Analysis) -> Finding:
    """What was found, kept with the analysis."""
    return analysis.once("finding", lambda: _finding(analysis))


def _finding(analysis: Analysis) -> Finding:
    report, systems = verdict_of(analysis), analysis.systems
    if len(systems) == 1:
        return _of_one(analysis)
    if report is None:
        told = [Piece("These systems cannot be compared; the tab "), Piece("Compare", "", View("compare").href()), Piece(" says why.")]  # fmt: skip
        return Finding(NONE, [Piece("Not compared")], [told], measure=analysis.main_measures[0])
    view = PageView(report)
    if len(systems) > 2 and report.rankings:
        ranking = report.rankings[0]

        def write(value: float) -> str:
            return view.write(value, Cell(value, None, ranking.n, ranking.is_rate))

        return rank_finding(ranking, measure_words(analysis, ranking.measure), write, analysis.examples_name)
    return _of_pair(analysis, view)


def _of_one(analysis: Analysis) -> Finding:
    system, measure = analysis.systems[0], headline_measure(analysis)
    title = measure_words(analysis, measure)
    found = value_finding(analysis.report, system, measure, title, analysis.examples_name)
    more = []
    if worst := worst_slice(analysis):
        cell = analysis.report.systems[system][measure]
        whole = number_text(cell.value, cell.is_rate, analysis.report.scale)
        value = number_text(cell.value + worst.loss, cell.is_rate, analysis.report.scale)
        more += [[Piece("It is weakest on "), *_slice_pieces(system, worst), Piece(f": {value} against {whole} of all (n = {worst.n:,}).")]]  # fmt: skip
    return found._replace(sentences=[*found.sentences, *more, *_most_errors(analysis, system)])


def _of_pair(analysis: Analysis, view: PageView) -> Finding:
    difference = _headline_difference(view)
    found = pair_finding(view, difference, measure_words(analysis, difference.measure))
    if not found.worse:
        return found
    more: list[Sentence] = []
    if found.sure == REAL and (worst := worst_slice(analysis)):
        loss = view.signed(-worst.loss, difference)
        looked = f"the largest gap in {worst.of} slices of {FEW_UNITS} {analysis.examples_name} or more"
        more.append(
            [
                name(found.worse),
                Piece(" loses most on "),
                *_slice_pieces(found.worse, worst),
                Piece(f": {loss} (n = {worst.n:,}, {looked})."),
            ]  # fmt: skip
        )
    return found._replace(sentences=[*found.sentences, *more, *_excess_errors(analysis, found.better, found.worse)])


def _headline_difference(view: PageView) -> Difference:
    """Of two systems: by the main measure that tells most examples apart."""
    of_pair = view.by_pair[view.pairs[0]]
    return of_pair[view.main_measures(view.pairs[0])[0]]


def headline_measure(analysis: Analysis) -> str:
    """The measure that the answer is told by."""
    report = verdict_of(analysis)
    if report is None or not report.differences:
        graded = [name for name in analysis.main_measures if _is_graded(analysis, name)]
        return (graded or analysis.main_measures)[0]
    if len(analysis.systems) > 2 and report.rankings:
        return report.rankings[0].measure
    return _headline_difference(PageView(report)).measure


def _is_graded(analysis: Analysis, measure: str) -> bool:
    """Whether single examples have more values of it than right and wrong."""
    of_each = analysis.by_example(analysis.systems[0], measure)
    return of_each is not None and len(set(of_each[of_each == of_each].tolist())) > 2


def _slice_pieces(system: str, worst: WorstSlice) -> Sentence:
    return [name(_shown(worst.label), _slice_view(system, worst).href()), Piece(f" ({_in_words(worst.slice)})")]


def _slice_view(system: str, worst: WorstSlice) -> View:
    return View("errors", system=system, slice=f"{worst.slice}:{worst.label}")


def _in_words(slice_name: str) -> str:
    return slice_name.replace("_", " ")


def _shown(label: str) -> str:
    return label if label.strip() else "(empty)"


def worst_slice(analysis: Analysis) -> WorstSlice | None:
    """Where the system that is behind loses most; of a system alone, where it is worse than in all by more than chance.

    None where no slice has enough examples, or none has a larger gap than all examples, and for more than two systems.
    """
    if len(analysis.systems) > 2:
        return None
    make = _weakest_slice if len(analysis.systems) == 1 else _largest_gap
    return analysis.once("worst_slice", lambda: make(analysis))


def _looked_at(analysis: Analysis) -> list[str]:
    """The slices of the examples, not of the answers, that a report has when nobody asks for others."""
    return [slice_name for slice_name in slicings(analysis) if slice_name in analysis.telling.report_slices]


def _weakest_slice(analysis: Analysis) -> WorstSlice | None:
    measure, system = headline_measure(analysis), analysis.systems[0]
    whole, found = analysis.report.systems[system][measure].value, []
    names = _looked_at(analysis)
    for slice_name in names:
        for outlier in outliers_of_systems(analysis, slice_name, measure)[system]:
            found.append(WorstSlice(slice_name, outlier.label, outlier.value - whole, outlier.n, len(names)))
    lower = analysis.scores(system).measures[measure].lower_is_better
    return min(found, key=lambda slice_: -slice_.loss if lower else slice_.loss, default=None)


def _largest_gap(analysis: Analysis) -> WorstSlice | None:
    report = verdict_of(analysis)
    if report is None:
        return None
    difference = _headline_difference(PageView(report))
    first, *others = analysis.main.scores.values()
    alike = all(list(scores.ids) == list(first.ids) for scores in others)
    if difference.better is None or difference.left_out or not alike:
        return None  # the values of slices would be of other examples than the difference
    measure, sign = difference.measure, -1 if difference.lower_is_better else 1
    worse = difference.first if difference.better == difference.second else difference.second
    systems = in_scale(analysis.main.scores, analysis.settings.percent)
    gaps: list[WorstSlice] = []
    for slice_name in _looked_at(analysis):
        labels = analysis.labels(worse, slice_name)
        parts = {system: scores.with_measures({measure: scores.measures[measure]}).by(labels) for system, scores in systems.items()}  # fmt: skip
        for label, part in parts[worse].items():
            n = part.counts()[measure]
            values = [float(parts[system][label].summary()[measure]) for system in (difference.better, worse)]
            if n >= FEW_UNITS and all(map(is_finite, values)):
                gaps.append(WorstSlice(slice_name, label, sign * (values[0] - values[1]), n, 0))
    worst = max(gaps, key=lambda gap: gap.loss, default=None)
    if worst is None or worst.loss <= abs(difference.difference):
        return None
    return worst._replace(of=len(gaps), loss=sign * worst.loss)


def _wrong_kinds(analysis: Analysis, system: str) -> Mapping[str, int]:
    """How many examples of a system have each kind of error, without what is right."""
    if analysis.error_kinds is None:
        return {}
    right = analysis.telling.errors.right
    counts = Counter(analysis.error_kinds[system])
    return {kind: count for kind, count in counts.items() if kind not in right and count}


def _kind_piece(system: str, kind: str) -> Piece:
    return Piece(f"“{kind}”", "", View("errors", system=system, kind=kind).href())


def _excess_errors(analysis: Analysis, better: str, worse: str) -> list[Sentence]:
    """The kind of error that the loser makes most beyond the winner; nothing where it makes none more often."""
    ahead, behind = _wrong_kinds(analysis, better), _wrong_kinds(analysis, worse)
    if not behind or len(analysis.scores(better)) != len(analysis.scores(worse)):
        return []
    kind = max(behind, key=lambda kind: behind[kind] - ahead.get(kind, 0))
    if behind[kind] <= ahead.get(kind, 0):
        return []
    told = Piece(f", {behind[kind]:,} against {ahead.get(kind, 0):,} of ")
    return [
        [Piece("Kind of error with the largest excess: "), _kind_piece(worse, kind), told, name(better), Piece(".")]
    ]


def _most_errors(analysis: Analysis, system: str) -> list[Sentence]:
    """The most frequent kind of error of a system."""
    kinds = _wrong_kinds(analysis, system)
    if not kinds:
        return []
    kind = max(kinds, key=kinds.__getitem__)
    told = Piece(f", {kinds[kind]:,} of {counted(sum(kinds.values()), 'errors')}.")
    return [[Piece("Most frequent kind of error: "), _kind_piece(system, kind), told]]


# --- the page ---------------------------------------------------------------------------------------------------------


def overview_html(analysis: Analysis) -> str:
    """The answer as HTML: verdict, values, the finding in words, ways onward, and by which rules."""
    found = finding_of(analysis)
    word = _WORDS.get(found.sure, found.sure.capitalize())
    chip = (
        f'<span class="chip {"real" if found.sure == REAL else "unsure"}">{word}</span>' if found.sure != VALUE else ""
    )
    sentences = " ".join(map(as_html, found.sentences))
    return wrapped(
        f'<section class="answer" data-text="{escaped(copied_text(analysis))}">'
        f'<h2 class="verdict"><span>{as_html(found.headline)}</span>{chip}</h2>'
        f'<div class="known">{_values(analysis, found)}<div><p class="found">{sentences}</p>{_beside(analysis, found)}</div></div>'
        f"{_ways(analysis, found)}"
        f'<p class="rules">{" · ".join(map(escaped, rules(analysis)))}</p></section>'
    )


def copied_text(analysis: Analysis) -> str:
    """The finding as plain text, for an e-mail or a chat."""
    found = finding_of(analysis)
    told = " ".join(map(plain_text, found.sentences))
    more = f" {'; '.join(others)}." if (others := _others(analysis, found)) else ""
    return f"{plain_text(found.headline)}. {told}{more}\n({'; '.join(rules(analysis))}; by qassay)"


def _others(analysis: Analysis, found: Finding) -> list[str]:
    """The other main measures of two systems in some words."""
    report = verdict_of(analysis)
    if report is None or len(analysis.systems) != 2 or not found.better:
        return []
    of_pair = PageView(report).by_pair[PageView(report).pairs[0]]
    names = [measure for measure in analysis.main_measures if measure in of_pair and measure != found.measure]
    return [brief_text(PageView(report), of_pair[one], measure_words(analysis, one), found.better) for one in names]


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
        *([f"{level_text(report)}s{f' over {grouped}' if grouped else ''}"] if report.level is not None else []),
    ]


def _values(analysis: Analysis, found: Finding) -> str:
    """The values: of two systems in the measure of the answer, of one in its main measures, of many in their order."""
    if len(analysis.systems) == 1:
        system = analysis.systems[0]
        cells = analysis.report.systems[system]
        measures = [found.measure, *(one for one in analysis.main_measures if one != found.measure)][:_MOST_CARDS]
        cards = [_card(analysis, measure_words(analysis, one), cells[one], 0) for one in measures if one in cells]
        return f'<div class="values-row">{"".join(cards)}</div>'
    report = verdict_of(analysis)
    cells = {
        system: cells[found.measure] for system, cells in analysis.report.systems.items() if found.measure in cells
    }
    title = measure_words(analysis, found.measure)
    places = {system: place for place, system in enumerate(analysis.systems)}
    marks = {}
    shown: Sequence[str] = [*cells]
    if len(cells) > 2 and report is not None and report.rankings:
        ranking = report.rankings[0]
        shown = [of.system for of in ranking.systems if of.system in cells]
        marks = {of.system: f"rank {of.rank}, {of.letters}" for of in ranking.systems}
    cards = [_card(analysis, one, cells[one], places[one], title, marks.get(one, "")) for one in shown]
    return f'<div class="values-row">{"".join(cards)}</div>'


def _card(analysis: Analysis, head: str, cell: Cell, place: int, below: str = "", mark: str = "") -> str:
    """A large value with its interval."""
    write = _writer(analysis, cell)
    ends = f"{write(cell.interval[0])} to {write(cell.interval[1])}" if _has_ends(cell) else ""
    told = " · ".join(filter(None, [below, ends, mark]))
    return (
        f'<div class="value {system_class(place)}"><p class="head" title="{escaped(head)}">{isolated(head)}</p>'
        f'<p class="number">{write(cell.value) if is_finite(cell.value) else "–"}</p><p class="faint">{escaped(told)}</p></div>'
    )


def _has_ends(cell: Cell) -> bool:
    return cell.interval is not None and all(map(is_finite, cell.interval))


def _writer(analysis: Analysis, cell: Cell):
    return lambda value: number_text(value, cell.is_rate, analysis.report.scale)


def _ways(analysis: Analysis, found: Finding) -> str:
    """Where to read on, as links."""
    links = [f'<a class="go way" href="{escaped(view.href())}">{words}</a>' for words, view in ways(analysis, found)]
    return f'<nav class="ways" aria-label="Read on">{"".join(links)}<button type="button" class="copy way">Copy as text</button></nav>'


def ways(analysis: Analysis, found: Finding) -> list[tuple[str, View]]:
    """Words as HTML, and the view that they lead to."""
    system = found.worse or analysis.systems[-1]
    wrong = sum(_wrong_kinds(analysis, system).values())
    read = (
        (f"Read what {isolated(system)} gets wrong ({wrong:,})", View("errors", system=system, kind=ERRORS))
        if wrong
        else (f"Read the {escaped(analysis.examples_name)} of {isolated(system)}", View("errors", system=system))
    )
    worst = worst_slice(analysis)
    where = (
        (
            f"Where: worst slice ({isolated(_shown(worst.label))}, {_loss_text(analysis, found, worst)})",
            _slice_view(system, worst),
        )  # fmt: skip
        if worst and (found.sure == REAL or len(analysis.systems) == 1)
        else (f"Where: slices of the {escaped(analysis.examples_name)}", View("slices"))
    )
    compare = [("Compare in detail", View("compare"))] if len(analysis.systems) > 1 else []
    return [read, where, *compare, ("Report for your manager", View("report"))]


def _loss_text(analysis: Analysis, found: Finding, worst: WorstSlice) -> str:
    """What a system loses in a slice, with a minus."""
    cell = analysis.report.systems[found.worse][found.measure]
    loss = worst.loss if len(analysis.systems) == 1 else -worst.loss
    text = number_text(loss, cell.is_rate, analysis.report.scale).replace("-", "−")
    return text if loss < 0 else f"+{text}"
