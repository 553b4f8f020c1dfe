"""The page: six tabs over one state, and how it is launched, the same for users, tests and the Space."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from ..pages.limits import AT_ONCE, KEEP_SECONDS, QUEUE, STATE_SECONDS, SWEEP_SECONDS
from ..pages.server import launch_options
from .analysis import Analysis
from .api import add_api
from .compare_tab import build_compare_tab
from .comparisons import CompareChoices
from .errors_tab import build_errors_tab
from .handlers import PRIVATE, Tab, guarded, words_of
from .inputs import sample_analysis
from .no_answer_tab import build_no_answer_tab
from .opened import opened, page_script, sample_html, view_box, warn_of
from .report_tab import build_report_tab
from .score_tab import ScoreTab, build_score_tab
from .server import SpaceBlocks
from .slices_tab import build_slices_tab
from .view_parts import style, wrapped

FAVICON = Path(__file__).with_name("favicon.svg")
_MARK = FAVICON.read_text("utf-8").replace("<svg ", '<svg class="logo" aria-hidden="true" ')
_HEADER = (
    f'<header class="page-head">{_MARK}<h1>qassay</h1><p>Which answers are better, where do they fail, and is the difference '
    "real?</p></header>"
)


def build(sample: str = "answers") -> tuple[gr.Blocks, dict[str, Any]]:
    """The page, and the keyword arguments of its launch.

    Args:
        sample: what a visitor sees first.
    """
    first = sample_analysis(sample)
    with SpaceBlocks(title="qassay", analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEEP_SECONDS)) as demo:
        add_api()  # first, because an event of the page may not take its name
        gr.HTML(wrapped(_HEADER), elem_id="intro")
        state = gr.State(None, time_to_live=STATE_SECONDS)
        chosen = gr.State(CompareChoices())  # on the tab Compare, for the report too
        loaded = view_box("view-now")
        given = {
            "Errors": [view_box()],
            "Slices": [view_box()],
            "Compare": [chosen, view_box()],
            "Report": [chosen],
        }
        others = {}
        with gr.Tabs() as tabs:
            with _tab("Score"):
                score = build_score_tab(state, first)
            for title, build_tab in _TABS.items():
                with _tab(title):
                    others[title] = build_tab(state, *given.get(title, ()))

        def fill(analysis: Analysis | None) -> list[Any]:
            filled = [value for title, tab in others.items() for value in _filled(title, tab, analysis)]
            return [*filled, sample_html(analysis)]

        outputs = [*(component for tab in others.values() for component in tab.outputs), loaded]
        score.connect(outputs, fill)
        _connect_views(demo, state, tabs, score, others, loaded, first)
    # So that nobody's first click is overtaken by the first sample, which is slow only once.
    score.show(first)
    fill(first)
    demo.queue(max_size=QUEUE, default_concurrency_limit=AT_ONCE)
    return demo, {
        "theme": theme(),
        "css": style(),
        "head": page_script(),
        "favicon_path": str(FAVICON),
        "footer_links": ["api", "settings"],
        "quiet": True,
        **launch_options(),
    }


def _tab(title: str) -> gr.Tab:
    """A tab that begins with what it is for, but for the first, which begins with the answer, and tells the address when it is opened."""
    name = tab_id(title)
    with gr.Tab(title, id=name) as tab:
        if title in _LEADS:
            gr.HTML(wrapped(f'<p class="lead">{_LEADS[title]}</p>'))
    tab.select(None, None, None, js=f"() => qassayPage.tab({name!r})", **PRIVATE)
    return tab


def tab_id(title: str) -> str:
    """The name of a tab in addresses.

    Example:
        >>> tab_id("No answer")
        'no_answer'
    """
    return title.lower().replace(" ", "_")


def _connect_views(
    demo: SpaceBlocks,
    state: gr.State,
    tabs: gr.Tabs,
    score: ScoreTab,
    others: dict[str, Tab],
    loaded: gr.HTML,
    first: Analysis,
) -> None:
    """The events that open what the address says: when the page is loaded, and at links, back and forward."""
    names = [tab_id(title) for title in ("Score", *others)]
    address = gr.Textbox(visible=False, label="address")  # the script of the page gives its value
    button = gr.Button("Open the address", visible="hidden", elem_id="view-open")

    @guarded
    def open_view(shown: Analysis | None, address: str | None) -> list[Any]:
        found = opened(address or "", shown, first, names)
        analysis, misfits = found.analysis, list(found.misfits)
        is_new = analysis is not shown
        values: list[Any] = score.show(analysis) if is_new else [gr.skip()] * len(score.outputs)
        for title, tab in others.items():
            part = _filled(title, tab, analysis) if is_new else [gr.skip()] * len(tab.outputs)
            if tab_id(title) == found.view.tab and tab.follow is not None:
                asked, problems = tab.follow(analysis, found.view)
                part = [old if new == gr.skip() else new for old, new in zip(part, asked, strict=True)]
                misfits += problems
            values += part
        warn_of(misfits, found.is_elsewhere)
        name = found.view.tab or names[0]
        return [
            analysis if is_new else gr.skip(),
            gr.Tabs(selected=name),
            *values,
            sample_html(analysis, name),
        ]

    outputs = [state, tabs, *score.outputs, *(part for tab in others.values() for part in tab.outputs), loaded]
    asked = {"js": "analysis => [analysis, qassayPage.asked()]", "show_progress": "hidden", **PRIVATE}
    demo.load(open_view, [state, address], outputs, **asked)
    button.click(open_view, [state, address], outputs, trigger_mode="always_last", **asked)


def _filled(title: str, tab: Tab, analysis: Analysis | None) -> Sequence[Any]:
    """The values of a tab; where it fails it is emptied and says so, and the other tabs are filled all the same."""
    try:
        return tab.refresh(analysis)
    except Exception as error:  # noqa: BLE001  one tab must not keep the others from their numbers
        words, _ = words_of(error, f"the tab {title}")
        gr.Warning(html.escape(f"{title}: {words}"), duration=None)
        return tab.refresh(None)


def theme() -> gr.Theme:
    """Gradio's theme in qassay's teal, with fonts that it ships completely (not weight 600) and enough contrast."""
    weights = (400, 700)
    font = [gr.themes.LocalFont("IBM Plex Sans", weights=weights), "ui-sans-serif", "system-ui", "sans-serif"]
    mono = [gr.themes.LocalFont("IBM Plex Mono", weights=weights), "ui-monospace", "monospace"]
    return gr.themes.Default(primary_hue="teal", neutral_hue="slate", font=font, font_mono=mono).set(
        color_accent="*primary_700",
        color_accent_soft_dark="*neutral_700",
        body_background_fill_dark="#0f1720",
        background_fill_primary_dark="#0f1720",
        background_fill_secondary_dark="#17212b",
        block_background_fill_dark="#141e28",
        border_color_primary_dark="#2c3a47",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )


_LEADS = {
    "Errors": "Which examples go wrong, and how? Read them one by one, the worst first.",
    "Slices": "For which kinds of examples is a system good or bad?",
    "No answer": "When should a system abstain? What a threshold on its no-answer probabilities would change.",
    "Compare": "Is one system better than the other, by how much, and can that be chance?",
    "Report": "The numbers to keep: as files, as code that reproduces them, and how to cite them.",
}
_TABS = {
    "Errors": build_errors_tab,
    "Slices": build_slices_tab,
    "No answer": build_no_answer_tab,
    "Compare": build_compare_tab,
    "Report": build_report_tab,
}
