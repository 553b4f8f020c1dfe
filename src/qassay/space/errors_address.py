"""The tab Errors in addresses: the examples that a link asks for, and the address of what is shown."""

from .address import View, addressed_id, unknown
from .analysis import Analysis
from .errors_choice import (
    CHANGES,
    EVERY,
    Choice,
    chosen_rows,
    first_choice,
    has_part,
    kind_choices,
    order_choices,
    other_choices,
)
from .errors_values import is_known_measure
from .example_columns import scores_with
from .view_parts import cut

_NAME = 60  # characters of what a link asks for, in words


def view_of(analysis: Analysis, choice: Choice, row: int | None = None) -> View:
    """The view of a choice, and of the example that is read, if any."""
    others = other_choices(analysis, choice.system)
    is_usual = not choice.change and choice.other in others[:1]
    return View(
        tab="errors",
        sample=analysis.inputs.sample,
        system=choice.system,
        kind=choice.kind,
        slice=choice.part,
        other="" if is_usual else choice.other,
        change=choice.change,
        measure=choice.measure,
        text=choice.text,
        order="" if choice.order == order_choices(analysis)[0] else choice.order,
        example="" if row is None else str(analysis.scores(choice.system).ids[row]),
    )


def choice_of(analysis: Analysis, view: View) -> tuple[Choice, int | None, list[str]]:
    """What a view asks for, the place of its example in the scores, and in words what of it does not fit.

    Args:
        analysis: as it was scored; its runs are systems here.
    """
    by_run = analysis.by_run
    misfits: list[str] = []

    def system_of(name: str) -> str:
        """A system of this name, or the first of its runs; "" for none."""
        runs = [own for own in by_run.systems if name in analysis.systems and own.startswith(f"{name} (")]
        found = name if name in by_run.systems else next(iter(runs), "")
        if name and not found:
            misfits.append(unknown("system", name, by_run.systems))
        return found

    system, other = system_of(view.system), system_of(view.other)
    if not system and other:
        system = next(iter(other_choices(by_run, other)), "")
    choice = first_choice(by_run, system or None)
    if other and other != choice.system:
        choice = choice._replace(other=other)
    choice = choice._replace(text=view.text, **_order(by_run, view, misfits), **_change(by_run, choice, view, misfits))
    choice = choice._replace(kind=_kind(by_run, choice, view, misfits), part=_part(by_run, choice, view, misfits))
    row = _row(by_run, choice, view, misfits)
    if row is not None and not view.kind and row not in chosen_rows(by_run, choice):
        choice = choice._replace(kind=EVERY)
    return choice, row, misfits


def lists_just(analysis: Analysis, view: View, n: int | None = None) -> bool:
    """Whether a view fits what was scored and lists examples, n of them where the number is known."""
    choice, _, misfits = choice_of(analysis, View.parse(view.href()))  # an address cuts long names
    is_shown = not view.measure or choice.measure == view.measure
    found = len(chosen_rows(analysis.by_run, choice)) if is_shown and not misfits else 0
    return found > 0 and n in (None, found)


def _quoted(text: str) -> str:
    return f'"{cut(text, _NAME)}"'


def _kind(analysis: Analysis, choice: Choice, view: View, misfits: list[str]) -> str:
    if not view.kind:  # of other filters, and of what fails by a measure, nothing is hidden
        is_measured = scores_with(analysis, choice.system, view.measure) is not None
        is_filtered = is_measured or any((view.slice, view.change, view.text))
        return EVERY if is_filtered else choice.kind
    if view.kind == EVERY or view.kind in [kind for _, kind in kind_choices(analysis, choice.system)]:
        return view.kind
    if analysis.error_kinds is None or view.kind not in analysis.telling.errors.order:
        misfits.append(
            unknown("kind of error", view.kind, analysis.telling.errors.order if analysis.error_kinds else ())
        )
    else:
        misfits.append(f"{choice.system} has no example of the kind {_quoted(view.kind)}")
    return choice.kind


def _part(analysis: Analysis, choice: Choice, view: View, misfits: list[str]) -> str:
    if not view.slice or has_part(analysis, choice.system, view.slice):
        return view.slice
    misfits.append(f"No example of {choice.system} is in the slice {_quoted(view.slice)}")
    return ""


def _change(analysis: Analysis, choice: Choice, view: View, misfits: list[str]) -> dict[str, str]:
    change, measure = view.change, view.measure
    if change and (change not in CHANGES or not choice.other):
        why = f"there is no change {_quoted(change)}" if choice.other else "there is one system only"
        misfits.append(f"The systems cannot be compared: {why}")
        change = ""
    if measure and not is_known_measure(analysis, measure):
        # Of a measure of all examples together, such as macro F1, the usual values of single ones tell most.
        if scores_with(analysis, choice.system, measure) is None:
            misfits.append(f"No single example has a value of {_quoted(measure)}")
        measure = ""
    return {"change": change, "measure": measure}


def _order(analysis: Analysis, view: View, misfits: list[str]) -> dict[str, str]:
    orders = order_choices(analysis)
    if view.order and view.order not in orders:
        misfits.append(unknown("order", view.order, orders))
    return {"order": view.order if view.order in orders else orders[0]}


def _row(analysis: Analysis, choice: Choice, view: View, misfits: list[str]) -> int | None:
    if not view.example:
        return None
    row = row_of(analysis, choice.system, view.example)
    if row is not None:
        return row
    misfits.append(f"{choice.system} has no example {_quoted(view.example)}")
    return None


def row_of(analysis: Analysis, system: str, example: str) -> int | None:
    """The place of an example in the scores of a system, by its id as an address has it; None: there is none."""
    ids = (addressed_id(str(identifier)) for identifier in analysis.scores(system).ids)
    return next((row for row, identifier in enumerate(ids) if identifier == example), None)
