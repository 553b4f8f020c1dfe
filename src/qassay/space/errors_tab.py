"""The tab Errors: the examples of a system in a list, and the card of the one that is read."""

from typing import Any

import gradio as gr

from .address import View
from .analysis import Analysis
from .error_card import example_card
from .errors_address import choice_of, row_of, view_of
from .errors_choice import (
    CHANGES,
    EVERY,
    Choice,
    change_choices,
    chosen_rows,
    first_choice,
    has_part,
    kind_choices,
    order_choices,
    other_choices,
    part_choices,
    worst_system,
)
from .errors_values import is_known_measure
from .errors_view import READ, filters_html, list_html
from .handlers import UNCHECKED, Tab, guarded
from .opened import view_html
from .view_parts import cut, does_not_apply, wrapped

_NOTHING_YET = "Nothing has been scored yet. Score a system on the first tab to read its errors here."
_NO_MATCH = "No example matches. Choose fewer filters."


def build_errors_tab(state: gr.State, now: gr.HTML) -> Tab:
    """The components and events of the tab; `now` tells the address what it shows."""
    empty = gr.HTML(does_not_apply(_NOTHING_YET))
    with gr.Column(visible=False) as content:
        with gr.Row(elem_classes="filters"):
            boxes = system, kind, part, other, change, text, order = _build_filters()
        note = gr.HTML(elem_id="errors-note")
        listed = gr.HTML(elem_id="errors-list")
        with gr.Row(elem_classes="walk", equal_height=True):
            back = gr.Button("Previous", size="sm", scale=0, min_width=90)
            place = gr.HTML(elem_id="errors-place")
            forth = gr.Button("Next", size="sm", scale=0, min_width=90)
        card = gr.HTML(elem_id="errors-card")
    read_button = gr.Button("Read the example", visible="hidden", elem_id=READ)
    asked = gr.Textbox(visible=False, label="address")  # the script of the page gives its value
    measure = gr.State("")  # that only links set
    here = gr.State(None)  # the example that is read, by its place in the scores
    searched = gr.State("")  # the text that was filtered by last
    filters = [*boxes, measure]
    one = [place, card, here, now]
    shown = [note, listed, *one]

    def refresh(analysis: Analysis | None) -> list[Any]:
        if analysis is None:
            kept = [gr.skip()] * len([*filters, note, listed, place, card])
            return [
                gr.HTML(does_not_apply(_NOTHING_YET), visible=True),
                gr.Column(visible=False),
                *kept,
                None,
                view_html(None),
                "",
            ]
        return _filled(analysis.by_run, first_choice(analysis.by_run))

    def follow(analysis: Analysis, view: View) -> tuple[list[Any], list[str]]:
        choice, row, misfits = choice_of(analysis, view)
        return _filled(analysis.by_run, choice, row), misfits

    @guarded
    def search(analysis: Analysis | None, last: str, *values: Any) -> list[Any]:
        """Also called when the page itself sets the text, while other filters may still be the earlier ones."""
        typed = _text(values[filters.index(text)])
        if analysis is None or typed == last:
            return [gr.skip()] * (len(shown) + 1)
        return [*_shown(analysis.by_run, _choice(analysis.by_run, *values)), typed]

    @guarded
    def change_system(analysis: Analysis | None, name: str, *others: Any) -> list[Any]:
        """The options are counted again; a choice stays if the other system has it too."""
        if analysis is None or name not in analysis.by_run.systems:
            return [gr.skip()] * (len(boxes) + len(shown))
        choice = _choice(analysis.by_run, name, *others)
        updates = _filter_updates(analysis.by_run, choice)
        updates[boxes.index(text)] = gr.skip()
        return [*updates, *_shown(analysis.by_run, choice)]

    @guarded
    def filter_examples(analysis: Analysis | None, *values: Any) -> list[Any]:
        if analysis is None:
            return [gr.skip()] * len(shown)
        return _shown(analysis.by_run, _choice(analysis.by_run, *values))

    @guarded
    def read(analysis: Analysis | None, query: str | None, *values: Any) -> list[Any]:
        """The example of a link of the list."""
        if analysis is None:
            return [gr.skip()] * len(one)
        analysis = analysis.by_run
        choice = _choice(analysis, *values)
        rows = chosen_rows(analysis, choice)
        row = row_of(analysis, choice.system, View.parse(_text(query)).example)
        return _one(analysis, choice, rows, rows.index(row) if row in rows else 0)

    def walk(step: int):
        @guarded
        def go(analysis: Analysis | None, at: int | None, *values: Any) -> list[Any]:
            if analysis is None:
                return [gr.skip()] * len(one)
            analysis = analysis.by_run
            choice = _choice(analysis, *values)
            rows = chosen_rows(analysis, choice)
            return _one(analysis, choice, rows, rows.index(at) + step if at in rows else 0)

        return go

    quick = {"show_progress": "hidden", "trigger_mode": "always_last", **UNCHECKED}
    for box in (system, other):
        box.input(change_system, [state, *filters], [*boxes, *shown], **quick)
    for box in (kind, part, change, order):
        box.input(filter_examples, [state, *filters], shown, **quick)
    # Pasted or deleted text is not an `input` for Gradio.
    text.change(search, [state, searched, *filters], [*shown, searched], **quick)
    take = "(analysis, query, ...filters) => [analysis, qassayPage.asked(), ...filters]"
    read_button.click(read, [state, asked, *filters], one, js=take, **quick)
    back.click(walk(-1), [state, here, *filters], one, **quick)
    forth.click(walk(1), [state, here, *filters], one, **quick)
    return Tab([empty, content, *filters, *shown, searched], refresh, follow)


def _build_filters() -> list[Any]:
    """System, kind of error, slice, the system it is compared with, change against that, text, order."""
    return [
        gr.Dropdown([], label="System", min_width=150),
        gr.Dropdown([], label="Kind of error", min_width=180),
        gr.Dropdown([], label="Slice", min_width=180),
        gr.Dropdown([], label="Compared with", min_width=150),
        gr.Dropdown([], label="Against", min_width=180),
        gr.Textbox(label="Contains", placeholder="in any column or id", max_lines=1, min_width=160),
        gr.Dropdown([], label="Order", min_width=160),
    ]


def _filled(analysis: Analysis, choice: Choice, row: int | None = None) -> list[Any]:
    """All of the tab."""
    return [
        gr.HTML("", visible=False),
        gr.Column(visible=True),
        *_filter_updates(analysis, choice),
        choice.measure,
        *_shown(analysis, choice, row),
        choice.text,
    ]


def _shown(analysis: Analysis, choice: Choice, row: int | None = None) -> list[Any]:
    """The chosen examples, and one of them: the first where none is given, or it is not among them."""
    rows = chosen_rows(analysis, choice)
    at = rows.index(row) if row in rows else 0
    here = rows[at] if rows else None
    above, listed = filters_html(analysis, choice, rows), list_html(analysis, choice, rows, here)
    return [above, gr.HTML(listed, visible=bool(rows)), *_one(analysis, choice, rows, at)]


def _one(analysis: Analysis, choice: Choice, rows: list[int], at: int) -> list[Any]:
    """The example at a place of the list, walking round at its ends: which it is, its card, its place in the scores."""
    if not rows:
        return ["", does_not_apply(_NO_MATCH), None, view_html(view_of(analysis, choice))]
    at %= len(rows)
    where = wrapped(f'<p class="where" role="status">{at + 1:,} of {len(rows):,}</p>')
    view = view_of(analysis, choice, rows[at])
    return [where, example_card(analysis, choice.system, rows[at]), rows[at], view_html(view)]


def _text(value: Any) -> str:
    """What the browser sends for a filter, "" where it is not text."""
    return value if isinstance(value, str) else ""


def _choice(analysis: Analysis, *values: Any) -> Choice:
    """What the filters say; what the systems of this analysis do not have is not filtered by."""
    system, kind, part, other, change, text, order, measure = map(_text, values)
    system = system if system in analysis.systems else worst_system(analysis)
    kinds = [value for _, value in kind_choices(analysis, system)]
    orders, others = order_choices(analysis), other_choices(analysis, system)
    measure = measure if measure and is_known_measure(analysis, measure) else ""
    return Choice(
        system,
        kind if kind in kinds else EVERY,
        part if part and has_part(analysis, system, part) else "",
        other if other in others else next(iter(others), ""),
        change if change in CHANGES and others else "",
        measure,
        text[:1_000],
        order if order in orders else orders[0],
    )


def _filter_updates(analysis: Analysis, choice: Choice) -> list[Any]:
    """Updates of all filters but the measure: filters that do not apply are hidden."""
    kinds, parts = kind_choices(analysis, choice.system), part_choices(analysis, choice.system)
    others, orders = other_choices(analysis, choice.system), order_choices(analysis)
    changes = change_choices(analysis, choice)
    if choice.part and choice.part not in [value for _, value in parts]:
        parts = [*parts, (cut(choice.part, 60), choice.part)]
    several = len(analysis.systems) > 1
    return [
        gr.Dropdown(analysis.systems, value=choice.system, visible=several),
        gr.Dropdown(kinds, value=choice.kind if kinds else None, visible=bool(kinds)),
        gr.Dropdown(parts, value=choice.part if parts else None, visible=bool(parts)),
        gr.Dropdown(others, value=choice.other or None, visible=len(others) > 1),
        gr.Dropdown(
            changes,
            value=choice.change if changes else None,
            visible=bool(changes),
            label=f"Against {cut(choice.other, 40)}",
        ),  # fmt: skip
        gr.Textbox(choice.text),
        gr.Dropdown(orders, value=choice.order, visible=len(orders) > 1),
    ]
