"""The tab Compare: the verdict as soon as it is opened, then where two systems differ; the settings are folded."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ..files.reading import with_file_names
from ..reports.comparison import ComparisonReport
from ..reports.one_pair import compared_pairs
from ..reports.page_view import Pair
from ..stats.corrections import CORRECTIONS
from ..stats.paired_tests import PAIRED_TESTS
from .address import View, unknown
from .analysis import Analysis
from .compare_view import pair_details, verdict
from .comparisons import (
    MEASURES,
    NEEDS_TWO,
    CompareChoices,
    comparison_of,
    known_comparison,
    verdict_of,
)
from .findings import headline_ranking
from .handlers import PRIVATE, Tab, guarded
from .opened import view_html
from .view_parts import does_not_apply, wrapped

_EVERY = "every pair"
_TESTS = {
    "permutation": "permutation (exact if feasible)",
    "bootstrap": "bootstrap",
    "t": "Student's t",
    "wilcoxon": "Wilcoxon signed-rank",
    "mcnemar": "McNemar (right or wrong)",
}
_CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
    "none": "none",
}
_MEASURES = {"main": "main measures", "usual": "usual measures", "all": "all with an interval"}


def build_compare_tab(state: gr.State, chosen: gr.State, now: gr.HTML) -> Tab:
    """The components and events of the tab; `chosen` gets what is chosen here, as `CompareChoices`, for other tabs, and `now`
    tells the address what it shows.
    """
    lacks = gr.HTML(does_not_apply(NEEDS_TWO), elem_id="compare-lacks")
    with gr.Column(visible=False) as column:
        top = gr.HTML(elem_id="compare-overview")
        pair = gr.Dropdown([], label="Two systems in detail", visible=False, elem_id="compare-pair")
        with gr.Accordion(_settings_label(CompareChoices()), open=False, elem_id="compare-settings") as settings:
            with gr.Row():
                picks = _build_picks()
        body = gr.HTML(elem_id="compare-details")
    shown = gr.State(None)  # the choices that the page shows; None: nothing of what is scored now
    results = [top, pair, body, now]
    outputs = [*results, settings, shown, chosen]

    @guarded
    def compare(
        analysis: Analysis | None, seen: CompareChoices | None, base: str, test: str, correction: str, measures: str
    ) -> Iterator[list[Any]]:
        nothing = [gr.skip()] * len(outputs)
        if analysis is None or len(analysis.systems) < 2:
            yield nothing
            return
        choices = CompareChoices(None if base == _EVERY else base, test, correction, measures).fitting(analysis)
        if choices == seen:
            yield nothing
            return
        for found in _found(analysis, choices):
            yield [*found, gr.Accordion(label=_settings_label(choices)), choices, choices]

    @guarded
    def show_pair(analysis: Analysis | None, seen: CompareChoices | None, place: str | None) -> list[Any]:
        if analysis is None or seen is None:
            return [gr.skip()] * 2
        report = comparison_of(analysis, seen)
        pairs = compared_pairs(report)
        if int(place or 0) >= len(pairs):  # of a comparison that has just been replaced
            return [gr.skip()] * 2
        one = pairs[int(place or 0)]
        return [pair_details(analysis, report, one), view_html(pair_view(analysis, report, seen, one))]

    inputs = [state, shown, *picks]
    tab = column.parent
    events = [*(pick.input for pick in picks), *([tab.select] if isinstance(tab, gr.Tab) else [])]
    for event in events:
        event(compare, inputs, outputs, show_progress="hidden", trigger_mode="always_last", **PRIVATE)
    pair.input(show_pair, [state, shown, pair], [body, now], show_progress_on=body, **PRIVATE)

    def filled(
        analysis: Analysis | None, found: list[Any], shows: CompareChoices | None, choices: CompareChoices
    ) -> list[Any]:
        """The values of the tab with these settings."""
        several = analysis is not None and len(analysis.systems) > 1
        systems = analysis.systems if several else []
        return [
            gr.HTML(visible=not several),
            gr.Column(visible=several),
            gr.Dropdown([_EVERY, *systems], value=choices.baseline or _EVERY, visible=len(systems) > 2),
            *(choices.test, choices.correction, choices.measures),
            *found,
            gr.Accordion(label=_settings_label(choices)),
            *(shows, choices),
        ]

    def refresh(analysis: Analysis | None) -> list[Any]:
        choices = CompareChoices()
        report = analysis and known_comparison(analysis, choices)
        found = (_results_of(analysis, report, choices), choices) if report else (_nothing(), None)
        return filled(analysis, *found, choices)

    def follow(analysis: Analysis, view: View) -> tuple[list[Any], list[str]]:
        """The settings and the two systems of a link."""
        if len(analysis.systems) < 2:
            return refresh(analysis), []
        choices, misfits = _choices_of(analysis, view)
        absent = [name for name in (view.system, view.other) if name and name not in analysis.systems]
        misfits += [unknown("system", name, analysis.systems) for name in absent]
        wanted = None
        if view.system and view.other and view.system != view.other and not absent:
            wanted = (view.other, view.system)
        if wanted is None and choices == CompareChoices():  # compared when the tab opens
            return refresh(analysis), misfits
        *_, found = _found(analysis, choices, wanted)
        return filled(analysis, found, choices, choices), misfits

    return Tab([lacks, column, *picks, *results, settings, shown, chosen], refresh, follow)


def _found(analysis: Analysis, choices: CompareChoices, wanted: Pair | None = None) -> Iterator[list[Any]]:
    """What follows the choices, as soon as it is known: the verdict before the slices are compared; `wanted` as of
    `_results_of`.
    """
    try:
        if known_comparison(analysis, choices) is None:
            yield _nothing(wrapped(f'<p class="faint" role="status">Comparing {len(analysis.systems)} systems…</p>'))
            quick = verdict_of(analysis, choices)
            yield _results_of(analysis, quick, choices, wanted, waits=True)
        yield _results_of(analysis, comparison_of(analysis, choices), choices, wanted)
    except ValueError as error:  # such as systems without a common example: no fault of what the tab was asked
        why = with_file_names(error, analysis.inputs.shown_files)
        yield _nothing(does_not_apply(f"These systems cannot be compared: {why}."))


def _results_of(
    analysis: Analysis,
    report: ComparisonReport,
    choices: CompareChoices,
    wanted: Pair | None = None,
    *,
    waits: bool = False,
) -> list[Any]:
    """The verdict, the pairs there are, one of them in detail, and its address.

    Args:
        wanted: two systems; None: the two best ones.
        waits: slices are still being compared.
    """
    pairs = compared_pairs(report)
    first = _first_pair(report)
    place = next((place for place, pair in enumerate(pairs) if {*pair} == {*(wanted or first)}), pairs.index(first))
    pair = pairs[place]
    labels = [f"{second} against {first}" for first, second in pairs]
    names = gr.Dropdown(
        list(zip(labels, map(str, range(len(pairs))), strict=True)), value=str(place), visible=len(pairs) > 1
    )
    details = pair_details(analysis, report, pair, waits=waits)
    told = view_html(pair_view(analysis, report, choices, pair))
    return [verdict(analysis, report), names, details, told]


def _first_pair(report: ComparisonReport) -> Pair:
    """What is shown before anybody chooses: the two best systems, where they are compared."""
    pairs = compared_pairs(report)
    best = {one.system for one in headline_ranking(report).systems[:2]} if report.rankings else set()
    return next((pair for pair in pairs if {*pair} == best), pairs[0])


def pair_view(analysis: Analysis, report: ComparisonReport, choices: CompareChoices, pair: Pair) -> View:
    """The address of two systems and the settings, without what is shown before anybody chooses."""
    usual = CompareChoices()
    given = {name: value for name, value in choices._asdict().items() if value != getattr(usual, name)}
    if pair != _first_pair(report):
        given |= {"system": pair[1], "other": pair[0]}
    return View("compare", sample=analysis.inputs.sample, **given)


def _choices_of(analysis: Analysis, view: View) -> tuple[CompareChoices, list[str]]:
    """The settings of a link, and in words what of them does not fit."""
    known = {"baseline": analysis.systems, "test": PAIRED_TESTS, "correction": CORRECTIONS, "measures": MEASURES}
    given = {name: value for name in known if (value := getattr(view, name))}
    words = {"measures": "choice of measures"}
    misfits = [
        unknown(words.get(name, name), value, known[name]) for name, value in given.items() if value not in known[name]
    ]
    return CompareChoices(**{name: value for name, value in given.items() if value in known[name]}), misfits


def _settings_label(choices: CompareChoices) -> str:
    """The settings in one line, which opens them."""
    base = f"against {choices.baseline}, " if choices.baseline else ""
    return f"{base}{choices.test} test, correction {_CORRECTIONS[choices.correction]}, {choices.measures} measures · change"


def _nothing(top: str = "") -> list[Any]:
    """Results without a comparison: only the words of the first part."""
    return [top, gr.Dropdown(visible=False), "", view_html(None)]


def _build_picks() -> list[gr.Dropdown]:
    """Baseline, test, correction and measures."""
    baseline = gr.Dropdown([_EVERY], value=_EVERY, label="Baseline", info="compare the others with it", min_width=180)
    test = gr.Dropdown(
        [(_TESTS[name], name) for name in PAIRED_TESTS], value=PAIRED_TESTS[0], label="Test", info="paired",
        min_width=180,
    )  # fmt: skip
    correction = gr.Dropdown(
        [(_CORRECTIONS[name], name) for name in CORRECTIONS], value=CORRECTIONS[0], label="Correction",
        info="for the number of tests", min_width=180,
    )  # fmt: skip
    measures = gr.Dropdown(
        [(_MEASURES[name], name) for name in MEASURES], value=CompareChoices().measures, label="Measures",
        info="slices: the main measures", min_width=180,
    )  # fmt: skip
    return [baseline, test, correction, measures]
