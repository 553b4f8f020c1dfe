"""The tab errors."""

from typing import Any

import gradio as gr

from karat.spaces_app.handlers import Tab
from karat.spaces_app.view_parts import does_not_apply


def build_errors_tab(state: gr.State) -> Tab:
    """The components and events of the tab."""
    page = gr.HTML()

    def refresh(analysis: Any) -> list[Any]:
        return [does_not_apply(str(analysis))]

    return Tab([page], refresh)
