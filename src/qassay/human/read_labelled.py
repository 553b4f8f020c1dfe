"""Reads labelled answers: a table with question, gold answers, answer and human label in each row."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.answers import gold_answers
from ..core.columns import is_missing, is_nan, is_real, usual_roles
from ..core.groups import Groups
from ..core.shown import describe, shown
from ..files.columns import Columns
from ..files.content import Table
from ..files.formats._answers import gold_cells
from ..files.reading import FileError
from ..files.roles import column_names
from ..files.tables import USUAL_NAMES, each_column
from .labels import LABEL_NAMES, label_table, number_of_label, require_enough

_NEEDED = ("labels", "references", "predictions")
_OPTIONAL = ("questions", "system", "groups", "ids")
ROLES = (*_NEEDED, *_OPTIONAL, "separator")
_USUAL = {
    "references": tuple(name for name in USUAL_NAMES["references"] if name not in LABEL_NAMES),
    "predictions": (*USUAL_NAMES["predictions"], *USUAL_NAMES["answer"], "candidate"),
    "labels": LABEL_NAMES,
    "questions": USUAL_NAMES["questions"],
    "system": ("system", "systems", "system_name", "model", "model_name"),
    "groups": ("group", "groups"),
    "ids": USUAL_NAMES["ids"],
}
_LABELS_ARE = (
    "give 1 for right and 0 for wrong, yes and no, correct and incorrect, or a number that is higher for better answers"
)


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
        return _questions_or_golds(self.questions, self.golds)


def read_labelled(data: Any, columns: Mapping[str, Any] | None = None) -> Labelled:
    """Answers with labels from a table; rows without a label are omitted and counted.

    Args:
        data: a file or a table; see `label_table`.
        columns: role -> column, for columns without a usual name; `{"separator": "/"}` for gold answers such as `a/b`.

    Raises:
        FileError: a column that is missing or ambiguous, a label that is not a number, an answer, a question or gold
            answers that are not texts, a labelled answer without gold answers, a duplicate id, or only one group.
        ValueError: an unknown role or column, or fewer than 10 labels. TypeError: something other than a table.
    """
    names = column_names(columns or {}, ROLES, several=("references",))
    path, table = label_table(data)
    picked = _picked_columns(path, table, names)
    labels = np.array([_label(path, row, cell) for row, cell in enumerate(table.columns[picked["labels"]])], np.float64)
    rows = np.flatnonzero(~np.isnan(labels)).tolist()
    require_enough(len(rows), where=f"{path}: ")

    def cells(role: str, check: Callable[[str, int, str, Any], Any]) -> list[Any] | None:
        if role not in picked:
            return None
        return [check(path, row, picked[role], table.columns[picked[role]][row]) for row in rows]

    every = gold_cells(path, table, picked["references"], names.get("separator"))
    golds = _golds(path, [[] if cell == "" else cell for cell in every], rows)
    answers = cells("predictions", lambda *where: None if where[-1] is None else _text(*where)) or []
    questions, systems = cells("questions", _text), cells("system", _name)
    _check_ids(path, rows, cells("ids", lambda *where: where[-1]), systems)
    given = cells("groups", lambda *where: where[-1])
    if given is not None:
        group_name, groups = picked["groups"], Groups.of(given, rows, picked["groups"])
    else:
        group_name, groups = picked.get("questions", "gold answer"), Groups.of(_questions_or_golds(questions, golds))
    if len(groups.labels) < 2:
        raise FileError(path, f"all rows have one {group_name}; label answers to several")
    unlabelled = len(labels) - len(rows)
    return Labelled(answers, golds, questions, labels[rows], systems, groups, group_name, unlabelled)


def _picked_columns(path: str, table: Table, names: Mapping[str, Any]) -> dict[str, Any]:
    """Role -> its column."""
    picker = Columns(path, table, names, usual_roles(table.columns, _USUAL))
    for role in _NEEDED:
        picker.require(role)
    picker.optional(*_OPTIONAL)
    by_column: dict[str, str] = {}
    for role, columns in picker.picked.items():
        for column in each_column([columns]):
            if by_column.setdefault(column, role) != role:
                raise FileError(
                    path, f"the column {column} is given both as {by_column[column]} and as {role}; give another"
                )
    return picker.picked


def _label(path: str, row: int, cell: Any) -> float:
    """The label as a number; NaN if it is missing."""
    try:
        value = number_of_label(cell) if isinstance(cell, str) else float(cell) if is_real(cell) else math.inf
    except ValueError:
        value = math.inf
    if value is None or is_missing(cell):
        return math.nan
    if not math.isfinite(value):
        raise FileError(path, f"row {row}: the label {shown(cell)} is not a number; {_LABELS_ARE}")
    return value


def _golds(path: str, cells: Sequence[Any], rows: Sequence[int]) -> list[list[str]]:
    """The gold answers of some rows."""
    for row in rows:
        if is_missing(cells[row]):
            raise FileError(
                path, f"row {row}: there are no gold answers; give them, or [] for a question without an answer"
            )
    known: list[Any] = [[]] * len(cells)  # rows keep their numbers in messages
    for row in rows:
        known[row] = cells[row]
    try:
        every = gold_answers(known)
    except TypeError as error:
        raise FileError(path, str(error)) from None
    return [every[row] for row in rows]


def _text(path: str, row: int, column: str, cell: Any) -> str:
    if not isinstance(cell, str):
        raise FileError(path, f'row {row}: {column} must be a text, got {describe(cell)}; give a string, "" for none')
    return cell


def _name(path: str, row: int, column: str, cell: Any) -> str:
    if cell is None or cell == "" or is_nan(cell):
        raise FileError(path, f"row {row}: {column} is empty; give the system of every answer")
    return str(cell)


def _check_ids(path: str, rows: Sequence[int], ids: Sequence[Any] | None, systems: Sequence[str] | None) -> None:
    """Refuse an id that a system has twice; empty ids are ignored."""
    seen: dict[tuple[str, str], int] = {}
    for row, identifier, system in zip(rows, ids or (), systems or [""] * len(rows), strict=False):
        if identifier is None or identifier == "" or is_nan(identifier):
            continue
        first = seen.setdefault((system, str(identifier)), row)
        if first != row:
            of = f" of the system {system}" if systems is not None else ""
            by_system = ', or name the column of systems with columns={"system": "NAME"}' if systems is None else ""
            raise FileError(
                path,
                f"duplicate id {shown(identifier)}{of} in rows {first} and {row}; give each answer once{by_system}",
            )


def _questions_or_golds(questions: Sequence[str] | None, golds: Sequence[Sequence[str]]) -> list[str]:
    right = [" ".join(map(repr, answers)) or "none" for answers in golds]
    if questions is None:
        return right
    return [f"q {question}" if question.strip() else golds for question, golds in zip(questions, right, strict=True)]
