"""The tab Report: the report itself, one download, the other forms, and what makes the numbers again.

Files are written when the tab is opened.
"""

import os
from collections.abc import Mapping
from typing import Any

import gradio as gr

from ..pages.upload_folder import save_file
from .address import View, unknown
from .analysis import Analysis
from .comparisons import CompareChoices
from .downloads import build_downloads, given_files, no_files
from .handlers import PRIVATE, Tab, guarded
from .opened import view_html
from .report_view import (
    FILES,
    LAYOUTS,
    ONE_PAGE,
    PAGE,
    citation,
    command_lines,
    definitions,
    endings,
    file_name,
    made,
    make_file,
    preview,
    python_code,
    shown_report,
    signatures,
)
from .view_parts import does_not_apply

_NOTHING = "Nothing has been scored yet. Go to Score first."
_WRITING = "The report is being written."
_NOTE = (
    "The CSV of every example has values from 0 to 1. In CSV files, a text that a spreadsheet would read as a formula starts with "
    "an apostrophe."
)
_PROGRESS = gr.Progress()
_KEPT = 3  # sets of files of an analysis that are not written again


def build_report_tab(state: gr.State, chosen: gr.State, now: gr.HTML) -> Tab:
    """The components and events of the tab; `chosen` has the choices of the tab Compare, as `CompareChoices`; `now` tells
    the address which layout is shown.
    """
    lacks = gr.HTML(does_not_apply(_NOTHING), elem_id="report-lacks")
    with gr.Column(visible=False) as column:
        layout = gr.Radio(
            [*LAYOUTS.items()],
            value=PAGE,
            show_label=False,
            label="Which report",
            visible=False,
            elem_id="report-layout",
        )
        downloads = build_downloads("Download the report", FILES, "report", _NOTE)
        page = gr.HTML(elem_id="report-page")
        with gr.Accordion("Reproduce the numbers", open=False):
            with gr.Row(elem_classes="pair"):
                program = _code("Python (rates from 0 to 1)", "report-python", 14)
                text = _code("The report as Markdown, to paste", "report-preview", 14)
            command = _code("Command line, in the folder of the files", "report-command", 3)
        with gr.Accordion("How it was made, citation", open=False):
            with gr.Row(elem_classes="pair"):
                how = gr.HTML(elem_id="report-made")
                with gr.Column():
                    signature = _code("Signature: the options that made the numbers", "report-signature", 2)
                    cite = _code("Citation: qassay, and what the metric follows (BibTeX)", "report-citation", 12)
        with gr.Accordion("What the measures are", open=False):
            meanings = gr.HTML(elem_id="report-measures")
    shown = gr.State(None)  # the choices whose files the page shows
    results = [layout, *downloads.buttons, page, text, command, program, now, shown]

    @guarded
    def write(
        analysis: Analysis | None,
        choices: CompareChoices | None,
        seen: CompareChoices | None,
        ending: str,
        progress: Any = _PROGRESS,
    ) -> list[Any]:
        if analysis is None:
            return [gr.skip()] * len(results)
        choices = (choices or CompareChoices()).fitting(analysis)
        is_known = known_files(analysis, choices) is not None
        if choices == seen and is_known:  # another layout is shown by `show`
            return [gr.skip()] * len(results)
        if not is_known:
            progress(0, desc="Writing the report")
        return _written(analysis, choices, ending)

    @guarded
    def show(analysis: Analysis | None, choices: CompareChoices | None, ending: str) -> list[Any]:
        """Another layout, which the main button then gives."""
        if analysis is None or choices is None:
            return [gr.skip()] * 3
        paths = write_report_files(analysis, choices)
        main = gr.DownloadButton(value=paths.get(ending, paths[PAGE]))
        return [main, shown_report(analysis, choices, ending), view_html(report_view(ending))]

    # Also when a link changes it.
    layout.change(show, [state, shown, layout], [downloads.buttons[0], page, now], show_progress_on=page, **PRIVATE)
    tab = column.parent
    if isinstance(tab, gr.Tab):
        tab.select(write, [state, chosen, shown, layout], results, show_progress_on=page, **PRIVATE)

    def refresh(analysis: Analysis | None) -> list[Any]:
        unwritten = [
            gr.Radio(value=PAGE, visible=False),
            *no_files(FILES),
            does_not_apply(_WRITING),
            "",
            "",
            "",
            "",
            None,
        ]
        if analysis is None:
            return [gr.HTML(visible=True), gr.Column(visible=False), *unwritten, "", "", "", ""]
        words = [signatures(analysis), made(analysis), definitions(analysis), citation(analysis)]
        return [gr.HTML(visible=False), gr.Column(visible=True), *unwritten, *words]

    def follow(analysis: Analysis, view: View) -> tuple[list[Any], list[str]]:
        """The layout of a link; the files are written when the tab opens."""
        ending = next((ending for ending in LAYOUTS.values() if report_view(ending).layout == view.layout), None)
        updates = [gr.skip()] * len(outputs)
        updates[outputs.index(layout)] = gr.Radio(value=ending or PAGE)
        return updates, [] if ending else [
            unknown(
                "layout of the report", view.layout, filter(None, (report_view(one).layout for one in LAYOUTS.values()))
            )
        ]

    outputs = [lacks, column, *results, signature, how, meanings, cite]
    return Tab(outputs, refresh, follow)


def report_view(ending: str) -> View:
    """The address of a layout.

    Example:
        >>> report_view(ONE_PAGE).href()
        '?tab=report&layout=one-page'
    """
    return View("report", layout="one-page" if ending == ONE_PAGE else "")


def known_files(analysis: Analysis, choices: CompareChoices) -> dict[str, str] | None:
    """Ending -> path of the files that were written and not yet swept away; None if one is missing."""
    paths = analysis.known("files", choices)
    return paths if paths and _are_there(paths) else None


def write_report_files(analysis: Analysis, choices: CompareChoices) -> dict[str, str]:
    """Ending -> path of the files of a report, which visitors of the same analysis share."""

    def make() -> dict[str, str]:
        return {
            ending: save_file(file_name(analysis, ending), make_file(analysis, choices, ending))
            for ending in endings(analysis, choices)
        }

    return analysis.latest("files", choices, make, _KEPT, _are_there)


def _are_there(paths: Mapping[str, str]) -> bool:
    return all(map(os.path.exists, paths.values()))


def _written(analysis: Analysis, choices: CompareChoices, layout: str) -> list[Any]:
    paths = write_report_files(analysis, choices)
    layout = layout if layout in paths else PAGE
    main, *others = given_files({ending: paths.get(ending) for ending in FILES})
    return [
        gr.Radio(value=layout, visible=ONE_PAGE in paths),
        *(main if layout == PAGE else gr.DownloadButton(value=paths[layout], interactive=True), *others),
        shown_report(analysis, choices, layout),
        preview(analysis, choices),
        command_lines(analysis, choices),
        python_code(analysis, choices),
        view_html(report_view(layout)),
        choices,
    ]


def _code(label: str, element: str, lines: int) -> gr.Textbox:
    """A box of text to copy, so high always: one that is not seen cannot measure its text."""
    return gr.Textbox(
        label=label, interactive=False, buttons=["copy"], lines=lines, max_lines=lines, elem_id=element,
        elem_classes="code",
    )  # fmt: skip
