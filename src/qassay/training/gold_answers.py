"""The gold answers of one data set, or of several, read and checked before the training begins."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import to_list
from ..registry import get_family

_ANSWERS = get_family("answer_match")


def read_golds(references: Any, ids: Sequence[Any] | None = None) -> list[list[str]]:
    """Gold answers as lists of strings, a list per row.

    Args:
        references: strings ("": the question has no answer), lists of strings (so is []) or rows of SQuAD's column answers.
        ids: of the rows, for messages.

    Raises:
        TypeError, ValueError: an answer that is none; naming the row.
    """
    if isinstance(references, Mapping):
        raise TypeError(
            "references are a dict by id, but these answers have no ids; give a list in the order of the data set; for "
            'several data sets give name -> lists of gold answers, such as {"a": [["Rome"]], "b": [["Oslo"], []]}'
        )
    rows = to_list(references, "references")
    if any(isinstance(row, (list, tuple, Mapping)) for row in rows):
        rows = [([row] if row else []) if isinstance(row, str) else row for row in rows]
    return _ANSWERS.gold_answers(rows, ids)


def read_sets(references: Any) -> dict[str | None, list[list[str]]]:
    """Gold answers of one data set, under None, or of several, by name.

    Args:
        references: as `read_golds` takes them, or a dict name -> them, with a list (or a row of SQuAD) for each row.

    Raises:
        TypeError, ValueError: as `read_golds`; data sets that cannot be told apart.
    """
    if not isinstance(references, Mapping) or not references or any(map(_is_row, references.values())):
        return {None: read_golds(references)}
    golds: dict[str | None, list[list[str]]] = {}
    for name, rows in references.items():
        try:
            golds[name] = read_golds(rows)
        except (TypeError, ValueError) as error:
            raise type(error)(f"data set {name!r}: {error}") from None
        same = next((other for other in golds if other != name and golds[other] == golds[name]), None)
        if same is not None:
            raise ValueError(
                f"the data sets {same!r} and {name!r} have the same gold answers, so that nothing tells which one Trainer "
                f"evaluates; give them once, for example as {f'{same}, {name}'!r}"
            )
    return golds


def _is_row(value: Any) -> bool:
    """Whether a value is the gold answers of one row, not of a data set."""
    return (
        isinstance(value, (str, Mapping)) or isinstance(value, (list, tuple)) and all(isinstance(t, str) for t in value)
    )
