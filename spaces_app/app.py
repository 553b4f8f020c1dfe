"""The page: eight tabs over one state, and how it is launched, the same for users, tests and the Space."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from qassay.pages.limits import AT_ONCE, KEEP_SECONDS, QUEUE, STATE_SECONDS, SWEEP_SECONDS
from qassay.pages.page import theme
from qassay.spaces_app.agreement_tab import build_agreement_tab
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.api import add_api
from qassay.spaces_app.compare_tab import build_compare_tab
from qassay.spaces_app.compare_view import CompareChoices
from qassay.spaces_app.errors_tab import build_errors_tab
from qassay.spaces_app.handlers import PRIVATE, Tab, guarded, words_of
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.labels_tab import build_labels_tab
from qassay.spaces_app.no_answer_tab import build_no_answer_tab
from qassay.spaces_app.overview_view import COPY
from qassay.spaces_app.report_tab import build_report_tab
from qassay.spaces_app.score_tab import build_score_tab
from qassay.spaces_app.server import SpaceBlocks, space_options, wants_mcp
from qassay.spaces_app.slices_tab import build_slices_tab
from qassay.spaces_app.view_parts import style, wrapped

FAVICON = Path(__file__).with_name("favicon.svg")
FIRST_SAMPLE = "answers"  # what a visitor sees first
_MARK = FAVICON.read_text("utf-8").replace("<svg ", '<svg class="logo" aria-hidden="true" ')
_HEADER = (
    f'<header class="page-head">{_MARK}<h1>qassay</h1><p>Which answers are better, where do they fail, and is the difference '
    "real?</p></header>"
)


def build() -> tuple[gr.Blocks, dict[str, Any]]:
    """The page, and the keyword arguments of its launch."""
    first = first_analysis()
    with SpaceBlocks(title="qassay", analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEEP_SECONDS)) as demo:
        add_api(with_mcp=wants_mcp())  # first, because an event of the page may not take its names
        gr.HTML(wrapped(_HEADER), elem_id="intro")
        state = gr.State(None, time_to_live=STATE_SECONDS)
        chosen = gr.State(CompareChoices())  # on the tab Compare, for the report too
        with gr.Tabs():
            with gr.Tab("Score", id="score"):
                score = build_score_tab(state, first)
            others = []
            for title, build_tab in _TABS.items():
                with gr.Tab(title, id=title.lower().replace(" ", "_")):
                    gr.HTML(wrapped(f'<p class="lead">{_LEADS[title]}</p>'))
                    others.append(build_tab(state, chosen) if title in _OVER_CHOICES else build_tab(state))

        def fill(analysis: Analysis | None) -> list[Any]:
            return [value for title, tab in zip(_TABS, others, strict=True) for value in _filled(title, tab, analysis)]

        @guarded
        def load() -> list[Any]:
            analysis = first_analysis()
            return [analysis, *score.show(analysis), *fill(analysis)]

        outputs = [component for tab in others for component in tab.outputs]
        score.connect(outputs, fill)
        demo.load(load, None, [state, *score.outputs, *outputs], show_progress="hidden", **PRIVATE)
    # So that nobody's first click is overtaken by the first sample, which is slow only once.
    score.show(first)
    fill(first)
    demo.queue(max_size=QUEUE, default_concurrency_limit=AT_ONCE)
    looks = {"theme": theme(), "css": style(), "js": COPY, "favicon_path": str(FAVICON)}
    return demo, {**looks, "footer_links": ["api", "settings"], **space_options()}


def _filled(title: str, tab: Tab, analysis: Analysis | None) -> Sequence[Any]:
    """The values of a tab; where it fails it is emptied and says so, and the other tabs are filled all the same."""
    try:
        return tab.refresh(analysis)
    except Exception as error:  # noqa: BLE001  one tab must not keep the others from their numbers
        words, _ = words_of(error, f"the tab {title}")
        gr.Warning(html.escape(f"{title}: {words}"), duration=None)
        return tab.refresh(None)


def first_analysis() -> Analysis:
    """What a visitor sees first."""
    return sample_analysis(FIRST_SAMPLE)


_LEADS = {
    "Errors": "Which examples go wrong, and how? Read them one by one, the worst first.",
    "Slices": "For which kinds of examples is a system good or bad?",
    "No answer": "When should a system say nothing? What a threshold on its no-answer probabilities would change.",
    "Compare": "Is one system better than the other, by how much, and can that be chance?",
    "Human labels": "What would people say of all answers? Verdicts on a few random ones correct a measure of all.",
    "Agreement": "Which measure agrees with people on your own data? Give answers with labels of people; nothing else is needed.",
    "Report": "The numbers to keep: as files, as code that computes them again, and how to cite them.",
}
_TABS = {
    "Errors": build_errors_tab,
    "Slices": build_slices_tab,
    "No answer": build_no_answer_tab,
    "Compare": build_compare_tab,
    "Human labels": build_labels_tab,
    "Agreement": build_agreement_tab,
    "Report": build_report_tab,
}
_OVER_CHOICES = ("Compare", "Report")
