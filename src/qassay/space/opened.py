"""What the server tells the page of what it shows, for the address; and what a link or a reload asks for."""

import dataclasses
import html
import itertools
import pkgutil
from collections.abc import Sequence
from typing import NamedTuple

import gradio as gr

from ..pages.faults import shown_words
from ..reports.html_parts import resource_text
from .address import View, unknown
from .analysis import Analysis
from .inputs import sample_analysis
from .samples import SAMPLES

_answers = itertools.count(1)
_ELSEWHERE = "The link belongs to files that were scored in another tab or browser; this is a sample: score the files here, then open the link again"


class Opened(NamedTuple):
    """What a link or a reload leads to.

    Attributes:
        analysis: what is shown.
        view: what of it, without what does not fit.
        misfits: what does not fit, in words.
        is_elsewhere: whether the link is to files that this page does not have.
    """

    analysis: Analysis
    view: View
    misfits: Sequence[str] = ()
    is_elsewhere: bool = False


def page_script() -> str:
    """The scripts of the page and of its charts as HTML for its head."""
    own = pkgutil.get_data(__name__, "page.js").decode("utf-8")
    return f"<script>{own}</script><script>{resource_text('charts.js')}</script>"


def view_box(elem_id: str | None = None) -> gr.HTML:
    """A component outside of all tabs through which the server tells the page what a tab shows, by `view_html`."""
    return gr.HTML("", visible="hidden", elem_id=elem_id, elem_classes="view-now")


def view_html(view: View | None) -> str:
    """The view that a tab shows, for the address; None: nothing."""
    return f'<i data-view="{html.escape(view.href() if view else "")}"></i>'


def sample_html(analysis: Analysis | None, tab: str = "") -> str:
    """Which sample is loaded, for the address, and the tab that was opened by a link."""
    told = {"sample": analysis.inputs.sample if analysis else "", "tab": tab, "answer": str(next(_answers))}
    attributes = " ".join(f'data-{name}="{html.escape(value)}"' for name, value in told.items())
    return f"<i {attributes}></i>"


def opened(query: str, shown: Analysis | None, first: Analysis, tabs: Sequence[str]) -> Opened:
    """What the address of the page leads to.

    Args:
        query: of the address.
        shown: what the page shows now; None for a page that is just loaded.
        first: what is shown if the address asks for nothing.
        tabs: the ids of the tabs.
    """
    view = View.parse(query)
    misfits = []
    if view.sample and view.sample not in SAMPLES:
        misfits.append(unknown("sample", view.sample, SAMPLES))
        view = dataclasses.replace(view, sample="")
    if view.tab and view.tab not in tabs:
        misfits.append(unknown("tab", view.tab, tabs))
        view = View(sample=view.sample)
    is_shown = shown is not None and view.sample in ("", shown.inputs.sample)
    analysis = shown if is_shown else sample_analysis(view.sample) if view.sample else first
    # A link to a sample names it, so this one is to files of somebody.
    is_elsewhere = shown is None and not view.sample and view != View(tab=view.tab)
    return Opened(analysis, view, misfits, is_elsewhere)


def warn_of(misfits: Sequence[str], is_elsewhere: bool = False) -> None:
    """Tell on the page what of a link does not fit."""
    words = [*([_ELSEWHERE] if is_elsewhere else []), *misfits]
    if words:
        gr.Warning(html.escape(shown_words(". ".join(words) + ".")), title="The link does not fit", duration=15)
