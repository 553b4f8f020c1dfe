"""The tab Score: uploads, options, and what was scored."""

from typing import Any, NamedTuple

import gradio as gr

from karat.spaces_app.analysis import Analysis, analyze
from karat.spaces_app.handlers import PRIVATE, guarded
from karat.spaces_app.inputs import sample_inputs
from karat.spaces_app.samples import SAMPLES
from karat.spaces_app.view_parts import wrapped


class ScoreTab(NamedTuple):
    """The tab Score.

    Attributes:
        outputs: components that show what was scored, without the state.
        show: an Analysis -> a value or update for each of the outputs.
        scored: events that have set the state.
    """

    outputs: list[Any]
    show: Any
    scored: list[Any]


def build_score_tab(state: gr.State) -> ScoreTab:
    """The components and events of the tab."""
    buttons = {name: gr.Button(sample.label, size="sm") for name, sample in SAMPLES.items()}
    page = gr.HTML()

    def show(analysis: Analysis) -> list[Any]:
        return [wrapped(str(analysis.systems))]

    events = []
    for name, button in buttons.items():

        @guarded
        def load(name=name):
            analysis = analyze(sample_inputs(name))
            return [analysis, *show(analysis)]

        events.append(button.click(load, None, [state, page], **PRIVATE))
    return ScoreTab([page], show, events)
