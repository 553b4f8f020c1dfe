"""The tab Slices: where systems are weakest, and the values of groups of examples; computed when the tab is opened."""

from typing import Any

import gradio as gr

from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.findings import headline_measure
from qassay.spaces_app.handlers import PRIVATE, UNCHECKED, Tab, guarded
from qassay.spaces_app.slice_overview import slices_overview, weakest_slices
from qassay.spaces_app.slices_view import sliced_measures, slices_page, slicings, why_no_slices
from qassay.spaces_app.view_parts import does_not_apply

_NOTHING_YET = "Nothing has been scored yet. Score a system on the first tab to compare groups of examples here."


def build_slices_tab(state: gr.State) -> Tab:
    """The components and events of the tab."""
    first = gr.HTML(does_not_apply(_NOTHING_YET), elem_id="slices-first")
    with gr.Row(visible=False) as choices:
        slicing = gr.Dropdown([], label="Grouped by", info="a column of the gold file, or made from it")
        measure = gr.Dropdown([], label="Measure")
    page = gr.HTML(elem_id="slices-page")
    is_filled = gr.State(False)
    outputs = [first, choices, slicing, measure, page, is_filled]

    @guarded
    def look(analysis: Analysis | None, filled: bool) -> list[Any]:
        """What the tab shows, when it is opened for the first time after something was scored."""
        if filled or analysis is None or why_no_slices(analysis):
            return [gr.skip()] * len(outputs)
        weakest = weakest_slices(analysis)
        names = list(dict.fromkeys([*(one.slicing for one in weakest), *slicings(analysis)]))
        shown = show(analysis, names[0], headline_measure(analysis))
        return [slices_overview(analysis), gr.Row(visible=True), gr.Dropdown(names, value=names[0]), *shown, True]

    def show(analysis: Analysis, name: str, wanted: str | None) -> list[Any]:
        """The measures of a grouping, with the wanted one chosen if it is among them, and the page."""
        measures = sliced_measures(analysis, name)
        if not measures:
            return [gr.Dropdown([], value=None), does_not_apply("None of the main measures applies to these groups.")]
        shown = wanted if wanted in measures else measures[0]
        return [gr.Dropdown(measures, value=shown), slices_page(analysis, name, shown)]

    @guarded
    def choose(analysis: Analysis | None, name: str | None, wanted: str | None) -> list[Any]:
        if analysis is None or name not in slicings(analysis):
            return [gr.skip(), gr.skip()]
        return show(analysis, name, wanted)

    for part in (slicing, measure):
        part.input(
            choose,
            [state, slicing, measure],
            [measure, page],
            show_progress="hidden",
            trigger_mode="always_last",
            **UNCHECKED,
        )
    tab = first.parent
    if isinstance(tab, gr.Tab):
        tab.select(look, [state, is_filled], outputs, show_progress_on=first, **PRIVATE)

    def refresh(analysis: Analysis | None) -> list[Any]:
        why = _NOTHING_YET if analysis is None else why_no_slices(analysis)
        top = does_not_apply(why) if why else ""
        return [top, gr.Row(visible=False), gr.skip(), gr.skip(), "", False]

    return Tab(outputs, refresh)
