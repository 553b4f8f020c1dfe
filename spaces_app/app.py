"""The page: six tabs over one state, and how it is launched, the same for users, tests and the Space."""

import functools
from typing import Any

import gradio as gr

from karat.page import KEEP_SECONDS, SWEEP_SECONDS, theme
from karat.spaces_app.analysis import Analysis, analyze
from karat.spaces_app.api import add_api
from karat.spaces_app.compare_tab import build_compare_tab
from karat.spaces_app.errors_tab import build_errors_tab
from karat.spaces_app.handlers import PRIVATE, guarded
from karat.spaces_app.inputs import sample_inputs
from karat.spaces_app.no_answer_tab import build_no_answer_tab
from karat.spaces_app.report_tab import build_report_tab
from karat.spaces_app.score_tab import build_score_tab
from karat.spaces_app.server import AT_ONCE, QUEUE, STATE_SECONDS, ServedBlocks, launch_options, wants_mcp
from karat.spaces_app.slices_tab import build_slices_tab
from karat.spaces_app.view_parts import style

FIRST_SAMPLE = "answers"  # what a visitor sees first
_INTRO = (
    "# karat\n\nHow good are these answers, where do they fail, and is the difference between two systems real? "
    "Scores as the official tools compute them, with intervals, tests and the examples behind the numbers."
)


def build() -> tuple[gr.Blocks, dict[str, Any]]:
    """The page, and the keyword arguments of its launch."""
    with ServedBlocks(title="karat", analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEEP_SECONDS)) as demo:
        add_api(with_mcp=wants_mcp())  # first, because an event of the page may not take its names
        gr.Markdown(_INTRO)
        state = gr.State(None, time_to_live=STATE_SECONDS)
        with gr.Tabs():
            with gr.Tab("Score", id="score"):
                score = build_score_tab(state)
            others = []
            for title, build_tab in _TABS.items():
                with gr.Tab(title, id=title.lower().replace(" ", "_")):
                    others.append(build_tab(state))

        @guarded
        def load() -> list[Any]:
            analysis = first_analysis()
            return [analysis, *score.show(analysis)]

        @guarded
        def refresh(analysis: Analysis | None) -> list[Any]:
            return [value for tab in others for value in tab.refresh(analysis)]

        outputs = [component for tab in others for component in tab.outputs]
        loaded = demo.load(load, None, [state, *score.outputs], show_progress="hidden", **PRIVATE)
        for event in (loaded, *score.scored):
            event.success(refresh, state, outputs, show_progress="hidden", **PRIVATE)
    demo.queue(max_size=QUEUE, default_concurrency_limit=AT_ONCE)
    return demo, {"theme": theme(), "css": style(), "footer_links": ["api", "settings"], **launch_options()}


@functools.cache
def first_analysis() -> Analysis:
    """What a visitor sees first; nothing in it changes, so that all see the same."""
    return analyze(sample_inputs(FIRST_SAMPLE))


_TABS = {
    "Errors": build_errors_tab,
    "Slices": build_slices_tab,
    "No answer": build_no_answer_tab,
    "Compare": build_compare_tab,
    "Report": build_report_tab,
}
