"""Predictions in a table that has gold data too: are these the gold data that the predictions are scored by?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import spelled
from ..core.file_columns import Gold
from ..core.remarks import collected, remark
from ..core.shown import shown
from . import read_gold
from .content import Content
from .formats import Format, compared_format
from .reading import FileError
from .tables import Names, as_table

_OTHER_ROLES = ("ids", "query", "document", "weights", "question", "type", "no_answer_probabilities")
_EITHER = {"answer", "answers", "exact_answer"}  # names of gold data in a gold file, and of predictions elsewhere


def can_be_compared(gold: Gold) -> bool:
    """Whether a gold file is a table, whose gold data another table may have too."""
    return compared_format(gold) is not None


def has_own_gold(content: Content, gold: Gold, names: Names) -> bool:
    """Whether a file of predictions is a table that has the gold data of the gold file too, in a column.

    Rows are compared by id where both tables have ids, and else by their order; rows of only one of them are not compared.

    Args:
        gold: the result of `read_gold`; a file that is not a table is not compared.
        names: role -> column, as for `read_gold`.

    Raises:
        FileError: its gold data are others; the message names the first row that differs.
    """
    form, table = compared_format(gold), as_table(content.value, any_columns=True)
    if content.path == gold.path or table is None or form is None:
        return False
    role = form.compared[gold.kind]
    if role not in gold.names:
        return False
    gold_name = gold.names[role]
    # The other columns of the gold file need not be called the same here.
    names = {of: named for of, named in names.items() if of not in _OTHER_ROLES or named in table.columns}
    if role not in names and isinstance(gold_name, str) and gold_name in table.columns:
        names = {**names, role: gold_name}
    try:
        with collected():  # what is remarked of gold data is of the gold file
            found = read_gold(content, names, metric=gold.metric)
    except FileError:
        return False
    if found.kind != gold.kind or not found.is_self_contained:
        return False
    difference = _difference(form, found, gold)
    if difference is None:
        if table.log:
            _remark_other_questions(found, gold, table.log.question_columns)
        return True
    name = found.names[role]
    if isinstance(name, str) and spelled(name) in form.ambiguous and (name != gold_name or name in _EITHER):
        return False
    raise FileError(
        content.path,
        f"{difference} (the column {_words(name)} here, {_words(gold_name)} there); score it by itself, "
        f"or, if {gold.path} is right for both, rename or remove the column {_words(name)} here",
    )


def _difference(form: Format, found: Gold, gold: Gold) -> str | None:
    """The first row whose gold data are others, in words; None for none."""
    if form.difference is not None:
        return form.difference(found, gold)
    assert form.gold_cells is not None, form.name
    return first_difference(found, gold, form.gold_cells(found), form.gold_cells(gold))


def first_difference(found: Gold, gold: Gold, own_cells: Sequence[Any], gold_cells: Sequence[Any]) -> str | None:
    """The first row that says something other than the row of the gold file; None says nothing.

    Args:
        own_cells, gold_cells: the meaning of each row, in any layout.
    """
    there: Mapping[Any, Any]
    named: Iterable[tuple[Any, Any]]
    if found.ids is not None and gold.ids is not None:
        there = dict(zip(map(str, gold.ids), gold_cells, strict=True))
        named = zip(map(str, found.ids), own_cells, strict=True)
        spot = "the id {!r}"
    else:
        there, named, spot = dict(enumerate(gold_cells)), enumerate(own_cells), "row {}"
    for name, cell in named:
        other = there.get(name)
        if cell is not None and other is not None and cell != other:
            return f"{spot.format(name)} has {_cell_words(cell)} as gold, but {_cell_words(other)} in {gold.path}"
    return None


def _cell_words(cell: Any) -> str:
    if isinstance(cell, tuple):
        return " | ".join(cell) or "nothing"
    return repr(sorted(cell)) if isinstance(cell, frozenset) and cell else "no answer" if not cell else repr(cell)


def _remark_other_questions(found: Gold, gold: Gold, columns: Sequence[str]) -> None:
    """Remark if a question of the log differs from the question with the same id and gold answers in the gold file.

    Args:
        columns: that say, in the log, that questions are the same.
    """
    name = next((name for name in columns if name in found.details and name in gold.details), None)
    if name is None or found.ids is None or gold.ids is None:
        return
    questions = dict(zip(map(str, gold.ids), gold.details[name], strict=True))
    cells = found.details[name]
    others = [row for row, of in enumerate(map(str, found.ids)) if questions.get(of, cells[row]) != cells[row]]
    if others:
        n, first = len(others), shown(found.ids[others[0]])
        message = (
            f"{n} of {len(found.ids)} questions have another {name} than in {gold.path}, first that with the id {first}"
        )
        remark(f"{found.path}: {message}; are these logs of the same task?")


def _words(name: str | Sequence[str]) -> str:
    return name if isinstance(name, str) else " and ".join(name)
