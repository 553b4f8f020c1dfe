"""The page: eight tabs over one state, and how it is launched, the same for users, tests and the Space."""

import html
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from ..pages.limits import AT_ONCE, KEEP_SECONDS, QUEUE, STATE_SECONDS, SWEEP_SECONDS
from ..pages.page import theme
from .agreement_tab import build_agreement_tab
from .analysis import Analysis
from .api import add_api
from .compare_tab import build_compare_tab
from .comparisons import CompareChoices
from .errors_tab import build_errors_tab
from .handlers import PRIVATE, Tab, guarded, words_of
from .inputs import sample_analysis
from .labels_tab import build_labels_tab
from .no_answer_tab import build_no_answer_tab
from .opened import opened, page_script, view_box, warn_of, work_html
from .report_tab import build_report_tab
from .score_tab import ScoreTab, build_score_tab
from .server import SpaceBlocks, space_options, wants_mcp
from .slices_tab import build_slices_tab
from .view_parts import style, wrapped

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
        work = view_box("view-now")
        given = {
            "Errors": [view_box()],
            "Slices": [view_box()],
            "Compare": [chosen, view_box()],
            "Human labels": [work, demo],
            "Agreement": [view_box("table-now"), demo.kept_work],
            "Report": [chosen, view_box()],
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
            return [*filled, work_html(analysis, demo.kept_work)]

        outputs = [*(component for tab in others.values() for component in tab.outputs), work]
        score.connect(outputs, fill)
        _connect_views(demo, state, tabs, score, others, work)
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
        **space_options(),
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
    demo: SpaceBlocks, state: gr.State, tabs: gr.Tabs, score: ScoreTab, others: dict[str, Tab], work: gr.HTML
) -> None:
    """The events that open what the address says: when the page is loaded, and at links, back and forward."""
    names = [tab_id(title) for title in ("Score", *others)]
    # The script of the page gives their values.
    told = [gr.Textbox(visible=False, label=label) for label in ("address", "token", "token of the table")]
    button = gr.Button("Open the address", visible="hidden", elem_id="view-open")

    @guarded
    def open_view(shown: Analysis | None, address: str | None, token: str | None, table: str | None) -> list[Any]:
        found = opened(address or "", token or "", shown, first_analysis(), demo.kept_work, names)
        analysis, misfits = found.analysis, list(found.misfits)
        is_new = analysis is not shown
        values: list[Any] = score.show(analysis) if is_new else [gr.skip()] * len(score.outputs)
        for title, tab in others.items():
            part = _filled(title, tab, analysis) if is_new else [gr.skip()] * len(tab.outputs)
            if tab_id(title) == found.view.tab and tab.follow is not None:
                asked, problems = tab.follow(analysis, found.view)
                part = [old if new == gr.skip() else new for old, new in zip(part, asked, strict=True)]
                misfits += problems
            if shown is None and tab.restore is not None:
                part, problems = _restored(title, tab, table or "")
                misfits += problems
            values += part
        warn_of(misfits, found.is_elsewhere)
        name = found.view.tab or names[0]
        return [
            analysis if is_new else gr.skip(),
            gr.Tabs(selected=name),
            *values,
            work_html(analysis, demo.kept_work, name),
        ]

    outputs = [state, tabs, *score.outputs, *(part for tab in others.values() for part in tab.outputs), work]
    asked = {"js": "async analysis => [analysis, ...await qassayPage.asked()]", "show_progress": "hidden", **PRIVATE}
    demo.load(open_view, [state, *told], outputs, **asked)
    button.click(open_view, [state, *told], outputs, trigger_mode="always_last", **asked)


def _filled(title: str, tab: Tab, analysis: Analysis | None) -> Sequence[Any]:
    """The values of a tab; where it fails it is emptied and says so, and the other tabs are filled all the same."""
    return _tried(title, tab.refresh, analysis) or tab.refresh(None)


def _restored(title: str, tab: Tab, token: str) -> tuple[Sequence[Any], Sequence[str]]:
    """What a tab kept for a reload, and what of it is not there; where it fails, as `_filled`."""
    return (_tried(title, tab.restore, token) if tab.restore else None) or (tab.refresh(None), [])


def _tried(title: str, fill: Callable[[Any], Any], given: Any) -> Any:
    """What a tab is filled with; None where that fails, and the page says so."""
    try:
        return fill(given)
    except Exception as error:  # noqa: BLE001  one tab must not keep the others from their numbers
        words, _ = words_of(error, f"the tab {title}")
        gr.Warning(html.escape(f"{title}: {words}"), duration=None)
        return None


def first_analysis() -> Analysis:
    """What a visitor sees first."""
    return sample_analysis(FIRST_SAMPLE)


_LEADS = {
    "Errors": "Which examples go wrong, and how? Read them one by one, the worst first.",
    "Slices": "For which kinds of examples is a system good or bad?",
    "No answer": "When should a system abstain? What a threshold on its no-answer probabilities would change.",
    "Compare": "Is one system better than the other, by how much, and can that be chance?",
    "Human labels": "What would people say about all answers? Verdicts on a few random answers correct a measure of all answers.",
    "Agreement": "Which measure agrees with people on your data? Give answers with human labels; nothing else is needed.",
    "Report": "The numbers to keep: as files, as code that reproduces them, and how to cite them.",
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
