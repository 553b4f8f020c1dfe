"""The tab Slices: where systems are weakest, and the values of groups of examples; computed when the tab is opened."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from .address import View, unknown
from .analysis import Analysis
from .findings import headline_measure
from .handlers import PRIVATE, UNCHECKED, Tab, guarded
from .opened import view_html
from .slice_overview import is_tested, slices_overview, weakest_slices
from .slices_view import sliced_measures, slices_page, slicings, why_no_slices
from .view_parts import does_not_apply

_NOTHING_YET = "Nothing has been scored yet. Score a system on the first tab to compare groups of examples here."


def build_slices_tab(state: gr.State, now: gr.HTML) -> Tab:
    """The components and events of the tab; `now` tells the address what it shows."""
    first = gr.HTML(does_not_apply(_NOTHING_YET), elem_id="slices-first")
    with gr.Row(visible=False) as choices:
        slicing = gr.Dropdown([], label="Grouped by", info="a column of the gold file, or made from it")
        measure = gr.Dropdown([], label="Measure")
    page = gr.HTML(elem_id="slices-page")
    is_filled = gr.State(False)
    outputs = [first, choices, slicing, measure, page, now, is_filled]

    @guarded
    def look(analysis: Analysis | None, filled: bool) -> Iterator[list[Any]]:
        """What the tab shows, when it is opened for the first time after something was scored; the tests of differences take
        longest.
        """
        if filled or analysis is None or why_no_slices(analysis):
            yield [gr.skip()] * len(outputs)
            return
        waits = not is_tested(analysis)
        yield fill(analysis, waits=waits)
        if waits:
            yield [slices_overview(analysis), *[gr.skip()] * (len(outputs) - 2), True]

    def fill(analysis: Analysis, name: str = "", wanted: str = "", *, waits: bool = False) -> list[Any]:
        """All of the tab, with a grouping and a measure; by default the first grouping, and the measure of the answer."""
        names = _groupings(analysis)
        name = name or names[0]
        shown = show(analysis, name, wanted or headline_measure(analysis))
        top = slices_overview(analysis, waits=waits)
        return [top, gr.Row(visible=True), gr.Dropdown(names, value=name), *shown, not waits]

    def show(analysis: Analysis, name: str, wanted: str | None) -> list[Any]:
        """The measures of a grouping, with the wanted one chosen if it is among them, the page, and its address."""
        measures = sliced_measures(analysis, name)
        if not measures:
            why = does_not_apply("None of the main measures applies to these groups.")
            return [gr.Dropdown([], value=None), why, view_html(grouping_view(analysis, name))]
        shown = wanted if wanted in measures else measures[0]
        told = view_html(grouping_view(analysis, name, shown))
        return [gr.Dropdown(measures, value=shown), slices_page(analysis, name, shown), told]

    @guarded
    def choose(analysis: Analysis | None, name: str | None, wanted: str | None) -> list[Any]:
        if analysis is None or name not in slicings(analysis):
            return [gr.skip()] * 3
        return show(analysis, name, wanted)

    for part in (slicing, measure):
        part.input(
            choose,
            [state, slicing, measure],
            [measure, page, now],
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
        return [top, gr.Row(visible=False), gr.skip(), gr.skip(), "", view_html(None), False]

    def follow(analysis: Analysis, view: View) -> tuple[list[Any], list[str]]:
        """The grouping and the measure of a link."""
        is_first = view.by == view.measure == "" and not is_tested(analysis)
        if why_no_slices(analysis) or is_first:  # filled when the tab opens
            return refresh(analysis), []
        misfits = []
        name, wanted = view.by, view.measure
        if name and name not in slicings(analysis):
            misfits.append(unknown("grouping", name, slicings(analysis)))
            name = ""
        there = sliced_measures(analysis, name or _groupings(analysis)[0])
        if wanted and wanted not in there:
            misfits.append(unknown("measure", wanted, there))
            wanted = ""
        return fill(analysis, name, wanted), misfits

    return Tab(outputs, refresh, follow)


def _groupings(analysis: Analysis) -> list[str]:
    """All groupings; first the one with the slice that the tab begins with."""
    return list(dict.fromkeys([*(one.slicing for one in weakest_slices(analysis)), *slicings(analysis)]))


def grouping_view(analysis: Analysis, name: str, measure: str = "") -> View:
    """The address of a grouping and a measure, without what is shown before anybody chooses."""
    by = "" if name == _groupings(analysis)[0] else name
    own = "" if measure == headline_measure(analysis) else measure
    return View("slices", sample=analysis.inputs.sample, by=by, measure=own)
