"""Reads human labels: tables of them, cells, and verdicts on the examples of a system."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import is_hashable, is_missing, is_nan, is_real, is_table, to_list, usual_roles
from ..core.ids import comparable_ids, index_counts_rows
from ..core.shown import describe, shown
from ..files.columns import Columns
from ..files.content import Content, Table, read_content
from ..files.reading import ID_NAMES, FileError, to_number
from ..files.roles import column_names, named_columns
from ..files.tables import Names, as_table, table_of_data

LABEL_NAMES = (
    "label", "labels", "verdict", "verdicts", "human", "human_label", "human_verdict", "human_score", "correct", "is_correct",
    "accepted", "rating", "judgement", "judgment",
)  # fmt: skip
_LEAST = 10  # labels that an interval requires
_WORDS = {
    **dict.fromkeys(("true", "yes", "correct", "right"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "wrong"), 0.0),
}
ROLES = ("ids", "labels")
_RANGE = "give 1 for right, 0 for wrong, or a number between"


def label_table(data: Any, any_columns: bool = False) -> tuple[str, Table]:
    """The name of labelled data in messages, and its table.

    Args:
        data: the path of a file (CSV, TSV, JSON, JSONL, Parquet, Arrow), a table of a library, rows, or columns by name.
        any_columns: as in `as_table`.

    Raises:
        FileError: a file that is not a table. TypeError: something other than a table.
    """
    if isinstance(data, (str, os.PathLike, Content)):
        content = read_content(data if isinstance(data, Content) else os.fspath(data))
        path, table = content.path, as_table(content.value, any_columns)
    else:
        path = "the labelled answers"
        table = as_table(data, any_columns) if any_columns and isinstance(data, dict) else table_of_data(data)
        if table is None:
            raise TypeError(
                "labelled answers must be the path of a file, a data frame, a list of rows or a dict of columns; got "
                f"{describe(data)}"
            )
    if table is None:
        raise FileError(path, "this is not a table; give a row per answer, with its labels in columns")
    return path, table


def verdicts_of(labels: Any, ids: Sequence[Any], columns: Names | None = None) -> np.ndarray:
    """A verdict in 0..1 for each example, float64 (n,), NaN for an example without one.

    Args:
        labels: as for `qassay.calibrate`.
        ids: the ids of the examples.
        columns: role ("ids" or "labels") -> column of the file or data frame.

    Raises:
        ValueError: a label of an unknown id, two different verdicts on one id, a verdict outside 0..1 or NaN, a list
            of another length than the examples, or fewer than 10 labels.
        TypeError: something other than labels, or verdicts that are not numbers.
    """
    where = ""
    columns = column_names(columns or {}, ROLES, several=())
    if isinstance(labels, (str, os.PathLike, Content)):
        content = read_content(labels if isinstance(labels, Content) else os.fspath(labels))
        pairs, where = _pairs_of_file(content, columns), f"{content.path}: "
    elif is_table(labels):
        pairs = _pairs_of_file(Content("labels", table_of_data(labels)), columns)
    elif columns:
        raise TypeError("columns are only for a file or data frame of labels; give one as labels, or omit columns")
    else:
        pairs = _pairs_of(labels, ids)
    verdicts = _in_order(pairs, ids, where)
    require_enough(int((~np.isnan(verdicts)).sum()), where=where)
    return verdicts


def split_label_columns(pairs: Sequence[str], paths: Sequence[str]) -> tuple[list[str], list[dict[str, Any]]]:
    """Split texts `FILE:ROLE=NAME` into the texts for other files, and role -> columns for each file of labels.

    Example:
        >>> split_label_columns(["ids=qid", "votes.csv:ids=uid", "labels:labels=verdict"], ["votes.csv"])
        (['ids=qid'], [{'ids': ['uid'], 'labels': ['verdict']}])
    """
    prefixes = [dict.fromkeys(f"{name}:" for name in (path, os.path.basename(path), "labels")) for path in paths]
    for pair in pairs:
        if paths and pair.startswith("labels="):
            raise ValueError(
                f"columns: {pair!r} is a column of the labels; add the file, {os.path.basename(paths[0])}:{pair}"
            )
    of_labels = [[pair.removeprefix(one) for pair in pairs for one in of if pair.startswith(one)] for of in prefixes]
    rest = [pair for pair in pairs if not any(pair.startswith(one) for of in prefixes for one in of)]
    problem = "columns of the labels: {!r} must be FILE:ROLE=NAME"
    return rest, [named_columns(each, problem, roles=ROLES) for each in of_labels]


def _pairs_of(labels: Any, ids: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Pairs of id and verdict; a list is in the order of the examples."""
    index: Any = None if isinstance(labels, (list, tuple, Mapping)) else getattr(labels, "index", None)
    if isinstance(labels, Mapping):
        return list(labels.items())
    if hasattr(index, "is_unique") and not (
        len(keys := index.tolist()) == len(ids) and index_counts_rows(keys, ids, "labels")
    ):
        return list(zip(keys, _cells(labels, "labels"), strict=True))
    if not (isinstance(labels, Sequence) or hasattr(labels, "tolist") or hasattr(labels, "to_pylist")):
        raise TypeError(
            "labels must be a dict id -> verdict, a list with one verdict or None per example, or the path of a file; "
            f"got {describe(labels)}"
        )
    values = _cells(labels, "labels")
    if len(values) != len(ids):
        raise ValueError(
            f"labels has {len(values)} verdicts for {len(ids)} examples; give one verdict or None per example, in their order, "
            "or a dict id -> verdict"
        )
    return list(zip(ids, values, strict=True))


def _cells(column: Any, name: Any) -> list[Any]:
    """The values of a column; NaN in a series of pandas is None."""
    is_series = hasattr(getattr(column, "index", None), "is_unique")
    return [None if is_series and is_nan(cell) else cell for cell in to_list(column, name)]


def _in_order(pairs: Sequence[tuple[Any, Any]], ids: Sequence[Any], where: str) -> np.ndarray:
    """The verdicts in the order of the examples."""
    keys, scored = comparable_ids([key for key, _ in pairs], list(ids))
    row_of = {identifier: row for row, identifier in enumerate(scored)}
    unknown = [pair[0] for pair, key in zip(pairs, keys, strict=True) if not is_hashable(key) or key not in row_of]
    if unknown:
        raise ValueError(
            f"{where}{len(unknown)} of {len(pairs)} labels have unknown ids, such as {shown(unknown[0])}; label "
            f"examples that were scored, such as {shown(ids[0]) if len(ids) else 'none'}"
        )
    verdicts = np.full(len(ids), np.nan)
    for (identifier, value), key in zip(pairs, keys, strict=True):
        verdict, row = _verdict(value, identifier, where), row_of[key]
        if verdict is None:
            continue
        if not np.isnan(verdicts[row]) and verdicts[row] != verdict:
            raise ValueError(
                f"{where}example {shown(identifier)} has two different verdicts, {verdicts[row]:g} and {verdict:g}; give one, "
                "or their mean"
            )
        verdicts[row] = verdict
    return verdicts


def _verdict(value: Any, key: Any, where: str) -> float | None:
    """The verdict as a number; None for an absent verdict."""
    if is_nan(value):
        raise ValueError(f"{where}the verdict of {shown(key)} is NaN; omit the example, or give None for no verdict")
    if is_missing(value):
        return None
    if isinstance(value, str) or not is_real(value):
        raise TypeError(
            f"{where}the verdict of {shown(key)} must be a bool or a number, got {describe(value)}; {_RANGE}"
        )
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{where}the verdict of {shown(key)} is {number:g}, outside 0..1; {_RANGE}")
    return number


def _pairs_of_file(content: Content, columns: Names) -> list[tuple[Any, Any]]:
    value, path = content.value, content.path
    if isinstance(value, Table):
        usual = usual_roles(value.columns, {"ids": ID_NAMES, "labels": LABEL_NAMES})
        picker = Columns(path, value, columns, usual)
        ids, cells = (value.columns[picker.require(role, first_wins=role == "ids")] for role in ROLES)
        pairs = list(zip(ids, cells, strict=True))
    elif isinstance(value, dict):
        pairs = list(value.items())
    else:
        raise FileError(path, "this contains no labels; give a table with columns of ids and labels, or {id: label}")
    return [(key, _cell(path, key, cell) if isinstance(cell, str) else cell) for key, cell in pairs]


def _cell(path: str, key: Any, cell: str) -> float | None:
    """The verdict in a cell of text; None for an empty cell."""
    try:
        return number_of_label(cell)
    except ValueError:
        raise FileError(
            path, f"the verdict of {shown(key)} is {shown(cell)}, not a number; {_RANGE}, or true and false"
        ) from None


def number_of_label(cell: str) -> float | None:
    """A label in a text cell as a number; None for an empty cell.

    Raises:
        ValueError: neither a number nor one of the words true, yes, correct, right, false, no, incorrect and wrong.

    Example:
        >>> number_of_label("yes"), number_of_label("Incorrect"), number_of_label(" 0.5"), number_of_label("")
        (1.0, 0.0, 0.5, None)
    """
    text = cell.strip().lower()
    if not text:
        return None
    return _WORDS[text] if text in _WORDS else to_number(text)


def require_enough(count: int, of: str = "", where: str = "") -> None:
    """Refuse fewer labels than an interval requires; `of` describes them in the message, which begins with `where`."""
    if count < _LEAST:
        labels = "1 label is" if count == 1 else f"{count} labels are"
        raise ValueError(f"{where}{labels} too few for an interval{of}; give at least {_LEAST}, better 100")
