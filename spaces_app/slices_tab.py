"""The tab Slices: the values of groups of examples."""

from typing import Any

import gradio as gr

from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.handlers import PRIVATE, Tab, guarded
from qassay.spaces_app.slices_view import sliced_measures, slices_page, slicings, why_no_slices
from qassay.spaces_app.view_parts import does_not_apply

_NOTHING_YET = "Nothing was scored yet. Score something on the first tab; then groups of examples can be compared here."


def build_slices_tab(state: gr.State) -> Tab:
    """The components and events of the tab."""
    with gr.Row(visible=False) as choices:
        slicing = gr.Dropdown([], label="Grouped by", info="a column of the gold file, or made from it")
        measure = gr.Dropdown([], label="Measure", info="shown in the first chart, the next one beside it")
    page = gr.HTML(does_not_apply(_NOTHING_YET), elem_id="slices-page")

    def refresh(analysis: Analysis | None) -> list[Any]:
        why = _NOTHING_YET if analysis is None else why_no_slices(analysis)
        if why:
            return [gr.Row(visible=False), gr.skip(), gr.skip(), does_not_apply(why)]
        names = slicings(analysis)
        return [gr.Row(visible=True), gr.Dropdown(names, value=names[0]), *show(analysis, names[0], None)]

    def show(analysis: Analysis, name: str, wanted: str | None) -> list[Any]:
        """The measures of a grouping, of which the wanted one is kept where it is there, and the page."""
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
            **PRIVATE,
        )
    return Tab([choices, slicing, measure, page], refresh)
