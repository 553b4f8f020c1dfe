"""Messages as the page words them: a column is named by the box that takes it."""

from collections.abc import Mapping

from ..core.hints import Hint, Message, worded
from ..files.roles import asked_roles

_OF_COLUMNS = ("with column", "column", "leave out column")  # kinds of hints whose first value is a role


def box_label(role: str) -> str:
    """The label of the box that takes the column of a role."""
    return f"Column of: {asked_roles()[role]}"


def on_page(told: str | Exception, files: Mapping[str, str] | None = None) -> str:
    """As `worded` for the page; columns by the labels of their boxes.

    Example:
        >>> on_page(Message("say which column names the run ", Hint("with column", "run_id", "seed")))
        'say which column names the run under Options, “Column of: run of a system”'
    """
    return worded(Message(*map(_with_box, Message(told).parts)), "page", files)


def _with_box(part: str | Hint) -> str | Hint:
    if isinstance(part, str) or part.kind not in _OF_COLUMNS:
        return part
    role, *others = part.values
    box = f"“{box_label(role)}”" if role in asked_roles() else f"the column of {role}"
    return Hint(part.kind, box, *others)
