"""The tab Errors: the examples of a system in a table, and the card of the one that was chosen."""

from typing import Any

import gradio as gr

from qassay.reports.comparison import counted
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.error_card import example_card
from qassay.spaces_app.errors_address import choice_of, view_of
from qassay.spaces_app.errors_view import (
    ANY,
    EVERY,
    MOST_ROWS,
    Choice,
    answerable_choices,
    chosen_rows,
    first_choice,
    kind_choices,
    order_choices,
    table_heads,
    table_rows,
    value_note,
    word_choices,
)
from qassay.spaces_app.handlers import PRIVATE, Tab, guarded
from qassay.spaces_app.opened import view_html
from qassay.spaces_app.view_parts import does_not_apply, wrapped

_NOTHING_YET = "Nothing was scored yet. Score something on the first tab; then its errors can be read here."
_NO_MATCH = "No example is like that. Choose fewer filters."
_WIDTHS = {"kind": 220, "question": 360, "text": 360, "id": 200, "answer": 230, "found": 260, "gold": 230, "row": 60}
_VALUE_WIDTH = 100
_TABLE_WIDTH = 1_200


def build_errors_tab(state: gr.State, now: gr.HTML) -> Tab:
    """The components and events of the tab; `now` tells the address what it shows."""
    empty = gr.HTML(does_not_apply(_NOTHING_YET))
    with gr.Column(visible=False) as content:
        with gr.Row(elem_classes="filters"):
            filters = system, kind, word, answerable, text, order = _build_filters()
        note = gr.HTML()
        table = gr.Dataframe(
            interactive=False, max_height=330, label="Examples", show_label=False, elem_id="errors-table", buttons=[]
        )
        with gr.Row(elem_classes="walk", equal_height=True):
            back = gr.Button("Previous", size="sm", scale=0, min_width=90)
            place = gr.HTML(elem_id="errors-place")
            forth = gr.Button("Next", size="sm", scale=0, min_width=90)
        card = gr.HTML(elem_id="errors-card")
    here = gr.State(None)  # the example that is shown, by its place in the scores
    searched = gr.State("")  # the text that was filtered by last
    shown = [note, table, place, card, here, now]

    def refresh(analysis: Analysis | None) -> list[Any]:
        if analysis is None:
            kept = [gr.skip()] * len([*filters, note, table, place, card])
            return [
                gr.HTML(does_not_apply(_NOTHING_YET), visible=True),
                gr.Column(visible=False),
                *kept,
                None,
                view_html(None),
                None,
            ]
        return _all(analysis.by_run, first_choice(analysis.by_run))

    def follow(analysis: Analysis, view: View) -> tuple[list[Any], list[str]]:
        choice, row, misfits = choice_of(analysis.by_run, view)
        return _all(analysis.by_run, choice, row), misfits

    def _all(analysis: Analysis, choice: Choice, row: int | None = None) -> list[Any]:
        several = len(analysis.systems) > 1
        return [
            gr.HTML("", visible=False),
            gr.Column(visible=True),
            gr.Dropdown(analysis.systems, value=choice.system, visible=several),
            *_filter_updates(analysis, choice),
            *_shown(analysis, choice, row),
            choice.text,
        ]

    @guarded
    def search(analysis: Analysis | None, last: str, *values: Any) -> list[Any]:
        """Also called when the page itself sets the text, while other filters may still be those of before."""
        typed = values[filters.index(text)] or ""
        if analysis is None or typed == last:
            return [gr.skip()] * (len(shown) + 1)
        return [*_shown(analysis.by_run, _choice(analysis.by_run, *values)), typed]

    @guarded
    def change_system(analysis: Analysis | None, name: str, *others: Any) -> list[Any]:
        """Kinds are counted anew; a kind that the other system has too stays chosen, and so do the other filters."""
        if analysis is None or name not in analysis.by_run.systems:
            return [gr.skip()] * (1 + len(shown))
        analysis = analysis.by_run
        choice = _choice(analysis, name, *others)
        kinds = kind_choices(analysis, name)
        return [gr.Dropdown(kinds, value=choice.kind if kinds else None), *_shown(analysis, choice)]

    @guarded
    def filter_examples(analysis: Analysis | None, *values: Any) -> list[Any]:
        if analysis is None:
            return [gr.skip()] * len(shown)
        return _shown(analysis.by_run, _choice(analysis.by_run, *values))

    @guarded
    def select(event: gr.SelectData, analysis: Analysis | None, *values: Any) -> list[Any]:
        if analysis is None:
            return [gr.skip()] * 4
        analysis = analysis.by_run
        choice = _choice(analysis, *values)
        rows = chosen_rows(analysis, choice)
        row = int(event.row_value[-1]) - 1  # sorting in the page moves rows, not this
        return _one(analysis, choice, rows, rows.index(row) if row in rows else 0)

    def walk(step: int):
        @guarded
        def go(analysis: Analysis | None, at: int | None, *values: Any) -> list[Any]:
            if analysis is None:
                return [gr.skip()] * 4
            analysis = analysis.by_run
            choice = _choice(analysis, *values)
            rows = chosen_rows(analysis, choice)
            return _one(analysis, choice, rows, rows.index(at) + step if at in rows else 0)

        return go

    quick = {"show_progress": "hidden", "trigger_mode": "always_last", **PRIVATE}
    system.input(change_system, [state, *filters], [kind, *shown], **quick)
    for part in (kind, word, answerable, order):
        part.input(filter_examples, [state, *filters], shown, **quick)
    # Pasted or deleted text is no `input` for Gradio.
    text.change(search, [state, searched, *filters], [*shown, searched], **quick)
    table.select(select, [state, *filters], [place, card, here, now], **quick)
    back.click(walk(-1), [state, here, *filters], [place, card, here, now], **quick)
    forth.click(walk(1), [state, here, *filters], [place, card, here, now], **quick)
    outputs = [empty, content, *filters, *shown, searched]
    return Tab(outputs, refresh, follow)


def _build_filters() -> list[Any]:
    """System, kind of error, question word, whether there is an answer, text, order."""
    return [
        gr.Dropdown([], label="System", min_width=150),
        gr.Dropdown([], label="Kind of error", min_width=180),
        gr.Dropdown([], label="Question word", min_width=120),
        gr.Dropdown([], label="Has an answer", min_width=130),
        gr.Textbox(label="Contains", placeholder="in any column or id", max_lines=1, min_width=200),
        gr.Dropdown([], label="Order", min_width=180),
    ]


def _shown(analysis: Analysis, choice: Choice, row: int | None = None) -> list[Any]:
    """The chosen examples, and one of them: the first where none is given, or it is not among them."""
    rows = chosen_rows(analysis, choice)
    at = rows.index(row) if row in rows else 0
    return [_note(analysis, choice, rows), _table(analysis, choice, rows), *_one(analysis, choice, rows, at)]


def _choice(
    analysis: Analysis, system: str, kind: str | None, word: str | None, answerable: str | None, text: str, order: str
) -> Choice:
    """What the filters say; what the systems of this analysis do not have is not filtered by."""
    system = system if system in analysis.systems else analysis.systems[0]
    kinds = [value for _, value in kind_choices(analysis, system)]
    orders = order_choices(analysis)
    return Choice(
        system,
        kind if kind in kinds else EVERY,
        word if word in word_choices(analysis) else ANY,
        answerable if answerable in answerable_choices(analysis) else ANY,
        (text or "")[:1_000],
        order if order in orders else orders[0],
    )


def _filter_updates(analysis: Analysis, choice: Choice) -> list[Any]:
    """Of all filters but that of the system: those that do not apply are hidden."""
    kinds, words = kind_choices(analysis, choice.system), word_choices(analysis)
    answerables, orders = answerable_choices(analysis), order_choices(analysis)
    return [
        gr.Dropdown(kinds, value=choice.kind if kinds else None, visible=bool(kinds)),
        gr.Dropdown(words, value=choice.word if words else None, visible=bool(words)),
        gr.Dropdown(answerables, value=choice.answerable if answerables else None, visible=bool(answerables)),
        gr.Textbox(choice.text),
        gr.Dropdown(orders, value=choice.order, visible=len(orders) > 1),
    ]


def _note(analysis: Analysis, choice: Choice, rows: list[int]) -> str:
    total = len(analysis.scores(choice.system))
    name = analysis.examples_name
    shown = counted(len(rows), name) if len(rows) == total else f"{len(rows):,} of {counted(total, name)}"
    most = f", the first {MOST_ROWS} of {len(rows):,} in the table" if len(rows) > MOST_ROWS else ""
    value = value_note(analysis, choice.system)
    return wrapped(f'<p class="faint">{shown}{most}. {value}Click a row, or press Enter on it, to read it below.</p>')


def _table(analysis: Analysis, choice: Choice, rows: list[int]) -> gr.Dataframe:
    heads = table_heads(analysis, choice.system)
    numbers = {place for place, head in enumerate(heads) if head == "row" or head not in _WIDTHS}
    return gr.Dataframe(
        {"headers": heads, "data": table_rows(analysis, choice.system, rows[:MOST_ROWS])},
        headers=heads,
        datatype=["number" if place in numbers else "str" for place in range(len(heads))],
        column_widths=_widths(heads),
        visible=bool(rows),
    )


def _widths(heads: list[str]) -> list[int]:
    """Widths in pixels: on a wide screen the columns fill the table."""
    widths = [_WIDTHS.get(head, _VALUE_WIDTH) for head in heads]
    factor = max(1, _TABLE_WIDTH / sum(widths))
    return [int(factor * width) for width in widths]


def _one(analysis: Analysis, choice: Choice, rows: list[int], at: int) -> list[Any]:
    """The example at a place of the list, walking round at its ends: which it is, its card, its place in the scores."""
    if not rows:
        return ["", does_not_apply(_NO_MATCH), None, view_html(view_of(analysis, choice))]
    at %= len(rows)
    where = wrapped(f'<p class="where" role="status">{at + 1:,} of {len(rows):,}</p>')
    return [
        where,
        example_card(analysis, choice.system, rows[at]),
        rows[at],
        view_html(view_of(analysis, choice, rows[at])),
    ]
