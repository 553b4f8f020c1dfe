"""Reads labelled answers: a table with question, gold answers, answer and human label in each row."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.answers import TEXTS
from ..core.columns import is_missing
from ..core.groups import Groups
from ..core.intake import REFERENCES, Cells
from ..core.shown import describe, shown
from ..files.formats._answers import gold_cells
from ..files.reading import FileError
from ..files.roles import column_names
from ..files.tables import USUAL_NAMES, each_column
from .labels import LABEL_NAMES, label_columns, number_of_label, require_enough

_NEEDED = ("labels", "references", "predictions")
_OPTIONAL = ("questions", "system", "groups", "ids")
_USUAL = {
    "references": tuple(name for name in USUAL_NAMES["references"] if name not in LABEL_NAMES),
    "predictions": (*USUAL_NAMES["predictions"], *USUAL_NAMES["answer"], "candidate"),
    "labels": LABEL_NAMES,
    "questions": USUAL_NAMES["questions"],
    "system": ("system", "systems", "system_name", "model", "model_name"),
    "groups": ("group", "groups"),
    "ids": USUAL_NAMES["ids"],
}


class Labelled(NamedTuple):
    """n answers with labels.

    Attributes:
        answers: n answers, None for a missing one.
        golds: n lists of gold answers.
        questions: n questions; None if the table has none.
        labels: float64 (n,), higher for better answers.
        systems: the system of each answer; None if the table has no such column.
        groups: the groups of answers that are not independent.
        group_name: the name of the column of groups.
        unlabelled: the number of other rows, which have no label.
    """

    answers: list[Any]
    golds: list[list[str]]
    questions: list[str] | None
    labels: np.ndarray
    systems: list[str] | None
    groups: Groups
    group_name: str
    unlabelled: int

    @property
    def questions_or_golds(self) -> list[str]:
        """The question of each answer; its gold answers if the question is blank."""
        golds = [" ".join(map(repr, answers)) or "none" for answers in self.golds]
        questions = self.questions or [""] * len(golds)
        return [f"q {asked}" if asked.strip() else gold for asked, gold in zip(questions, golds, strict=True)]


def read_labelled(data: Any, columns: Mapping[str, Any] | None = None) -> Labelled:
    """Answers with labels from a table; rows without a label are omitted and counted.

    Args:
        data: a file or a table; see `label_columns`.
        columns: role -> column, for columns without a usual name; `{"separator": "/"}` for gold answers such as `a/b`.

    Raises:
        FileError: a column that is missing or ambiguous, a label that is not a number, an answer, a question or gold
            answers that are not texts, a duplicate id, or only one group.
        ValueError: an unknown role or column, or fewer than 10 labels. TypeError: something other than a table.
    """
    names = column_names(columns or {}, (*_NEEDED, *_OPTIONAL, "separator"), several=("references",))
    picker = label_columns(data, names, _USUAL)
    path, table, picked = picker.path, picker.table, picker.picked
    for role in _NEEDED:
        picker.require(role)
    picker.optional(*_OPTIONAL)
    taken = each_column(picked.values())
    if twice := next((column for column in taken if taken.count(column) > 1), None):
        roles = " and as ".join(role for role, of in picked.items() if twice in each_column([of]))
        raise FileError(path, f"the column {twice} is given both as {roles}; give another")
    cells = picker.cells("labels") or []
    known = [(row, number) for row, cell in enumerate(cells) if (number := _label(path, row, cell)) is not None]
    rows, labels = [row for row, _ in known], np.array([number for _, number in known])
    require_enough(len(rows), where=f"{path}: ")

    def texts(role: str) -> list[Any] | None:
        column = picker.cells(role)
        return column and [_text(path, row, picked[role], column[row]) for row in rows]

    try:
        every = gold_cells(table, picked["references"], names.get("separator"))
    except ValueError as error:
        raise FileError(path, str(error)) from None
    golds = TEXTS.check(Cells([[] if cell == "" else cell for cell in every], REFERENCES))
    of_column = {
        role: Groups.of([column[row] for row in rows], rows, picked[role])
        for role in ("system", "groups")
        if (column := picker.cells(role))
    }
    systems = of_column["system"].listed() if "system" in of_column else None
    _check_ids(path, picker.cells("ids"), rows, systems)
    name = picked.get("groups") or picked.get("questions", "gold answer")
    found = Labelled(
        answers=texts("predictions") or [],
        golds=[golds[row] for row in rows],
        questions=[question or "" for question in texts("questions") or ()] or None,
        labels=labels,
        systems=systems,
        groups=Groups.of(rows),
        group_name=name,
        unlabelled=len(cells) - len(rows),
    )
    groups = of_column["groups"] if "groups" in of_column else Groups.of(found.questions_or_golds)
    if len(groups.labels) < 2:
        raise FileError(path, f"all rows have one {name}; label answers to several")
    return found._replace(groups=groups)


def _label(path: str, row: int, cell: Any) -> float | None:
    try:
        return number_of_label(cell)
    except ValueError:
        raise FileError(
            path,
            f"row {row}: the label {shown(cell)} is not a number; give 1 for right and 0 for wrong, yes and no, correct and "
            "incorrect, or a number that is higher for better answers",
        ) from None


def _text(path: str, row: int, column: str, cell: Any) -> str | None:
    """A text, None for a missing one."""
    if is_missing(cell):
        return None
    if not isinstance(cell, str):
        raise FileError(path, f'row {row}: {column} must be a text, got {describe(cell)}; give a string, "" for none')
    return cell


def _check_ids(path: str, ids: Sequence[Any] | None, rows: Sequence[int], systems: Sequence[str] | None) -> None:
    """Refuse an id that a system has twice; empty ids are ignored."""
    seen: dict[tuple[str, str], int] = {}
    for row, system in zip(rows if ids else (), systems or [""] * len(rows), strict=False):
        identifier = ids[row] if ids else None
        if is_missing(identifier) or identifier == "":
            continue
        first = seen.setdefault((system, str(identifier)), row)
        if first != row:
            of = f" of the system {system}" if system else ""
            raise FileError(
                path,
                f"duplicate id {shown(identifier)}{of} in rows {first} and {row}; give each answer once, or the column of "
                'systems with columns={"system": "NAME"}',
            )
