"""The tab Report: downloads and what makes the numbers again; files are written when the tab is looked at."""

import os
from collections.abc import Mapping
from typing import Any

import gradio as gr

from qassay.pages.upload_folder import save_file
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.comparisons import CompareChoices
from qassay.spaces_app.handlers import PRIVATE, Tab, guarded
from qassay.spaces_app.report_view import (
    FILES,
    citation,
    command_lines,
    definitions,
    made,
    make_file,
    preview,
    python_code,
    signatures,
)
from qassay.spaces_app.view_parts import does_not_apply

_NOTHING = "Nothing is scored yet. Go to Score first."
_PROGRESS = gr.Progress()
_KEPT = 3  # sets of files of an analysis that are not written again


def build_report_tab(state: gr.State, chosen: gr.State) -> Tab:
    """The components and events of the tab; `chosen` has the choices of the tab Compare, as `CompareChoices`."""
    lacks = gr.HTML(does_not_apply(_NOTHING), elem_id="report-lacks")
    with gr.Column(visible=False) as column:
        button = gr.Button("Write the files", variant="primary", elem_id="report-button")
        with gr.Row(elem_id="report-files"):
            downloads = [
                gr.DownloadButton(label, interactive=False, min_width=120, elem_id=_element(name))
                for name, label in FILES.items()
            ]
        gr.Markdown(
            "With two systems or more the report compares them, with the choices of the tab Compare and the "
            "measures that all systems have. Values of single examples (CSV of every example) are from 0 to 1. In the CSV "
            "files a text that a spreadsheet would take for a formula has an apostrophe before it.",
            elem_id="report-note",
        )
        with gr.Row(elem_classes="pair"):
            text = _code("The report as Markdown", "report-preview", 14)
            program = _code("The same numbers in Python (rates from 0 to 1)", "report-python", 14)
            command = _code("The same numbers on the command line, in the folder of the files", "report-command", 3)
            signature = _code("Signature: the options that made the numbers", "report-signature", 3)
        with gr.Row(elem_classes="pair"):
            with gr.Column():
                how = gr.HTML(elem_id="report-made")
                cite = _code("How to cite: qassay, and what the metric follows (BibTeX)", "report-citation", 12)
            meanings = gr.HTML(elem_id="report-measures")
    shown = gr.State(None)  # the choices of which the page shows the files
    results = [*downloads, text, command, program, shown]

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
        if choices == seen and known_files(analysis, choices):
            return [gr.skip()] * len(results)
        if not known_files(analysis, choices):
            progress(0, desc="Writing the files")
        return _written(analysis, choices)

    tab = column.parent
    inputs = [state, chosen, shown]
    for event in [button.click, *([tab.select] if isinstance(tab, gr.Tab) else [])]:
        event(write, inputs, results, show_progress_on=text, **PRIVATE)

    def refresh(analysis: Analysis | None) -> list[Any]:
        if analysis is None:
            nothing = [gr.skip()] * len(results[:-1])
            return [gr.HTML(visible=True), gr.Column(visible=False), *nothing, None, "", "", "", ""]
        choices = CompareChoices()
        files = _written(analysis, choices) if known_files(analysis, choices) else _unwritten()
        words = [signatures(analysis), made(analysis), definitions(analysis), citation(analysis)]
        return [gr.HTML(visible=False), gr.Column(visible=True), *files, *words]

    return Tab([lacks, column, *results, signature, how, meanings, cite], refresh)


def known_files(analysis: Analysis, choices: CompareChoices) -> dict[str, str] | None:
    """Name -> path of the files that were written and not yet swept away; None where one lacks."""
    paths = analysis.known("files", choices)
    return paths if paths and _are_there(paths) else None


def write_report_files(analysis: Analysis, choices: CompareChoices) -> dict[str, str]:
    """Name -> path of the files of a report, which visitors of the same analysis share."""

    def make() -> dict[str, str]:
        return {name: save_file(name, make_file(analysis, choices, name)) for name in FILES}

    return analysis.latest("files", choices, make, _KEPT, _are_there)


def _are_there(paths: Mapping[str, str]) -> bool:
    return all(map(os.path.exists, paths.values()))


def _written(analysis: Analysis, choices: CompareChoices) -> list[Any]:
    paths = write_report_files(analysis, choices)
    return [
        *(gr.DownloadButton(value=paths[name], interactive=True) for name in FILES),
        preview(analysis, choices),
        command_lines(analysis, choices),
        python_code(analysis, choices),
        choices,
    ]


def _unwritten() -> list[Any]:
    gone = [gr.DownloadButton(value=None, interactive=False) for _ in FILES]
    return [*gone, "Not written yet. Press Write the files.", "", "", None]


def _code(label: str, element: str, lines: int) -> gr.Textbox:
    """A box of text to copy, so high always: one that is not seen cannot measure its text."""
    return gr.Textbox(
        label=label, interactive=False, buttons=["copy"], lines=lines, max_lines=lines, elem_id=element,
        elem_classes="code",
    )  # fmt: skip


def _element(name: str) -> str:
    return name.replace("_", "-").replace(".", "-")
