"""The list of examples on the tab Errors, and the filters that hold, as HTML."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..core.examples import ExampleText
from ..core.slices import slice_in_words
from ..reports.chart_parts import escaped
from ..reports.comparison import counted
from ..reports.html_parts import breakable, isolated
from ..reports.palette import kind_classes
from ..reports.values_text import number_text
from .address import View
from .analysis import Analysis
from .errors_address import view_of
from .errors_choice import (
    CHANGES,
    EVERY,
    IN_TURN,
    Choice,
    is_varied,
)
from .errors_values import (
    kinds_of,
    rightness,
    value_names,
    values_of,
)
from .example_columns import rows_in, scores_with
from .view_parts import asked_of, cut, shown_sides, wrapped

MOST_ROWS = 200  # of a list: browsers are slow with more
READ = "errors-read"  # the button that shows the example of a link in the list
_ABSENT = '<span class="none">does not have it</span>'


# --- above the list ---------------------------------------------------------------------------------------------------


def filters_html(analysis: Analysis, choice: Choice, rows: Sequence[int]) -> str:
    """How many examples there are, and the filters that hold, each a link that removes it."""
    total = len(analysis.scores(choice.system))
    name = analysis.examples_name
    shown = counted(len(rows), name) if len(rows) == total else f"{len(rows):,} of {counted(total, name)}"
    most = f", the first {MOST_ROWS} in the list" if len(rows) > MOST_ROWS else ""
    order = f"The first {IN_TURN} alternate between kinds. " if _is_in_turn(analysis, choice, rows) else ""
    chips = "".join(_chip(words, view) for words, view in active_filters(analysis, choice))
    return wrapped(
        f'<p class="faint">{shown}{most}. {order}{value_note(analysis, choice)}</p>',
        f'<ul class="chips" aria-label="Filters">{chips}</ul>' if chips else "",
    )


def active_filters(analysis: Analysis, choice: Choice) -> list[tuple[str, View]]:
    """The filters that hold, each in words, and the view without it."""
    names = {"system": choice.system, "other": choice.other}
    slice_name, _, label = choice.part.partition(":")
    found = []
    if choice.kind != EVERY and kinds_of(analysis, choice.system) is not None:
        found.append((choice.kind, choice._replace(kind=EVERY)))
    if choice.part:
        found.append((slice_in_words(slice_name, label, ": "), choice._replace(part="")))
    if choice.change and choice.other:
        found.append((CHANGES[choice.change].format(**names), choice._replace(change="")))
    if choice.text.strip():
        found.append((f"contains “{choice.text.strip()}”", choice._replace(text="")))
    if choice.measure:
        found.append((f"by {choice.measure}", choice._replace(measure="")))
    return [(words, view_of(analysis, without)) for words, without in found]


def _chip(words: str, view: View) -> str:
    words = isolated(cut(words, 80))
    return (
        f'<li><a class="go chip" href="{escaped(view.href())}"><span class="sr">Remove the filter </span>'
        f'{words} <span aria-hidden="true">×</span></a></li>'
    )


def _is_in_turn(analysis: Analysis, choice: Choice, rows: Sequence[int]) -> bool:
    kinds = kinds_of(analysis, choice.system)
    if kinds is None or not is_varied(analysis, choice):
        return False
    return len(rows) > IN_TURN and len({kinds[row] for row in rows[:IN_TURN]}) > 1


def value_note(analysis: Analysis, choice: Choice) -> str:
    """What the column of values holds, where it is not one measure alone; "" else."""
    names = [] if choice.measure else value_names(analysis, choice.system)
    return f"value: the first of {', '.join(names)} that applies to the example. " if len(names) > 1 else ""


# --- the list ---------------------------------------------------------------------------------------------------------


def list_html(analysis: Analysis, choice: Choice, rows: Sequence[int], here: int | None) -> str:
    """The first of the chosen examples as a table that marks the one being read; each links to its view.

    On a phone its rows are cards.
    """
    rows = list(rows[:MOST_ROWS])
    if not rows:
        return ""
    columns = _columns(analysis, choice, rows)
    view = view_of(analysis, choice)
    asked = asked_of(analysis, choice.system, rows)
    links = [_link(analysis, view, row, text, row == here) for row, text in zip(rows, asked, strict=True)]
    body = [
        f'<tr{_MARKED if row == here else ""}><th scope="row">{link}</th>{"".join(cells)}</tr>'
        for row, link, cells in zip(rows, links, zip(*(cells for _, cells in columns), strict=True), strict=True)
    ]
    first = ("question" if "question" in analysis.gold.details else "text") if any(asked) else "id"
    heads = "".join(f'<th scope="col">{head}</th>' for head in (first, *(head for head, _ in columns)))
    return wrapped(
        '<div class="examples" role="group" aria-label="Examples"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


_MARKED = ' class="here" aria-current="true"'


def _link(analysis: Analysis, view: View, row: int, asked: str | None, is_here: bool) -> str:
    identifier = str(analysis.scores(view.system).ids[row])
    href = escaped(dataclasses.replace(view, example=identifier).href())
    reached = "" if is_here else ' tabindex="-1"'  # by arrow keys
    return f'<a class="go" data-by="{READ}" href="{href}" dir="auto"{reached}>{escaped(cut(asked or identifier))}</a>'


def _columns(analysis: Analysis, choice: Choice, rows: list[int]) -> list[tuple[str, list[str]]]:
    """The head of each column as HTML, and its cells."""
    system, kinds = choice.system, kinds_of(analysis, choice.system)
    texts = analysis.texts(system, rows)
    answer = "answer" if "texts" in analysis.telling.answers_are else "found"
    columns = []
    if kinds is not None:
        columns.append(("kind", _kind_cells(analysis, [kinds[row] for row in rows])))
    value = _value_name(analysis, choice)
    if value:
        columns.append((escaped(value), _value_cells(analysis, choice, value, rows)))
    sides = [shown_sides(analysis, text) for text in texts]
    own = breakable(system) if choice.other else answer
    columns.append((own, [_cell(cut(system, 40) if choice.other else answer, _text(said)) for said, _ in sides]))
    if choice.other:
        columns.append((breakable(choice.other), _other_cells(analysis, choice, rows)))
    columns.append(("gold", [_cell("gold", _text(gold)) for _, gold in sides]))
    return columns


def _cell(name: str, content: str, css: str = "") -> str:
    """A cell, with the name of its column for narrow pages, which show no heads."""
    return f'<td data-name="{escaped(name)}"{f" class={css}" if css else ""}>{content}</td>'


def _text(text: str) -> str:
    return f'<span dir="auto">{escaped(text)}</span>'


def _kind_cells(analysis: Analysis, kinds: Sequence[str]) -> list[str]:
    order = analysis.telling.errors.order
    colors = dict(zip(order, kind_classes(order), strict=True))
    dot = '<i class="dot" style="background:var(--{})"></i>'
    return [_cell("kind", f"{dot.format(colors[kind])}{escaped(kind)}", "kind") for kind in kinds]


def _value_name(analysis: Analysis, choice: Choice) -> str:
    """What the column of values is called; "" where there is none."""
    names = [choice.measure] if choice.measure else value_names(analysis, choice.system)
    return names[0] if len(names) == 1 else "value" if names else ""


def _value_cells(analysis: Analysis, choice: Choice, name: str, rows: Sequence[int]) -> list[str]:
    column = values_of(analysis, choice.system, choice.measure)[list(rows)]
    having = scores_with(analysis, choice.system, choice.measure)
    is_rate = having is None or having.measures[choice.measure].is_rate
    shown = ["–" if np.isnan(value) else number_text(float(value), is_rate, analysis.report.scale) for value in column]
    return [_cell(name, text, "number") for text in shown]


def _other_cells(analysis: Analysis, choice: Choice, rows: Sequence[int]) -> list[str]:
    """What the other system answered, and whether that is right."""
    there = [rows_in(analysis, choice.other, choice.system)[row] for row in rows]
    known = [row for row in there if row is not None]
    texts: dict[int, ExampleText] = dict(zip(known, analysis.texts(choice.other, known), strict=True))
    right = rightness(analysis, choice.other)
    mark = {
        1: '<span class="right">✓<span class="sr"> right: </span></span> ',
        0: '<span class="wrong">✗<span class="sr"> wrong: </span></span> ',
    }
    cells = [
        _ABSENT if row is None else f"{mark.get(right[row], '')}{_text(shown_sides(analysis, texts[row])[0])}"
        for row in there
    ]
    return [_cell(cut(choice.other, 40), cell) for cell in cells]
