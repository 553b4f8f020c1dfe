"""Reads labelled answers: a table with question, gold answers, answer and human label in each row."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.answers import TEXTS
from ..core.columns import is_missing
from ..core.groups import Groups
from ..core.intake import REFERENCES, Cells
from ..core.shown import describe, shown
from ..files.columns import Columns
from ..files.formats._answers import gold_cells
from ..files.reading import FileError
from ..files.tables import USUAL_NAMES, each_column
from .labels import LABEL_NAMES, label_columns, number_of_label, require_enough

_NEEDED = ("labels", "references", "predictions")
_USUAL = {
    "labels": LABEL_NAMES,
    "references": tuple(name for name in USUAL_NAMES["references"] if name not in LABEL_NAMES),
    "predictions": (*USUAL_NAMES["predictions"], *USUAL_NAMES["answer"], "candidate"),
    "questions": USUAL_NAMES["questions"],
    "system": ("system", "systems", "system_name", "model", "model_name"),
    "groups": ("group", "groups"),
    "ids": USUAL_NAMES["ids"],
    "separator": (),  # not a column: what separates gold answers in a cell
}


class Labelled(NamedTuple):
    """n answers with labels.

    Attributes:
        answers: n answers, None for a missing one.
        golds: n lists of gold answers.
        questions: n questions; None if the table has none.
        asked: the question of each answer; its gold answers if the question is blank.
        labels: float64 (n,), higher for better answers.
        systems: the system of each answer; None if the table has no such column.
        groups: the groups of answers that are not independent.
        group_name: the name of the column of groups.
        unlabelled: the number of other rows, which have no label.
    """

    answers: list[Any]
    golds: list[list[str]]
    questions: list[str] | None
    asked: list[str]
    labels: np.ndarray
    systems: list[str] | None
    groups: Groups
    group_name: str
    unlabelled: int


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
    picker = label_columns(data, columns, _USUAL)
    path, picked = picker.path, picker.picked
    for role in _NEEDED:
        picker.require(role)
    picker.optional("questions", "system", "groups", "ids")
    taken = each_column(picked.values())
    if twice := next((column for column in taken if taken.count(column) > 1), None):
        roles = " and as ".join(role for role, of in picked.items() if twice in each_column([of]))
        raise FileError(path, f"the column {twice} is given both as {roles}; give another")
    numbers = _labels(path, picker.cells("labels") or [])
    rows = [row for row, number in enumerate(numbers) if number is not None]
    require_enough(len(rows), where=f"{path}: ")
    try:
        every = gold_cells(picker.table, picked["references"], picker.names.get("separator"))
    except ValueError as error:
        raise FileError(path, str(error)) from None
    of_rows = TEXTS.check(Cells([[] if cell == "" else cell for cell in every], REFERENCES))
    golds = [of_rows[row] for row in rows]
    questions = [question or "" for question in _texts(picker, "questions", rows)] or None
    asked = [
        f"q {question}" if question.strip() else " ".join(map(repr, texts)) or "none"
        for question, texts in zip(questions or [""] * len(rows), golds, strict=True)
    ]
    of_systems, given = (_groups(picker, role, rows) for role in ("system", "groups"))
    groups, group_name = given or Groups.of(asked), picked.get("groups") or picked.get("questions", "gold answer")
    if len(groups.labels) < 2:
        raise FileError(path, f"all rows have one {group_name}; label answers to several")
    found = Labelled(
        answers=_texts(picker, "predictions", rows),
        golds=golds,
        questions=questions,
        asked=asked,
        labels=np.array([numbers[row] for row in rows]),
        systems=None if of_systems is None else of_systems.listed(),
        groups=groups,
        group_name=group_name,
        unlabelled=len(numbers) - len(rows),
    )
    _check_ids(path, picker.cells("ids"), rows, found.systems)
    return found


def _labels(path: str, cells: Sequence[Any]) -> list[float | None]:
    """The label of each row as a number; None for none."""
    numbers = [number_of_label(cell) for cell in cells]
    for row, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
        if number is not None and math.isnan(number):
            raise FileError(
                path,
                f"row {row}: the label {shown(cell)} is not a number; give 1 for right and 0 for wrong, yes and no, correct "
                "and incorrect, or a number that is higher for better answers",
            )
    return numbers


def _texts(picker: Columns, role: str, rows: Sequence[int]) -> list[str | None]:
    """The texts of a column, None for a missing one; [] if there is no column."""
    cells, texts = picker.cells(role) or [], []
    for row in rows if cells else ():
        cell = None if is_missing(cells[row]) else cells[row]
        if not isinstance(cell, (str, type(None))):
            column = picker.picked[role]
            raise FileError(
                picker.path, f'row {row}: {column} must be a text, got {describe(cell)}; give a string, "" for none'
            )
        texts.append(cell)
    return texts


def _groups(picker: Columns, role: str, rows: Sequence[int]) -> Groups | None:
    """The groups that a column makes of the rows; None if there is no column."""
    cells = picker.cells(role)
    return Groups.of([cells[row] for row in rows], rows, picker.picked[role]) if cells else None


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
