"""The tab No answer: best thresholds, a threshold of one's own, and what the probabilities are worth."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from .analysis import Analysis
from .handlers import PRIVATE, Tab, guarded
from .no_answer_view import (
    AS_SCORED,
    BEST,
    OWN,
    answered_view,
    no_answer_head,
    probability_view,
    threshold_range,
)

_STEPS = 1_000  # of the slider
_CHOICES = [("As scored", AS_SCORED), ("Best F1 of each system", BEST), ("One of my own", OWN)]


def build_no_answer_tab(state: gr.State) -> Tab:
    """The components and events of the tab."""
    head = gr.HTML()
    with gr.Row(visible=False) as controls:
        which = gr.Radio(_CHOICES, value=AS_SCORED, label="Threshold of the table", elem_id="no-answer-which")
        own = gr.Slider(
            0,
            1,
            0.5,
            step=1 / _STEPS,
            label="Withhold answers with a no-answer probability above",
            elem_id="no-answer-threshold",
        )
    table = gr.HTML()
    curves = gr.HTML()

    @guarded
    def choose(analysis: Analysis | None, which: str, own: float) -> str:
        return answered_view(analysis and analysis.by_run, which, own)

    @guarded
    def move(analysis: Analysis | None, own: float) -> Sequence[Any]:
        return OWN, answered_view(analysis and analysis.by_run, OWN, own)

    which.input(choose, [state, which, own], table, show_progress="hidden", **PRIVATE)
    own.input(move, [state, own], [which, table], show_progress="hidden", trigger_mode="always_last", **PRIVATE)

    def refresh(analysis: Analysis | None) -> Sequence[Any]:
        analysis = analysis and analysis.by_run
        limits = threshold_range(analysis)
        slider = gr.Slider()
        if limits is not None:
            step = (limits.high - limits.low) / _STEPS
            slider = gr.Slider(minimum=limits.low, maximum=limits.high, value=limits.start, step=step)
        return [
            no_answer_head(analysis),
            gr.Row(visible=limits is not None),
            AS_SCORED,
            slider,
            answered_view(analysis),
            probability_view(analysis),
        ]

    return Tab([head, controls, which, own, table, curves], refresh)
