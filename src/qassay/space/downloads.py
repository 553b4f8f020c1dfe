"""Downloads of a tab: one main button, and the other forms behind a fold beside it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gradio as gr


class Downloads(NamedTuple):
    """The components of the downloads.

    Attributes:
        bar: holds them all.
        buttons: one for each form, the main one first.
    """

    bar: Any
    buttons: list[Any]


def build_downloads(
    main: str, forms: Mapping[str, str], element: str, note: str = "", visible: bool = True
) -> Downloads:
    """Buttons without files.

    Args:
        main: the words of the main button, which gives the first form.
        forms: ending of the name of a file -> what it is.
        element: how the ids of the elements begin.
        note: Markdown below the other forms.
    """
    others = [*forms.values()][1:]
    with gr.Row(visible=visible, elem_id=f"{element}-bar", elem_classes="downloads") as bar:
        button = gr.DownloadButton(
            main, variant="primary", interactive=False, min_width=160, elem_id=f"{element}-download"
        )
        with gr.Accordion("Other forms", open=False, elem_id=f"{element}-forms"):
            with gr.Row(elem_id=f"{element}-files"):
                more = [gr.DownloadButton(what, interactive=False, min_width=120, size="sm") for what in others]
            if note:
                gr.Markdown(note, elem_id=f"{element}-note")
    return Downloads(bar, [button, *more])


def given_files(paths: Mapping[str, str | None]) -> list[Any]:
    """Updates of the buttons: each gives its file, ending -> path; None for nothing."""
    return [gr.DownloadButton(value=path, interactive=path is not None) for path in paths.values()]


def no_files(forms: Mapping[str, str]) -> list[Any]:
    """Updates of the buttons: nothing to download."""
    return [gr.DownloadButton(value=None, interactive=False) for _ in forms]
