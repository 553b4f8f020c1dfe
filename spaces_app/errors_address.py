"""The tab Errors in addresses: the examples that a link asks for, and the address of those that are shown."""

from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.errors_view import (
    ANY,
    EVERY,
    Choice,
    answerable_choices,
    first_choice,
    kind_choices,
    order_choices,
    word_choices,
)

_WORD, _ANSWERABLE = "question_word", "answerable"


def view_of(analysis: Analysis, choice: Choice, row: int | None = None) -> View:
    """The view of some examples, one of which is read."""
    part = "" if choice.word == ANY else f"{_WORD}:{choice.word}"
    part = part or ("" if choice.answerable == ANY else f"{_ANSWERABLE}:{choice.answerable}")
    example = "" if row is None else str(analysis.scores(choice.system).ids[row])
    return View(
        "errors", analysis.inputs.sample, choice.system, choice.kind, part, text=choice.text, order=choice.order, example=example
    )  # fmt: skip


def choice_of(analysis: Analysis, view: View) -> tuple[Choice, int | None, list[str]]:
    """What a view asks for, the place of its example in the scores, and in words what of it does not fit."""
    misfits = []
    system = view.system or None
    if system and system not in analysis.systems:
        misfits.append(f"There is no system {view.system!r}, but {', '.join(analysis.systems)}")
        system = None
    choice = first_choice(analysis, system)
    is_asked = any((view.slice, view.change, view.low, view.high, view.text))
    kinds = [value for _, value in kind_choices(analysis, choice.system)]
    if view.kind and view.kind not in kinds:
        misfits.append(f"{choice.system} has no example of the kind {view.kind!r}")
    elif view.kind or is_asked:
        choice = choice._replace(kind=view.kind or EVERY)
    name, _, label = view.slice.partition(":")
    for field, own, offered in (
        ("word", _WORD, word_choices(analysis)),
        ("answerable", _ANSWERABLE, answerable_choices(analysis)),
    ):
        if name == own and label in offered:
            choice = choice._replace(**{field: label})
    if view.order in order_choices(analysis):
        choice = choice._replace(order=view.order)
    choice = choice._replace(text=view.text)
    ids = [str(identifier) for identifier in analysis.scores(choice.system).ids] if view.example else []
    row = ids.index(view.example) if view.example in ids else None
    if view.example and row is None:
        misfits.append(f"There is no example {view.example!r}")
    return choice, row, misfits
