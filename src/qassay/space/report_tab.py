"""The tab Report: downloads, and what makes the numbers again.

Files are written when the tab is opened.
"""

import os
from collections.abc import Mapping
from typing import Any

import gradio as gr

from ..pages.upload_folder import save_file
from .analysis import Analysis
from .comparisons import CompareChoices
from .handlers import PRIVATE, Tab, guarded
from .report_view import FILES, citation, command_lines, endings, made, make_file, python_code, signatures
from .view_parts import does_not_apply, report_name

_NOTHING = "Nothing has been scored yet. Go to Score first."
_NOTE = (
    "The CSV of every example has values from 0 to 1. In CSV files, a text that a spreadsheet would read as a formula starts with "
    "an apostrophe."
)
_PROGRESS = gr.Progress()
_KEPT = 3  # sets of files of an analysis that are not written again


def build_report_tab(state: gr.State, chosen: gr.State) -> Tab:
    """The components and events of the tab; `chosen` has the choices of the tab Compare, as `CompareChoices`."""
    lacks = gr.HTML(does_not_apply(_NOTHING), elem_id="report-lacks")
    with gr.Column(visible=False) as column:
        with gr.Row(elem_id="report-files") as bar:
            buttons = [
                gr.DownloadButton(
                    name, interactive=False, size="sm", variant="primary" if ending == ".html" else "secondary"
                )
                for ending, name in FILES.items()
            ]
        gr.Markdown(_NOTE, elem_id="report-note")
        with gr.Accordion("Reproduce the numbers"):
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
    shown = gr.State(None)  # the choices whose files the page shows
    results = [*buttons, text, command, program, shown]

    @guarded
    def write(
        analysis: Analysis | None,
        choices: CompareChoices | None,
        seen: CompareChoices | None,
        progress: Any = _PROGRESS,
    ) -> list[Any]:
        if analysis is None:
            return [gr.skip()] * len(results)
        choices = (choices or CompareChoices()).fitting(analysis)
        is_known = known_files(analysis, choices) is not None
        if choices == seen and is_known:
            return [gr.skip()] * len(results)
        if not is_known:
            progress(0, desc="Writing the report")
        return _written(analysis, choices)

    tab = column.parent
    if isinstance(tab, gr.Tab):
        tab.select(write, [state, chosen, shown], results, show_progress_on=bar, **PRIVATE)

    def refresh(analysis: Analysis | None) -> list[Any]:
        unwritten = [*_given_files({}), "", "", "", None]
        if analysis is None:
            return [gr.HTML(visible=True), gr.Column(visible=False), *unwritten, "", "", ""]
        words = [signatures(analysis), made(analysis), citation(analysis)]
        return [gr.HTML(visible=False), gr.Column(visible=True), *unwritten, *words]

    outputs = [lacks, column, *results, signature, how, cite]
    return Tab(outputs, refresh)


def known_files(analysis: Analysis, choices: CompareChoices) -> dict[str, str] | None:
    """Ending -> path of the files that were written and not yet swept away; None if one is missing."""
    paths = analysis.known("files", choices)
    return paths if paths and _are_there(paths) else None


def write_report_files(analysis: Analysis, choices: CompareChoices) -> dict[str, str]:
    """Ending -> path of the files of a report, which visitors of the same analysis share."""

    def make() -> dict[str, str]:
        return {
            ending: save_file(report_name(analysis.systems, ending), make_file(analysis, choices, ending))
            for ending in endings(analysis, choices)
        }

    return analysis.latest("files", choices, make, _KEPT, _are_there)


def _are_there(paths: Mapping[str, str]) -> bool:
    return all(map(os.path.exists, paths.values()))


def _written(analysis: Analysis, choices: CompareChoices) -> list[Any]:
    paths = write_report_files(analysis, choices)
    return [
        *_given_files(paths),
        make_file(analysis, choices, ".md").decode("utf-8"),
        command_lines(analysis, choices),
        python_code(analysis, choices),
        choices,
    ]


def _given_files(paths: Mapping[str, str]) -> list[Any]:
    """Updates of the buttons: each gives its file, ending -> path; without a path nothing."""
    return [gr.DownloadButton(value=paths.get(ending), interactive=ending in paths) for ending in FILES]


def _code(label: str, element: str, lines: int) -> gr.Textbox:
    """A box of text to copy, so high always: one that is not seen cannot measure its text."""
    return gr.Textbox(
        label=label, interactive=False, buttons=["copy"], lines=lines, max_lines=lines, elem_id=element,
        elem_classes="code",
    )  # fmt: skip
