"""Predictions in a table that has gold answers too: are these the gold answers that the predictions are scored by?"""

from collections.abc import Sequence
from typing import Any

from ..core.columns import spelled
from ..core.file_columns import Gold
from ..core.remarks import remark
from ..core.shown import shown
from . import read_gold
from .content import Content, Table
from .kinds import files_of
from .reading import FileError
from .tables import Names, each_column

_OTHER_ROLES = ("ids", "query", "document", "weights", "question", "type", "no_answer_probabilities")


def can_be_compared(gold: Gold) -> bool:
    """Whether a gold file is a table, whose gold answers another table may have too."""
    return gold.kind in files_of(gold.metric).compared


def has_own_gold(content: Content, gold: Gold, names: Names) -> bool:
    """Whether a file of predictions is a table that has the gold answers of the gold file too, in a column.

    Rows are compared by id where both tables have ids, and else by their order; rows of only one of them are not compared.

    Args:
        gold: the result of `read_gold`; a file that is not a table is not compared.
        names: role -> column, as for `read_gold`.

    Raises:
        FileError: its gold answers are others; the message names the first row that differs.
    """
    files, table = files_of(gold.metric), _table_of(content.value, gold)
    if content.path == gold.path or table is None:
        return False
    role = files.compared[gold.kind]
    gold_name = gold.names[role]
    # The other columns of the gold file need not be called the same here.
    names = {of: named for of, named in names.items() if of not in _OTHER_ROLES or named in table.columns}
    if role not in names and isinstance(gold_name, str) and gold_name in table.columns:
        names = {**names, role: gold_name}
    named = each_column(names.values())
    if sum(column in named or spelled(column) in files.sides for column in table.columns) < 2:
        return False
    try:
        own = read_gold(content, names, metric=gold.metric)
    except FileError:
        return False
    if own.kind != gold.kind or not own.is_self_contained:
        return False
    difference = files.difference(own, gold)
    if difference is None:
        if table.log:
            _tell_other_questions(own, gold, table.log.question_columns)
        return True
    own_name = own.names[role]
    if (
        isinstance(own_name, str)
        and spelled(own_name) in files.may_be_others
        and (own_name != gold_name or own_name in files.either)
    ):
        return False
    raise FileError(
        content.path,
        f"{difference} (the column {_words(own_name)} here, {_words(gold_name)} there); score it by itself, "
        f"or, if {gold.path} is right for both, rename or remove the column {_words(own_name)} here",
    )


def _tell_other_questions(own: Gold, gold: Gold, columns: Sequence[str]) -> None:
    """Warn if a question of the log differs from the question with the same id and gold answers in the gold file.

    Args:
        columns: that tell, by the log, that questions are the same.
    """
    name = next((name for name in columns if name in own.details and name in gold.details), None)
    if name is None or own.ids is None or gold.ids is None:
        return
    asked = dict(zip(map(str, gold.ids), gold.details[name], strict=True))
    others = [
        row
        for row, of in enumerate(map(str, own.ids))
        if asked.get(of, own.details[name][row]) != own.details[name][row]
    ]
    if others:
        n, first = len(others), shown(own.ids[others[0]])
        told = (
            f"{n} of {len(own.ids)} questions have another {name} than in {gold.path}, first that with the id {first}"
        )
        remark(f"{own.path}: {told}; are these logs of the same task?")


def _table_of(value: Any, gold: Gold) -> Table | None:
    """A file as a table that can be compared with the gold file; None if one of them cannot."""
    return files_of(gold.metric).table_of(value) if can_be_compared(gold) else None


def _words(name: str | Sequence[str]) -> str:
    return name if isinstance(name, str) else " and ".join(name)
