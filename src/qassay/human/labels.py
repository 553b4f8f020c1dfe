"""Reads human labels: tables of them, what a label says, and verdicts on the examples of a system."""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import check_lengths, index_of, is_hashable, is_missing, is_real, is_table, to_list, usual_roles
from ..core.ids import index_counts_rows, rows_of_ids
from ..core.shown import describe, shown
from ..files.columns import Columns
from ..files.content import Content, Table, read_content
from ..files.reading import EMPTY_CELLS, ID_NAMES, FileError, to_number
from ..files.roles import column_names
from ..files.tables import as_table, table_of_data

LABEL_NAMES = (
    "label", "labels", "verdict", "verdicts", "human", "human_label", "human_verdict", "human_score", "correct", "is_correct",
    "accepted", "rating", "judgement", "judgment",
)  # fmt: skip
_LEAST = 10  # labels that an interval requires
_WORDS = {
    **dict.fromkeys(("true", "yes", "correct", "right"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "wrong"), 0.0),
}
_OF_VERDICTS = {"ids": ID_NAMES, "labels": LABEL_NAMES}


def label_columns(
    data: Any, names: Mapping[str, Any] | None, usual: Mapping[str, Sequence[str]], any_columns: bool = False
) -> Columns:
    """The columns of labelled data by role.

    Args:
        data: the path of a file (CSV, TSV, JSON, JSONL, Parquet, Arrow), a table of a library, rows, or columns by name.
        names: role -> column, as the user named them; usual: role -> its usual names.
        any_columns: as in `as_table`.

    Raises:
        FileError: a file that is not a table. TypeError: something other than a table. ValueError: an unknown role, or
            columns of different lengths.
    """
    path, content = "the labelled answers", data
    if isinstance(data, (str, os.PathLike)):
        content = read_content(os.fspath(data))
    if isinstance(content, Content):
        path, table = content.path, as_table(content.value, any_columns)
        if table is None:
            raise FileError(path, "this is not a table; give a row per answer, with its labels in columns")
    elif isinstance(data, Mapping):
        columns = {str(name): to_list(column, str(name)) for name, column in data.items()}
        check_lengths(**columns)
        table = Table(columns, "JSON")
    else:
        table = table_of_data(data)
    if table is None:
        raise TypeError(
            "labelled answers must be the path of a file, a data frame, a list of rows or a dict of columns; got "
            f"{describe(data)}"
        )
    named = column_names(names or {}, tuple(usual), several=("references",))
    return Columns(path, table, named, usual_roles(table.columns, usual))


def number_of_label(cell: Any) -> float | None:
    """What a label says as a number.

    Returns:
        None for a missing label: an empty cell, NaN, or a text such as NA. NaN for what is neither a finite number nor
            one of the words true, yes, correct, right, false, no, incorrect, wrong.

    Example:
        >>> number_of_label("yes"), number_of_label("Incorrect"), number_of_label(" 0.5"), number_of_label(True)
        (1.0, 0.0, 0.5, 1.0)
        >>> number_of_label(""), number_of_label("NA"), number_of_label(float("nan")), number_of_label("perhaps")
        (None, None, None, nan)
    """
    text = cell.strip() if isinstance(cell, str) else None
    if is_missing(cell) or text in EMPTY_CELLS:
        return None
    if text is None:
        number = float(cell) if is_real(cell) else math.nan
    elif text.lower() in _WORDS:
        number = _WORDS[text.lower()]
    else:
        try:
            number = to_number(text)
        except ValueError:
            number = math.nan
    return number if math.isfinite(number) else math.nan


def require_enough(count: int, of: str = "", where: str = "") -> None:
    """Refuse fewer labels than an interval requires; `of` describes them in the message, which begins with `where`."""
    if count < _LEAST:
        labels = "1 label is" if count == 1 else f"{count} labels are"
        raise ValueError(f"{where}{labels} too few for an interval{of}; give at least {_LEAST}, better 100")


def verdicts_of(labels: Any, ids: Sequence[Any], columns: Mapping[str, Any] | None = None) -> np.ndarray:
    """A verdict in 0..1 for each example, float64 (n,), NaN for an example without one.

    Args:
        labels: as for `qassay.calibrate`.
        ids: the ids of the examples.
        columns: role ("ids" or "labels") -> column of the file or data frame.

    Raises:
        ValueError: a label of an unknown id, two different verdicts on one id, a label outside 0..1, a list of
            another length than the examples, or fewer than 10 labels.
        TypeError: something other than labels.
    """
    where, pairs = _pairs(labels, ids, column_names(columns or {}, tuple(_OF_VERDICTS), several=()))
    rows = rows_of_ids([key if is_hashable(key) else str(key) for key, _ in pairs], list(ids))
    unknown = [identifier for row, (identifier, _) in zip(rows, pairs, strict=True) if row < 0]
    if unknown:
        raise ValueError(
            f"{where}{len(unknown)} of {len(pairs)} labels have unknown ids, such as {shown(unknown[0])}; label "
            f"examples that were scored, such as {shown(ids[0]) if len(ids) else 'none'}"
        )
    verdicts = np.full(len(ids), np.nan)
    for row, (identifier, cell) in zip(rows.tolist(), pairs, strict=True):
        verdict = number_of_label(cell)
        if verdict is None:
            continue
        if not 0 <= verdict <= 1:
            raise ValueError(
                f"{where}the verdict of {shown(identifier)} is {shown(cell)}; give 1 for right, 0 for wrong, a number "
                "between, or true and false"
            )
        if not np.isnan(verdicts[row]) and verdicts[row] != verdict:
            raise ValueError(
                f"{where}example {shown(identifier)} has two different verdicts, {verdicts[row]:g} and {verdict:g}; give one, "
                "or their mean"
            )
        verdicts[row] = verdict
    require_enough(int((~np.isnan(verdicts)).sum()), where=where)
    return verdicts


def _pairs(labels: Any, ids: Sequence[Any], columns: Mapping[str, Any]) -> tuple[str, list[tuple[Any, Any]]]:
    """What messages begin with, and pairs of id and label; a list is in the order of the examples."""
    where, keys = "", ids
    if isinstance(labels, (str, os.PathLike)):
        labels = read_content(os.fspath(labels))
        where = f"{labels.path}: "
        if isinstance(labels.value, dict):
            return where, list(labels.value.items())
    if isinstance(labels, Content) or is_table(labels):
        picker = label_columns(labels, columns, _OF_VERDICTS)
        found = [picker.table.columns[picker.require(role, first_wins=role == "ids")] for role in _OF_VERDICTS]
        return where, list(zip(*found, strict=True))
    if columns:
        raise TypeError("columns are only for a file or data frame of labels; give one as labels, or omit columns")
    if isinstance(labels, Mapping):
        return where, list(labels.items())
    if isinstance(labels, bytes) or not hasattr(labels, "__len__"):
        raise TypeError(
            "labels must be a dict id -> verdict, a list with one verdict or None per example, or the path of a file; "
            f"got {describe(labels)}"
        )
    cells, index = to_list(labels, "labels"), index_of(labels)
    if index is not None:  # it has ids, or counts the rows
        keys = index.tolist()
        if len(keys) == len(ids) and index_counts_rows(keys, ids, "labels"):
            keys = ids
    if len(cells) != len(keys):
        raise ValueError(
            f"labels has {len(cells)} verdicts for {len(ids)} examples; give one verdict or None per example, in their order, "
            "or a dict id -> verdict"
        )
    return where, list(zip(keys, cells, strict=True))
