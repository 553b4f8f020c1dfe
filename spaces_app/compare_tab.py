"""The tab Compare: choices, and what they compare; nothing is computed before the tab is looked at."""

from typing import Any

import gradio as gr

from qassay.comparison.corrections import CORRECTIONS
from qassay.comparison.paired_tests import PAIRED_TESTS
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.compare_view import (
    MEASURES,
    NEEDS_TWO,
    CompareChoices,
    cards,
    change_of,
    compared_pairs,
    comparison_of,
    comparison_or_why,
    count_card_pages,
    known_comparison,
    overview,
    pair_charts,
    pair_slices,
)
from qassay.spaces_app.handlers import PRIVATE, Tab, guarded
from qassay.spaces_app.view_parts import does_not_apply

_EVERY = "every pair"
_TESTS = {
    "permutation": "permutation (exact where it can be)",
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
_MEASURES = {"main": "the main ones", "usual": "the usual ones", "all": "all that have an interval"}
_PROGRESS = gr.Progress()
_NOT_YET = "Not compared yet. Press Compare."


def build_compare_tab(state: gr.State, chosen: gr.State) -> Tab:
    """The components and events of the tab; `chosen` gets what is chosen here, as `CompareChoices`, for other tabs."""
    lacks = gr.HTML(does_not_apply(NEEDS_TWO), elem_id="compare-lacks")
    with gr.Column(visible=False) as column:
        with gr.Row():
            picks = _build_picks()
        button = gr.Button("Compare", variant="primary", elem_id="compare-button")
        top = gr.HTML(elem_id="compare-overview")
        pair = gr.Dropdown([], label="Two systems in detail", visible=False, elem_id="compare-pair")
        body = gr.HTML(elem_id="compare-details")
        with gr.Column(visible=False) as reading:
            side = gr.Radio(
                ["losses", "gains"], value="losses", label="Examples to read", info="of the second system",
                elem_id="compare-side",
            )  # fmt: skip
            texts = gr.HTML(elem_id="compare-cards")
            with gr.Row(visible=False) as turns:
                before = gr.Button("Previous", size="sm")
                after = gr.Button("Next", size="sm")
        slices = gr.HTML(elem_id="compare-slices")
    shown = gr.State(None)  # the choices that the page shows; None: nothing of what is scored now
    page = gr.State(0)
    results = [top, pair, body, slices, reading, side, texts, turns, page]

    @guarded
    def compare(
        analysis: Analysis | None,
        seen: CompareChoices | None,
        base: str,
        test: str,
        correction: str,
        measures: str,
        progress: Any = _PROGRESS,
    ) -> list[Any]:
        if analysis is None or len(analysis.systems) < 2:
            return [gr.skip()] * len(outputs)
        choices = CompareChoices(None if base == _EVERY else base, test, correction, measures).fitting(analysis)
        if choices == seen:
            return [gr.skip()] * len(outputs)
        if known_comparison(analysis, choices) is None:
            progress(0, desc="Comparing")
        return [*_results_of(analysis, choices), choices, choices]

    @guarded
    def choose_pair(analysis: Analysis | None, seen: CompareChoices | None, place: str | None) -> list[Any]:
        if analysis is None or seen is None or place is None:
            return [gr.skip()] * len(results[2:])
        return _pair_results(analysis, comparison_of(analysis, seen), int(place))

    def turn(step: int | None) -> Any:
        """A handler that shows the first page of cards (None), or turns by so many."""

        @guarded
        def show_cards(analysis: Any, seen: CompareChoices | None, place: str | None, which: str, at: int) -> list[Any]:
            if analysis is None or seen is None:
                return [gr.skip()] * 3
            report = comparison_of(analysis, seen)
            return _card_results(report, int(place or 0), which, 0 if step is None else at + step)

        return show_cards

    inputs = [state, shown, *picks]
    outputs = [*results, shown, chosen]
    tab = column.parent
    events = [button.click, *(pick.input for pick in picks), *([tab.select] if isinstance(tab, gr.Tab) else [])]
    for event in events:
        event(compare, inputs, outputs, show_progress_on=top, trigger_mode="always_last", **PRIVATE)
    pair.input(choose_pair, [state, shown, pair], results[2:], show_progress_on=body, **PRIVATE)
    card_inputs, card_outputs = [state, shown, pair, side, page], [texts, turns, page]
    for event, step in ((side.input, None), (before.click, -1), (after.click, 1)):
        event(turn(step), card_inputs, card_outputs, show_progress="hidden", **PRIVATE)

    def refresh(analysis: Analysis | None) -> list[Any]:
        several = analysis is not None and len(analysis.systems) > 1
        systems = analysis.systems if several else []
        choices = CompareChoices()
        is_made = several and known_comparison(analysis, choices) is not None
        return [
            gr.HTML(visible=not several),
            gr.Column(visible=several),
            gr.Dropdown([_EVERY, *systems], value=_EVERY, visible=len(systems) > 2),
            *(choices.test, choices.correction, choices.measures),
            *(_results_of(analysis, choices) if is_made else _nothing(does_not_apply(_NOT_YET))),
            *(choices if is_made else None, choices),
        ]

    return Tab([lacks, column, *picks, *results, shown, chosen], refresh)


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
        info="slices have the main ones", min_width=180,
    )  # fmt: skip
    return [baseline, test, correction, measures]


def _results_of(analysis: Analysis, choices: CompareChoices) -> list[Any]:
    """What follows the choices: the overview, the pairs there are, and the first of them in detail."""
    report, why = comparison_or_why(analysis, choices)
    if report is None:  # such as systems without a common example: no fault of what the tab was asked
        return _nothing(does_not_apply(f"These systems cannot be compared: {why}."))
    pairs = compared_pairs(report)
    labels = [f"{second} against {first}" for first, second in pairs]
    names = gr.Dropdown(list(zip(labels, map(str, range(len(pairs))), strict=True)), value="0", visible=len(pairs) > 1)
    return [overview(report), names, *_pair_results(analysis, report, 0)]


def _pair_results(analysis: Analysis, report: Any, place: int) -> list[Any]:
    """Two systems in detail, and the first of their examples to read."""
    pair = compared_pairs(report)[place]
    change = change_of(report, pair)
    has_texts = change is not None and bool(change.losses or change.gains)
    sides = [(f"{name} ({_at_most(change, name)})", name) for name in ("losses", "gains")] if has_texts else []
    return [
        pair_charts(analysis, report, pair),
        pair_slices(report, pair),
        gr.Column(visible=has_texts),
        gr.Radio(sides, value="losses") if has_texts else gr.skip(),
        *_card_results(report, place, "losses", 0),
    ]


def _card_results(report: Any, place: int, which: str, at: int) -> list[Any]:
    """A page of examples to read, whether there are others, and which it is."""
    pair = compared_pairs(report)[place]
    pages = count_card_pages(change_of(report, pair), which)
    at = max(0, min(at, pages - 1))
    return [cards(report, pair, which, at), gr.Row(visible=pages > 1), at]


def _nothing(top: str) -> list[Any]:
    """Results without a comparison: only the words of the first part."""
    hidden = gr.Column(visible=False)
    return [top, gr.Dropdown(visible=False), "", "", hidden, gr.skip(), "", gr.Row(visible=False), 0]


def _at_most(change: Any, side: str) -> str:
    """How many there are to read."""
    return f"{len(getattr(change, side)):,}"
