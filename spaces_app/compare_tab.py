"""The tab Compare: choices, and what they compare; nothing is computed before the tab is looked at."""

import time
import weakref
from typing import Any

import gradio as gr

from karat.core.paired import CORRECTIONS, PAIRED_TESTS
from karat.spaces_app.analysis import Analysis
from karat.spaces_app.compare_view import (
    MEASURES,
    NEEDS_TWO,
    CompareChoices,
    cards,
    change_of,
    comparison_of,
    count_pages,
    known_comparison,
    overview,
    pair_charts,
    pair_slices,
    pairs_of,
)
from karat.spaces_app.handlers import PRIVATE, Tab, guarded
from karat.spaces_app.view_parts import does_not_apply

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

_chosen: "weakref.WeakKeyDictionary[gr.State, gr.State]" = weakref.WeakKeyDictionary()


def chosen_state(state: gr.State) -> gr.State:
    """What a visitor chose here, as `CompareChoices`, for other tabs over the same state of the page."""
    if state not in _chosen:
        _chosen[state] = gr.State(CompareChoices())
    return _chosen[state]


def build_compare_tab(state: gr.State) -> Tab:
    """The components and events of the tab."""
    lacks = gr.HTML(does_not_apply(NEEDS_TWO), elem_id="compare-lacks")
    with gr.Column(visible=False) as column:
        with gr.Row():
            baseline = gr.Dropdown(
                [_EVERY], value=_EVERY, label="Baseline", info="compare the others with it", min_width=180
            )
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
    looked = gr.State(False)  # whether the visitor has ever looked at the tab
    scored = gr.State(0)  # another number after every scoring
    page = gr.State(0)
    picks = [baseline, test, correction, measures]
    chosen = chosen_state(state)
    results = [top, pair, body, slices, reading, side, texts, turns, page]

    def results_of(analysis: Analysis, choices: CompareChoices) -> list[Any]:
        try:
            report = comparison_of(analysis, choices)
        except ValueError as error:  # such as systems without a common example: no fault of what the tab was asked
            return _nothing(does_not_apply(str(error)))
        pairs = pairs_of(report)
        labels = [f"{second} against {first}" for first, second in pairs]
        names = gr.Dropdown(
            list(zip(labels, map(str, range(len(pairs))), strict=True)), value="0", visible=len(pairs) > 1
        )
        return [overview(report), names, *pair_results(analysis, report, 0)]

    def pair_results(analysis: Analysis, report: Any, place: int) -> list[Any]:
        one = pairs_of(report)[place]
        change = change_of(report, one)
        has_texts = change is not None and bool(change.losses or change.gains)
        sides = [(f"{name} ({_at_most(change, name)})", name) for name in ("losses", "gains")] if has_texts else []
        return [
            pair_charts(analysis, report, one),
            pair_slices(report, one),
            gr.Column(visible=has_texts),
            gr.Radio(sides, value="losses") if has_texts else gr.skip(),
            *card_results(report, place, "losses", 0),
        ]

    def card_results(report: Any, place: int, which: str, at: int) -> list[Any]:
        one = pairs_of(report)[place]
        pages = count_pages(change_of(report, one), which)
        at = max(0, min(at, pages - 1))
        return [cards(report, one, which, at), gr.Row(visible=pages > 1), at]

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
        return [*results_of(analysis, choices), choices, choices, True]

    @guarded
    def compare_again(
        analysis: Analysis | None, seen: CompareChoices | None, base: str, test: str, correction: str, measures: str,
        has_looked: bool,
    ) -> list[Any]:  # fmt: skip
        if not has_looked:
            return [gr.skip()] * len(outputs)
        return compare(analysis, seen, base, test, correction, measures)

    @guarded
    def choose_pair(analysis: Analysis | None, seen: CompareChoices | None, place: str | None) -> list[Any]:
        if analysis is None or seen is None or place is None:
            return [gr.skip()] * len(results[2:])
        return pair_results(analysis, comparison_of(analysis, seen), int(place))

    def turn(step: int | None) -> Any:
        """A handler that shows the first page of cards (None), or turns by so many."""

        @guarded
        def show_cards(analysis: Any, seen: CompareChoices | None, place: str | None, which: str, at: int) -> list[Any]:
            if analysis is None or seen is None:
                return [gr.skip()] * 3
            found = comparison_of(analysis, seen)
            return card_results(found, int(place or 0), which, 0 if step is None else at + step)

        return show_cards

    inputs = [state, shown, *picks]
    outputs = [*results, shown, chosen, looked]
    tab = column.parent
    events = [button.click, *(pick.input for pick in picks), *([tab.select] if isinstance(tab, gr.Tab) else [])]
    for event in events:
        event(compare, inputs, outputs, show_progress_on=top, trigger_mode="always_last", **PRIVATE)
    # Those who opened the tab before the scoring was done do not open it again.
    scored.change(compare_again, [*inputs, looked], outputs, show_progress_on=top, **PRIVATE)
    pair.input(choose_pair, [state, shown, pair], results[2:], show_progress_on=body, **PRIVATE)
    card_inputs, card_outputs = [state, shown, pair, side, page], [texts, turns, page]
    for event, step in ((side.input, None), (before.click, -1), (after.click, 1)):
        event(turn(step), card_inputs, card_outputs, show_progress="hidden", **PRIVATE)

    def refresh(analysis: Analysis | None) -> list[Any]:
        several = analysis is not None and len(analysis.systems) > 1
        systems = analysis.systems if several else []
        choices = CompareChoices()
        known = several and known_comparison(analysis, choices) is not None
        return [
            gr.HTML(visible=not several),
            gr.Column(visible=several),
            gr.Dropdown([_EVERY, *systems], value=_EVERY, visible=len(systems) > 2),
            *(choices.test, choices.correction, choices.measures),
            *(results_of(analysis, choices) if known else _nothing(does_not_apply(_NOT_YET))),
            *(choices if known else None, choices, time.time_ns()),
        ]

    return Tab([lacks, column, *picks, *results, shown, chosen, scored], refresh)


def _nothing(top: str) -> list[Any]:
    """Results without a comparison: only the words of the first part."""
    hidden = gr.Column(visible=False)
    return [top, gr.Dropdown(visible=False), "", "", hidden, gr.skip(), "", gr.Row(visible=False), 0]


def _at_most(change: Any, side: str) -> str:
    """How many there are to read."""
    return f"{len(getattr(change, side)):,}"
